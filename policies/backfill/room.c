#include "policies/backfill/room.h"

/* Whether units of the pool are all alike to the job. */
static bool alike(const struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
    uint32_t units = pt_view_units_wanted(ctx, job), nodes = pt_view_nodes_allowed(ctx, job);
    if (p->shape.capacity != 1 || p->shape.residents_max != 1) return false;
    if (p->cpus_milli_per_node != PT_NONE && pt_trace_u32(trace, PT_COL_CPUS, job) != 0)
        return false;
    if (p->mem_mib_per_node != PT_NONE && pt_trace_u32(trace, PT_COL_MEM, job) != 0) return false;
    return units <= 1 || nodes >= p->node_count;
}

void pt__room_init(struct pt_room *room, const struct pt_ctx *ctx, uint64_t *seen)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    for (uint32_t p = 0; p < PT_POOLS_MAX; p++)
        room->sample[p] = PT_NONE;
    room->counted = UINT64_MAX;
    for (pt_job job = 0; job < jobs; job++) {
        uint32_t class_id = pt_view_class_of(ctx, job);
        if (seen[class_id] != 0) continue; /* its class was looked at */
        seen[class_id] = UINT64_MAX;
        for (uint64_t rest = pt_view_class_pools(ctx, class_id); rest != 0; rest &= rest - 1) {
            uint32_t pool = (uint32_t)__builtin_ctzll(rest);
            if (!alike(ctx, job, pool)) room->counted &= ~PT_POOL_BIT(pool);
            if (pt_view_units_wanted(ctx, job) > 0) room->sample[pool] = job;
        }
    }
}

void pt__room_fini(struct pt_room *room)
{
    for (uint32_t p = 0; p < PT_POOLS_MAX; p++)
        pt__profile_fini(&room->profile[p]);
}

int64_t pt__room_amount(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return (int64_t)pt_view_units_wanted(ctx, job) * pt_view_need(ctx, pool, job)->capacity;
}

static int64_t free_now(const struct pt_room *room, const struct pt_ctx *ctx, uint32_t pool)
{
    const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
    if (room->sample[pool] == PT_NONE) return 0;
    if (pt__room_counts(room, pool)) return pt_view_units_free(ctx, pool, room->sample[pool]);
    int64_t free = (int64_t)p->node_count * p->gpus_per_node * p->shape.capacity;
    uint32_t running = pt_view_running_count(ctx);
    for (uint32_t i = 0; i < running; i++) {
        pt_job job = pt_view_running_at(ctx, i);
        if (pt_view_held_pool(ctx, job) == pool) free -= pt__room_amount(ctx, pool, job);
    }
    return free;
}

bool pt__room_anew(struct pt_room *room, const struct pt_ctx *ctx, const struct pt_ends *ends)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    bool ok = true;
    for (uint32_t p = 0; p < pt_view_pool_count(ctx); p++) {
        ok = ok && pt__profile_reset(&room->profile[p], now_ns, free_now(room, ctx, p));
        if (room->sample[p] != PT_NONE)
            room->there[p] = pt_view_units_there(ctx, p, room->sample[p]);
    }
    for (uint32_t i = 0; ok && i < ends->count; i++) {
        const struct pt_end *end = pt__ends_at(ends, i);
        ok = pt__profile_append(&room->profile[end->pool],
                                end->end_ns < now_ns ? now_ns : end->end_ns,
                                pt__room_amount(ctx, end->pool, end->job));
    }
    return ok;
}

bool pt__room_changed(const struct pt_room *room, const struct pt_ctx *ctx)
{
    for (uint32_t p = 0; p < pt_view_pool_count(ctx); p++)
        if (room->sample[p] != PT_NONE &&
            room->there[p] != pt_view_units_there(ctx, p, room->sample[p]))
            return true;
    return false;
}
