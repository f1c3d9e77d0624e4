#include "policies/order/feasible.h"

#include <stdlib.h>

struct release {
    int64_t at_ns;
    uint64_t parts;
};

struct pt_feasible_plan {
    struct release *ends; /* a heap, the earliest first */
    uint32_t end_count;
    pt_u128 *order; /* the pending jobs by rank */
    uint32_t count;
    bool *late; /* by place in `order`: without the new job */
};

struct pt_feasible_plan *pt__feasible_new(const struct pt_ctx *ctx)
{
    size_t jobs = (size_t)pt_view_trace(ctx)->job_count + 1;
    struct pt_feasible_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return NULL;
    plan->ends = malloc(jobs * sizeof *plan->ends);
    plan->order = malloc(jobs * sizeof *plan->order);
    plan->late = malloc(jobs * sizeof *plan->late);
    if (plan->ends != NULL && plan->order != NULL && plan->late != NULL) return plan;
    pt__feasible_fini(plan);
    return NULL;
}

void pt__feasible_fini(struct pt_feasible_plan *plan)
{
    if (plan == NULL) return;
    free(plan->ends);
    free(plan->order);
    free(plan->late);
    free(plan);
}

int64_t pt__feasible_time(int64_t work_ns, uint64_t rate)
{
    if (work_ns == PT_NEVER || rate == 0) return work_ns == 0 ? 0 : PT_NEVER;
    pt_u128 ns = (((pt_u128)(uint64_t)work_ns << 60) + rate / 2) / rate;
    return ns >= (pt_u128)PT_NEVER ? PT_NEVER : (int64_t)ns;
}

static int64_t later(int64_t from_ns, int64_t by_ns)
{
    return by_ns >= PT_NEVER - from_ns ? PT_NEVER : from_ns + by_ns;
}

/* ---- the heap of ends ---- */

static void ends_add(struct pt_feasible_plan *plan, int64_t at_ns, uint64_t parts)
{
    uint32_t i = plan->end_count++;
    for (; i > 0 && plan->ends[(i - 1) / 2].at_ns > at_ns; i = (i - 1) / 2)
        plan->ends[i] = plan->ends[(i - 1) / 2];
    plan->ends[i] = (struct release){at_ns, parts};
}

static struct release ends_take(struct pt_feasible_plan *plan)
{
    struct release top = plan->ends[0], last = plan->ends[--plan->end_count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < plan->end_count; i = child) {
        if (child + 1 < plan->end_count && plan->ends[child + 1].at_ns < plan->ends[child].at_ns)
            child++;
        if (plan->ends[child].at_ns >= last.at_ns) break;
        plan->ends[i] = plan->ends[child];
    }
    plan->ends[i] = last;
    return top;
}

/* ---- who is there ---- */

static int compare_ranks(const void *a, const void *b)
{
    const pt_u128 *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The pending jobs that may use the pool, in order. */
static void collect(struct pt_feasible_plan *plan, const struct pt_queue *queue,
                    const struct pt_ctx *ctx, uint32_t pool)
{
    plan->count = 0;
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++) {
        if ((pt_view_class_pools(ctx, c) & PT_POOL_BIT(pool)) == 0) continue;
        for (uint32_t i = 0; i < queue->size[c]; i++) {
            pt_u128 rank = queue->rank[queue->first[c] + i];
            if (pt__rank_key(rank) != 0) plan->order[plan->count++] = rank;
        }
    }
    qsort(plan->order, plan->count, sizeof *plan->order, compare_ranks);
}

/* Capacity in parts of a GPU, as much of it as jobs of this class can use. */
static uint64_t capacity(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    uint64_t units = pt_view_units_there(ctx, pool, job);
    return units * (pt_view_parts(ctx, pool, job) / pt_view_units_wanted(ctx, job));
}

