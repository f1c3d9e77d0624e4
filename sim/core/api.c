#include "sim/core/verbs.h"

#include <string.h>

/* How a policy places and starts jobs. Nothing a policy passes in is trusted. */

#define REFUSALS_MAX 1000 /* at one instant; a policy that insists is stopped */

static struct pt_sim *sim_of(struct pt_ctx *ctx)
{
    return (struct pt_sim *)ctx;
}

uint32_t pt__do_best_node(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted)
{
    struct pt_sim *sim = sim_of(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return PT_NONE;
    return pt__index_best(sim, &sim->pools[pool], search, job, wanted);
}

bool pt__do_take(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
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

uint32_t pt__do_gather(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                       pt_job job, uint32_t wanted, uint32_t nodes_max, uint32_t per_node)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count || units->pool >= sim->pool_count) return 0;
    if (units->count + wanted > units->capacity) return 0;
    return pt__index_gather(sim, &sim->pools[units->pool], units, search, job, wanted, nodes_max,
                            per_node);
}

uint32_t pt__do_next_node(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted, uint32_t from)
{
    struct pt_sim *sim = sim_of(ctx);
    if (pool >= sim->pool_count || job >= sim->job_count) return PT_NONE;
    return pt__index_next(sim, &sim->pools[pool], search, job, wanted, from);
}

uint64_t pt__do_node_key(struct pt_ctx *ctx, const struct pt_search *search, pt_job job,
                         uint32_t node, uint32_t wanted)
{
    struct pt_sim *sim = sim_of(ctx);
    if (node >= sim->world.cluster->node_count || job >= sim->job_count) return PT_KEY_NONE;
    uint32_t pool = sim->world.cluster->nodes[node].pool;
    if ((pt__class(sim, job)->pools & PT_POOL_BIT(pool)) == 0) return PT_KEY_NONE;
    return pt__index_key(sim, &sim->pools[pool], search, job, node, wanted);
}

/* Whether the pool has the units that the class wants, wherever they are; O(1). */
static bool enough_units(const struct pt_sim *sim, const struct pt_class *class_, uint32_t pool)
{
    const struct pt_pool_state *p = &sim->pools[pool];
    if (class_->units == 0) return true;
    const struct pt_need *need = pt__need(sim, class_, pool);
    if (need->capacity == 0) return true; /* by memory alone: full GPUs take it too */
    uint64_t units = pt__class_distinct(class_, p) ? p->open_gpus : p->free_units / need->capacity;
    return units >= class_->units;
}

/* Why the placement found nothing in the pool; O(1), so it looks at the pool's sums alone. */
static enum pt_reason why_not(const struct pt_sim *sim, const struct pt_class *class_,
                              uint32_t pool)
{
    const struct pt_pool_state *p = &sim->pools[pool];
    bool host = p->bound_host && (class_->cpus_milli != 0 || class_->mem_mib != 0);
    if (class_->units == 0) return PT_REASON_HOST_BUSY;
    const struct pt_need *need = pt__need(sim, class_, pool);
    if (!enough_units(sim, class_, pool)) return PT_REASON_NO_GPU;
    if (p->nested != NULL) return PT_REASON_MIG_START;
    if (class_->units > 1) return PT_REASON_GANG;
    if (host) return PT_REASON_HOST_BUSY;
    return p->bound_memory && need->mem_mib != 0 ? PT_REASON_MEMORY_BUSY : PT_REASON_NO_GPU;
}

/* The pool of the set that the placement wants tried first; PT_NONE = none is left. */
static uint32_t next_pool(struct pt_sim *sim, pt_job job, uint64_t pools)
{
    const struct pt_placement_ops *placement = sim->world.placement;
    if (pools == 0) return PT_NONE;
    uint32_t best = (uint32_t)__builtin_ctzll(pools);
    if (placement->pool_key == NULL || (pools & (pools - 1)) == 0) return best;
    uint64_t best_key = UINT64_MAX;
    for (; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        uint64_t key = placement->pool_key(sim->placement_state, &sim->ctx, job, pool);
        if (key >= best_key) continue;
        best_key = key;
        best = pool;
    }
    return best;
}

