/* Whether a job could end by when it is due beside those that were there before: a plan by counts,
 * for admission.
 *
 * In a pool the plan knows capacity, not places: what its GPUs in service hold of the job, counted
 * in quota units. Running jobs leave when what is left of them is done at R; the pending jobs that
 * may use the pool start in their order, none before the one in front of it, as soon as there is
 * room; jobs of unknown work never end, and stop those behind them. The job is feasible if in one
 * of its pools it ends in time and nobody is late who would not be late without it. O(n log n) in
 * the running and pending jobs.
 */
#ifndef PT_ORDER_FEASIBLE_H
#define PT_ORDER_FEASIBLE_H

#include "policies/order/queue.h"

/* What a plan knows of jobs. */
struct pt_feasible_facts {
    const void *owner;
    /* Work left, PT_NEVER = unknown; when it is due, PT_NEVER = it isn't. */
    int64_t (*left_ns)(const void *owner, const struct pt_ctx *ctx, pt_job job);
    int64_t (*due_ns)(const void *owner, const struct pt_ctx *ctx, pt_job job);
};

struct pt_feasible_plan;
/* Room to plan in; NULL when memory runs out. */
struct pt_feasible_plan *pt__feasible_new(const struct pt_ctx *ctx);
void pt__feasible_fini(struct pt_feasible_plan *plan);

/* Time that so much work takes at R = rate / 2^60, rounded to the nearest ns, at most PT_NEVER. */
int64_t pt__feasible_time(int64_t work_ns, uint64_t rate);

/* Whether `job`, which is not in the queue and would have this rank there, is feasible. Those of
 * the queue with key 0 do not count: they are to be declined. */
bool pt__feasible(struct pt_feasible_plan *plan, const struct pt_queue *queue,
                  const struct pt_ctx *ctx, pt_job job, pt_u128 rank,
                  const struct pt_feasible_facts *facts);

#endif
