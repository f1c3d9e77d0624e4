#include "sim/core/engine.h"

#include <string.h>

/* What GPUs, nodes and pools hold: counters, bitmaps and trees, kept at every change, so that no
 * question walks them. */

/* Local numbers: GPUs and nodes counted from the pool's first. */
static uint32_t local_gpu(const struct pt_pool_state *pool, uint32_t gpu)
{
    return gpu - pool->pool->first_gpu;
}

static enum pt_status plain_build(struct pt_pool_state *state, uint32_t gpus)
{
    state->at_load = calloc(state->capacity, sizeof *state->at_load);
    state->load_count =
        calloc((size_t)state->pool->node_count * state->capacity, sizeof *state->load_count);
    if (state->at_load == NULL || state->load_count == NULL) return PT_ERR_MEMORY;
    for (uint32_t l = 0; l < state->capacity; l++)
        if (!pt_bitset_init(&state->at_load[l], gpus)) return PT_ERR_MEMORY;
    return PT_OK;
}

static enum pt_status nested_build(struct pt_pool_state *state, uint32_t gpus)
{
    state->profiles = state->pool->gpu->mig == NULL ? 1 : state->pool->gpu->mig->profile_count;
    state->stride = (state->nested->state_size + 15) / 16 * 16;
    state->state = calloc(gpus, state->stride);
    state->masks = calloc(gpus, sizeof *state->masks);
    state->fits = calloc((size_t)PT_DISTURBS_LEVELS * state->profiles, sizeof *state->fits);
    if (state->state == NULL || state->masks == NULL || state->fits == NULL) return PT_ERR_MEMORY;
    for (uint32_t i = 0; i < PT_DISTURBS_LEVELS * state->profiles; i++)
        if (!pt_bitset_init(&state->fits[i], gpus)) return PT_ERR_MEMORY;
    return PT_OK;
}

static enum pt_status pool_build(struct pt_sim *sim, struct pt_pool_state *state,
                                 const struct pt_pool *pool)
{
    const struct pt_unit_shape *shape = &pool->shape;
    uint32_t gpus = pool->node_count * pool->gpus_per_node;
    state->pool = pool;
    state->capacity = shape->capacity;
    state->nested = pool->unit->nested;
    state->plain = shape->levels && shape->uniform && state->nested == NULL;
    state->bound_host = pool->cpus_milli_per_node != PT_NONE || pool->mem_mib_per_node != PT_NONE;
    /* a whole GPU has its memory to itself, unless memory alone admits others beside it */
    state->bound_memory =
        (state->capacity > 1 || !state->plain) && shape->memory_admits && state->nested == NULL;
    if (!pt_bitset_init(&state->open, gpus)) return PT_ERR_MEMORY;
    if (state->plain) return plain_build(state, gpus);
    if (state->nested != NULL) {
        sim->nested_pools |= PT_POOL_BIT(pt__pool_index(sim, state));
        return nested_build(state, gpus);
    }
    return pt__free_build(sim, state);
}

enum pt_status pt__slots_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_cluster *cluster = sim->world.cluster;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct pt_pool *pool = &cluster->pools[cluster->nodes[n].pool];
        uint32_t first = pool->first_gpu + (n - pool->first_node) * pool->gpus_per_node;
        for (uint32_t g = 0; g < pool->gpus_per_node; g++)
            sim->gpus[first + g] =
                (struct pt_gpu){.first = PT_NONE, .home_first = PT_NONE, .node = n};
        sim->nodes[n].cpus_free_milli = pool->cpus_milli_per_node;
        sim->nodes[n].mem_free_mib = pool->mem_mib_per_node;
    }
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (pool_build(sim, &sim->pools[p], &cluster->pools[p]) != PT_OK)
            return pt_fail(error, PT_ERR_MEMORY, "out of memory for pool %s",
                           cluster->pools[p].name);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        pt__slots_node_up(sim, n, true);
    return PT_OK;
}

void pt__slots_free(struct pt_sim *sim)
{
    for (uint32_t p = 0; sim->pools != NULL && p < sim->pool_count; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        pt_bitset_fini(&pool->open);
        for (uint32_t l = 0; pool->at_load != NULL && l < pool->capacity; l++)
            pt_bitset_fini(&pool->at_load[l]);
        for (uint32_t i = 0; pool->fits != NULL && i < PT_DISTURBS_LEVELS * pool->profiles; i++)
            pt_bitset_fini(&pool->fits[i]);
        free(pool->at_load);
        free(pool->load_count);
        free(pool->state);
        free(pool->masks);
        free(pool->fits);
        free(pool->free_max);
        free(pool->free_mem);
        free(pool->free_clients);
    }
}

