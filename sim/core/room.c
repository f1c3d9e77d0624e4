#include "sim/core/engine.h"

#include <string.h>

/* How many units of a job a node could take now, and which of its GPUs they would be. In plain
 * pools the counters say it; elsewhere the node's few GPUs are looked at. */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Units whose part of `total` fits into `free_` (the largest k with ceil(total k / of) <= free). */
static uint32_t host_limit(uint32_t total, uint32_t of, uint32_t free_)
{
    if (free_ == PT_NONE || total == 0) return PT_NONE;
    if (of == 0) return total <= free_ ? PT_NONE : 0;
    uint64_t k = (uint64_t)free_ * of / total;
    return k >= PT_NONE ? PT_NONE : (uint32_t)k;
}

/* A GPU as far as counting goes. */
struct left {
    uint32_t capacity, mem_mib, residents, clients;
};

static struct left left_of(const struct pt_pool_state *pool, uint32_t load, uint32_t mem_used_mib,
                           uint32_t residents, uint32_t clients)
{
    uint32_t max = pool->pool->shape.residents_max;
    uint32_t clients_max = pool->free_clients == NULL ? PT_NONE : pool->pool->shape.clients_max;
    return (struct left){pool->capacity - load, pool->pool->gpu->mem_mib - mem_used_mib,
                         residents >= max ? 0 : max - residents, clients_max - clients};
}

/* Processes on the GPU, where they are limited. */
static uint32_t clients_on(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu)
{
    return pool->free_clients == NULL ? 0 : sim->clients[gpu];
}

/* Units of this need that fit into what is left. */
static uint32_t counted(const struct pt_pool_state *pool, const struct pt_need *need,
                        struct left left)
{
    uint32_t room = left.residents;
    if (pool->free_clients != NULL) room = least(room, left.clients / need->clients);
    if (need->capacity > 0) room = least(room, left.capacity / need->capacity);
    if (need->mem_mib > 0 && pool->bound_memory) room = least(room, left.mem_mib / need->mem_mib);
    return room;
}

/* Units that a nested GPU in this state takes, counted up to `enough`; the state is used up. */
static uint32_t nested_count(const struct pt_pool_state *pool, const struct pt_need *need,
                             void *state, uint32_t enough, uint8_t start)
{
    struct pt_placed placed;
    uint32_t count = 0;
    for (; count < enough; count++, start = PT_CELL_ANY)
        if (!pool->nested->place(&placed, state, &pool->pool->shape, need, start)) break;
    return count;
}

/* The same of the state of a GPU, which stays as it is: with the instances that are there, and all
 * anew. */
struct counts {
    uint32_t as_is, anew;
};

static struct counts nested_counts(const struct pt_pool_state *pool, const struct pt_need *need,
                                   const void *state, uint32_t enough)
{
    _Alignas(16) unsigned char copy[PT_NESTED_STATE_MAX];
    struct counts counts = {0, 0};
    memcpy(copy, state, pool->nested->state_size);
    counts.as_is = nested_count(pool, need, copy, enough, PT_CELL_ANY);
    if (counts.as_is == enough) return counts;
    memcpy(copy, state, pool->nested->state_size);
    counts.anew = nested_count(pool, need, copy, enough, PT_CELL_ANEW);
    return counts;
}

/* Whether the marks of what fits say it all for this need: they are for one process. */
static bool marks_do(const struct pt_need *need)
{
    return need->clients <= 1;
}

static uint32_t nested_room(const struct pt_sim *sim, const struct pt_pool_state *pool,
                            const struct pt_need *need, uint32_t gpu, uint32_t enough)
{
    const uint32_t *masks = pool->masks[gpu - pool->pool->first_gpu];
    (void)sim;
    if (((masks[0] | masks[1] | masks[2]) >> need->profile & 1) == 0) return 0;
    if (enough == 1 && marks_do(need)) return 1;
    struct counts counts = nested_counts(pool, need, pt__state_of(pool, gpu), enough);
    return counts.as_is > counts.anew ? counts.as_is : counts.anew;
}

