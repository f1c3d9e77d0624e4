#include "policies/placement/scored.h"

#include <stdlib.h>

#define CLIENTS_MAX 64 /* more than any GPU takes */

const char *const pt__scored_pools[] = {"score", "file", "fastest", "cheapest", "cheapest_per_work",
                                        NULL};

static const enum pt__pools pools_of_choice[] = {PT__POOLS_SCORE, PT__POOLS_FILE, PT__POOLS_FASTEST,
                                                 PT__POOLS_CHEAPEST, PT__POOLS_CHEAPEST_PER_WORK};

static const struct pt_search fullest = {PT_GPUS_FULLEST, false, NULL, NULL};
static const struct pt_search by_room = {PT_GPUS_FULLEST, true, pt__key_most_room, NULL};

static void find_jobs(struct pt__scored *scored, const struct pt_ctx *ctx)
{
    for (pt_job job = pt_view_trace(ctx)->job_count; job-- > 0;)
        scored->job_of_class[pt_view_class_of(ctx, job)] = job;
}

enum pt_status pt__scored_init(struct pt__scored *scored, const struct pt_ctx *ctx,
                               const struct pt_value *values,
                               uint64_t (*key)(const struct pt_node_facts *node, uint32_t wanted),
                               struct pt_error *error)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    scored->placing.pools = pools_of_choice[values[0].integer];
    scored->search = (struct pt_search){PT_GPUS_FULLEST, false, key, scored};
    scored->choice = PT_NONE;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        uint32_t cpus = pool->cpus_milli_per_node;
        if (pool->gpus_per_node > scored->gpus_max) scored->gpus_max = pool->gpus_per_node;
        if (cpus != PT_NONE && cpus > scored->cpus_max_milli) scored->cpus_max_milli = cpus;
    }
    PT_TRY(pt__racks_init(&scored->placing.racks, ctx, error));
    scored->gpus = calloc(scored->gpus_max, sizeof *scored->gpus);
    scored->job_of_class =
        calloc((size_t)pt_view_class_count(ctx) + 1, sizeof *scored->job_of_class);
    if (scored->gpus == NULL || scored->job_of_class == NULL) {
        pt__scored_fini(scored);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the placement's scores");
    }
    find_jobs(scored, ctx);
    return PT_OK;
}

void pt__scored_fini(void *state)
{
    struct pt__scored *scored = state;
    pt__racks_fini(&scored->placing.racks);
    free(scored->gpus);
    free(scored->job_of_class);
    scored->gpus = NULL;
    scored->job_of_class = NULL;
}

static bool scores_pool(const struct pt__scored *scored, const struct pt_ctx *ctx, uint32_t pool)
{
    return scored->nested || pt_view_cluster(ctx)->pools[pool].unit->nested == NULL;
}

uint64_t pt__scored_pool_key(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    struct pt__scored *scored = state;
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    if (scored->placing.pools != PT__POOLS_SCORE)
        return pt__pools_key(scored->placing.pools, ctx, job, pool);
    if (!scores_pool(scored, ctx, pool)) return PT_KEY_NONE - 1; /* behind those with a score */
    if (wanted > pt_view_node_size(ctx, pool, job)) return PT_KEY_NONE;
    uint32_t node = pt_view_best_node(ctx, &scored->search, pool, job, wanted);
    if (node == PT_NONE) return PT_KEY_NONE;
    return pt_view_node_key(ctx, &scored->search, job, node, wanted);
}

bool pt__scored_take(struct pt__scored *scored, struct pt_ctx *ctx, struct pt_units *units,
                     pt_job job, uint32_t node)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    units->node = node;
    if (wanted == 0) return true;
    if (scored->search.gpu_order == PT_GPUS_OWN) {
        pt_view_node_key(ctx, &scored->search, job, node, wanted); /* says it again */
        if (scored->choice != PT_NONE) {
            units->gpus[0] = scored->choice;
            units->starts[0] = PT_CELL_ANY;
            units->count = 1;
            return true;
        }
    }
    return pt_view_take(ctx, units, &fullest, job, node, wanted);
}

static bool place_whole(struct pt__scored *scored, struct pt_ctx *ctx, struct pt_units *units,
                        pt_job job, uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    if (wanted > pt_view_node_size(ctx, pool, job)) return false;
    uint32_t node = pt_view_best_node(ctx, &scored->search, pool, job, wanted);
    return node != PT_NONE && pt__scored_take(scored, ctx, units, job, node);
}

