/* The distributions of the summary: which jobs count, and what is measured of each. */
#ifndef PT_STATS_DISTRIBUTIONS_H
#define PT_STATS_DISTRIBUTIONS_H

#include "analysis/stats/metrics.h"

/* Adds every distribution whose inputs exist to the group, in table order: PT_METRIC_jct up to
 * PT_METRIC_finish_time_fairness, or PT_METRIC_tardiness alone. The jobs are `jobs[0..count)`
 * (ascending), or 0..count-1 when `jobs` is NULL; `scratch` has room for `count` numbers. Means of
 * times are exact and those of ratios compensated, so both are independent of the order to the last
 * digits. `tenants`, how many have jobs, is what finish-time fairness divides by (Mahajan et al.,
 * NSDI 2020: T_shared / T_isolated, T_isolated = ideal x tenants). O(count). */
void pt__distributions_add(struct pt_metric_group *group, const struct pt_summary_input *input,
                           const pt_job *jobs, size_t count, uint32_t tenants, double *scratch);
void pt__tardiness_add(struct pt_metric_group *group, const struct pt_summary_input *input,
                       const pt_job *jobs, size_t count, double *scratch);

#endif
