#include "policies/queues/kai.h"

/* A cycle of KAI: shares, then what can start, then room for who can't. */

#define VAIN_MAX 8 /* searches without result in one pass, per action */
/* So many in a row for one job are made at once; from then on it rests for 1, 2, 4, ... passes in
 * between (as upstream backs off from failed searches), at most 2^REST_MAX. */
#define VAIN_ROW 8
#define REST_MAX 6
enum { BY_RECLAIM, BY_PREEMPT, NO_REST };

/* ---- shares ---- */

static void count_capacity(struct pt_kai *kai, const struct pt_ctx *ctx)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    uint64_t gpus = 0;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        uint64_t nodes = cluster->pools[p].node_count;
        pt_job job = kai->pool_job[p];
        uint32_t size = job == PT_NONE ? 0 : pt_view_node_size(ctx, p, job);
        if (size > 0) nodes = pt_view_units_there(ctx, p, job) / size;
        gpus += nodes * cluster->pools[p].gpus_per_node;
    }
    uint64_t capacity = gpus * kai->tree.parts_per_gpu;
    if (capacity == kai->tree.capacity) return;
    if (kai->tree.rules.k > 0)
        pt__kai_usage_add(&kai->usage, kai->tree.count,
                          (double)kai->tree.capacity / (double)kai->tree.parts_per_gpu,
                          pt_view_now_ns(ctx));
    kai->tree.capacity = capacity;
    kai->tree.stale = true;
}

static void share(struct pt_kai *kai, const struct pt_ctx *ctx)
{
    count_capacity(kai, ctx);
    if (kai->tree.rules.k > 0) {
        int64_t now_ns = pt_view_now_ns(ctx);
        double parts = (double)kai->tree.parts_per_gpu;
        pt__kai_usage_add(&kai->usage, kai->tree.count, (double)kai->tree.capacity / parts, now_ns);
        for (uint32_t n = 0; n < kai->tree.count; n++) {
            pt__kai_usage_add(&kai->usage, n, (double)kai->tree.node[n].held / parts, now_ns);
            kai->tree.queue[n].usage = pt__kai_usage_of(&kai->usage, n, now_ns);
        }
        kai->tree.stale = true;
    }
    pt__kai_tree_divide(&kai->tree);
}

/* ---- allocate ---- */

/* The group whose turn it is among these siblings; `node` is the one that it is below. */
static uint32_t turn(const struct pt_kai *kai, uint32_t first, uint32_t count)
{
    uint32_t best = PT_NONE, chosen = PT_NONE;
    for (uint32_t n = first; n < first + count; n++) {
        const struct pt_kai_node *node = &kai->tree.node[n];
        if (node->ready == 0) continue;
        uint32_t group = node->child_count == 0 ? pt__kai_next(&kai->jobs, n)
                                                : turn(kai, node->first_child, node->child_count);
        if (best == PT_NONE || pt__kai_before(&kai->tree, NULL, n, kai->jobs.group[group].parts,
                                              best, kai->jobs.group[chosen].parts)) {
            best = n;
            chosen = group;
        }
    }
    return chosen;
}

static enum pt_status start(struct pt_kai *kai, struct pt_ctx *ctx, pt_job job,
                            const struct pt_units *units)
{
    const struct pt_kai_group *group = &kai->jobs.group[kai->jobs.group_of[job]];
    bool stale = kai->tree.stale;
    uint64_t request = kai->tree.node[group->leaf].request;
    (void)pt__kai_leave(&kai->jobs, &kai->tree, job);
    PT_TRY(pt_ctx_start(ctx, job, units));
    pt__kai_takes(kai, ctx, job);
    if (kai->tree.node[group->leaf].request == request) kai->tree.stale = stale;
    return PT_OK;
}

/* A job that does not fit: nobody of its shape does, unless a limit or quota is in its way. */
static void does_not_fit(struct pt_kai *kai, struct pt_ctx *ctx, uint32_t group, uint64_t tried)
{
    const struct pt_kai_group *g = &kai->jobs.group[group];
    struct pt_kai_shape *shape = &kai->jobs.shape[g->shape];
    bool kept = tried != pt_view_class_pools(ctx, g->class_id);
    for (uint64_t pools = tried; pools != 0; pools &= pools - 1)
        kept |= !pt_view_within_limit(ctx, (uint32_t)__builtin_ctzll(pools), g->head);
    if (!kept) {
        shape->blocked = true;
        shape->why = pt_view_why(ctx);
    }
    pt__kai_set_aside(&kai->jobs, &kai->tree, group, kept);
}

/* Whether a job that nobody may stop is larger than its quotas, wherever it ran. */
static bool never_within_quota(const struct pt_kai *kai, const struct pt_ctx *ctx,
                               const struct pt_kai_group *g)
{
    for (uint64_t pools = pt_view_class_pools(ctx, g->class_id); pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (pt__kai_ever_within_quota(&kai->tree, g->leaf, pt_view_parts(ctx, pool, g->head)))
            return false;
    }
    return true;
}

