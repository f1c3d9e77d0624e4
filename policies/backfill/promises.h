/* The promises of conservative backfilling: to each job that waits the earliest time at which it
 * could start by estimates without moving those promised before it. In counted pools (room.h) a
 * profile of free GPUs over time says everything; in the others it is a bound, and a plan (plan.h)
 * asks the engine.
 */
#ifndef PT_BACKFILL_PROMISES_H
#define PT_BACKFILL_PROMISES_H

#include "policies/backfill/plan.h"
#include "policies/backfill/room.h"

struct pt_promises {
    const struct pt_ends *ends; /* whoever runs; borrowed */
    struct pt_plan plan;
    struct pt_room room;
    struct pt_set planned, best; /* of the time at hand; of the earliest so far */
};

/* Nobody is promised anything. `seen` is a scratch, zeroed, by class. Only PT_ERR_MEMORY fails. */
PT_USE_RESULT enum pt_status pt__promises_init(struct pt_promises *promises,
                                               const struct pt_ctx *ctx, const struct pt_ends *ends,
                                               uint64_t *seen, struct pt_error *error);
void pt__promises_fini(struct pt_promises *promises); /* takes a zeroed one, too */
/* Forgets all promises. False: no memory. */
PT_USE_RESULT bool pt__promises_reset(struct pt_promises *promises, const struct pt_ctx *ctx);
/* Promises the job the first time at which it could start; who could nowhere, or is at its tenant's
 * limit everywhere, holds up nobody. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__promises_make(struct pt_promises *promises, struct pt_ctx *ctx,
                                               pt_job job);
/* Whether the job may have these units now and all promises can be kept. */
bool pt__promises_keep(struct pt_promises *promises, struct pt_ctx *ctx, pt_job job,
                       struct pt_set *chosen);
/* The job has the pool's units from `from_ns` for as long as it says. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__promises_take(struct pt_promises *promises,
                                               const struct pt_ctx *ctx, uint32_t pool, pt_job job,
                                               int64_t from_ns);

#endif
