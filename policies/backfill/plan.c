#include "policies/backfill/plan.h"

#include <stdlib.h>
#include <string.h>

void pt__plan_fini(struct pt_plan *plan)
{
    free(plan->promise);
    free(plan->gpus);
    free(plan->starts);
}

void pt__plan_reset(struct pt_plan *plan)
{
    plan->count = plan->unit_count = 0;
}

static bool grow_units(struct pt_plan *plan, uint32_t more)
{
    if (plan->unit_count + more <= plan->unit_capacity) return true;
    uint32_t capacity = plan->unit_capacity == 0 ? 64 : plan->unit_capacity;
    while (capacity < plan->unit_count + more)
        capacity *= 2;
    uint32_t *gpus = malloc(2 * (size_t)capacity * sizeof *gpus);
    uint8_t *starts = malloc(2 * (size_t)capacity);
    if (gpus == NULL || starts == NULL) {
        free(gpus);
        free(starts);
        return false;
    }
    if (plan->unit_count > 0) { /* there is no trial at hand: the other half means nothing */
        memcpy(gpus, plan->gpus, plan->unit_count * sizeof *gpus);
        memcpy(starts, plan->starts, plan->unit_count);
    }
    free(plan->gpus);
    free(plan->starts);
    plan->gpus = gpus;
    plan->starts = starts;
    plan->unit_capacity = capacity;
    return true;
}

static bool grow_promises(struct pt_plan *plan, uint32_t capacity)
{
    struct pt_promise *promise = realloc(plan->promise, capacity * sizeof *promise);
    if (promise == NULL) return false;
    plan->promise = promise;
    plan->capacity = capacity;
    return true;
}

static bool grow(struct pt_plan *plan)
{
    return plan->count < plan->capacity || grow_promises(plan, plan->capacity * 2);
}

bool pt__plan_reserve(struct pt_plan *plan, uint32_t promises)
{
    return grow_promises(plan, promises + 1) && grow_units(plan, 2 * (promises + 1));
}

static void copy_units(struct pt_plan *plan, uint32_t to, const struct pt_units *units)
{
    if (units->count == 0) return;
    memcpy(plan->gpus + to, units->gpus, units->count * sizeof *units->gpus);
    if (units->starts != NULL)
        memcpy(plan->starts + to, units->starts, units->count);
    else
        memset(plan->starts + to, PT_CELL_ANY, units->count);
}

/* How many promises begin before `at_ns`. */
static uint32_t begin_before(const struct pt_plan *plan, int64_t at_ns)
{
    uint32_t low = 0, high = plan->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->promise[middle].start_ns < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool pt__plan_add(struct pt_plan *plan, pt_job job, int64_t start_ns, int64_t end_ns,
                  const struct pt_units *units)
{
    if (!grow(plan) || !grow_units(plan, units->count)) return false;
    uint32_t place = begin_before(plan, start_ns);
    while (place < plan->count && plan->promise[place].start_ns == start_ns)
        place++;
    memmove(&plan->promise[place + 1], &plan->promise[place],
            (plan->count - place) * sizeof *plan->promise);
    plan->promise[place] = (struct pt_promise){.start_ns = start_ns,
                                               .end_ns = end_ns,
                                               .job = job,
                                               .pool = units->pool,
                                               .node = units->node,
                                               .first = plan->unit_count,
                                               .count = units->count};
    copy_units(plan, plan->unit_count, units);
    plan->unit_count += units->count;
    plan->count++;
    return true;
}

/* In a trial: the promised job takes its units, or others of its pool; false = there are none. */
static bool stand(struct pt_plan *plan, struct pt_ctx *ctx, struct pt_promise *promise)
{
    uint32_t from = promise->first + (promise->moved ? plan->unit_capacity : 0);
    struct pt_units units = {.pool = promise->pool,
                             .count = promise->count,
                             .capacity = promise->count,
                             .gpus = plan->gpus + from,
                             .starts = plan->starts + from,
                             .node = promise->node};
    if (pt_ctx_try_assume(ctx, promise->job, &units)) return true;
    const struct pt_units *others;
    if (!pt_ctx_place(ctx, &others, promise->job, PT_POOL_BIT(promise->pool))) return false;
    if (promise->count > 0) {
        copy_units(plan, plan->unit_capacity + promise->first, others);
        promise->moved = true;
    }
    return pt_ctx_try_assume(ctx, promise->job, others);
}

/* In a trial: who was promised units at that time, from before `before_ns` on, has them. */
static void world_at(struct pt_plan *plan, struct pt_ctx *ctx, uint32_t pool, int64_t at_ns,
                     int64_t before_ns)
{
    for (uint32_t i = 0; i < plan->count && plan->promise[i].start_ns < before_ns; i++) {
        struct pt_promise *promise = &plan->promise[i];
        if (promise->pool == pool && promise->end_ns > at_ns) (void)stand(plan, ctx, promise);
    }
}

/* Whether all who were promised a time from the i-th on, before `end_ns`, can start beside the job;
 * one trial for each such time. */
static bool others_start(struct pt_plan *plan, struct pt_ctx *ctx, const struct pt_ends *ends,
                         pt_job job, uint32_t i, int64_t end_ns, const struct pt_units *units)
{
    while (i < plan->count && plan->promise[i].start_ns < end_ns) {
        int64_t at_ns = plan->promise[i].start_ns;
        if (plan->promise[i].pool != units->pool) {
            i++;
            continue;
        }
        pt__ends_lift(ends, ctx, PT_POOL_BIT(units->pool), at_ns);
        bool all = pt_ctx_try_assume(ctx, job, units);
        if (all) world_at(plan, ctx, units->pool, at_ns, at_ns);
        for (; all && i < plan->count && plan->promise[i].start_ns == at_ns; i++)
            if (plan->promise[i].pool == units->pool) all = stand(plan, ctx, &plan->promise[i]);
        pt_ctx_try_abort(ctx);
        if (!all) return false;
    }
    return true;
}

/* What was moved in the trial is so from now on, or never was. */
static void settle(struct pt_plan *plan, bool keep)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct pt_promise *promise = &plan->promise[i];
        if (promise->moved && keep) {
            uint32_t from = plan->unit_capacity + promise->first;
            memcpy(plan->gpus + promise->first, plan->gpus + from,
                   promise->count * sizeof *plan->gpus);
            memcpy(plan->starts + promise->first, plan->starts + from, promise->count);
        }
        promise->moved = false;
    }
}

bool pt__plan_try(struct pt_plan *plan, struct pt_ctx *ctx, const struct pt_ends *ends, pt_job job,
                  uint32_t pool, int64_t at_ns, int64_t end_ns, struct pt_set *set, bool given)
{
    const struct pt_units *units;
    bool fits = given;
    /* Who is promised this very time chose before the job, unless the job really starts now. */
    int64_t from_ns = given ? at_ns : at_ns + 1;
    if (!given) {
        pt__ends_lift(ends, ctx, PT_POOL_BIT(pool), at_ns);
        world_at(plan, ctx, pool, at_ns, from_ns);
        fits = pt_ctx_place(ctx, &units, job, PT_POOL_BIT(pool));
        if (fits) pt__set_copy(set, units);
        pt_ctx_try_abort(ctx);
    }
    fits = fits &&
           others_start(plan, ctx, ends, job, begin_before(plan, from_ns), end_ns, &set->units);
    settle(plan, fits);
    return fits;
}