void pt__next_mark(struct pt_sim *sim)
{
    if (++sim->mark != 0) return;
    memset(sim->gpu_mark, 0, sim->world.cluster->gpu_count * sizeof *sim->gpu_mark);
    memset(sim->node_mark, 0, sim->world.cluster->node_count * sizeof *sim->node_mark);
    sim->mark = 1;
}

/* Idle units of a node times the requests that can't use them: FGD's measure at node level. */
static uint64_t node_fragmentation(const struct pt_pool_state *pool,
                                   const struct pt_node_state *node)
{
    return !pool->plain || pool->frag_weight == NULL || node->free_units == 0
               ? 0
               : node->free_units * pool->frag_weight[node->open_gpus];
}

/* Brackets a change of a node's counters, so that sums over nodes follow. */
static void node_leave(struct pt_pool_state *pool, const struct pt_node_state *node)
{
    pool->frag_sum -= node_fragmentation(pool, node);
    pool->open_gpus -= node->open_gpus;
    pool->free_units -= node->free_units;
}
static void node_enter(struct pt_pool_state *pool, const struct pt_node_state *node)
{
    pool->frag_sum += node_fragmentation(pool, node);
    pool->open_gpus += node->open_gpus;
    pool->free_units += node->free_units;
}

static bool in_service(const struct pt_sim *sim, const struct pt_gpu *g)
{
    return sim->nodes[g->node].up && pt__gpu_open(g);
}

pt_u128 pt__slots_gpu_fragmentation(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                    uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    if (pool->plain || pool->frag_weight == NULL || !in_service(sim, g)) return 0;
    uint32_t left = pool->capacity - g->load;
    uint64_t weight = 0;
    if (pool->nested != NULL) {
        const uint32_t *masks = pool->masks[local_gpu(pool, gpu)];
        uint32_t fits = masks[0] | masks[1] | masks[2];
        for (uint32_t p = 0; p < pool->profiles; p++)
            if ((fits >> p & 1) == 0) weight += pool->frag_weight[p];
    } else {
        uint32_t from = 0, to = pool->frag_needs; /* the first that wants more than is left */
        while (from < to) {
            uint32_t middle = from + (to - from) / 2;
            if (pool->frag_need[middle] > left)
                to = middle;
            else
                from = middle + 1;
        }
        weight = pool->frag_weight[from];
    }
    return (pt_u128)left * weight;
}

static void masks_set(struct pt_pool_state *pool, uint32_t local,
                      const uint32_t masks[PT_DISTURBS_LEVELS])
{
    for (uint32_t level = 0; level < PT_DISTURBS_LEVELS; level++) {
        uint32_t changed = pool->masks[local][level] ^ masks[level];
        pool->masks[local][level] = masks[level];
        for (; changed != 0; changed &= changed - 1) {
            uint32_t profile = (uint32_t)__builtin_ctz(changed);
            struct pt_bitset *set = &pool->fits[level * pool->profiles + profile];
            if ((masks[level] >> profile & 1) != 0)
                pt_bitset_add(set, local);
            else
                pt_bitset_remove(set, local);
        }
    }
}

/* What fits on the GPU, by profile. */
static void masks_refresh(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu)
{
    uint32_t masks[PT_DISTURBS_LEVELS] = {0};
    const struct pt_gpu *g = &sim->gpus[gpu];
    if (in_service(sim, g) && !pt__node_held(sim, &sim->nodes[g->node]))
        pool->nested->summary(masks, pt__state_of(pool, gpu), &pool->pool->shape);
    masks_set(pool, local_gpu(pool, gpu), masks);
}

/* Marks that follow from a GPU's load: bitmaps, levels, the tree of what is free. */
static void marks_clear(struct pt_pool_state *pool, struct pt_node_state *node, uint32_t gpu,
                        const struct pt_gpu *g)
{
    uint32_t i = local_gpu(pool, gpu);
    if (g->load >= pool->capacity) return;
    pt_bitset_remove(&pool->open, i);
    node->open_gpus--;
    if (!pool->plain) return;
    pt_bitset_remove(&pool->at_load[g->load], i);
    pool->load_count[(size_t)(g->node - pool->pool->first_node) * pool->capacity + g->load]--;
}
static void marks_set(struct pt_pool_state *pool, struct pt_node_state *node, uint32_t gpu,
                      const struct pt_gpu *g)
{
    uint32_t i = local_gpu(pool, gpu);
    if (g->load >= pool->capacity) return;
    pt_bitset_add(&pool->open, i);
    node->open_gpus++;
    if (!pool->plain) return;
    pt_bitset_add(&pool->at_load[g->load], i);
    pool->load_count[(size_t)(g->node - pool->pool->first_node) * pool->capacity + g->load]++;
}

