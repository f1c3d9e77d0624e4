#include <stdlib.h>

#include "policies/fair/fair.h"
#include "policies/fair/lines.h"

/* Dominant resource fairness over tenants: again and again, the tenant whose greatest share of any
 * resource is least, divided by its weight, starts its first job; a tenant whose first job does not
 * fit sits out until something is released. Resources are those that bound: GPUs in quota units,
 * device memory in pools that admit by it, CPUs and host memory in pools that have a bound. A
 * share is of what all such pools of the cluster have together. Nobody is stopped. */

enum { GPUS, GPU_MEMORY, CPUS, MEMORY, RESOURCES };

struct account {
    uint64_t held[RESOURCES];
    double share; /* greatest of held / there, by weight */
};

struct drf {
    struct pt_lines lines; /* first: pt__lines_on_release is given this */
    uint64_t there[RESOURCES];
    struct account *account; /* by tenant */
    uint8_t *charged;        /* by job: the pool it is charged for + 1, 0 = none */
};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_STOPS_NOBODY;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct drf);
}

static void fini(void *state)
{
    struct drf *drf = state;
    pt__lines_fini(&drf->lines);
    free(drf->account);
    free(drf->charged);
}

static void measure(struct drf *drf, const struct pt_ctx *ctx)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    drf->there[GPUS] = pt_view_parts_per_gpu(ctx) * cluster->gpu_count;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        uint64_t nodes = pool->node_count;
        if (pool->shape.memory_admits)
            drf->there[GPU_MEMORY] += nodes * pool->gpus_per_node * pool->gpu->mem_mib;
        if (pool->cpus_milli_per_node != PT_NONE)
            drf->there[CPUS] += nodes * pool->cpus_milli_per_node;
        if (pool->mem_mib_per_node != PT_NONE) drf->there[MEMORY] += nodes * pool->mem_mib_per_node;
    }
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct drf *drf = state;
    uint32_t tenants = pt_view_tenant_count(ctx);
    (void)values;
    if (tenants == 0) tenants = 1;
    measure(drf, ctx);
    drf->account = calloc(tenants, sizeof *drf->account);
    drf->charged = calloc((size_t)pt_view_trace(ctx)->job_count + 1, 1);
    enum pt_status status = PT_OK;
    if (drf->account == NULL || drf->charged == NULL)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory for %u tenants", tenants);
    if (status == PT_OK)
        status = pt__lines_init(&drf->lines, ctx, tenants, pt__line_of_tenant, NULL, error);
    if (status != PT_OK) fini(drf);
    return status;
}

/* ---- what tenants hold ---- */

static void takes(uint64_t amounts[RESOURCES], const struct pt_ctx *ctx, uint32_t index, pt_job job)
{
    const struct pt_pool *pool = &pt_view_cluster(ctx)->pools[index];
    const struct pt_trace *trace = pt_view_trace(ctx);
    uint32_t cpus = pt_trace_u32(trace, PT_COL_CPUS, job);
    uint32_t mem = pt_trace_u32(trace, PT_COL_MEM, job), units = pt_view_units_wanted(ctx, job);
    amounts[GPUS] = pt_view_parts(ctx, index, job);
    amounts[GPU_MEMORY] = 0;
    if (pool->shape.memory_admits && units > 0)
        amounts[GPU_MEMORY] = (uint64_t)pt_view_need(ctx, index, job)->mem_mib * units;
    amounts[CPUS] = pool->cpus_milli_per_node == PT_NONE || cpus == PT_NONE ? 0 : cpus;
    amounts[MEMORY] = pool->mem_mib_per_node == PT_NONE || mem == PT_NONE ? 0 : mem;
}

static void charge(struct drf *drf, const struct pt_ctx *ctx, pt_job job, uint32_t pool, bool take)
{
    uint64_t amounts[RESOURCES];
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    struct account *account = &drf->account[tenant];
    takes(amounts, ctx, pool, job);
    account->share = 0;
    for (int r = 0; r < RESOURCES; r++) {
        account->held[r] += take ? amounts[r] : 0u - amounts[r];
        double share = account->held[r] == 0 ? 0 : (double)account->held[r] / (double)drf->there[r];
        if (share > account->share) account->share = share;
    }
    account->share /= pt_view_tenant(ctx, tenant)->weight;
}

static void uncharge(struct drf *drf, const struct pt_ctx *ctx, pt_job job)
{
    if (drf->charged[job] == 0) return;
    charge(drf, ctx, job, drf->charged[job] - 1u, false);
    drf->charged[job] = 0;
}

/* Charges what the job holds, be it that instances still have to be made for it. */
static void recharge(struct drf *drf, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t pool = pt_view_held_pool(ctx, job);
    uncharge(drf, ctx, job);
    if (pool == PT_NONE) return;
    charge(drf, ctx, job, pool, true);
    drf->charged[job] = (uint8_t)(pool + 1);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    recharge(state, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)why;
    uncharge(state, ctx, job);
}

/* ---- the queue ---- */

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct drf *drf = state;
    uncharge(drf, ctx, job); /* the instances it was to have were not made */
    pt__lines_add(&drf->lines, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct drf *drf = state;
    (void)ctx;
    pt__lines_remove(&drf->lines, job);
}

/* The line of the tenant with the least share of those whose first job may fit; PT_NONE = none. */
static uint32_t choose(const struct drf *drf)
{
    const struct pt_lines *lines = &drf->lines;
    uint32_t best = PT_NONE, best_tenant = PT_NONE;
    for (uint32_t i = 0; i < lines->active_count; i++) {
        uint32_t tenant = lines->active[i], line = pt__lines_front(lines, tenant);
        if (lines->class_state[lines->line[line].class_id] != PT_CLASS_FITS) continue;
        double share = drf->account[tenant].share;
        double least = best == PT_NONE ? share : drf->account[best_tenant].share;
        if (best != PT_NONE && (share > least || (share == least && tenant > best_tenant)))
            continue;
        best = line;
        best_tenant = tenant;
    }
    return best;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct drf *drf = state;
    struct pt_lines *lines = &drf->lines;
    while (lines->fit_classes > 0) {
        uint32_t line = choose(drf);
        const struct pt_units *units;
        if (line == PT_NONE) break;
        pt_job job = pt__lines_head(lines, line);
        if (!pt_ctx_place(ctx, &units, job, UINT64_MAX)) {
            bool limit = pt_view_why(ctx) == PT_REASON_LIMIT;
            pt__lines_unfit(lines, lines->line[line].class_id,
                            limit ? PT_CLASS_OVERLIMIT : PT_CLASS_UNFIT);
            continue;
        }
        pt__lines_remove(lines, job); /* before it can come back */
        PT_TRY(pt_ctx_start(ctx, job, units));
        recharge(drf, ctx, job);
    }
    return PT_OK;
}

const struct pt_policy_ops pt__drf = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "drf",
    .summary = "dominant resource fairness: the tenant with the least share of what it has most of",
    .source = "Ghodsi et al., NSDI 2011, algorithm 1, weighted",
    .columns = "tenant,cpus,mem_gib,gpu_mem_gib",
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = pt__lines_on_release,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
