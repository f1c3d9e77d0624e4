#include "tests/property/worlds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define S PT_NS_PER_S
#define DOUBTS_MAX 14

static const struct pt_gpu_model *const models[WORLD_MODELS] = {&rig_h100, &rig_a100_80,
                                                                &rig_a100_40};
static const char *const placements[] = {"first_fit", "best_fit", "worst_fit",
                                         "pack",      "spread",   "consolidate"};
static const char *const states[] = {"pending", "pending", "pending",   "running",
                                     "done",    "failed",  "withdrawn", "unschedulable"};

uint64_t draw_bits(struct draw *draw)
{
    uint64_t z = draw->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t draw_below(struct draw *draw, uint32_t n)
{
    return (uint32_t)((draw_bits(draw) >> 32) * n >> 32);
}

bool draw_chance(struct draw *draw, uint32_t percent)
{
    return draw_below(draw, 100) < percent;
}

/* Mostly whole seconds, so that instants coincide; sometimes any ns, sometimes a few ns. */
static int64_t draw_time(struct draw *draw, uint32_t seconds)
{
    uint32_t kind = draw_below(draw, 100);
    if (kind < 70) return draw_below(draw, seconds + 1) * S;
    if (kind < 95) return (int64_t)(draw_bits(draw) % (seconds * (uint64_t)S + 1));
    return draw_below(draw, 6);
}

void world_lay_out(struct world *world)
{
    uint32_t node = 0, gpu = 0;
    for (uint32_t p = 0; p < world->pool_count; p++) {
        struct ref_pool *pool = &world->pools[p];
        uint32_t count = pool->end_node - pool->first_node;
        pool->first_node = node;
        pool->end_node = node + count;
        for (; node < pool->end_node; node++) {
            world->nodes[node].pool = p;
            world->nodes[node].first_gpu = gpu;
            world->nodes[node].end_gpu = gpu += pool->gpus_per_node;
        }
        pool->rate = pt_gpu_relative_speed(models[pool->model], models[world->pools[0].model],
                                           PT_CLASS_MIXED);
        pool->gpu_mem_mib = models[pool->model]->mem_mib;
    }
}

static void draw_pool(struct ref_pool *pool, struct draw *draw, uint32_t gpus_left, uint32_t loss)
{
    uint32_t nodes = 1 + draw_below(draw, gpus_left < 4 ? gpus_left : 4);
    *pool = (struct ref_pool){
        .end_node = nodes,
        .gpus_per_node = 1 + draw_below(draw, gpus_left / nodes < 4 ? gpus_left / nodes : 4),
        .model = draw_chance(draw, 60) ? 0 : draw_below(draw, WORLD_MODELS),
        .cpus_milli = draw_chance(draw, 65) ? REF_NONE : 500 * (4 + draw_below(draw, 40)),
        .mem_mib = draw_chance(draw, 75) ? REF_NONE : 1024 * (8 + draw_below(draw, 56)),
        .time_slice = draw_chance(draw, 60),
        .replicas = 1,
    };
    if (!pool->time_slice) return;
    pool->replicas = 1 + draw_below(draw, draw_chance(draw, 90) ? 4 : 8);
    pool->distinct = draw_chance(draw, 75);
    pool->admit = draw_chance(draw, 40);
    pool->loss_ppm = draw_chance(draw, 50) ? 0 : loss;
}

static void draw_downs(struct ref_node *node, struct draw *draw)
{
    int64_t at = draw_time(draw, 15);
    node->boot_ns = draw_chance(draw, 50) ? 0 : draw_time(draw, 6);
    node->down_count = 1 + draw_below(draw, REF_DOWN_MAX);
    for (uint32_t i = 0; i < node->down_count; i++) {
        node->from_ns[i] = at;
        node->to_ns[i] = at + draw_time(draw, 10) + (node->boot_ns == 0);
        at = node->to_ns[i] + node->boot_ns + 1 + draw_time(draw, 15);
    }
}

static void draw_job(struct world *world, struct draw *draw, uint32_t row)
{
    static const uint32_t gib[] = {1, 5, 10, 20, 30, 30, 39, 50, 79, 100};
    uint32_t most_gpus = draw_chance(draw, 90) ? WORLD_GPUS / 2 : WORLD_GPUS;
    struct ref_job *job = &world->jobs[row];
    *job = (struct ref_job){
        .submit_ns = draw_chance(draw, 40) && row > 0 ? world->jobs[draw_below(draw, row)].submit_ns
                                                      : draw_time(draw, 25),
        .work_ns = draw_time(draw, 30),
        .gpus = draw_chance(draw, 6)    ? 0
                : draw_chance(draw, 60) ? 1
                                        : 1 + draw_below(draw, most_gpus),
        .gpu_mem_mib = draw_chance(draw, 50) ? 0 : 1024 * gib[draw_below(draw, 10)],
        .models = draw_chance(draw, 88) ? 0 : 1 + draw_below(draw, (1u << WORLD_MODELS) - 1),
        .pool = draw_chance(draw, 85) ? REF_NONE : draw_below(draw, world->pool_count),
        .nodes_max = draw_chance(draw, 75) ? REF_NONE : 1 + draw_below(draw, 3),
        .cpus_milli = draw_chance(draw, 65) ? 0 : 100 * draw_below(draw, 80),
        .mem_mib = draw_chance(draw, 75) ? 0 : 512 * draw_below(draw, 40),
        .checkpoint_ns = REF_ABSENT,
        .distinct = draw_chance(draw, 85) ? 2 : (int)draw_below(draw, 2),
        .after = {REF_NONE, REF_NONE},
    };
    if (draw_chance(draw, 60))
        job->checkpoint_ns = draw_chance(draw, 15)   ? 0
                             : draw_chance(draw, 30) ? REF_NEVER
                                                     : 1000000 + draw_time(draw, 8);
    if (row > 0 && draw_chance(draw, 15)) job->after[0] = draw_below(draw, row);
    if (row > 1 && job->after[0] != REF_NONE && draw_chance(draw, 30)) {
        job->after[1] = draw_below(draw, row);
        if (job->after[1] == job->after[0]) job->after[1] = REF_NONE;
    }
}

void world_draw(struct world *world, uint64_t seed, enum world_kind kind)
{
    static const uint32_t losses[] = {100000, 110000, 250000, 205000, 123457};
    struct draw draw = {seed};
    uint32_t gpus_left = WORLD_GPUS, loss = losses[draw_below(&draw, 5)];
    memset(world, 0, sizeof *world);
    world->seed = seed;
    uint32_t pools = 1 + (draw_chance(&draw, 50) ? 0 : draw_below(&draw, WORLD_POOLS));
    for (uint32_t p = 0; p < pools && gpus_left > 0; p++) {
        draw_pool(&world->pools[p], &draw, gpus_left, loss);
        gpus_left -= world->pools[p].end_node * world->pools[p].gpus_per_node;
        world->pool_count++;
    }
    world_lay_out(world);
    uint32_t nodes = world->pools[world->pool_count - 1].end_node;
    if (kind == WORLD_ANY && draw_chance(&draw, 35))
        for (uint32_t n = 0; n < nodes; n++)
            if (draw_chance(&draw, 50)) draw_downs(&world->nodes[n], &draw);
    world->job_count = 1 + draw_below(&draw, WORLD_JOBS);
    for (uint32_t row = 0; row < world->job_count; row++)
        draw_job(world, &draw, row);
    world->strict = draw_chance(&draw, 50);
    world->placement = (enum ref_placement)draw_below(&draw, 6);
    world->fault_retries = draw_chance(&draw, 60) ? REF_NONE : draw_below(&draw, 3);
    world->oom_retries = draw_below(&draw, 4);
    world->backoff_ns = 1 + draw_time(&draw, 8);
    world->give_up_ns = world->horizon_ns = REF_NEVER;
    if (kind == WORLD_STEADY) return;
    if (draw_chance(&draw, 20)) world->give_up_ns = draw_time(&draw, 20);
    if (draw_chance(&draw, 25)) world->horizon_ns = draw_time(&draw, 60);
    if (world->horizon_ns != REF_NEVER && world->nodes[0].down_count > 0 && draw_chance(&draw, 30))
        world->nodes[0].to_ns[world->nodes[0].down_count - 1] = REF_NEVER;
}

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
    if (status != PT_OK) rig_die("j%u: %s", row, error.message);
    text[0] = '\0';
    for (uint32_t m = 0; m < WORLD_MODELS; m++)
        if (job->models >> m & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                     text[0] != '\0' ? "|" : "",
                     m == 0 && row % 2 == 0 ? models[m]->family : models[m]->name);
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

static void pool_params(char *text, size_t size, const struct ref_pool *pool)
{
    snprintf(text, size, "replicas=%u switch_loss=%u.%06u distinct=%s memory=%s", pool->replicas,
             pool->loss_ppm / 1000000, pool->loss_ppm % 1000000, pool->distinct ? "true" : "false",
             pool->admit ? "admit" : "unchecked");
}

void world_build(struct rig *rig, const struct world *world)
{
    char text[128];
    rig_init(rig);
    for (uint32_t p = 0; p < world->pool_count; p++) {
        const struct ref_pool *pool = &world->pools[p];
        pool_params(text, sizeof text, pool);
        struct pt_pool *made = rig_add_pool(
            rig, models[pool->model], pool->end_node - pool->first_node, pool->gpus_per_node,
            pool->time_slice ? "time_slice" : "exclusive", pool->time_slice ? text : "");
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
                   placements[world->placement]);
    rig->world.retries =
        (struct pt_retries){world->fault_retries, world->oom_retries, world->backoff_ns};
    rig->world.give_up_ns = world->give_up_ns;
    rig->world.horizon_ns = world->horizon_ns;
    rig->world.seed = world->seed;
    rig->world.check = true;
}

void world_read(struct world_answer *answer, const struct world *world, const struct rig *rig,
                enum pt_status status)
{
    static const enum ref_state map[PT_STATE_COUNT + 1] = {
        REF_PENDING, REF_PENDING, REF_PENDING,   REF_RUNNING,       REF_DONE,
        REF_FAILED,  REF_FUTURE,  REF_WITHDRAWN, REF_UNSCHEDULABLE, REF_FUTURE};
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
    };
    answer->verdict = ref_run(outcomes, &w, flips);
    for (uint32_t j = 0; j < count; j++)
        answer->jobs[row_of[j]] = outcomes[j];
}

