#include "policies/placement/typical.h"

/* Fragmentation gradient descent (Weng et al., USENIX ATC 2023; kubernetes-scheduler-simulator,
 * commit 8f3d641): the node, and of jobs on part of one GPU the GPU, where the job makes least of
 * the idle GPU capacity useless to the workload. The score is a whole number, so there are ties:
 * the lowest pool, node, GPU.
 *
 * MIG GPUs have no share of capacity that could be weighed: jobs there are placed as by `pack`. */

enum { PARAM_POOLS, PARAM_POPULARITY };

static const struct pt_param params[] = {
    [PARAM_POOLS] = PT__PARAM_SCORED_POOLS,
    [PARAM_POPULARITY] = {"popularity", PT_PARAM_FRACTION, "", "0.95", NULL, NULL, NULL,
                          "the workload it descends for: the trace's most popular shapes of jobs, "
                          "until they are this part of all jobs"},
    {0}};

struct fgd {
    struct pt__scored scored;
    struct pt__mix mix;
};

static size_t state_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct fgd);
}

static int64_t fragmentation(const struct fgd *fgd, const struct pt_node_facts *node,
                             uint32_t cpus_milli)
{
    uint32_t cpus = node->cpus_free_milli;
    if (cpus != PT_NONE) cpus -= cpus_milli;
    return pt__mix_fragmentation(&fgd->mix, node->pool, fgd->scored.gpus, node->gpus, cpus);
}

/* The best score that one unit reaches on a GPU of the node; the GPU becomes the choice. */
static uint32_t best_gpu(struct fgd *fgd, const struct pt_node_facts *node,
                         const struct pt_need *need, uint32_t cpus_milli)
{
    const struct pt_pool *pool = &pt_view_cluster(node->ctx)->pools[node->pool];
    struct pt__gpu *gpus = fgd->scored.gpus;
    int64_t before = fragmentation(fgd, node, 0);
    uint32_t best = 0;
    for (uint32_t g = 0; g < node->gpus; g++) {
        if (!pt__scored_fits(pool, need, &gpus[g])) continue;
        uint32_t alike = 0; /* a GPU as full was tried: it can't be better */
        while (gpus[alike].load != gpus[g].load || !pt__scored_fits(pool, need, &gpus[alike]))
            alike++;
        if (alike < g) continue;
        gpus[g].load += need->capacity;
        uint32_t score =
            pt__mix_score(&fgd->mix, node->pool, before - fragmentation(fgd, node, cpus_milli));
        gpus[g].load -= need->capacity;
        if (fgd->scored.choice != PT_NONE && score <= best) continue;
        best = score;
        fgd->scored.choice = node->first_gpu + g;
    }
    return best;
}

static uint64_t key(const struct pt_node_facts *node, uint32_t wanted)
{
    struct fgd *fgd = (struct fgd *)(uintptr_t)node->data; /* whose scratch it is */
    pt_job job = pt__scored_job(&fgd->scored, node);
    const struct pt_need *need = pt_view_need(node->ctx, node->pool, job);
    uint32_t cpus = pt__cpus_asked(node->ctx, job);
    fgd->scored.choice = PT_NONE;
    pt__scored_look(&fgd->scored, node);
    if (wanted == 1 && need->capacity < fgd->mix.pools[node->pool].capacity)
        return PT__SCORE_MAX - best_gpu(fgd, node, need, cpus);
    int64_t before = fragmentation(fgd, node, 0);
    pt__scored_fill(&fgd->scored, node, wanted);
    int64_t gain = before - fragmentation(fgd, node, cpus);
    return PT__SCORE_MAX - pt__mix_score(&fgd->mix, node->pool, gain);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct fgd *fgd = state;
    PT_TRY(pt__scored_init(&fgd->scored, ctx, values, key, error));
    fgd->scored.search.gpu_order = PT_GPUS_OWN;
    enum pt_status status = pt__mix_init(&fgd->mix, &fgd->scored, ctx,
                                         (uint32_t)values[PARAM_POPULARITY].integer, error);
    if (status != PT_OK) pt__scored_fini(state);
    return status;
}

static void fini(void *state)
{
    struct fgd *fgd = state;
    pt__mix_fini(&fgd->mix);
    pt__scored_fini(state);
}

const struct pt_placement_ops pt__fgd = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "fgd",
    .summary = "fragmentation gradient descent: where the job leaves least idle GPU capacity that "
               "the workload can't use; on MIG as pack",
    .source = "Weng et al., USENIX ATC 2023 (kubernetes-scheduler-simulator, commit 8f3d641)",
    .params = params,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .pool_key = pt__scored_pool_key,
    .place = pt__scored_place,
};
