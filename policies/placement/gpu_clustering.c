#include "policies/placement/scored.h"

/* GPU clustering (Xiao et al., Gandiva, OSDI 2018, as Weng et al., USENIX ATC 2023, score it;
 * kubernetes-scheduler-simulator, commit 8f3d641): jobs that ask for the same number of GPUs sit on
 * the same nodes; all that ask for part of a GPU are alike. By who is on the node:
 *   75  only such jobs             50  such jobs and others
 *   25  no job with GPUs            0  others alone, and any node for a job without GPUs
 * and up to 25 more the fuller it is: 25 (GPUs of the largest node - free ones) / GPUs of the
 * largest node, rounded down. Ties the lowest pool, node; on it the fullest GPUs that fit. */

#define JOBS_MAX 128 /* of a GPU; more say nothing new */

static const struct pt_param params[] = {PT__PARAM_SCORED_POOLS, {0}};

static size_t state_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct pt__scored);
}

/* GPUs that the job asks for, 0 = part of each. */
static uint32_t shape_of(const struct pt_node_facts *node, pt_job job)
{
    uint32_t capacity = pt_view_cluster(node->ctx)->pools[node->pool].shape.capacity;
    bool whole = pt_view_need(node->ctx, node->pool, job)->capacity >= capacity;
    return whole ? pt_view_units_wanted(node->ctx, job) : 0;
}

static uint64_t key(const struct pt_node_facts *node, uint32_t wanted)
{
    const struct pt__scored *scored = node->data;
    uint64_t capacity = pt_view_cluster(node->ctx)->pools[node->pool].shape.capacity;
    uint64_t most = scored->gpus_max * capacity, free_ = node->units - node->load;
    uint32_t shape = shape_of(node, pt__scored_job(scored, node));
    bool alike = false, others = false;
    if (wanted == 0) return PT__SCORE_MAX;
    for (uint32_t g = 0; g < node->gpus && !(alike && others); g++) {
        pt_job jobs[JOBS_MAX];
        uint32_t count = pt_view_gpu_jobs(node->ctx, node->first_gpu + g, jobs, JOBS_MAX);
        for (uint32_t i = 0; i < count && i < JOBS_MAX; i++) {
            bool is_alike = shape_of(node, jobs[i]) == shape;
            alike |= is_alike;
            others |= !is_alike;
        }
    }
    uint64_t score = PT__SCORE_MAX / 4 * (most - free_) / most;
    if (alike)
        score += others ? 50 : 75;
    else
        score += others ? 0 : 25;
    return PT__SCORE_MAX - score;
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct pt__scored *scored = state;
    scored->nested = true; /* it reads who is there, not what is left of a GPU */
    return pt__scored_init(scored, ctx, values, key, error);
}

const struct pt_placement_ops pt__gpu_clustering = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "gpu_clustering",
    .summary = "jobs that ask for as many GPUs on the same nodes, by FGD's scores",
    .source = "Xiao et al., OSDI 2018; scores of Weng et al., USENIX ATC 2023 "
              "(kubernetes-scheduler-simulator, commit 8f3d641)",
    .params = params,
    .state_size = state_size,
    .init = init,
    .fini = pt__scored_fini,
    .pool_key = pt__scored_pool_key,
    .place = pt__scored_place,
};
