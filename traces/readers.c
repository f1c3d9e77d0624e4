#include "traces/readers.h"

#include <inttypes.h>
#include <stdio.h>

const struct pt_param pt__no_params[] = {{0}};

enum pt_status pt__bad_row(struct pt_read_report *report, const struct pt_read_request *request,
                           const struct pt_error *error)
{
    if (error->status != PT_ERR_INPUT) return error->status;
    report->bad_rows++;
    if (request->bad != NULL) request->bad(request->ctx, error);
    return request->skip_bad_rows ? PT_OK : error->status;
}

enum pt_status pt__keep_row_number(struct pt_trace *trace, pt_job row, uint64_t file_row,
                                   struct pt_error *error)
{
    if (file_row == row) return PT_OK;
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, file_row);
    return pt_trace_set(trace, row, PT_COL_ID, text, (size_t)length, error);
}

enum pt_status pt__read_goes_on(const struct pt_read_request *request, struct pt_error *error)
{
    if (!pt_interrupted(request->interrupt)) return PT_OK;
    return pt_fail(error, PT_ERR_INTERRUPTED, "interrupted while the trace was read");
}
