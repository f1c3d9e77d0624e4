/* What a job that can't start reserves under EASY backfilling: the earliest time at which it could,
 * as running jobs are expected to end and if nobody else came (its shadow time).
 */
#ifndef PT_BACKFILL_RESERVATION_H
#define PT_BACKFILL_RESERVATION_H

#include "policies/backfill/ends.h"

struct pt_reservation {
    pt_job job;
    uint64_t pools;      /* that it reserves */
    int64_t shadow_ns;   /* PT_NEVER: nobody knows when it can start */
    uint32_t there;      /* units there were for it in its pools: nodes come and go */
    uint32_t whole_pool; /* its only pool, if GPUs there are held whole; else PT_NONE */
    uint32_t spare;      /* then: free GPUs at the shadow time beyond those it needs */
};

/* The job reserves these pools. `holds`: since `head` was filled in nothing has happened that moves
 * a shadow time, so that the same reservation is kept as it is. Else O(running jobs) and trials of
 * the engine. */
void pt__reserve(struct pt_reservation *head, const struct pt_ends *ends, struct pt_ctx *ctx,
                 pt_job job, uint64_t pools, bool holds);
/* Whether who starts now ends by the shadow time. */
bool pt__ends_by(const struct pt_reservation *head, const struct pt_ctx *ctx, int64_t estimate_ns);
/* Whether it could start at its shadow time beside this job, on these units; then they are no
 * longer spare. */
bool pt__fits_beside(struct pt_reservation *head, const struct pt_ends *ends, struct pt_ctx *ctx,
                     pt_job job, const struct pt_units *chosen);

#endif