static enum pt_status allocate(struct pt_kai *kai, struct pt_ctx *ctx)
{
    uint32_t group;
    while ((group = turn(kai, 0, kai->tree.top_count)) != PT_NONE) {
        const struct pt_kai_group *g = &kai->jobs.group[group];
        const struct pt_kai_shape *shape = &kai->jobs.shape[g->shape];
        const struct pt_units *units;
        uint64_t pools = pt__kai_pools(kai, ctx, group);
        if (pools == 0 && never_within_quota(kai, ctx, g)) {
            pt_job job = g->head;
            (void)pt__kai_leave(&kai->jobs, &kai->tree, job);
            PT_TRY(pt_ctx_decline(ctx, job, PT_REASON_QUOTA));
        } else if (pools == 0) {
            pt_ctx_say(ctx, g->head, PT_REASON_QUOTA);
            pt__kai_set_aside(&kai->jobs, &kai->tree, group, true);
        } else if (shape->blocked) {
            pt_ctx_say(ctx, g->head, shape->why);
            pt__kai_set_aside(&kai->jobs, &kai->tree, group, false);
        } else if (pt_ctx_place(ctx, &units, g->head, pools)) {
            PT_TRY(start(kai, ctx, g->head, units));
        } else {
            does_not_fit(kai, ctx, group, pools);
        }
    }
    return PT_OK;
}

/* ---- making room ---- */

/* Whether a waiting group is looked at by an action, besides that it does not fit. */
typedef bool wants_fn(struct pt_kai *kai, const struct pt_ctx *ctx, const struct pt_kai_group *g);

static bool stops_others(const struct pt_ctx *ctx, const struct pt_kai_group *group)
{
    const struct pt_preemption *how = pt_view_preemption(ctx);
    bool saves = how->save_base_ns > 0 || how->save_per_gib_ns > 0;
    if (saves && pt_view_units_wanted(ctx, group->head) == 0)
        return false; /* it has no units that could be kept for it until the others are saved */
    return pt_view_rank(ctx, group->head).preempts;
}

static bool wants_reclaim(struct pt_kai *kai, const struct pt_ctx *ctx,
                          const struct pt_kai_group *group)
{
    return pt__kai_may_reclaim(kai, group) && stops_others(ctx, group);
}

static bool wants_preempt(struct pt_kai *kai, const struct pt_ctx *ctx,
                          const struct pt_kai_group *group)
{
    return pt__kai_pools(kai, ctx, (uint32_t)(group - kai->jobs.group)) != 0 &&
           stops_others(ctx, group);
}

/* The lowest priority of the leaf's running jobs that may be stopped; INT64_MAX = there is none. */
static int64_t lowest_running(const struct pt_kai *kai, uint32_t leaf)
{
    const struct pt_kai_leaf *l = &kai->jobs.leaf[leaf];
    uint32_t place =
        l->has_priorities ? pt__kai_victim(&kai->jobs, leaf, l->first + l->count) : PT_NONE;
    if (place == PT_NONE) return INT64_MAX;
    return kai->jobs.group[kai->jobs.group_of[kai->jobs.band_at[place]]].priority;
}

/* The most units free for the shape in one pool. */
static uint32_t units_free(const struct pt_ctx *ctx, const struct pt_kai_shape *shape)
{
    uint32_t most = 0;
    for (uint64_t pools = shape->pools; pools != 0; pools &= pools - 1) {
        uint32_t units = pt_view_units_free(ctx, (uint32_t)__builtin_ctzll(pools), shape->job);
        if (units > most) most = units;
    }
    return most;
}

static bool wants_move(struct pt_kai *kai, const struct pt_ctx *ctx,
                       const struct pt_kai_group *group)
{
    struct pt_kai_shape *shape = &kai->jobs.shape[group->shape];
    uint32_t units = units_free(ctx, shape);
    if (group->fixed || !shape->blocked) return false;
    if (units < pt_view_units_wanted(ctx, shape->job)) {
        shape->moved_in_vain = 0;
        return false;
    }
    return units > shape->moved_in_vain;
}

/* Whether group `a` comes before `b`, both waiting. */
static bool comes_before(const struct pt_kai *kai, uint32_t a, uint32_t b)
{
    const struct pt_kai_group *left = &kai->jobs.group[a], *right = &kai->jobs.group[b];
    uint32_t left_node = left->leaf, right_node = right->leaf;
    if (left->leaf == right->leaf)
        return left->priority != right->priority ? left->priority > right->priority
                                                 : left->head < right->head;
    pt__kai_siblings(&kai->tree, &left_node, &right_node);
    return pt__kai_before(&kai->tree, NULL, left_node, left->parts, right_node, right->parts);
}