/* Units of the class that an empty GPU holds. */
static uint32_t gpu_room_empty(const struct pt_pool_state *pool, const struct pt_need *need)
{
    if (pool->nested == NULL) return counted(pool, need, left_of(pool, 0, 0, 0, 0));
    _Alignas(16) unsigned char state[PT_NESTED_STATE_MAX];
    memset(state, 0, sizeof state);
    pool->nested->reset(state, &pool->pool->shape);
    struct counts counts = nested_counts(pool, need, state, pool->capacity);
    return counts.as_is > counts.anew ? counts.as_is : counts.anew;
}

uint32_t pt__slots_room_empty(const struct pt_sim *sim, const struct pt_pool_state *pool,
                              const struct pt_class *class_)
{
    const struct pt_pool *p = pool->pool;
    uint32_t host = least(host_limit(class_->cpus_milli, class_->units, p->cpus_milli_per_node),
                          host_limit(class_->mem_mib, class_->units, p->mem_mib_per_node));
    if (class_->units == 0) return host == 0 ? 0 : 1;
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    uint32_t each = gpu_room_empty(pool, need);
    if (pt__class_distinct(class_, pool)) each = least(each, 1);
    uint64_t room = (uint64_t)p->gpus_per_node * each;
    return room < host ? (uint32_t)room : host;
}

static uint32_t first_gpu(const struct pt_pool_state *pool, uint32_t node)
{
    return pool->pool->first_gpu + (node - pool->pool->first_node) * pool->pool->gpus_per_node;
}

uint32_t pt__slots_room(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                        const struct pt_class *class_, uint32_t enough)
{
    const struct pt_node_state *n = &sim->nodes[node];
    if (!n->up || pt__node_held(sim, n)) return 0;
    if (n->claims > 0 && (class_->cpus_milli != 0 || class_->mem_mib != 0)) return 0;
    uint32_t host = PT_NONE;
    if (pool->bound_host)
        host = least(host_limit(class_->cpus_milli, class_->units, n->cpus_free_milli),
                     host_limit(class_->mem_mib, class_->units, n->mem_free_mib));
    if (class_->units == 0) return host == 0 ? 0 : 1;
    bool distinct = pt__class_distinct(class_, pool);
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    if (pool->plain && !(pool->bound_memory && need->mem_mib != 0))
        return least(host, distinct ? n->open_gpus : (uint32_t)n->free_units);
    uint32_t first = first_gpu(pool, node);
    uint64_t room = 0;
    for (uint32_t g = first; g < first + pool->pool->gpus_per_node && room < enough; g++) {
        const struct pt_gpu *gpu = &sim->gpus[g];
        if (!pt__gpu_open(gpu)) continue;
        uint32_t more = distinct ? 1 : (uint32_t)(enough - room);
        if (pool->nested != NULL)
            room += nested_room(sim, pool, need, g, more);
        else
            room += least(more, counted(pool, need,
                                        left_of(pool, gpu->load, gpu->mem_used_mib, gpu->residents,
                                                clients_on(sim, pool, g))));
    }
    return room < host ? (uint32_t)room : host;
}

/* The least that a unit would disturb the g-th GPU of the node, as the scratch has it. */
static unsigned level_of(const struct pt_sim *sim, const struct pt_pool_state *pool,
                         const struct pt_need *need, uint32_t g)
{
    if (pool->nested == NULL)
        return counted(pool, need,
                       left_of(pool, sim->scratch_load[g], sim->scratch_mem[g],
                               sim->scratch_residents[g], sim->scratch_clients[g])) > 0
                   ? 0
                   : PT_DISTURBS_NEVER;
    if (sim->scratch_anew[g]) return PT_DISTURBS_LEVELS - 1;
    return pool->nested->fits(sim->scratch_state + g * pool->stride, &pool->pool->shape, need);
}

/* The next GPU of the node, least disturbed first, then by order; PT_NONE = none. Ties take the
 * lowest index. */
