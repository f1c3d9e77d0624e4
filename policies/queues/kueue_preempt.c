#include "policies/queues/kueue.h"

/* Whom Kueue stops (Kueue, pkg/scheduler/preemption): candidates of other queues that borrow before
 * one's own, lowest priority first, then the latest admitted; greedily until the job fits, then
 * back again for those that can stay. Under fair sharing the queue with the greatest share gives
 * first, and only as far as its share stays above the preemptor's. */

struct plan {
    struct pt_kueue *kueue;
    struct pt_ctx *ctx;
    pt_job job;
    uint32_t tenant, pool;
    int64_t parts;
    uint32_t count; /* candidates */
    uint32_t taken; /* lifted, the first of them */
};

static bool allows(enum pt_kueue_switch how, int64_t mine, int64_t theirs, bool newer)
{
    switch (how) {
    case PT_KUEUE_NEVER:
        return false;
    case PT_KUEUE_LOWER:
        return theirs < mine;
    case PT_KUEUE_LOWER_OR_NEWER:
        return theirs < mine || (theirs == mine && newer);
    case PT_KUEUE_ANY:
        return true;
    }
    return false;
}

static uint32_t tenant_of(const struct plan *plan, pt_job job)
{
    return pt_view_tenant_of(plan->ctx, job);
}

static int64_t parts_of(const struct plan *plan, pt_job job)
{
    return pt__kueue_parts(plan->ctx, job, plan->kueue->pool[job] - 1u);
}

/* Adds a tenant's jobs that may be stopped. */
static void add(struct plan *plan, uint32_t tenant, enum pt_kueue_switch how, int64_t below)
{
    struct pt_kueue *kueue = plan->kueue;
    int64_t mine = pt_view_rank(plan->ctx, plan->job).value;
    for (pt_job j = kueue->first[tenant]; j != PT_NONE; j = kueue->next[j]) {
        int64_t theirs = pt_view_rank(plan->ctx, j).value;
        if (plan->count == kueue->candidate_capacity) return;
        if (theirs > below || !pt_view_preemptible(plan->ctx, j)) continue;
        if (!allows(how, mine, theirs, j > plan->job)) continue;
        kueue->candidate[plan->count++] = j;
    }
}

/* Whether a is stopped before b. */
static bool before(const struct plan *plan, pt_job a, pt_job b)
{
    bool own_a = tenant_of(plan, a) == plan->tenant, own_b = tenant_of(plan, b) == plan->tenant;
    if (own_a != own_b) return own_b;
    int64_t of_a = pt_view_rank(plan->ctx, a).value, of_b = pt_view_rank(plan->ctx, b).value;
    if (of_a != of_b) return of_a < of_b;
    int64_t at_a = pt_view_attempt_ns(plan->ctx, a), at_b = pt_view_attempt_ns(plan->ctx, b);
    if (at_a != at_b) return at_a > at_b;
    return a > b;
}

static void sift(const struct plan *plan, uint32_t from, uint32_t count)
{
    pt_job *jobs = plan->kueue->candidate, job = jobs[from];
    for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && before(plan, jobs[child], jobs[child + 1])) child++;
        if (!before(plan, job, jobs[child])) break;
        jobs[from] = jobs[child];
    }
    jobs[from] = job;
}

/* Heap sort, in place. */
static void sort(const struct plan *plan)
{
    pt_job *jobs = plan->kueue->candidate;
    for (uint32_t i = plan->count / 2; i-- > 0;)
        sift(plan, i, plan->count);
    for (uint32_t last = plan->count; last-- > 1;) {
        pt_job job = jobs[0];
        jobs[0] = jobs[last];
        jobs[last] = job;
        sift(plan, 0, last);
    }
}

static bool quota_fits(const struct plan *plan, bool may_borrow)
{
    const struct pt_kueue_quota *quota = &plan->kueue->quota;
    if (!may_borrow && pt__kueue_borrows(quota, plan->tenant, plan->parts)) return false;
    return plan->parts <= pt__kueue_available(quota, plan->tenant);
}

static bool fits(const struct plan *plan, bool may_borrow, const struct pt_units **units)
{
    return quota_fits(plan, may_borrow) &&
           pt_ctx_place(plan->ctx, units, plan->job, PT_POOL_BIT(plan->pool));
}

/* Lifts the i-th candidate; it becomes the last of those taken. */
static bool lift(struct plan *plan, uint32_t i)
{
    pt_job *jobs = plan->kueue->candidate, job = jobs[i];
    if (!pt_ctx_try_lift(plan->ctx, job)) return false;
    pt__kueue_use(&plan->kueue->quota, tenant_of(plan, job), -parts_of(plan, job));
    for (; i > plan->taken; i--)
        jobs[i] = jobs[i - 1];
    jobs[plan->taken++] = job;
    return true;
}

/* Puts the i-th of those taken back; false if it can't stay. */
static bool put_back(struct plan *plan, uint32_t i)
{
    pt_job *jobs = plan->kueue->candidate, job = jobs[i];
    if (!pt_ctx_try_unlift(plan->ctx, job)) return false;
    pt__kueue_use(&plan->kueue->quota, tenant_of(plan, job), parts_of(plan, job));
    for (; i + 1 < plan->taken; i++)
        jobs[i] = jobs[i + 1];
    jobs[--plan->taken] = job;
    return true;
}

static void give_up(struct plan *plan)
{
    while (plan->taken > 0) {
        pt_job job = plan->kueue->candidate[--plan->taken];
        pt__kueue_use(&plan->kueue->quota, tenant_of(plan, job), parts_of(plan, job));
    }
    pt_ctx_try_abort(plan->ctx);
}

