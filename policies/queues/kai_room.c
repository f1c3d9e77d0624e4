#include "policies/queues/kai.h"

/* Room for a job that does not fit: jobs are lifted, least important first, until it does; then
 * those that need not go stay, those that fit elsewhere move, and the rest is stopped. The least
 * important: of the queue that would be served last, the lowest priority, the youngest. */

#define NO_BOUND INT64_MAX /* of the priority of those who go */

static void begin(struct pt_kai *kai)
{
    for (uint32_t n = 0; n < kai->tree.count; n++) {
        const struct pt_kai_leaf *leaf = &kai->jobs.leaf[n];
        kai->held[n] = kai->tree.node[n].held;
        kai->left[n] = kai->tree.node[n].victims;
        kai->cursor[n] = leaf->first + leaf->count;
    }
    kai->lifted_count = 0;
}

/* The children of a node, or the top, that a walk goes over. */
static uint32_t children(uint32_t *first, const struct pt_kai_tree *tree, uint32_t parent)
{
    *first = parent == PT_NONE ? 0 : tree->node[parent].first_child;
    return parent == PT_NONE ? tree->top_count : tree->node[parent].child_count;
}

/* Of a subtree's leaves with jobs left, the one that is served last. */
static uint32_t last_leaf(const struct pt_kai *kai, uint32_t node)
{
    while (kai->tree.node[node].child_count > 0) {
        uint32_t first, count = children(&first, &kai->tree, node), last = PT_NONE;
        for (uint32_t n = first; n < first + count; n++)
            if (kai->left[n] > 0 &&
                (last == PT_NONE || pt__kai_before(&kai->tree, kai->held, last, 0, n, 0)))
                last = n;
        if (last == PT_NONE) return PT_NONE;
        node = last;
    }
    return node;
}

/* Whether jobs of queue `from` may go for one of so many parts of its sibling `to`, when `from`
 * still holds `held`: MaintainFairShare or GuaranteeDeservedQuota. */
static bool may_take(const struct pt_kai *kai, uint32_t to, uint64_t parts, uint32_t from,
                     uint64_t held)
{
    const struct pt_kai_node *taker = &kai->tree.node[to], *giver = &kai->tree.node[from];
    if (kai->reclaim != PT_KAI_QUOTA && held > pt__kai_allocatable(giver)) return true;
    return kai->reclaim != PT_KAI_FAIR_SHARE && taker->held + parts <= taker->deserved &&
           held > giver->deserved;
}

/* Whether a queue that holds `held` and is above its fair share would come level with a sibling
 * that lost something and holds `left` now: the order of saturation must stay. */
static bool levels_with(const struct pt_kai *kai, uint32_t node, uint64_t held, uint32_t sibling,
                        uint64_t left)
{
    uint64_t share = kai->tree.node[node].share, other = kai->tree.node[sibling].share;
    if (held <= share || other == 0) return false;
    return (double)held * kai->multiplier * (double)other >= (double)left * (double)share;
}

/* The leaf that loses a job next to one of so many parts of `leaf`: the last to be served of those
 * that may lose any. From the leaf upwards, since strategies compare siblings. */
static uint32_t giver_leaf(const struct pt_kai *kai, uint32_t leaf, uint64_t parts)
{
    const struct pt_kai_tree *tree = &kai->tree;
    uint32_t chosen = PT_NONE;
    for (uint32_t node = leaf; node != PT_NONE; node = tree->node[node].parent) {
        uint32_t first, count = children(&first, tree, tree->node[node].parent);
        uint32_t last = chosen == PT_NONE ? PT_NONE : node;
        for (uint32_t n = first; n < first + count; n++) {
            if (n == node || kai->left[n] == 0) continue;
            if (!may_take(kai, node, parts, n, tree->node[n].held)) continue;
            uint64_t left = kai->held[n] > parts ? kai->held[n] - parts : 0;
            if (levels_with(kai, node, kai->held[node] + parts, n, left)) continue;
            if (last == PT_NONE || pt__kai_before(tree, kai->held, last, 0, n, 0)) last = n;
        }
        if (last != node && last != PT_NONE) chosen = last;
    }
    return chosen == PT_NONE ? PT_NONE : last_leaf(kai, chosen);
}

