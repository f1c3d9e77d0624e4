#include "policies/backfill/promises.h"

/* Promises there is room for before the first is made; memory that is not touched costs nothing. */
#define RESERVED_MAX 16384u

enum pt_status pt__promises_init(struct pt_promises *promises, const struct pt_ctx *ctx,
                                 const struct pt_ends *ends, uint64_t *seen, struct pt_error *error)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    uint32_t most = jobs < RESERVED_MAX ? jobs : RESERVED_MAX;
    promises->ends = ends;
    pt__room_init(&promises->room, ctx, seen);
    bool ok = pt__plan_reserve(&promises->plan, most);
    for (uint32_t p = 0; ok && p < pt_view_pool_count(ctx); p++)
        ok = pt__profile_reserve(&promises->room.profile[p], 2 * most + 4);
    if (!ok)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the promises of %u jobs", most);
    PT_TRY(pt__set_init(&promises->planned, ctx, error));
    return pt__set_init(&promises->best, ctx, error);
}

void pt__promises_fini(struct pt_promises *promises)
{
    pt__room_fini(&promises->room);
    pt__plan_fini(&promises->plan);
    pt__set_fini(&promises->planned);
    pt__set_fini(&promises->best);
}

bool pt__promises_reset(struct pt_promises *promises, const struct pt_ctx *ctx)
{
    bool ok = pt__room_anew(&promises->room, ctx, promises->ends);
    pt__plan_reset(&promises->plan);
    return ok;
}

/* The earliest time at which the job could have the pool; in a pool that is not counted its units
 * then are in `planned`. */
static int64_t earliest(struct pt_promises *promises, struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    const struct pt_profile *profile = &promises->room.profile[pool];
    int64_t estimate_ns = pt__estimate_ns(promises->ends->trace, job),
            wanted = pt__room_amount(ctx, pool, job);
    int64_t at_ns = pt__profile_find(profile, pt_view_now_ns(ctx), estimate_ns, wanted);
    if (pt__room_counts(&promises->room, pool)) return at_ns;
    while (at_ns != PT_NEVER &&
           !pt__plan_try(&promises->plan, ctx, promises->ends, job, pool, at_ns,
                         pt__later(at_ns, estimate_ns), &promises->planned, false)) {
        at_ns = pt__profile_next(profile, at_ns);
        if (at_ns != PT_NEVER) at_ns = pt__profile_find(profile, at_ns, estimate_ns, wanted);
    }
    return at_ns;
}

enum pt_status pt__promises_take(struct pt_promises *promises, const struct pt_ctx *ctx,
                                 uint32_t pool, pt_job job, int64_t from_ns)
{
    int64_t to_ns = pt__later(from_ns, pt__estimate_ns(promises->ends->trace, job));
    bool ok = pt__profile_take(&promises->room.profile[pool], from_ns, to_ns,
                               pt__room_amount(ctx, pool, job));
    return ok ? PT_OK : PT_ERR_MEMORY;
}

enum pt_status pt__promises_make(struct pt_promises *promises, struct pt_ctx *ctx, pt_job job)
{
    int64_t best_ns = PT_NEVER;
    uint32_t best = PT_NONE;
    uint64_t rest = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; rest != 0; rest &= rest - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(rest);
        if (!pt_view_within_limit(ctx, pool, job)) continue; /* it blocks nobody */
        int64_t at_ns = earliest(promises, ctx, job, pool);
        if (at_ns >= best_ns) continue;
        best_ns = at_ns;
        best = pool;
        pt__set_copy(&promises->best, &promises->planned.units);
    }
    if (best == PT_NONE) return PT_OK; /* nobody knows when */
    if (!pt__room_counts(&promises->room, best) &&
        !pt__plan_add(&promises->plan, job, best_ns,
                      pt__later(best_ns, pt__estimate_ns(promises->ends->trace, job)),
                      &promises->best.units))
        return PT_ERR_MEMORY;
    return pt__promises_take(promises, ctx, best, job, best_ns);
}

bool pt__promises_keep(struct pt_promises *promises, struct pt_ctx *ctx, pt_job job,
                       struct pt_set *chosen)
{
    uint32_t pool = chosen->units.pool;
    int64_t now_ns = pt_view_now_ns(ctx);
    int64_t estimate_ns = pt__estimate_ns(promises->ends->trace, job);
    if (pt__profile_find(&promises->room.profile[pool], now_ns, estimate_ns,
                         pt__room_amount(ctx, pool, job)) != now_ns)
        return false;
    return pt__room_counts(&promises->room, pool) ||
           pt__plan_try(&promises->plan, ctx, promises->ends, job, pool, now_ns,
                        pt__later(now_ns, estimate_ns), chosen, true);
}
