#include "traces/format.h"

#include "traces/readers.h"

struct reading {
    const struct pt__format *format;
    void *ctx;
    struct pt_trace *trace;
    struct pt__csv csv;
    uint32_t places[PT_FORMAT_CELLS_MAX], count;
    uint64_t file_row;
};

static enum pt_status fill_row(struct reading *reading, pt_job row, const struct pt__cell *cells,
                               const struct pt__record *record, struct pt_error *error)
{
    const struct pt__format *format = reading->format;
    uint32_t bad = 0;
    enum pt_column_id column = PT_COLUMN_COUNT_;
    /* An empty cell means a default in native traces alone. */
    for (uint32_t n = 0; n < reading->count; n++)
        if (cells[n].length == 0)
            return pt_fail_at(error, PT_ERR_INPUT, reading->csv.file, cells[n].line,
                              cells[n].column, "%s is empty", format->names[n]);
    enum pt_status status = format->take(reading->trace, &bad, row, cells, reading->ctx, error);
    if (status == PT_OK) {
        status = pt_trace_check_row(reading->trace, row, &column, error);
        bad = column == PT_COL_SUBMIT ? format->submit : format->work;
    }
    if (status != PT_OK) return pt__csv_at_cell(error, &reading->csv, &cells[bad]);
    if (!format->has_ids)
        PT_TRY(pt__keep_row_number(reading->trace, row, reading->file_row, error));
    return pt_trace_mark_line(reading->trace, row, record->line, error);
}

/* Adds a row to the trace, or leaves the trace as it was and fails. */
static enum pt_status add_row(struct reading *reading, const struct pt__record *record,
                              struct pt_error *error)
{
    struct pt__cell in_file[PT_FORMAT_CELLS_MAX], cells[PT_FORMAT_CELLS_MAX];
    PT_TRY(pt__csv_split_row(in_file, reading->count, &reading->csv, record, error));
    for (uint32_t n = 0; n < reading->count; n++)
        cells[n] = in_file[reading->places[n]];
    pt_job row = PT_NONE;
    PT_TRY(pt_trace_add(reading->trace, &row, error));
    enum pt_status status = fill_row(reading, row, cells, record, error);
    if (status != PT_OK) pt_trace_drop_last(reading->trace);
    return status;
}

static enum pt_status read_rows(struct reading *reading, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    PT_TRY(pt__csv_header(reading->places, &reading->csv, reading->format->names, error));
    while (report->accepted < request->limit) {
        struct pt__record record;
        PT_TRY(pt__read_goes_on(request, error));
        PT_TRY(pt__csv_next(&reading->csv, &record, error));
        if (record.text == NULL) break;
        report->rows++;
        if (add_row(reading, &record, error) == PT_OK)
            report->accepted++;
        else
            PT_TRY(pt__bad_row(report, request, error));
        reading->file_row++;
    }
    return PT_OK;
}

enum pt_status pt__format_read(struct pt_trace *trace, struct pt_read_report *report,
                               const struct pt_read_request *request,
                               const struct pt__format *format, void *ctx, struct pt_error *error)
{
    struct pt_error detail;
    if (error == NULL) error = &detail; /* bad rows are reported all the same */
    struct reading reading = {.format = format, .ctx = ctx, .trace = trace};
    while (format->names[reading.count] != NULL)
        reading.count++;
    *report = (struct pt_read_report){0};
    PT_TRY(pt__csv_open(&reading.csv, request->path, error));
    enum pt_status status = read_rows(&reading, report, request, error);
    report->bytes = reading.csv.bytes;
    pt__csv_close(&reading.csv);
    return status;
}
