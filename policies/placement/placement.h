/* Placements that are built in, and what they share.
 *
 * A job goes on one node if one holds it whole; which, is the placement's key. Else, where it may
 * be spread, it is gathered over nodes: in one rack if one holds it, else over the fewest
 * (racks.h). Which pool is tried first, is parameter `pools` (pools.h).
 */
#ifndef PT_PLACEMENT_PLACEMENT_H
#define PT_PLACEMENT_PLACEMENT_H

#include "partita/policy.h"
#include "policies/placement/pools.h"
#include "policies/placement/racks.h"

extern const struct pt_placement_ops pt__first_fit, pt__best_fit, pt__worst_fit, pt__pack,
    pt__spread, pt__consolidate, pt__random_fit, pt__fgd, pt__dot_product, pt__gpu_packing,
    pt__gpu_clustering, pt__mig_best, pt__mig_worst, pt__mig_first, pt__mig_best_fit,
    pt__mig_worst_fit;

/* What every placement keeps: the first member of its state. */
struct pt__placing {
    enum pt__pools pools;
    struct pt__racks racks;
};

/* State of a placement that keeps nothing else; its table of parameters begins with `pools`. */
size_t pt__placing_size(const struct pt_value *values);
enum pt_status pt__placing_init(void *state, const struct pt_ctx *ctx,
                                const struct pt_value *values, struct pt_error *error);
void pt__placing_fini(void *state);
uint64_t pt__placing_pool_key(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool);
extern const struct pt_param pt__placing_params[];

/* Places the job on the one node with the least key that holds it whole; also jobs without GPUs. */
bool pt__place_whole(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                     pt_job job, uint32_t pool);

/* Places the job over several nodes: in racks, where nodes have some; else those with the least key
 * first, all the room of each. */
bool pt__place_gathered(struct pt__placing *placing, struct pt_ctx *ctx, struct pt_units *units,
                        const struct pt_search *search, enum pt__rack_order order, pt_job job,
                        uint32_t pool);

/* Prefers the GPUs and nodes with the highest load, as `pack`; of several nodes those with most
 * room. */
bool pt__place_fullest(struct pt__placing *placing, struct pt_ctx *ctx, struct pt_units *units,
                       pt_job job, uint32_t pool);

/* The key that prefers nodes with most room. */
uint64_t pt__key_most_room(const struct pt_node_facts *node, uint32_t wanted);

#endif
