/* Energy and money of a run (semantics.md, section 7): what GPUs cost for the time they are there,
 * and who of that time held what. Charges and the idle line together are price x time.
 */
#ifndef PT_STATS_MONEY_H
#define PT_STATS_MONEY_H

#include "analysis/stats/summary.h"

/* Adds energy_kwh, cost, cost_per_job and idle_cost of a pool, or of all (PT_NONE), `done` jobs of
 * which ended well there. NaN where a pool has no price. */
void pt__money_add_pool(struct pt_metric_group *group, const struct pt_summary_input *input,
                        uint32_t pool, uint64_t done);
/* Adds cost and cost_per_job of `count` jobs: what they are charged. */
void pt__money_add_jobs(struct pt_metric_group *group, const struct pt_summary_input *input,
                        const pt_job *jobs, uint64_t count, uint64_t done);

#endif
