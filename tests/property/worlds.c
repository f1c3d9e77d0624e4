#include "tests/property/worlds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/worlds_parts.h"

#define DOUBTS_MAX 14

const struct pt_gpu_model *const world_models[WORLD_MODELS] = {&rig_h100, &rig_a100_80,
                                                               &rig_a100_40, &rig_a30};
const char *const world_placements[] = {"first_fit", "best_fit", "worst_fit",
                                        "pack",      "spread",   "consolidate"};
const char *const world_states[] = {"pending", "pending", "pending",   "pending",      "running",
                                    "done",    "failed",  "withdrawn", "unschedulable"};
const char *const world_modes[] = {"exclusive", "time_slice", "mps", "fractional", "vgpu", "mig"};
const char *const world_kind_names[WORLD_KINDS] = {"any",  "steady", "mps",  "fractional",
                                                   "vgpu", "mig",    "mixed"};

/* ---- the engine's side ---- */

static void build_job(struct rig *rig, const struct ref_job *job, uint32_t row)
{
    char text[64];
    pt_job r = rig_add_job(rig, job->submit_ns, job->work_ns, job->gpus);
    struct pt_error error;
    enum pt_status status = PT_OK;
    snprintf(text, sizeof text, "j%u", row);
    rig_set_cell(rig, r, PT_COL_ID, text);
    if (job->gpu_mem_mib > 0)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_GPU_MEM, job->gpu_mem_mib, &error);
    if (status == PT_OK && job->nodes_max != REF_NONE)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_NODES_MAX, job->nodes_max, &error);
    if (status == PT_OK && job->cpus_milli > 0)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_CPUS, job->cpus_milli, &error);
    if (status == PT_OK && job->mem_mib > 0)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_MEM, job->mem_mib, &error);
    if (status == PT_OK && job->checkpoint_ns == REF_NEVER)
        rig_set_cell(rig, r, PT_COL_CHECKPOINT, "inf");
    else if (status == PT_OK && job->checkpoint_ns != REF_ABSENT)
        status = pt_trace_set_time(&rig->trace, r, PT_COL_CHECKPOINT, job->checkpoint_ns, &error);
    if (status == PT_OK && job->frac_ppm > 0)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_GPU_FRAC, job->frac_ppm, &error);
    if (status == PT_OK && job->processes > 1)
        status = pt_trace_set_u32(&rig->trace, r, PT_COL_PROCESSES, job->processes, &error);
    if (status != PT_OK) rig_die("j%u: %s", row, error.message);
    if (job->mig != NULL) rig_set_cell(rig, r, PT_COL_MIG, job->mig);
    if (job->cold) rig_set_cell(rig, r, PT_COL_KIND, "batch");
    text[0] = '\0';
    for (uint32_t m = 0; m < WORLD_MODELS; m++)
        if (job->models >> m & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                     text[0] != '\0' ? "|" : "",
                     m == 0 && row % 2 == 0 ? world_models[m]->family : world_models[m]->name);
    if (job->models != 0) rig_set_cell(rig, r, PT_COL_GPU_TYPE, text);
    if (job->pool != REF_NONE) {
        snprintf(text, sizeof text, "p%u", job->pool);
        rig_set_cell(rig, r, PT_COL_POOL, text);
    }
    if (job->distinct != 2) rig_set_cell(rig, r, PT_COL_DISTINCT, job->distinct ? "true" : "false");
    if (job->after[0] == REF_NONE) return;
    snprintf(text, sizeof text, "j%u", job->after[0]);
    if (job->after[1] != REF_NONE)
        snprintf(text, sizeof text, "j%u|j%u", job->after[0], job->after[1]);
    rig_set_cell(rig, r, PT_COL_AFTER, text);
}

static const char *yes(bool value)
{
    return value ? "true" : "false";
}

