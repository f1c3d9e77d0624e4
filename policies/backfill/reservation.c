#include "policies/backfill/reservation.h"

static uint32_t units_there(const struct pt_ctx *ctx, pt_job job, uint64_t pools)
{
    uint32_t units = 0;
    for (; pools != 0; pools &= pools - 1)
        units += pt_view_units_there(ctx, (uint32_t)__builtin_ctzll(pools), job);
    return units;
}

/* O(1) a pool: false where the head certainly does not fit. */
static bool may_fit(const struct pt_ctx *ctx, const struct pt_reservation *head)
{
    uint32_t wanted = pt_view_units_wanted(ctx, head->job);
    for (uint64_t pools = head->pools; pools != 0; pools &= pools - 1)
        if (pt_view_units_free(ctx, (uint32_t)__builtin_ctzll(pools), head->job) >= wanted)
            return true;
    return false;
}

/* The first time by which enough running jobs are expected to have ended. */
static void find_shadow(struct pt_reservation *head, const struct pt_ends *ends, struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    head->shadow_ns = PT_NEVER;
    head->spare = 0;
    for (uint32_t i = 0; i < ends->count && head->shadow_ns == PT_NEVER;) {
        int64_t at_ns = pt__ends_at(ends, i)->end_ns;
        if (at_ns < now_ns) at_ns = now_ns;
        bool lifted = false;
        for (; i < ends->count && pt__ends_at(ends, i)->end_ns <= at_ns; i++) {
            const struct pt_end *end = pt__ends_at(ends, i);
            if ((PT_POOL_BIT(end->pool) & head->pools) != 0)
                lifted |= pt_ctx_try_lift(ctx, end->job);
        }
        const struct pt_units *units;
        if (!lifted || !may_fit(ctx, head)) continue;
        if (!pt_ctx_place(ctx, &units, head->job, head->pools)) continue;
        head->shadow_ns = at_ns;
        if (head->whole_pool != PT_NONE)
            head->spare = pt_view_units_free(ctx, head->whole_pool, head->job) - units->count;
    }
    pt_ctx_try_abort(ctx);
}

void pt__reserve(struct pt_reservation *head, const struct pt_ends *ends, struct pt_ctx *ctx,
                 pt_job job, uint64_t pools, bool holds)
{
    uint32_t there = units_there(ctx, job, pools);
    if (holds && head->job == job && head->pools == pools && head->there == there) return;
    *head =
        (struct pt_reservation){.job = job, .pools = pools, .there = there, .whole_pool = PT_NONE};
    if ((pools & (pools - 1)) == 0) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
        bool whole = p->shape.capacity == 1 && p->shape.residents_max == 1;
        if (whole && pt_view_units_wanted(ctx, job) > 0) head->whole_pool = pool;
    }
    find_shadow(head, ends, ctx);
}

bool pt__ends_by(const struct pt_reservation *head, const struct pt_ctx *ctx, int64_t estimate_ns)
{
    return head->shadow_ns == PT_NEVER ||
           pt__later(pt_view_now_ns(ctx), estimate_ns) <= head->shadow_ns;
}

bool pt__fits_beside(struct pt_reservation *head, const struct pt_ends *ends, struct pt_ctx *ctx,
                     pt_job job, const struct pt_units *chosen)
{
    const struct pt_units *units;
    if (head->whole_pool != PT_NONE && chosen->count > head->spare) return false;
    int64_t now_ns = pt_view_now_ns(ctx);
    int64_t by_ns = head->shadow_ns > now_ns ? head->shadow_ns : now_ns;
    pt__ends_lift(ends, ctx, head->pools, by_ns);
    bool fits = pt_ctx_try_assume(ctx, job, chosen) && may_fit(ctx, head) &&
                pt_ctx_place(ctx, &units, head->job, head->pools);
    pt_ctx_try_abort(ctx);
    if (fits && head->whole_pool != PT_NONE) head->spare -= chosen->count;
    return fits;
}