static uint32_t pick_one(const struct pt_sim *sim, const struct pt_pool_state *pool,
                         const struct pt_need *need, enum pt_gpu_order order, unsigned *level)
{
    uint32_t best = PT_NONE;
    *level = PT_DISTURBS_NEVER;
    for (uint32_t g = 0; g < pool->pool->gpus_per_node; g++) {
        uint32_t load = sim->scratch_load[g];
        if (load == PT_NONE) continue; /* taken, or out of service */
        unsigned disturbs = level_of(sim, pool, need, g);
        if (disturbs == PT_DISTURBS_NEVER || disturbs > *level) continue;
        if (disturbs < *level || (order == PT_GPUS_FULLEST && load > sim->scratch_load[best]) ||
            (order == PT_GPUS_EMPTIEST && load < sim->scratch_load[best])) {
            best = g;
            *level = disturbs;
        }
    }
    return best;
}

static uint8_t take_one(const struct pt_sim *sim, const struct pt_pool_state *pool,
                        const struct pt_need *need, bool distinct, uint32_t g)
{
    struct pt_placed placed;
    uint8_t start = sim->scratch_anew[g] ? PT_CELL_ANEW : PT_CELL_ANY;
    sim->scratch_load[g] += need->capacity;
    sim->scratch_mem[g] += need->mem_mib;
    sim->scratch_residents[g]++;
    sim->scratch_clients[g] += need->clients;
    if (pool->nested != NULL)
        pool->nested->place(&placed, sim->scratch_state + g * pool->stride, &pool->pool->shape,
                            need, start);
    sim->scratch_anew[g] = false;
    if (distinct) sim->scratch_load[g] = PT_NONE;
    return start;
}

/* Copies the node's GPUs to the scratch. `anew`: those that hold more of the need when they are cut
 * anew are to be. */
static void scratch_fill(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t first,
                         const struct pt_need *need, uint32_t wanted, bool anew)
{
    uint32_t per_node = pool->pool->gpus_per_node;
    for (uint32_t g = 0; g < per_node; g++) {
        const struct pt_gpu *gpu = &sim->gpus[first + g];
        sim->scratch_load[g] = pt__gpu_open(gpu) ? gpu->load : PT_NONE;
        sim->scratch_mem[g] = gpu->mem_used_mib;
        sim->scratch_residents[g] = gpu->residents;
        sim->scratch_clients[g] = clients_on(sim, pool, first + g);
        sim->scratch_anew[g] = false;
        if (!anew || !pt__gpu_open(gpu)) continue;
        struct counts counts = nested_counts(pool, need, pt__state_of(pool, first + g), wanted);
        sim->scratch_anew[g] = counts.anew > counts.as_is;
    }
    if (pool->nested != NULL)
        memcpy(sim->scratch_state, pt__state_of(pool, first), per_node * pool->stride);
}

/* Walks unit by unit over copies of the node's GPUs: for jobs whose units may share a GPU, and
 * where GPUs differ in more than their load. gpus and starts may be NULL. */
static uint32_t pick_slowly(const struct pt_sim *sim, const struct pt_pool_state *pool,
                            uint32_t node, const struct pt_class *class_, enum pt_gpu_order order,
                            uint32_t wanted, bool anew, struct pt_choice *choice, uint32_t *gpus,
                            uint8_t *starts)
{
    uint32_t first = first_gpu(pool, node), k = 0;
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    bool distinct = pt__class_distinct(class_, pool);
    *choice = (struct pt_choice){0, 0};
    scratch_fill(sim, pool, first, need, wanted, anew);
    for (; k < wanted; k++) {
        unsigned level;
        uint32_t g = pick_one(sim, pool, need, order, &level);
        if (g == PT_NONE) break;
        choice->load += sim->scratch_load[g];
        if (level > choice->level) choice->level = level;
        uint8_t start = take_one(sim, pool, need, distinct, g);
        if (gpus == NULL) continue;
        gpus[k] = first + g;
        starts[k] = start;
    }
    return k;
}

