#include "policies/fair/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum pt_status pt__fair_tree_init(struct pt_fair_tree *tree, uint32_t node_count,
                                  struct pt_error *error)
{
    tree->node_count = node_count;
    tree->node = calloc(node_count, sizeof *tree->node);
    tree->child = malloc((size_t)node_count * sizeof *tree->child);
    tree->merged = malloc((size_t)node_count * sizeof *tree->merged);
    tree->scratch = malloc((size_t)node_count * sizeof *tree->scratch);
    if (tree->node == NULL || tree->child == NULL || tree->merged == NULL || tree->scratch == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %u accounts", node_count);
    tree->node[0].parent = PT_NONE;
    return PT_OK;
}

void pt__fair_tree_fini(struct pt_fair_tree *tree)
{
    free(tree->node);
    free(tree->child);
    free(tree->merged);
    free(tree->scratch);
    *tree = (struct pt_fair_tree){0};
}

void pt__fair_tree_link(struct pt_fair_tree *tree)
{
    struct pt_fair_node *node = tree->node;
    uint32_t next = 0;
    for (uint32_t i = 1; i < tree->node_count; i++)
        node[node[i].parent].child_count++;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        node[i].first_child = next;
        next += node[i].child_count;
        node[i].child_count = 0;
        node[i].level = 0;
    }
    for (uint32_t i = 1; i < tree->node_count; i++) {
        struct pt_fair_node *parent = &node[node[i].parent];
        tree->child[parent->first_child + parent->child_count++] = i;
        parent->level += node[i].shares; /* the sum, for now */
        if (node[i].user) tree->user_count++;
    }
    for (uint32_t i = 1; i < tree->node_count; i++) {
        double all = node[node[i].parent].level;
        node[i].shares_norm = all > 0 ? node[i].shares / all : 0;
    }
}

void pt__fair_tree_charge(struct pt_fair_tree *tree, uint32_t user, int64_t now_ns, uint64_t parts,
                          bool take)
{
    for (uint32_t i = user; i != PT_NONE; i = tree->node[i].parent) {
        struct pt_usage *usage = &tree->node[i].usage;
        uint64_t rate = take ? usage->rate + parts : usage->rate - parts;
        pt__usage_set_rate(usage, &tree->decay, now_ns, rate);
    }
}

static double used_now(const struct pt_fair_tree *tree, uint32_t node)
{
    return pt__usage_at(&tree->node[node].usage, &tree->decay, tree->measured_ns);
}

void pt__fair_tree_measure(struct pt_fair_tree *tree, int64_t now_ns)
{
    tree->measured_ns = now_ns;
    for (uint32_t i = 0; i < tree->node_count; i++)
        tree->node[i].used = used_now(tree, i);
}

void pt__fair_tree_mark_begin(struct pt_fair_tree *tree)
{
    tree->stamp++;
    tree->node[0].stamp = tree->stamp;
    tree->node[0].marked = PT_NONE;
}

void pt__fair_tree_mark(struct pt_fair_tree *tree, uint32_t user)
{
    struct pt_fair_node *node = tree->node;
    for (uint32_t i = user; node[i].stamp != tree->stamp; i = node[i].parent) {
        struct pt_fair_node *parent = &node[node[i].parent];
        node[i].stamp = tree->stamp;
        if (node[i].user) node[i].marked = PT_NONE;
        if (parent->stamp != tree->stamp) parent->marked = PT_NONE; /* its turn is next */
        node[i].next_marked = parent->marked;
        parent->marked = i;
    }
}

static void measure_below(struct pt_fair_tree *tree, uint32_t parent)
{
    for (uint32_t i = tree->node[parent].marked; i != PT_NONE; i = tree->node[i].next_marked) {
        tree->node[i].used = used_now(tree, i);
        measure_below(tree, i);
    }
}

void pt__fair_tree_measure_marked(struct pt_fair_tree *tree, int64_t now_ns)
{
    tree->measured_ns = now_ns;
    tree->node[0].used = used_now(tree, 0);
    measure_below(tree, 0);
}

/* Higher levels first, users before accounts. */
static bool goes_first(const struct pt_fair_node *node, uint32_t a, uint32_t b)
{
    if (node[a].level != node[b].level) return node[a].level > node[b].level;
    return node[a].user && !node[b].user;
}

