#include "sim/core/engine.h"

/* Every invariant of semantics.md, section 8, from scratch: nothing here trusts a counter. */

static bool broken(struct pt_sim *sim, const char *what, unsigned long long index,
                   unsigned long long is, unsigned long long should)
{
    pt__break(sim, PT_ERR_INVARIANT, "event %llu: %s %llu is %llu, recounted %llu",
              (unsigned long long)sim->stats.events, what, index, is, should);
    return false;
}

/* Instances that hold a unit lie side by side on the GPU's slices, and the marks of what fits are
 * what the mode says. */
static bool check_nested(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_unit_shape *shape = &pool->pool->shape;
    const void *state = pt__state_of(pool, gpu);
    uint32_t slices = 0, cells = 0, masks[PT_DISTURBS_LEVELS] = {0};
    for (uint32_t m = g->first; m != PT_NONE;) {
        const struct pt_member *member = &sim->member[m];
        const struct pt_need *need =
            pt__need_of(sim, sim->live[member->live].job, sim->live[member->live].pool);
        const struct pt_mig_profile *profile = pool->nested->profile(state, shape, member->cell);
        uint32_t own = ((1u << profile->size) - 1) << member->cell;
        if (profile != &pool->pool->gpu->mig->profiles[need->profile])
            return broken(sim, "instance on GPU", gpu, member->cell, need->profile);
        if ((cells >> member->cell & 1) == 0 && (slices & own) != 0)
            return broken(sim, "slices of GPU", gpu, slices, own);
        slices |= own;
        cells |= 1u << member->cell;
        m = member->gpu_next == g->first ? PT_NONE : member->gpu_next;
    }
    if (slices != pool->nested->busy_slices(state, shape))
        return broken(sim, "busy slices of GPU", gpu, pool->nested->busy_slices(state, shape),
                      slices);
    if (sim->nodes[g->node].up && pt__gpu_open(g) && !pt__node_held(sim, &sim->nodes[g->node]))
        pool->nested->summary(masks, state, shape);
    for (uint32_t level = 0; level < PT_DISTURBS_LEVELS; level++)
        if (pool->masks[gpu - pool->pool->first_gpu][level] != masks[level])
            return broken(sim, "marks of what fits on GPU", gpu,
                          pool->masks[gpu - pool->pool->first_gpu][level], masks[level]);
    return true;
}

static bool check_gpu(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu)
{
    const struct pt_gpu *g = &sim->gpus[gpu];
    uint32_t residents = 0, computing = 0, clients = 0, local = gpu - pool->pool->first_gpu;
    uint64_t mib = 0, load = 0;
    for (uint32_t m = g->first; m != PT_NONE;) {
        const struct pt_member *member = &sim->member[m];
        const struct pt_live *live = &sim->live[member->live];
        if ((!live->running && live->waiting == 0) || member->gpu != gpu)
            return broken(sim, "resident of GPU", gpu, member->live, PT_NONE);
        residents++;
        clients += pt__need_of(sim, live->job, live->pool)->clients;
        computing += live->computing;
        load += pt__need_of(sim, live->job, live->pool)->capacity;
        mib += pt__gpu_memory(sim, live->job, live->pool);
        m = member->gpu_next == g->first ? PT_NONE : member->gpu_next;
    }
    if (residents != g->residents)
        return broken(sim, "residents of GPU", gpu, g->residents, residents);
    if (pool->free_clients != NULL && clients != sim->clients[gpu])
        return broken(sim, "processes on GPU", gpu, sim->clients[gpu], clients);
    if (pool->free_clients != NULL && clients > pool->pool->shape.clients_max)
        return broken(sim, "processes on GPU", gpu, clients, pool->pool->shape.clients_max);
    if (residents > pool->pool->shape.residents_max)
        return broken(sim, "residents of GPU", gpu, residents, pool->pool->shape.residents_max);
    if (computing != g->computing)
        return broken(sim, "computing residents of GPU", gpu, g->computing, computing);
    if (load != g->load) return broken(sim, "load of GPU", gpu, g->load, load);
    if (g->load > pool->capacity) return broken(sim, "load of GPU", gpu, g->load, pool->capacity);
    if (mib != g->mem_used_mib) return broken(sim, "memory of GPU", gpu, g->mem_used_mib, mib);
    if (mib > pool->pool->gpu->mem_mib)
        return broken(sim, "memory of GPU", gpu, mib, pool->pool->gpu->mem_mib);
    bool up = sim->nodes[g->node].up, open = up && pt__gpu_open(g) && g->load < pool->capacity;
    if (!up && g->load > 0) return broken(sim, "load of a GPU that is down,", gpu, g->load, 0);
    if (pt_bitset_has(&pool->open, local) != open)
        return broken(sim, "open mark of GPU", gpu, !open, open);
    if (pool->nested != NULL && !check_nested(sim, pool, gpu)) return false;
    for (uint32_t l = 0; pool->plain && l < pool->capacity; l++)
        if (pt_bitset_has(&pool->at_load[l], local) != (open && l == g->load))
            return broken(sim, "load mark of GPU", gpu, l, g->load);
    return true;
}