/* Whether a running job may be stopped or moved for one that may use `pools`. */
static bool may_go(struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job, uint64_t pools,
                   int64_t min_ns)
{
    uint32_t pool = pt_view_held_pool(ctx, job);
    int64_t now_ns = pt_view_now_ns(ctx), since_ns = pt_view_attempt_ns(ctx, job);
    if (pool == PT_NONE || (pools & PT_POOL_BIT(pool)) == 0 || !pt_view_preemptible(ctx, job))
        return false;
    /* Who was stopped before is safe at the very instant of its return: nothing goes in circles. */
    if (since_ns == now_ns && (kai->jobs.pool_of[job] & PT_KAI_STOPPED_BEFORE) != 0) return false;
    if (now_ns - since_ns >= min_ns) return true;
    int64_t later_ns = min_ns < PT_TIME_MAX - since_ns ? since_ns + min_ns : PT_NEVER;
    if (later_ns < kai->later_ns) kai->later_ns = later_ns;
    return false;
}

/* Lifts the leaf's next job that may go and whose priority is below `below` (or NO_BOUND); false if
 * there is none. */
static bool lift_next(struct pt_kai *kai, struct pt_ctx *ctx, uint32_t leaf, uint64_t pools,
                      int64_t min_ns, int64_t below)
{
    uint32_t place;
    while ((place = pt__kai_victim(&kai->jobs, leaf, kai->cursor[leaf])) != PT_NONE) {
        pt_job job = kai->jobs.band_at[place];
        if (below != NO_BOUND && kai->jobs.group[kai->jobs.group_of[job]].priority >= below)
            return false;
        kai->cursor[leaf] = place;
        for (uint32_t n = leaf; n != PT_NONE; n = kai->tree.node[n].parent)
            kai->left[n]--;
        if (!may_go(kai, ctx, job, pools, min_ns) || !pt_ctx_try_lift(ctx, job)) continue;
        uint64_t parts = pt_view_parts(ctx, pt_view_held_pool(ctx, job), job);
        for (uint32_t n = leaf; n != PT_NONE; n = kai->tree.node[n].parent)
            kai->held[n] -= parts;
        kai->lifted[kai->lifted_count++] = (struct pt_kai_lifted){.job = job, .leaf = leaf};
        return true;
    }
    for (uint32_t n = leaf, none = kai->left[leaf]; n != PT_NONE; n = kai->tree.node[n].parent)
        kai->left[n] -= none;
    return false;
}

/* Whether the job fits now; counts of units first. */
static bool fits(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    for (uint64_t p = pools; p != 0; p &= p - 1)
        if (pt_view_units_free(ctx, (uint32_t)__builtin_ctzll(p), job) >= wanted)
            return pt_ctx_place(ctx, units, job, pools);
    return false;
}

/* Those lifted that need not go stay, the most important first; others move where they can. */
static uint32_t spare(struct pt_kai *kai, struct pt_ctx *ctx, bool move)
{
    uint32_t gone = kai->lifted_count;
    const struct pt_units *units;
    for (uint32_t i = kai->lifted_count; i-- > 0;) {
        struct pt_kai_lifted *lifted = &kai->lifted[i];
        lifted->moves = false;
        lifted->back = pt_ctx_try_unlift(ctx, lifted->job);
        gone -= lifted->back;
    }
    for (uint32_t i = 0; move && i < kai->lifted_count; i++) {
        struct pt_kai_lifted *lifted = &kai->lifted[i];
        uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, lifted->job));
        if (lifted->back || !fits(ctx, &units, lifted->job, pools)) continue;
        lifted->moves = pt_ctx_try_assume(ctx, lifted->job, units);
        gone -= lifted->moves;
    }
    return gone;
}

