#include "sim/core/verbs.h"

#include <string.h>

/* What a policy may read, and the table behind partita/policy.h. Nothing a policy passes in is
 * trusted. */

static const struct pt_sim *sim_in(const struct pt_ctx *ctx)
{
    return (const struct pt_sim *)ctx;
}

static int64_t now_ns(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->now_ns;
}
static const struct pt_trace *trace(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->world.trace;
}
static uint32_t class_count(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->class_count;
}
static uint32_t class_of(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    return sim->class_of == NULL || job >= sim->job_count ? 0 : sim->class_of[job];
}
static uint64_t class_pools(const struct pt_ctx *ctx, uint32_t class_id)
{
    const struct pt_sim *sim = sim_in(ctx);
    return class_id < sim->class_count ? sim->classes[class_id].pools : 0;
}

static pt_job class_next_pending(const struct pt_ctx *ctx, uint32_t class_id, pt_job after)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (class_id >= sim->class_count) return PT_NONE;
    const struct pt_class *class_ = &sim->classes[class_id];
    uint32_t place = class_->first;
    if (after != PT_NONE && after < sim->job_count)
        place = (sim->place == NULL ? after : sim->place[after]) + 1;
    place = pt_bitset_next(&sim->pending, place);
    if (place == PT_NONE || place >= class_->first + class_->count) return PT_NONE;
    return sim->job_at == NULL ? place : sim->job_at[place];
}

static uint32_t pending_count(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->pending_count;
}
static uint32_t pool_count(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->pool_count;
}
static uint32_t units_wanted(const struct pt_ctx *ctx, pt_job job)
{
    return job < sim_in(ctx)->job_count ? pt__class(sim_in(ctx), job)->units : 0;
}
static uint32_t nodes_allowed(const struct pt_ctx *ctx, pt_job job)
{
    return job < sim_in(ctx)->job_count ? pt__class(sim_in(ctx), job)->nodes_max : 0;
}
static uint32_t node_size(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return 0;
    const struct pt_class *class_ = pt__class(sim, job);
    return sim->node_room[(size_t)(class_ - sim->classes) * sim->pool_count + pool];
}

static const struct pt_need *need(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    static const struct pt_need nothing = {.profile = PT_PROFILE_NONE};
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return &nothing;
    return pt__need_of(sim, job, pool);
}

static uint32_t busy_slices(const struct pt_ctx *ctx, uint32_t gpu)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (gpu >= sim->world.cluster->gpu_count) return 0;
    uint32_t p = sim->world.cluster->nodes[sim->gpus[gpu].node].pool;
    const struct pt_pool_state *pool = &sim->pools[p];
    if (pool->nested == NULL) return 0;
    return pool->nested->busy_slices(pt__state_of(pool, gpu), &pool->pool->shape);
}
static uint32_t units_free(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return 0;
    const struct pt_class *class_ = pt__class(sim, job);
    if (class_->units == 0) return PT_NONE;
    const struct pt_pool_state *p = &sim->pools[pool];
    uint32_t each = pt__need(sim, class_, pool)->capacity;
    if (each == 0) return PT_NONE; /* memory alone counts */
    uint64_t units = pt__class_distinct(class_, p) ? p->open_gpus : p->free_units / each;
    return units < PT_NONE ? (uint32_t)units : PT_NONE;
}

static const struct pt_cluster *cluster(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->world.cluster;
}
static uint64_t seed(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->world.seed;
}
static const struct pt_placement_ops *placement(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->world.placement;
}
static const struct pt_preemption *preemption(const struct pt_ctx *ctx)
{
    return &sim_in(ctx)->world.preemption;
}
static uint32_t class_size(const struct pt_ctx *ctx, uint32_t class_id)
{
    const struct pt_sim *sim = sim_in(ctx);
    return class_id < sim->class_count ? sim->classes[class_id].count : 0;
}
static uint64_t pools_up(const struct pt_ctx *ctx)
{
    const struct pt_sim *sim = sim_in(ctx);
    uint64_t pools = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (sim->pools[p].up_gpus > 0) pools |= PT_POOL_BIT(p);
    return pools;
}
static uint32_t units_there(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return 0;
    const struct pt_class *class_ = pt__class(sim, job);
    const struct pt_pool_state *p = &sim->pools[pool];
    if (class_->units == 0) return PT_NONE;
    uint64_t nodes = p->up_gpus / p->pool->gpus_per_node;
    uint64_t units =
        nodes * sim->node_room[(size_t)(class_ - sim->classes) * sim->pool_count + pool];
    return units < PT_NONE ? (uint32_t)units : PT_NONE;
}

