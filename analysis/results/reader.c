/* A result file read back, for rerun and export. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/results/guard.h"
#include "analysis/results/table_reader.h"

#define SCHEMA_VERSION_MAX 1
#define TEXT_MAX_BYTES (1u << 30)

struct manifest_text {
    char *name, *text; /* NULL text: looked for and not there */
};

struct pt_results_reader {
    char path[PT_ERROR_FILE_MAX]; /* cut to what a message holds */
    hid_t file;
    struct pt__table_in jobs; /* dataset < 0: the result has none */
    struct manifest_text *texts;
    uint32_t text_count;
    struct pt_summary *summary;
    char **names; /* owned by the summary's groups */
    size_t name_count;
};

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

static char *read_text(hid_t group, const char *name)
{
    char *text = NULL;
    if (H5Aexists(group, name) > 0) {
        hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
        hid_t type = attr < 0 ? -1 : H5Aget_type(attr);
        if (type >= 0 && pt__guard_is_scalar(H5Aget_space(attr))) text = take_text(type, attr, -1);
        if (type >= 0) H5Tclose(type);
        if (attr >= 0) H5Aclose(attr);
        return text;
    }
    hid_t dataset = pt__guard_open(group, name);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    if (type >= 0 && pt__guard_is_scalar(H5Dget_space(dataset)))
        text = take_text(type, -1, dataset);
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    return text;
}

/* "digest" in /manifest, "host/directory" in /manifest/host. */
static char *read_manifest_text(hid_t file, const char *name)
{
    bool host = strncmp(name, "host/", 5) == 0;
    if (!pt__guard_exists(file, host ? "manifest/host" : "manifest")) return NULL;
    hid_t group = H5Gopen2(file, host ? "manifest/host" : "manifest", H5P_DEFAULT);
    if (group < 0) return NULL;
    char *text = read_text(group, host ? name + 5 : name);
    H5Gclose(group);
    return text;
}

/* The row of /manifest/inputs that has this path: its digest. */
static char *read_input_digest(hid_t file, const char *path)
{
    struct pt__table_in t = PT__NO_TABLE;
    struct pt_cell cell;
    char *digest = NULL;
    if (!pt__guard_exists(file, "manifest/inputs")) return NULL;
    enum pt_status status = pt__table_in_open(&t, file, "manifest/inputs", NULL);
    bool fits = status == PT_OK && t.field_count == 2 && t.fields[0].type == PT_FIELD_TEXT &&
                t.fields[1].type == PT_FIELD_TEXT;
    for (uint64_t row = 0; fits && digest == NULL && row < t.row_count; row++) {
        fits = pt__table_in_cell(&t, row, 0, &cell, NULL) == PT_OK;
        if (!fits || cell.text == NULL || strcmp(cell.text, path) != 0) continue;
        fits = pt__table_in_cell(&t, row, 1, &cell, NULL) == PT_OK;
        if (fits && cell.text != NULL) digest = strdup(cell.text);
    }
    pt__table_in_close(&t);
    return digest;
}