/* The same, on nested GPUs with those cut anew that must be; the room has been checked. */
static struct pt_choice pick_by_walk(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                     uint32_t node, const struct pt_class *class_,
                                     enum pt_gpu_order order, uint32_t wanted, uint32_t *gpus,
                                     uint8_t *starts)
{
    struct pt_choice choice;
    uint32_t picked =
        pick_slowly(sim, pool, node, class_, order, wanted, false, &choice, gpus, starts);
    if (picked < wanted && pool->nested != NULL)
        pick_slowly(sim, pool, node, class_, order, wanted, true, &choice, gpus, starts);
    return choice;
}

/* The one unit of a nested GPU, by what was found to fit when the GPU last changed. */
static uint32_t pick_nested(const struct pt_sim *sim, const struct pt_pool_state *pool,
                            uint32_t node, const struct pt_need *need, enum pt_gpu_order order,
                            struct pt_choice *choice)
{
    uint32_t first = first_gpu(pool, node), best = PT_NONE;
    choice->level = PT_DISTURBS_NEVER;
    for (uint32_t gpu = first; gpu < first + pool->pool->gpus_per_node; gpu++) {
        const uint32_t *masks = pool->masks[gpu - pool->pool->first_gpu];
        unsigned level = 0;
        while (level < PT_DISTURBS_LEVELS && (masks[level] >> need->profile & 1) == 0)
            level++;
        if (level == PT_DISTURBS_NEVER || level > choice->level) continue;
        uint64_t load = sim->gpus[gpu].load;
        if (level < choice->level || (order == PT_GPUS_FULLEST && load > choice->load) ||
            (order == PT_GPUS_EMPTIEST && load < choice->load)) {
            best = gpu;
            *choice = (struct pt_choice){load, level};
        }
    }
    return best;
}

static bool needs_slow_pick(const struct pt_sim *sim, const struct pt_pool_state *pool,
                            const struct pt_class *class_)
{
    if (!pool->plain || !pt__class_distinct(class_, pool)) return true;
    return pool->bound_memory && pt__need(sim, class_, pt__pool_index(sim, pool))->mem_mib != 0;
}

struct pt_choice pt__slots_choice(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                  uint32_t node, const struct pt_class *class_,
                                  enum pt_gpu_order order, uint32_t wanted)
{
    struct pt_choice choice = {0, 0};
    if (order == PT_GPUS_OWN || (order == PT_GPUS_LOWEST && pool->nested == NULL)) return choice;
    if (pool->plain && pool->capacity == 1) return choice;
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    if (pool->nested != NULL && wanted == 1 && marks_do(need)) {
        pick_nested(sim, pool, node, need, order, &choice);
        return choice;
    }
    if (needs_slow_pick(sim, pool, class_))
        return pick_by_walk(sim, pool, node, class_, order, wanted, NULL, NULL);
    const uint32_t *counts =
        &pool->load_count[(size_t)(node - pool->pool->first_node) * pool->capacity];
    for (uint32_t l = 0; l < pool->capacity && wanted > 0; l++) {
        uint32_t load = order == PT_GPUS_FULLEST ? pool->capacity - 1 - l : l;
        uint32_t taken = least(wanted, counts[load]);
        choice.load += (uint64_t)taken * load;
        wanted -= taken;
    }
    return choice;
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
                    uint32_t *gpus, uint8_t *starts)
{
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    memset(starts, PT_CELL_ANY, wanted);
    if (pool->nested != NULL && wanted == 1 && marks_do(need)) {
        struct pt_choice choice = {0, 0};
        *gpus = pick_nested(sim, pool, node, need, order, &choice);
        return;
    }
    if (needs_slow_pick(sim, pool, class_)) {
        pick_by_walk(sim, pool, node, class_, order, wanted, gpus, starts);
        return;
    }
    uint32_t per_node = pool->pool->gpus_per_node, base = pool->pool->first_gpu;
    uint32_t from = (node - pool->pool->first_node) * per_node, to = from + per_node;
    if (order == PT_GPUS_LOWEST || order == PT_GPUS_OWN || pool->capacity == 1) {
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
