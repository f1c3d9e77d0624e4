#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policies/order/queue.h"
#include "policies/order/running.h"

/* The heaps that orders are made of, against plain walks over all jobs. */

#define JOBS 60u
#define CLASSES 7u
#define POOLS 3u

static int64_t clock_ns; /* running keys fall with it */
static pt_u128 key_at_0[JOBS];

static uint32_t class_count(const struct pt_ctx *ctx)
{
    (void)ctx;
    return CLASSES;
}
static uint32_t class_of(const struct pt_ctx *ctx, pt_job job)
{
    (void)ctx;
    return job * 5 % CLASSES;
}
static uint32_t class_size(const struct pt_ctx *ctx, uint32_t class_id)
{
    uint32_t size = 0;
    for (pt_job j = 0; j < JOBS; j++)
        size += class_of(ctx, j) == class_id;
    return size;
}
static uint64_t class_pools(const struct pt_ctx *ctx, uint32_t class_id)
{
    (void)ctx;
    return 1 + class_id % 7;
}
static const struct pt_trace *trace(const struct pt_ctx *ctx)
{
    static const struct pt_trace jobs = {.job_count = JOBS};
    (void)ctx;
    return &jobs;
}
static uint32_t pool_count(const struct pt_ctx *ctx)
{
    (void)ctx;
    return POOLS;
}
static const struct pt_cluster *cluster(const struct pt_ctx *ctx)
{
    /* room for two jobs each at first, so that it has to grow */
    static const struct pt_pool pools[POOLS] = {
        {.node_count = 1, .gpus_per_node = 1, .shape = {.residents_max = 1}},
        {.node_count = 1, .gpus_per_node = 1, .shape = {.residents_max = 1}},
        {.node_count = 1, .gpus_per_node = 1, .shape = {.residents_max = 1}}};
    static const struct pt_cluster all = {.pools = pools, .pool_count = POOLS};
    (void)ctx;
    return &all;
}

static const struct pt_api api = {.class_count = class_count,
                                  .class_of = class_of,
                                  .class_size = class_size,
                                  .class_pools = class_pools,
                                  .trace = trace,
                                  .pool_count = pool_count,
                                  .cluster = cluster};
static const struct pt_ctx ctx = {&api};

static uint32_t below(uint32_t n)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

/* What the queue ought to say. */
struct plain {
    bool in[JOBS];
    pt_u128 key[JOBS];
    enum { HERE, NO_ROOM, LIMIT } aside[CLASSES];
};

static pt_u128 plain_head(const struct plain *plain, uint32_t class_id)
{
    pt_u128 best = PT_QUEUE_NOBODY;
    for (pt_job j = 0; j < JOBS; j++) {
        if (!plain->in[j] || class_of(&ctx, j) != class_id) continue;
        pt_u128 rank = pt__queue_rank(plain->key[j], j);
        if (rank < best) best = rank;
    }
    return best;
}

static void compare(struct plain *plain, const struct pt_queue *queue)
{
    pt_u128 best = PT_QUEUE_NOBODY;
    uint32_t first = PT_NONE;
    for (uint32_t c = 0; c < CLASSES; c++) {
        pt_u128 head = plain_head(plain, c);
        cr_assert(pt__queue_head(queue, c) == head);
        if (head == PT_QUEUE_NOBODY) plain->aside[c] = HERE;
        if (plain->aside[c] != HERE || head >= best) continue;
        best = head;
        first = c;
    }
    cr_assert_eq(pt__queue_first(queue), first);
}

