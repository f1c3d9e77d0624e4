#include "partita/sim.h"

#include <string.h>

#include "sim/core/engine.h"

/* Putting a world together and taking it apart. */

static int compare_changes(const void *a, const void *b)
{
    const struct pt_node_change *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    if (x->up != y->up) return x->up ? -1 : 1; /* back up, and down again at the same instant */
    return x->node < y->node ? -1 : x->node > y->node;
}

static int64_t after(int64_t time_ns, int64_t later_ns)
{
    return later_ns > PT_NEVER - time_ns ? PT_NEVER : time_ns + later_ns;
}

static enum pt_status changes_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_cluster *cluster = sim->world.cluster;
    size_t windows = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        windows += cluster->nodes[n].down_count;
    sim->change = malloc((2 * windows + 1) * sizeof *sim->change);
    if (sim->change == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for down times");
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        const struct pt_node *node = &cluster->nodes[n];
        for (uint32_t w = 0; w < node->down_count; w++) {
            int64_t from_ns = node->down[w].from_ns;
            int64_t up_ns = after(node->down[w].to_ns, node->boot_ns);
            if (up_ns == from_ns) continue; /* never away */
            sim->change[sim->change_count++] = (struct pt_node_change){
                .time_ns = from_ns, .node = n, .for_ever = up_ns == PT_NEVER};
            if (up_ns != PT_NEVER)
                sim->change[sim->change_count++] =
                    (struct pt_node_change){.time_ns = up_ns, .node = n, .up = true};
        }
    }
    if (sim->change_count > 0)
        qsort(sim->change, sim->change_count, sizeof *sim->change, compare_changes);
    return PT_OK;
}

/* Live records are needed for jobs that run, and for those between two attempts. */
static uint32_t live_needed(const struct pt_sim *sim, uint64_t units)
{
    /* A job that was stopped and waits keeps its record. */
    bool again =
        sim->change_count > 0 || sim->faulty || sim->world.preemption.mode != PT_PREEMPTION_NONE;
    uint64_t cpu_only = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++)
        again |= (sim->pools[p].pool->shape.memory_oom && sim->world.retries.oom != 0) ||
                 sim->pools[p].pool->shape.reconfigure.failure_ppm > 0;
    for (uint32_t c = 0; c < sim->class_count; c++)
        if (sim->classes[c].units == 0) cpu_only += sim->classes[c].count;
    uint64_t needed = units + cpu_only + 1;
    return again || needed > sim->job_count ? sim->job_count + 1 : (uint32_t)needed;
}

static enum pt_status pools_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_cluster *cluster = sim->world.cluster;
    sim->pool_count = cluster->pool_count;
    sim->pools = calloc(cluster->pool_count, sizeof *sim->pools);
    sim->nodes = calloc(cluster->node_count, sizeof *sim->nodes);
    sim->gpus = calloc(cluster->gpu_count, sizeof *sim->gpus);
    if (sim->pools == NULL || sim->nodes == NULL || sim->gpus == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u GPUs", cluster->gpu_count);
    if (sim->world.energy)
        sim->power_uw = calloc((size_t)cluster->gpu_count + 1, sizeof *sim->power_uw);
    if (sim->world.energy && sim->power_uw == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u GPUs", cluster->gpu_count);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        sim->nodes[n].cpu_first = PT_NONE;
    PT_TRY(pt__slots_build(sim, error));
    return pt__index_build(sim, error);
}

static enum pt_status jobs_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_trace *trace = sim->world.trace;
    uint32_t jobs = trace->job_count;
    sim->job_count = jobs;
    sim->submit_ns = pt_trace_submit_ns(trace);
    sim->work_ns = pt_trace_work_ns(trace);
    sim->gpu_mem_mib = trace->column[PT_COL_GPU_MEM];
    if (sim->world.tenant_of_word != NULL) sim->tenant_word = trace->column[PT_COL_TENANT];
    sim->state = calloc((size_t)jobs + 1, sizeof *sim->state);
    sim->live_of = malloc(((size_t)jobs + 1) * sizeof *sim->live_of);
    if (sim->state == NULL || sim->live_of == NULL || !pt_bitset_init(&sim->pending, jobs))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u jobs", jobs);
    memset(sim->live_of, 0xff, ((size_t)jobs + 1) * sizeof *sim->live_of); /* PT_NONE */
    if (trace->predecessor_count == NULL) return PT_OK;
    sim->waits_for = malloc(((size_t)jobs + 1) * sizeof *sim->waits_for);
    sim->doomed = malloc(((size_t)jobs + 1) * sizeof *sim->doomed);
    if (sim->waits_for == NULL || sim->doomed == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for `after`");
    memcpy(sim->waits_for, trace->predecessor_count, jobs * sizeof *sim->waits_for);
    return PT_OK;
}

/* Units that one GPU of the pool can hold at once. */
static uint32_t gpu_units(const struct pt_pool_state *pool)
{
    uint32_t max = pool->pool->shape.residents_max;
    return pool->plain && pool->capacity < max ? pool->capacity : max;
}

/* Units that can be held at once, by the GPUs and by the jobs there are. */
static uint64_t units_of(const struct pt_sim *sim)
{
    uint64_t units = 0, asked = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        const struct pt_pool *pool = sim->pools[p].pool;
        units += (uint64_t)pool->node_count * pool->gpus_per_node * gpu_units(&sim->pools[p]);
    }
    for (uint32_t c = 0; c < sim->class_count; c++)
        if (sim->classes[c].pools != 0)
            asked += (uint64_t)sim->classes[c].count * sim->classes[c].units;
    return units < asked ? units : asked;
}