static const struct pt_live *live_in(const struct pt_sim *sim, pt_job job)
{
    if (job >= sim->job_count || sim->live_of[job] == PT_NONE) return NULL;
    return &sim->live[sim->live_of[job]];
}
static enum pt_job_state state(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    return job < sim->job_count ? pt__state(sim, job) : PT_STATE_FUTURE;
}
static int64_t left_ns(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    const struct pt_live *live = live_in(sim, job);
    if (live == NULL) {
        bool ended = job >= sim->job_count || pt_job_state_is_final(pt__state(sim, job));
        return ended ? 0 : sim->work_ns[job];
    }
    pt_u128 left = live->left;
    if (live->speed != 0) {
        pt_u128 done =
            pt__speed(live->speed, live->speed_bits) * (uint64_t)(sim->now_ns - live->last_ns);
        left = done < left ? left - done : 0;
    }
    return (int64_t)((left + PT_SPEED_ONE - 1) >> 60);
}
static int64_t served_ns(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    const struct pt_live *live = live_in(sim, job);
    if (live == NULL) return 0;
    return live->running_ns + (live->running ? sim->now_ns - live->attempt_ns : 0);
}
static int64_t first_start_ns(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    const struct pt_live *live = live_in(sim, job);
    return live == NULL || !pt__started(sim, job) ? PT_NEVER : live->start_ns;
}
static int64_t attempt_ns(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_live *live = live_in(sim_in(ctx), job);
    return live == NULL || !live->running ? PT_NEVER : live->attempt_ns;
}
static uint32_t held_pool(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_live *live = live_in(sim_in(ctx), job);
    return live == NULL || !(live->running || live->waiting > 0) ? PT_NONE : live->pool;
}
static uint32_t held_gpus(const struct pt_ctx *ctx, pt_job job, uint32_t *gpus, uint32_t capacity)
{
    const struct pt_sim *sim = sim_in(ctx);
    const struct pt_live *live = live_in(sim, job);
    uint32_t count = 0;
    if (live == NULL) return 0;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next, count++)
        if (count < capacity) gpus[count] = sim->member[m].gpu;
    return count;
}
static uint32_t running_count(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->running_count;
}
static pt_job running_at(const struct pt_ctx *ctx, uint32_t index)
{
    const struct pt_sim *sim = sim_in(ctx);
    return index < sim->running_count ? sim->live[sim->running[index]].job : PT_NONE;
}
static struct pt_rank rank(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    struct pt_rank none = {0, true, true};
    if (job >= sim->job_count) return none;
    uint32_t word = pt_trace_u32(sim->world.trace, PT_COL_PRIORITY, job);
    if (word != PT_NONE && sim->world.rank_of_word != NULL) return sim->world.rank_of_word[word];
    if (sim->world.rank_of_tenant != NULL) return sim->world.rank_of_tenant[pt__tenant(sim, job)];
    return none;
}
static bool preemptible(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    const struct pt_live *live = live_in(sim, job);
    if (live == NULL || !live->running || live->saving ||
        sim->world.preemption.mode == PT_PREEMPTION_NONE)
        return false;
    return pt_trace_bool(sim->world.trace, PT_COL_PREEMPTIBLE, job) != 0 &&
           rank(ctx, job).preemptible;
}
static uint32_t tenant_count(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->world.tenant_count;
}
static uint32_t tenant_of(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    return job < sim->job_count ? pt__tenant(sim, job) : 0;
}
static const struct pt_tenant_facts *tenant(const struct pt_ctx *ctx, uint32_t index)
{
    static const struct pt_tenant_facts nobody = {.name = "default",
                                                  .parent = PT_NONE,
                                                  .weight = 1,
                                                  .over_quota_weight = 1,
                                                  .quota = PT_QUOTA_NONE,
                                                  .limit = PT_QUOTA_NONE,
                                                  .borrowing_limit = PT_QUOTA_NONE,
                                                  .lending_limit = PT_QUOTA_NONE};
    const struct pt_sim *sim = sim_in(ctx);
    if (sim->world.tenants == NULL || index >= sim->world.tenant_count) return &nobody;
    return &sim->world.tenants[index];
}
static uint64_t parts_per_gpu(const struct pt_ctx *ctx)
{
    return sim_in(ctx)->parts_per_gpu;
}
static uint64_t parts(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return 0;
    return pt__parts(sim, pt__class(sim, job), pool);
}
static bool within_limit(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return false;
    return pt__within_limit(sim, job, pool);
}
static void gpu(struct pt_gpu_facts *facts, const struct pt_ctx *ctx, uint32_t index)
{
    const struct pt_sim *sim = sim_in(ctx);
    *facts = (struct pt_gpu_facts){.node = PT_NONE, .pool = PT_NONE};
    if (index >= sim->world.cluster->gpu_count) return;
    const struct pt_gpu *g = &sim->gpus[index];
    const struct pt_node_state *node = &sim->nodes[g->node];
    facts->node = g->node;
    facts->pool = sim->world.cluster->nodes[g->node].pool;
    const struct pt_pool_state *pool = &sim->pools[facts->pool];
    facts->load = g->load;
    facts->capacity = pool->capacity;
    facts->residents = g->residents;
    facts->mem_used_mib = g->mem_used_mib;
    facts->mem_mib = pool->pool->gpu->mem_mib;
    facts->in_service = node->up && !g->closed && !g->claimed && !pt__node_held(sim, node);
}
static uint32_t gpu_jobs(const struct pt_ctx *ctx, uint32_t index, pt_job *jobs, uint32_t capacity)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (index >= sim->world.cluster->gpu_count) return 0;
    uint32_t count = 0, first = sim->gpus[index].first;
    for (uint32_t m = first; m != PT_NONE; count++) {
        if (count < capacity) jobs[count] = sim->live[sim->member[m].live].job;
        m = sim->member[m].gpu_next == first ? PT_NONE : sim->member[m].gpu_next;
    }
    return count;
}
static uint64_t rate(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return 0;
    return pt__rate_of_job(sim, job, pool);
}
static uint32_t node_room(const struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t enough)
{
    const struct pt_sim *sim = sim_in(ctx);
    if (node >= sim->world.cluster->node_count || job >= sim->job_count) return 0;
    const struct pt_class *class_ = pt__class(sim, job);
    uint32_t pool = sim->world.cluster->nodes[node].pool;
    if ((class_->pools & PT_POOL_BIT(pool)) == 0) return 0;
    uint32_t room = pt__slots_room(sim, &sim->pools[pool], node, class_, enough);
    return room < enough ? room : enough;
}