/* What was looked up before, or else what `read` finds. */
static const char *look_up(struct pt_results_reader *reader, const char *key, const char *name,
                           char *(*read)(hid_t file, const char *name))
{
    for (uint32_t i = 0; i < reader->text_count; i++) {
        if (strcmp(reader->texts[i].name, key) == 0) return reader->texts[i].text;
    }
    struct manifest_text *texts = realloc(reader->texts, (reader->text_count + 1) * sizeof(*texts));
    char *copy = strdup(key);
    if (texts != NULL) reader->texts = texts;
    if (texts == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    texts[reader->text_count].name = copy;
    texts[reader->text_count].text = read(reader->file, name);
    return texts[reader->text_count++].text;
}

const char *pt_results_manifest_text(struct pt_results_reader *reader, const char *name)
{
    return look_up(reader, name, name, read_manifest_text);
}

const char *pt_results_input_digest(struct pt_results_reader *reader, const char *path)
{
    static const char prefix[] = "inputs/"; /* no name of a text begins so */
    size_t room = sizeof prefix + strlen(path);
    char *key = malloc(room);
    if (key == NULL) return NULL;
    snprintf(key, room, "%s%s", prefix, path);
    const char *digest = look_up(reader, key, path, read_input_digest);
    free(key);
    return digest;
}

/* ---- the summary ---- */

/* `fresh`: a label, which no other group of its dimension has: not looked for among thousands. */
static const char *keep_name(struct pt_results_reader *reader, const char *text, bool fresh)
{
    const struct pt_summary *s = reader->summary;
    if (s->group_count > 0) { /* the rows of a group follow each other */
        const struct pt_metric_group *last = &s->groups[s->group_count - 1];
        if (strcmp(last->label, text) == 0) return last->label;
    }
    /* names of metrics repeat from group to group, and come first */
    for (size_t i = 0; i < reader->name_count && !fresh; i++) {
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
static enum pt_status read_metric(struct pt_results_reader *reader, struct pt__table_in *t,
                                  uint64_t row, struct pt_error *error)
{
    const char *texts[4];
    struct pt_metric metric = {0};
    struct pt_cell cell;
    for (uint32_t i = 0; i < 4; i++) {
        PT_TRY(pt__table_in_cell(t, row, i, &cell, error));
        texts[i] = keep_name(reader, cell.text, i == 1);
        if (texts[i] == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    }
    metric.name = texts[2];
    metric.unit = texts[3];
    PT_TRY(pt__table_in_cell(t, row, 4, &cell, error));
    metric.value = cell.number;
    PT_TRY(pt__table_in_cell(t, row, 5, &cell, error));
    metric.count = (uint64_t)cell.integer;
    PT_TRY(pt__table_in_cell(t, row, 6, &cell, error));
    metric.is_count = cell.integer == 1;
    return add_metric(reader, texts[0], texts[1], &metric, error);
}

static enum pt_status read_summary(struct pt_results_reader *reader, struct pt_error *error)
{
    static const enum pt_field_type types[] = {PT_FIELD_TEXT, PT_FIELD_TEXT,   PT_FIELD_TEXT,
                                               PT_FIELD_TEXT, PT_FIELD_NUMBER, PT_FIELD_INT,
                                               PT_FIELD_BOOL};
    struct pt__table_in t = PT__NO_TABLE;
    reader->summary = calloc(1, sizeof(*reader->summary));
    if (reader->summary == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the summary");
    if (!pt__guard_exists(reader->file, "summary/metrics")) {
        return pt__bad_file(error, "it has no /summary");
    }
    enum pt_status status = pt__table_in_open(&t, reader->file, "summary/metrics", error);
    for (uint32_t i = 0; status == PT_OK && i < sizeof(types) / sizeof(types[0]); i++) {
        if (i >= t.field_count || t.fields[i].type != types[i]) {
            status = pt__bad_file(error, "/summary/metrics has other columns");
        }
    }
    for (uint64_t row = 0; status == PT_OK && row < t.row_count; row++) {
        status = read_metric(reader, &t, row, error);
    }
    pt__table_in_close(&t);
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
        return pt__bad_file(error, "it has no schema_version: another program's file?");
    }
    hid_t attr = H5Aopen(file, "schema_version", H5P_DEFAULT);
    hid_t type = attr < 0 ? -1 : H5Aget_type(attr);
    bool read = type >= 0 && H5Tget_class(type) == H5T_INTEGER &&
                pt__guard_is_scalar(H5Aget_space(attr)) &&
                H5Aread(attr, H5T_NATIVE_INT64, &version) >= 0;
    if (type >= 0) H5Tclose(type);
    if (attr >= 0) H5Aclose(attr);
    if (!read || version < 1) return pt__bad_file(error, "its schema_version can't be read");
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
    return *file < 0 ? pt__bad_file(error, "it is no HDF5 file, or a damaged one") : PT_OK;
}

enum pt_status pt_results_read(struct pt_results_reader **reader, const char *path,
                               struct pt_error *error)
{
    pt__h5_quiet();
    struct pt_results_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for a result");
    r->file = -1;
    r->jobs = PT__NO_TABLE;
    snprintf(r->path, sizeof(r->path), "%s", path);
    enum pt_status status = open_file(&r->file, path, error);
    if (status == PT_OK) status = check_version(r->file, error);
    if (status == PT_OK && H5Lexists(r->file, "jobs", H5P_DEFAULT) > 0) { /* else none were kept */
        status = pt__table_in_open(&r->jobs, r->file, "jobs", error);
    }
    if (status == PT_OK) status = read_summary(r, error);
    if (status != PT_OK) {
        status = pt__of_file(r, status, error);
        pt_results_reader_free(r);
        return status;
    }
    *reader = r;
    return PT_OK;
}

void pt_results_reader_shut(struct pt_results_reader *reader)
{
    pt__table_in_close(&reader->jobs);
    reader->jobs = PT__NO_TABLE;
    if (reader->file >= 0) H5Fclose(reader->file);
    reader->file = -1;
}

void pt_results_reader_free(struct pt_results_reader *reader)
{
    if (reader == NULL) return;
    pt_results_reader_shut(reader);
    for (uint32_t i = 0; i < reader->text_count; i++) {
        free(reader->texts[i].name);
        free(reader->texts[i].text);
    }
    free(reader->texts);
    pt_summary_destroy(reader->summary);
    for (size_t i = 0; i < reader->name_count; i++)
        free(reader->names[i]);
    free(reader->names);
    free(reader);
}

enum pt_status pt__of_file(const struct pt_results_reader *reader, enum pt_status status,
                           struct pt_error *error)
{
    if (status != PT_OK && status != PT_ERR_MEMORY && error != NULL && error->file[0] == '\0')
        memcpy(error->file, reader->path, sizeof(error->file));
    return status;
}

hid_t pt__results_file(const struct pt_results_reader *reader)
{
    return reader->file;
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
    return pt__of_file(reader, pt__table_in_cell(&reader->jobs, row, field, cell, error), error);
}