/* Stable merge sort that leaves parts which are in order alone. */
static void sort(const struct pt_fair_tree *tree, uint32_t *item, uint32_t count)
{
    const struct pt_fair_node *node = tree->node;
    if (count <= 8) {
        for (uint32_t i = 1; i < count; i++) {
            uint32_t moved = item[i], at = i;
            for (; at > 0 && goes_first(node, moved, item[at - 1]); at--)
                item[at] = item[at - 1];
            item[at] = moved;
        }
        return;
    }
    uint32_t half = count / 2, left = 0, right = half, out = 0;
    sort(tree, item, half);
    sort(tree, item + half, count - half);
    if (!goes_first(node, item[half], item[half - 1])) return;
    uint32_t *first = tree->scratch;
    memcpy(first, item, half * sizeof *item);
    while (left < half && right < count)
        item[out++] = goes_first(node, item[right], first[left]) ? item[right++] : first[left++];
    memcpy(item + out, first + left, (half - left) * sizeof *item);
}

static double level_of(const struct pt_fair_node *node, double used_by_all)
{
    if (node->shares_norm == 0) return 0;
    if (node->used == 0) return INFINITY;
    return node->shares_norm * used_by_all / node->used;
}

struct walk {
    struct pt_fair_tree *tree;
    bool all;            /* else those marked */
    bool unsure;         /* accounts are tied with a user: their first one may be one not marked */
    uint32_t rank, left; /* as Slurm counts: the rank given last, users not ranked yet */
    uint32_t merged;     /* entries of tree->merged in use */
};

/* Appends the children of an account to those merged. */
static void gather(struct walk *walk, uint32_t account)
{
    struct pt_fair_tree *tree = walk->tree;
    const struct pt_fair_node *n = &tree->node[account];
    uint32_t *out = tree->merged + walk->merged;
    if (walk->all) {
        memcpy(out, tree->child + n->first_child, n->child_count * sizeof *out);
        walk->merged += n->child_count;
        return;
    }
    for (uint32_t i = n->marked; i != PT_NONE; i = tree->node[i].next_marked) {
        tree->node[i].level = level_of(&tree->node[i], n->used);
        tree->merged[walk->merged++] = i;
    }
}

static void walk_down(struct walk *walk, uint32_t *item, uint32_t count, bool tied_above)
{
    struct pt_fair_tree *tree = walk->tree;
    struct pt_fair_node *node = tree->node;
    double before = NAN;
    sort(tree, item, count);
    for (uint32_t i = 0, same; i < count; i = same) {
        struct pt_fair_node *n = &node[item[i]];
        double level = n->level;
        bool tied = i == 0 ? tied_above : level == before;
        before = level;
        same = i + 1;
        if (n->user) {
            if (!tied) walk->rank = walk->left;
            walk->left--;
            if (n->rank != walk->rank) n->factor = (double)walk->rank / tree->user_count;
            n->rank = walk->rank;
            continue;
        }
        while (same < count && node[item[same]].level == level)
            same++;
        if (walk->all && same == i + 1) { /* in place: its order is kept for the next time */
            walk_down(walk, tree->child + n->first_child, n->child_count, tied);
            continue;
        }
        uint32_t mark = walk->merged;
        for (uint32_t a = i; a < same; a++)
            gather(walk, item[a]);
        walk->unsure |= tied && !walk->all;
        walk_down(walk, tree->merged + mark, walk->merged - mark, tied);
        walk->merged = mark;
    }
}

void pt__fair_tree_rank(struct pt_fair_tree *tree)
{
    for (uint32_t i = 1; i < tree->node_count; i++)
        tree->node[i].level = level_of(&tree->node[i], tree->node[tree->node[i].parent].used);
    struct walk walk = {
        .tree = tree, .all = true, .rank = tree->user_count, .left = tree->user_count};
    walk_down(&walk, tree->child + tree->node[0].first_child, tree->node[0].child_count, false);
}

void pt__fair_tree_rank_marked(struct pt_fair_tree *tree)
{
    struct walk walk = {.tree = tree, .rank = tree->user_count, .left = tree->user_count};
    gather(&walk, 0);
    walk_down(&walk, tree->merged, walk.merged, false);
    if (!walk.unsure) return;
    pt__fair_tree_measure(tree, tree->measured_ns);
    pt__fair_tree_rank(tree);
}

static void classic_below(struct pt_fair_tree *tree, uint32_t parent, double shares,
                          double dampening)
{
    const struct pt_fair_node *above = &tree->node[parent];
    double all = tree->node[0].used;
    for (uint32_t i = 0; i < above->child_count; i++) {
        uint32_t index = tree->child[above->first_child + i];
        struct pt_fair_node *n = &tree->node[index];
        double used = all > 0 ? n->used / all : 0, own = shares * n->shares_norm;
        n->level = parent == 0 ? used : used + (above->level - used) * n->shares_norm;
        if (n->user)
            n->factor = own == 0 ? 0 : pt__half_to(n->level / own / dampening);
        else
            classic_below(tree, index, own, dampening);
    }
}

void pt__fair_tree_classic(struct pt_fair_tree *tree, double dampening)
{
    classic_below(tree, 0, 1, dampening);
}
