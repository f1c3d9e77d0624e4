#include "policies/fair/reclaim.h"

#include <stdlib.h>
#include <string.h>

enum pt_status pt__reclaim_init(struct pt_reclaim *reclaim, const struct pt_ctx *ctx,
                                uint32_t tenant_count, struct pt_error *error)
{
    if (pt_view_preemption(ctx)->mode == PT_PREEMPTION_NONE) return PT_OK;
    reclaim->tenant_count = tenant_count;
    reclaim->victim_capacity = pt_view_trace(ctx)->job_count;
    reclaim->target = calloc(tenant_count, sizeof *reclaim->target);
    reclaim->left = calloc(tenant_count, sizeof *reclaim->left);
    reclaim->basin = calloc(tenant_count, sizeof *reclaim->basin);
    reclaim->victim = malloc(((size_t)reclaim->victim_capacity + 1) * sizeof *reclaim->victim);
    if (reclaim->target == NULL || reclaim->left == NULL || reclaim->basin == NULL ||
        reclaim->victim == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u tenants", tenant_count);
    return PT_OK;
}

void pt__reclaim_fini(struct pt_reclaim *reclaim)
{
    free(reclaim->target);
    free(reclaim->left);
    free(reclaim->basin);
    free(reclaim->victim);
}

/* Rounding of targets is no reason to refuse what they allow. */
static bool at_least(double value, double bound)
{
    return value >= bound - bound * 1e-9;
}

static int compare(const void *x, const void *y)
{
    const struct pt_victim *a = x, *b = y;
    if (a->over != b->over) return a->over > b->over ? -1 : 1;
    if (a->since_ns != b->since_ns) return a->since_ns > b->since_ns ? -1 : 1;
    return a->job > b->job ? -1 : 1;
}

/* Heap sort: qsort may allocate. */
static void sink(struct pt_victim *heap, uint32_t slot, uint32_t count)
{
    struct pt_victim moved = heap[slot];
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && compare(&heap[child + 1], &heap[child]) > 0) child++;
        if (compare(&heap[child], &moved) <= 0) break;
        heap[slot] = heap[child];
    }
    heap[slot] = moved;
}

static void sort(struct pt_victim *victims, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sink(victims, i, count);
    for (uint32_t last = count; last-- > 1;) {
        struct pt_victim first = victims[0];
        victims[0] = victims[last];
        victims[last] = first;
        sink(victims, 0, last);
    }
}

/* Running jobs whose tenant would keep its target without them, in pools that the job may use. */
static uint32_t find_victims(struct pt_reclaim *reclaim, const struct pt_ctx *ctx, pt_job job,
                             uint64_t (*worth)(const void *state, const struct pt_ctx *ctx,
                                               uint32_t pool, pt_job job),
                             const void *state)
{
    uint32_t count = 0, own = pt_view_tenant_of(ctx, job);
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        pt_job other = pt_view_running_at(ctx, i);
        uint32_t tenant = pt_view_tenant_of(ctx, other), pool = pt_view_held_pool(ctx, other);
        if (tenant == own || reclaim->left[tenant] <= reclaim->target[tenant] || pool == PT_NONE ||
            (pools & PT_POOL_BIT(pool)) == 0 || !pt_view_preemptible(ctx, other))
            continue;
        uint64_t size = worth(state, ctx, pool, other);
        if (!at_least(reclaim->left[tenant] - (double)size, reclaim->target[tenant])) continue;
        reclaim->victim[count++] =
            (struct pt_victim){.over = reclaim->left[tenant] / (reclaim->target[tenant] + 1),
                               .since_ns = pt_view_attempt_ns(ctx, other),
                               .worth = size,
                               .tenant = tenant,
                               .job = other};
    }
    return count;
}

/* Lifts until the job fits; how many victims were looked at, 0 = it does not. */
static uint32_t lift(struct pt_reclaim *reclaim, struct pt_ctx *ctx, pt_job job, uint32_t count,
                     const struct pt_units **units)
{
    for (uint32_t i = 0; i < count; i++) {
        struct pt_victim *victim = &reclaim->victim[i];
        double left = reclaim->left[victim->tenant] - (double)victim->worth;
        if (!at_least(left, reclaim->target[victim->tenant])) continue;
        if (!pt_view_preemptible(ctx, victim->job) || !pt_ctx_try_lift(ctx, victim->job)) continue;
        victim->lifted = true;
        reclaim->left[victim->tenant] = left;
        if (pt_ctx_place(ctx, units, job, UINT64_MAX)) return i + 1;
    }
    return 0;
}

/* Whether the job's tenant stays within its target wherever the job goes. */
static bool within_target(const struct pt_reclaim *reclaim, const struct pt_ctx *ctx, pt_job job,
                          uint64_t (*worth)(const void *state, const struct pt_ctx *ctx,
                                            uint32_t pool, pt_job job),
                          const void *state)
{
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; pools != 0; pools &= pools - 1) {
        uint64_t size = worth(state, ctx, (uint32_t)__builtin_ctzll(pools), job);
        if (!at_least(reclaim->target[tenant], reclaim->left[tenant] + (double)size)) return false;
    }
    return true;
}

bool pt__reclaim_try(struct pt_reclaim *reclaim, struct pt_ctx *ctx, pt_job job,
                     const uint64_t *held,
                     uint64_t (*worth)(const void *state, const struct pt_ctx *ctx, uint32_t pool,
                                       pt_job job),
                     const void *state)
{
    const struct pt_units *units;
    for (uint32_t t = 0; t < reclaim->tenant_count; t++)
        reclaim->left[t] = (double)held[t];
    if (!within_target(reclaim, ctx, job, worth, state)) return false;
    uint32_t count = find_victims(reclaim, ctx, job, worth, state);
    if (count == 0) return false;
    sort(reclaim->victim, count);
    uint32_t looked = lift(reclaim, ctx, job, count, &units);
    if (looked == 0) {
        pt_ctx_try_abort(ctx);
        return false;
    }
    for (uint32_t i = 0; i + 1 < looked; i++) { /* those least above are kept first */
        struct pt_victim *victim = &reclaim->victim[looked - 2 - i];
        if (!victim->lifted || !pt_ctx_try_unlift(ctx, victim->job)) continue;
        if (pt_ctx_place(ctx, &units, job, UINT64_MAX))
            victim->lifted = false;
        else
            (void)pt_ctx_try_lift(ctx, victim->job);
    }
    bool fits = pt_ctx_place(ctx, &units, job, UINT64_MAX) && pt_ctx_try_assume(ctx, job, units);
    if (!fits) pt_ctx_try_abort(ctx);
    return fits;
}
