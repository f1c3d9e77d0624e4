/* Gangs and racks: a job that no node holds whole goes into one rack if one holds it, else over as
 * few racks as hold it. Nodes that name no rack count as one rack more.
 *
 * O(nodes of the pool with room) for such a job; nothing where no node names a rack.
 */
#ifndef PT_PLACEMENT_RACKS_H
#define PT_PLACEMENT_RACKS_H

#include "partita/policy.h"

/* Which of the racks that hold a job. */
enum pt__rack_order { PT__RACK_LOWEST, PT__RACK_TIGHTEST, PT__RACK_ROOMIEST };

struct pt__racks {
    uint32_t count;     /* with the one of nodes without; 0: no node names a rack */
    uint64_t *room;     /* by rack: units of the job */
    uint32_t *chosen;   /* racks, one after the other */
    uint32_t *nodes;    /* of the pool with room, in order */
    uint32_t *units_on; /* room of each of them */
    uint32_t found;
};

PT_USE_RESULT enum pt_status pt__racks_init(struct pt__racks *racks, const struct pt_ctx *ctx,
                                            struct pt_error *error);
void pt__racks_fini(struct pt__racks *racks);

/* Appends `wanted` units of the job on at most `nodes_max` nodes, taken in the search's GPU order;
 * nodes that the search rules out are left. Within a rack: nodes with most room first, or with
 * `in_order` as they are numbered. False, and nothing is appended, if racks can't be kept to within
 * that many nodes. */
bool pt__racks_gather(struct pt__racks *racks, struct pt_ctx *ctx, struct pt_units *units,
                      const struct pt_search *search, enum pt__rack_order order, pt_job job,
                      uint32_t wanted, uint32_t nodes_max, bool in_order);

#endif