static bool check_node(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t node,
                       struct pt_pool_state *sum)
{
    const struct pt_node_state *n = &sim->nodes[node];
    uint32_t gpus = pool->pool->gpus_per_node, open = 0, idle = 0;
    uint64_t load = 0, free_units = 0;
    uint32_t first = pool->pool->first_gpu + (node - pool->pool->first_node) * gpus;
    for (uint32_t gpu = first; gpu < first + gpus; gpu++) {
        if (!check_gpu(sim, pool, gpu)) return false;
        uint32_t l = sim->gpus[gpu].load;
        load += l;
        sum->busy_ppm += sim->gpus[gpu].busy_ppm;
        sum->power_uw += sim->power_uw == NULL ? 0 : sim->power_uw[gpu];
        sum->frag_sum += pt__slots_gpu_fragmentation(sim, pool, gpu);
        if ((sim->gpus[gpu].busy_ppm > 0) != (sim->gpus[gpu].computing > 0) &&
            sim->world.interference.ops == NULL)
            return broken(sim, "busy share of GPU", gpu, sim->gpus[gpu].busy_ppm,
                          sim->gpus[gpu].computing);
        if (!n->up || !pt__gpu_open(&sim->gpus[gpu])) continue;
        open += l < pool->capacity;
        idle += sim->gpus[gpu].residents == 0;
        free_units += pool->capacity - l;
    }
    if (load != n->load) return broken(sim, "load of node", node, n->load, load);
    if (open != n->open_gpus) return broken(sim, "open GPUs of node", node, n->open_gpus, open);
    if (idle != n->idle_gpus) return broken(sim, "idle GPUs of node", node, n->idle_gpus, idle);
    if (free_units != n->free_units)
        return broken(sim, "free units of node", node, n->free_units, free_units);
    if (n->cpus_free_milli != PT_NONE && n->cpus_free_milli > pool->pool->cpus_milli_per_node)
        return broken(sim, "free CPUs of node", node, n->cpus_free_milli, 0);
    if (n->mem_free_mib != PT_NONE && n->mem_free_mib > pool->pool->mem_mib_per_node)
        return broken(sim, "free memory of node", node, n->mem_free_mib, 0);
    sum->held_units += load;
    sum->open_gpus += open;
    sum->free_units += free_units;
    sum->up_gpus += n->up ? gpus : 0;
    if (pool->plain && pool->frag_weight != NULL)
        sum->frag_sum += free_units * pool->frag_weight[open];
    return true;
}

static bool check_pool(struct pt_sim *sim, uint32_t p)
{
    struct pt_pool_state *pool = &sim->pools[p], sum = {.pool = pool->pool};
    for (uint32_t i = 0; i < pool->pool->node_count; i++)
        if (!check_node(sim, pool, pool->pool->first_node + i, &sum)) return false;
    if (sum.held_units != pool->held_units)
        return broken(sim, "held units of pool", p, pool->held_units, sum.held_units);
    if (sum.busy_ppm != pool->busy_ppm)
        return broken(sim, "busy share of pool", p, pool->busy_ppm, sum.busy_ppm);
    if (sum.power_uw != pool->power_uw)
        return broken(sim, "power of pool", p, pool->power_uw, sum.power_uw);
    if (sum.open_gpus != pool->open_gpus)
        return broken(sim, "open GPUs of pool", p, pool->open_gpus, sum.open_gpus);
    if (sum.free_units != pool->free_units)
        return broken(sim, "free units of pool", p, pool->free_units, sum.free_units);
    if (sum.up_gpus != pool->up_gpus)
        return broken(sim, "GPUs up in pool", p, pool->up_gpus, sum.up_gpus);
    if (sum.frag_sum != pool->frag_sum)
        return broken(sim, "fragmentation of pool", p, (uint64_t)pool->frag_sum,
                      (uint64_t)sum.frag_sum);
    return true;
}

