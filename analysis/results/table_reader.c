#include "analysis/results/table_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/guard.h"

#define READ_ROWS 4096
#define READ_BYTES (1u << 24)
#define ROW_BYTES_MAX (1u << 18)
#define UNIT_BYTES_MAX 4096
#define FIELDS_MAX 512

enum pt_status pt__bad_file(struct pt_error *error, const char *what)
{
    return pt_fail(error, PT_ERR_INPUT, "is not a result that this program can read: %s", what);
}

static enum pt_field_type field_type(hid_t type, bool *known)
{
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    *known = true;
    if (class == H5T_STRING && H5Tis_variable_str(type) == 0) return PT_FIELD_TEXT;
    if (class == H5T_FLOAT && size == 8) return PT_FIELD_NUMBER;
    if (class == H5T_INTEGER && size == 1) return PT_FIELD_BOOL;
    *known = class == H5T_INTEGER && (size == 4 || size == 8);
    return PT_FIELD_INT;
}

static char *unit_of(hid_t dataset, uint32_t field)
{
    char name[32];
    char *unit = NULL;
    snprintf(name, sizeof(name), "FIELD_%u_UNITS", field);
    if (H5Aexists(dataset, name) <= 0) return strdup("");
    hid_t attr = H5Aopen(dataset, name, H5P_DEFAULT);
    hid_t type = attr < 0 ? -1 : H5Aget_type(attr);
    size_t size = type < 0 ? 0 : H5Tget_size(type);
    bool scalar = attr >= 0 && pt__guard_is_scalar(H5Aget_space(attr));
    if (scalar && size > 0 && size < UNIT_BYTES_MAX && H5Tget_class(type) == H5T_STRING &&
        H5Tis_variable_str(type) == 0) {
        unit = calloc(size + 1, 1);
        if (unit != NULL && H5Aread(attr, type, unit) < 0) unit[0] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    if (attr >= 0) H5Aclose(attr);
    return unit == NULL ? strdup("") : unit;
}

void pt__table_in_close(struct pt__table_in *t)
{
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (t->fields[i].name != NULL) H5free_memory((void *)(uintptr_t)t->fields[i].name);
        free((void *)(uintptr_t)t->fields[i].unit);
    }
    free(t->fields);
    free(t->offsets);
    free(t->sizes);
    free(t->buffer);
    free(t->text);
    if (t->type >= 0) H5Tclose(t->type);
    if (t->dataset >= 0) H5Dclose(t->dataset);
    *t = PT__NO_TABLE;
}

static enum pt_status read_fields(struct pt__table_in *t, struct pt_error *error)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        hid_t member = H5Tget_member_type(t->type, i);
        bool known = false;
        if (member < 0) return pt__bad_file(error, "a table has a strange type");
        t->fields[i].type = field_type(member, &known);
        t->sizes[i] = (uint32_t)H5Tget_size(member);
        t->offsets[i] = (uint32_t)H5Tget_member_offset(t->type, i);
        H5Tclose(member);
        t->fields[i].name = H5Tget_member_name(t->type, i);
        t->fields[i].unit = unit_of(t->dataset, i);
        if (!known || t->fields[i].name == NULL || t->fields[i].unit == NULL) {
            return pt__bad_file(error, "a table has a column of a strange type");
        }
        if (t->sizes[i] > t->row_size || t->offsets[i] > t->row_size - t->sizes[i]) {
            return pt__bad_file(error, "a table has a column beyond its rows");
        }
        if (t->sizes[i] > longest) longest = t->sizes[i];
    }
    t->text = calloc(longest + 1, 1);
    return t->text == NULL ? pt_fail(error, PT_ERR_MEMORY, "no memory for a table") : PT_OK;
}

/* The stored type itself where this machine can read it as it lies: nothing is converted then. */
static hid_t memory_type(hid_t stored, int members)
{
    bool as_is = true;
    for (int i = 0; i < members; i++) {
        hid_t member = H5Tget_member_type(stored, (unsigned)i);
        if (member < 0) return -1;
        if (H5Tget_class(member) != H5T_STRING && H5Tget_size(member) > 1) {
            as_is = as_is && H5Tget_order(member) == H5Tget_order(H5T_NATIVE_INT);
        }
        H5Tclose(member);
    }
    return as_is ? H5Tcopy(stored) : H5Tget_native_type(stored, H5T_DIR_ASCEND);
}