/* Those that the job fits without stay, the last lifted first; the last of all is needed. */
static bool give_back(struct plan *plan, bool may_borrow, const struct pt_units **units)
{
    for (uint32_t i = plan->taken < 1 ? 0 : plan->taken - 1; i-- > 0;) {
        pt_job job = plan->kueue->candidate[i];
        if (!put_back(plan, i)) continue;
        if (fits(plan, may_borrow, units)) continue;
        for (uint32_t k = plan->taken; k < plan->count; k++)
            if (plan->kueue->candidate[k] == job && !lift(plan, k)) return false;
    }
    return fits(plan, may_borrow, units);
}

/* Does what was tried: the victims stop, the job starts. */
static bool commit(struct plan *plan, const struct pt_units *units)
{
    struct pt_kueue *kueue = plan->kueue;
    uint32_t taken = plan->taken;
    if (!pt_ctx_try_assume(plan->ctx, plan->job, units)) {
        give_up(plan);
        return false;
    }
    for (uint32_t i = 0; i < taken; i++) /* their stops give the quota back once more */
        pt__kueue_use(&kueue->quota, tenant_of(plan, kueue->candidate[i]),
                      parts_of(plan, kueue->candidate[i]));
    plan->taken = 0;
    return pt_ctx_try_commit(plan->ctx) == PT_OK;
}

/* The candidate that fair sharing takes next: of the queue with the greatest share, in order;
 * PT_NONE = none whose queue stays above the preemptor. */
static uint32_t fairest(const struct plan *plan)
{
    const struct pt_kueue *kueue = plan->kueue;
    double mine = pt__kueue_share(&kueue->quota, plan->tenant, plan->parts), most = -1;
    bool at_home = !pt__kueue_borrows(&kueue->quota, plan->tenant, plan->parts);
    uint32_t best = PT_NONE;
    for (uint32_t i = plan->taken; i < plan->count; i++) {
        pt_job job = kueue->candidate[i];
        uint32_t tenant = tenant_of(plan, job);
        double now = pt__kueue_share(&kueue->quota, tenant, 0);
        double then = pt__kueue_share(&kueue->quota, tenant, -parts_of(plan, job));
        bool own = tenant == plan->tenant;
        if (!own && !at_home && !(mine <= then) && !(mine < now)) continue;
        if (!own && !pt__kueue_borrows(&kueue->quota, tenant, 0)) continue;
        if (now <= most) continue;
        most = now;
        best = i;
    }
    return best;
}

static uint32_t next_candidate(const struct plan *plan, uint32_t from)
{
    if (plan->kueue->fair) return fairest(plan);
    for (uint32_t i = from; i < plan->count; i++) {
        uint32_t tenant = tenant_of(plan, plan->kueue->candidate[i]);
        if (tenant == plan->tenant || pt__kueue_borrows(&plan->kueue->quota, tenant, 0)) return i;
    }
    return PT_NONE;
}

static bool stop_enough(struct plan *plan, bool may_borrow)
{
    const struct pt_units *units = NULL;
    plan->taken = 0;
    for (uint32_t i = 0; (i = next_candidate(plan, i)) != PT_NONE;) {
        if (!lift(plan, i)) break;
        i = i < plan->taken ? plan->taken : i + 1;
        if (!fits(plan, may_borrow, &units)) continue;
        if (give_back(plan, may_borrow, &units)) return commit(plan, units);
        break;
    }
    give_up(plan);
    return false;
}

/* Others' jobs are candidates for a queue that stays within its quota, or where it may borrow over
 * them. */
static void add_others(struct plan *plan, enum pt_kueue_switch how, int64_t below)
{
    struct pt_kueue *kueue = plan->kueue;
    uint32_t root = pt__kueue_root(&kueue->quota, plan->tenant);
    for (uint32_t t = 0; t < kueue->tenant_count; t++) {
        if (t == plan->tenant || pt__kueue_root(&kueue->quota, t) != root) continue;
        if (pt__kueue_borrows(&kueue->quota, t, 0)) add(plan, t, how, below);
    }
}

bool pt__kueue_preempt(struct pt_kueue *kueue, struct pt_ctx *ctx, pt_job job, uint32_t tenant,
                       uint32_t pool)
{
    struct plan plan = {.kueue = kueue,
                        .ctx = ctx,
                        .job = job,
                        .tenant = tenant,
                        .pool = pool,
                        .parts = pt__kueue_parts(ctx, job, pool)};
    bool at_home = !pt__kueue_borrows(&kueue->quota, tenant, plan.parts);
    const struct pt_preemption *how = pt_view_preemption(ctx);
    if (how->mode == PT_PREEMPTION_NONE || !pt_view_rank(ctx, job).preempts) return false;
    bool saves = how->save_base_ns > 0 || how->save_per_gib_ns > 0;
    if (saves && pt_view_units_wanted(ctx, job) == 0) return false; /* it can't wait for units */
    if (kueue->reclaim != PT_KUEUE_NEVER) {
        bool over_others = kueue->borrow == PT_KUEUE_LOWER;
        if (at_home || kueue->fair)
            add_others(&plan, kueue->reclaim, INT64_MAX);
        else if (over_others)
            add_others(&plan, PT_KUEUE_LOWER, kueue->borrow_below);
        add(&plan, tenant, kueue->within, INT64_MAX);
        if (plan.count > 0) {
            sort(&plan);
            if (stop_enough(&plan, !at_home)) return true;
        }
        plan.count = 0;
    }
    add(&plan, tenant, kueue->within, INT64_MAX);
    if (plan.count == 0) return false;
    sort(&plan);
    return stop_enough(&plan, true);
}
