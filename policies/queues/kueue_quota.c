#include "policies/queues/kueue_quota.h"

#include <stdlib.h>

static int64_t parts_of(const struct pt_ctx *ctx, uint64_t ppm, int64_t absent)
{
    if (ppm == PT_QUOTA_NONE) return absent;
    pt_u128 parts = (pt_u128)ppm * (pt_view_parts_per_gpu(ctx) / PT_PPM_ONE);
    return parts > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)parts;
}

static int64_t cluster_parts(const struct pt_ctx *ctx)
{
    return (int64_t)(pt_view_cluster(ctx)->gpu_count * pt_view_parts_per_gpu(ctx));
}

static uint32_t depth(const struct pt_kueue_quota *quota, uint32_t node)
{
    uint32_t levels = 0;
    while ((node = quota->nodes[node].parent) != PT_NONE)
        levels++;
    return levels;
}

/* Adds up what is lent, from the deepest nodes on. */
static void lend(struct pt_kueue_quota *quota)
{
    uint32_t deepest = 0;
    for (uint32_t n = 0; n <= quota->count; n++)
        if (depth(quota, n) > deepest) deepest = depth(quota, n);
    for (uint32_t level = deepest + 1; level-- > 0;)
        for (uint32_t n = 0; n <= quota->count; n++) {
            struct pt_kueue_node *node = &quota->nodes[n];
            if (depth(quota, n) != level) continue;
            node->subtree += node->nominal; /* its children have been here */
            bool keeps = node->lending != PT_KUEUE_UNBOUND && node->subtree > node->lending;
            node->local = keeps ? node->subtree - node->lending : 0;
            if (node->parent != PT_NONE)
                quota->nodes[node->parent].subtree += node->subtree - node->local;
            else
                node->local = 0;
        }
}

enum pt_status pt__kueue_quota_init(struct pt_kueue_quota *quota, const struct pt_ctx *ctx,
                                    bool one_cohort, struct pt_error *error)
{
    uint32_t count = pt_view_tenant_count(ctx);
    bool any = false;
    quota->count = count;
    quota->nodes = calloc((size_t)count + 1, sizeof *quota->nodes);
    if (quota->nodes == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the quotas of %u tenants", count);
    for (uint32_t t = 0; t < count; t++) {
        const struct pt_tenant_facts *tenant = pt_view_tenant(ctx, t);
        any |= tenant->quota != PT_QUOTA_NONE;
        quota->nodes[t] = (struct pt_kueue_node){
            .parent = tenant->parent != PT_NONE ? tenant->parent
                      : one_cohort              ? count
                                                : PT_NONE,
            .nominal = parts_of(ctx, tenant->quota, 0),
            .borrowing = parts_of(ctx, tenant->borrowing_limit, PT_KUEUE_UNBOUND),
            .lending = parts_of(ctx, tenant->lending_limit, PT_KUEUE_UNBOUND),
            .weight = tenant->weight};
    }
    quota->nodes[count] = (struct pt_kueue_node){
        .parent = PT_NONE, .borrowing = PT_KUEUE_UNBOUND, .lending = PT_KUEUE_UNBOUND, .weight = 1};
    if (!any) quota->nodes[count].nominal = cluster_parts(ctx);
    if (!any) /* who stands alone has nothing to borrow from */
        for (uint32_t t = 0; t < count; t++)
            if (quota->nodes[t].parent == PT_NONE) quota->nodes[t].nominal = cluster_parts(ctx);
    lend(quota);
    return PT_OK;
}

void pt__kueue_quota_fini(struct pt_kueue_quota *quota)
{
    free(quota->nodes);
    quota->nodes = NULL;
}

int64_t pt__kueue_available(const struct pt_kueue_quota *quota, uint32_t n)
{
    const struct pt_kueue_node *node = &quota->nodes[n];
    if (node->parent == PT_NONE) return node->subtree - node->usage;
    int64_t at_home = node->local > node->usage ? node->local - node->usage : 0;
    int64_t above = pt__kueue_available(quota, node->parent);
    if (node->borrowing != PT_KUEUE_UNBOUND) {
        int64_t lent = node->subtree - node->local;
        int64_t used = node->usage > node->local ? node->usage - node->local : 0;
        int64_t most = lent - used + node->borrowing;
        if (most < above) above = most;
    }
    return at_home + above;
}

int64_t pt__kueue_most(const struct pt_kueue_quota *quota, uint32_t n)
{
    const struct pt_kueue_node *node = &quota->nodes[n];
    if (node->parent == PT_NONE) return node->subtree;
    int64_t above = pt__kueue_most(quota, node->parent);
    int64_t lent = node->subtree - node->local;
    if (node->borrowing != PT_KUEUE_UNBOUND && lent + node->borrowing < above)
        above = lent + node->borrowing;
    return node->local + above;
}

static int64_t beyond_local(const struct pt_kueue_node *node)
{
    return node->usage > node->local ? node->usage - node->local : 0;
}

void pt__kueue_use(struct pt_kueue_quota *quota, uint32_t n, int64_t amount)
{
    while (n != PT_NONE && amount != 0) {
        struct pt_kueue_node *node = &quota->nodes[n];
        int64_t before = beyond_local(node);
        node->usage += amount;
        amount = beyond_local(node) - before;
        n = node->parent;
    }
}

uint32_t pt__kueue_root(const struct pt_kueue_quota *quota, uint32_t node)
{
    while (quota->nodes[node].parent != PT_NONE)
        node = quota->nodes[node].parent;
    return node;
}

double pt__kueue_share(const struct pt_kueue_quota *quota, uint32_t n, int64_t more)
{
    const struct pt_kueue_node *node = &quota->nodes[n];
    int64_t borrowed = node->usage + more - node->subtree;
    int64_t lendable = quota->nodes[pt__kueue_root(quota, n)].subtree;
    if (borrowed <= 0 || node->parent == PT_NONE) return 0;
    if (lendable <= 0) return 1e300;
    return 1000 * ((double)borrowed / (double)lendable) / node->weight;
}
