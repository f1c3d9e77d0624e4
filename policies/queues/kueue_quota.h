/* Kueue's quotas: a tree of cluster queues and cohorts, what each may use, lend and borrow.
 *
 * A node's *subtree quota* is its own nominal quota and what its children lend. A child lends all
 * but its *local quota*: what its lending limit keeps at home. Its use beyond the local quota is
 * its parent's use. (Kueue, pkg/cache resource_node.go: the same three sums.)
 *
 * Amounts are quota units (pt_view_parts). O(depth) each.
 */
#ifndef PT_QUEUES_KUEUE_QUOTA_H
#define PT_QUEUES_KUEUE_QUOTA_H

#include "partita/policy.h"

#define PT_KUEUE_UNBOUND INT64_MAX

struct pt_kueue_node {
    uint32_t parent;   /* PT_NONE = a root */
    int64_t nominal;   /* of its own */
    int64_t subtree;   /* and what is lent to it from below */
    int64_t local;     /* of that, what it does not lend */
    int64_t borrowing; /* most that it may use beyond `subtree`; PT_KUEUE_UNBOUND */
    int64_t lending;   /* most that it lends; PT_KUEUE_UNBOUND = all */
    int64_t usage;
    double weight;
};

struct pt_kueue_quota {
    uint32_t count; /* tenants; node [count] is the cohort of those without a parent */
    struct pt_kueue_node *nodes;
};

/* Reads the tenants. `one_cohort`: those without a parent share a cohort. Where nobody has a quota,
 * that cohort has the whole cluster's. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__kueue_quota_init(struct pt_kueue_quota *quota, const struct pt_ctx *ctx,
                                    bool one_cohort, struct pt_error *error);
void pt__kueue_quota_fini(struct pt_kueue_quota *quota);

/* What the node could use more now, borrowed or not; may be below 0. */
int64_t pt__kueue_available(const struct pt_kueue_quota *quota, uint32_t node);
/* The same where nobody uses anything: what it could ever use. */
int64_t pt__kueue_most(const struct pt_kueue_quota *quota, uint32_t node);
/* `amount` more (or, below 0, less) is used by the node. */
void pt__kueue_use(struct pt_kueue_quota *quota, uint32_t node, int64_t amount);
/* Whether the node would use more than its subtree quota with `more`. */
static inline bool pt__kueue_borrows(const struct pt_kueue_quota *quota, uint32_t node,
                                     int64_t more)
{
    return quota->nodes[node].usage + more > quota->nodes[node].subtree;
}
/* Dominant resource share with `more`: 1000 x borrowed / what its root could lend, by weight; 0
 * where nothing is borrowed. (Kueue, fair sharing.) */
double pt__kueue_share(const struct pt_kueue_quota *quota, uint32_t node, int64_t more);
/* The root above the node: who has the same one may lend to each other. */
uint32_t pt__kueue_root(const struct pt_kueue_quota *quota, uint32_t node);

#endif
