#include "policies/fair/accounts.h"

#include <stdlib.h>

static bool find_users(struct pt_accounts *accounts, const struct pt_ctx *ctx)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    for (pt_job job = 0; job < trace->job_count; job++) {
        uint32_t index;
        struct pt_triple who = {pt_view_tenant_of(ctx, job), pt_trace_u32(trace, PT_COL_USER, job),
                                0};
        if (!pt__intern(&index, &accounts->users, who)) return false;
    }
    return true;
}

/* Node 1 + t is tenant t. The tenant `default` is always there, but holds no shares unless a job
 * or another tenant is under it. */
static enum pt_status plant(struct pt_accounts *accounts, const struct pt_ctx *ctx,
                            struct pt_error *error)
{
    uint32_t tenants = pt_view_tenant_count(ctx), users = accounts->users.count;
    bool has_default = false;
    if (tenants == 0) tenants = 1;
    PT_TRY(pt__fair_tree_init(&accounts->tree, 1 + tenants + users, error));
    pt__decay_init(&accounts->tree.decay, accounts->options.half_life_ns,
                   pt_view_parts_per_gpu(ctx));
    struct pt_fair_node *node = accounts->tree.node;
    for (uint32_t t = 0; t < tenants; t++) {
        const struct pt_tenant_facts *facts = pt_view_tenant(ctx, t);
        node[1 + t].parent = facts->parent == PT_NONE ? 0 : 1 + facts->parent;
        node[1 + t].shares = facts->weight;
        has_default |= facts->parent == 0;
    }
    accounts->first_leaf = 1 + tenants;
    for (uint32_t u = 0; u < users; u++) {
        struct pt_fair_node *user = &node[accounts->first_leaf + u];
        user->parent = 1 + accounts->users.triple[u].a;
        user->shares = 1;
        user->user = true;
        has_default |= user->parent == 1;
    }
    if (!has_default) node[1].shares = 0;
    pt__fair_tree_link(&accounts->tree);
    return PT_OK;
}

enum pt_status pt__accounts_init(struct pt_accounts *accounts, const struct pt_ctx *ctx,
                                 struct pt_error *error)
{
    uint32_t job_count = pt_view_trace(ctx)->job_count;
    accounts->ranked_ns = -1;
    accounts->charged = calloc((size_t)job_count + 1, 1);
    if (accounts->charged == NULL || !find_users(accounts, ctx))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the users of %u jobs", job_count);
    accounts->leaf_count = accounts->users.count;
    return plant(accounts, ctx, error);
}

uint32_t pt__accounts_leaf(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t leaf = 0;
    struct pt_triple who = {pt_view_tenant_of(ctx, job),
                            pt_trace_u32(pt_view_trace(ctx), PT_COL_USER, job), 0};
    (void)pt__intern(&leaf, &accounts->users, who); /* it is there already */
    return leaf;
}

void pt__accounts_built(struct pt_accounts *accounts)
{
    pt__intern_fini(&accounts->users);
}

void pt__accounts_fini(struct pt_accounts *accounts)
{
    pt__fair_tree_fini(&accounts->tree);
    pt__intern_fini(&accounts->users);
    free(accounts->charged);
}

/* The time whose factors count at now. */
static int64_t ranking_time(const struct pt_accounts *accounts, int64_t now_ns)
{
    if (accounts->options.recalculate_ns == 0) return now_ns;
    return now_ns - now_ns % accounts->options.recalculate_ns;
}

void pt__accounts_rank(struct pt_accounts *accounts, int64_t now_ns)
{
    int64_t time_ns = ranking_time(accounts, now_ns);
    if (time_ns <= accounts->ranked_ns) return;
    accounts->ranked_ns = time_ns;
    pt__fair_tree_measure(&accounts->tree, time_ns);
    if (accounts->options.classic)
        pt__fair_tree_classic(&accounts->tree, accounts->options.dampening);
    else
        pt__fair_tree_rank(&accounts->tree);
}

void pt__accounts_rank_some(struct pt_accounts *accounts, int64_t now_ns, const uint32_t *leaf,
                            uint32_t count)
{
    struct pt_fair_tree *tree = &accounts->tree;
    pt__fair_tree_mark_begin(tree);
    for (uint32_t i = 0; i < count; i++)
        pt__fair_tree_mark(tree, accounts->first_leaf + leaf[i]);
    pt__fair_tree_measure_marked(tree, now_ns);
    pt__fair_tree_rank_marked(tree);
}

/* Parts of a GPU that the job is charged for in a pool. */
static uint64_t bill(const struct pt_accounts *accounts, const struct pt_ctx *ctx, uint32_t pool,
                     pt_job job)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    pt_u128 more = 0, parts_per_gpu = pt_view_parts_per_gpu(ctx);
    if (accounts->options.cpu_ppm != 0)
        more += parts_per_gpu * pt_trace_u32(trace, PT_COL_CPUS, job) * accounts->options.cpu_ppm /
                1000000000u;
    if (accounts->options.memory_ppm != 0)
        more += parts_per_gpu * pt_trace_u32(trace, PT_COL_MEM, job) *
                accounts->options.memory_ppm / 1024000000u;
    return pt_view_parts(ctx, pool, job) + (uint64_t)more;
}

static void change(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job,
                   uint32_t leaf, uint32_t pool, bool take)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    /* On a grid the factors are of a time before this change. */
    if (accounts->options.recalculate_ns != 0) pt__accounts_rank(accounts, now_ns);
    pt__fair_tree_charge(&accounts->tree, accounts->first_leaf + leaf, now_ns,
                         bill(accounts, ctx, pool, job), take);
}

void pt__accounts_uncharge(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job,
                           uint32_t leaf)
{
    if (accounts->charged[job] == 0) return;
    change(accounts, ctx, job, leaf, accounts->charged[job] - 1u, false);
    accounts->charged[job] = 0;
}

void pt__accounts_charge(struct pt_accounts *accounts, const struct pt_ctx *ctx, pt_job job,
                         uint32_t leaf)
{
    uint32_t pool = pt_view_held_pool(ctx, job);
    pt__accounts_uncharge(accounts, ctx, job, leaf); /* where it moves from */
    if (pool == PT_NONE) return;
    change(accounts, ctx, job, leaf, pool, true);
    accounts->charged[job] = (uint8_t)(pool + 1);
}
