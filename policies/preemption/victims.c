#include "policies/preemption/victims.h"

#include <stdlib.h>

#define GPU_JOBS_MAX 256    /* units of one GPU that are looked at */
#define RESERVED_MAX 65536u /* victims there is room for before the first comes */

static bool grow(struct pt_victim **victims, uint32_t capacity)
{
    struct pt_victim *more = realloc(*victims, capacity * sizeof *more);
    if (more == NULL) return false;
    *victims = more;
    return true;
}

static bool make_place(struct pt_victim_state *v, uint32_t count)
{
    if (count <= v->capacity) return true;
    uint32_t capacity = v->capacity == 0 ? 256 : v->capacity;
    while (capacity < count)
        capacity *= 2;
    if (!grow(&v->candidate, capacity) || !grow(&v->best.victim, capacity) ||
        !grow(&v->other.victim, capacity))
        return false;
    v->capacity = capacity;
    return true;
}

/* Jobs that may run at once, as far as is worth keeping room for from the beginning. */
static uint32_t at_first(const struct pt_ctx *ctx)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count, pools = pt_view_pool_count(ctx);
    uint64_t room = 1;
    for (uint32_t p = 0; p < pools; p++) {
        const struct pt_pool *pool = &pt_view_cluster(ctx)->pools[p];
        room += (uint64_t)pool->node_count * pool->gpus_per_node * pool->shape.residents_max;
    }
    if (room > jobs) room = jobs;
    return room < RESERVED_MAX ? (uint32_t)room : RESERVED_MAX;
}

enum pt_status pt__victims_init(struct pt_victim_state *victims, const struct pt_ctx *ctx,
                                struct pt_error *error)
{
    *victims = (struct pt_victim_state){.how = pt_view_preemption(ctx)->victims};
    enum pt_status status = pt__by_rank_init(&victims->running, ctx, error);
    if (status == PT_OK && !make_place(victims, at_first(ctx)))
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory for those who may be stopped");
    if (status != PT_OK) pt__victims_fini(victims);
    return status;
}

void pt__victims_fini(struct pt_victim_state *victims)
{
    pt__by_rank_fini(&victims->running);
    free(victims->candidate);
    free(victims->best.victim);
    free(victims->other.victim);
    *victims = (struct pt_victim_state){0};
}

/* ---- who may be stopped ---- */

/* All that may be stopped in the pools, lowest priority and latest started first. */
static enum pt_status gather(struct pt_hunt *hunt)
{
    struct pt_victim_state *v = hunt->victims;
    v->count = 0;
    for (uint32_t level = 0; level < hunt->below; level++) {
        pt_job job = v->running.latest[level];
        for (; job != PT_NONE; job = v->running.before[job]) {
            if ((hunt->pools & PT_POOL_BIT(v->running.pool[job])) == 0) continue;
            if (!pt_view_preemptible(hunt->ctx, job)) continue; /* it is on its way elsewhere */
            if (!make_place(v, v->count + 1)) return PT_ERR_MEMORY;
            v->candidate[v->count++] = pt__victim(hunt->ctx, job, level);
        }
    }
    return PT_OK;
}

static int by_youth(const void *a, const void *b)
{
    const struct pt_victim *left = a, *right = b;
    if (left->start_ns != right->start_ns) return left->start_ns > right->start_ns ? -1 : 1;
    return pt__victim_order(a, b);
}

/* Whether the job could fit in the pool if all below its priority were stopped, by sums alone. */
static bool could_fit(const struct pt_hunt *hunt, uint32_t pool)
{
    const struct pt_by_rank *running = &hunt->victims->running;
    if (!pt_view_within_limit(hunt->ctx, pool, hunt->job)) return false;
    uint64_t units = pt_view_units_free(hunt->ctx, pool, hunt->job), capacity = 0, free = units;
    uint64_t each = pt_view_need(hunt->ctx, pool, hunt->job)->capacity;
    uint64_t held = 0;
    for (uint32_t level = 0; level < hunt->below; level++) {
        size_t at = (size_t)level * running->pool_count + pool;
        held += running->units[at];
        capacity += running->capacity[at];
    }
    if (hunt->wanted == 0) return true;
    if (held == 0) return false;
    if (units + held >= hunt->wanted) return true;
    return each > 1 && (free + 1) * each + capacity >= (uint64_t)hunt->wanted * each;
}

