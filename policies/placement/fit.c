#include "policies/placement/placement.h"

/* Placements that differ in nothing but which node and which GPUs they prefer. */

/* GPU load, then node load; for whole GPUs the first is always 0. */
static uint64_t key_fullest(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    uint64_t gpus = UINT32_MAX / 4 - node->chosen_load;
    return gpus << 32 | (UINT32_MAX - node->load);
}

static uint64_t key_emptiest(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return node->chosen_load << 32 | node->load;
}

static const struct pt_search lowest = {PT_GPUS_LOWEST, false, NULL, NULL};
static const struct pt_search lowest_by_room = {PT_GPUS_LOWEST, true, pt__key_most_room, NULL};
static const struct pt_search fullest = {PT_GPUS_FULLEST, false, key_fullest, NULL};
static const struct pt_search fullest_by_room = {PT_GPUS_FULLEST, true, pt__key_most_room, NULL};
static const struct pt_search emptiest = {PT_GPUS_EMPTIEST, false, key_emptiest, NULL};
static const struct pt_search emptiest_by_room = {PT_GPUS_EMPTIEST, true, pt__key_most_room, NULL};

static bool place_first(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                        uint32_t pool)
{
    if (pt__place_whole(ctx, units, &lowest, job, pool)) return true;
    /* Nodes in order may be more than the job allows; those with most room are the fewest. */
    bool any_number = pt_view_nodes_allowed(ctx, job) == PT_NONE;
    return pt__place_gathered(state, ctx, units, any_number ? &lowest : &lowest_by_room,
                              PT__RACK_LOWEST, job, pool);
}

bool pt__place_fullest(struct pt__placing *placing, struct pt_ctx *ctx, struct pt_units *units,
                       pt_job job, uint32_t pool)
{
    return pt__place_whole(ctx, units, &fullest, job, pool) ||
           pt__place_gathered(placing, ctx, units, &fullest_by_room, PT__RACK_TIGHTEST, job, pool);
}

static bool place_fullest(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                          uint32_t pool)
{
    return pt__place_fullest(state, ctx, units, job, pool);
}

static bool place_emptiest(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                           uint32_t pool)
{
    return pt__place_whole(ctx, units, &emptiest, job, pool) ||
           pt__place_gathered(state, ctx, units, &emptiest_by_room, PT__RACK_ROOMIEST, job, pool);
}

#define PLACEMENT(variable, text_name, text_summary, text_source, function)                        \
    const struct pt_placement_ops variable = {.abi = PT_POLICY_ABI,                                \
                                              .size = sizeof(struct pt_placement_ops),             \
                                              .name = (text_name),                                 \
                                              .summary = (text_summary),                           \
                                              .source = (text_source),                             \
                                              .params = pt__placing_params,                        \
                                              .state_size = pt__placing_size,                      \
                                              .init = pt__placing_init,                            \
                                              .fini = pt__placing_fini,                            \
                                              .pool_key = pt__placing_pool_key,                    \
                                              .place = (function)}

PLACEMENT(pt__first_fit, "first_fit",
          "the lowest GPUs that fit: on the first node that holds the job whole, else over nodes "
          "in order",
          "Johnson et al., SIAM J. Computing 3(4), 1974", place_first);
PLACEMENT(pt__worst_fit, "worst_fit", "the least loaded node (shared: GPU, then node) that fits",
          "Johnson et al., SIAM J. Computing 3(4), 1974", place_emptiest);
PLACEMENT(pt__pack, "pack", "as best_fit: fill what is in use before touching what is idle",
          "Kubernetes NodeResourcesFit MostAllocated", place_fullest);
PLACEMENT(pt__spread, "spread", "as worst_fit: keep neighbours apart",
          "Kubernetes NodeResourcesFit LeastAllocated", place_emptiest);
