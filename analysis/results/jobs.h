/* /jobs: a row per job, in trace order. */
#ifndef PT_RESULTS_JOBS_H
#define PT_RESULTS_JOBS_H

#include "analysis/results/table.h"
#include "analysis/stats/summary.h"

/* Writes the whole table: the columns that every result has, then what else the trace gave (its
 * column `pool` as `pool_asked`, since `pool` is where the job ran). A text column whose longest
 * value is beyond 1,024 bytes is left out, and the attribute `left_out` names it: every row would
 * be so wide. */
PT_USE_RESULT enum pt_status pt__jobs_write(hid_t file, const struct pt_summary_input *input,
                                            int compression, struct pt_error *error);

#endif
