#include "tests/property/worlds_parts.h"

#include <string.h>

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
        pool->rate = pt_gpu_relative_speed(world_models[pool->model],
                                           world_models[world->pools[0].model], PT_CLASS_MIXED);
        pool->gpu_mem_mib = world_models[pool->model]->mem_mib;
        pool->slot_mib = pool->gpu_mem_mib / pool->replicas;
    }
}

/* A pool's mode in a world of the kind. */
static enum ref_mode draw_mode(struct draw *draw, enum world_kind kind)
{
    static const enum ref_mode of[WORLD_KINDS] = {[WORLD_MPS] = REF_MPS,
                                                  [WORLD_FRACTIONAL] = REF_FRACTIONAL,
                                                  [WORLD_VGPU] = REF_VGPU,
                                                  [WORLD_MIG] = REF_MIG};
    if (kind == WORLD_MIXED) return (enum ref_mode)draw_below(draw, 6);
    if (of[kind] != REF_EXCLUSIVE && draw_chance(draw, 85)) return of[kind];
    return draw_chance(draw, 60) ? REF_TIME_SLICE : REF_EXCLUSIVE;
}

static void draw_layout(struct ref_pool *pool, struct draw *draw)
{
    bool none = pool->change != REF_STATIC && draw_chance(draw, 40);
    for (uint32_t tries = none ? 0 : 1 + draw_below(draw, 9); tries > 0; tries--) {
        uint32_t p = draw_below(draw, REF_PROFILES);
        if (ref_profile_name(pool->model, p) == NULL) continue;
        pool->layout[p]++;
        if (!ref_layout_is_legal(pool)) pool->layout[p]--;
    }
    if (!none && memcmp(pool->layout, (uint8_t[REF_PROFILES]){0}, REF_PROFILES) == 0)
        pool->layout[0] = 1;
}

static void draw_mig(struct ref_pool *pool, struct draw *draw)
{
    pool->change = (enum ref_change)draw_below(draw, 3);
    pool->start = (enum ref_start)draw_below(draw, 3);
    pool->change_ns = draw_chance(draw, 35) ? 0 : draw_time(draw, 8);
    pool->how = draw_chance(draw, 70) ? REF_BOOKS : draw_chance(draw, 50) ? REF_TURNS : REF_SMS;
    if (pool->how == REF_BOOKS) pool->replicas = 1;
    if (pool->how == REF_SMS && pool->replicas > 6) pool->replicas = 6; /* a seventh of 48 */
    pool->distinct = pool->replicas > 1;
    pool->node_wide = draw_chance(draw, 15);
    if (draw_chance(draw, 8)) {
        pool->attempts = 1 + draw_below(draw, 3);
        pool->failed_ns = 1 + draw_time(draw, 5);
        pool->retry_ns = draw_time(draw, 5);
    }
    draw_layout(pool, draw);
}

static void draw_sharing(struct ref_pool *pool, struct draw *draw, uint32_t loss)
{
    pool->replicas = 1 + draw_below(draw, draw_chance(draw, 90) ? 4 : 8);
    pool->distinct = draw_chance(draw, 75);
    pool->admit = pool->mode == REF_TIME_SLICE && draw_chance(draw, 40);
    pool->loss_ppm = draw_chance(draw, 50) ? 0 : loss;
    if (pool->mode == REF_MPS) pool->loss_ppm = 0;
    if (pool->mode == REF_FRACTIONAL) {
        pool->replicas = 1;
        pool->how = (enum ref_how)draw_below(draw, 3);
        pool->strict = draw_chance(draw, 50);
    }
    if (pool->mode == REF_VGPU) pool->how = (enum ref_how)(1 + draw_below(draw, 3));
    if (pool->mode == REF_MIG) draw_mig(pool, draw);
}