/* Whether taking from its siblings leaves the order of saturation as it was, on each level.
 * `kai->held`: without those who go. */
static bool keeps_order(const struct pt_kai *kai, uint32_t leaf, uint64_t parts)
{
    const struct pt_kai_tree *tree = &kai->tree;
    for (uint32_t node = leaf; node != PT_NONE; node = tree->node[node].parent) {
        uint32_t first, count = children(&first, tree, tree->node[node].parent);
        for (uint32_t n = first; n < first + count; n++)
            if (n != node && kai->held[n] != tree->node[n].held &&
                levels_with(kai, node, kai->held[node] + parts, n, kai->held[n]))
                return false;
    }
    return true;
}

/* Whether the strategies allow all who would be stopped, one after the other. */
static bool allowed(struct pt_kai *kai, const struct pt_ctx *ctx, uint32_t leaf, uint64_t parts)
{
    for (uint32_t n = 0; n < kai->tree.count; n++)
        kai->held[n] = kai->tree.node[n].held;
    for (uint32_t i = 0; i < kai->lifted_count; i++) {
        const struct pt_kai_lifted *lifted = &kai->lifted[i];
        if (lifted->back || lifted->moves) continue;
        uint32_t to = leaf, from = lifted->leaf;
        pt__kai_siblings(&kai->tree, &to, &from);
        if (!may_take(kai, to, parts, from, kai->held[from])) return false;
        uint64_t gone = pt_view_parts(ctx, pt_view_held_pool(ctx, lifted->job), lifted->job);
        for (uint32_t n = lifted->leaf; n != PT_NONE; n = kai->tree.node[n].parent)
            kai->held[n] -= gone;
    }
    return keeps_order(kai, leaf, parts);
}

/* Does what was tried, and says so to the counts. */
static enum pt_status commit(struct pt_kai *kai, struct pt_ctx *ctx, pt_job job)
{
    (void)pt__kai_leave(&kai->jobs, &kai->tree, job);
    PT_TRY(pt_ctx_try_commit(ctx));
    for (uint32_t i = 0; i < kai->lifted_count; i++) {
        pt_job other = kai->lifted[i].job;
        if (kai->lifted[i].back) continue;
        if (kai->lifted[i].moves) {
            pt__kai_takes(kai, ctx, other);
        } else {
            pt__kai_gives(kai, ctx, other);
            kai->jobs.pool_of[other] |= PT_KAI_STOPPED_BEFORE;
        }
    }
    pt__kai_takes(kai, ctx, job);
    return PT_OK;
}

static uint32_t lifts_max(const struct pt_kai *kai, const struct pt_ctx *ctx, pt_job job)
{
    uint64_t max = 64 + 4 * (uint64_t)pt_view_units_wanted(ctx, job);
    return max < kai->jobs.job_count ? (uint32_t)max : kai->jobs.job_count;
}

uint64_t pt__kai_pools(const struct pt_kai *kai, const struct pt_ctx *ctx, uint32_t group)
{
    const struct pt_kai_group *g = &kai->jobs.group[group];
    uint64_t all = pt_view_class_pools(ctx, g->class_id), within = 0;
    if (!g->fixed) return all;
    for (uint64_t pools = all; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (pt__kai_within_quota(&kai->tree, g->leaf, pt_view_parts(ctx, pool, g->head)))
            within |= PT_POOL_BIT(pool);
    }
    return within;
}

bool pt__kai_may_reclaim(const struct pt_kai *kai, const struct pt_kai_group *group)
{
    const struct pt_kai_node *node = &kai->tree.node[group->leaf];
    return node->held + group->parts <= node->share;
}

