/* KAI's queues: the tenants as a tree, what their jobs hold and ask for, their fair shares, and the
 * order in which they are served.
 *
 * A tenant is a queue. One that is the parent of others and has jobs itself runs those in a leaf of
 * its own below it: its quota is what the parent's leaves when the children have theirs. A quota
 * that is not said is 0 (docs/queues); a parent that says none deserves what its children deserve
 * together. Amounts are in parts of a GPU (pt_view_parts). Totals change along the path from leaf
 * to root: O(depth). Shares are divided anew only when a request or the capacity has changed.
 */
#ifndef PT_QUEUES_KAI_TREE_H
#define PT_QUEUES_KAI_TREE_H

#include "partita/policy.h"
#include "policies/queues/kai_share.h"

/* A queue, by its place: parents before children, children together, by priority, then age. */
struct pt_kai_node {
    uint32_t parent, depth; /* PT_NONE, 0 at the top */
    uint32_t first_child, child_count;
    int64_t priority;
    bool quota_said;          /* without one, its jobs that can't be stopped are held to nothing */
    uint64_t deserved, limit; /* UINT64_MAX = no limit */
    uint64_t held, fixed;     /* held now; of that, by jobs that can't be stopped */
    uint64_t request;         /* held and waited for */
    uint64_t share;           /* its fair share */
    uint32_t ready;           /* groups below that may start now */
    uint32_t waiting;         /* groups below with a job that waits */
    uint32_t victims;         /* running jobs below that may be stopped */
};

struct pt_kai_tree {
    uint32_t count, top_count;
    struct pt_kai_node *node;
    struct pt_kai_queue *queue; /* by node: what pt__kai_divide needs */
    uint32_t *leaf;             /* by tenant: the node of its jobs */
    uint32_t *heap;             /* scratch of the division */
    uint64_t parts_per_gpu;
    uint64_t capacity; /* what there is, in parts */
    bool stale;        /* requests or the capacity have changed since the last division */
    struct pt_kai_rules rules;
};

/* The tree of the experiment's tenants; nothing is held. Only PT_ERR_MEMORY fails. */
enum pt_status pt__kai_tree_init(struct pt_kai_tree *tree, const struct pt_ctx *ctx,
                                 struct pt_error *error);
/* Takes what a failed init left, too. */
void pt__kai_tree_fini(struct pt_kai_tree *tree);

/* Divides the capacity anew where it must be. */
void pt__kai_tree_divide(struct pt_kai_tree *tree);

/* So much more (take) or less is asked for below this leaf. */
void pt__kai_tree_ask(struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts, bool take);
/* So much more or less is held, by a job that may be stopped or not. */
void pt__kai_tree_hold(struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts, bool fixed,
                       bool take);

/* max(deserved, fair share), within the limit: up to where nobody takes anything from it. */
uint64_t pt__kai_allocatable(const struct pt_kai_node *node);

/* Whether a job of this size that can't be stopped stays within the quotas on its way up. */
bool pt__kai_within_quota(const struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts);
/* The same where no other job is there. */
bool pt__kai_ever_within_quota(const struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts);

/* Whether node `a`, whose next job is of size `next_a`, is served before its sibling `b`; `held`
 * by node, instead of what they hold. Those over their fair share come last; then who stays within
 * its quota with the job; higher priority; who has a share at all; the lower (held + job) / share;
 * the lower held / share; the smaller share; the older. */
bool pt__kai_before(const struct pt_kai_tree *tree, const uint64_t *held, uint32_t a,
                    uint64_t next_a, uint32_t b, uint64_t next_b);

/* The two ancestors of different leaves (or those themselves) that have the same parent. */
void pt__kai_siblings(const struct pt_kai_tree *tree, uint32_t *a, uint32_t *b);

#endif