/* ---- the least set ---- */

/* Whether a set's room in the pool can be counted in GPUs: they are given whole, and nothing else
 * is short. */
static bool counts(const struct pt_hunt *hunt, uint32_t pool)
{
    const struct pt_trace *trace = pt_view_trace(hunt->ctx);
    const struct pt_pool *facts = &pt_view_cluster(hunt->ctx)->pools[pool];
    struct pt_gpu_facts gpu;
    pt_view_gpu(&gpu, hunt->ctx, facts->first_gpu);
    uint32_t cpus = pt_trace_u32(trace, PT_COL_CPUS, hunt->job);
    uint32_t memory = pt_trace_u32(trace, PT_COL_MEM, hunt->job);
    bool host = (cpus != 0 && cpus != PT_NONE) || (memory != 0 && memory != PT_NONE);
    bool bound = facts->cpus_milli_per_node != PT_NONE || facts->mem_mib_per_node != PT_NONE;
    return gpu.capacity == 1 && hunt->wanted > 0 && !(host && bound);
}

/* One more unit of the job on the node; where it is listed, it may go. */
static void add_unit(struct pt_hunt *hunt, pt_job job)
{
    struct pt_victim_state *v = hunt->victims;
    if (v->running.pool[job] == PT_NOT_LISTED || !pt_view_preemptible(hunt->ctx, job)) return;
    uint32_t level = pt__by_rank_level(&v->running, hunt->ctx, job);
    if (level >= hunt->below) return;
    for (uint32_t i = v->count; i-- > 0;)
        if (v->candidate[i].job == job) {
            v->candidate[i].gain++;
            return;
        }
    v->candidate[v->count] = pt__victim(hunt->ctx, job, level);
    v->candidate[v->count++].gain = 1;
}

enum pt_status pt__hunt_gather_node(struct pt_hunt *hunt, uint32_t pool, uint32_t node)
{
    struct pt_victim_state *v = hunt->victims;
    const struct pt_pool *facts = &pt_view_cluster(hunt->ctx)->pools[pool];
    uint32_t first = facts->first_gpu + (node - facts->first_node) * facts->gpus_per_node;
    pt_job jobs[GPU_JOBS_MAX];
    v->count = 0;
    for (uint32_t gpu = first; gpu < first + facts->gpus_per_node; gpu++) {
        uint32_t count = pt_view_gpu_jobs(hunt->ctx, gpu, jobs, GPU_JOBS_MAX);
        if (count > GPU_JOBS_MAX) count = GPU_JOBS_MAX;
        if (!make_place(v, v->count + count)) return PT_ERR_MEMORY;
        for (uint32_t i = 0; i < count; i++)
            add_unit(hunt, jobs[i]);
    }
    qsort(v->candidate, v->count, sizeof *v->candidate, pt__victim_order);
    return PT_OK;
}

/* Searches the candidates gathered, as well as their number allows. */
static void search_candidates(struct pt_hunt *hunt, struct pt_room *room)
{
    struct pt_victim_state *v = hunt->victims;
    uint32_t exact = room->wanted > 0 ? PT_VICTIMS_COUNTED : PT_VICTIMS_TRIED;
    if (v->count <= exact) {
        pt__victim_sets_search(&v->best, &v->other, room, v->candidate, v->count);
        return;
    }
    struct pt_room tried = *room;
    tried.wanted = 0;
    if (pt__victim_sets_greedy(&v->other, &tried, v->candidate, v->count) &&
        (v->best.count == 0 || pt__victim_set_is_less(&v->other, &v->best)))
        pt__victim_set_copy(&v->best, &v->other);
}

