/* CSV formats of other people: a fixed set of columns, each row turned into one job. */
#ifndef PT_TRACES_FORMAT_H
#define PT_TRACES_FORMAT_H

#include "partita/reader.h"
#include "traces/csv.h"

#define PT_FORMAT_CELLS_MAX 16

struct pt__format {
    const char *const *names; /* of the columns, NULL-terminated; in any order in the file */
    bool has_ids;             /* false: jobs are named by their row */
    uint32_t submit, work;    /* which of the names give submit_s and work_s */
    /* Fills the cells of `row`; cells[n] belongs to names[n]. On an error *bad = the one at fault.
     */
    enum pt_status (*take)(struct pt_trace *trace, uint32_t *bad, pt_job row,
                           const struct pt__cell *cells, void *ctx, struct pt_error *error);
};

/* Reads request->path. */
PT_USE_RESULT enum pt_status pt__format_read(struct pt_trace *trace, struct pt_read_report *report,
                                             const struct pt_read_request *request,
                                             const struct pt__format *format, void *ctx,
                                             struct pt_error *error);

#endif