Test(queue, agrees_with_a_walk_over_all_jobs)
{
    struct pt_queue queue;
    struct pt_error error;
    struct plain plain;
    memset(&plain, 0, sizeof plain);
    cr_assert_eq(pt__queue_init(&queue, &ctx, &error), PT_OK);
    for (uint32_t step = 0; step < 30000; step++) {
        pt_job job = below(JOBS);
        uint32_t class_id = class_of(&ctx, job), first = pt__queue_first(&queue);
        uint64_t pools = 1 + below(7);
        switch (below(step / 1000 % 2 ? 12 : 7)) { /* by turns long and short */
        case 0:
        case 1:
            cr_assert_eq(pt__queue_remove(&queue, &ctx, job), plain.in[job]);
            plain.in[job] = false;
            break;
        case 2:
            if (first == PT_NONE) break;
            pt__queue_set_aside(&queue, first, step % 3 ? PT_ASIDE_NO_ROOM : PT_ASIDE_LIMIT);
            plain.aside[first] = step % 3 ? NO_ROOM : LIMIT;
            break;
        case 3:
            pt__queue_released(&queue, &ctx, pools);
            for (uint32_t c = 0; c < CLASSES; c++)
                if (plain.aside[c] == LIMIT || (class_pools(&ctx, c) & pools) != 0)
                    plain.aside[c] = HERE;
            break;
        case 4:
            pt__queue_bring_back(&queue, class_id);
            plain.aside[class_id] = HERE;
            break;
        default:
            plain.in[job] = true;
            plain.key[job] = below(4) == 0 ? PT_QUEUE_LAST : below(20); /* ties */
            cr_assert_eq(pt__queue_add(&queue, &ctx, job, plain.key[job]),
                         pt__rank_job(plain_head(&plain, class_id)) == job);
        }
        compare(&plain, &queue);
    }
    pt__queue_fini(&queue);
}

/* Each job's key falls at its own speed, down to 0. */
static pt_u128 key_now(const void *owner, const struct pt_ctx *context, pt_job job)
{
    (void)context;
    cr_assert_eq(owner, key_at_0);
    pt_u128 fallen = (pt_u128)(uint64_t)clock_ns * (job % 4);
    return key_at_0[job] > fallen ? key_at_0[job] - fallen : 0;
}

static pt_u128 plain_worst(const bool *in, const bool *taken, const uint32_t *pool_of,
                           uint32_t pool)
{
    pt_u128 worst = 0;
    for (pt_job j = 0; j < JOBS; j++) {
        if (!in[j] || taken[j] || pool_of[j] != pool) continue;
        pt_u128 rank = pt__queue_rank(key_now(key_at_0, &ctx, j), j);
        if (rank > worst) worst = rank;
    }
    return worst;
}

Test(running, worst_first_is_exact_while_keys_fall)
{
    struct pt_running running;
    struct pt_error error;
    bool in[JOBS] = {0};
    uint32_t pool_of[JOBS] = {0};
    cr_assert_eq(pt__running_init(&running, &ctx, key_now, key_at_0, &error), PT_OK);
    for (uint32_t step = 0; step < 20000; step++) {
        pt_job job = below(JOBS);
        uint32_t pool = below(POOLS);
        bool taken[JOBS] = {0};
        clock_ns += below(3);
        if (below(3) == 0) {
            pt__running_remove(&running, job);
            in[job] = false;
        } else { /* also one that moves from another pool */
            key_at_0[job] = (pt_u128)(uint64_t)clock_ns * (job % 4) + 1 + below(300);
            pt__running_add(&running, job, pool, key_now(key_at_0, &ctx, job));
            in[job] = true;
            pool_of[job] = pool;
        }
        uint32_t takes = below(6);
        for (uint32_t i = 0; i < takes; i++) {
            pt_u128 worst = pt__running_worst(&running, &ctx, pool);
            cr_assert(worst == plain_worst(in, taken, pool_of, pool));
            if (worst == 0) break;
            pt__running_take(&running, pool);
            taken[pt__rank_job(worst)] = true;
            cr_assert(pt__running_taken(&running, pool, i) == worst);
        }
        pt__running_put_back(&running, pool);
        memset(taken, 0, sizeof taken);
        cr_assert(pt__running_worst(&running, &ctx, pool) == plain_worst(in, taken, pool_of, pool));
    }
    cr_assert_not(running.out_of_memory);
    pt__running_fini(&running);
}
