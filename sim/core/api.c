#include "sim/core/engine.h"

#include <string.h>

/* What a policy may read and do: the table behind partita/policy.h. Nothing a policy passes in is
 * trusted. */

#define REFUSALS_MAX 1000 /* at one instant; a policy that insists is stopped */

static struct pt_sim *sim_of(struct pt_ctx *ctx)
{
    return (struct pt_sim *)ctx;
}
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

static uint32_t best_node(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted)
{
    struct pt_sim *sim = sim_of(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return PT_NONE;
    return pt__index_best(sim, &sim->pools[pool], search, job, wanted);
}

static bool take(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                 pt_job job, uint32_t node, uint32_t wanted)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count || units->pool >= sim->pool_count) return false;
    const struct pt_pool_state *pool = &sim->pools[units->pool];
    uint32_t local = node - pool->pool->first_node;
    if (node < pool->pool->first_node || local >= pool->pool->node_count) return false;
    if (sim->node_mark[node] == sim->mark || units->count + wanted > units->capacity) return false;
    const struct pt_class *class_ = pt__class(sim, job);
    if (pt__slots_room(sim, pool, node, class_, wanted) < wanted) return false;
    pt__slots_pick(sim, pool, node, class_, search->gpu_order, wanted, units->gpus + units->count,
                   units->starts + units->count);
    sim->node_mark[node] = sim->mark;
    units->count += wanted;
    return true;
}

static uint32_t gather(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                       pt_job job, uint32_t wanted, uint32_t nodes_max, uint32_t per_node)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count || units->pool >= sim->pool_count) return 0;
    if (units->count + wanted > units->capacity) return 0;
    return pt__index_gather(sim, &sim->pools[units->pool], units, search, job, wanted, nodes_max,
                            per_node);
}

static bool place(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count) return false;
    const struct pt_class *class_ = pt__class(sim, job);
    for (pools &= class_->pools; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        sim->units.pool = pool;
        sim->units.count = 0;
        sim->units.node = PT_NONE;
        pt__next_mark(sim);
        if (!sim->world.placement->place(ctx, &sim->units, job, pool)) continue;
        *units = &sim->units;
        return true;
    }
    return false;
}

static enum pt_status refuse(struct pt_sim *sim)
{
    sim->stats.refused++;
    if (++sim->refused_now > REFUSALS_MAX)
        pt__break(sim, PT_ERR_POLICY, "policy %s insists on illegal actions: %u refused at once",
                  sim->world.policy->name, REFUSALS_MAX);
    return PT_ERR_REFUSED;
}

/* Whether one more unit fits on the GPU. A nested GPU is tried on copies of its state: `trial_of`
 * is by GPU of the set, the states by place in it. */
static bool unit_fits(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu,
                      const struct pt_need *need, uint8_t start, uint32_t place)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    if (pool->nested != NULL) {
        struct pt_placed placed;
        if (sim->gpu_mark[gpu] != sim->mark) {
            sim->trial_of[gpu] = place;
            memcpy(sim->trial + place * PT_NESTED_STATE_MAX, pt__state_of(pool, gpu), pool->stride);
        }
        void *state = sim->trial + sim->trial_of[gpu] * PT_NESTED_STATE_MAX;
        return pool->nested->place(&placed, state, &pool->pool->shape, need, start);
    }
    return need->capacity <= pool->capacity - g->load &&
           g->residents < pool->pool->shape.residents_max &&
           (pool->free_clients == NULL ||
            need->clients <= pool->pool->shape.clients_max - sim->clients[gpu]) &&
           (!pool->bound_memory || need->mem_mib <= pool->pool->gpu->mem_mib - g->mem_used_mib);
}

/* Every GPU of the set is of the pool, up, and has the units and memory; counts them by node. */
static bool gpus_legal(struct pt_sim *sim, const struct pt_class *class_,
                       const struct pt_units *units)
{
    const struct pt_pool_state *pool = &sim->pools[units->pool];
    uint32_t gpus = pool->pool->node_count * pool->pool->gpus_per_node;
    const struct pt_need *need = pt__need(sim, class_, units->pool);
    bool distinct = pt__class_distinct(class_, pool), legal = true;
    uint32_t taken = 0;
    pt__next_mark(sim);
    for (; taken < units->count && legal; taken++) {
        uint32_t gpu = units->gpus[taken];
        if (gpu < pool->pool->first_gpu || gpu - pool->pool->first_gpu >= gpus) break;
        struct pt_gpu *g = &sim->gpus[gpu];
        uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[taken];
        legal = sim->nodes[g->node].up && !g->closed && !pt__node_held(sim, &sim->nodes[g->node]) &&
                (!distinct || sim->gpu_mark[gpu] != sim->mark) &&
                unit_fits(sim, pool, gpu, need, start, taken);
        sim->gpu_mark[gpu] = sim->mark;
        if (sim->node_mark[g->node] != sim->mark) {
            sim->node_mark[g->node] = sim->mark;
            sim->node_units[g->node] = 0;
        }
        sim->node_units[g->node]++;
        if (!legal) break;
        g->load += need->capacity; /* for the next unit on the same GPU; taken back below */
        g->residents++;
        if (pool->free_clients != NULL) sim->clients[gpu] += need->clients;
        if (pool->bound_memory) g->mem_used_mib += need->mem_mib;
    }
    legal &= taken == units->count;
    while (taken > 0) {
        struct pt_gpu *g = &sim->gpus[units->gpus[--taken]];
        g->load -= need->capacity;
        g->residents--;
        if (pool->free_clients != NULL) sim->clients[units->gpus[taken]] -= need->clients;
        if (pool->bound_memory) g->mem_used_mib -= need->mem_mib;
    }
    return legal;
}

