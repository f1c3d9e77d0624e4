#include "policies/queues/kueue.h"

#include <stdlib.h>

#include "policies/queues/queues.h"

/* Kueue: cluster queues with quotas, in cohorts that lend to each other. In a cycle every queue
 * shows its head; those that need not borrow go first, then by priority and age, and each that
 * still fits is admitted. Whoever does not fit may stop others, one in a cohort and cycle, as far
 * as the switches allow; else it is parked until something changes (Kueue docs,
 * concepts/cluster_queue and concepts/preemption; scheduler.go).
 *
 * Here admission is also the start: a job is admitted in the first of its pools where both its
 * quota and the GPUs are there. */

enum {
    PARAM_STRATEGY,
    PARAM_WITHIN,
    PARAM_RECLAIM,
    PARAM_BORROW,
    PARAM_BORROW_BELOW,
    PARAM_FAIR,
    PARAM_COHORT
};

static const char *const strategies[] = {"best_effort", "strict", NULL};
static const char *const within_choices[] = {"never", "lower_priority",
                                             "lower_or_newer_equal_priority", NULL};
static const char *const reclaim_choices[] = {"never", "lower_priority", "any", NULL};
static const char *const borrow_choices[] = {"never", "lower_priority", NULL};
static const char *const cohort_choices[] = {"one", "parents", NULL};

static const struct pt_param params[] = {
    [PARAM_STRATEGY] =
        {"strategy", PT_PARAM_CHOICE, "", "best_effort", NULL, NULL, strategies,
         "whether a head that can't be admitted holds back its own queue (strict) or "
         "is parked"},
    [PARAM_WITHIN] = {"within_cluster_queue", PT_PARAM_CHOICE, "", "never", NULL, NULL,
                      within_choices, "whom a job may stop in its own queue"},
    [PARAM_RECLAIM] = {"reclaim_within_cohort", PT_PARAM_CHOICE, "", "never", NULL, NULL,
                       reclaim_choices,
                       "whom a job within its quota may stop in queues that borrow"},
    [PARAM_BORROW] = {"borrow_within_cohort", PT_PARAM_CHOICE, "", "never", NULL, NULL,
                      borrow_choices, "whom a job that has to borrow may stop there"},
    [PARAM_BORROW_BELOW] = {"borrow_max_priority", PT_PARAM_INT, "", "9223372036854775807", NULL,
                            NULL, NULL, "the most priority of jobs that one that borrows may stop"},
    [PARAM_FAIR] = {"fair_sharing", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                    "heads go by their queue's dominant resource share, and the greatest gives "
                    "first"},
    [PARAM_COHORT] = {"cohort", PT_PARAM_CHOICE, "", "one", NULL, NULL, cohort_choices,
                      "whether tenants without a parent share one cohort or stand alone (parents)"},
    {0}};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_BY_TENANT | PT_POLICY_QUOTAS;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct pt_kueue);
}

static void fini(void *state)
{
    struct pt_kueue *kueue = state;
    pt__queue_fini(&kueue->queue);
    pt__kueue_quota_fini(&kueue->quota);
    free(kueue->tenant_of_class);
    free(kueue->next_class);
    free(kueue->first_class);
    free(kueue->parked);
    free(kueue->parked_at);
    free(kueue->showing);
    free(kueue->shows);
    free(kueue->pool);
    free(kueue->next);
    free(kueue->previous);
    free(kueue->first);
    free(kueue->admitted);
    free(kueue->entry);
    free(kueue->candidate);
}

static bool alloc(struct pt_kueue *kueue, const struct pt_ctx *ctx)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    size_t classes = (size_t)kueue->class_count + 1, tenants = (size_t)kueue->tenant_count + 1;
    uint64_t units = 0;
    for (uint32_t p = 0; p < pt_view_pool_count(ctx); p++) {
        const struct pt_pool *pool = &pt_view_cluster(ctx)->pools[p];
        units += (uint64_t)pool->node_count * pool->gpus_per_node *
                 (pool->shape.capacity < 4096 ? pool->shape.capacity : 4096);
    }
    kueue->candidate_capacity = units < jobs ? (uint32_t)units : jobs;
    kueue->tenant_of_class = malloc(classes * sizeof *kueue->tenant_of_class);
    kueue->next_class = malloc(classes * sizeof *kueue->next_class);
    kueue->first_class = malloc(tenants * sizeof *kueue->first_class);
    kueue->parked = malloc(classes * sizeof *kueue->parked);
    kueue->parked_at = calloc(classes, sizeof *kueue->parked_at);
    kueue->showing = malloc(tenants * sizeof *kueue->showing);
    kueue->shows = calloc(tenants, 1);
    kueue->pool = calloc((size_t)jobs + 1, 1);
    kueue->next = malloc(((size_t)jobs + 1) * sizeof *kueue->next);
    kueue->previous = malloc(((size_t)jobs + 1) * sizeof *kueue->previous);
    kueue->first = malloc(tenants * sizeof *kueue->first);
    kueue->admitted = calloc(tenants, sizeof *kueue->admitted);
    kueue->entry = malloc(tenants * sizeof *kueue->entry);
    kueue->candidate = malloc(((size_t)kueue->candidate_capacity + 1) * sizeof *kueue->candidate);
    return kueue->tenant_of_class && kueue->next_class && kueue->first_class && kueue->parked &&
           kueue->parked_at && kueue->showing && kueue->shows && kueue->pool && kueue->next &&
           kueue->previous && kueue->first && kueue->admitted && kueue->entry && kueue->candidate;
}

