#include "policies/placement/placement.h"

/* Helios' consolidating placement (Hu et al., SC 2021, as its simulator does it): a job that fits a
 * node takes the node with the fewest free units that still holds it; a larger one takes wholly
 * free nodes, lowest first, and its remainder the other node with most free units. A job that does
 * not fit this way does not start. Where nodes name racks, wholly free nodes of one rack, or of the
 * fewest, come before. */

static uint64_t key_fewest_free(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return node->units - node->load;
}

static uint64_t key_most_free(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return UINT32_MAX - (node->units - node->load);
}

static uint64_t key_idle_node(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return node->load == 0 ? 0 : PT_KEY_NONE;
}

static const struct pt_search fewest_free = {PT_GPUS_FULLEST, false, key_fewest_free, NULL};
static const struct pt_search idle_node = {PT_GPUS_LOWEST, false, key_idle_node, NULL};
static const struct pt_search most_free = {PT_GPUS_FULLEST, false, key_most_free, NULL};

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    struct pt__placing *placing = state;
    uint32_t wanted = pt_view_units_wanted(ctx, job), size = pt_view_node_size(ctx, pool, job);
    uint32_t nodes = pt_view_nodes_allowed(ctx, job);
    if (wanted <= size) return pt__place_whole(ctx, units, &fewest_free, job, pool);
    if (size == 0 || pt_view_units_free(ctx, pool, job) < wanted) return false;
    uint32_t whole = wanted / size, rest = wanted % size;
    if (whole + (rest > 0) > nodes) return false;
    if (placing->racks.count > 0 && pt__racks_gather(&placing->racks, ctx, units, &idle_node,
                                                     PT__RACK_TIGHTEST, job, wanted, nodes, true))
        return true;
    if (pt_view_gather(ctx, units, &idle_node, job, whole * size, whole, size) != whole * size)
        return false;
    return rest == 0 || pt_view_gather(ctx, units, &most_free, job, rest, 1, rest) == rest;
}

const struct pt_placement_ops pt__consolidate = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "consolidate",
    .summary = "as few nodes as can be: the fullest node that holds the job whole; larger jobs on "
               "wholly free nodes and one more",
    .source = "Helios, Hu et al., SC 2021 (HeliosArtifact, commit bdaae10)",
    .params = pt__placing_params,
    .state_size = pt__placing_size,
    .init = pt__placing_init,
    .fini = pt__placing_fini,
    .pool_key = pt__placing_pool_key,
    .place = place,
};
