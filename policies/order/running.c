#include "policies/order/running.h"

#include <stdlib.h>

#define PLACE_BITS 26u
#define PLACE_MAX ((UINT32_C(1) << PLACE_BITS) - 1)

/* Units that the pool has, as far as that can be told: one job runs on each at most. */
static uint32_t room_at_first(const struct pt_ctx *ctx, uint32_t pool)
{
    const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
    uint64_t gpus = (uint64_t)p->node_count * p->gpus_per_node;
    uint64_t room = p->shape.residents_max > 64 ? gpus * 64 : gpus * p->shape.residents_max;
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    if (room > jobs) room = jobs;
    return room < PLACE_MAX ? (uint32_t)room + 1 : PLACE_MAX;
}

enum pt_status pt__running_init(struct pt_running *running, const struct pt_ctx *ctx,
                                pt_u128 (*key)(const void *owner, const struct pt_ctx *ctx,
                                               pt_job job),
                                const void *owner, struct pt_error *error)
{
    size_t jobs = pt_view_trace(ctx)->job_count;
    *running = (struct pt_running){.key = key, .owner = owner};
    running->pools = calloc(pt_view_pool_count(ctx), sizeof *running->pools);
    running->place = calloc(jobs + 1, sizeof *running->place);
    bool good = running->pools != NULL && running->place != NULL;
    if (running->pools != NULL) running->pool_count = pt_view_pool_count(ctx);
    for (uint32_t p = 0; good && p < running->pool_count; p++) {
        struct pt_running_pool *pool = &running->pools[p];
        pool->capacity = room_at_first(ctx, p);
        pool->rank = malloc(pool->capacity * sizeof *pool->rank);
        good = pool->rank != NULL;
    }
    if (good) return PT_OK;
    pt__running_fini(running);
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu running jobs", jobs);
}

void pt__running_fini(struct pt_running *running)
{
    for (uint32_t p = 0; running->pools != NULL && p < running->pool_count; p++)
        free(running->pools[p].rank);
    free(running->pools);
    free(running->place);
    *running = (struct pt_running){0};
}

static void put(struct pt_running *running, uint32_t pool, uint32_t at, pt_u128 rank)
{
    running->pools[pool].rank[at] = rank;
    running->place[pt__rank_job(rank)] = pool << PLACE_BITS | (at + 1);
}

/* Puts the rank into the hole at `at`, or above or below it. */
static void settle(struct pt_running *running, uint32_t pool, uint32_t at, pt_u128 rank)
{
    const pt_u128 *ranks = running->pools[pool].rank;
    uint32_t count = running->pools[pool].count;
    for (; at > 0 && ranks[(at - 1) / 2] < rank; at = (at - 1) / 2)
        put(running, pool, at, ranks[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && ranks[child + 1] > ranks[child]) child++;
        if (ranks[child] < rank) break;
        put(running, pool, at, ranks[child]);
    }
    put(running, pool, at, rank);
}

static bool grow(struct pt_running *running, struct pt_running_pool *pool)
{
    if (pool->count < pool->capacity) return true;
    uint32_t capacity = pool->capacity > PLACE_MAX / 2 ? PLACE_MAX : 2 * pool->capacity;
    pt_u128 *rank =
        pool->count >= PLACE_MAX - 1 ? NULL : realloc(pool->rank, (size_t)capacity * sizeof *rank);
    if (rank == NULL) {
        running->out_of_memory = true;
        return false;
    }
    pool->rank = rank;
    pool->capacity = capacity;
    return true;
}

void pt__running_add(struct pt_running *running, pt_job job, uint32_t pool, pt_u128 key)
{
    struct pt_running_pool *p = &running->pools[pool];
    pt__running_remove(running, job);
    if (grow(running, p)) settle(running, pool, p->count++, pt__queue_rank(key, job));
}

void pt__running_remove(struct pt_running *running, pt_job job)
{
    uint32_t place = running->place[job];
    if (place == 0) return;
    uint32_t pool = place >> PLACE_BITS, at = (place & PLACE_MAX) - 1;
    struct pt_running_pool *p = &running->pools[pool];
    pt_u128 last = p->rank[--p->count];
    running->place[job] = 0;
    if (at != p->count) settle(running, pool, at, last);
}

pt_u128 pt__running_worst(struct pt_running *running, const struct pt_ctx *ctx, uint32_t pool)
{
    const struct pt_running_pool *p = &running->pools[pool];
    while (p->count > 0) {
        pt_u128 rank = p->rank[0];
        if (running->key == NULL) return rank;
        pt_job job = pt__rank_job(rank);
        pt_u128 now = pt__queue_rank(running->key(running->owner, ctx, job), job);
        if (now >= rank) return rank;
        settle(running, pool, 0, now);
        if (pt__rank_job(p->rank[0]) == job) return now;
    }
    return 0;
}

void pt__running_take(struct pt_running *running, uint32_t pool)
{
    struct pt_running_pool *p = &running->pools[pool];
    pt_u128 top = p->rank[0], last = p->rank[--p->count];
    if (p->count > 0) settle(running, pool, 0, last);
    p->rank[p->count] = top;
    p->taken++;
}

void pt__running_put_back(struct pt_running *running, uint32_t pool)
{
    struct pt_running_pool *p = &running->pools[pool];
    for (; p->taken > 0; p->taken--, p->count++)
        settle(running, pool, p->count, p->rank[p->count]);
}
