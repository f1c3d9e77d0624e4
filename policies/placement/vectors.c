#include "policies/placement/scored.h"

/* Placements that weigh a node by two numbers, its free CPUs and its free GPUs.
 *
 * best_fit, resources: cpus_and_gpus (a baseline of Weng et al., USENIX ATC 2023;
 * kubernetes-scheduler-simulator, commit 8f3d641): the node of which least is left,
 *   int(100 (1 - CPUs left / (2 CPUs of the largest node) - GPUs left / (2 GPUs of the largest))).
 *
 * dot_product: the mean, over CPUs and GPUs, of free x asked, both as parts of the node's (or of
 * the largest node's). Grandl et al. (Tetris, SIGCOMM 2014) take the node where it is largest: what
 * is asked for is what the node has most of. Weng et al. take the smallest, as a whole number,
 * int(100 (1 - mean)): little is left there.
 *
 * A node whose CPUs are no constraint is weighed by its GPUs alone. Ties the lowest pool, node; on
 * it the fullest GPUs that fit. */

#define DOT_ONE UINT64_C(1000000000) /* a dot product of 1 */

/* ---- best_fit ---- */

enum { BEST_POOLS, BEST_RESOURCES };
enum { RESOURCES_GPUS, RESOURCES_CPUS_AND_GPUS };

static const char *const resources_choices[] = {"gpus", "cpus_and_gpus", NULL};

static const struct pt_param best_params[] = {
    [BEST_POOLS] = PT__PARAM_POOLS,
    [BEST_RESOURCES] = {"resources", PT_PARAM_CHOICE, "", "gpus", NULL, NULL, resources_choices,
                        "what makes a node full: gpus: its load, under sharing the GPU's before "
                        "the node's; cpus_and_gpus: the mean of what is left of both, compared "
                        "over all pools under `pools: file`, as a Kubernetes scheduler does"},
    {0}};

struct best_fit {
    struct pt__scored scored;
    bool by_gpus;
};

static size_t best_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct best_fit);
}

static uint64_t best_key(const struct pt_node_facts *node, uint32_t wanted)
{
    const struct pt__scored *scored = node->data;
    pt_job job = pt__scored_job(scored, node);
    uint64_t capacity = pt_view_cluster(node->ctx)->pools[node->pool].shape.capacity;
    uint64_t most = scored->gpus_max * capacity, left = node->units - node->load;
    uint64_t taken = (uint64_t)wanted * pt_view_need(node->ctx, node->pool, job)->capacity;
    left = left > taken && wanted > 0 ? left - taken : (wanted > 0 ? 0 : left);
    if (node->cpus_free_milli == PT_NONE) return (50 * left + most - 1) / most;
    uint64_t cpus = node->cpus_free_milli - pt__cpus_asked(node->ctx, job);
    pt_u128 sum = (pt_u128)50 * left * scored->cpus_max_milli + (pt_u128)50 * cpus * most;
    pt_u128 all = (pt_u128)most * scored->cpus_max_milli;
    return (uint64_t)((sum + all - 1) / all); /* 100 less int(100 - x) */
}

static enum pt_status best_init(void *state, const struct pt_ctx *ctx,
                                const struct pt_value *values, struct pt_error *error)
{
    static const enum pt__pools by_score[] = {PT__POOLS_SCORE, PT__POOLS_FASTEST,
                                              PT__POOLS_CHEAPEST, PT__POOLS_CHEAPEST_PER_WORK};
    struct best_fit *best = state;
    best->by_gpus = values[BEST_RESOURCES].integer == RESOURCES_GPUS;
    best->scored.nested = true;
    PT_TRY(pt__scored_init(&best->scored, ctx, values, best_key, error));
    best->scored.placing.pools = by_score[values[BEST_POOLS].integer];
    if (best->by_gpus) best->scored.placing.pools = (enum pt__pools)values[BEST_POOLS].integer;
    return PT_OK;
}

static bool best_place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                       uint32_t pool)
{
    struct best_fit *best = state;
    if (best->by_gpus) return pt__place_fullest(&best->scored.placing, ctx, units, job, pool);
    return pt__scored_place(state, ctx, units, job, pool);
}