static void starts(uint32_t masks[PT_DISTURBS_LEVELS], const struct pt_ctx *ctx, uint32_t index,
                   pt_job job)
{
    const struct pt_sim *sim = sim_in(ctx);
    for (unsigned level = 0; level < PT_DISTURBS_LEVELS; level++)
        masks[level] = 0;
    if (index >= sim->world.cluster->gpu_count || job >= sim->job_count) return;
    const struct pt_gpu *g = &sim->gpus[index];
    const struct pt_node_state *node = &sim->nodes[g->node];
    uint32_t p = sim->world.cluster->nodes[g->node].pool;
    const struct pt_pool_state *pool = &sim->pools[p];
    if (pool->nested == NULL || (pt__class(sim, job)->pools & PT_POOL_BIT(p)) == 0) return;
    if (!node->up || !pt__gpu_open(g) || pt__node_held(sim, node)) return;
    const struct pt_need *need = pt__need_of(sim, job, p);
    uint32_t left = pool->pool->gpu->mig->profiles[need->profile].starts;
    for (; left != 0; left &= left - 1) {
        _Alignas(16) unsigned char copy[PT_NESTED_STATE_MAX];
        struct pt_placed placed;
        uint8_t start = (uint8_t)__builtin_ctz(left);
        memcpy(copy, pt__state_of(pool, index), pool->nested->state_size);
        if (!pool->nested->place(&placed, copy, &pool->pool->shape, need, start)) continue;
        masks[placed.destroyed > 0 ? 2 : placed.created > 0] |= 1u << start;
    }
}

const struct pt_api pt__api = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_api),
    .now_ns = now_ns,
    .trace = trace,
    .class_count = class_count,
    .class_of = class_of,
    .class_pools = class_pools,
    .class_next_pending = class_next_pending,
    .pending_count = pending_count,
    .pool_count = pool_count,
    .units_wanted = units_wanted,
    .nodes_allowed = nodes_allowed,
    .node_size = node_size,
    .units_free = units_free,
    .need = need,
    .busy_slices = busy_slices,
    .cluster = cluster,
    .seed = seed,
    .preemption = preemption,
    .class_size = class_size,
    .pools_up = pools_up,
    .units_there = units_there,
    .state = state,
    .left_ns = left_ns,
    .served_ns = served_ns,
    .first_start_ns = first_start_ns,
    .attempt_ns = attempt_ns,
    .held_pool = held_pool,
    .held_gpus = held_gpus,
    .running_count = running_count,
    .running_at = running_at,
    .rank = rank,
    .preemptible = preemptible,
    .tenant_count = tenant_count,
    .tenant_of = tenant_of,
    .tenant = tenant,
    .parts_per_gpu = parts_per_gpu,
    .parts = parts,
    .within_limit = within_limit,
    .gpu = gpu,
    .gpu_jobs = gpu_jobs,
    .rate = rate,
    .node_room = node_room,
    .starts = starts,
    .best_node = pt__do_best_node,
    .take = pt__do_take,
    .gather = pt__do_gather,
    .next_node = pt__do_next_node,
    .node_key = pt__do_node_key,
    .place = pt__do_place,
    .start = pt__do_start,
    .wake_at = pt__do_wake_at,
    .why = pt__do_why,
    .say = pt__do_say,
    .preempt = pt__do_preempt,
    .kill = pt__do_kill,
    .decline = pt__do_decline,
    .try_lift = pt__do_try_lift,
    .try_unlift = pt__do_try_unlift,
    .try_assume = pt__do_try_assume,
    .try_abort = pt__do_try_abort,
    .try_commit = pt__do_try_commit,
    .placement = placement,
};
