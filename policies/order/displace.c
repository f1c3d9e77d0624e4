#include "policies/order/displace.h"

struct search {
    struct pt_running *running;
    struct pt_ctx *ctx;
    pt_job job;
    uint32_t pool;
    pt_u128 key;
    uint64_t wanted, free_before, lifted; /* units: of the job, free at first, of those lifted */
    const struct pt_units *units;         /* where it fits */
};

/* Units that this running job may give up to a job that wants `each` of a GPU's capacity: an upper
 * bound in any sharing mode. */
static uint64_t gives(const struct pt_ctx *ctx, uint32_t pool, pt_job job, uint32_t each)
{
    uint64_t units = pt_view_units_wanted(ctx, job);
    uint32_t own = pt_view_need(ctx, pool, job)->capacity;
    return own <= each ? units : units * ((own + each - 1) / each);
}

/* Takes the worst of the others; false if nobody is left who is worse than the job. */
static bool take_worst(struct search *s, pt_job *other)
{
    pt_u128 worst = pt__running_worst(s->running, s->ctx, s->pool);
    if (pt__rank_key(worst) <= s->key) return false;
    pt__running_take(s->running, s->pool);
    *other = pt__rank_job(worst);
    return true;
}

/* Takes the worst until so many units might be free; false if there are not so many. */
static bool take_enough(struct search *s)
{
    uint32_t each = pt_view_need(s->ctx, s->pool, s->job)->capacity;
    bool countable = s->wanted > 0 && each > 0; /* else memory or the host alone decides */
    pt_job other;
    s->free_before = pt_view_units_free(s->ctx, s->pool, s->job);
    uint64_t units = s->free_before;
    do {
        if (!take_worst(s, &other)) return false;
        if (countable) units += gives(s->ctx, s->pool, other, each);
    } while (countable && units < s->wanted);
    return true;
}

static bool fits(struct search *s)
{
    return pt_view_units_free(s->ctx, s->pool, s->job) >= s->wanted &&
           pt_ctx_place(s->ctx, &s->units, s->job, PT_POOL_BIT(s->pool));
}

/* Lifts those taken, and takes and lifts more until it fits. */
static bool lift_enough(struct search *s)
{
    for (uint32_t i = 0;; i++) {
        pt_job other;
        if (i < s->running->pools[s->pool].taken)
            other = pt__rank_job(pt__running_taken(s->running, s->pool, i));
        else if (!take_worst(s, &other))
            return false;
        /* one that has just moved may still wait for its instances there */
        if (!pt_view_preemptible(s->ctx, other) || !pt_ctx_try_lift(s->ctx, other)) continue;
        s->lifted += pt_view_units_wanted(s->ctx, other);
        if (fits(s)) return true;
    }
}

/* Who can stay does, from the least on; the last one lifted made it fit, so he can't. Of whole GPUs
 * each lifted job has freed just what it holds: those with more than is left over are not asked. */
static bool keep_others(struct search *s)
{
    uint32_t taken = s->running->pools[s->pool].taken;
    uint64_t spare = UINT64_MAX, now_free = pt_view_units_free(s->ctx, s->pool, s->job);
    if (taken > 1 && pt_view_cluster(s->ctx)->pools[s->pool].shape.capacity == 1 &&
        now_free == s->free_before + s->lifted)
        spare = now_free - s->wanted;
    bool moved = false;
    for (uint32_t i = taken - 1; i-- > 0;) {
        pt_job other = pt__rank_job(pt__running_taken(s->running, s->pool, i));
        uint32_t units = pt_view_units_wanted(s->ctx, other);
        if (units > spare || !pt_ctx_try_unlift(s->ctx, other)) continue;
        moved = true;
        if (fits(s)) {
            if (spare != UINT64_MAX) spare -= units;
        } else if (!pt_ctx_try_lift(s->ctx, other)) {
            return false;
        }
    }
    return (!moved || fits(s)) && pt_ctx_try_assume(s->ctx, s->job, s->units);
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
        struct search s = {.running = running,
                           .ctx = ctx,
                           .job = job,
                           .pool = (uint32_t)__builtin_ctzll(pools),
                           .key = key,
                           .wanted = pt_view_units_wanted(ctx, job)};
        if (!pt_view_within_limit(ctx, s.pool, job)) continue;
        bool enough = take_enough(&s), good = enough && lift_enough(&s) && keep_others(&s);
        pt__running_put_back(running, s.pool);
        if (good) return true;
        if (enough) pt_ctx_try_abort(ctx);
    }
    return false;
}
