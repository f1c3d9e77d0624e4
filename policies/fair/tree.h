/* The tree of accounts and users, and their fair-share factors as Slurm has them: Fair Tree (since
 * 19.05 its default) and the classic formula. Node 0 is the root; users are the leaves that count.
 */
#ifndef PT_FAIR_TREE_H
#define PT_FAIR_TREE_H

#include "partita/status.h"
#include "policies/fair/usage.h"

struct pt_fair_node {
    uint32_t parent;                   /* PT_NONE = the root */
    uint32_t first_child, child_count; /* in child[] */
    bool user;
    uint32_t stamp;               /* of the latest marking that it was in */
    uint32_t marked, next_marked; /* its first marked child; its next marked sibling */
    uint32_t rank;                /* of a user: factor x number of users */
    double shares;                /* as they are given, >= 0 */
    double shares_norm;           /* of all shares of its siblings */
    double used;                  /* at the latest ranking, GPU seconds */
    double level;  /* Fair Tree: shares_norm / (used / used by the parent); classic: U_E */
    double factor; /* 0..1, of a user */
    struct pt_usage usage;
};

struct pt_fair_tree {
    struct pt_fair_node *node;
    uint32_t node_count, user_count;
    uint32_t *child; /* each node's children, kept in the order of the latest ranking */
    uint32_t *merged, *scratch;
    struct pt_decay decay;
    uint32_t stamp;      /* of the latest marking */
    int64_t measured_ns; /* the time that `used` is of */
};

/* A tree of so many nodes, all children of the root (node 0) with no shares and no usage: the
 * caller then says each one's parent, shares and whether it is a user, and links them. */
PT_USE_RESULT enum pt_status pt__fair_tree_init(struct pt_fair_tree *tree, uint32_t node_count,
                                                struct pt_error *error);
void pt__fair_tree_link(struct pt_fair_tree *tree);
void pt__fair_tree_fini(struct pt_fair_tree *tree);

/* The user takes (or gives back) so many parts from now_ns on; so do all above. O(depth). */
void pt__fair_tree_charge(struct pt_fair_tree *tree, uint32_t user, int64_t now_ns, uint64_t parts,
                          bool take);
/* Sets `used` of all nodes. O(nodes). */
void pt__fair_tree_measure(struct pt_fair_tree *tree, int64_t now_ns);
/* The same for a few users and those above them alone: begin, then mark each. What is not marked
 * keeps old figures. O(users marked x depth). */
void pt__fair_tree_mark_begin(struct pt_fair_tree *tree);
void pt__fair_tree_mark(struct pt_fair_tree *tree, uint32_t user);
void pt__fair_tree_measure_marked(struct pt_fair_tree *tree, int64_t now_ns);
/* Ranks marked users among each other: who of two has the greater factor, or that they are equal,
 * is as if all had been ranked; the factors themselves are not. */
void pt__fair_tree_rank_marked(struct pt_fair_tree *tree);
/* Fair Tree: ranks users by a walk, depth first, of siblings by level, S / U: nothing used comes
 * first, no shares last, equal users share a rank, children of equal accounts are ranked together.
 * factor = rank / number of users, from 1 down. O(n) for nodes nearly in order, else O(n log n). */
void pt__fair_tree_rank(struct pt_fair_tree *tree);
/* Classic: factor = 2^(-(U_E / S) / dampening) with U_E = U + (U_E of the parent - U) x its shares
 * of its siblings', U of all usage, S the product of shares from the top. O(nodes). */
void pt__fair_tree_classic(struct pt_fair_tree *tree, double dampening);

#endif
