#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results/results.h"
#include "partita/number.h"
#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/outfile.h"

/* ---- cells ---- */

static void put_number(FILE *out, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    fwrite(text, 1, pt_format_double(text, value), out);
}

static void csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_cell(FILE *out, const struct pt_field *field, const struct pt_cell *cell)
{
    if (cell->absent) return;
    if (field->type == PT_FIELD_TEXT)
        csv_text(out, cell->text);
    else if (field->type == PT_FIELD_NUMBER)
        put_number(out, cell->number);
    else if (field->type == PT_FIELD_BOOL)
        fputs(cell->integer ? "true" : "false", out);
    else
        fprintf(out, "%" PRId64, cell->integer);
}

static void json_text(FILE *out, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "null", out);
    free(quoted);
    json_decref(string);
}

static void json_cell(FILE *out, const struct pt_field *field, const struct pt_cell *cell)
{
    if (cell->absent || (field->type == PT_FIELD_NUMBER && !isfinite(cell->number)))
        fputs("null", out);
    else if (field->type == PT_FIELD_TEXT)
        json_text(out, cell->text);
    else if (field->type == PT_FIELD_NUMBER)
        put_number(out, cell->number);
    else if (field->type == PT_FIELD_BOOL)
        fputs(cell->integer ? "true" : "false", out);
    else
        fprintf(out, "%" PRId64, cell->integer);
}

/* ---- formats ---- */

static enum pt_status write_csv(FILE *out, struct pt_results_reader *reader, struct pt_error *error)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields);
    uint64_t rows = pt_results_job_count(reader);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", fields[i].name);
    fputc('\n', out);
    for (uint64_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < count; i++) {
            struct pt_cell cell;
            PT_TRY(pt_results_job_cell(reader, row, i, &cell, error));
            if (i) fputc(',', out);
            csv_cell(out, &fields[i], &cell);
        }
        fputc('\n', out);
    }
    return PT_OK;
}

static void write_summary(FILE *out, const struct pt_summary *summary)
{
    fputs("\"summary\": [", out);
    for (uint32_t g = 0; summary && g < summary->group_count; g++) {
        const struct pt_metric_group *group = &summary->groups[g];
        fprintf(out, "%s\n  {\"dimension\": ", g ? "," : "");
        json_text(out, group->dimension);
        fputs(", \"label\": ", out);
        json_text(out, group->label);
        for (uint32_t i = 0; i < group->count; i++) {
            fputs(", ", out);
            json_text(out, group->metrics[i].name);
            fputs(": ", out);
            struct pt_field number = {.type = PT_FIELD_NUMBER};
            struct pt_cell cell = {.number = group->metrics[i].value};
            json_cell(out, &number, &cell);
        }
        fputc('}', out);
    }
    fputs("\n ]", out);
}

static void write_manifest(FILE *out, struct pt_results_reader *reader)
{
    static const char *const names[] = {"version", "digest", "effective_yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = pt_results_manifest_text(reader, names[i]);
        fprintf(out, " \"%s\": ", names[i]);
        if (text)
            json_text(out, text);
        else
            fputs("null", out);
        fputs(",\n", out);
    }
}

static enum pt_status write_json(FILE *out, struct pt_results_reader *reader,
                                 struct pt_error *error)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields);
    uint64_t rows = pt_results_job_count(reader);
    fputs("{\n", out);
    write_manifest(out, reader);
    fputc(' ', out);
    write_summary(out, pt_results_summary(reader));
    fputs(",\n \"jobs\": [", out);
    for (uint64_t row = 0; row < rows; row++) {
        fprintf(out, "%s\n  {", row ? "," : "");
        for (uint32_t i = 0; i < count; i++) {
            struct pt_cell cell;
            PT_TRY(pt_results_job_cell(reader, row, i, &cell, error));
            fprintf(out, "%s\"%s\": ", i ? ", " : "", fields[i].name);
            json_cell(out, &fields[i], &cell);
        }
        fputc('}', out);
    }
    fputs("\n ]\n}\n", out);
    return PT_OK;
}

/* ---- the command ---- */

static enum pt_status export(const struct pt__args *args, struct pt_error *error) {
    const char *format = pt__args_value(args, "format"); struct pt_results_reader *reader = NULL;
    struct pt_outfile output;
    if (!format) return pt_fail(error, PT_ERR_INPUT, "--format is missing: csv or json");
    PT_TRY(pt_results_read(&reader, args->operands[0], error));
    enum pt_status status = pt_outfile_open(&output, pt__args_value(args, "out"), error);
    if (status == PT_OK){status = strcmp(format, "csv") == 0
                                      ? write_csv(output.stream, reader, error)
                                      : write_json(output.stream, reader, error);
                         if (status == PT_OK) status = pt_outfile_close(&output, false, error);
                         else pt_outfile_abandon(&output);}
pt_results_reader_free(reader);
return status;
}

static int run(const struct pt__args *args)
{
    struct pt__terminal terminal;
    struct pt_error error = {.status = PT_OK};
    pt__terminal_init(&terminal, args);
    if (export(args, &error) != PT_OK) return pt__complain(&terminal, &error);
    return pt__finish_stdout(&terminal, 0);
}

static const char *const format_words[] = {"csv", "json", NULL};

static const struct pt__option options[] = {
    {"format", 'f', "FORMAT", format_words, false, PT__COMPLETES_CHOICE,
     "csv (the job table) or json (summary and jobs); required"},
    {"out", 'o', "FILE", NULL, false, PT__COMPLETES_FILE, "write here instead of to stdout"},
    {0}};

const struct pt__command pt__command_export = {
    .name = "export",
    .operands = "RESULT.h5",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "write a result as CSV or JSON",
    .details = "csv is the table /jobs with the same names, a row a job in trace order; what does "
               "not exist (the start of a job that never ran) is empty. json holds the experiment, "
               "the summary and the jobs; what does not exist is null.",
    .options = options,
    .example = "partita export out.h5 --format csv --out jobs.csv",
    .example_says = "makes a table for a spreadsheet",
    .run = run};