/* Units that may sit on one GPU at once, over all pools. */
static uint32_t residents_of(const struct pt_sim *sim, uint64_t units)
{
    uint32_t most = 1;
    for (uint32_t p = 0; p < sim->pool_count; p++)
        if (gpu_units(&sim->pools[p]) > most) most = gpu_units(&sim->pools[p]);
    return most < units ? most + 1 : (uint32_t)units + 1;
}

static uint32_t largest_job(const struct pt_sim *sim)
{
    uint32_t units = 1;
    for (uint32_t c = 0; c < sim->class_count; c++)
        if (sim->classes[c].pools != 0 && sim->classes[c].units > units)
            units = sim->classes[c].units;
    return units;
}

static enum pt_status work_space_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_cluster *cluster = sim->world.cluster;
    uint32_t per_node = 1, gpus = cluster->gpu_count;
    size_t stride = 0;
    uint64_t units = units_of(sim);
    uint32_t residents = residents_of(sim, units);
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        const struct pt_pool_state *pool = &sim->pools[p];
        if (pool->pool->gpus_per_node > per_node) per_node = pool->pool->gpus_per_node;
        if (pool->stride > stride) stride = pool->stride;
    }
    const struct pt_preemption *how = &sim->world.preemption;
    sim->live_capacity = live_needed(sim, units);
    sim->member_capacity = (uint32_t)units;
    sim->wake_capacity = 64;
    sim->units.capacity = largest_job(sim);
    bool ok = pt_heap_init(&sim->heap, gpus) && pt_heap_init(&sim->cpu_heap, sim->live_capacity);
    /* Pairs of lines come together: a record's halves are one fetch. Written before it is read. */
    ok = ok &&
         (sim->live = aligned_alloc(sizeof *sim->live, sim->live_capacity * sizeof *sim->live));
    if (how->mode != PT_PREEMPTION_NONE)
        ok = ok && (sim->stall = calloc(sim->live_capacity, sizeof *sim->stall));
    ok = ok && (sim->running = malloc(sim->live_capacity * sizeof *sim->running));
    ok = ok && (sim->running_slot = malloc(sim->live_capacity * sizeof *sim->running_slot));
    if (sim->world.recorder.verdict != NULL)
        ok = ok && (sim->verdict = calloc((size_t)sim->job_count + 1, 1));
    if (sim->world.measure)
        ok = ok && (sim->decision_count = calloc(PT_DECISION_BUCKETS, sizeof *sim->decision_count));
    ok = ok && (sim->member = calloc(units + 1, sizeof *sim->member));
    ok = ok && (sim->wakes = malloc(sim->wake_capacity * sizeof *sim->wakes));
    ok = ok && (sim->dirty_gpu = malloc(gpus * sizeof *sim->dirty_gpu));
    ok = ok && (sim->dirty_home = malloc(gpus * sizeof *sim->dirty_home));
    ok = ok && (sim->dirty_live = malloc(sim->live_capacity * sizeof *sim->dirty_live));
    ok = ok && (sim->due_jobs = malloc(sim->live_capacity * sizeof *sim->due_jobs));
    ok = ok && (sim->units.starts = malloc(sim->units.capacity));
    ok = ok && (sim->units.gpus = malloc(sim->units.capacity * sizeof *sim->units.gpus));
    ok = ok && (sim->gpu_mark = calloc(gpus, sizeof *sim->gpu_mark));
    ok = ok && (sim->node_mark = calloc(cluster->node_count, sizeof *sim->node_mark));
    ok = ok && (sim->node_units = calloc(cluster->node_count, sizeof *sim->node_units));
    ok = ok && (sim->scratch_nodes = malloc(cluster->node_count * sizeof *sim->scratch_nodes));
    ok = ok && (sim->scratch_load = malloc(per_node * sizeof *sim->scratch_load));
    ok = ok && (sim->scratch_mem = malloc(per_node * sizeof *sim->scratch_mem));
    ok = ok && (sim->scratch_anew = calloc(per_node, sizeof *sim->scratch_anew));
    ok = ok && (sim->scratch_clients = malloc(per_node * sizeof *sim->scratch_clients));
    ok = ok && (sim->scratch_residents = malloc(per_node * sizeof *sim->scratch_residents));
    ok = ok && (sim->resident_member = malloc(residents * sizeof *sim->resident_member));
    ok = ok && (sim->resident = malloc(residents * sizeof *sim->resident));
    ok = ok && (sim->share = malloc(residents * sizeof *sim->share));
    ok = ok && (sim->slow = malloc(residents * sizeof *sim->slow));
    if (stride > 0) {
        ok = ok && (sim->scratch_state = malloc(per_node * stride));
        ok = ok && (sim->trial = malloc((size_t)sim->units.capacity * PT_NESTED_STATE_MAX));
        ok = ok && (sim->trial_of = calloc(gpus, sizeof *sim->trial_of));
    }
    if (sim->world.jobs_model.traits != NULL)
        ok = ok && (sim->model = malloc(sim->live_capacity * sizeof *sim->model));
    if (sim->world.jobs_model.cold_start_ns != NULL || sim->world.restore.base_ns > 0 ||
        sim->world.restore.per_gib_ns > 0 || how->save_base_ns > 0 || how->save_per_gib_ns > 0)
        ok = ok && pt_heap_init(&sim->ready_heap, sim->live_capacity);
    sim->live_free = sim->member_free = sim->backoff_first = PT_NONE;
    return ok ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory for the engine's work space");
}