/* Hangs each class into the list of its tenant's. */
static void classes_read(struct pt_kueue *kueue, const struct pt_ctx *ctx)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    for (uint32_t c = 0; c < kueue->class_count; c++)
        kueue->tenant_of_class[c] = PT_NONE;
    for (uint32_t t = 0; t < kueue->tenant_count; t++)
        kueue->first_class[t] = kueue->first[t] = PT_NONE;
    for (pt_job job = 0; job < jobs; job++) {
        uint32_t class_id = pt_view_class_of(ctx, job), tenant = pt_view_tenant_of(ctx, job);
        if (kueue->tenant_of_class[class_id] != PT_NONE) continue;
        kueue->tenant_of_class[class_id] = tenant;
        kueue->next_class[class_id] = kueue->first_class[tenant];
        kueue->first_class[tenant] = class_id;
    }
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    static const enum pt_kueue_switch reclaims[] = {PT_KUEUE_NEVER, PT_KUEUE_LOWER, PT_KUEUE_ANY};
    struct pt_kueue *kueue = state;
    kueue->strict = values[PARAM_STRATEGY].integer == 1;
    kueue->within = (enum pt_kueue_switch)values[PARAM_WITHIN].integer;
    kueue->reclaim = reclaims[values[PARAM_RECLAIM].integer];
    kueue->borrow = (enum pt_kueue_switch)values[PARAM_BORROW].integer;
    kueue->borrow_below = values[PARAM_BORROW_BELOW].integer;
    kueue->fair = values[PARAM_FAIR].integer != 0;
    kueue->class_count = pt_view_class_count(ctx);
    kueue->tenant_count = pt_view_tenant_count(ctx);
    enum pt_status status = pt__queue_init(&kueue->queue, ctx, error);
    if (status == PT_OK)
        status = pt__kueue_quota_init(&kueue->quota, ctx, values[PARAM_COHORT].integer == 0, error);
    if (status == PT_OK && !alloc(kueue, ctx))
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory for Kueue's queues");
    if (status != PT_OK) {
        fini(state);
        return status;
    }
    classes_read(kueue, ctx);
    return PT_OK;
}

/* ---- what is admitted ---- */

static void admit(struct pt_kueue *kueue, const struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    kueue->pool[job] = (uint8_t)(pool + 1);
    kueue->previous[job] = PT_NONE;
    kueue->next[job] = kueue->first[tenant];
    if (kueue->first[tenant] != PT_NONE) kueue->previous[kueue->first[tenant]] = job;
    kueue->first[tenant] = job;
    kueue->admitted[tenant]++;
    pt__kueue_use(&kueue->quota, tenant, pt__kueue_parts(ctx, job, pool));
}

static void leave(struct pt_kueue *kueue, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    if (kueue->pool[job] == 0) return;
    pt__kueue_use(&kueue->quota, tenant, -pt__kueue_parts(ctx, job, kueue->pool[job] - 1u));
    kueue->pool[job] = 0;
    if (kueue->previous[job] != PT_NONE)
        kueue->next[kueue->previous[job]] = kueue->next[job];
    else
        kueue->first[tenant] = kueue->next[job];
    if (kueue->next[job] != PT_NONE) kueue->previous[kueue->next[job]] = kueue->previous[job];
    kueue->admitted[tenant]--;
}

/* Whether the job holds units, or waits for them to be made or saved. */
static bool holds(const struct pt_ctx *ctx, pt_job job)
{
    enum pt_job_state state = pt_view_state(ctx, job);
    return state == PT_STATE_RUNNING || state == PT_STATE_RESERVED;
}

