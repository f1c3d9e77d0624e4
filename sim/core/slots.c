#include "sim/core/engine.h"

#include <string.h>

/* Local numbers: GPUs and nodes counted from the pool's first. */
static uint32_t local_gpu(const struct pt_pool_state *pool, uint32_t gpu)
{
    return gpu - pool->pool->first_gpu;
}

static enum pt_status pool_build(struct pt_pool_state *state, const struct pt_pool *pool)
{
    uint32_t gpus = pool->node_count * pool->gpus_per_node;
    state->pool = pool;
    state->capacity = pool->shape.capacity;
    state->bound_host = pool->cpus_milli_per_node != PT_NONE || pool->mem_mib_per_node != PT_NONE;
    state->bound_memory = state->capacity > 1 && pool->shape.memory_admits;
    if (!pt_bitset_init(&state->open, gpus)) return PT_ERR_MEMORY;
    state->at_load = calloc(state->capacity, sizeof *state->at_load);
    state->load_count =
        calloc((size_t)pool->node_count * state->capacity, sizeof *state->load_count);
    if (state->at_load == NULL || state->load_count == NULL) return PT_ERR_MEMORY;
    for (uint32_t l = 0; l < state->capacity; l++)
        if (!pt_bitset_init(&state->at_load[l], gpus)) return PT_ERR_MEMORY;
    return PT_OK;
}

enum pt_status pt__slots_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_cluster *cluster = sim->world.cluster;
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (pool_build(&sim->pools[p], &cluster->pools[p]) != PT_OK)
            return pt_fail(error, PT_ERR_MEMORY, "out of memory for pool %s",
                           cluster->pools[p].name);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct pt_pool *pool = &cluster->pools[cluster->nodes[n].pool];
        uint32_t first = pool->first_gpu + (n - pool->first_node) * pool->gpus_per_node;
        for (uint32_t g = 0; g < pool->gpus_per_node; g++)
            sim->gpus[first + g] =
                (struct pt_gpu){.first = PT_NONE, .home_first = PT_NONE, .node = n};
        sim->nodes[n].cpus_free_milli = pool->cpus_milli_per_node;
        sim->nodes[n].mem_free_mib = pool->mem_mib_per_node;
        pt__slots_node_up(sim, n, true);
    }
    return PT_OK;
}