static enum pt_status policy_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_policy_ops *policy = sim->world.policy;
    const struct pt_value *params = sim->world.policy_params;
    size_t size = policy->state_size == NULL ? 0 : policy->state_size(params, sim->class_count);
    void *state = calloc(1, size + 1);
    if (state == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for policy %s", policy->name);
    if (policy->init != NULL) {
        enum pt_status status = policy->init(state, &sim->ctx, params, error);
        if (status != PT_OK) {
            free(state);
            return status;
        }
    }
    sim->policy_state = state; /* from here on fini is owed */
    return PT_OK;
}

static enum pt_status placement_build(struct pt_sim *sim, struct pt_error *error)
{
    const struct pt_placement_ops *placement = sim->world.placement;
    const struct pt_value *params = sim->world.placement_params;
    size_t size = placement->state_size == NULL ? 0 : placement->state_size(params);
    void *state = calloc(1, size + 1);
    if (state == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for placement %s", placement->name);
    if (placement->init != NULL) {
        enum pt_status status = placement->init(state, &sim->ctx, params, error);
        if (status != PT_OK) {
            if (status == PT_ERR_INPUT) pt_error_in(error, "placement");
            free(state);
            return status;
        }
    }
    sim->placement_state = state; /* from here on fini is owed */
    return PT_OK;
}

/* GPUs draw power before, and without, any job on them. */
static void meters_start(struct pt_sim *sim)
{
    for (uint32_t g = 0; sim->power_uw != NULL && g < sim->world.cluster->gpu_count; g++)
        pt__settle_gpu_ask(sim, g);
}

enum pt_status pt_sim_create(struct pt_sim **out, const struct pt_world *world,
                             struct pt_error *error)
{
    *out = NULL;
    struct pt_sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for a simulation");
    sim->ctx.api = &pt__api;
    sim->world = *world;
#ifndef NDEBUG
    sim->world.check = true;
#endif
    enum pt_status status = pools_build(sim, error);
    sim->policy_flags =
        world->policy->flags == NULL ? 0 : world->policy->flags(world->policy_params);
    if (status == PT_OK) status = pt__tenants_build(sim, error);
    if (status == PT_OK) status = jobs_build(sim, error);
    if (status == PT_OK) status = pt__classes_build(sim, error);
    if (status == PT_OK) status = changes_build(sim, error);
    if (status == PT_OK) status = pt__faults_build(sim, error);
    if (status == PT_OK) status = work_space_build(sim, error);
    if (status == PT_OK) status = pt__what_if_build(sim, error);
    if (status == PT_OK) status = pt__claims_build(sim, error);
    if (status == PT_OK) status = pt__change_build(sim, error);
    if (status == PT_OK) status = pt__charge_build(sim, error);
    if (status == PT_OK) status = pt__turns_build(sim, error);
    if (status == PT_OK) status = pt__account_build(sim, error);
    if (status == PT_OK) status = placement_build(sim, error);
    if (status == PT_OK) status = policy_build(sim, error);
    if (status != PT_OK) {
        pt_sim_destroy(sim);
        return status;
    }
    for (uint32_t p = 0; p < sim->pool_count; p++)
        sim->pools[p].one_at_a_time = sim->pools[p].plain && sim->pools[p].capacity == 1 &&
                                      world->interference.ops == NULL && !world->energy &&
                                      !pt__turns_play(sim, sim->pools[p].pool);
    meters_start(sim);
    *out = sim;
    return PT_OK;
}

void pt_sim_destroy(struct pt_sim *sim)
{
    if (sim == NULL) return;
    if (sim->policy_state != NULL && sim->world.policy->fini != NULL)
        sim->world.policy->fini(sim->policy_state);
    free(sim->policy_state);
    if (sim->placement_state != NULL && sim->world.placement->fini != NULL)
        sim->world.placement->fini(sim->placement_state);
    free(sim->placement_state);
    pt__what_if_free(sim);
    pt__claims_free(sim);
    pt__account_free(sim);
    pt__charge_free(sim);
    if (sim->rng != NULL) gsl_rng_free(sim->rng);
    pt_heap_fini(&sim->ready_heap);
    pt_heap_fini(&sim->change_heap);
    pt_heap_fini(&sim->fault_heap);
    pt_heap_fini(&sim->turn_heap);
    pt__index_free(sim);
    pt__slots_free(sim);
    pt_heap_fini(&sim->heap);
    pt_heap_fini(&sim->cpu_heap);
    pt_bitset_fini(&sim->pending);
    void *blocks[] = {sim->state,
                      sim->live_of,
                      sim->class_of,
                      sim->place,
                      sim->job_at,
                      sim->classes,
                      sim->waits_for,
                      sim->doomed,
                      sim->live,
                      sim->member,
                      sim->pools,
                      sim->nodes,
                      sim->gpus,
                      sim->change,
                      sim->wakes,
                      sim->dirty_gpu,
                      sim->dirty_live,
                      sim->dirty_home,
                      sim->due_jobs,
                      sim->units.gpus,
                      sim->units.starts,
                      sim->gpu_mark,
                      sim->node_mark,
                      sim->node_units,
                      sim->scratch_clients,
                      sim->clients,
                      sim->scratch_nodes,
                      sim->scratch_load,
                      sim->scratch_mem,
                      sim->scratch_residents,
                      sim->scratch_anew,
                      sim->scratch_state,
                      sim->resident_member,
                      sim->resident,
                      sim->share,
                      sim->slow,
                      sim->trial,
                      sim->trial_of,
                      sim->model,
                      sim->needs,
                      sim->need_id,
                      sim->node_room,
                      sim->change_of,
                      sim->fresh,
                      sim->gpu_changes,
                      sim->power_uw,
                      sim->turn,
                      sim->turns,
                      sim->fault_number,
                      sim->running,
                      sim->stall,
                      sim->running_slot,
                      sim->verdict,
                      sim->tenant_parts,
                      sim->decision_count};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    free(sim);
}

enum pt_reason pt_sim_never_fits(const struct pt_sim *sim, pt_job job)
{
    return (enum pt_reason)pt__class(sim, job)->never;
}

void pt_sim_get_stats(const struct pt_sim *sim, struct pt_sim_stats *stats)
{
    *stats = sim->stats;
    stats->now_ns = sim->now_ns;
    stats->jobs_final = sim->final_count;
    stats->jobs_running = sim->running_count;
    if (sim->decision_count == NULL) return;
    stats->decision_p50_ns = pt__decision_quantile(sim, 50);
    stats->decision_p99_ns = pt__decision_quantile(sim, 99);
}

struct pt_ratio pt_sim_asked(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    const struct pt_class *class_ = pt__class(sim, job);
    if (pool == PT_NONE && class_->pools != 0) pool = (uint32_t)__builtin_ctzll(class_->pools);
    if (pool >= sim->pool_count || class_->units == 0) return (struct pt_ratio){1, 1};
    struct pt_ratio asked = pt__need(sim, class_, pool)->asked;
    return asked.denominator == 0 ? (struct pt_ratio){1, 1} : asked;
}
