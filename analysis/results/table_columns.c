#include "analysis/results/table_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/guard.h"
#include "analysis/results/table_reader.h"

enum { PATH_MAX_BYTES = 512 };

static enum pt_status read_numbers(double **values, size_t *count, hid_t dataset,
                                   struct pt_error *error)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hssize_t length = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool fits = type >= 0 && H5Tget_class(type) == H5T_FLOAT && length >= 0 &&
                H5Sget_simple_extent_ndims(space) == 1;
    enum pt_status status = PT_OK;
    if (!fits) status = pt__bad_file(error, "a series is no list of numbers");
    if (status == PT_OK && length > 0) {
        if ((uint64_t)length > SIZE_MAX / sizeof **values ||
            !(*values = malloc((size_t)length * sizeof **values)))
            status = pt_fail(error, PT_ERR_MEMORY, "no memory for a series");
        else if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
            status = pt_fail(error, PT_ERR_IO, "a series can't be read");
        else
            *count = (size_t)length;
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return status;
}

enum pt_status pt_results_series(double **values, size_t *count, struct pt_results_reader *reader,
                                 const char *name, struct pt_error *error)
{
    char path[PATH_MAX_BYTES];
    hid_t file = pt__results_file(reader);
    *values = NULL;
    *count = 0;
    if ((size_t)snprintf(path, sizeof path, "series/%s", name) >= sizeof path) return PT_OK;
    if (!pt__guard_exists(file, path)) return PT_OK;
    hid_t dataset = pt__guard_open(file, path);
    if (dataset < 0)
        return pt__of_file(reader, pt__bad_file(error, "a series can't be opened"), error);
    enum pt_status status = read_numbers(values, count, dataset, error);
    H5Dclose(dataset);
    if (status != PT_OK) {
        free(*values);
        *values = NULL;
    }
    return pt__of_file(reader, status, error);
}

static uint32_t column_of(const struct pt__table_in *table, const char *name,
                          enum pt_field_type type)
{
    for (uint32_t i = 0; i < table->field_count; i++)
        if (strcmp(table->fields[i].name, name) == 0 && table->fields[i].type == type) return i;
    return UINT32_MAX;
}

static enum pt_status read_interval(struct pt_interval *interval, struct pt__table_in *table,
                                    uint64_t row, const uint32_t columns[4], struct pt_error *error)
{
    struct pt_cell cell;
    PT_TRY(pt__table_in_cell(table, row, columns[0], &cell, error));
    interval->job = cell.absent ? PT_NONE : (uint32_t)cell.integer;
    PT_TRY(pt__table_in_cell(table, row, columns[1], &cell, error));
    interval->gpu = cell.absent ? PT_NONE : (uint32_t)cell.integer;
    PT_TRY(pt__table_in_cell(table, row, columns[2], &cell, error));
    interval->start_s = cell.number;
    PT_TRY(pt__table_in_cell(table, row, columns[3], &cell, error));
    interval->end_s = cell.number;
    return PT_OK;
}

static enum pt_status read_intervals(struct pt_interval **list, size_t *count,
                                     struct pt__table_in *table, struct pt_error *error)
{
    const uint32_t columns[4] = {
        column_of(table, "job", PT_FIELD_INT), column_of(table, "gpu", PT_FIELD_INT),
        column_of(table, "start_s", PT_FIELD_NUMBER), column_of(table, "end_s", PT_FIELD_NUMBER)};
    for (int k = 0; k < 4; k++)
        if (columns[k] == UINT32_MAX) return pt__bad_file(error, "/intervals has other columns");
    if (table->row_count > SIZE_MAX / sizeof **list)
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the intervals");
    *list = malloc((size_t)(table->row_count + 1) * sizeof **list);
    if (!*list) return pt_fail(error, PT_ERR_MEMORY, "no memory for the intervals");
    for (uint64_t row = 0; row < table->row_count; row++)
        PT_TRY(read_interval(&(*list)[row], table, row, columns, error));
    *count = (size_t)table->row_count;
    return PT_OK;
}

enum pt_status pt_results_intervals(struct pt_interval **list, size_t *count,
                                    struct pt_results_reader *reader, struct pt_error *error)
{
    struct pt__table_in table = PT__NO_TABLE;
    hid_t file = pt__results_file(reader);
    *list = NULL;
    *count = 0;
    if (!pt__guard_exists(file, "intervals")) return PT_OK;
    enum pt_status status = pt__table_in_open(&table, file, "intervals", error);
    if (status == PT_OK) status = read_intervals(list, count, &table, error);
    pt__table_in_close(&table);
    if (status != PT_OK) {
        free(*list);
        *list = NULL;
    }
    return pt__of_file(reader, status, error);
}

static enum pt_status read_nodes(char ***nodes, size_t *count, struct pt__table_in *table,
                                 struct pt_error *error)
{
    uint32_t column = column_of(table, "node", PT_FIELD_TEXT);
    struct pt_cell cell;
    if (column == UINT32_MAX) return pt__bad_file(error, "/gpus has other columns");
    if (table->row_count >= SIZE_MAX / sizeof **nodes)
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the GPUs");
    *nodes = calloc((size_t)table->row_count + 1, sizeof **nodes);
    if (!*nodes) return pt_fail(error, PT_ERR_MEMORY, "no memory for the GPUs");
    for (uint64_t row = 0; row < table->row_count; row++) {
        PT_TRY(pt__table_in_cell(table, row, column, &cell, error));
        (*nodes)[row] = strdup(cell.text);
        if (!(*nodes)[row]) return pt_fail(error, PT_ERR_MEMORY, "no memory for the GPUs");
        *count = (size_t)row + 1;
    }
    return PT_OK;
}

enum pt_status pt_results_gpu_nodes(char ***nodes, size_t *count, struct pt_results_reader *reader,
                                    struct pt_error *error)
{
    struct pt__table_in table = PT__NO_TABLE;
    hid_t file = pt__results_file(reader);
    *nodes = NULL;
    *count = 0;
    if (!pt__guard_exists(file, "gpus")) return PT_OK;
    enum pt_status status = pt__table_in_open(&table, file, "gpus", error);
    if (status == PT_OK) status = read_nodes(nodes, count, &table, error);
    pt__table_in_close(&table);
    if (status == PT_OK) return PT_OK;
    for (size_t i = 0; i < *count; i++)
        free((*nodes)[i]);
    free(*nodes);
    *nodes = NULL;
    *count = 0;
    return pt__of_file(reader, status, error);
}
