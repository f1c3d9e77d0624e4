#include "analysis/results/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_ROWS 16384
#define CHUNK_BYTES (1u << 20) /* what HDF5 keeps of a dataset in its cache */

struct pt__table {
    struct pt__table_spec spec;
    hid_t parent, dataset, type;
    uint32_t row_size, chunk_rows;
    uint8_t *buffer; /* chunk_rows rows */
    uint32_t buffered;
    uint64_t written;
};

static hid_t cell_type(const struct pt__column *column)
{
    switch (column->type) {
    case PT__I64:
        return H5Tcopy(H5T_STD_I64LE);
    case PT__I32:
        return H5Tcopy(H5T_STD_I32LE);
    case PT__I8:
        return H5Tcopy(H5T_STD_I8LE);
    case PT__NUMBER:
        return H5Tcopy(H5T_IEEE_F64LE);
    case PT__TEXT:
        return pt__h5_text_type(column->width, true);
    }
    return -1;
}

static hid_t row_type(const struct pt__table *table)
{
    const struct pt__table_spec *spec = &table->spec;
    if (spec->plain) return cell_type(&spec->columns[0]);
    hid_t type = H5Tcreate(H5T_COMPOUND, table->row_size);
    for (uint32_t i = 0; type >= 0 && i < spec->column_count; i++) {
        hid_t cell = cell_type(&spec->columns[i]);
        if (cell < 0 || H5Tinsert(type, spec->columns[i].name, spec->columns[i].offset, cell) < 0) {
            H5Tclose(type);
            type = -1;
        }
        if (cell >= 0) H5Tclose(cell);
    }
    return type;
}

static void lay_out(struct pt__table *table)
{
    static const uint32_t widths[] = {
        [PT__I64] = 8, [PT__I32] = 4, [PT__I8] = 1, [PT__NUMBER] = 8, [PT__TEXT] = 1};
    for (uint32_t i = 0; i < table->spec.column_count; i++) {
        struct pt__column *column = &table->spec.columns[i];
        if (column->type != PT__TEXT || column->width == 0) column->width = widths[column->type];
        column->offset = table->row_size;
        table->row_size += column->width;
    }
    table->chunk_rows = CHUNK_ROWS;
    while (table->chunk_rows > 1 && (uint64_t)table->chunk_rows * table->row_size > CHUNK_BYTES) {
        table->chunk_rows /= 2;
    }
    if (table->spec.rows_max > 0 && table->spec.rows_max < table->chunk_rows) {
        table->chunk_rows = (uint32_t)table->spec.rows_max;
    }
}

enum pt_status pt__table_create(struct pt__table **table, hid_t parent,
                                const struct pt__table_spec *spec, struct pt_error *error)
{
    struct pt__table *t = calloc(1, sizeof(*t));
    if (t == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for table %s", spec->name);
    t->spec = *spec;
    t->parent = parent;
    t->dataset = t->type = -1;
    lay_out(t);
    t->buffer = calloc(t->chunk_rows, t->row_size);
    if (t->buffer == NULL) {
        free(t);
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the rows of table %s", spec->name);
    }
    *table = t;
    return PT_OK;
}

/* Made when the first rows are flushed: what fits into less than a chunk has a chunk of its size.*/
static enum pt_status make_dataset(struct pt__table *table, struct pt_error *error)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hsize_t chunk = table->buffered == 0 ? 1 : table->buffered;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t properties = pt__h5_dataset_properties();
    if (table->type < 0) table->type = row_type(table);
    if (space >= 0 && properties >= 0 && table->type >= 0 &&
        H5Pset_chunk(properties, 1, &chunk) >= 0 &&
        (table->spec.compression == 0 ||
         (H5Pset_shuffle(properties) >= 0 &&
          H5Pset_deflate(properties, (unsigned)table->spec.compression) >= 0))) {
        table->dataset = H5Dcreate2(table->parent, table->spec.name, table->type, space,
                                    H5P_DEFAULT, properties, H5P_DEFAULT);
    }
    enum pt_status status = table->dataset < 0 ? pt__h5_fail(error, table->spec.name) : PT_OK;
    if (properties >= 0) H5Pclose(properties);
    if (space >= 0) H5Sclose(space);
    return status;
}

/* Always a whole chunk, zeroed behind the last row: HDF5 would leave there what was in memory. */
static bool write_rows(struct pt__table *table)
{
    hsize_t from = table->written, to = from + table->buffered, count = table->chunk_rows;
    hsize_t whole = from + count;
    if (table->spec.compression == 0) {
        return H5Dset_extent(table->dataset, &to) >= 0 &&
               H5Dwrite_chunk(table->dataset, H5P_DEFAULT, 0, &from,
                              (size_t)count * table->row_size, table->buffer) >= 0;
    }
    if (H5Dset_extent(table->dataset, &whole) < 0) return false;
    hid_t memory = H5Screate_simple(1, &count, NULL), file = H5Dget_space(table->dataset);
    bool done =
        memory >= 0 && file >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &from, NULL, &count, NULL) >= 0 &&
        H5Dwrite(table->dataset, table->type, memory, file, H5P_DEFAULT, table->buffer) >= 0 &&
        H5Dset_extent(table->dataset, &to) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    return done;
}