/* ---- agreement ---- */

static enum ref_state reported(enum ref_state state)
{
    return state < REF_PENDING ? REF_PENDING : state;
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
        bool same_node = e->node == r->node || world->jobs[row].gpus == 0;
        if (reported(e->state) == reported(r->state) && e->start_ns == r->start_ns &&
            e->end_ns == r->end_ns && same_node)
            continue;
        snprintf(difference, size,
                 "j%u: engine %s [%" PRId64 ", %" PRId64 "] on node %d, reference %s [%" PRId64
                 ", %" PRId64 "] on node %d",
                 row, states[e->state], e->start_ns, e->end_ns, (int)e->node, states[r->state],
                 r->start_ns, r->end_ns, (int)r->node);
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

/* ---- shrinking ---- */

typedef bool fails_function(const struct world *world, void *ctx);

static bool keep_if_fails(struct world *world, const struct world *smaller, fails_function *fails,
                          void *ctx)
{
    if (memcmp(world, smaller, sizeof *world) == 0 || !fails(smaller, ctx)) return false;
    *world = *smaller;
    return true;
}

static void drop_job(struct world *world, uint32_t row)
{
    memmove(&world->jobs[row], &world->jobs[row + 1],
            (world->job_count - row - 1) * sizeof world->jobs[0]);
    world->job_count--;
    memset(&world->jobs[world->job_count], 0, sizeof world->jobs[0]);
    for (uint32_t j = 0; j < world->job_count; j++)
        for (uint32_t i = 0; i < REF_AFTER_MAX; i++) {
            uint32_t *after = &world->jobs[j].after[i];
            if (*after == row)
                *after = REF_NONE;
            else if (*after != REF_NONE && *after > row)
                --*after;
        }
}

static void drop_last_pool(struct world *world)
{
    uint32_t last = --world->pool_count;
    memset(&world->pools[last], 0, sizeof world->pools[0]);
    for (uint32_t n = world->pools[last - 1].end_node; n < WORLD_GPUS; n++)
        world->nodes[n] = (struct ref_node){0};
    for (uint32_t j = 0; j < world->job_count; j++)
        if (world->jobs[j].pool == last) world->jobs[j].pool = REF_NONE;
}

/* The i-th way to make one job plainer; false when there is none left. */
static bool simplify_job(struct ref_job *job, uint32_t i)
{
    switch (i) {
    case 0:
        job->gpu_mem_mib = 0;
        return true;
    case 1:
        job->models = 0;
        return true;
    case 2:
        job->pool = REF_NONE;
        return true;
    case 3:
        job->nodes_max = REF_NONE;
        return true;
    case 4:
        job->cpus_milli = 0;
        return true;
    case 5:
        job->mem_mib = 0;
        return true;
    case 6:
        job->checkpoint_ns = REF_ABSENT;
        return true;
    case 7:
        job->distinct = 2;
        return true;
    case 8:
        job->after[0] = job->after[1], job->after[1] = REF_NONE;
        return true;
    case 9:
        job->gpus = job->gpus > 1 ? job->gpus - 1 : job->gpus;
        return true;
    case 10:
        job->work_ns = (job->work_ns + S / 2) / S * S;
        return true;
    case 11:
        job->submit_ns = (job->submit_ns + S / 2) / S * S;
        return true;
    case 12:
        job->work_ns = 10 * S;
        return true;
    case 13:
        job->submit_ns = 0;
        return true;
    default:
        return false;
    }
}

static bool simplify_pool(struct ref_pool *pool, uint32_t i)
{
    uint32_t nodes = pool->end_node - pool->first_node;
    switch (i) {
    case 0:
        pool->cpus_milli = REF_NONE;
        return true;
    case 1:
        pool->mem_mib = REF_NONE;
        return true;
    case 2:
        pool->loss_ppm = 0;
        return true;
    case 3:
        pool->admit = false;
        return true;
    case 4:
        pool->distinct = pool->time_slice;
        return true;
    case 5:
        pool->replicas -= pool->replicas > 1;
        return true;
    case 6:
        pool->gpus_per_node -= pool->gpus_per_node > 1;
        return true;
    case 7:
        pool->end_node = pool->first_node + nodes - (nodes > 1);
        return true;
    case 8:
        pool->model = 0;
        return true;
    case 9:
        pool->time_slice = pool->admit = pool->distinct = false;
        pool->replicas = 1;
        pool->loss_ppm = 0;
        return true;
    default:
        return false;
    }
}

static bool simplify_world(struct world *world, uint32_t i)
{
    switch (i) {
    case 0:
        world->horizon_ns = REF_NEVER;
        return true;
    case 1:
        world->give_up_ns = REF_NEVER;
        return true;
    case 2:
        world->placement = REF_FIRST_FIT;
        return true;
    case 3:
        world->strict = true;
        return true;
    case 4:
        world->fault_retries = REF_NONE;
        return true;
    case 5:
        world->oom_retries = 0;
        return true;
    case 6:
        world->backoff_ns = 10 * S;
        return true;
    case 7:
        if (world->pool_count > 1) drop_last_pool(world);
        return true;
    default:
        break;
    }
    if (i < 8 + WORLD_GPUS) {
        world->nodes[i - 8].down_count -= world->nodes[i - 8].down_count > 0;
        if (world->nodes[i - 8].down_count == 0) world->nodes[i - 8].boot_ns = 0;
        return true;
    }
    return false;
}

static bool shrink_once(struct world *world, fails_function *fails, void *ctx)
{
    struct world smaller;
    bool any = false;
    for (uint32_t row = world->job_count; row-- > 0 && world->job_count > 1;) {
        smaller = *world;
        drop_job(&smaller, row);
        any = keep_if_fails(world, &smaller, fails, ctx) || any;
    }
    for (uint32_t i = 0; smaller = *world, simplify_world(&smaller, i); i++)
        any = keep_if_fails(world, &smaller, fails, ctx) || any;
    for (uint32_t p = 0; p < world->pool_count; p++)
        for (uint32_t i = 0; smaller = *world, simplify_pool(&smaller.pools[p], i); i++) {
            world_lay_out(&smaller);
            for (uint32_t n = smaller.pools[smaller.pool_count - 1].end_node; n < WORLD_GPUS; n++)
                smaller.nodes[n] = (struct ref_node){0};
            any = keep_if_fails(world, &smaller, fails, ctx) || any;
        }
    for (uint32_t j = 0; j < world->job_count; j++)
        for (uint32_t i = 0; smaller = *world, simplify_job(&smaller.jobs[j], i); i++)
            any = keep_if_fails(world, &smaller, fails, ctx) || any;
    return any;
}

void world_shrink(struct world *world, fails_function *fails, void *ctx)
{
    while (shrink_once(world, fails, ctx)) {
    }
}

/* ---- scenario files ---- */

static const char *seconds(int64_t ns)
{
    static char texts[8][PT_SECONDS_TEXT_MAX];
    static uint32_t next;
    char *text = texts[next++ % 8];
    text[pt_format_seconds(text, ns)] = '\0';
    return text;
}

static void write_pools(FILE *out, const struct world *world)
{
    fprintf(out, "cluster:\n  pools:\n");
    for (uint32_t p = 0; p < world->pool_count; p++) {
        const struct ref_pool *pool = &world->pools[p];
        fprintf(out, "    - {name: p%u, nodes: %u, gpus_per_node: %u, gpu: %s, ", p,
                pool->end_node - pool->first_node, pool->gpus_per_node, models[pool->model]->name);
        if (pool->cpus_milli != REF_NONE)
            fprintf(out, "cpus_per_node: %u.%03u, ", pool->cpus_milli / 1000,
                    pool->cpus_milli % 1000);
        if (pool->mem_mib != REF_NONE) fprintf(out, "memory_per_node: %uMiB, ", pool->mem_mib);
        if (pool->time_slice)
            fprintf(out,
                    "sharing: {mode: time_slice, replicas: %u, switch_loss: 0.%06u, "
                    "distinct: %s, memory: %s}}\n",
                    pool->replicas, pool->loss_ppm, pool->distinct ? "true" : "false",
                    pool->admit ? "admit" : "unchecked");
        else
            fprintf(out, "sharing: {mode: exclusive}}\n");
    }
}

static void write_nodes(FILE *out, const struct world *world)
{
    uint32_t nodes = world->pools[world->pool_count - 1].end_node;
    bool any = false;
    for (uint32_t n = 0; n < nodes; n++) {
        const struct ref_node *node = &world->nodes[n];
        if (node->down_count == 0) continue;
        fprintf(out, "%s  - {name: p%u-%u, pool: p%u, boot: %s, down: [", any ? "" : "nodes:\n",
                node->pool, n - world->pools[node->pool].first_node, node->pool,
                seconds(node->boot_ns));
        for (uint32_t i = 0; i < node->down_count; i++)
            fprintf(out, "%s[%s, %s]", i > 0 ? ", " : "", seconds(node->from_ns[i]),
                    seconds(node->to_ns[i]));
        fprintf(out, "]}\n");
        any = true;
    }
}

static void write_job(FILE *out, const struct ref_job *job, uint32_t row)
{
    fprintf(out, "    - {id: j%u, submit_s: %s, work_s: %s, gpus: %u", row, seconds(job->submit_ns),
            seconds(job->work_ns), job->gpus);
    if (job->gpu_mem_mib > 0) fprintf(out, ", gpu_mem_gib: %g", job->gpu_mem_mib / 1024.0);
    for (uint32_t m = 0, first = 1; m < WORLD_MODELS; m++)
        if (job->models >> m & 1)
            fprintf(out, "%s%s", first ? ", gpu_type: " : "|", models[m]->name), first = 0;
    if (job->pool != REF_NONE) fprintf(out, ", pool: p%u", job->pool);
    if (job->nodes_max != REF_NONE) fprintf(out, ", nodes_max: %u", job->nodes_max);
    if (job->cpus_milli > 0)
        fprintf(out, ", cpus: %u.%03u", job->cpus_milli / 1000, job->cpus_milli % 1000);
    if (job->mem_mib > 0) fprintf(out, ", mem_gib: %g", job->mem_mib / 1024.0);
    if (job->checkpoint_ns != REF_ABSENT)
        fprintf(out, ", checkpoint_s: %s", seconds(job->checkpoint_ns));
    if (job->distinct != 2) fprintf(out, ", distinct: %s", job->distinct ? "true" : "false");
    if (job->after[0] != REF_NONE) fprintf(out, ", after: j%u", job->after[0]);
    if (job->after[1] != REF_NONE) fprintf(out, "|j%u", job->after[1]);
    fprintf(out, "}\n");
}

static void write_expected(FILE *out, const struct world *world, const struct world_answer *answer)
{
    fprintf(out, "expect:\n  exit: %d\n  jobs:\n", answer->verdict == REF_STUCK ? 4 : 0);
    for (uint32_t row = 0; row < world->job_count; row++) {
        const struct ref_outcome *o = &answer->jobs[row];
        fprintf(out, "    j%u: {state: %s, start_s: %s, end_s: %s", row, states[o->state],
                o->start_ns == REF_ABSENT ? "null" : seconds(o->start_ns),
                o->end_ns == REF_ABSENT ? "null" : seconds(o->end_ns));
        if (o->node != REF_NONE && world->jobs[row].gpus > 0) {
            uint32_t pool = world->nodes[o->node].pool;
            fprintf(out, ", node: p%u-%u", pool, o->node - world->pools[pool].first_node);
        }
        fprintf(out, "}\n");
    }
}

void world_write_scenario(FILE *out, const struct world *world, const struct world_answer *answer)
{
    fprintf(out, "# shrunk from the random world of seed %" PRIu64 "\npartita: 1\n", world->seed);
    fprintf(out, "name: random world %" PRIu64 "\n", world->seed);
    write_pools(out, world);
    write_nodes(out, world);
    fprintf(out, "interference: none\npolicy: {name: fifo, blocking: %s, placement: %s}\n",
            world->strict ? "strict" : "skip", placements[world->placement]);
    fprintf(out, "retries: {fault: ");
    if (world->fault_retries == REF_NONE)
        fprintf(out, "inf");
    else
        fprintf(out, "%u", world->fault_retries);
    fprintf(out, ", oom: %u, backoff: %s}\n", world->oom_retries, seconds(world->backoff_ns));
    if (world->give_up_ns != REF_NEVER)
        fprintf(out, "queue: {give_up: %s}\n", seconds(world->give_up_ns));
    if (world->horizon_ns != REF_NEVER) fprintf(out, "horizon: %s\n", seconds(world->horizon_ns));
    fprintf(out, "trace:\n  jobs:\n");
    for (uint32_t row = 0; row < world->job_count; row++)
        write_job(out, &world->jobs[row], row);
    write_expected(out, world, answer);
}
