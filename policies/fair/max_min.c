#include <stdlib.h>

#include "policies/fair/fair.h"
#include "policies/fair/filling.h"
#include "policies/fair/lines.h"
#include "policies/fair/reclaim.h"
#include "policies/fair/speeds.h"

/* Weighted max-min fairness over tenants: whoever holds least by its weight goes first, with the
 * first of its jobs that fits.
 *
 * What a tenant holds is counted in GPU equivalents, and where GPUs differ in speed, each times
 * R(pool, class) / mean R: Gavel's effective throughput, normalised by that under an equal split of
 * all GPUs (section 4.1: max min of throughput(m, X) / throughput(m, X_equal) by weight). All GPUs
 * together are then worth their number to every class, so that what everybody may have follows from
 * water-filling over amounts alone; that jobs take the pools from which they gain more than others
 * do can only add to it.
 *
 * With preemption a tenant below what water-filling gives it takes back from those above theirs,
 * unless somebody would pass its own: then nobody has a reason to take it back. */

enum { HETEROGENEITY_AWARE, HETEROGENEITY_BLIND };
enum { PARAM_HETEROGENEITY };

static const char *const choices[] = {"aware", "blind", NULL};

static const struct pt_param params[] = {
    [PARAM_HETEROGENEITY] = {"heterogeneity", PT_PARAM_CHOICE, "", "aware", NULL, NULL, choices,
                             "aware: GPUs count by how fast they are for the job, which takes the "
                             "pool it gains most from; blind: every GPU counts 1, pools as the "
                             "placement wants"},
    {0}};

struct max_min {
    struct pt_lines lines; /* first: pt__lines_on_release is given this */
    struct pt_speeds speeds;
    struct pt_reclaim reclaim;
    uint64_t *held;            /* by tenant, in parts of a GPU by their worth */
    uint64_t *wanted;          /* by tenant, the same of jobs that wait */
    uint8_t *charged;          /* by job: the pool it is charged for + 1, 0 = none */
    uint8_t *counted;          /* by job: it is in `wanted` */
    bool may_preempt, changed; /* since nobody could take back anything */
};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_WORK_CONSERVING;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct max_min);
}

static void fini(void *state)
{
    struct max_min *fair = state;
    pt__lines_fini(&fair->lines);
    pt__reclaim_fini(&fair->reclaim);
    free(fair->held);
    free(fair->wanted);
    free(fair->charged);
    free(fair->counted);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct max_min *fair = state;
    uint32_t tenants = pt_view_tenant_count(ctx);
    size_t jobs = (size_t)pt_view_trace(ctx)->job_count + 1;
    if (tenants == 0) tenants = 1;
    fair->may_preempt = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE;
    if (values[PARAM_HETEROGENEITY].integer == HETEROGENEITY_AWARE)
        pt__speeds_init(&fair->speeds, ctx);
    fair->held = calloc(tenants, sizeof *fair->held);
    fair->wanted = calloc(tenants, sizeof *fair->wanted);
    fair->charged = calloc(jobs, 1);
    fair->counted = calloc(jobs, 1);
    enum pt_status status = PT_OK;
    if (fair->held == NULL || fair->wanted == NULL || fair->charged == NULL ||
        fair->counted == NULL)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory for %u tenants", tenants);
    if (status == PT_OK)
        status = pt__lines_init(&fair->lines, ctx, tenants, pt__line_of_tenant, NULL, error);
    if (status == PT_OK) status = pt__reclaim_init(&fair->reclaim, ctx, tenants, error);
    if (status != PT_OK) fini(fair);
    return status;
}

/* ---- what tenants hold and want ---- */

static void uncharge(struct max_min *fair, const struct pt_ctx *ctx, pt_job job)
{
    if (fair->charged[job] == 0) return;
    fair->held[pt_view_tenant_of(ctx, job)] -=
        pt__speeds_worth(&fair->speeds, ctx, fair->charged[job] - 1u, job);
    fair->charged[job] = 0;
}

/* Charges what the job holds, be it that somebody still has to leave or instances to be made. */
static void recharge(struct max_min *fair, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t pool = pt_view_held_pool(ctx, job);
    uncharge(fair, ctx, job);
    fair->changed = true;
    if (pool == PT_NONE) return;
    fair->held[pt_view_tenant_of(ctx, job)] += pt__speeds_worth(&fair->speeds, ctx, pool, job);
    fair->charged[job] = (uint8_t)(pool + 1);
}