/* The next group that an action looks at, PT_NONE if there is none. */
static uint32_t next_wanting(struct pt_kai *kai, const struct pt_ctx *ctx, wants_fn *wants)
{
    int action = wants == wants_reclaim   ? BY_RECLAIM
                 : wants == wants_preempt ? BY_PREEMPT
                                          : NO_REST;
    uint32_t best = PT_NONE;
    for (uint32_t n = 0; n < kai->tree.count; n++) {
        const struct pt_kai_leaf *leaf = &kai->jobs.leaf[n];
        if (kai->tree.node[n].child_count > 0 || kai->tree.node[n].waiting == 0) continue;
        if (wants == wants_reclaim && kai->tree.node[n].held > kai->tree.node[n].share) continue;
        int64_t above = wants == wants_preempt ? lowest_running(kai, n) : INT64_MIN;
        for (uint32_t g = leaf->first_group; g < leaf->first_group + leaf->group_count; g++) {
            const struct pt_kai_group *group = &kai->jobs.group[g];
            if (wants == wants_preempt && group->priority <= above) break; /* nor do the rest */
            if (group->state != PT_KAI_ASIDE || group->head == PT_NONE) continue;
            if (group->tried == kai->pass || (action != NO_REST && group->rest[action] > kai->pass))
                continue;
            if (!wants(kai, ctx, group)) continue;
            if (best == PT_NONE || comes_before(kai, g, best)) best = g;
        }
    }
    return best;
}

static enum pt_status move(struct pt_kai *kai, struct pt_ctx *ctx)
{
    uint32_t group;
    bool made = true;
    kai->pass++;
    while (made && (group = next_wanting(kai, ctx, wants_move)) != PT_NONE) {
        struct pt_kai_shape *shape = &kai->jobs.shape[kai->jobs.group[group].shape];
        uint32_t units = units_free(ctx, shape);
        PT_TRY(pt__kai_move_for(&made, kai, ctx, group));
        if (!made) {
            kai->jobs.group[group].tried = kai->pass;
            shape->moved_in_vain = units;
        }
    }
    return PT_OK;
}

typedef enum pt_status make_fn(bool *made, struct pt_kai *kai, struct pt_ctx *ctx, uint32_t group);

/* A search for the group's first job was in vain, with everybody who could be stopped. */
static void tire(const struct pt_kai *kai, struct pt_kai_group *group, int action)
{
    if (group->vain[action] < VAIN_ROW + REST_MAX) group->vain[action]++;
    if (group->vain[action] < VAIN_ROW) return;
    group->rest[action] = kai->pass + (3u << (group->vain[action] - VAIN_ROW)); /* 3 a cycle */
}

static enum pt_status stop_others(struct pt_kai *kai, struct pt_ctx *ctx, wants_fn *wants,
                                  make_fn *make)
{
    uint32_t group, in_vain = 0;
    int action = wants == wants_reclaim ? BY_RECLAIM : BY_PREEMPT;
    kai->pass++;
    while (in_vain < VAIN_MAX && (group = next_wanting(kai, ctx, wants)) != PT_NONE) {
        bool made;
        PT_TRY(make(&made, kai, ctx, group));
        if (made) continue;
        kai->jobs.group[group].tried = kai->pass;
        if (kai->lifted_count == 0) continue;
        in_vain++;
        if (kai->later_ns == PT_NEVER) tire(kai, &kai->jobs.group[group], action);
    }
    return PT_OK;
}

/* Whether any queue holds more than it deserves, so that something could be taken from it. */
static bool any_over(const struct pt_kai *kai)
{
    for (uint32_t n = 0; n < kai->tree.count; n++) {
        const struct pt_kai_node *node = &kai->tree.node[n];
        if (node->victims == 0) continue;
        if (kai->reclaim == PT_KAI_FAIR_SHARE ? node->held > pt__kai_allocatable(node)
                                              : node->held > node->deserved)
            return true;
    }
    return false;
}

/* Comes back when somebody may be stopped who may not yet, and when past use has changed. */
static enum pt_status wake(struct pt_kai *kai, struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx), at_ns = kai->later_ns;
    if (pt_view_running_count(ctx) == 0) return PT_OK; /* nobody to be stopped: no use */
    if (kai->tree.rules.k > 0) {
        int64_t next_ns = pt__kai_usage_next(&kai->usage, now_ns);
        if (next_ns < at_ns) at_ns = next_ns;
    }
    if (at_ns == PT_NEVER || (kai->woken_ns > now_ns && kai->woken_ns <= at_ns)) return PT_OK;
    kai->woken_ns = at_ns;
    return pt_ctx_wake_at(ctx, at_ns);
}

static bool anybody(const struct pt_kai *kai)
{
    for (uint32_t n = 0; n < kai->tree.top_count; n++)
        if (kai->tree.node[n].waiting > 0) return true;
    return false;
}

enum pt_status pt__kai_cycle(struct pt_kai *kai, struct pt_ctx *ctx)
{
    share(kai, ctx);
    PT_TRY(allocate(kai, ctx));
    if (!kai->may_stop || !anybody(kai)) return PT_OK;
    pt__kai_tree_divide(&kai->tree);
    kai->later_ns = PT_NEVER;
    if (kai->consolidate) PT_TRY(move(kai, ctx));
    if (kai->reclaim != PT_KAI_NO_RECLAIM && any_over(kai))
        PT_TRY(stop_others(kai, ctx, wants_reclaim, pt__kai_reclaim_for));
    if (kai->preempt) PT_TRY(stop_others(kai, ctx, wants_preempt, pt__kai_preempt_for));
    return wake(kai, ctx);
}
