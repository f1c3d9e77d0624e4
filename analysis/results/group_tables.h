/* What the summary says, as attributes and tables: /summary, /tenants, /pools, /gpus. */
#ifndef PT_RESULTS_GROUP_TABLES_H
#define PT_RESULTS_GROUP_TABLES_H

#include "analysis/results/table.h"
#include "analysis/stats/summary.h"

/* /summary: the metrics of all jobs as attributes by name (NaN ones with NAME.count = 0), and the
 * table /summary/metrics with those of every group. */
PT_USE_RESULT enum pt_status pt__summary_write(hid_t file, const struct pt_summary *summary,
                                               struct pt_error *error);
/* A row per tenant, pool and GPU: what they are, then the metrics of their jobs. */
PT_USE_RESULT enum pt_status pt__tenants_write(hid_t file, const struct pt_summary_input *input,
                                               const struct pt_summary *summary,
                                               struct pt_error *error);
PT_USE_RESULT enum pt_status pt__pools_write(hid_t file, const struct pt_summary_input *input,
                                             const struct pt_summary *summary,
                                             struct pt_error *error);
PT_USE_RESULT enum pt_status pt__gpus_write(hid_t file, const struct pt_cluster *cluster,
                                            struct pt_error *error);

#endif
