#include "policies/order/displace.h"

/* Units that this running job may give up to a job that wants `each` of a GPU's capacity: an upper
 * bound in any sharing mode. */
static uint64_t gives(const struct pt_ctx *ctx, uint32_t pool, pt_job job, uint32_t each)
{
    uint64_t units = pt_view_units_wanted(ctx, job);
    uint32_t own = pt_view_need(ctx, pool, job)->capacity;
    return own <= each ? units : units * ((own + each - 1) / each);
}

/* Takes the worst jobs until so many units might be free; false if there are not so many. */
static bool take_enough(struct pt_running *running, const struct pt_ctx *ctx, pt_job job,
                        pt_u128 key, uint32_t pool)
{
    uint32_t each = pt_view_need(ctx, pool, job)->capacity;
    uint64_t wanted = pt_view_units_wanted(ctx, job), units = pt_view_units_free(ctx, pool, job);
    bool countable = wanted > 0 && each > 0; /* else memory or the host alone decides */
    while (running->pools[pool].taken == 0 || (countable && units < wanted)) {
        pt_u128 worst = pt__running_worst(running, ctx, pool);
        if (pt__rank_key(worst) <= key) return false;
        pt__running_take(running, pool);
        if (countable) units += gives(ctx, pool, pt__rank_job(worst), each);
    }
    return true;
}

static bool fits(struct pt_ctx *ctx, pt_job job, uint32_t pool, const struct pt_units **units)
{
    return pt_view_units_free(ctx, pool, job) >= pt_view_units_wanted(ctx, job) &&
           pt_ctx_place(ctx, units, job, PT_POOL_BIT(pool));
}

/* Lifts those taken, and takes and lifts more until it fits. */
static bool lift_enough(struct pt_running *running, struct pt_ctx *ctx, pt_job job, pt_u128 key,
                        uint32_t pool)
{
    const struct pt_units *units;
    for (uint32_t i = 0;; i++) {
        if (i == running->pools[pool].taken) {
            pt_u128 worst = pt__running_worst(running, ctx, pool);
            if (pt__rank_key(worst) <= key) return false;
            pt__running_take(running, pool);
        }
        if (pt_ctx_try_lift(ctx, pt__rank_job(pt__running_taken(running, pool, i))) &&
            fits(ctx, job, pool, &units))
            return true;
    }
}

/* Who can stay does, from the least on; the last one lifted made it fit, so he can't. */
static bool keep_others(const struct pt_running *running, struct pt_ctx *ctx, pt_job job,
                        uint32_t pool)
{
    const struct pt_units *units;
    for (uint32_t i = running->pools[pool].taken - 1; i-- > 0;) {
        pt_job other = pt__rank_job(pt__running_taken(running, pool, i));
        if (!pt_ctx_try_unlift(ctx, other)) continue;
        if (!fits(ctx, job, pool, &units) && !pt_ctx_try_lift(ctx, other)) return false;
    }
    return pt_ctx_place(ctx, &units, job, PT_POOL_BIT(pool)) && pt_ctx_try_assume(ctx, job, units);
}

/* Whether it can be started at all where victims have to be saved first: units without a GPU can't
 * be waited for. */
static bool may_wait(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_preemption *how = pt_view_preemption(ctx);
    return pt_view_units_wanted(ctx, job) > 0 ||
           (how->save_base_ns == 0 && how->save_per_gib_ns == 0);
}

bool pt__displace(struct pt_running *running, struct pt_ctx *ctx, pt_job job, pt_u128 key,
                  uint64_t pools)
{
    if (!may_wait(ctx, job)) return false;
    for (; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (!pt_view_within_limit(ctx, pool, job)) continue;
        bool lifted = take_enough(running, ctx, job, key, pool);
        bool good = lifted && lift_enough(running, ctx, job, key, pool) &&
                    keep_others(running, ctx, job, pool);
        pt__running_put_back(running, pool);
        if (good) return true;
        if (lifted) pt_ctx_try_abort(ctx);
    }
    return false;
}
