#include "policies/placement/placement.h"

const struct pt_param pt__placing_params[] = {PT__PARAM_POOLS, {0}};

size_t pt__placing_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct pt__placing);
}

enum pt_status pt__placing_init(void *state, const struct pt_ctx *ctx,
                                const struct pt_value *values, struct pt_error *error)
{
    struct pt__placing *placing = state;
    placing->pools = (enum pt__pools)values[0].integer;
    return pt__racks_init(&placing->racks, ctx, error);
}

void pt__placing_fini(void *state)
{
    struct pt__placing *placing = state;
    pt__racks_fini(&placing->racks);
}

uint64_t pt__placing_pool_key(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    const struct pt__placing *placing = state;
    return pt__pools_key(placing->pools, ctx, job, pool);
}

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

bool pt__place_gathered(struct pt__placing *placing, struct pt_ctx *ctx, struct pt_units *units,
                        const struct pt_search *search, enum pt__rack_order order, pt_job job,
                        uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job), nodes = pt_view_nodes_allowed(ctx, job);
    if (nodes <= 1 || wanted <= 1 || pt_view_units_free(ctx, pool, job) < wanted) return false;
    if (placing->racks.count > 0 && pt__racks_gather(&placing->racks, ctx, units, search, order,
                                                     job, wanted, nodes, search->key == NULL))
        return true;
    return pt_view_gather(ctx, units, search, job, wanted, nodes, 0) == wanted;
}

uint64_t pt__key_most_room(const struct pt_node_facts *node, uint32_t wanted)
{
    (void)wanted;
    return UINT32_MAX - node->room;
}
