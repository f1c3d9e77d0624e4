#include <string.h>

#include "analysis/export/export.h"
#include "sim/cli/commands.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/outfile.h"

static enum pt_status write_as(const char *format, FILE *stream, struct pt_results_reader *reader,
                               struct pt_error *error)
{
    return strcmp(format, "csv") == 0 ? pt_export_csv(stream, reader, error)
                                      : pt_export_json(stream, reader, error);
}

static enum pt_status convert(const struct pt__args *args, struct pt_error *error)
{
    const char *format = pt__args_value(args, "format"), *out = pt__args_value(args, "out");
    struct pt_results_reader *reader = NULL;
    struct pt_outfile output;
    if (!format) return pt_fail(error, PT_ERR_INPUT, "--format is missing: csv or json");
    PT_TRY(pt_results_read(&reader, args->operands[0], error));
    enum pt_status status = pt_outfile_spares(out, args->operands[0], error);
    if (status == PT_OK) status = pt_outfile_open(&output, out, error);
    if (status != PT_OK) goto out;
    pt__interrupt_removes(output.temporary);
    status = write_as(format, output.stream, reader, error);
    if (status == PT_ERR_IO && out && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", out);
    if (status == PT_OK)
        status = pt_outfile_close(&output, false, error);
    else
        pt_outfile_abandon(&output);
out:
    pt_results_reader_free(reader);
    return status;
}

static int run(const struct pt__args *args)
{
    struct pt__terminal terminal;
    struct pt_error error = {.status = PT_OK};
    pt__terminal_init(&terminal, args);
    if (convert(args, &error) != PT_OK) return pt__complain(&terminal, &error);
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
