/* /verdicts: why pending jobs did not start, from when on; a row whenever a job's reason changed.
 */
#ifndef PT_RESULTS_VERDICTS_H
#define PT_RESULTS_VERDICTS_H

#include "analysis/results/table.h"
#include "partita/trace.h"

struct pt__verdicts;

/* `trace` is borrowed until close: its ids stand in the table. O(jobs). */
PT_USE_RESULT enum pt_status pt__verdicts_create(struct pt__verdicts **verdicts, hid_t file,
                                                 const struct pt_trace *trace, int compression,
                                                 struct pt_error *error);
/* O(1). */
PT_USE_RESULT enum pt_status pt__verdicts_add(struct pt__verdicts *verdicts, int64_t time_ns,
                                              pt_job job, enum pt_reason reason,
                                              struct pt_error *error);
/* Frees either way. */
PT_USE_RESULT enum pt_status pt__verdicts_close(struct pt__verdicts *verdicts,
                                                struct pt_error *error);
/* NULL is allowed. */
void pt__verdicts_abandon(struct pt__verdicts *verdicts);

#endif
