#include "policies/placement/scored.h"

/* GPU packing (a baseline of Weng et al., USENIX ATC 2023; kubernetes-scheduler-simulator, commit
 * 8f3d641): GPUs in use before idle ones, nodes in use before idle ones. Scores:
 *   only GPUs in use           100 - (their free per cents) / 10, at least 50
 *   k idle GPUs must be used   50 - k, at least 33
 *   all n GPUs of it are idle  33 - n, at least n (but no more than 33)
 *   a job without GPUs         0
 * Ties the lowest pool, node; on it the fullest GPUs that fit. On MIG as `pack`. */

#define GPU_IN_USE_MIN 50u
#define NODE_IN_USE_MIN 33u

static const struct pt_param params[] = {PT__PARAM_SCORED_POOLS, {0}};

static size_t state_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct pt__scored);
}

static uint32_t largest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t score_idle_node(uint32_t gpus)
{
    uint32_t score = NODE_IN_USE_MIN > gpus ? NODE_IN_USE_MIN - gpus : 0;
    score = largest(score, gpus);
    return score < NODE_IN_USE_MIN ? score : NODE_IN_USE_MIN;
}

/* Of the GPUs that the job's units are on, what was free in per cent, each rounded down. */
static uint32_t free_percents(const struct pt__gpu *gpus, const struct pt_node_facts *node,
                              uint32_t capacity, uint32_t need)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < node->gpus; g++)
        for (uint32_t u = gpus[g].taken; u > 0; u--) /* before the u-th of its units there */
            sum += (uint64_t)(capacity - (gpus[g].load - u * need)) * 100 / capacity;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static uint64_t key(const struct pt_node_facts *node, uint32_t wanted)
{
    const struct pt__scored *scored = node->data;
    uint32_t capacity = pt_view_cluster(node->ctx)->pools[node->pool].shape.capacity, score;
    if (wanted == 0) return PT__SCORE_MAX;
    if (node->idle_gpus == node->gpus) return PT__SCORE_MAX - score_idle_node(node->gpus);
    pt__scored_look(scored, node);
    uint32_t idle = pt__scored_fill(scored, node, wanted);
    if (idle > 0) {
        score = idle < GPU_IN_USE_MIN ? GPU_IN_USE_MIN - idle : 0;
        return PT__SCORE_MAX - largest(score, NODE_IN_USE_MIN);
    }
    uint32_t need = pt_view_need(node->ctx, node->pool, pt__scored_job(scored, node))->capacity;
    uint32_t tenths = free_percents(scored->gpus, node, capacity, need) / 10;
    score = tenths < PT__SCORE_MAX ? PT__SCORE_MAX - tenths : 0;
    return PT__SCORE_MAX - largest(score, GPU_IN_USE_MIN);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    PT_TRY(pt__scored_init(state, ctx, values, key, error));
    struct pt__scored *scored = state;
    scored->search.gpu_order = PT_GPUS_OWN;
    return PT_OK;
}

const struct pt_placement_ops pt__gpu_packing = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "gpu_packing",
    .summary = "GPUs in use before idle ones, nodes in use before idle ones, by FGD's scores; on "
               "MIG as pack",
    .source = "Weng et al., USENIX ATC 2023 (kubernetes-scheduler-simulator, commit 8f3d641)",
    .params = params,
    .state_size = state_size,
    .init = init,
    .fini = pt__scored_fini,
    .pool_key = pt__scored_pool_key,
    .place = pt__scored_place,
};
