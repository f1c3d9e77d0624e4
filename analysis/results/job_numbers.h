/* A column of /jobs as an array of numbers. */
#ifndef PT_RESULTS_JOB_NUMBERS_H
#define PT_RESULTS_JOB_NUMBERS_H

#include "analysis/results/results.h"

/* The column `name` of all jobs, in their order, NaN where there is none; of `state` not NULL only
 * jobs in that state count, others are NaN. The caller frees *values (NULL for no jobs).
 * PT_ERR_INPUT when the result has no such table or column, or it is no number. */
PT_USE_RESULT enum pt_status pt_results_job_numbers(double **values, uint64_t *count,
                                                    struct pt_results_reader *reader,
                                                    const char *name, const char *state,
                                                    struct pt_error *error);

#endif