/* Each node of the set has the CPUs and memory for its part, and there are not too many nodes. */
static bool nodes_legal(struct pt_sim *sim, const struct pt_class *class_,
                        const struct pt_units *units)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < units->count; i++) {
        uint32_t node = sim->gpus[units->gpus[i]].node, held = sim->node_units[node];
        const struct pt_node_state *n = &sim->nodes[node];
        if (held == 0) continue; /* counted before */
        nodes++;
        sim->node_units[node] = 0;
        uint64_t of = class_->units;
        if (n->cpus_free_milli != PT_NONE &&
            ((uint64_t)class_->cpus_milli * held + of - 1) / of > n->cpus_free_milli)
            return false;
        if (n->mem_free_mib != PT_NONE &&
            ((uint64_t)class_->mem_mib * held + of - 1) / of > n->mem_free_mib)
            return false;
    }
    return nodes <= class_->nodes_max;
}

static bool cpu_only_legal(const struct pt_sim *sim, const struct pt_class *class_,
                           const struct pt_units *units)
{
    const struct pt_pool_state *pool = &sim->pools[units->pool];
    if (units->node < pool->pool->first_node ||
        units->node - pool->pool->first_node >= pool->pool->node_count)
        return false;
    return pt__slots_room(sim, pool, units->node, class_, 1) > 0;
}

static bool start_legal(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    if (job >= sim->job_count || pt__state(sim, job) != PT_STATE_PENDING) return false;
    const struct pt_class *class_ = pt__class(sim, job);
    if (units->pool >= sim->pool_count || (class_->pools & PT_POOL_BIT(units->pool)) == 0)
        return false;
    if (units->count != class_->units) return false;
    if (units->count == 0) return cpu_only_legal(sim, class_, units);
    return gpus_legal(sim, class_, units) && nodes_legal(sim, class_, units);
}

/* More starts than one instant can need: a job starts once, and again only after running out of
 * memory where nothing is between two attempts. */
static uint64_t starts_max(const struct pt_sim *sim)
{
    const struct pt_retries *retries = &sim->world.retries;
    bool at_once = retries->backoff_ns == 0 && retries->oom != PT_NONE;
    return sim->job_count * (at_once ? (uint64_t)retries->oom + 1 : 1) + 1000;
}

static enum pt_status start(struct pt_ctx *ctx, pt_job job, const struct pt_units *units)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK) return sim->error.status;
    if (!start_legal(sim, job, units)) return refuse(sim);
    if (++sim->actions_now > starts_max(sim))
        pt__break(sim, PT_ERR_POLICY, "policy %s acts for ever at one instant: job %u starts again",
                  sim->world.policy->name, job);
    sim->acted = true;
    sim->stats.starts++;
    return pt__life_start(sim, job, units);
}

static enum pt_status wake_at(struct pt_ctx *ctx, int64_t time_ns)
{
    struct pt_sim *sim = sim_of(ctx);
    if (time_ns < sim->now_ns || time_ns == PT_NEVER) return refuse(sim);
    if (sim->wake_count == sim->wake_capacity) { /* doubles: not once per event */
        uint32_t capacity = sim->wake_capacity * 2;
        int64_t *wakes = realloc(sim->wakes, capacity * sizeof *wakes);
        if (wakes == NULL) {
            pt__break(sim, PT_ERR_MEMORY, "out of memory for %u timers", capacity);
            return PT_ERR_MEMORY;
        }
        sim->wakes = wakes;
        sim->wake_capacity = capacity;
    }
    uint32_t i = sim->wake_count++;
    for (; i > 0 && sim->wakes[(i - 1) / 2] > time_ns; i = (i - 1) / 2)
        sim->wakes[i] = sim->wakes[(i - 1) / 2];
    sim->wakes[i] = time_ns;
    return PT_OK;
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
    .best_node = best_node,
    .take = take,
    .gather = gather,
    .place = place,
    .start = start,
    .wake_at = wake_at,
};
