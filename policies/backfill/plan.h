/* Promises where counting is not enough: each job that waits has a set of units from a time on, as
 * the experiment's placement would choose it then. A newcomer may have a time if everybody promised
 * one within its own could still start then beside it, on its units or on others. Asked of the
 * engine by trials, of one pool at a time.
 */
#ifndef PT_BACKFILL_PLAN_H
#define PT_BACKFILL_PLAN_H

#include "policies/backfill/ends.h"
#include "policies/backfill/sets.h"

struct pt_promise {
    int64_t start_ns, end_ns; /* PT_NEVER: for ever */
    pt_job job;
    uint32_t pool, node;
    uint32_t first, count; /* its units */
    bool moved;            /* in the trial at hand it would have others */
};

struct pt_plan {
    struct pt_promise *promise; /* by start, then as they were made */
    uint32_t count, capacity;
    uint32_t *gpus; /* [2][unit_capacity]: as promised; as in the trial at hand */
    uint8_t *starts;
    uint32_t unit_count, unit_capacity;
};

/* Room for so many promises, of about as many units; more of them grow it by doubling. False: no
 * memory. Before anything is promised. */
PT_USE_RESULT bool pt__plan_reserve(struct pt_plan *plan, uint32_t promises);
void pt__plan_fini(struct pt_plan *plan); /* takes a zeroed one, too */
/* Forgets all promises. */
void pt__plan_reset(struct pt_plan *plan);
/* Promises the job this set. False: no memory. */
bool pt__plan_add(struct pt_plan *plan, pt_job job, int64_t start_ns, int64_t end_ns,
                  const struct pt_units *units);
/* Whether the job could have the pool's units from `at_ns` until `end_ns`: those in `set` if
 * `given`, else `set` becomes what the placement would choose then. */
bool pt__plan_try(struct pt_plan *plan, struct pt_ctx *ctx, const struct pt_ends *ends, pt_job job,
                  uint32_t pool, int64_t at_ns, int64_t end_ns, struct pt_set *set, bool given);

#endif