static void mig_params(char text[WORLD_PARAMS_MAX], const struct ref_pool *pool)
{
    static const char *const changes[] = {"static", "partial", "when_gpu_idle"};
    static const char *const starts[] = {"best", "first", "driver"};
    static const char *const inside[] = {"none", "time_slice", "mps"};
    char cost[PT_SECONDS_TEXT_MAX + 1] = "";
    uint32_t used = 0;
    pt_format_seconds(cost, pool->change_ns);
    for (uint32_t p = 0; p < REF_PROFILES; p++)
        for (uint32_t i = 0; i < pool->layout[p]; i++)
            used +=
                (uint32_t)snprintf(text + used, WORLD_PARAMS_MAX - used, "%s%s",
                                   used == 0 ? "layout=" : ",", ref_profile_name(pool->model, p));
    used += (uint32_t)snprintf(text + used, WORLD_PARAMS_MAX - used,
                               " reconfigure=%s reconfigure_s=%s start=%s", changes[pool->change],
                               cost, starts[pool->start]);
    if (pool->node_wide)
        used += (uint32_t)snprintf(text + used, WORLD_PARAMS_MAX - used, " operator=true");
    if (pool->attempts > 0) {
        char failed[PT_SECONDS_TEXT_MAX + 1] = "", retry[PT_SECONDS_TEXT_MAX + 1] = "";
        pt_format_seconds(failed, pool->failed_ns);
        pt_format_seconds(retry, pool->retry_ns);
        used += (uint32_t)snprintf(text + used, WORLD_PARAMS_MAX - used,
                                   " reconfigure_failures.probability=1"
                                   " reconfigure_failures.attempts=%u"
                                   " reconfigure_failures.duration=%s"
                                   " reconfigure_failures.backoff=%s",
                                   pool->attempts, failed, retry);
    }
    if (pool->how != REF_BOOKS)
        snprintf(text + used, WORLD_PARAMS_MAX - used,
                 " inside.mode=%s inside.replicas=%u inside.switch_loss=%u.%06u", inside[pool->how],
                 pool->replicas, pool->loss_ppm / 1000000, pool->loss_ppm % 1000000);
}

void world_params(char text[WORLD_PARAMS_MAX], const struct ref_pool *pool)
{
    static const char *const computes[] = {"none", "time_slicing", "sm_sharing"};
    static const char *const schedulers[] = {"", "best_effort", "equal_share", "fixed_share"};
    char loss[32];
    snprintf(loss, sizeof loss, "%u.%06u", pool->loss_ppm / 1000000, pool->loss_ppm % 1000000);
    text[0] = '\0';
    if (pool->mode == REF_TIME_SLICE)
        snprintf(text, WORLD_PARAMS_MAX, "replicas=%u switch_loss=%s distinct=%s memory=%s",
                 pool->replicas, loss, yes(pool->distinct), pool->admit ? "admit" : "unchecked");
    if (pool->mode == REF_MPS)
        snprintf(text, WORLD_PARAMS_MAX, "replicas=%u distinct=%s", pool->replicas,
                 yes(pool->distinct));
    if (pool->mode == REF_FRACTIONAL)
        snprintf(text, WORLD_PARAMS_MAX, "compute=%s strict=%s switch_loss=%s distinct=%s",
                 computes[pool->how], yes(pool->strict), loss, yes(pool->distinct));
    if (pool->mode == REF_VGPU)
        snprintf(text, WORLD_PARAMS_MAX, "replicas=%u scheduler=%s switch_loss=%s distinct=%s",
                 pool->replicas, schedulers[pool->how], loss, yes(pool->distinct));
    if (pool->mode == REF_MIG) mig_params(text, pool);
}

static int64_t cold_start_ns(const void *ctx, pt_job job)
{
    const struct rig *rig = ctx;
    const char *kind = pt_trace_word(&rig->trace, PT_COL_KIND, job);
    return kind != NULL && strcmp(kind, "batch") == 0 ? rig->cold_ns : 0;
}

void world_build(struct rig *rig, const struct world *world)
{
    char text[WORLD_PARAMS_MAX];
    rig_init(rig);
    for (uint32_t p = 0; p < world->pool_count; p++) {
        const struct ref_pool *pool = &world->pools[p];
        world_params(text, pool);
        struct pt_pool *made =
            rig_add_pool(rig, world_models[pool->model], pool->end_node - pool->first_node,
                         pool->gpus_per_node, world_modes[pool->mode], text);
        made->cpus_milli_per_node = pool->cpus_milli;
        made->mem_mib_per_node = pool->mem_mib;
    }
    for (uint32_t n = 0; n < rig->cluster.node_count; n++) {
        const struct ref_node *node = &world->nodes[n];
        rig->nodes[n].boot_ns = node->boot_ns;
        rig->nodes[n].down_count = node->down_count;
        for (uint32_t i = 0; i < node->down_count; i++)
            rig->down[n][i] = (struct pt_down_window){node->from_ns[i], node->to_ns[i]};
        if (node->down_count > 0) rig->nodes[n].down = rig->down[n];
    }
    for (uint32_t row = 0; row < world->job_count; row++)
        build_job(rig, &world->jobs[row], row);
    rig_set_policy(rig, "fifo", world->strict ? "blocking=strict" : "blocking=skip",
                   world_placements[world->placement]);
    rig->world.retries =
        (struct pt_retries){world->fault_retries, world->oom_retries, world->backoff_ns};
    rig->world.give_up_ns = world->give_up_ns;
    rig->world.horizon_ns = world->horizon_ns;
    for (uint32_t f = 0; f < world->fault_count; f++)
        rig->faults[f] = (struct pt_fault){world->faults[f].time_ns, world->faults[f].node,
                                           world->faults[f].gpu};
    rig->world.faults =
        (struct pt_faults){.events = rig->faults, .event_count = world->fault_count};
    rig->world.restore = (struct pt_restore){world->restore_ns, world->restore_gib_ns};
    rig->cold_ns = world->cold_ns;
    rig->world.jobs_model = (struct pt_jobs_model){.ctx = rig, .cold_start_ns = cold_start_ns};
    rig->world.seed = world->seed;
    rig->world.check = true;
}

