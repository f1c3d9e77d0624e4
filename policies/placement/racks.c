#include "policies/placement/racks.h"

#include <stdlib.h>
#include <string.h>

enum pt_status pt__racks_init(struct pt__racks *racks, const struct pt_ctx *ctx,
                              struct pt_error *error)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    *racks = (struct pt__racks){0};
    if (cluster->rack_count == 0) return PT_OK;
    racks->count = cluster->rack_count + 1;
    racks->room = calloc(racks->count, sizeof *racks->room);
    racks->nodes = calloc(cluster->node_count, sizeof *racks->nodes);
    racks->units_on = calloc(cluster->node_count, sizeof *racks->units_on);
    racks->chosen = calloc(racks->count, sizeof *racks->chosen);
    if (racks->room != NULL && racks->chosen != NULL && racks->nodes != NULL &&
        racks->units_on != NULL)
        return PT_OK;
    pt__racks_fini(racks);
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u racks", cluster->rack_count);
}

void pt__racks_fini(struct pt__racks *racks)
{
    free(racks->room);
    free(racks->nodes);
    free(racks->units_on);
    free(racks->chosen);
    *racks = (struct pt__racks){0};
}

static uint32_t rack_of(const struct pt__racks *racks, const struct pt_ctx *ctx, uint32_t node)
{
    uint32_t rack = pt_view_cluster(ctx)->nodes[node].rack;
    return rack == PT_NONE ? racks->count - 1 : rack;
}

/* Room of every node and rack of the pool. */
static void look(struct pt__racks *racks, struct pt_ctx *ctx, const struct pt_search *search,
                 pt_job job, uint32_t pool, uint32_t wanted)
{
    memset(racks->room, 0, racks->count * sizeof *racks->room);
    racks->found = 0;
    for (uint32_t node = 0; (node = pt_view_next_node(ctx, search, pool, job, 1, node)) != PT_NONE;
         node++) {
        uint32_t room = pt_view_node_room(ctx, node, job, wanted);
        racks->nodes[racks->found] = node;
        racks->units_on[racks->found++] = room;
        racks->room[rack_of(racks, ctx, node)] += room;
    }
}

/* The next node of the rack: the one with most room that has less than `from`'s place in that
 * order, or the next in order. PT_NONE = none. */
static uint32_t next_in(const struct pt__racks *racks, const struct pt_ctx *ctx, uint32_t rack,
                        uint32_t from, bool in_order)
{
    uint32_t best = PT_NONE;
    for (uint32_t i = in_order && from != PT_NONE ? from + 1 : 0; i < racks->found; i++) {
        uint32_t room = racks->units_on[i];
        if (room == 0 || rack_of(racks, ctx, racks->nodes[i]) != rack) continue;
        if (in_order) return i;
        uint32_t room_of_last = from == PT_NONE ? PT_NONE : racks->units_on[from];
        bool behind = room < room_of_last || (room == room_of_last && i > from);
        if (behind && (best == PT_NONE || room > racks->units_on[best])) best = i;
    }
    return best;
}

/* Nodes of the rack that hold so many units of it, PT_NONE if it doesn't. */
static uint32_t nodes_for(const struct pt__racks *racks, const struct pt_ctx *ctx, uint32_t rack,
                          uint32_t wanted, bool in_order)
{
    uint32_t nodes = 0;
    if (racks->room[rack] < wanted) return PT_NONE;
    for (uint32_t i = PT_NONE;
         wanted > 0 && (i = next_in(racks, ctx, rack, i, in_order)) != PT_NONE; nodes++)
        wanted -= racks->units_on[i] < wanted ? racks->units_on[i] : wanted;
    return nodes;
}

static void take(const struct pt__racks *racks, struct pt_ctx *ctx, struct pt_units *units,
                 const struct pt_search *search, pt_job job, uint32_t rack, uint32_t wanted,
                 bool in_order)
{
    for (uint32_t i = PT_NONE;
         wanted > 0 && (i = next_in(racks, ctx, rack, i, in_order)) != PT_NONE;) {
        uint32_t more = racks->units_on[i] < wanted ? racks->units_on[i] : wanted;
        if (pt_view_take(ctx, units, search, job, racks->nodes[i], more)) wanted -= more;
    }
}

/* The rack that holds all of it; PT_NONE = none does. */
static uint32_t one_rack(const struct pt__racks *racks, const struct pt_ctx *ctx,
                         enum pt__rack_order order, uint32_t wanted, uint32_t nodes_max,
                         bool in_order)
{
    uint32_t best = PT_NONE;
    for (uint32_t r = 0; r < racks->count; r++) {
        uint32_t nodes = nodes_for(racks, ctx, r, wanted, in_order);
        if (nodes == PT_NONE || nodes > nodes_max) continue;
        if (best == PT_NONE || (order == PT__RACK_TIGHTEST && racks->room[r] < racks->room[best]) ||
            (order == PT__RACK_ROOMIEST && racks->room[r] > racks->room[best]))
            best = r;
    }
    return best;
}

/* The rack with most room of those not chosen yet; ties the lowest, PT_NONE = none has any. */
static uint32_t roomiest(const struct pt__racks *racks, uint32_t chosen)
{
    uint32_t best = PT_NONE;
    for (uint32_t r = 0; r < racks->count; r++) {
        bool used = racks->room[r] == 0;
        for (uint32_t i = 0; i < chosen && !used; i++)
            used = racks->chosen[i] == r;
        if (!used && (best == PT_NONE || racks->room[r] > racks->room[best])) best = r;
    }
    return best;
}

static uint32_t part_of(const struct pt__racks *racks, uint32_t rack, uint32_t left)
{
    return racks->room[rack] < left ? (uint32_t)racks->room[rack] : left;
}

/* Over racks with most room first, which are the fewest. */
static bool over_racks(struct pt__racks *racks, struct pt_ctx *ctx, struct pt_units *units,
                       const struct pt_search *search, pt_job job, uint32_t wanted,
                       uint32_t nodes_max, bool in_order)
{
    uint32_t count = 0;
    for (uint32_t left = wanted; left > 0; count++) {
        uint32_t rack = roomiest(racks, count);
        if (rack == PT_NONE) return false;
        uint32_t part = part_of(racks, rack, left);
        uint32_t nodes = nodes_for(racks, ctx, rack, part, in_order);
        if (nodes > nodes_max) return false;
        racks->chosen[count] = rack;
        nodes_max -= nodes;
        left -= part;
    }
    for (uint32_t i = 0, left = wanted; i < count; i++) {
        uint32_t part = part_of(racks, racks->chosen[i], left);
        take(racks, ctx, units, search, job, racks->chosen[i], part, in_order);
        left -= part;
    }
    return true;
}

bool pt__racks_gather(struct pt__racks *racks, struct pt_ctx *ctx, struct pt_units *units,
                      const struct pt_search *search, enum pt__rack_order order, pt_job job,
                      uint32_t wanted, uint32_t nodes_max, bool in_order)
{
    look(racks, ctx, search, job, units->pool, wanted);
    uint32_t rack = one_rack(racks, ctx, order, wanted, nodes_max, in_order);
    if (rack == PT_NONE)
        return over_racks(racks, ctx, units, search, job, wanted, nodes_max, in_order);
    take(racks, ctx, units, search, job, rack, wanted, in_order);
    return true;
}