/* A running job has all its parts, in one pool, on as few nodes as it may; work adds up. */
static bool check_live(struct pt_sim *sim, uint32_t index)
{
    const struct pt_live *live = &sim->live[index];
    uint32_t members = 0;
    pt_u128 speed = ~(pt_u128)0, mine = pt__speed(live->speed, live->speed_bits);
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        const struct pt_member *member = &sim->member[m];
        if (member->live != index) return broken(sim, "member of job", live->job, m, index);
        if (sim->world.cluster->nodes[sim->gpus[member->gpu].node].pool != live->pool)
            return broken(sim, "pool of a unit of job", live->job, member->gpu, live->pool);
        pt_u128 its = pt__speed(member->speed, member->speed_bits);
        if (its < speed) speed = its;
        members++;
    }
    uint32_t should = live->running || live->waiting > 0 ? live->unit_count : 0;
    should -= pt__claims_of(sim, index);
    if (members != should) return broken(sim, "units held by job", live->job, members, should);
    if (live->computing && members > 0 && speed != mine)
        return broken(sim, "speed of job", live->job, (uint64_t)mine, (uint64_t)speed);
    if (live->left > (pt_u128)(uint64_t)sim->work_ns[live->job] << 60 && live->preemptions == 0)
        return broken(sim, "work left of job", live->job, (uint64_t)(live->left >> 60),
                      (uint64_t)sim->work_ns[live->job]);
    if (live->computing && live->end_ns < sim->now_ns)
        return broken(sim, "end of job", live->job, (uint64_t)live->end_ns, (uint64_t)sim->now_ns);
    return true;
}

static bool check_jobs(struct pt_sim *sim)
{
    uint32_t count[PT_STATE_COUNT] = {0}, queued = 0;
    while (sim->check_from < sim->next_arrival &&
           pt_job_state_is_final(pt__state(sim, sim->check_from)))
        sim->check_from++; /* nothing leaves a final state: these were counted once and for all */
    uint32_t final_jobs = sim->check_from;
    for (pt_job job = sim->check_from; job < sim->next_arrival; job++) {
        enum pt_job_state state = pt__state(sim, job);
        uint32_t place = sim->place == NULL ? job : sim->place[job];
        bool pending = pt_bitset_has(&sim->pending, place);
        if (state >= PT_STATE_COUNT || state == PT_STATE_FUTURE)
            return broken(sim, "state of job", job, state, PT_STATE_PENDING);
        if (pending != pt__waits(sim, job))
            return broken(sim, "queue mark of job", job, pending, !pending);
        bool live = sim->live_of[job] != PT_NONE;
        if (state == PT_STATE_RUNNING && !(live && sim->live[sim->live_of[job]].running))
            return broken(sim, "running job", job, 0, 1);
        count[state]++;
        queued += pending;
        final_jobs += pt_job_state_is_final(state);
    }
    if (queued != sim->pending_count)
        return broken(sim, "pending jobs", 0, sim->pending_count, queued);
    if (count[PT_STATE_RUNNING] != sim->running_count)
        return broken(sim, "running jobs", 0, sim->running_count, count[PT_STATE_RUNNING]);
    if (count[PT_STATE_HELD] != sim->held_count)
        return broken(sim, "held jobs", 0, sim->held_count, count[PT_STATE_HELD]);
    if (final_jobs != sim->final_count)
        return broken(sim, "ended jobs", 0, sim->final_count, final_jobs);
    return true;
}

/* GPU time charged to tenants, with what runs now, is what the pools' meters say was held. */
static bool check_charges(struct pt_sim *sim)
{
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        pt_u128 charged = 0, held = sim->pools[p].now.held;
        for (uint32_t t = 0; t < sim->world.tenant_count; t++)
            charged += pt_sim_tenant_held(sim, p, t);
        for (uint32_t l = 0; l < sim->live_used; l++) {
            const struct pt_live *live = &sim->live[l];
            if (live->job == PT_NONE || live->pool != p) continue;
            if (!live->running && live->waiting == 0) continue;
            charged += (pt_u128)(uint64_t)(sim->now_ns - live->due_ns) *
                       ((uint64_t)(live->unit_count - pt__claims_of(sim, l)) *
                        pt__need_of(sim, live->job, p)->capacity);
        }
        int64_t since_ns = sim->now_ns - sim->pools[p].metered_ns;
        if (since_ns > 0) held += (pt_u128)(uint64_t)since_ns * sim->pools[p].held_units;
        if (charged != held)
            return broken(sim, "unit time charged in pool", p, (uint64_t)(charged / 1000000000u),
                          (uint64_t)(held / 1000000000u));
    }
    return true;
}

/* A policy that says it is work-conserving leaves nobody pending whom its placement could start. */
static bool check_conserving(struct pt_sim *sim)
{
    if ((sim->policy_flags & PT_POLICY_WORK_CONSERVING) == 0) return true;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        pt_job job = sim->ctx.api->class_next_pending(&sim->ctx, c, PT_NONE);
        const struct pt_units *units;
        if (job != PT_NONE && pt_ctx_place(&sim->ctx, &units, job, sim->classes[c].pools))
            return broken(sim, "job left pending that fits,", job, 1, 0);
    }
    return true;
}

bool pt__check(struct pt_sim *sim)
{
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (!check_pool(sim, p)) return false;
    for (uint32_t l = 0; l < sim->live_used; l++)
        if (sim->live[l].job != PT_NONE && !check_live(sim, l)) return false;
    return check_jobs(sim) && check_charges(sim) && check_conserving(sim);
}