const struct pt_placement_ops pt__best_fit = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "best_fit",
    .summary = "the most loaded node (shared: GPU, then node) that fits",
    .source = "Johnson et al., SIAM J. Computing 3(4), 1974; by CPUs and GPUs: Weng et al., USENIX "
              "ATC 2023 (kubernetes-scheduler-simulator, commit 8f3d641)",
    .params = best_params,
    .state_size = best_size,
    .init = best_init,
    .fini = pt__scored_fini,
    .pool_key = pt__scored_pool_key,
    .place = best_place,
};

/* ---- dot_product ---- */

enum { DOT_POOLS, DOT_PREFER, DOT_NORMALISE };
enum { PREFER_LARGEST, PREFER_SMALLEST };
enum { BY_NODE, BY_LARGEST_NODE };

static const char *const prefer_choices[] = {"largest", "smallest", NULL};
static const char *const normalise_choices[] = {"node", "largest_node", NULL};

static const struct pt_param dot_params[] = {
    [DOT_POOLS] = PT__PARAM_SCORED_POOLS,
    [DOT_PREFER] = {"prefer", PT_PARAM_CHOICE, "", "largest", NULL, NULL, prefer_choices,
                    "largest: the node that has most of what the job asks for (Tetris); smallest: "
                    "the one that has least of it (the baseline of FGD's authors)"},
    [DOT_NORMALISE] = {"normalise", PT_PARAM_CHOICE, "", "node", NULL, NULL, normalise_choices,
                       "CPUs and GPUs count as parts of the node's own, or of the largest node's"},
    {0}};

struct dot {
    struct pt__scored scored;
    bool smallest, by_largest;
};

static size_t dot_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct dot);
}

/* free x asked, as parts of `all`, in 1 / DOT_ONE. */
static uint64_t product(uint64_t free_, uint64_t asked, uint64_t all)
{
    if (all == 0) return 0;
    return (uint64_t)((pt_u128)free_ * asked * DOT_ONE / all / all);
}

static uint64_t dot_key(const struct pt_node_facts *node, uint32_t wanted)
{
    const struct dot *dot = node->data;
    const struct pt_pool *pool = &pt_view_cluster(node->ctx)->pools[node->pool];
    pt_job job = pt__scored_job(&dot->scored, node);
    uint64_t most = (uint64_t)dot->scored.gpus_max * pool->shape.capacity;
    uint64_t asked = (uint64_t)wanted * pt_view_need(node->ctx, node->pool, job)->capacity;
    uint64_t sum = product(node->units - node->load, wanted == 0 ? 0 : asked,
                           dot->by_largest ? most : node->units);
    if (node->cpus_free_milli != PT_NONE) {
        sum += product(node->cpus_free_milli, pt__cpus_asked(node->ctx, job),
                       dot->by_largest ? dot->scored.cpus_max_milli : pool->cpus_milli_per_node);
        sum /= 2;
    }
    return dot->smallest ? (100 * sum + DOT_ONE - 1) / DOT_ONE : DOT_ONE - sum;
}

static enum pt_status dot_init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                               struct pt_error *error)
{
    struct dot *dot = state;
    dot->scored.nested = true;
    dot->smallest = values[DOT_PREFER].integer == PREFER_SMALLEST;
    dot->by_largest = values[DOT_NORMALISE].integer == BY_LARGEST_NODE;
    return pt__scored_init(&dot->scored, ctx, values, dot_key, error);
}

const struct pt_placement_ops pt__dot_product = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "dot_product",
    .summary = "the node whose free CPUs and GPUs are most alike to what the job asks for",
    .source = "Grandl et al. (Tetris), SIGCOMM 2014; prefer: smallest: Weng et al., USENIX ATC "
              "2023",
    .params = dot_params,
    .state_size = dot_size,
    .init = dot_init,
    .fini = pt__scored_fini,
    .pool_key = pt__scored_pool_key,
    .place = pt__scored_place,
};
