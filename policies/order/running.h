/* Running jobs by key, the worst (the greatest key, ties later in the queue) first, in each pool:
 * whom an order that stops jobs for others would stop next.
 *
 * A key may fall while the job runs (what is left of it), never rise. So a key once read bounds it
 * from above, and only keys at the top are read anew: exact, without touching the others. Keys that
 * never change need no function. Those that rise all at one rate (attained time) have the same
 * order as what they are less the time, which doesn't change. O(log n) each, besides the refreshed.
 *
 * Memory: 4 bytes a job of the trace, 16 a job that runs; room for as many in a pool as it has
 * units is there from the start, more than that (jobs without GPUs) doubles.
 */
#ifndef PT_ORDER_RUNNING_H
#define PT_ORDER_RUNNING_H

#include "policies/order/queue.h"

struct pt_running_pool {
    pt_u128 *rank; /* a heap, the greatest first; then those taken, the latest first */
    uint32_t count, taken, capacity;
};

struct pt_running {
    struct pt_running_pool *pools;
    uint32_t pool_count;
    uint32_t *place; /* by job: its pool << 26 | its place in there + 1; 0 = not in */
    pt_u128 (*key)(const void *owner, const struct pt_ctx *ctx, pt_job job);
    const void *owner;
    bool out_of_memory; /* somebody was not added */
};

/* Nobody runs. `key` reads a job's key now, with `owner` for its own use; NULL = keys stay as they
 * were added. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__running_init(struct pt_running *running, const struct pt_ctx *ctx,
                                pt_u128 (*key)(const void *owner, const struct pt_ctx *ctx,
                                               pt_job job),
                                const void *owner, struct pt_error *error);
void pt__running_fini(struct pt_running *running);

/* The job runs in this pool, with this key or less; one that was there before is so no more. */
void pt__running_add(struct pt_running *running, pt_job job, uint32_t pool, pt_u128 key);
/* It runs no more, or must not be stopped; nothing if it was not there. None may be taken. */
void pt__running_remove(struct pt_running *running, pt_job job);

/* The rank (pt__queue_rank) of the worst job in the pool that isn't taken, 0 if there is none: no
 * job has so good a rank but job 0 with key 0, and nobody is better than that. */
pt_u128 pt__running_worst(struct pt_running *running, const struct pt_ctx *ctx, uint32_t pool);
/* Takes that job out for now: the next worst is then another. After pt__running_worst. */
void pt__running_take(struct pt_running *running, uint32_t pool);
/* The i-th job taken in the pool, from 0. */
static inline pt_u128 pt__running_taken(const struct pt_running *running, uint32_t pool, uint32_t i)
{
    const struct pt_running_pool *p = &running->pools[pool];
    return p->rank[p->count + p->taken - 1 - i];
}
/* Puts all back that were taken in the pool. */
void pt__running_put_back(struct pt_running *running, uint32_t pool);

#endif
