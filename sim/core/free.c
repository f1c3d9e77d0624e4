#include "sim/core/engine.h"

/* A tree over the GPUs of a pool that share by fractions or clients: at each node the most
 * capacity, memory and processes that one GPU under it has left. The first GPU with enough of both
 * is found from the left, whatever it is that jobs want: O(log GPUs), more only where capacity and
 * memory are left on different GPUs. */

enum pt_status pt__free_build(struct pt_sim *sim, struct pt_pool_state *pool)
{
    uint32_t gpus = pool->pool->node_count * pool->pool->gpus_per_node, leaves = 1;
    while (leaves < gpus)
        leaves *= 2;
    pool->free_leaves = leaves;
    pool->free_max = calloc(2 * (size_t)leaves, sizeof *pool->free_max);
    pool->free_mem = calloc(2 * (size_t)leaves, sizeof *pool->free_mem);
    if (pool->free_max == NULL || pool->free_mem == NULL) return PT_ERR_MEMORY;
    if (pool->pool->shape.clients_max == 0) return PT_OK;
    pool->free_clients = calloc(2 * (size_t)leaves, sizeof *pool->free_clients);
    if (sim->clients == NULL)
        sim->clients = calloc((size_t)sim->world.cluster->gpu_count + 1, sizeof *sim->clients);
    return pool->free_clients == NULL || sim->clients == NULL ? PT_ERR_MEMORY : PT_OK;
}

/* What one GPU has left, or the most that one of several has. */
struct left {
    uint64_t capacity; /* + 1; 0 = takes nobody */
    uint32_t mib, clients;
};

static struct left left_of(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_unit_shape *shape = &pool->pool->shape;
    bool open = sim->nodes[g->node].up && pt__gpu_open(g) && g->residents < shape->residents_max;
    return (struct left){
        .capacity = open ? (uint64_t)(pool->capacity - g->load) + 1 : 0,
        .mib = pool->bound_memory ? pool->pool->gpu->mem_mib - g->mem_used_mib : PT_NONE,
        .clients = pool->free_clients == NULL ? PT_NONE : shape->clients_max - sim->clients[gpu]};
}

static struct left at(const struct pt_pool_state *pool, uint32_t i)
{
    return (struct left){pool->free_max[i], pool->free_mem[i],
                         pool->free_clients == NULL ? PT_NONE : pool->free_clients[i]};
}

void pt__free_set(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu)
{
    struct left left = left_of(sim, pool, gpu);
    uint32_t i = pool->free_leaves + (gpu - pool->pool->first_gpu);
    for (;;) {
        struct left was = at(pool, i);
        if (was.capacity == left.capacity && was.mib == left.mib && was.clients == left.clients)
            return;
        pool->free_max[i] = left.capacity;
        pool->free_mem[i] = left.mib;
        if (pool->free_clients != NULL) pool->free_clients[i] = left.clients;
        if (i == 1) return;
        struct left other = at(pool, i ^ 1);
        if (other.capacity > left.capacity) left.capacity = other.capacity;
        if (other.mib > left.mib) left.mib = other.mib;
        if (other.clients > left.clients) left.clients = other.clients;
        i /= 2;
    }
}

static bool enough(const struct pt_pool_state *pool, uint32_t i, const struct pt_need *need)
{
    struct left left = at(pool, i);
    return left.capacity > need->capacity && left.mib >= need->mem_mib &&
           left.clients >= need->clients;
}

uint32_t pt__free_first(const struct pt_pool_state *pool, const struct pt_need *need)
{
    uint32_t i = 1;
    if (!enough(pool, i, need)) return PT_NONE;
    for (;;) {
        if (i >= pool->free_leaves) return i - pool->free_leaves;
        i *= 2;
        while (!enough(pool, i, need)) { /* on to the next subtree on the right */
            while ((i & 1) != 0)
                i /= 2;
            if (i == 0) return PT_NONE;
            i++;
        }
    }
}