/* The GPU's part of a pool's sums, taken out before a change and put in after it. */
static void gpu_leave(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_node_state *node = &sim->nodes[g->node];
    pool->frag_sum -= pt__slots_gpu_fragmentation(sim, pool, gpu);
    node->load -= g->load;
    pool->held_units -= g->load;
    if (!in_service(sim, g)) return;
    node->free_units -= pool->capacity - g->load;
    node->idle_gpus -= g->residents == 0;
    marks_clear(pool, node, gpu, g);
}
static void gpu_enter(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_node_state *node = &sim->nodes[g->node];
    if (pool->nested != NULL)
        masks_refresh(sim, pool, gpu);
    else if (!pool->plain)
        pt__free_set(sim, pool, gpu);
    pool->frag_sum += pt__slots_gpu_fragmentation(sim, pool, gpu);
    node->load += g->load;
    pool->held_units += g->load;
    if (!in_service(sim, g)) return;
    node->free_units += pool->capacity - g->load;
    node->idle_gpus += g->residents == 0;
    marks_set(pool, node, gpu, g);
}

/* The same as leaving and entering, of a plain pool's GPU that stays in service: what happens at
 * every start and end. */
static void plain_change(struct pt_pool_state *pool, struct pt_node_state *node, uint32_t gpu,
                         struct pt_gpu *g, bool take)
{
    uint32_t i = local_gpu(pool, gpu), old = g->load, load = take ? old + 1 : old - 1;
    uint32_t *counts =
        &pool->load_count[(size_t)(g->node - pool->pool->first_node) * pool->capacity];
    uint64_t more = take ? 1 : UINT64_MAX;
    node->load += more;
    node->free_units -= more;
    pool->held_units += more;
    node->idle_gpus += (uint32_t)(load == 0) - (uint32_t)(old == 0);
    if (old < pool->capacity) {
        pt_bitset_remove(&pool->at_load[old], i);
        counts[old]--;
    } else {
        pt_bitset_add(&pool->open, i);
        node->open_gpus++;
    }
    if (load < pool->capacity) {
        pt_bitset_add(&pool->at_load[load], i);
        counts[load]++;
    } else {
        pt_bitset_remove(&pool->open, i);
        node->open_gpus--;
    }
    g->load = g->residents = load;
}

void pt__slots_change(struct pt_sim *sim, uint32_t gpu, const struct pt_need *need, uint32_t mib,
                      bool take)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_node_state *node = &sim->nodes[g->node];
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    pt__account_pool(sim, pool);
    node_leave(pool, node);
    if (pool->plain && in_service(sim, g)) {
        g->mem_used_mib += take ? mib : 0u - mib;
        plain_change(pool, node, gpu, g, take);
        node_enter(pool, node);
        pt__node_changed(pool, g->node);
        return;
    }
    gpu_leave(sim, pool, gpu);
    g->load += take ? need->capacity : 0u - need->capacity;
    g->mem_used_mib += take ? mib : 0u - mib;
    g->residents += take ? 1 : UINT32_MAX;
    if (pool->free_clients != NULL) sim->clients[gpu] += take ? need->clients : 0u - need->clients;
    gpu_enter(sim, pool, gpu);
    node_enter(pool, node);
    pt__node_changed(pool, g->node);
}

void pt__slots_nested_changed(struct pt_sim *sim, uint32_t gpu)
{
    struct pt_pool_state *pool = pt__pool_of_node(sim, sim->gpus[gpu].node);
    pt__account_pool(sim, pool);
    pool->frag_sum -= pt__slots_gpu_fragmentation(sim, pool, gpu);
    masks_refresh(sim, pool, gpu);
    pool->frag_sum += pt__slots_gpu_fragmentation(sim, pool, gpu);
    pt__node_changed(pool, sim->gpus[gpu].node);
}

void pt__slots_close(struct pt_sim *sim, uint32_t gpu)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    pt__account_pool(sim, pool);
    node_leave(pool, &sim->nodes[g->node]);
    gpu_leave(sim, pool, gpu);
    g->closed = true;
    gpu_enter(sim, pool, gpu);
    node_enter(pool, &sim->nodes[g->node]);
    pt__node_changed(pool, g->node);
}