void world_read(struct world_answer *answer, const struct world *world, const struct rig *rig,
                enum pt_status status)
{
    static const enum ref_state map[PT_STATE_COUNT + 1] = {
        REF_PENDING, REF_PENDING,   REF_PENDING,       REF_RUNNING, REF_DONE,  REF_FAILED,
        REF_FUTURE,  REF_WITHDRAWN, REF_UNSCHEDULABLE, REF_PENDING, REF_FUTURE};
    answer->verdict = status == PT_ERR_DEADLOCK ? REF_STUCK : REF_OK;
    memcpy(answer->digest, rig->digest, sizeof answer->digest);
    for (uint32_t j = 0; j < world->job_count; j++) {
        char buffer[PT_ID_BUFFER];
        uint32_t row = (uint32_t)strtoul(pt_trace_id(&rig->trace, j, buffer) + 1, NULL, 10);
        const struct pt_job_result *result = &rig->results[j];
        uint32_t gpu = result->home_gpu;
        answer->jobs[row] = (struct ref_outcome){
            .state = map[result->state],
            .start_ns = result->start_ns,
            .end_ns = result->end_ns,
            .node = gpu == PT_NONE ? REF_NONE : pt_cluster_node_of_gpu(&rig->cluster, gpu),
            .gpu = gpu == PT_NONE ? REF_NONE : gpu,
        };
    }
}

bool world_run_engine(struct world_answer *answer, const struct world *world,
                      struct pt_error *error)
{
    struct rig rig;
    world_build(&rig, world);
    enum pt_status status = rig_run(&rig);
    *error = rig.error;
    if (status == PT_ERR_DEADLOCK && pt_sim_abandon(rig.sim, error) != PT_OK)
        status = PT_ERR_INVARIANT;
    if (status == PT_OK || status == PT_ERR_DEADLOCK) {
        if (rig.result_count != world->job_count) {
            status = pt_fail(error, PT_ERR_INVARIANT, "%u of %u jobs have a result",
                             rig.result_count, world->job_count);
        }
        world_read(answer, world, &rig, status);
    }
    rig_fini(&rig);
    return status == PT_OK || status == PT_ERR_DEADLOCK;
}

/* ---- the reference's side ---- */

void world_run_reference(struct world_answer *answer, const struct world *world,
                         const uint8_t *flip)
{
    uint32_t row_of[WORLD_JOBS], job_of[WORLD_JOBS], count = 0;
    struct ref_job jobs[WORLD_JOBS];
    struct ref_outcome outcomes[WORLD_JOBS];
    uint8_t flips[WORLD_JOBS];
    for (uint32_t row = 0; row < world->job_count; row++) { /* stable insertion by submit time */
        uint32_t at = count++;
        for (; at > 0 && world->jobs[row_of[at - 1]].submit_ns > world->jobs[row].submit_ns; at--)
            row_of[at] = row_of[at - 1];
        row_of[at] = row;
    }
    for (uint32_t j = 0; j < count; j++)
        job_of[row_of[j]] = j;
    for (uint32_t j = 0; j < count; j++) {
        jobs[j] = world->jobs[row_of[j]];
        flips[j] = flip != NULL ? flip[row_of[j]] : 0;
        for (uint32_t i = 0; i < REF_AFTER_MAX; i++)
            if (jobs[j].after[i] != REF_NONE) jobs[j].after[i] = job_of[jobs[j].after[i]];
    }
    uint32_t nodes = world->pools[world->pool_count - 1].end_node;
    struct ref_world w = {
        .pool_count = world->pool_count,
        .node_count = nodes,
        .gpu_count = world->nodes[nodes - 1].end_gpu,
        .job_count = count,
        .pools = world->pools,
        .nodes = world->nodes,
        .jobs = jobs,
        .strict = world->strict,
        .placement = world->placement,
        .fault_retries = world->fault_retries,
        .oom_retries = world->oom_retries,
        .backoff_ns = world->backoff_ns,
        .give_up_ns = world->give_up_ns,
        .horizon_ns = world->horizon_ns,
        .fault_count = world->fault_count,
        .faults = world->faults,
        .cold_ns = world->cold_ns,
        .restore_ns = world->restore_ns,
        .restore_gib_ns = world->restore_gib_ns,
    };
    answer->verdict = ref_run(outcomes, &w, flips);
    for (uint32_t j = 0; j < count; j++)
        answer->jobs[row_of[j]] = outcomes[j];
}

