/* A result file read back, for rerun and export. Files may come from anywhere: every size and type
 * is checked before it is believed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/results/h5.h"
#include "analysis/results/results.h"
#include "analysis/stats/summary.h"

#define READ_ROWS 4096
#define SCHEMA_VERSION_MAX 1
#define TEXT_MAX_BYTES (1u << 30)
#define FIELDS_MAX 512

struct manifest_text {
    char *name, *text; /* NULL text: looked for and not there */
};

/* One compound dataset with its rows read in chunks. */
struct table_in {
    hid_t dataset, type;
    uint32_t field_count;
    struct pt_field *fields;
    uint32_t *offsets, *sizes;
    size_t row_size;
    uint64_t row_count, first, count; /* rows first .. first + count - 1 are in the buffer */
    uint8_t *buffer;
    char *text; /* of the last text cell, NUL-terminated */
};

struct pt_results_reader {
    hid_t file;
    struct table_in jobs; /* dataset < 0: the result has none */
    struct manifest_text *texts;
    uint32_t text_count;
    struct pt_summary *summary;
    char **names; /* owned by the summary's groups */
    size_t name_count;
};

static enum pt_status bad(struct pt_error *error, const char *what)
{
    return pt_fail(error, PT_ERR_INPUT, "is not a result that this program can read: %s", what);
}

/* ---- tables ---- */

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
    if (size > 0 && size < 4096 && H5Tget_class(type) == H5T_STRING &&
        H5Tis_variable_str(type) == 0) {
        unit = calloc(size + 1, 1);
        if (unit != NULL && H5Aread(attr, type, unit) < 0) unit[0] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    if (attr >= 0) H5Aclose(attr);
    return unit == NULL ? strdup("") : unit;
}

static void close_table(struct table_in *t)
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
    *t = (struct table_in){.dataset = -1, .type = -1};
}

