#include "policies/queues/kai_tree.h"

#include <stdlib.h>

static uint64_t parts_of(const struct pt_kai_tree *tree, uint64_t ppm)
{
    if (ppm == PT_QUOTA_NONE) return UINT64_MAX;
    pt_u128 parts = (pt_u128)ppm * (tree->parts_per_gpu / PT_PPM_ONE);
    return parts > INT64_MAX ? INT64_MAX : (uint64_t)parts;
}

/* While the tree is made: tenant t is item t, its own leaf is item tenants + t. */
struct plan {
    uint32_t *first, *next; /* by item + 1 (0 = the top): the children, oldest first */
    uint32_t *item;         /* by node */
};

static void plan_fini(struct plan *plan)
{
    free(plan->first);
    free(plan->next);
    free(plan->item);
}

static bool plan_init(struct plan *plan, const struct pt_ctx *ctx, uint32_t tenants)
{
    size_t items = 2 * (size_t)tenants + 1;
    *plan = (struct plan){malloc(items * sizeof *plan->first), malloc(items * sizeof *plan->next),
                          calloc(items, sizeof *plan->item)};
    if (plan->first == NULL || plan->next == NULL || plan->item == NULL) return false;
    for (size_t i = 0; i < items; i++)
        plan->first[i] = plan->next[i] = PT_NONE;
    for (uint32_t t = tenants; t-- > 0;) {
        uint32_t parent = pt_view_tenant(ctx, t)->parent;
        uint32_t above = parent == PT_NONE ? 0 : parent + 1;
        if (above != 0 && plan->first[above] == PT_NONE) plan->first[above] = tenants + parent;
        plan->next[t] = plan->first[above];
        plan->first[above] = t;
    }
    return true;
}

/* Appends the children of an item as nodes, by priority, then age. */
static uint32_t append(struct pt_kai_tree *tree, const struct plan *plan, const struct pt_ctx *ctx,
                       uint32_t above, uint32_t parent, uint32_t tenants)
{
    uint32_t first = tree->count;
    for (uint32_t item = plan->first[above]; item != PT_NONE; item = plan->next[item]) {
        int64_t priority = pt_view_tenant(ctx, item % tenants)->priority;
        uint32_t at = tree->count++;
        for (; at > first && tree->node[at - 1].priority < priority; at--) {
            tree->node[at] = tree->node[at - 1];
            plan->item[at] = plan->item[at - 1];
        }
        tree->node[at] = (struct pt_kai_node){.parent = parent, .priority = priority};
        if (parent != PT_NONE) tree->node[at].depth = tree->node[parent].depth + 1;
        plan->item[at] = item;
    }
    return tree->count - first;
}

static void fill(struct pt_kai_tree *tree, const struct plan *plan, const struct pt_ctx *ctx,
                 uint32_t tenants)
{
    tree->top_count = append(tree, plan, ctx, 0, PT_NONE, tenants);
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t item = plan->item[n];
        const struct pt_tenant_facts *facts = pt_view_tenant(ctx, item % tenants);
        struct pt_kai_node *node = &tree->node[n];
        node->limit = item < tenants ? parts_of(tree, facts->limit) : UINT64_MAX;
        node->quota_said = facts->quota != PT_QUOTA_NONE;
        node->deserved = node->quota_said ? parts_of(tree, facts->quota) : 0;
        tree->queue[n].weight = facts->over_quota_weight;
        tree->queue[n].priority = node->priority;
        tree->queue[n].age = n;
        if (item >= tenants || plan->first[item + 1] == PT_NONE) {
            tree->leaf[item % tenants] = n;
            continue;
        }
        node->first_child = tree->count;
        uint32_t children = append(tree, plan, ctx, item + 1, n, tenants);
        tree->node[n].child_count = children;
    }
}

/* What parents deserve that say nothing, and what is left of a quota for a parent's own jobs. */
static void settle_quotas(struct pt_kai_tree *tree, const struct plan *plan, uint32_t tenants)
{
    for (uint32_t n = tree->count; n-- > 0;) {
        struct pt_kai_node *node = &tree->node[n];
        uint64_t below = 0;
        uint32_t own = PT_NONE;
        for (uint32_t c = node->first_child; c < node->first_child + node->child_count; c++) {
            if (plan->item[c] >= tenants)
                own = c;
            else if (__builtin_add_overflow(below, tree->node[c].deserved, &below))
                below = INT64_MAX;
        }
        if (own != PT_NONE)
            tree->node[own].deserved = node->deserved > below ? node->deserved - below : 0;
        if (own != PT_NONE && !node->quota_said) node->deserved = below;
    }
    for (uint32_t n = 0; n < tree->count; n++) {
        struct pt_kai_queue *queue = &tree->queue[n];
        const struct pt_kai_node *node = &tree->node[n];
        queue->deserved = (double)node->deserved / (double)tree->parts_per_gpu;
        queue->limit = PT_KAI_UNLIMITED;
        if (node->limit != UINT64_MAX)
            queue->limit = (double)node->limit / (double)tree->parts_per_gpu;
        queue->first_child = node->first_child;
        queue->child_count = node->child_count;
    }
}

