#include "policies/order/service.h"

enum pt_status pt__service_init(struct pt_ranked *order, const struct pt_ctx *ctx,
                                const struct pt_value *values, const struct pt_ranked_rule *rule,
                                struct pt_error *error)
{
    struct pt_value shared[PT_RANKED_OWN] = {[PT_RANKED_BLOCKING] = values[PT_RANKED_BLOCKING]};
    return pt__ranked_init(order, ctx, shared, rule, error);
}

uint64_t pt__gpus_asked(const struct pt_ctx *ctx, pt_job job)
{
    uint32_t part = pt_trace_u32(pt_view_trace(ctx), PT_COL_GPU_FRAC, job);
    return pt_view_units_wanted(ctx, job) * (part == PT_NONE ? (uint64_t)PT_PPM_ONE : part);
}

pt_u128 pt__service(const struct pt_ctx *ctx, pt_job job, bool by_gpus, int64_t before_ns)
{
    pt_u128 time = (uint64_t)(pt_view_served_ns(ctx, job) - before_ns);
    pt_u128 service = time * (by_gpus ? pt__gpus_asked(ctx, job) : PT_PPM_ONE);
    return service < PT_QUEUE_LAST ? service : PT_QUEUE_LAST - 1;
}

void pt__rounds_init(struct pt_rounds *rounds, int64_t every_ns)
{
    *rounds = (struct pt_rounds){.every_ns = every_ns, .next_ns = PT_NEVER};
}

void pt__rounds_now(struct pt_ranked *order, struct pt_ctx *ctx)
{
    for (uint32_t i = 0; order->stops && i < pt_view_running_count(ctx); i++) {
        pt_job job = pt_view_running_at(ctx, i);
        if (order->running.place[job] == 0) continue; /* not to be stopped */
        pt__running_add(&order->running, job, pt_view_held_pool(ctx, job),
                        order->rule->key(order, ctx, job));
    }
    pt__ranked_on_release(order, ctx, UINT64_MAX);
}

void pt__rounds_on_timer(struct pt_rounds *rounds, struct pt_ranked *order, struct pt_ctx *ctx)
{
    if (pt_view_now_ns(ctx) < rounds->next_ns) return;
    rounds->next_ns = PT_NEVER;
    pt__rounds_now(order, ctx);
}

enum pt_status pt__rounds_schedule(struct pt_rounds *rounds, struct pt_ranked *order,
                                   struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    PT_TRY(pt__ranked_schedule(order, ctx));
    bool needed = order->stops && pt_view_pending_count(ctx) > 0 && pt_view_running_count(ctx) > 0;
    if (!needed || rounds->next_ns != PT_NEVER || rounds->every_ns > PT_TIME_MAX - now_ns)
        return PT_OK;
    rounds->next_ns = now_ns + rounds->every_ns;
    PT_TRY(pt_ctx_wake_at(ctx, rounds->next_ns));
    pt__rounds_now(order, ctx);
    return pt__ranked_schedule(order, ctx);
}