/* ---- agreement ---- */

static enum ref_state reported(enum ref_state state)
{
    return state < REF_RUNNING ? REF_PENDING : state;
}

bool world_same(const struct world_answer *engine, const struct world_answer *reference,
                const struct world *world, char *difference, size_t size)
{
    if (engine->verdict != reference->verdict) {
        snprintf(difference, size, "the engine %s, the reference %s",
                 engine->verdict == REF_STUCK ? "is stuck" : "ends",
                 reference->verdict == REF_STUCK ? "is stuck" : "ends");
        return false;
    }
    for (uint32_t row = 0; row < world->job_count; row++) {
        const struct ref_outcome *e = &engine->jobs[row], *r = &reference->jobs[row];
        bool same_gpu = e->gpu == r->gpu || r->state <= REF_RESERVED || world->jobs[row].gpus == 0;
        if (reported(e->state) == reported(r->state) && e->start_ns == r->start_ns &&
            e->end_ns == r->end_ns && same_gpu)
            continue;
        snprintf(difference, size,
                 "j%u: engine %s [%" PRId64 ", %" PRId64 "] on GPU %d, reference %s [%" PRId64
                 ", %" PRId64 "] on GPU %d",
                 row, world_states[e->state], e->start_ns, e->end_ns, (int)e->node,
                 world_states[r->state], r->start_ns, r->end_ns, (int)r->gpu);
        return false;
    }
    return true;
}

struct doubts {
    uint32_t count;
    uint32_t row[DOUBTS_MAX];
    uint8_t kind[DOUBTS_MAX];
    uint8_t seen[WORLD_JOBS];
};

/* Another decision may bring further ones into doubt. */
static void add_doubts(struct doubts *doubts, const struct world_answer *reference,
                       const struct world *world)
{
    for (uint32_t row = 0; row < world->job_count; row++)
        for (uint8_t kind = REF_DOUBT_END; kind <= REF_DOUBT_CHECKPOINT; kind *= 2) {
            if ((reference->jobs[row].doubts & kind & ~doubts->seen[row]) == 0) continue;
            doubts->seen[row] |= kind;
            if (doubts->count == DOUBTS_MAX) continue;
            doubts->row[doubts->count] = row;
            doubts->kind[doubts->count++] = kind;
        }
}

bool world_agrees(const struct world *world, uint64_t *doubtful, char *difference, size_t size)
{
    struct world_answer engine, reference, other;
    struct pt_error error;
    struct doubts doubts = {0};
    if (!world_run_engine(&engine, world, &error)) {
        snprintf(difference, size, "the engine stops: %s: %s", pt_status_name(error.status),
                 error.message);
        return false;
    }
    world_run_reference(&reference, world, NULL);
    if (reference.verdict == REF_OUTSIDE) {
        snprintf(difference, size, "the world is too fine for the reference");
        return false;
    }
    add_doubts(&doubts, &reference, world);
    *doubtful += doubts.count;
    if (world_same(&engine, &reference, world, difference, size)) return true;
    for (uint32_t mask = 1; mask < 1u << doubts.count; mask++) {
        uint8_t flip[WORLD_JOBS] = {0};
        char ignored[DIFFERENCE_MAX];
        for (uint32_t i = 0; i < doubts.count; i++)
            if (mask >> i & 1) flip[doubts.row[i]] |= doubts.kind[i];
        world_run_reference(&other, world, flip);
        if (world_same(&engine, &other, world, ignored, sizeof ignored)) return true;
        add_doubts(&doubts, &other, world);
    }
    return false;
}