/* The least set that frees room on one node. */
static enum pt_status search_nodes(struct pt_hunt *hunt, uint32_t pool)
{
    const struct pt_pool *facts = &pt_view_cluster(hunt->ctx)->pools[pool];
    const struct pt_victim_state *v = hunt->victims;
    struct pt_room room = {.ctx = hunt->ctx,
                           .job = hunt->job,
                           .pools = PT_POOL_BIT(pool),
                           .parts_per_unit = pt_view_parts_per_gpu(hunt->ctx)};
    bool by_count = counts(hunt, pool);
    if (hunt->wanted > pt_view_node_size(hunt->ctx, pool, hunt->job)) return PT_OK;
    for (uint32_t i = 0; i < facts->node_count; i++) {
        room.node = facts->first_node + i;
        if (by_count) {
            uint32_t there = pt_view_node_room(hunt->ctx, room.node, hunt->job, hunt->wanted);
            room.wanted = hunt->wanted - there;
            /* The placement doesn't want the node, or it frees too much to be the least. */
            if (room.wanted == 0 ||
                (v->best.count > 0 && room.wanted * room.parts_per_unit > v->best.parts))
                continue;
        }
        PT_TRY(pt__hunt_gather_node(hunt, pool, room.node));
        if (v->count > 0) search_candidates(hunt, &room);
    }
    return PT_OK;
}

/* Of those that free as much at the same priority, a set without one too many has the first only:
 * drops the others from the candidates. */
static void drop_spare(struct pt_victim_state *v, uint32_t wanted)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t alike = 0;
        for (uint32_t j = 0; j < kept; j++)
            alike += v->candidate[j].gain == v->candidate[i].gain &&
                     v->candidate[j].level == v->candidate[i].level;
        if ((uint64_t)alike * v->candidate[i].gain < wanted) v->candidate[kept++] = v->candidate[i];
        if (kept > PT_VICTIMS_COUNTED) return; /* too many: v->count says so */
    }
    v->count = kept;
}

/* The least set that frees room for a job spread over any nodes of the pool. */
static enum pt_status search_spread(struct pt_hunt *hunt, uint32_t pool)
{
    struct pt_victim_state *v = hunt->victims;
    uint32_t free = pt_view_units_free(hunt->ctx, pool, hunt->job);
    uint32_t nodes = pt_view_cluster(hunt->ctx)->pools[pool].node_count;
    uint64_t pools = hunt->pools;
    struct pt_room room = {.ctx = hunt->ctx,
                           .job = hunt->job,
                           .pools = PT_POOL_BIT(pool),
                           .node = PT_NONE,
                           .parts_per_unit = pt_view_parts_per_gpu(hunt->ctx)};
    hunt->pools = room.pools;
    enum pt_status status = gather(hunt);
    hunt->pools = pools;
    if (status != PT_OK) return status;
    if (counts(hunt, pool) && pt_view_nodes_allowed(hunt->ctx, hunt->job) >= nodes &&
        free < hunt->wanted) {
        room.wanted = hunt->wanted - free;
        for (uint32_t i = 0; i < v->count; i++)
            v->candidate[i].gain = pt_view_units_wanted(hunt->ctx, v->candidate[i].job);
        if (v->best.count > 0 && room.wanted * room.parts_per_unit > v->best.parts) return PT_OK;
        uint32_t all = v->count;
        drop_spare(v, room.wanted);
        if (v->count == all && all > PT_VICTIMS_COUNTED) PT_TRY(gather(hunt));
    }
    search_candidates(hunt, &room);
    return PT_OK;
}

