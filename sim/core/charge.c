#include <math.h>

#include "sim/core/engine.h"

/* Who pays for a GPU second (semantics.md, section 7): whoever holds capacity, for its part; or,
 * where a GPU is shared by turns or by SMs, all that run there in equal parts. For the latter each
 * GPU keeps the integral of 1 / (units that run), and a unit pays the difference between joining
 * and leaving: nothing is done for those that stay. */

#define SPLIT_ONE ((pt_u128)1 << 60)

static bool has_price(const struct pt_sim *sim)
{
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (sim->pools[p].pool->price_micro_per_hour >= 0) return true;
    return false;
}

enum pt_status pt__charge_build(struct pt_sim *sim, struct pt_error *error)
{
    if (!has_price(sim)) return PT_OK;
    size_t gpus = (size_t)sim->world.cluster->gpu_count + 1;
    sim->split = calloc(gpus, sizeof *sim->split);
    sim->split_ns = calloc(gpus, sizeof *sim->split_ns);
    sim->split_by = calloc(gpus, sizeof *sim->split_by);
    sim->split_from = malloc(((size_t)sim->member_capacity + 1) * sizeof *sim->split_from);
    sim->cost = calloc((size_t)sim->live_capacity + 1, sizeof *sim->cost);
    if (sim->cost == NULL || sim->split == NULL || sim->split_ns == NULL || sim->split_by == NULL ||
        sim->split_from == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the charges");
    return PT_OK;
}

void pt__charge_free(struct pt_sim *sim)
{
    free(sim->split);
    free(sim->split_ns);
    free(sim->split_by);
    free(sim->split_from);
    free(sim->cost);
}

static void split_until_now(struct pt_sim *sim, uint32_t gpu)
{
    uint32_t by = sim->split_by[gpu];
    if (by > 0)
        sim->split[gpu] +=
            (pt_u128)(uint64_t)(sim->now_ns - sim->split_ns[gpu]) * ((SPLIT_ONE + by / 2) / by);
    sim->split_ns[gpu] = sim->now_ns;
}

void pt__charge_open(struct pt_sim *sim, uint32_t live)
{
    if (sim->cost != NULL) sim->cost[live] = 0;
}

void pt__charge_add(struct pt_sim *sim, uint32_t live, double gpu_s)
{
    if (sim->cost == NULL) return;
    int64_t price_micro = sim->pools[sim->live[live].pool].pool->price_micro_per_hour;
    sim->cost[live] += price_micro < 0 ? (double)NAN : gpu_s * ((double)price_micro / 1e6 / 3600);
}

double pt__charge_cost(const struct pt_sim *sim, uint32_t live)
{
    return sim->cost == NULL ? (double)NAN : sim->cost[live];
}

void pt__charge_join(struct pt_sim *sim, uint32_t member)
{
    if (sim->split == NULL) return;
    uint32_t gpu = sim->member[member].gpu;
    split_until_now(sim, gpu);
    sim->split_by[gpu]++;
    sim->split_from[member] = sim->split[gpu];
}

double pt__charge_member(struct pt_sim *sim, uint32_t member, int64_t since_ns, bool leaves)
{
    if (sim->split == NULL) return NAN;
    const struct pt_live *live = &sim->live[sim->member[member].live];
    const struct pt_pool_state *pool = &sim->pools[live->pool];
    uint32_t gpu = sim->member[member].gpu;
    split_until_now(sim, gpu);
    pt_u128 split = sim->split[gpu] - sim->split_from[member];
    sim->split_by[gpu] -= leaves;
    if (pool->pool->shape.charge == PT_CHARGE_SPLIT)
        return (double)split / (double)SPLIT_ONE / (double)PT_NS_PER_S;
    const struct pt_need *need = pt__need_of(sim, live->job, live->pool);
    return (double)(sim->now_ns - since_ns) / (double)PT_NS_PER_S * need->capacity / pool->capacity;
}
