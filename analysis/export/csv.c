#include <stdlib.h>

#include "analysis/export/export.h"
#include "analysis/export/writer.h"

static void write_quoted(struct pt__writer *w, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        pt__write_text(w, text);
        return;
    }
    pt__write(w, "\"", 1);
    for (; *text != '\0'; text++)
        pt__write(w, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    pt__write(w, "\"", 1);
}

static void write_cell(struct pt__writer *w, enum pt_field_type type, const struct pt_cell *cell)
{
    if (cell->absent) return;
    switch (type) {
    case PT_FIELD_TEXT:
        write_quoted(w, cell->text);
        break;
    case PT_FIELD_NUMBER:
        pt__write_number(w, cell->number);
        break;
    case PT_FIELD_BOOL:
        pt__write_text(w, cell->integer != 0 ? "true" : "false");
        break;
    case PT_FIELD_INT:
        pt__write_int(w, cell->integer);
        break;
    }
}

static enum pt_status write_rows(struct pt__writer *w, struct pt_results_reader *reader,
                                 struct pt_error *error)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields);
    uint64_t rows = pt_results_job_count(reader);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) pt__write(w, ",", 1);
        write_quoted(w, fields[i].name);
    }
    pt__write(w, "\n", 1);
    for (uint64_t row = 0; row < rows && !w->failed; row++) {
        for (uint32_t i = 0; i < count; i++) {
            struct pt_cell cell;
            PT_TRY(pt_results_job_cell(reader, row, i, &cell, error));
            if (i > 0) pt__write(w, ",", 1);
            write_cell(w, fields[i].type, &cell);
        }
        pt__write(w, "\n", 1);
    }
    return PT_OK;
}

enum pt_status pt_export_csv(FILE *out, struct pt_results_reader *reader, struct pt_error *error)
{
    const struct pt_field *fields;
    if (pt_results_job_fields(reader, &fields) == 0) {
        return pt_fail(error, PT_ERR_INPUT, "has no job table (it was written with jobs: false)");
    }
    struct pt__writer *w = malloc(sizeof(*w));
    if (w == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for an export");
    pt__writer_init(w, out);
    enum pt_status status = write_rows(w, reader, error);
    if (status == PT_OK) status = pt__writer_finish(w, error);
    free(w);
    return status;
}