enum pt_status pt__kai_tree_init(struct pt_kai_tree *tree, const struct pt_ctx *ctx,
                                 struct pt_error *error)
{
    uint32_t tenants = pt_view_tenant_count(ctx);
    size_t nodes = 2 * (size_t)tenants + 1;
    struct plan plan;
    tree->parts_per_gpu = pt_view_parts_per_gpu(ctx);
    tree->node = calloc(nodes, sizeof *tree->node);
    tree->queue = calloc(nodes, sizeof *tree->queue);
    tree->leaf = calloc((size_t)tenants + 1, sizeof *tree->leaf);
    tree->heap = calloc(nodes, sizeof *tree->heap);
    tree->stale = true;
    bool ok = plan_init(&plan, ctx, tenants) && tree->node != NULL && tree->queue != NULL &&
              tree->leaf != NULL && tree->heap != NULL;
    if (ok) {
        fill(tree, &plan, ctx, tenants);
        settle_quotas(tree, &plan, tenants);
    }
    plan_fini(&plan);
    return ok ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory for %u queues", tenants);
}

void pt__kai_tree_fini(struct pt_kai_tree *tree)
{
    free(tree->node);
    free(tree->queue);
    free(tree->leaf);
    free(tree->heap);
    *tree = (struct pt_kai_tree){0};
}

void pt__kai_tree_divide(struct pt_kai_tree *tree)
{
    double parts_per_gpu = (double)tree->parts_per_gpu;
    if (!tree->stale) return;
    for (uint32_t n = 0; n < tree->count; n++)
        tree->queue[n].request = (double)tree->node[n].request / parts_per_gpu;
    pt__kai_divide_tree(tree->queue, tree->count, tree->top_count,
                        (double)tree->capacity / parts_per_gpu, &tree->rules, tree->heap);
    for (uint32_t n = 0; n < tree->count; n++)
        tree->node[n].share = (uint64_t)(tree->queue[n].share * parts_per_gpu + 0.5);
    tree->stale = false;
}

void pt__kai_tree_ask(struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts, bool take)
{
    tree->stale |= parts != 0;
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent)
        tree->node[n].request += take ? parts : 0u - parts;
}

void pt__kai_tree_hold(struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts, bool fixed,
                       bool take)
{
    uint64_t more = take ? parts : 0u - parts;
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent) {
        tree->node[n].held += more;
        if (fixed)
            tree->node[n].fixed += more;
        else
            tree->node[n].victims += take ? 1u : UINT32_MAX;
    }
}

uint64_t pt__kai_allocatable(const struct pt_kai_node *node)
{
    uint64_t most = node->deserved > node->share ? node->deserved : node->share;
    return most < node->limit ? most : node->limit;
}

bool pt__kai_within_quota(const struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts)
{
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent)
        if (tree->node[n].quota_said && tree->node[n].fixed + parts > tree->node[n].deserved)
            return false;
    return true;
}

bool pt__kai_ever_within_quota(const struct pt_kai_tree *tree, uint32_t leaf, uint64_t parts)
{
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent)
        if (tree->node[n].quota_said && parts > tree->node[n].deserved) return false;
    return true;
}

/* -1 where a / of_a < b / of_b, 1 where it is more; what has no share counts as it is. */
static int compare(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b)
{
    if (of_a == 0 || of_b == 0) of_a = of_b = 1;
    pt_u128 left = (pt_u128)a * of_b, right = (pt_u128)b * of_a;
    return left < right ? -1 : left > right;
}

bool pt__kai_before(const struct pt_kai_tree *tree, const uint64_t *held, uint32_t a,
                    uint64_t next_a, uint32_t b, uint64_t next_b)
{
    const struct pt_kai_node *left = &tree->node[a], *right = &tree->node[b];
    uint64_t held_a = held == NULL ? left->held : held[a];
    uint64_t held_b = held == NULL ? right->held : held[b];
    bool over_a = held_a > left->share, over_b = held_b > right->share;
    if (over_a != over_b) return over_b;
    bool quota_a = held_a + next_a <= left->deserved, quota_b = held_b + next_b <= right->deserved;
    if (quota_a != quota_b) return quota_a;
    if (left->priority != right->priority) return left->priority > right->priority;
    uint64_t share_a = pt__kai_allocatable(left), share_b = pt__kai_allocatable(right);
    bool none_a = share_a == 0 && held_a + next_a > 0, none_b = share_b == 0 && held_b + next_b > 0;
    if (none_a != none_b) return none_b;
    int order = compare(held_a + next_a, share_a, held_b + next_b, share_b);
    if (order == 0) order = compare(held_a, share_a, held_b, share_b);
    if (order != 0) return order < 0;
    if (share_a != share_b) return share_a < share_b;
    return a < b;
}

void pt__kai_siblings(const struct pt_kai_tree *tree, uint32_t *a, uint32_t *b)
{
    while (tree->node[*a].depth > tree->node[*b].depth)
        *a = tree->node[*a].parent;
    while (tree->node[*b].depth > tree->node[*a].depth)
        *b = tree->node[*b].parent;
    while (tree->node[*a].parent != tree->node[*b].parent) {
        *a = tree->node[*a].parent;
        *b = tree->node[*b].parent;
    }
}
