#include "sim/core/engine.h"

/* A tree over the GPUs of a pool that share by fractions or clients: at each node the most capacity
 * and the most memory that one GPU under it has left. The first GPU with enough of both is found
 * from the left, whatever it is that jobs want: O(log GPUs), more only where capacity and memory
 * are left on different GPUs. */

enum pt_status pt__free_build(struct pt_sim *sim, struct pt_pool_state *pool)
{
    (void)sim;
    uint32_t gpus = pool->pool->node_count * pool->pool->gpus_per_node, leaves = 1;
    while (leaves < gpus)
        leaves *= 2;
    pool->free_leaves = leaves;
    pool->free_max = calloc(2 * (size_t)leaves, sizeof *pool->free_max);
    pool->free_mem = calloc(2 * (size_t)leaves, sizeof *pool->free_mem);
    return pool->free_max == NULL || pool->free_mem == NULL ? PT_ERR_MEMORY : PT_OK;
}

void pt__free_set(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    bool open =
        sim->nodes[g->node].up && !g->closed && g->residents < pool->pool->shape.residents_max;
    uint64_t left = open ? (uint64_t)(pool->capacity - g->load) + 1 : 0;
    uint32_t mib = pool->bound_memory ? pool->pool->gpu->mem_mib - g->mem_used_mib : PT_NONE;
    uint32_t i = pool->free_leaves + (gpu - pool->pool->first_gpu);
    while (pool->free_max[i] != left || pool->free_mem[i] != mib) {
        pool->free_max[i] = left;
        pool->free_mem[i] = mib;
        if (i == 1) return;
        uint32_t other = i ^ 1;
        if (pool->free_max[other] > left) left = pool->free_max[other];
        if (pool->free_mem[other] > mib) mib = pool->free_mem[other];
        i /= 2;
    }
}

static bool enough(const struct pt_pool_state *pool, uint32_t i, const struct pt_need *need)
{
    return pool->free_max[i] > need->capacity && pool->free_mem[i] >= need->mem_mib;
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