static enum pt_status read_fields(struct table_in *t, struct pt_error *error)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < t->field_count; i++) {
        hid_t member = H5Tget_member_type(t->type, i);
        bool known = false;
        if (member < 0) return bad(error, "a table has a strange type");
        t->fields[i].type = field_type(member, &known);
        t->sizes[i] = (uint32_t)H5Tget_size(member);
        t->offsets[i] = (uint32_t)H5Tget_member_offset(t->type, i);
        H5Tclose(member);
        t->fields[i].name = H5Tget_member_name(t->type, i);
        t->fields[i].unit = unit_of(t->dataset, i);
        if (!known || t->fields[i].name == NULL || t->fields[i].unit == NULL) {
            return bad(error, "a table has a column of a strange type");
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

static enum pt_status open_table(struct table_in *t, hid_t file, const char *name,
                                 struct pt_error *error)
{
    *t = (struct table_in){.dataset = -1, .type = -1};
    hsize_t rows = 0;
    t->dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (t->dataset < 0) return bad(error, "a table can't be opened");
    hid_t stored = H5Dget_type(t->dataset), space = H5Dget_space(t->dataset);
    bool fits = stored >= 0 && space >= 0 && H5Tget_class(stored) == H5T_COMPOUND &&
                H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &rows, NULL) >= 0;
    int members = fits ? H5Tget_nmembers(stored) : -1;
    if (members > 0 && members < FIELDS_MAX) t->type = memory_type(stored, members);
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (t->type < 0) return bad(error, "a table has a strange type");
    t->row_size = H5Tget_size(t->type);
    t->row_count = rows;
    t->fields = calloc((size_t)members, sizeof(*t->fields));
    t->offsets = calloc((size_t)members, sizeof(*t->offsets));
    t->sizes = calloc((size_t)members, sizeof(*t->sizes));
    t->buffer = t->row_size < TEXT_MAX_BYTES / READ_ROWS ? malloc(t->row_size * READ_ROWS) : NULL;
    if (t->fields == NULL || t->offsets == NULL || t->sizes == NULL || t->buffer == NULL) {
        return pt_fail(error, PT_ERR_MEMORY, "no memory for a table");
    }
    t->field_count = (uint32_t)members;
    return read_fields(t, error);
}

static enum pt_status read_rows(struct table_in *t, uint64_t row, struct pt_error *error)
{
    hsize_t first = row, count = t->row_count - row;
    if (count > READ_ROWS) count = READ_ROWS;
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

static enum pt_status read_cell(struct table_in *t, uint64_t row, uint32_t field,
                                struct pt_cell *cell, struct pt_error *error)
{
    int64_t null;
    if (row >= t->row_count || field >= t->field_count) {
        return pt_fail(error, PT_ERR_ARGUMENT, "no such cell");
    }
    if (row < t->first || row >= t->first + t->count) PT_TRY(read_rows(t, row, error));
    const uint8_t *bytes = t->buffer + (row - t->first) * t->row_size + t->offsets[field];
    uint32_t size = t->sizes[field];
    *cell = (struct pt_cell){0};
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

/* ---- texts of the manifest ---- */

/* The fixed-length text of an attribute or scalar dataset, or a number as text; NULL if neither. */
static char *take_text(hid_t type, hid_t attr, hid_t dataset)
{
    uint64_t number = 0;
    size_t size = H5Tget_size(type);
    char *text = NULL;
    if (H5Tget_class(type) == H5T_INTEGER) {
        bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
        hid_t native = is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
        text = malloc(32);
        if (text == NULL || attr < 0 || H5Aread(attr, native, &number) < 0) goto failed;
        snprintf(text, 32, is_signed ? "%lld" : "%llu", (unsigned long long)number);
        return text;
    }
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size == 0 ||
        size > TEXT_MAX_BYTES) {
        return NULL;
    }
    text = calloc(size + 1, 1);
    if (text == NULL) return NULL;
    if (attr >= 0 && H5Aread(attr, type, text) < 0) goto failed;
    if (dataset >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        goto failed;
    }
    return text;
failed:
    free(text);
    return NULL;
}

static bool is_scalar(hid_t space)
{
    bool scalar = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) H5Sclose(space);
    return scalar;
}

static char *read_text(hid_t group, const char *name)
{
    char *text = NULL;
    if (H5Aexists(group, name) > 0) {
        hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
        hid_t type = attr < 0 ? -1 : H5Aget_type(attr);
        if (type >= 0 && is_scalar(H5Aget_space(attr))) text = take_text(type, attr, -1);
        if (type >= 0) H5Tclose(type);
        if (attr >= 0) H5Aclose(attr);
        return text;
    }
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return NULL;
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    if (type >= 0 && is_scalar(H5Dget_space(dataset))) text = take_text(type, -1, dataset);
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    return text;
}

/* "digest" in /manifest, "host/directory" in /manifest/host. */
static char *read_manifest_text(hid_t file, const char *name)
{
    bool host = strncmp(name, "host/", 5) == 0;
    if (H5Lexists(file, "manifest", H5P_DEFAULT) <= 0) return NULL;
    if (host && H5Lexists(file, "manifest/host", H5P_DEFAULT) <= 0) return NULL;
    hid_t group = H5Gopen2(file, host ? "manifest/host" : "manifest", H5P_DEFAULT);
    if (group < 0) return NULL;
    char *text = read_text(group, host ? name + 5 : name);
    H5Gclose(group);
    return text;
}

const char *pt_results_manifest_text(struct pt_results_reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->text_count; i++) {
        if (strcmp(reader->texts[i].name, name) == 0) return reader->texts[i].text;
    }
    struct manifest_text *texts = realloc(reader->texts, (reader->text_count + 1) * sizeof(*texts));
    char *copy = strdup(name);
    if (texts != NULL) reader->texts = texts;
    if (texts == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    texts[reader->text_count].name = copy;
    texts[reader->text_count].text = read_manifest_text(reader->file, name);
    return texts[reader->text_count++].text;
}

/* ---- the summary ---- */

static char *keep_name(struct pt_results_reader *reader, const char *text)
{
    /* names repeat from group to group */
    for (size_t i = 0; i < reader->name_count; i++) {
        if (strcmp(reader->names[i], text) == 0) return reader->names[i];
    }
    char **names = realloc(reader->names, (reader->name_count + 1) * sizeof(*names));
    if (names == NULL) return NULL;
    reader->names = names;
    char *copy = strdup(text);
    if (copy != NULL) reader->names[reader->name_count++] = copy;
    return copy;
}

static enum pt_status add_metric(struct pt_results_reader *reader, const char *dimension,
                                 const char *label, const struct pt_metric *metric,
                                 struct pt_error *error)
{
    struct pt_summary *s = reader->summary;
    struct pt_metric_group *last = s->group_count == 0 ? NULL : &s->groups[s->group_count - 1];
    if (last == NULL || strcmp(last->dimension, dimension) != 0 ||
        strcmp(last->label, label) != 0) {
        struct pt_metric_group *groups =
            realloc(s->groups, ((size_t)s->group_count + 1) * sizeof(*groups));
        if (groups == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
        s->groups = groups;
        last = &groups[s->group_count++];
        *last = (struct pt_metric_group){dimension, label, 0, NULL};
    }
    struct pt_metric *metrics = realloc(last->metrics, (last->count + 1) * sizeof(*metrics));
    if (metrics == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    last->metrics = metrics;
    metrics[last->count++] = *metric;
    return PT_OK;
}

/* dimension, label, metric, unit, value, count, is_count: as the writer lays them. */
static enum pt_status read_metric(struct pt_results_reader *reader, struct table_in *t,
                                  uint64_t row, struct pt_error *error)
{
    const char *texts[4];
    struct pt_metric metric = {0};
    struct pt_cell cell;
    for (uint32_t i = 0; i < 4; i++) {
        PT_TRY(read_cell(t, row, i, &cell, error));
        texts[i] = keep_name(reader, cell.text);
        if (texts[i] == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    }
    metric.name = texts[2];
    metric.unit = texts[3];
    PT_TRY(read_cell(t, row, 4, &cell, error));
    metric.value = cell.number;
    PT_TRY(read_cell(t, row, 5, &cell, error));
    metric.count = (uint64_t)cell.integer;
    PT_TRY(read_cell(t, row, 6, &cell, error));
    metric.is_count = cell.integer == 1;
    return add_metric(reader, texts[0], texts[1], &metric, error);
}

static enum pt_status read_summary(struct pt_results_reader *reader, struct pt_error *error)
{
    static const enum pt_field_type types[] = {PT_FIELD_TEXT, PT_FIELD_TEXT,   PT_FIELD_TEXT,
                                               PT_FIELD_TEXT, PT_FIELD_NUMBER, PT_FIELD_INT,
                                               PT_FIELD_BOOL};
    struct table_in t = {.dataset = -1, .type = -1};
    reader->summary = calloc(1, sizeof(*reader->summary));
    if (reader->summary == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    if (H5Lexists(reader->file, "summary", H5P_DEFAULT) <= 0 ||
        H5Lexists(reader->file, "summary/metrics", H5P_DEFAULT) <= 0) {
        return bad(error, "it has no /summary");
    }
    enum pt_status status = open_table(&t, reader->file, "summary/metrics", error);
    for (uint32_t i = 0; status == PT_OK && i < sizeof(types) / sizeof(types[0]); i++) {
        if (i >= t.field_count || t.fields[i].type != types[i]) {
            status = bad(error, "/summary/metrics has other columns");
        }
    }
    for (uint64_t row = 0; status == PT_OK && row < t.row_count; row++) {
        status = read_metric(reader, &t, row, error);
    }
    close_table(&t);
    return status;
}

const struct pt_summary *pt_results_summary(struct pt_results_reader *reader)
{
    return reader->summary;
}

/* ---- the whole ---- */

static enum pt_status check_version(hid_t file, struct pt_error *error)
{
    int64_t version = 0;
    if (H5Aexists(file, "schema_version") <= 0) {
        return bad(error, "it has no schema_version: another program's file?");
    }
    hid_t attr = H5Aopen(file, "schema_version", H5P_DEFAULT);
    bool read = attr >= 0 && H5Aread(attr, H5T_NATIVE_INT64, &version) >= 0;
    if (attr >= 0) H5Aclose(attr);
    if (!read || version < 1) return bad(error, "its schema_version can't be read");
    if (version > SCHEMA_VERSION_MAX) {
        return pt_fail(error, PT_ERR_INPUT,
                       "was written by a newer program (schema_version %lld, known up to %d)",
                       (long long)version, SCHEMA_VERSION_MAX);
    }
    return PT_OK;
}

static enum pt_status open_file(hid_t *file, const char *path, struct pt_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return pt_fail(error, PT_ERR_INPUT, "can't be opened: %s", strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) return pt_fail(error, PT_ERR_INPUT, "is not a regular file");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_locking(access, false, true) >= 0) {
        *file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    if (access >= 0) H5Pclose(access);
    return *file < 0 ? bad(error, "it is no HDF5 file, or a damaged one") : PT_OK;
}

enum pt_status pt_results_read(struct pt_results_reader **reader, const char *path,
                               struct pt_error *error)
{
    pt__h5_quiet();
    struct pt_results_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for a result");
    r->file = -1;
    r->jobs.dataset = r->jobs.type = -1;
    enum pt_status status = open_file(&r->file, path, error);
    if (status == PT_OK) status = check_version(r->file, error);
    if (status == PT_OK && H5Lexists(r->file, "jobs", H5P_DEFAULT) > 0) {
        status = open_table(&r->jobs, r->file, "jobs", error);
    }
    if (status == PT_OK) status = read_summary(r, error);
    if (status != PT_OK) {
        if (error != NULL) {
            snprintf(error->file, sizeof(error->file), "%.*s", PT_ERROR_FILE_MAX - 1, path);
        }
        pt_results_reader_free(r);
        return status;
    }
    *reader = r;
    return PT_OK;
}

void pt_results_reader_free(struct pt_results_reader *reader)
{
    if (reader == NULL) return;
    close_table(&reader->jobs);
    for (uint32_t i = 0; i < reader->text_count; i++) {
        free(reader->texts[i].name);
        free(reader->texts[i].text);
    }
    free(reader->texts);
    pt_summary_destroy(reader->summary);
    for (size_t i = 0; i < reader->name_count; i++)
        free(reader->names[i]);
    free(reader->names);
    if (reader->file >= 0) H5Fclose(reader->file);
    free(reader);
}

uint32_t pt_results_job_fields(struct pt_results_reader *reader, const struct pt_field **fields)
{
    *fields = reader->jobs.fields;
    return reader->jobs.field_count;
}

uint64_t pt_results_job_count(struct pt_results_reader *reader)
{
    return reader->jobs.row_count;
}

enum pt_status pt_results_job_cell(struct pt_results_reader *reader, uint64_t row, uint32_t field,
                                   struct pt_cell *cell, struct pt_error *error)
{
    return read_cell(&reader->jobs, row, field, cell, error);
}
