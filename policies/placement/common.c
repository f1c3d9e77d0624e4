#include "policies/placement/placement.h"

bool pt__place_whole(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                     pt_job job, uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    if (wanted > pt_view_node_size(ctx, pool, job)) return false;
    uint32_t node = pt_view_best_node(ctx, search, pool, job, wanted);
    if (node == PT_NONE) return false;
    units->node = node;
    return wanted == 0 || pt_view_take(ctx, units, search, job, node, wanted);
}

bool pt__place_gathered(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                        pt_job job, uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job), nodes = pt_view_nodes_allowed(ctx, job);
    if (nodes <= 1 || wanted <= 1 || pt_view_units_free(ctx, pool, job) < wanted) return false;
    return pt_view_gather(ctx, units, search, job, wanted, nodes, 0) == wanted;
}

uint64_t pt__key_most_room(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return UINT32_MAX - node->room;
}
