/* What is free in each pool from when on, as running jobs are expected to end.
 *
 * A pool whose units are all alike to all who may use it (whole GPUs, no bound on nodes, no CPUs or
 * host memory asked for) is counted: its profile, in GPUs, says everything. In the others it is a
 * bound, in whatever the pool's mode counts.
 */
#ifndef PT_BACKFILL_ROOM_H
#define PT_BACKFILL_ROOM_H

#include "policies/backfill/ends.h"
#include "policies/backfill/profile.h"

struct pt_room {
    struct pt_profile profile[PT_POOLS_MAX];
    pt_job sample[PT_POOLS_MAX];  /* a job that may use the pool's GPUs, PT_NONE = there is none */
    uint32_t there[PT_POOLS_MAX]; /* units there were for it */
    uint64_t counted;             /* pools in which counting is enough */
};

/* Which pools are counted. `seen` is a scratch, zeroed, by class. O(jobs). */
void pt__room_init(struct pt_room *room, const struct pt_ctx *ctx, uint64_t *seen);
void pt__room_fini(struct pt_room *room); /* takes a zeroed one, too */
/* The profiles as nobody waited. O(pools + running jobs). False: no memory. */
bool pt__room_anew(struct pt_room *room, const struct pt_ctx *ctx, const struct pt_ends *ends);
/* Whether nodes have gone or come since then. O(pools). */
bool pt__room_changed(const struct pt_room *room, const struct pt_ctx *ctx);
/* What the job takes of the pool, in what its profile counts. */
int64_t pt__room_amount(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
/* True for a counted pool. */
static inline bool pt__room_counts(const struct pt_room *room, uint32_t pool)
{
    return (room->counted & PT_POOL_BIT(pool)) != 0;
}

#endif