static enum pt_status flush(struct pt__table *table, struct pt_error *error)
{
    if (table->dataset < 0) {
        PT_TRY(make_dataset(table, error));
        /* a chunk that holds all there is */
        if (table->buffered > 0) table->chunk_rows = table->buffered;
    }
    if (table->buffered == 0) return PT_OK;
    if (!write_rows(table)) return pt__h5_fail(error, table->spec.name);
    table->written += table->buffered;
    table->buffered = 0;
    memset(table->buffer, 0, (size_t)table->chunk_rows * table->row_size);
    return PT_OK;
}

enum pt_status pt__table_reserve(struct pt__table *table, uint8_t **rows, uint32_t *room,
                                 uint32_t *row_size, struct pt_error *error)
{
    if (table->buffered == table->chunk_rows) PT_TRY(flush(table, error));
    *rows = table->buffer + (size_t)table->buffered * table->row_size;
    *room = table->chunk_rows - table->buffered;
    *row_size = table->row_size;
    return PT_OK;
}

void pt__table_commit(struct pt__table *table, uint32_t count)
{
    table->buffered += count;
}

static enum pt_status describe(const struct pt__table *table, struct pt_error *error)
{
    const struct pt__table_spec *spec = &table->spec;
    bool has[PT__TEXT + 1] = {false};
    char name[32];
    if (spec->plain) return pt__h5_text(table->dataset, "units", spec->columns[0].unit, error);
    PT_TRY(pt__h5_text(table->dataset, "CLASS", "TABLE", error));
    PT_TRY(pt__h5_text(table->dataset, "VERSION", "3.0", error));
    PT_TRY(pt__h5_text(table->dataset, "TITLE", spec->title, error));
    for (uint32_t i = 0; i < spec->column_count; i++) {
        snprintf(name, sizeof(name), "FIELD_%u_NAME", i);
        PT_TRY(pt__h5_text(table->dataset, name, spec->columns[i].name, error));
        snprintf(name, sizeof(name), "FIELD_%u_UNITS", i);
        PT_TRY(pt__h5_text(table->dataset, name, spec->columns[i].unit, error));
        has[spec->columns[i].type] = true;
    }
    PT_TRY(pt__h5_int(table->dataset, "NROWS", (int64_t)table->written, error));
    if (has[PT__I64]) PT_TRY(pt__h5_int(table->dataset, "null_int64", INT64_MIN, error));
    if (has[PT__I32]) PT_TRY(pt__h5_int(table->dataset, "null_int32", -1, error));
    if (has[PT__I8]) PT_TRY(pt__h5_int(table->dataset, "null_int8", -1, error));
    if (has[PT__NUMBER]) PT_TRY(pt__h5_number(table->dataset, "null_float64", NAN, error));
    if (has[PT__TEXT]) PT_TRY(pt__h5_text(table->dataset, "null_text", "", error));
    return PT_OK;
}

enum pt_status pt__table_dataset(hid_t *dataset, struct pt__table *table, struct pt_error *error)
{
    PT_TRY(flush(table, error));
    *dataset = table->dataset;
    return PT_OK;
}

void pt__table_abandon(struct pt__table *table)
{
    if (table == NULL) return;
    if (table->dataset >= 0) H5Dclose(table->dataset);
    if (table->type >= 0) H5Tclose(table->type);
    free(table->buffer);
    free(table);
}

enum pt_status pt__table_close(struct pt__table *table, struct pt_error *error)
{
    enum pt_status status = flush(table, error);
    if (status == PT_OK) status = describe(table, error);
    if (status == PT_OK) {
        hid_t dataset = table->dataset;
        table->dataset = -1;
        if (H5Dclose(dataset) < 0) status = pt__h5_fail(error, table->spec.name);
    }
    pt__table_abandon(table);
    return status;
}

void pt__put_i64(uint8_t *row, const struct pt__column *column, int64_t value)
{
    memcpy(row + column->offset, &value, sizeof(value));
}

void pt__put_i32(uint8_t *row, const struct pt__column *column, int32_t value)
{
    memcpy(row + column->offset, &value, sizeof(value));
}

void pt__put_number(uint8_t *row, const struct pt__column *column, double value)
{
    if (isnan(value)) value = NAN; /* there are many NaNs: one of them, whoever computed it */
    memcpy(row + column->offset, &value, sizeof(value));
}

void pt__put_text(uint8_t *row, const struct pt__column *column, const char *text)
{
    size_t length = strlen(text);
    memcpy(row + column->offset, text, length < column->width ? length : column->width);
}
