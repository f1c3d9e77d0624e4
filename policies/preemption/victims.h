/* Whom to stop so that a job fits (semantics.md, section 4, "Victims"): running jobs of strictly
 * lower priority that may be stopped, gangs whole, and only if it makes the job fit.
 *
 * `least_disruption`: the least set of all by sets.h. Exact where at most PT_VICTIMS_TRIED jobs may
 * be stopped in all; else it looks on each node by itself, exact where a set's room can be counted
 * (GPUs given whole, no limit on CPUs and host memory) with at most PT_VICTIMS_COUNTED candidates
 * or where at most PT_VICTIMS_TRIED may be stopped there, and, for jobs that may be spread over any
 * number of nodes of such a pool, over all of them. Beyond: lowest priority and latest started
 * first until it fits, then those not needed are put back, the last first.
 * `youngest`: latest started first, then the same. `lowest_priority`: lowest first, of equals the
 * latest started, then the same.
 *
 * What is found is tried out before anybody is stopped. Room for the sets grows by doubling.
 */
#ifndef PT_PREEMPTION_VICTIMS_H
#define PT_PREEMPTION_VICTIMS_H

#include "policies/preemption/by_rank.h"
#include "policies/preemption/sets.h"

struct pt_victim_state {
    struct pt_by_rank running;
    struct pt_victim *candidate; /* scratch, as are the sets: [capacity] */
    struct pt_victim_set best, other;
    uint32_t capacity, count;
    enum pt_victims how;
};

/* Nobody runs. Errors: PT_ERR_MEMORY; then nothing is held. */
PT_USE_RESULT enum pt_status pt__victims_init(struct pt_victim_state *victims,
                                              const struct pt_ctx *ctx, struct pt_error *error);
void pt__victims_fini(struct pt_victim_state *victims);

/* Starts a pending job that fits nowhere in `pools`, by stopping others, if that is possible; says
 * so in *done. A job whose priority class never preempts, or that its tenant's limit holds, stops
 * nobody; nor does one without GPUs where saving victims takes time (it has nothing to hold in the
 * meantime). Errors: PT_ERR_MEMORY, or what the engine refuses. */
PT_USE_RESULT enum pt_status pt__victims_make_room(struct pt_victim_state *victims,
                                                   struct pt_ctx *ctx, pt_job job, uint64_t pools,
                                                   bool *done);

/* One search by a rule of one's own: who may be stopped for whom, and where. */
struct pt_hunt {
    struct pt_victim_state *victims;
    struct pt_ctx *ctx;
    pt_job job;
    uint32_t below;  /* levels that may be stopped */
    uint32_t wanted; /* units */
    uint64_t pools;  /* those where it could fit if all of those were stopped, by sums alone */
};

/* Begins a search in some of `pools`; false: it is hopeless. */
bool pt__hunt_begin(struct pt_hunt *hunt, struct pt_victim_state *victims, struct pt_ctx *ctx,
                    pt_job job, uint64_t pools);
/* Puts into `candidate` who may be stopped on the node, with the units that each has there, in
 * pt__victim_order. Errors: PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__hunt_gather_node(struct pt_hunt *hunt, uint32_t pool,
                                                  uint32_t node);
/* Stops the set `best` and starts the job in its room; *done stays false if there is none. */
PT_USE_RESULT enum pt_status pt__hunt_carry_out(struct pt_hunt *hunt, bool *done);

/* Keeps the running jobs: for on_started and on_stopped. */
static inline void pt__victims_started(struct pt_victim_state *victims, const struct pt_ctx *ctx,
                                       pt_job job)
{
    pt__by_rank_started(&victims->running, ctx, job);
}
static inline void pt__victims_stopped(struct pt_victim_state *victims, const struct pt_ctx *ctx,
                                       pt_job job)
{
    pt__by_rank_stopped(&victims->running, ctx, job);
}

#endif