bool pt__do_place(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count) return false;
    const struct pt_class *class_ = pt__class(sim, job);
    sim->why = PT_REASON_LIMIT;
    pools &= class_->pools;
    for (uint32_t pool; (pool = next_pool(sim, job, pools)) != PT_NONE;) {
        pools &= ~PT_POOL_BIT(pool);
        if (sim->limits && !pt__within_limit(sim, job, pool)) continue;
        sim->why = PT_REASON_NO_GPU;
        if (!enough_units(sim, class_, pool)) continue; /* the placement would look in vain */
        sim->units.pool = pool;
        sim->units.count = 0;
        sim->units.node = PT_NONE;
        pt__next_mark(sim);
        if (sim->world.placement->place(sim->placement_state, ctx, &sim->units, job, pool)) {
            *units = &sim->units;
            return true;
        }
        sim->why = why_not(sim, class_, pool);
    }
    if (sim->trial_count == 0) pt__do_say(ctx, job, sim->why);
    return false;
}

enum pt_reason pt__do_why(const struct pt_ctx *ctx)
{
    return ((const struct pt_sim *)ctx)->why;
}

void pt__do_say(struct pt_ctx *ctx, pt_job job, enum pt_reason reason)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->verdict == NULL || job >= sim->job_count || sim->verdict[job] == (uint8_t)reason)
        return;
    sim->verdict[job] = (uint8_t)reason;
    const struct pt_recorder *recorder = &sim->world.recorder;
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = recorder->verdict(recorder->ctx, sim->now_ns, job, reason, &error);
    if (status != PT_OK && sim->error.status == PT_OK) sim->error = error;
}

enum pt_status pt__refuse(struct pt_sim *sim)
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
        legal = sim->nodes[g->node].up && pt__gpu_open(g) &&
                !pt__node_held(sim, &sim->nodes[g->node]) &&
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

/* The same of a set of one unit, where nothing else is asked of its node. */
static bool unit_legal(const struct pt_sim *sim, const struct pt_class *class_,
                       const struct pt_units *units)
{
    const struct pt_pool_state *pool = &sim->pools[units->pool];
    uint32_t gpu = units->gpus[0], gpus = pool->pool->node_count * pool->pool->gpus_per_node;
    if (gpu < pool->pool->first_gpu || gpu - pool->pool->first_gpu >= gpus) return false;
    const struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_node_state *node = &sim->nodes[g->node];
    uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[0];
    return node->up && pt__gpu_open(g) && !pt__node_held(sim, node) && class_->nodes_max > 0 &&
           pt__slots_fits(sim, pool, gpu, pt__need(sim, class_, units->pool), start);
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
        if (n->claims > 0 && (class_->cpus_milli != 0 || class_->mem_mib != 0)) return false;
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

bool pt__units_legal(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    const struct pt_class *class_ = pt__class(sim, job);
    if (units->pool >= sim->pool_count || (class_->pools & PT_POOL_BIT(units->pool)) == 0)
        return false;
    if (units->count != class_->units) return false;
    if (sim->limits && !pt__within_limit(sim, job, units->pool)) return false;
    if (units->count == 0) return cpu_only_legal(sim, class_, units);
    if (units->count == 1 && !sim->pools[units->pool].bound_host)
        return unit_legal(sim, class_, units);
    return gpus_legal(sim, class_, units) && nodes_legal(sim, class_, units);
}

/* More actions than one instant can need: a job starts once, may be stopped for another and start
 * again elsewhere a few times, and once more after each time that it ran out of memory where
 * nothing is between two attempts. */
static uint64_t actions_max(const struct pt_sim *sim)
{
    const struct pt_retries *retries = &sim->world.retries;
    bool at_once = retries->backoff_ns == 0 && retries->oom != PT_NONE;
    return sim->job_count * ((at_once ? (uint64_t)retries->oom + 1 : 1) + 8) + 1000;
}

void pt__acted(struct pt_sim *sim, pt_job job)
{
    sim->acted = true;
    if (++sim->actions_now > actions_max(sim))
        pt__break(sim, PT_ERR_POLICY, "policy %s acts for ever at one instant: job %u starts again",
                  sim->world.policy->name, job);
}

enum pt_status pt__do_start(struct pt_ctx *ctx, pt_job job, const struct pt_units *units)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK) return sim->error.status;
    if (sim->trial_count > 0 || job >= sim->job_count || !pt__waits(sim, job) ||
        !pt__units_legal(sim, job, units))
        return pt__refuse(sim);
    pt__acted(sim, job);
    sim->stats.starts++;
    return pt__life_start(sim, job, units);
}

enum pt_status pt__do_wake_at(struct pt_ctx *ctx, int64_t time_ns)
{
    struct pt_sim *sim = sim_of(ctx);
    if (time_ns < sim->now_ns || time_ns == PT_NEVER) return pt__refuse(sim);
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
