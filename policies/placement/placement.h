/* The placements that are built in, and the two ways of placing that they share.
 *
 * A job goes on one node if one holds it whole; which, is the placement's key. Else, where it may
 * be spread, it is gathered over nodes.
 */
#ifndef PT_PLACEMENT_PLACEMENT_H
#define PT_PLACEMENT_PLACEMENT_H

#include "partita/policy.h"

extern const struct pt_placement_ops pt__first_fit, pt__best_fit, pt__worst_fit, pt__pack,
    pt__spread, pt__consolidate;

/* Places the job on the one node with the least key that holds it whole; also jobs without GPUs. */
bool pt__place_whole(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                     pt_job job, uint32_t pool);

/* Places the job over several nodes, those with the least key first, all the room of each. */
bool pt__place_gathered(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                        pt_job job, uint32_t pool);

/* The key that prefers nodes with most room. */
uint64_t pt__key_most_room(const struct pt_node_facts *node, uint32_t wanted);

#endif