/* What is free now; those that run are on the heap of ends. */
static uint64_t begin(struct pt_feasible_plan *plan, const struct pt_ctx *ctx, uint32_t pool,
                      uint64_t all, const struct pt_feasible_facts *facts)
{
    uint64_t held = 0;
    plan->end_count = 0;
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        pt_job job = pt_view_running_at(ctx, i);
        if (pt_view_held_pool(ctx, job) != pool) continue;
        uint64_t parts = pt_view_parts(ctx, pool, job);
        int64_t left_ns = facts->left_ns(facts->owner, ctx, job);
        int64_t takes_ns = pt__feasible_time(left_ns, pt_view_rate(ctx, pool, job));
        held += parts;
        ends_add(plan, later(pt_view_now_ns(ctx), takes_ns), parts);
    }
    return held < all ? all - held : 0;
}

/* When the job ends that starts next, at or after *at_ns; PT_NEVER = it never starts, or never
 * ends. */
static int64_t play(struct pt_feasible_plan *plan, const struct pt_ctx *ctx, uint32_t pool,
                    pt_job job, int64_t *at_ns, uint64_t *room,
                    const struct pt_feasible_facts *facts)
{
    uint64_t wanted = pt_view_parts(ctx, pool, job);
    while (plan->end_count > 0 && (*room < wanted || plan->ends[0].at_ns <= *at_ns)) {
        struct release release = ends_take(plan);
        if (release.at_ns == PT_NEVER) break;
        if (release.at_ns > *at_ns) *at_ns = release.at_ns;
        *room += release.parts;
    }
    if (*room < wanted) {
        *at_ns = PT_NEVER;
        return PT_NEVER;
    }
    int64_t left_ns = facts->left_ns(facts->owner, ctx, job);
    int64_t end_ns = later(*at_ns, pt__feasible_time(left_ns, pt_view_rate(ctx, pool, job)));
    *room -= wanted;
    ends_add(plan, end_ns, wanted);
    return end_ns;
}

static bool is_late(const struct pt_ctx *ctx, pt_job job, int64_t end_ns,
                    const struct pt_feasible_facts *facts)
{
    int64_t due_ns = facts->due_ns(facts->owner, ctx, job);
    return due_ns != PT_NEVER && end_ns > due_ns;
}

static bool feasible_in(struct pt_feasible_plan *plan, const struct pt_queue *queue,
                        const struct pt_ctx *ctx, pt_job job, pt_u128 rank, uint32_t pool,
                        const struct pt_feasible_facts *facts)
{
    uint64_t all = capacity(ctx, pool, job), room;
    int64_t at_ns = pt_view_now_ns(ctx);
    collect(plan, queue, ctx, pool);
    if (plan->count == 0 && pt_view_units_free(ctx, pool, job) >= pt_view_units_wanted(ctx, job)) {
        int64_t left_ns = facts->left_ns(facts->owner, ctx, job); /* it starts now */
        int64_t takes_ns = pt__feasible_time(left_ns, pt_view_rate(ctx, pool, job));
        return !is_late(ctx, job, later(at_ns, takes_ns), facts);
    }
    room = begin(plan, ctx, pool, all, facts);
    for (uint32_t i = 0; i < plan->count; i++) {
        pt_job other = pt__rank_job(plan->order[i]);
        plan->late[i] =
            is_late(ctx, other, play(plan, ctx, pool, other, &at_ns, &room, facts), facts);
    }
    at_ns = pt_view_now_ns(ctx);
    room = begin(plan, ctx, pool, all, facts);
    bool done = false;
    for (uint32_t i = 0; i <= plan->count; i++) {
        if (!done && (i == plan->count || rank < plan->order[i])) {
            done = true;
            if (is_late(ctx, job, play(plan, ctx, pool, job, &at_ns, &room, facts), facts))
                return false;
        }
        if (i == plan->count) break;
        pt_job other = pt__rank_job(plan->order[i]);
        int64_t end_ns = play(plan, ctx, pool, other, &at_ns, &room, facts);
        if (!plan->late[i] && is_late(ctx, other, end_ns, facts)) return false;
    }
    return true;
}

bool pt__feasible(struct pt_feasible_plan *plan, const struct pt_queue *queue,
                  const struct pt_ctx *ctx, pt_job job, pt_u128 rank,
                  const struct pt_feasible_facts *facts)
{
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    if (pt_view_units_wanted(ctx, job) == 0) return true; /* no GPU to count */
    for (; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (feasible_in(plan, queue, ctx, job, rank, pool, facts)) return true;
    }
    return false;
}