static void count_wanted(struct max_min *fair, const struct pt_ctx *ctx, pt_job job, bool waits)
{
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    if (!fair->may_preempt || fair->counted[job] == waits || pools == 0) return;
    uint64_t parts = pt_view_parts(ctx, (uint32_t)__builtin_ctzll(pools), job);
    fair->counted[job] = waits;
    fair->wanted[pt_view_tenant_of(ctx, job)] += waits ? parts : 0u - parts;
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    recharge(state, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct max_min *fair = state;
    (void)why;
    fair->changed = true;
    uncharge(fair, ctx, job);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct max_min *fair = state;
    uncharge(fair, ctx, job); /* the room it was to have is gone */
    count_wanted(fair, ctx, job, true);
    fair->changed = true;
    pt__lines_add(&fair->lines, job);
}

static void leaves_queue(struct max_min *fair, struct pt_ctx *ctx, pt_job job)
{
    count_wanted(fair, ctx, job, false);
    pt__lines_remove(&fair->lines, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct max_min *fair = state;
    fair->changed = true;
    leaves_queue(fair, ctx, job);
}

/* ---- whose turn ---- */

static double level_of(const struct max_min *fair, const struct pt_ctx *ctx, uint32_t tenant)
{
    return (double)fair->held[tenant] / pt_view_tenant(ctx, tenant)->weight;
}

/* The tenant's first line that may fit. Where jobs may be stopped nobody is parked: who can't start
 * may still take back. */
static uint32_t first_line(struct max_min *fair, uint32_t tenant)
{
    struct pt_lines *lines = &fair->lines;
    uint32_t best = PT_NONE;
    for (uint32_t i = 0; i < lines->leaf_size[tenant];) {
        uint32_t line = lines->leaf_line[lines->leaf_first[tenant] + i];
        bool fits = lines->class_state[lines->line[line].class_id] == PT_CLASS_FITS;
        if (fits && !fair->may_preempt) return line; /* the first of the heap */
        if (fits && (best == PT_NONE || pt__lines_head(lines, line) < pt__lines_head(lines, best)))
            best = line;
        if (!fits && !fair->may_preempt)
            pt__lines_park(lines, line); /* another takes its slot */
        else
            i++;
    }
    return best;
}

/* The line of the tenant that holds least, then the earliest job; PT_NONE = nobody may fit. */
static uint32_t choose(struct max_min *fair, const struct pt_ctx *ctx)
{
    struct pt_lines *lines = &fair->lines;
    uint32_t best = PT_NONE;
    double least = 0;
    for (uint32_t i = lines->active_count;
         i-- > 0;) { /* a leaf that goes is replaced by the last */
        uint32_t tenant = lines->active[i], line = first_line(fair, tenant);
        if (line == PT_NONE) continue;
        double level = level_of(fair, ctx, tenant);
        if (best != PT_NONE &&
            (level > least ||
             (level == least && pt__lines_head(lines, line) > pt__lines_head(lines, best))))
            continue;
        best = line;
        least = level;
    }
    return best;
}

/* Places the job in the pool from which it gains most of those where it fits. */
static bool place(struct max_min *fair, struct pt_ctx *ctx, const struct pt_units **units,
                  pt_job job, bool *limit)
{
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    *limit = true;
    while (fair->speeds.differ && (pools & (pools - 1)) != 0) {
        uint32_t pool = pt__speeds_best(&fair->speeds, ctx, pools, job);
        if (pt_ctx_place(ctx, units, job, PT_POOL_BIT(pool))) return true;
        *limit &= pt_view_why(ctx) == PT_REASON_LIMIT;
        pools &= ~PT_POOL_BIT(pool);
    }
    if (pt_ctx_place(ctx, units, job, pools)) return true;
    *limit &= pt_view_why(ctx) == PT_REASON_LIMIT;
    return false;
}

/* ---- taking back ---- */

static void fill(struct max_min *fair, const struct pt_ctx *ctx)
{
    struct pt_reclaim *reclaim = &fair->reclaim;
    double all = (double)pt_view_parts_per_gpu(ctx) * pt_view_cluster(ctx)->gpu_count;
    for (uint32_t t = 0; t < reclaim->tenant_count; t++)
        reclaim->basin[t] =
            (struct pt_basin){.weight = pt_view_tenant(ctx, t)->weight,
                              .demand = (double)fair->held[t] + (double)fair->wanted[t],
                              .who = t};
    pt__fill(reclaim->basin, reclaim->tenant_count, all);
    for (uint32_t i = 0; i < reclaim->tenant_count; i++)
        reclaim->target[reclaim->basin[i].who] = reclaim->basin[i].target;
}

static uint64_t worth(const void *state, const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct max_min *fair = state;
    return pt__speeds_worth(&fair->speeds, ctx, pool, job);
}

/* The first job of a tenant that would still be within its target takes back what it needs. */
static enum pt_status take_back(struct max_min *fair, struct pt_ctx *ctx)
{
    struct pt_lines *lines = &fair->lines;
    fair->changed = false;
    fill(fair, ctx);
    for (uint32_t i = 0; i < lines->active_count; i++) {
        uint32_t tenant = lines->active[i], line = pt__lines_front(lines, tenant);
        pt_job job = pt__lines_head(lines, line);
        if (lines->class_state[lines->line[line].class_id] == PT_CLASS_OVERLIMIT) continue;
        if (!pt__reclaim_try(&fair->reclaim, ctx, job, fair->held, worth, fair)) continue;
        leaves_queue(fair, ctx, job); /* before it can come back */
        PT_TRY(pt_ctx_try_commit(ctx));
        recharge(fair, ctx, job);
        return PT_OK; /* asked again at this instant */
    }
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct max_min *fair = state;
    struct pt_lines *lines = &fair->lines;
    while (lines->fit_classes > 0) {
        const struct pt_units *units;
        bool limit;
        uint32_t line = choose(fair, ctx);
        if (line == PT_NONE) break;
        pt_job job = pt__lines_head(lines, line);
        if (!place(fair, ctx, &units, job, &limit)) {
            pt__lines_unfit(lines, lines->line[line].class_id,
                            limit ? PT_CLASS_OVERLIMIT : PT_CLASS_UNFIT);
            continue;
        }
        leaves_queue(fair, ctx, job); /* before it can come back */
        PT_TRY(pt_ctx_start(ctx, job, units));
        recharge(fair, ctx, job);
    }
    return fair->may_preempt && fair->changed ? take_back(fair, ctx) : PT_OK;
}

const struct pt_policy_ops pt__max_min = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "max_min",
    .summary = "weighted max-min fairness: the tenant that holds least by its weight goes first",
    .source = "Narayanan et al. (Gavel), OSDI 2020, section 4.1; progressive filling",
    .columns = "tenant",
    .params = params,
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