bool pt__scored_place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                      uint32_t pool)
{
    struct pt__scored *scored = state;
    if (!scores_pool(scored, ctx, pool))
        return pt__place_fullest(&scored->placing, ctx, units, job, pool);
    return place_whole(scored, ctx, units, job, pool) ||
           pt__place_gathered(&scored->placing, ctx, units, &by_room, PT__RACK_TIGHTEST, job, pool);
}

uint32_t pt__cpus_asked(const struct pt_ctx *ctx, pt_job job)
{
    uint32_t cpus = pt_trace_u32(pt_view_trace(ctx), PT_COL_CPUS, job);
    return cpus == PT_NONE ? 0 : cpus;
}

/* Processes on a GPU. */
static uint32_t clients_on(const struct pt_ctx *ctx, uint32_t pool, uint32_t gpu)
{
    pt_job jobs[CLIENTS_MAX];
    uint32_t count = pt_view_gpu_jobs(ctx, gpu, jobs, CLIENTS_MAX), clients = 0;
    for (uint32_t i = 0; i < count && i < CLIENTS_MAX; i++)
        clients += pt_view_need(ctx, pool, jobs[i])->clients;
    return clients;
}

/* Whether the processes on a GPU are limited, and not by its capacity. */
static bool counts_clients(const struct pt_unit_shape *shape)
{
    return shape->clients_max != 0 && !(shape->levels && shape->uniform);
}

void pt__scored_look(const struct pt__scored *scored, const struct pt_node_facts *node)
{
    const struct pt_pool *pool = &pt_view_cluster(node->ctx)->pools[node->pool];
    for (uint32_t g = 0; g < node->gpus; g++) {
        struct pt_gpu_facts facts;
        pt_view_gpu(&facts, node->ctx, node->first_gpu + g);
        scored->gpus[g] = (struct pt__gpu){.load = facts.load,
                                           .residents = facts.residents,
                                           .mem_used_mib = facts.mem_used_mib,
                                           .in_service = facts.in_service,
                                           .open = facts.in_service};
        if (counts_clients(&pool->shape))
            scored->gpus[g].clients = clients_on(node->ctx, node->pool, node->first_gpu + g);
    }
}

bool pt__scored_fits(const struct pt_pool *pool, const struct pt_need *need,
                     const struct pt__gpu *gpu)
{
    const struct pt_unit_shape *shape = &pool->shape;
    bool plain = shape->levels && shape->uniform;
    if (!gpu->open || need->capacity > shape->capacity - gpu->load) return false;
    if (gpu->residents >= shape->residents_max) return false;
    if (counts_clients(shape) && need->clients > shape->clients_max - gpu->clients) return false;
    bool bound = shape->memory_admits && (shape->capacity > 1 || !plain);
    return !bound || need->mem_mib <= pool->gpu->mem_mib - gpu->mem_used_mib;
}

static bool is_distinct(const struct pt_ctx *ctx, pt_job job, const struct pt_pool *pool)
{
    uint8_t says = pt_trace_bool(pt_view_trace(ctx), PT_COL_DISTINCT, job);
    return says == PT_BOOL_ABSENT ? pool->shape.distinct : says != 0;
}

uint32_t pt__scored_fill(const struct pt__scored *scored, const struct pt_node_facts *node,
                         uint32_t wanted)
{
    const struct pt_pool *pool = &pt_view_cluster(node->ctx)->pools[node->pool];
    pt_job job = pt__scored_job(scored, node);
    const struct pt_need *need = pt_view_need(node->ctx, node->pool, job);
    bool distinct = is_distinct(node->ctx, job, pool);
    uint32_t idle = 0;
    for (uint32_t k = 0; k < wanted; k++) {
        struct pt__gpu *best = NULL;
        for (struct pt__gpu *gpu = scored->gpus; gpu < scored->gpus + node->gpus; gpu++)
            if (pt__scored_fits(pool, need, gpu) && (best == NULL || gpu->load > best->load))
                best = gpu;
        if (best == NULL) break;
        idle += best->residents == 0;
        best->load += need->capacity;
        best->mem_used_mib += need->mem_mib;
        best->clients += need->clients;
        best->residents++;
        best->taken++;
        best->open &= !distinct;
    }
    return idle;
}
