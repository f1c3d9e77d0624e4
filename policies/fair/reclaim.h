/* Taking back from tenants above their target for one below its own, so that both are satisfied:
 * nobody passes its target by it, so that it happens once, not for ever. */
#ifndef PT_FAIR_RECLAIM_H
#define PT_FAIR_RECLAIM_H

#include "partita/policy.h"
#include "policies/fair/filling.h"

struct pt_victim {
    double over; /* how far its tenant is above its target, by the target's own size */
    int64_t since_ns;
    uint64_t worth;
    uint32_t tenant;
    pt_job job;
    bool lifted;
};

struct pt_reclaim {
    uint32_t tenant_count;
    double *target;         /* by tenant, in what `worth` counts */
    double *left;           /* by tenant: what it holds in the trial */
    struct pt_basin *basin; /* scratch for targets */
    struct pt_victim *victim;
    uint32_t victim_capacity;
};

PT_USE_RESULT enum pt_status pt__reclaim_init(struct pt_reclaim *reclaim, const struct pt_ctx *ctx,
                                              uint32_t tenant_count, struct pt_error *error);
void pt__reclaim_fini(struct pt_reclaim *reclaim);

/* Lifts jobs of tenants above their targets until `job` fits, those that need not go put back, and
 * assumes it there: true, and the trial is to be committed. Tenants furthest above go first, in
 * each the latest started. False, and nothing is changed, if it can't be done. */
bool pt__reclaim_try(struct pt_reclaim *reclaim, struct pt_ctx *ctx, pt_job job,
                     const uint64_t *held,
                     uint64_t (*worth)(const void *state, const struct pt_ctx *ctx, uint32_t pool,
                                       pt_job job),
                     const void *state);

#endif