static void draw_pool(struct ref_pool *pool, struct draw *draw, enum world_kind kind,
                      uint32_t gpus_left, uint32_t loss)
{
    uint32_t nodes = 1 + draw_below(draw, gpus_left < 4 ? gpus_left : 4);
    *pool = (struct ref_pool){
        .end_node = nodes,
        .gpus_per_node = 1 + draw_below(draw, gpus_left / nodes < 4 ? gpus_left / nodes : 4),
        .model = draw_chance(draw, 60) ? 0 : draw_below(draw, WORLD_MODELS),
        .cpus_milli = draw_chance(draw, 65) ? REF_NONE : 500 * (4 + draw_below(draw, 40)),
        .mem_mib = draw_chance(draw, 75) ? REF_NONE : 1024 * (8 + draw_below(draw, 56)),
        .mode = draw_mode(draw, kind),
        .replicas = 1,
    };
    if (pool->mode != REF_EXCLUSIVE) draw_sharing(pool, draw, loss);
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

/* What a job asks for of a GPU, beside memory. */
static void draw_share(struct ref_job *job, const struct world *world, struct draw *draw,
                       enum world_kind kind)
{
    static const uint32_t percent[WORLD_KINDS] = {[WORLD_MPS] = 40,
                                                  [WORLD_FRACTIONAL] = 70,
                                                  [WORLD_VGPU] = 40,
                                                  [WORLD_MIG] = 20,
                                                  [WORLD_MIXED] = 45};
    static const uint32_t fractions[] = {50000,  100000, 125000, 142857, 200000, 250000, 300000,
                                         333333, 400000, 500000, 600000, 750000, 900000, 1000000};
    job->processes = 1;
    if (kind <= WORLD_STEADY) return;
    if (draw_chance(draw, 15)) job->processes = 1 + draw_below(draw, 3);
    if (draw_chance(draw, percent[kind])) job->frac_ppm = fractions[draw_below(draw, 14)];
    if (job->gpus == 0 || !draw_chance(draw, kind == WORLD_MIG ? 70 : kind == WORLD_MIXED ? 25 : 3))
        return;
    job->mig = "auto";
    if (draw_chance(draw, 20)) return;
    const struct ref_pool *pool = &world->pools[draw_below(draw, world->pool_count)];
    uint32_t p = draw_below(draw, REF_PROFILES), tries = 8;
    while (pool->mode == REF_MIG && pool->layout[p] == 0 && tries-- > 0 && draw_chance(draw, 80))
        p = draw_below(draw, REF_PROFILES); /* rather one that is there */
    if (ref_profile_name(pool->model, p) != NULL) job->mig = ref_profile_name(pool->model, p);
}

static void draw_job(struct world *world, struct draw *draw, enum world_kind kind, uint32_t row)
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
        .gpu_mem_mib = draw_chance(draw, kind <= WORLD_STEADY ? 50 : 70)
                           ? 0
                           : 1024 * gib[draw_below(draw, kind <= WORLD_STEADY ? 10 : 7)],
        .models = draw_chance(draw, 88) ? 0 : 1 + draw_below(draw, (1u << WORLD_MODELS) - 1),
        .pool = draw_chance(draw, 85) ? REF_NONE : draw_below(draw, world->pool_count),
        .nodes_max = draw_chance(draw, 75) ? REF_NONE : 1 + draw_below(draw, 3),
        .cpus_milli = draw_chance(draw, 65) ? 0 : 100 * draw_below(draw, 80),
        .mem_mib = draw_chance(draw, 75) ? 0 : 512 * draw_below(draw, 40),
        .checkpoint_ns = REF_ABSENT,
        .distinct = draw_chance(draw, 85) ? 2 : (int)draw_below(draw, 2),
        .after = {REF_NONE, REF_NONE},
    };
    draw_share(job, world, draw, kind);
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

/* How long jobs take to start, and to come back. A vGPU's memory is its slot's under one scheduler
 * and the job's under another, so none is restored by the GiB there. */
static void draw_starts(struct world *world, struct draw *draw)
{
    bool with_vgpu = false;
    for (uint32_t p = 0; p < world->pool_count; p++)
        with_vgpu = with_vgpu || world->pools[p].mode == REF_VGPU;
    if (draw_chance(draw, 30)) {
        world->cold_ns = draw_time(draw, 6);
        for (uint32_t row = 0; row < world->job_count; row++)
            world->jobs[row].cold = draw_chance(draw, 40);
    }
    if (draw_chance(draw, 30)) world->restore_ns = draw_time(draw, 3);
    if (draw_chance(draw, 30) && !with_vgpu)
        world->restore_gib_ns = 1000000 * draw_below(draw, 300);
}

/* Of nodes, and of GPUs all of whose residents fail together. */
static void draw_faults(struct world *world, struct draw *draw)
{
    int64_t at = 0;
    for (uint32_t tries = 1 + draw_below(draw, WORLD_FAULTS); tries > 0; tries--) {
        const struct ref_pool *pool = &world->pools[draw_below(draw, world->pool_count)];
        uint32_t node = pool->first_node + draw_below(draw, pool->end_node - pool->first_node);
        struct ref_fault *fault = &world->faults[world->fault_count++];
        at += draw_time(draw, 20);
        *fault = (struct ref_fault){at, node, REF_NONE};
        if (pool->mode == REF_VGPU || pool->mode == REF_MIG || draw_chance(draw, 50)) continue;
        fault->gpu = world->nodes[node].first_gpu + draw_below(draw, pool->gpus_per_node);
        fault->node = REF_NONE;
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
        draw_pool(&world->pools[p], &draw, kind, gpus_left, loss);
        gpus_left -= world->pools[p].end_node * world->pools[p].gpus_per_node;
        world->pool_count++;
    }
    world_lay_out(world);
    uint32_t nodes = world->pools[world->pool_count - 1].end_node;
    if (kind != WORLD_STEADY && draw_chance(&draw, 35))
        for (uint32_t n = 0; n < nodes; n++)
            if (draw_chance(&draw, 50)) draw_downs(&world->nodes[n], &draw);
    world->job_count = 1 + draw_below(&draw, WORLD_JOBS);
    for (uint32_t row = 0; row < world->job_count; row++)
        draw_job(world, &draw, kind, row);
    world->strict = draw_chance(&draw, 50);
    bool with_mig = false;
    for (uint32_t p = 0; p < world->pool_count; p++)
        with_mig = with_mig || world->pools[p].mode == REF_MIG;
    world->placement = (enum ref_placement)draw_below(&draw, with_mig ? REF_CONSOLIDATE : 6);
    world->fault_retries = draw_chance(&draw, 60) ? REF_NONE : draw_below(&draw, 3);
    world->oom_retries = draw_below(&draw, 4);
    world->backoff_ns = 1 + draw_time(&draw, 8);
    world->give_up_ns = world->horizon_ns = REF_NEVER;
    draw_starts(world, &draw);
    if (kind == WORLD_STEADY) return;
    if (draw_chance(&draw, 25)) draw_faults(world, &draw);
    if (draw_chance(&draw, 20)) world->give_up_ns = draw_time(&draw, 20);
    if (draw_chance(&draw, 25)) world->horizon_ns = draw_time(&draw, 60);
    if (world->horizon_ns != REF_NEVER && world->nodes[0].down_count > 0 && draw_chance(&draw, 30))
        world->nodes[0].to_ns[world->nodes[0].down_count - 1] = REF_NEVER;
}