static enum pt_status search_least(struct pt_hunt *hunt)
{
    struct pt_victim_state *v = hunt->victims;
    uint32_t nodes = pt_view_nodes_allowed(hunt->ctx, hunt->job);
    v->best.count = 0;
    if (v->count <= PT_VICTIMS_TRIED) {
        struct pt_room room = {
            .ctx = hunt->ctx, .job = hunt->job, .pools = hunt->pools, .node = PT_NONE};
        pt__victim_sets_search(&v->best, &v->other, &room, v->candidate, v->count);
        return PT_OK;
    }
    for (uint64_t pools = hunt->pools; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        PT_TRY(search_nodes(hunt, pool));
        if (nodes > 1 && hunt->wanted > 1) PT_TRY(search_spread(hunt, pool));
    }
    return PT_OK;
}

/* ---- and now for real ---- */

enum pt_status pt__hunt_carry_out(struct pt_hunt *hunt, bool *done)
{
    struct pt_victim_state *v = hunt->victims;
    const struct pt_units *units;
    if (v->best.count == 0 || !pt__victim_set_lift(&v->best, hunt->ctx) ||
        !pt_ctx_place(hunt->ctx, &units, hunt->job, hunt->pools) ||
        !pt_ctx_try_assume(hunt->ctx, hunt->job, units)) {
        pt_ctx_try_abort(hunt->ctx);
        return PT_OK;
    }
    /* Those that are saved first hold their units for a while, but can't be stopped once more. */
    for (uint32_t i = 0; i < v->best.count; i++)
        pt__by_rank_stopped(&v->running, hunt->ctx, v->best.victim[i].job);
    PT_TRY(pt_ctx_try_commit(hunt->ctx));
    *done = true;
    return PT_OK;
}

static bool nothing_to_hold(const struct pt_hunt *hunt)
{
    const struct pt_preemption *how = pt_view_preemption(hunt->ctx);
    return hunt->wanted == 0 && (how->save_base_ns > 0 || how->save_per_gib_ns > 0);
}

/* All the rest: in the order of `how` until it fits. */
static enum pt_status search_in_order(struct pt_hunt *hunt)
{
    struct pt_victim_state *v = hunt->victims;
    struct pt_room room = {
        .ctx = hunt->ctx, .job = hunt->job, .pools = hunt->pools, .node = PT_NONE};
    PT_TRY(gather(hunt));
    if (v->how == PT_VICTIMS_YOUNGEST)
        qsort(v->candidate, v->count, sizeof *v->candidate, by_youth);
    (void)pt__victim_sets_greedy(&v->best, &room, v->candidate, v->count);
    return PT_OK;
}

bool pt__hunt_begin(struct pt_hunt *hunt, struct pt_victim_state *victims, struct pt_ctx *ctx,
                    pt_job job, uint64_t pools)
{
    struct pt_rank rank = pt_view_rank(ctx, job);
    *hunt = (struct pt_hunt){
        .victims = victims, .ctx = ctx, .job = job, .wanted = pt_view_units_wanted(ctx, job)};
    if (victims->running.pool == NULL || !rank.preempts || nothing_to_hold(hunt)) return false;
    hunt->below = pt__by_rank_below(&victims->running, rank.value);
    for (; pools != 0 && hunt->below > 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (could_fit(hunt, pool)) hunt->pools |= PT_POOL_BIT(pool);
    }
    return hunt->pools != 0;
}

enum pt_status pt__victims_make_room(struct pt_victim_state *victims, struct pt_ctx *ctx,
                                     pt_job job, uint64_t pools, bool *done)
{
    struct pt_hunt hunt;
    *done = false;
    if (!pt__hunt_begin(&hunt, victims, ctx, job, pools)) return PT_OK;
    PT_TRY(gather(&hunt));
    if (victims->count == 0) return PT_OK;
    if (victims->how == PT_VICTIMS_LEAST_DISRUPTION) {
        PT_TRY(search_least(&hunt));
        PT_TRY(pt__hunt_carry_out(&hunt, done));
        if (*done) return PT_OK;
    }
    PT_TRY(search_in_order(&hunt));
    return pt__hunt_carry_out(&hunt, done);
}