enum pt_status pt__kai_reclaim_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx,
                                   uint32_t group)
{
    const struct pt_kai_group *g = &kai->jobs.group[group];
    uint64_t pools = pt__kai_pools(kai, ctx, group);
    uint32_t max = lifts_max(kai, ctx, g->head), leaf;
    const struct pt_units *units;
    pt_job job = g->head;
    *made = false;
    kai->lifted_count = 0;
    if (pools == 0) return PT_OK;
    begin(kai);
    while (kai->lifted_count < max && (leaf = giver_leaf(kai, g->leaf, g->parts)) != PT_NONE) {
        if (!lift_next(kai, ctx, leaf, pools, kai->reclaim_min_ns, NO_BOUND)) continue;
        if (!fits(ctx, &units, job, pools)) continue;
        uint64_t parts = pt_view_parts(ctx, units->pool, job); /* other pools, other shares */
        if (kai->tree.node[g->leaf].held + parts > kai->tree.node[g->leaf].share) break;
        if (!pt_ctx_try_assume(ctx, job, units)) break;
        (void)spare(kai, ctx, kai->consolidate);
        if (!allowed(kai, ctx, g->leaf, parts)) break;
        *made = true;
        return commit(kai, ctx, job);
    }
    pt_ctx_try_abort(ctx);
    return PT_OK;
}

enum pt_status pt__kai_preempt_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx,
                                   uint32_t group)
{
    const struct pt_kai_group *g = &kai->jobs.group[group];
    uint64_t pools = pt__kai_pools(kai, ctx, group);
    uint32_t max = lifts_max(kai, ctx, g->head);
    const struct pt_units *units;
    pt_job job = g->head;
    *made = false;
    kai->lifted_count = 0;
    if (pools == 0) return PT_OK;
    begin(kai);
    while (kai->lifted_count < max &&
           lift_next(kai, ctx, g->leaf, pools, kai->preempt_min_ns, g->priority)) {
        if (!fits(ctx, &units, job, pools)) continue;
        if (!pt_ctx_try_assume(ctx, job, units)) break;
        (void)spare(kai, ctx, false);
        *made = true;
        return commit(kai, ctx, job);
    }
    pt_ctx_try_abort(ctx);
    return PT_OK;
}

/* Lifts again what an abort has put back. */
static bool lift_again(struct pt_kai *kai, struct pt_ctx *ctx)
{
    bool all = true;
    for (uint32_t i = 0; i < kai->lifted_count; i++)
        all &= pt_ctx_try_lift(ctx, kai->lifted[i].job);
    return all;
}

/* The leaf whose running jobs are moved first. */
static uint32_t mover_leaf(const struct pt_kai *kai)
{
    uint32_t last = PT_NONE;
    for (uint32_t n = 0; n < kai->tree.top_count; n++)
        if (kai->left[n] > 0 &&
            (last == PT_NONE || pt__kai_before(&kai->tree, kai->held, last, 0, n, 0)))
            last = n;
    return last == PT_NONE ? PT_NONE : last_leaf(kai, last);
}

enum pt_status pt__kai_move_for(bool *made, struct pt_kai *kai, struct pt_ctx *ctx, uint32_t group)
{
    const struct pt_kai_group *g = &kai->jobs.group[group];
    uint64_t pools = pt__kai_pools(kai, ctx, group);
    const struct pt_units *units;
    pt_job job = g->head;
    uint32_t leaf;
    *made = false;
    kai->lifted_count = 0;
    if (pools == 0) return PT_OK;
    begin(kai);
    while (kai->lifted_count < kai->consolidation_victims && (leaf = mover_leaf(kai)) != PT_NONE) {
        if (!lift_next(kai, ctx, leaf, pools, 0, NO_BOUND)) continue;
        if (!fits(ctx, &units, job, pools)) continue;
        if (!pt_ctx_try_assume(ctx, job, units)) break;
        if (spare(kai, ctx, true) == 0) {
            *made = true;
            return commit(kai, ctx, job);
        }
        pt_ctx_try_abort(ctx);
        if (!lift_again(kai, ctx)) break;
    }
    pt_ctx_try_abort(ctx);
    return PT_OK;
}
