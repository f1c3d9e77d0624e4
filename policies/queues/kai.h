/* The parts of the policy kai (kai.c) and what they share. */
#ifndef PT_QUEUES_KAI_H
#define PT_QUEUES_KAI_H

#include "policies/queues/kai_jobs.h"
#include "policies/queues/kai_usage.h"

enum pt_kai_reclaim { PT_KAI_BOTH, PT_KAI_FAIR_SHARE, PT_KAI_QUOTA, PT_KAI_NO_RECLAIM };

/* A running job that was lifted to make room. */
struct pt_kai_lifted {
    pt_job job;
    uint32_t leaf;
    bool back;  /* it stays where it is */
    bool moves; /* it goes elsewhere */
};

struct pt_kai {
    struct pt_kai_tree tree;
    struct pt_kai_jobs jobs;
    struct pt_kai_usage usage;
    enum pt_kai_reclaim reclaim;
    bool may_stop, preempt, consolidate;
    uint32_t consolidation_victims;
    int64_t reclaim_min_ns, preempt_min_ns;
    double multiplier;             /* reclaimer_utilization_multiplier */
    pt_job pool_job[PT_POOLS_MAX]; /* a job that the pool may run, to count its GPUs by */
    uint32_t pass;
    int64_t woken_ns; /* the next pass that was asked for */
    int64_t later_ns; /* when somebody may be stopped who may not yet */
    /* Scratch of a search for room. */
    uint64_t *held;   /* by node: held without those who would go */
    uint32_t *left;   /* by node: running jobs below that were not looked at */
    uint32_t *cursor; /* by leaf's node: where in band_at the search is */
    struct pt_kai_lifted *lifted;
    uint32_t lifted_count;
};

/* The job holds units in a pool from now on, or in another than before; nothing if it doesn't. */
void pt__kai_takes(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job);
/* It holds nothing any more. */
void pt__kai_gives(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job);

/* One cycle: allocate, move, reclaim, preempt (kai_cycle.c). */
PT_USE_RESULT enum pt_status pt__kai_cycle(struct pt_kai *kai, struct pt_ctx *ctx);

/* Room for the first job of a group by stopping jobs of other queues, by stopping jobs of lower
 * priority in its own, by moving jobs. True if it was made and the job has it. */
PT_USE_RESULT enum pt_status pt__kai_reclaim_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx,
                                                 uint32_t group);
PT_USE_RESULT enum pt_status pt__kai_preempt_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx,
                                                 uint32_t group);
PT_USE_RESULT enum pt_status pt__kai_move_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx,
                                              uint32_t group);

/* The pools in which a group's first job may start: all that its class may use, but for one that
 * can't be stopped those where it stays within the quotas above it. */
uint64_t pt__kai_pools(const struct pt_kai *kai, const struct pt_ctx *ctx, uint32_t group);
/* Whether a group's first job may take from other queues at all: its queue stays within its fair
 * share. */
bool pt__kai_may_reclaim(const struct pt_kai *kai, const struct pt_kai_group *group);

#endif