void pt__slots_free(struct pt_sim *sim)
{
    for (uint32_t p = 0; sim->pools != NULL && p < sim->pool_count; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        pt_bitset_fini(&pool->open);
        for (uint32_t l = 0; pool->at_load != NULL && l < pool->capacity; l++)
            pt_bitset_fini(&pool->at_load[l]);
        free(pool->at_load);
        free(pool->load_count);
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
    return pool->frag_weight == NULL || node->free_units == 0
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

void pt__slots_load(struct pt_sim *sim, uint32_t gpu, uint32_t load)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_node_state *node = &sim->nodes[g->node];
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    uint32_t i = local_gpu(pool, gpu), slots = pool->capacity, old = g->load;
    uint32_t *counts = &pool->load_count[(size_t)(g->node - pool->pool->first_node) * slots];
    pt__account_pool(sim, pool);
    node_leave(pool, node);
    node->load += load - old;
    node->idle_gpus += (uint32_t)(load == 0) - (uint32_t)(old == 0);
    node->free_units -= load - old;
    pool->held_units += load - old;
    pool->busy_gpus += (uint32_t)(load != 0) - (uint32_t)(old != 0);
    if (old < slots) {
        pt_bitset_remove(&pool->at_load[old], i);
        counts[old]--;
    }
    if (load < slots) {
        pt_bitset_add(&pool->at_load[load], i);
        counts[load]++;
    }
    if (old == slots) {
        pt_bitset_add(&pool->open, i);
        node->open_gpus++;
    } else if (load == slots) {
        pt_bitset_remove(&pool->open, i);
        node->open_gpus--;
    }
    g->load = load;
    node_enter(pool, node);
    pt__node_changed(pool, g->node);
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
    uint32_t gpus = pool->pool->gpus_per_node, first = (node - pool->pool->first_node) * gpus;
    pt__account_pool(sim, pool);
    node_leave(pool, n);
    n->up = up;
    n->open_gpus = n->idle_gpus = up ? gpus : 0;
    n->free_units = up ? gpus * pool->capacity : 0;
    for (uint32_t i = first; i < first + gpus; i++) {
        if (up) {
            pt_bitset_add(&pool->open, i);
            pt_bitset_add(&pool->at_load[0], i);
        } else {
            pt_bitset_remove(&pool->open, i);
            pt_bitset_remove(&pool->at_load[0], i);
        }
    }
    pool->load_count[(size_t)(node - pool->pool->first_node) * pool->capacity] = up ? gpus : 0;
    pool->up_gpus += up ? gpus : 0u - gpus;
    node_enter(pool, n);
    pt__node_changed(pool, node);
}

/* Units whose part of `total` fits into `free_` (the largest k with ceil(total k / of) <= free). */
static uint32_t host_limit(uint32_t total, uint32_t of, uint32_t free_)
{
    if (free_ == PT_NONE || total == 0) return PT_NONE;
    if (of == 0) return total <= free_ ? PT_NONE : 0;
    uint64_t k = (uint64_t)free_ * of / total;
    return k >= PT_NONE ? PT_NONE : (uint32_t)k;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Units of the class that a GPU with this load and memory in use could take. */
static uint32_t gpu_room(const struct pt_pool_state *pool, const struct pt_class *class_,
                         bool distinct, uint32_t load, uint32_t mem_used_mib)
{
    uint32_t room = pool->capacity - load;
    if (class_->gpu_mem_mib != 0 && pool->bound_memory)
        room = least(room, (pool->pool->gpu->mem_mib - mem_used_mib) / class_->gpu_mem_mib);
    return distinct ? least(room, 1) : room;
}

uint32_t pt__slots_room_empty(const struct pt_pool_state *pool, const struct pt_class *class_)
{
    const struct pt_pool *p = pool->pool;
    uint32_t host = least(host_limit(class_->cpus_milli, class_->units, p->cpus_milli_per_node),
                          host_limit(class_->mem_mib, class_->units, p->mem_mib_per_node));
    if (class_->units == 0) return host == 0 ? 0 : 1;
    bool distinct = pt__class_distinct(class_, pool);
    uint64_t room = (uint64_t)p->gpus_per_node * gpu_room(pool, class_, distinct, 0, 0);
    return room < host ? (uint32_t)room : host;
}

uint32_t pt__slots_room(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                        const struct pt_class *class_)
{
    const struct pt_node_state *n = &sim->nodes[node];
    if (!n->up) return 0;
    uint32_t host = PT_NONE;
    if (pool->bound_host)
        host = least(host_limit(class_->cpus_milli, class_->units, n->cpus_free_milli),
                     host_limit(class_->mem_mib, class_->units, n->mem_free_mib));
    if (class_->units == 0) return host == 0 ? 0 : 1;
    bool distinct = pt__class_distinct(class_, pool);
    if (!pool->bound_memory || class_->gpu_mem_mib == 0)
        return least(host, distinct ? n->open_gpus : n->free_units);
    uint32_t first =
        pool->pool->first_gpu + (node - pool->pool->first_node) * pool->pool->gpus_per_node;
    uint64_t room = 0; /* memory differs by GPU: look at the node's */
    for (uint32_t g = first; g < first + pool->pool->gpus_per_node; g++)
        room += gpu_room(pool, class_, distinct, sim->gpus[g].load, sim->gpus[g].mem_used_mib);
    return room < host ? (uint32_t)room : host;
}

/* The next GPU of a node, by order, with room; loads and memory as the scratch arrays have them.
 * Ties take the lowest index. The caller knows that there is one. */
static uint32_t pick_one(const struct pt_sim *sim, const struct pt_pool_state *pool,
                         const struct pt_class *class_, enum pt_gpu_order order)
{
    uint32_t best = PT_NONE;
    for (uint32_t g = 0; g < pool->pool->gpus_per_node; g++) {
        uint32_t load = sim->scratch_load[g];
        if (load >= pool->capacity) continue;
        if (gpu_room(pool, class_, false, load, sim->scratch_mem[g]) == 0) continue;
        if (best == PT_NONE || (order == PT_GPUS_FULLEST && load > sim->scratch_load[best]) ||
            (order == PT_GPUS_EMPTIEST && load < sim->scratch_load[best]))
            best = g;
    }
    return best;
}

/* Walks unit by unit over copies of the node's loads: for jobs whose units may share a GPU, and
 * where memory differs by GPU. Returns the sum of the loads met; gpus may be NULL. */
static uint64_t pick_slowly(const struct pt_sim *sim, const struct pt_pool_state *pool,
                            uint32_t node, const struct pt_class *class_, enum pt_gpu_order order,
                            uint32_t wanted, uint32_t *gpus)
{
    uint32_t per_node = pool->pool->gpus_per_node;
    uint32_t first = pool->pool->first_gpu + (node - pool->pool->first_node) * per_node;
    bool distinct = pt__class_distinct(class_, pool);
    uint64_t sum = 0;
    for (uint32_t g = 0; g < per_node; g++) {
        sim->scratch_load[g] = sim->gpus[first + g].load;
        sim->scratch_mem[g] = sim->gpus[first + g].mem_used_mib;
    }
    for (uint32_t k = 0; k < wanted; k++) {
        uint32_t g = pick_one(sim, pool, class_, order);
        if (g == PT_NONE) return sum; /* less room than `wanted`: callers check it first */
        sum += sim->scratch_load[g];
        if (gpus != NULL) gpus[k] = first + g;
        sim->scratch_load[g] = distinct ? pool->capacity : sim->scratch_load[g] + 1;
        sim->scratch_mem[g] += class_->gpu_mem_mib;
    }
    return sum;
}

static bool needs_slow_pick(const struct pt_pool_state *pool, const struct pt_class *class_)
{
    return !pt__class_distinct(class_, pool) || (pool->bound_memory && class_->gpu_mem_mib != 0);
}

uint64_t pt__slots_chosen_load(const struct pt_sim *sim, const struct pt_pool_state *pool,
                               uint32_t node, const struct pt_class *class_,
                               enum pt_gpu_order order, uint32_t wanted)
{
    if (order == PT_GPUS_LOWEST || pool->capacity == 1) return 0;
    if (needs_slow_pick(pool, class_))
        return pick_slowly(sim, pool, node, class_, order, wanted, NULL);
    const uint32_t *counts =
        &pool->load_count[(size_t)(node - pool->pool->first_node) * pool->capacity];
    uint64_t sum = 0;
    for (uint32_t l = 0; l < pool->capacity && wanted > 0; l++) {
        uint32_t load = order == PT_GPUS_FULLEST ? pool->capacity - 1 - l : l;
        uint32_t taken = least(wanted, counts[load]);
        sum += (uint64_t)taken * load;
        wanted -= taken;
    }
    return sum;
}

/* Takes members of `set` in [from, to) into gpus until there are `wanted`. */
static uint32_t pick_from(const struct pt_bitset *set, uint32_t from, uint32_t to, uint32_t base,
                          uint32_t wanted, uint32_t *gpus)
{
    uint32_t taken = 0;
    for (uint32_t i = from; taken < wanted; i++) {
        i = pt_bitset_next(set, i);
        if (i == PT_NONE || i >= to) break;
        gpus[taken++] = base + i;
    }
    return taken;
}

void pt__slots_pick(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                    const struct pt_class *class_, enum pt_gpu_order order, uint32_t wanted,
                    uint32_t *gpus)
{
    if (needs_slow_pick(pool, class_)) {
        pick_slowly(sim, pool, node, class_, order, wanted, gpus);
        return;
    }
    uint32_t per_node = pool->pool->gpus_per_node, base = pool->pool->first_gpu;
    uint32_t from = (node - pool->pool->first_node) * per_node, to = from + per_node;
    if (order == PT_GPUS_LOWEST || pool->capacity == 1) {
        pick_from(&pool->open, from, to, base, wanted, gpus);
        return;
    }
    for (uint32_t l = 0; l < pool->capacity && wanted > 0; l++) {
        uint32_t load = order == PT_GPUS_FULLEST ? pool->capacity - 1 - l : l;
        uint32_t taken = pick_from(&pool->at_load[load], from, to, base, wanted, gpus);
        gpus += taken;
        wanted -= taken;
    }
}
