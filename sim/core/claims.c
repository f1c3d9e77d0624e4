#include <string.h>

#include "sim/core/life.h"

/* Units that pass from jobs that are being saved to those that they were stopped for. Such a job
 * holds at once what is free of its set; the GPUs of the rest take no newcomers, so that each part
 * is its as soon as its holder has left. CPUs and host memory it takes last, and the nodes of its
 * units start nobody else who wants any until then. Claims are few: they live as long as a save.
 */

enum pt_status pt__claims_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_preemption *how = &sim->world.preemption;
    if (how->save_base_ns == 0 && how->save_per_gib_ns == 0) return PT_OK;
    sim->claim_capacity = sim->member_capacity + 1; /* a unit is claimed once */
    sim->claim = malloc(sim->claim_capacity * sizeof *sim->claim);
    sim->claim_gpus = malloc((size_t)sim->units.capacity * sizeof *sim->claim_gpus);
    return sim->claim != NULL && sim->claim_gpus != NULL
               ? PT_OK
               : pt_fail(error, PT_ERR_MEMORY, "out of memory for claims");
}

void pt__claims_free(struct pt_sim *sim)
{
    free(sim->claim);
    free(sim->claim_gpus);
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

/* The job keeps others off the host resources of its units' nodes, one count a unit. */
static void guard(struct pt_sim *sim, uint32_t live, uint32_t gpu, bool begins)
{
    uint32_t node = sim->gpus[gpu].node;
    if (!asks_host(sim, live)) return;
    sim->nodes[node].claims += begins ? 1 : UINT32_MAX;
    pt__node_changed(pt__pool_of_node(sim, node), node);
}

static void unguard_members(struct pt_sim *sim, uint32_t live)
{
    for (uint32_t m = sim->live[live].first_member; m != PT_NONE; m = sim->member[m].job_next)
        guard(sim, live, sim->member[m].gpu, false);
    sim->released |= PT_POOL_BIT(sim->live[live].pool);
}

static void add(struct pt_sim *sim, uint32_t live, uint32_t gpu, uint8_t start)
{
    sim->claim[sim->claim_count++] = (struct pt_claim){live, gpu, start};
    sim->live[live].waiting++;
    pt__slots_claim(sim, gpu, true);
}

/* Keeps the others in order: who claimed first is served first. */
static void remove_at(struct pt_sim *sim, uint32_t index)
{
    struct pt_claim claim = sim->claim[index];
    memmove(&sim->claim[index], &sim->claim[index + 1],
            (--sim->claim_count - index) * sizeof *sim->claim);
    sim->live[claim.live].waiting--;
    pt__slots_claim(sim, claim.gpu, claimed(sim, claim.gpu));
    sim->released |= PT_POOL_BIT(sim->live[claim.live].pool);
}

static bool fits(const struct pt_sim *sim, uint32_t live, uint32_t gpu, uint8_t start)
{
    const struct pt_live *l = &sim->live[live];
    const struct pt_need *need = pt__need_of(sim, l->job, l->pool);
    return pt__slots_fits(sim, &sim->pools[l->pool], gpu, need, start);
}

static bool somebody_saves(const struct pt_sim *sim, uint32_t gpu)
{
    uint32_t first = sim->gpus[gpu].first;
    for (uint32_t m = first; m != PT_NONE;) {
        if (sim->live[sim->member[m].live].saving) return true;
        m = sim->member[m].gpu_next == first ? PT_NONE : sim->member[m].gpu_next;
    }
    return false;
}

/* Whether all units that are claimed on a nested GPU fit there one after the other; `anew`: on
 * instances cut anew. */
static bool group_fits(const struct pt_sim *sim, uint32_t gpu, bool anew)
{
    _Alignas(16) unsigned char copy[PT_NESTED_STATE_MAX];
    const struct pt_pool_state *pool =
        &sim->pools[sim->world.cluster->nodes[sim->gpus[gpu].node].pool];
    struct pt_placed placed;
    memcpy(copy, pt__state_of(pool, gpu), pool->nested->state_size);
    for (uint32_t i = 0; i < sim->claim_count; i++) {
        const struct pt_claim *claim = &sim->claim[i];
        if (claim->gpu != gpu) continue;
        const struct pt_need *need =
            pt__need_of(sim, sim->live[claim->live].job, sim->live[claim->live].pool);
        uint8_t start = anew ? PT_CELL_ANEW : claim->start;
        if (!pool->nested->place(&placed, copy, &pool->pool->shape, need, start)) return false;
        anew = false;
    }
    return true;
}

/* Whether the unit can be taken now. Instances are cut for all who were promised some of a GPU, so
 * not before all have left that were to leave; what was cut when the promise was made may be there
 * no more, so perhaps they are cut anew. */
static bool free_now(struct pt_sim *sim, struct pt_claim *claim)
{
    if (sim->pools[sim->live[claim->live].pool].nested == NULL)
        return fits(sim, claim->live, claim->gpu, claim->start);
    if (somebody_saves(sim, claim->gpu)) return false;
    if (group_fits(sim, claim->gpu, false)) return true;
    if (!group_fits(sim, claim->gpu, true)) return false;
    claim->start = PT_CELL_ANEW; /* the first of the GPU: they are asked in order */
    return true;
}

/* A promise that nobody's leaving can keep any more. */
static bool broken(const struct pt_sim *sim, const struct pt_claim *claim)
{
    return sim->pools[sim->live[claim->live].pool].nested != NULL &&
           !somebody_saves(sim, claim->gpu);
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

/* Whether each node has its part of the job's host resources free now. */
static bool host_free(struct pt_sim *sim, uint32_t live, const uint32_t *gpus, uint32_t count)
{
    const struct pt_class *class_ = pt__class(sim, sim->live[live].job);
    if (!asks_host(sim, live)) return true;
    for (uint32_t i = 0; i < count; i++) {
        const struct pt_node_state *node = &sim->nodes[sim->gpus[gpus[i]].node];
        uint64_t units = 0, of = class_->units;
        for (uint32_t k = 0; k < count; k++)
            units += sim->gpus[gpus[k]].node == sim->gpus[gpus[i]].node;
        if (node->cpus_free_milli != PT_NONE &&
            (class_->cpus_milli * units + of - 1) / of > node->cpus_free_milli)
            return false;
        if (node->mem_free_mib != PT_NONE &&
            (class_->mem_mib * units + of - 1) / of > node->mem_free_mib)
            return false;
    }
    return true;
}

/* The same of a job that has all its units but this last one. */
static bool host_free_with(struct pt_sim *sim, uint32_t live, uint32_t last_gpu)
{
    uint32_t count = 0;
    for (uint32_t m = sim->live[live].first_member; m != PT_NONE; m = sim->member[m].job_next)
        sim->claim_gpus[count++] = sim->member[m].gpu;
    sim->claim_gpus[count++] = last_gpu;
    return host_free(sim, live, sim->claim_gpus, count);
}

/* In pools that do not check memory: would the unit's allocation fail now? */
static bool out_of_memory(const struct pt_sim *sim, uint32_t live, uint32_t gpu)
{
    const struct pt_live *l = &sim->live[live];
    const struct pt_pool *pool = sim->pools[l->pool].pool;
    return pool->shape.memory_oom &&
           pt__gpu_memory(sim, l->job, l->pool) > pool->gpu->mem_mib - sim->gpus[gpu].mem_used_mib;
}

void pt__claims_make(struct pt_sim *sim, uint32_t live, const struct pt_units *units)
{
    bool waits = !host_free(sim, live, units->gpus, units->count);
    for (uint32_t i = 0; i < units->count; i++) {
        uint32_t gpu = units->gpus[i];
        uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[i];
        bool nested = sim->pools[units->pool].nested != NULL;
        bool open = pt__gpu_open(&sim->gpus[gpu]) && !(waits && i + 1 == units->count) &&
                    !(nested && somebody_saves(sim, gpu));
        guard(sim, live, gpu, true);
        if (open && fits(sim, live, gpu, start) && !out_of_memory(sim, live, gpu))
            take(sim, live, gpu, start);
        else
            add(sim, live, gpu, start);
    }
    if (pt__claims_of(sim, live) == 0) unguard_members(sim, live);
}

/* The job has all its units; those whose instances are still being made serve later. */
static void complete(struct pt_sim *sim, uint32_t live)
{
    unguard_members(sim, live);
    pt__host_change(sim, &sim->live[live], true);
    if (sim->live[live].waiting == 0) pt__serve(sim, live);
}

void pt__claims_settle(struct pt_sim *sim)
{
    for (uint32_t i = 0; i < sim->claim_count;) {
        bool last = pt__claims_of(sim, sim->claim[i].live) == 1;
        bool fits_now = free_now(sim, &sim->claim[i]);
        struct pt_claim claim = sim->claim[i];
        if (!fits_now && broken(sim, &claim)) {
            pt__life_unreserve(sim, claim.live);
            return; /* which settles the others */
        }
        if (!fits_now || (last && !host_free_with(sim, claim.live, claim.gpu))) {
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
    unguard_members(sim, live);
    for (uint32_t i = sim->claim_count; i-- > 0;) {
        if (sim->claim[i].live != live) continue;
        guard(sim, live, sim->claim[i].gpu, false);
        remove_at(sim, i);
    }
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