/* ---- callbacks ---- */

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_kueue *kueue = state;
    pt_u128 key =
        ((pt_u128)(UINT64_MAX / 2) - (pt_u128)(pt_view_rank(ctx, job).value)) & UINT64_MAX;
    leave(kueue, ctx, job);
    if (pt__queue_add(&kueue->queue, ctx, job, key))
        pt__kueue_show(kueue, pt_view_class_of(ctx, job)); /* it may stop whom others may not */
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_kueue *kueue = state;
    leave(kueue, ctx, job);
    if (pt__queue_remove(&kueue->queue, ctx, job)) pt__kueue_unpark(kueue);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)why;
    leave(state, ctx, job);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    (void)ctx;
    (void)pools;
    pt__kueue_unpark(state);
}

/* ---- the cycle ---- */

static enum pt_status start(struct pt_kueue *kueue, struct pt_ctx *ctx, pt_job job,
                            const struct pt_units *units)
{
    uint32_t pool = units->pool;
    (void)pt__queue_remove(&kueue->queue, ctx, job);
    PT_TRY(pt_ctx_start(ctx, job, units));
    if (holds(ctx, job)) admit(kueue, ctx, job, pool);
    return PT_OK;
}

/* Admits the head where quota and GPUs are there; *done tells. */
static enum pt_status try_to_admit(struct pt_kueue *kueue, struct pt_ctx *ctx,
                                   const struct pt_kueue_entry *entry, bool *done)
{
    const struct pt_units *units;
    bool quota = false;
    *done = false;
    if (pt__kueue_least_parts(ctx, entry->job, entry->class_id) >
        pt__kueue_most(&kueue->quota, entry->tenant)) {
        (void)pt__queue_remove(&kueue->queue, ctx, entry->job);
        *done = true;
        return pt_ctx_decline(ctx, entry->job, PT_REASON_QUOTA);
    }
    for (uint64_t pools = pt_view_class_pools(ctx, entry->class_id); pools != 0;
         pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (pt__kueue_parts(ctx, entry->job, pool) >
            pt__kueue_available(&kueue->quota, entry->tenant))
            continue;
        quota = true;
        if (!pt_ctx_place(ctx, &units, entry->job, PT_POOL_BIT(pool))) continue;
        *done = true;
        return start(kueue, ctx, entry->job, units);
    }
    if (!quota) pt_ctx_say(ctx, entry->job, PT_REASON_QUOTA);
    return PT_OK;
}

static bool stop_others(struct pt_kueue *kueue, struct pt_ctx *ctx,
                        const struct pt_kueue_entry *entry)
{
    if (kueue->within == PT_KUEUE_NEVER && kueue->reclaim == PT_KUEUE_NEVER) return false;
    for (uint64_t pools = pt_view_class_pools(ctx, entry->class_id); pools != 0;
         pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        if (!pt__kueue_preempt(kueue, ctx, entry->job, entry->tenant, pool)) continue;
        enum pt_job_state state = pt_view_state(ctx, entry->job);
        if (state != PT_STATE_PENDING && state != PT_STATE_PAUSED)
            (void)pt__queue_remove(&kueue->queue, ctx, entry->job);
        if (holds(ctx, entry->job)) admit(kueue, ctx, entry->job, pool);
        return true;
    }
    return false;
}

/* One cycle; *any: somebody was admitted or parked, so the next has other heads. */
static enum pt_status cycle(struct pt_kueue *kueue, struct pt_ctx *ctx, bool *any)
{
    uint32_t stopped_for = PT_NONE; /* the cohort in which somebody was stopped in this cycle */
    struct pt_kueue_entry entry;
    *any = false;
    pt__kueue_heads(kueue, ctx);
    while (pt__kueue_next_head(&entry, kueue)) {
        uint32_t root = pt__kueue_root(&kueue->quota, entry.tenant);
        bool done;
        PT_TRY(try_to_admit(kueue, ctx, &entry, &done));
        if (!done && root != stopped_for && stop_others(kueue, ctx, &entry)) {
            done = true;
            stopped_for = root;
        } else if (!done && root == stopped_for) {
            continue; /* looked at again in the next cycle */
        }
        *any = true; /* admitted, or parked: another head shows in the next cycle */
        if (!done) pt__kueue_park(kueue, entry.class_id);
    }
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct pt_kueue *kueue = state;
    bool any = true;
    while (any)
        PT_TRY(cycle(kueue, ctx, &any));
    return PT_OK;
}

const struct pt_policy_ops pt__kueue = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "kueue",
    .summary =
        "cluster queues (tenants) with quotas, in cohorts that lend and borrow; admission by "
        "cycles of heads",
    .source = "Kueue (kubernetes-sigs/kueue at ff69552), concepts and pkg/scheduler",
    .columns = "tenant,priority,preemptible",
    .preemption = PT_PREEMPTION_CHECKPOINT,
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_stopped = on_stopped,
    .on_release = on_release,
    .schedule = schedule,
};