static size_t rows_a_read(const struct pt__table_in *t)
{
    size_t rows = t->row_size > 0 ? READ_BYTES / t->row_size : 1;
    return rows > READ_ROWS ? READ_ROWS : rows > 0 ? rows : 1;
}

enum pt_status pt__table_in_open(struct pt__table_in *t, hid_t file, const char *name,
                                 struct pt_error *error)
{
    *t = PT__NO_TABLE;
    hsize_t rows = 0;
    t->dataset = pt__guard_open(file, name);
    if (t->dataset < 0) return pt__bad_file(error, "a table can't be opened or is no plain one");
    hid_t stored = H5Dget_type(t->dataset), space = H5Dget_space(t->dataset);
    bool fits = stored >= 0 && space >= 0 && H5Tget_class(stored) == H5T_COMPOUND &&
                H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &rows, NULL) >= 0;
    int members = fits ? H5Tget_nmembers(stored) : -1;
    if (members > 0 && members < FIELDS_MAX) t->type = memory_type(stored, members);
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (t->type < 0) return pt__bad_file(error, "a table has a strange type");
    t->row_size = H5Tget_size(t->type);
    t->row_count = rows;
    t->fields = calloc((size_t)members, sizeof(*t->fields));
    t->offsets = calloc((size_t)members, sizeof(*t->offsets));
    t->sizes = calloc((size_t)members, sizeof(*t->sizes));
    t->buffer = t->row_size > 0 && t->row_size < ROW_BYTES_MAX
                    ? malloc(t->row_size * rows_a_read(t))
                    : NULL;
    if (t->fields == NULL || t->offsets == NULL || t->sizes == NULL || t->buffer == NULL) {
        return pt_fail(error, PT_ERR_MEMORY, "no memory for a table");
    }
    t->field_count = (uint32_t)members;
    return read_fields(t, error);
}

static enum pt_status read_rows(struct pt__table_in *t, uint64_t row, struct pt_error *error)
{
    hsize_t first = row, count = t->row_count - row;
    if (count > rows_a_read(t)) count = rows_a_read(t);
    t->count = 0;
    hid_t file = H5Dget_space(t->dataset), memory = H5Screate_simple(1, &count, NULL);
    bool done = file >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                H5Dread(t->dataset, t->type, memory, file, H5P_DEFAULT, t->buffer) >= 0;
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    if (!done) return pt_fail(error, PT_ERR_IO, "rows of a table can't be read");
    t->first = first;
    t->count = count;
    return PT_OK;
}

static int64_t load_int(const uint8_t *bytes, uint32_t size, int64_t *null)
{
    int64_t wide;
    int32_t narrow;
    if (size == 1) {
        *null = -1;
        return (int8_t)bytes[0];
    }
    if (size == 4) {
        *null = -1;
        memcpy(&narrow, bytes, sizeof(narrow));
        return narrow;
    }
    *null = INT64_MIN;
    memcpy(&wide, bytes, sizeof(wide));
    return wide;
}

enum pt_status pt__table_in_cell(struct pt__table_in *t, uint64_t row, uint32_t field,
                                 struct pt_cell *cell, struct pt_error *error)
{
    int64_t null;
    if (row >= t->row_count || field >= t->field_count) {
        return pt_fail(error, PT_ERR_ARGUMENT, "no such cell");
    }
    if (row < t->first || row >= t->first + t->count) PT_TRY(read_rows(t, row, error));
    const uint8_t *bytes = t->buffer + (row - t->first) * t->row_size + t->offsets[field];
    uint32_t size = t->sizes[field];
    *cell = (struct pt_cell){.text = ""};
    switch (t->fields[field].type) {
    case PT_FIELD_NUMBER:
        memcpy(&cell->number, bytes, sizeof(cell->number));
        cell->absent = isnan(cell->number);
        break;
    case PT_FIELD_TEXT:
        memcpy(t->text, bytes, size);
        t->text[size] = '\0';
        cell->text = t->text;
        cell->absent = t->text[0] == '\0';
        break;
    case PT_FIELD_INT:
    case PT_FIELD_BOOL:
        cell->integer = load_int(bytes, size, &null);
        cell->absent = cell->integer == null;
        break;
    }
    return PT_OK;
}
