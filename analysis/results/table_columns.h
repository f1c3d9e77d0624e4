/* Tables and series of a result as arrays, a column at a time, for whoever draws or counts. */
#ifndef PT_RESULTS_TABLE_COLUMNS_H
#define PT_RESULTS_TABLE_COLUMNS_H

#include "analysis/results/results.h"

/* A dataset of numbers below /series: "time_s", "utilization", "pool/main/allocation". The caller
 * frees *values. Without such a dataset *values is NULL and *count 0: the result kept no series. */
PT_USE_RESULT enum pt_status pt_results_series(double **values, size_t *count,
                                               struct pt_results_reader *reader, const char *name,
                                               struct pt_error *error);

/* A row of /intervals: which job (its row in /jobs) held which GPU (its row in /gpus). */
struct pt_interval {
    uint32_t job, gpu;
    double start_s, end_s;
};
/* All of them, in the order in which they ended; *list is NULL where the result kept none
 * (output.events). The caller frees it. */
PT_USE_RESULT enum pt_status pt_results_intervals(struct pt_interval **list, size_t *count,
                                                  struct pt_results_reader *reader,
                                                  struct pt_error *error);

/* The node of each GPU ("main-0"), a text a row of /gpus. The caller frees the list and each text.
 */
PT_USE_RESULT enum pt_status pt_results_gpu_nodes(char ***nodes, size_t *count,
                                                  struct pt_results_reader *reader,
                                                  struct pt_error *error);

#endif
