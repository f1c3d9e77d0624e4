#include "partita/random.h"

#include "policies/placement/placement.h"

/* Any node that has room, all alike; on it the lowest GPUs. The draws of a job depend on the seed
 * and the job alone, so another order of starts leaves them as they were.
 *
 * Nodes are drawn from all of the pool until one has room; where that is rare, the nodes with room
 * are walked instead and one of them is kept, so that the choice is uniform either way. */

#define DRAWS_MAX 16

struct random {
    struct pt__placing placing;
    gsl_rng *rng;
};

static const struct pt_search any = {PT_GPUS_LOWEST, false, NULL, NULL};
static const struct pt_search by_room = {PT_GPUS_LOWEST, true, pt__key_most_room, NULL};

static size_t state_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct random);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct random *random = state;
    random->rng = gsl_rng_alloc(pt_rng_type);
    if (random->rng == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for draws");
    enum pt_status status = pt__placing_init(&random->placing, ctx, values, error);
    if (status != PT_OK) gsl_rng_free(random->rng);
    return status;
}

static void fini(void *state)
{
    struct random *random = state;
    gsl_rng_free(random->rng);
    pt__placing_fini(state);
}

/* One of the nodes with room for so many units, PT_NONE if there is none. */
static uint32_t draw_node(struct random *random, struct pt_ctx *ctx, pt_job job, uint32_t pool,
                          uint32_t wanted)
{
    const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
    uint32_t enough = wanted > 0 ? wanted : 1, found = PT_NONE, seen = 0;
    for (int i = 0; i < DRAWS_MAX; i++) {
        uint32_t node = p->first_node + (uint32_t)gsl_rng_uniform_int(random->rng, p->node_count);
        if (pt_view_node_room(ctx, node, job, enough) >= enough) return node;
    }
    for (uint32_t node = 0;
         (node = pt_view_next_node(ctx, &any, pool, job, wanted, node)) != PT_NONE; node++)
        if (gsl_rng_uniform_int(random->rng, ++seen) == 0) found = node;
    return found;
}

/* A gang that no node holds: from a drawn node on, in order, all the room of each. */
static bool place_over_nodes(struct random *random, struct pt_ctx *ctx, struct pt_units *units,
                             pt_job job, uint32_t pool, uint32_t wanted)
{
    const struct pt_pool *p = &pt_view_cluster(ctx)->pools[pool];
    uint32_t first = p->first_node, count = p->node_count;
    uint32_t from = first + (uint32_t)gsl_rng_uniform_int(random->rng, count);
    for (uint32_t i = 0; i < count && units->count < wanted; i++) {
        uint32_t node = first + (from - first + i) % count;
        uint32_t room = pt_view_node_room(ctx, node, job, wanted - units->count);
        if (room > 0) pt_view_take(ctx, units, &any, job, node, room);
    }
    return units->count == wanted;
}

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    struct random *random = state;
    uint32_t wanted = pt_view_units_wanted(ctx, job), nodes = pt_view_nodes_allowed(ctx, job);
    pt_rng_seed(random->rng, pt_view_seed(ctx), PT_PURPOSE_PLACEMENT, job);
    if (wanted <= pt_view_node_size(ctx, pool, job)) {
        uint32_t node = draw_node(random, ctx, job, pool, wanted);
        if (node != PT_NONE) {
            units->node = node;
            return wanted == 0 || pt_view_take(ctx, units, &any, job, node, wanted);
        }
    }
    if (nodes != PT_NONE || random->placing.racks.count > 0)
        return pt__place_gathered(&random->placing, ctx, units, &by_room, PT__RACK_LOWEST, job,
                                  pool);
    if (wanted <= 1 || pt_view_units_free(ctx, pool, job) < wanted) return false;
    return place_over_nodes(random, ctx, units, job, pool, wanted);
}

const struct pt_placement_ops pt__random_fit = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_placement_ops),
    .name = "random",
    .summary = "any node that holds the job whole, all alike, drawn by the seed; its lowest GPUs",
    .source = "random fit: the baseline of placement studies, such as Weng et al., USENIX ATC 2023",
    .params = pt__placing_params,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .pool_key = pt__placing_pool_key,
    .place = place,
};