void pt__slots_claim(struct pt_sim *sim, uint32_t gpu, bool claimed)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    if (g->claimed == claimed) return;
    pt__account_pool(sim, pool);
    node_leave(pool, &sim->nodes[g->node]);
    gpu_leave(sim, pool, gpu);
    g->claimed = claimed;
    gpu_enter(sim, pool, gpu);
    node_enter(pool, &sim->nodes[g->node]);
    pt__node_changed(pool, g->node);
}

bool pt__slots_fits(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu,
                    const struct pt_need *need, uint8_t start)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_unit_shape *shape = &pool->pool->shape;
    if (pool->nested != NULL) {
        _Alignas(16) unsigned char copy[PT_NESTED_STATE_MAX];
        struct pt_placed placed;
        memcpy(copy, pt__state_of(pool, gpu), pool->nested->state_size);
        return pool->nested->place(&placed, copy, shape, need, start);
    }
    return need->capacity <= pool->capacity - g->load && g->residents < shape->residents_max &&
           (pool->free_clients == NULL ||
            need->clients <= shape->clients_max - sim->clients[gpu]) &&
           (!pool->bound_memory || need->mem_mib <= pool->pool->gpu->mem_mib - g->mem_used_mib);
}

uint64_t pt__slots_closed(const struct pt_sim *sim, uint32_t *gpus)
{
    uint64_t pools = 0;
    *gpus = 0;
    for (uint32_t gpu = 0; gpu < sim->world.cluster->gpu_count; gpu++) {
        if (!sim->gpus[gpu].closed) continue;
        pools |= PT_POOL_BIT(sim->world.cluster->nodes[sim->gpus[gpu].node].pool);
        ++*gpus;
    }
    return pools;
}

void pt__slots_meter(struct pt_sim *sim, uint32_t gpu, uint32_t busy_ppm, uint32_t power_uw)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    uint32_t power_was = sim->power_uw == NULL ? 0 : sim->power_uw[gpu];
    if (g->busy_ppm == busy_ppm && power_was == power_uw) return;
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    pt__account_pool(sim, pool);
    pool->busy_ppm += (uint64_t)busy_ppm - g->busy_ppm;
    pool->power_uw += (uint64_t)power_uw - power_was;
    g->busy_ppm = busy_ppm & 0xffffffu;
    if (sim->power_uw != NULL) sim->power_uw[gpu] = power_uw;
}

/* A job's part of `total` for `units` of its `of` units, rounded up. */
static uint32_t part(uint32_t total, uint32_t units, uint32_t of)
{
    if (of == 0) return total;
    return (uint32_t)(((uint64_t)total * units + of - 1) / of);
}

void pt__slots_host(struct pt_sim *sim, uint32_t node, const struct pt_class *class_,
                    uint32_t units, bool take)
{
    struct pt_node_state *n = &sim->nodes[node];
    uint32_t cpus = part(class_->cpus_milli, units, class_->units);
    uint32_t mem = part(class_->mem_mib, units, class_->units);
    if (n->cpus_free_milli != PT_NONE) n->cpus_free_milli += take ? 0u - cpus : cpus;
    if (n->mem_free_mib != PT_NONE) n->mem_free_mib += take ? 0u - mem : mem;
    pt__node_changed(pt__pool_of_node(sim, node), node);
}

void pt__slots_node_up(struct pt_sim *sim, uint32_t node, bool up)
{
    struct pt_node_state *n = &sim->nodes[node];
    struct pt_pool_state *pool = pt__pool_of_node(sim, node);
    uint32_t gpus = pool->pool->gpus_per_node;
    uint32_t first = pool->pool->first_gpu + (node - pool->pool->first_node) * gpus;
    pt__account_pool(sim, pool);
    node_leave(pool, n);
    for (uint32_t gpu = first; gpu < first + gpus; gpu++)
        gpu_leave(sim, pool, gpu);
    n->up = up;
    pool->up_gpus += up ? gpus : 0u - gpus;
    for (uint32_t gpu = first; gpu < first + gpus; gpu++) {
        sim->gpus[gpu].closed = sim->gpus[gpu].claimed = false;
        if (pool->nested != NULL && up)
            pool->nested->reset(pt__state_of(pool, gpu), &pool->pool->shape);
        gpu_enter(sim, pool, gpu);
    }
    node_enter(pool, n);
    pt__node_changed(pool, node);
}
