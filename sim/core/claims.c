#include <string.h>

#include "sim/core/life.h"

/* Units that pass from jobs that are being saved to those that they were stopped for. Such a job
 * holds at once what is free of its set; the GPUs of the rest take no newcomers, so that each part
 * is its as soon as its holder has left. CPUs and host memory it takes last, and the nodes of its
 * claims start nobody else who wants any until then. Claims are few: they live as long as a save.
 */

enum pt_status pt__claims_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_preemption *how = &sim->world.preemption;
    if (how->save_base_ns == 0 && how->save_per_gib_ns == 0) return PT_OK;
    sim->claim_capacity = sim->member_capacity + 1; /* a unit is claimed once */
    sim->claim = malloc(sim->claim_capacity * sizeof *sim->claim);
    return sim->claim != NULL ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory for claims");
}

void pt__claims_free(struct pt_sim *sim)
{
    free(sim->claim);
}

static bool asks_host(const struct pt_sim *sim, uint32_t live)
{
    const struct pt_class *class_ = pt__class(sim, sim->live[live].job);
    return class_->cpus_milli != 0 || class_->mem_mib != 0;
}

static bool claimed(const struct pt_sim *sim, uint32_t gpu)
{
    for (uint32_t i = 0; i < sim->claim_count; i++)
        if (sim->claim[i].gpu == gpu) return true;
    return false;
}

static void add(struct pt_sim *sim, uint32_t live, uint32_t gpu, uint8_t start)
{
    sim->claim[sim->claim_count++] = (struct pt_claim){live, gpu, start};
    sim->live[live].waiting++;
    sim->nodes[sim->gpus[gpu].node].claims += asks_host(sim, live);
    pt__slots_claim(sim, gpu, true);
    pt__node_changed(pt__pool_of_node(sim, sim->gpus[gpu].node), sim->gpus[gpu].node);
}

/* Keeps the others in order: who claimed first is served first. */
static void remove_at(struct pt_sim *sim, uint32_t index)
{
    struct pt_claim claim = sim->claim[index];
    memmove(&sim->claim[index], &sim->claim[index + 1],
            (--sim->claim_count - index) * sizeof *sim->claim);
    sim->live[claim.live].waiting--;
    sim->nodes[sim->gpus[claim.gpu].node].claims -= asks_host(sim, claim.live);
    pt__slots_claim(sim, claim.gpu, claimed(sim, claim.gpu));
    pt__node_changed(pt__pool_of_node(sim, sim->gpus[claim.gpu].node), sim->gpus[claim.gpu].node);
}

static bool fits(const struct pt_sim *sim, uint32_t live, uint32_t gpu, uint8_t start)
{
    const struct pt_live *l = &sim->live[live];
    const struct pt_need *need = pt__need_of(sim, l->job, l->pool);
    return pt__slots_fits(sim, &sim->pools[l->pool], gpu, need, start);
}

static void take(struct pt_sim *sim, uint32_t live, uint32_t gpu, uint8_t start)
{
    struct pt_units unit = {.pool = sim->live[live].pool,
                            .count = 1,
                            .capacity = 1,
                            .gpus = &gpu,
                            .starts = &start,
                            .node = PT_NONE};
    pt__members_take(sim, live, &unit);
}

void pt__claims_make(struct pt_sim *sim, uint32_t live, const struct pt_units *units)
{
    for (uint32_t i = 0; i < units->count; i++) {
        uint32_t gpu = units->gpus[i];
        uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[i];
        bool open = pt__gpu_open(&sim->gpus[gpu]);
        if (open && fits(sim, live, gpu, start))
            take(sim, live, gpu, start);
        else
            add(sim, live, gpu, start);
    }
}

/* In pools that do not check memory: would the unit's allocation fail now? */
static bool out_of_memory(const struct pt_sim *sim, uint32_t live, uint32_t gpu)
{
    const struct pt_live *l = &sim->live[live];
    const struct pt_pool *pool = sim->pools[l->pool].pool;
    return pool->shape.memory_oom &&
           pt__gpu_memory(sim, l->job, l->pool) > pool->gpu->mem_mib - sim->gpus[gpu].mem_used_mib;
}

/* The job has all its units; those whose instances are still being made serve later. */
static void complete(struct pt_sim *sim, uint32_t live)
{
    pt__host_change(sim, &sim->live[live], true);
    if (sim->live[live].waiting == 0) pt__serve(sim, live);
}

void pt__claims_settle(struct pt_sim *sim)
{
    for (uint32_t i = 0; i < sim->claim_count;) {
        struct pt_claim claim = sim->claim[i];
        if (!fits(sim, claim.live, claim.gpu, claim.start)) {
            i++;
            continue;
        }
        struct pt_live *live = &sim->live[claim.live];
        if (out_of_memory(sim, claim.live, claim.gpu)) {
            pt__vacate(sim, claim.live);
            live->waiting = 0;
            pt__fails_for_memory(sim, claim.live);
            i = 0;
            continue;
        }
        pt__held(sim, live); /* with one unit less until now */
        live->due_ns = sim->now_ns;
        remove_at(sim, i);
        pt__slots_claim(sim, claim.gpu, false);
        take(sim, claim.live, claim.gpu, claim.start);
        pt__slots_claim(sim, claim.gpu, claimed(sim, claim.gpu));
        if (pt__claims_of(sim, claim.live) == 0) complete(sim, claim.live);
    }
}

void pt__claims_drop(struct pt_sim *sim, uint32_t live)
{
    for (uint32_t i = sim->claim_count; i-- > 0;)
        if (sim->claim[i].live == live) remove_at(sim, i);
}

void pt__claims_lost(struct pt_sim *sim, uint32_t first_gpu, uint32_t gpus)
{
    for (uint32_t i = 0; i < sim->claim_count;) {
        if (sim->claim[i].gpu < first_gpu || sim->claim[i].gpu - first_gpu >= gpus) {
            i++;
            continue;
        }
        pt__life_unreserve(sim, sim->claim[i].live);
        i = 0;
    }
}
