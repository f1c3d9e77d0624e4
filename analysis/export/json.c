#include <math.h>
#include <stdlib.h>

#include "analysis/export/export.h"
#include "analysis/export/writer.h"

/* Length of the UTF-8 character at the start of `text`; 0 if it is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80                       ? 1
                    : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                    : text[0] >= 0xe0 && text[0] <= 0xef ? 3
                    : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    if (text[0] == 0xe0 && text[1] < 0xa0) return 0; /* overlong */
    if (text[0] == 0xed && text[1] > 0x9f) return 0; /* surrogate */
    if (text[0] == 0xf0 && text[1] < 0x90) return 0;
    if (text[0] == 0xf4 && text[1] > 0x8f) return 0;
    return length;
}

/* Bytes that are no UTF-8 become U+FFFD, so that the file is JSON whatever the trace held. */
static void write_string(struct pt__writer *w, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    char escape[8];
    pt__write(w, "\"", 1);
    while (*at != '\0') {
        size_t plain = 0;
        while (at[plain] >= 0x20 && at[plain] < 0x80 && at[plain] != '"' && at[plain] != '\\')
            plain++;
        pt__write(w, (const char *)at, plain);
        at += plain;
        if (*at == '\0') break;
        size_t length = utf8_length(at);
        if (length == 0) {
            pt__write_text(w, "\xef\xbf\xbd");
            at++;
            continue;
        }
        if (*at == '"' || *at == '\\') {
            pt__write(w, "\\", 1);
            pt__write(w, (const char *)at, 1);
        } else if (*at == '\n') {
            pt__write(w, "\\n", 2);
        } else if (*at < 0x20) {
            snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)*at);
            pt__write_text(w, escape);
        } else {
            pt__write(w, (const char *)at, length);
        }
        at += length;
    }
    pt__write(w, "\"", 1);
}

static void write_number(struct pt__writer *w, double value)
{
    if (isnan(value)) {
        pt__write_text(w, "null");
    } else if (isinf(value)) {
        pt__write_text(w, value > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        pt__write_number(w, value);
    }
}

static void write_cell(struct pt__writer *w, enum pt_field_type type, const struct pt_cell *cell)
{
    if (cell->absent) {
        pt__write_text(w, "null");
        return;
    }
    switch (type) {
    case PT_FIELD_TEXT:
        write_string(w, cell->text);
        break;
    case PT_FIELD_NUMBER:
        write_number(w, cell->number);
        break;
    case PT_FIELD_BOOL:
        pt__write_text(w, cell->integer != 0 ? "true" : "false");
        break;
    case PT_FIELD_INT:
        pt__write_int(w, cell->integer);
        break;
    }
}

static void write_manifest(struct pt__writer *w, struct pt_results_reader *reader)
{
    static const char *const names[] = {"version", "digest", "effective_yaml"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = pt_results_manifest_text(reader, names[i]);
        pt__write(w, " ", 1);
        write_string(w, names[i]);
        pt__write(w, ": ", 2);
        if (text == NULL) {
            pt__write_text(w, "null");
        } else {
            write_string(w, text);
        }
        pt__write(w, ",\n", 2);
    }
}

static void write_summary(struct pt__writer *w, const struct pt_summary *summary)
{
    pt__write_text(w, " \"summary\": [");
    for (uint32_t g = 0; g < summary->group_count; g++) {
        const struct pt_metric_group *group = &summary->groups[g];
        pt__write_text(w, g > 0 ? ",\n  {\"dimension\": " : "\n  {\"dimension\": ");
        write_string(w, group->dimension);
        pt__write_text(w, ", \"label\": ");
        write_string(w, group->label);
        for (uint32_t i = 0; i < group->count; i++) {
            pt__write(w, ", ", 2);
            write_string(w, group->metrics[i].name);
            pt__write(w, ": ", 2);
            write_number(w, group->metrics[i].value);
        }
        pt__write(w, "}", 1);
    }
    pt__write_text(w, "\n ],\n");
}

/* Names are quoted once, into `keys`. */
static enum pt_status write_rows(struct pt__writer *w, struct pt_results_reader *reader,
                                 const struct pt_field *fields, uint32_t count, char *const *keys,
                                 struct pt_error *error)
{
    uint64_t rows = pt_results_job_count(reader);
    for (uint64_t row = 0; row < rows && !w->failed; row++) {
        pt__write_text(w, row > 0 ? ",\n  {" : "\n  {");
        for (uint32_t i = 0; i < count; i++) {
            struct pt_cell cell;
            PT_TRY(pt_results_job_cell(reader, row, i, &cell, error));
            pt__write_text(w, keys[i]);
            write_cell(w, fields[i].type, &cell);
        }
        pt__write(w, "}", 1);
    }
    return PT_OK;
}

/* "name": with a comma before all but the first. Names are words of the trace's and our own. */
static char *make_key(const char *name, bool first)
{
    size_t room = strlen(name) + 8;
    char *key = malloc(room);
    if (key != NULL) snprintf(key, room, "%s\"%s\": ", first ? "" : ", ", name);
    return key;
}

static enum pt_status write_jobs(struct pt__writer *w, struct pt_results_reader *reader,
                                 struct pt_error *error)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields);
    enum pt_status status = PT_OK;
    char **keys = calloc((size_t)count + 1, sizeof(*keys));
    for (uint32_t i = 0; keys != NULL && i < count; i++) {
        keys[i] = make_key(fields[i].name, i == 0);
        if (keys[i] == NULL) status = pt_fail(error, PT_ERR_MEMORY, "no memory for an export");
    }
    if (keys == NULL) status = pt_fail(error, PT_ERR_MEMORY, "no memory for an export");
    pt__write_text(w, " \"jobs\": [");
    if (status == PT_OK) status = write_rows(w, reader, fields, count, keys, error);
    pt__write_text(w, "\n ]\n");
    for (uint32_t i = 0; keys != NULL && i < count; i++)
        free(keys[i]);
    free(keys);
    return status;
}

enum pt_status pt_export_json(FILE *out, struct pt_results_reader *reader, struct pt_error *error)
{
    struct pt__writer *w = malloc(sizeof(*w));
    if (w == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for an export");
    pt__writer_init(w, out);
    pt__write(w, "{\n", 2);
    write_manifest(w, reader);
    write_summary(w, pt_results_summary(reader));
    enum pt_status status = write_jobs(w, reader, error);
    pt__write(w, "}\n", 2);
    if (status == PT_OK) status = pt__writer_finish(w, error);
    free(w);
    return status;
}
