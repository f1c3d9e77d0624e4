#include <stdlib.h>

#include "policies/fair/auction.h"
#include "policies/fair/fair.h"
#include "policies/fair/lines.h"

/* Themis' finish-time fairness: rho = T_shared / T_isolated, with
 *     T_shared   = now - arrival + what is left / R of the pool,
 *     T_isolated = work x number of tenants, which is what 1 / number of the cluster takes.
 * The number of tenants is the same for all jobs at one instant, so that it decides nothing.
 *
 * GPUs are leased. At every full lease the GPUs that are free and those whose lease is over are
 * auctioned: the worst 1 - f of all bidders by rho, bidders being the jobs that wait and those
 * whose lease is over, are served first, greedily by the largest drop of rho; what is left goes to
 * the rest, worst first. A job is all or nothing, so that a lease lowers its rho by lease /
 * T_isolated. Who holds GPUs keeps them as long as nobody who is served before needs them. In
 * between, GPUs that are released go by the same auction at once, so that none is idle. Each
 * auction is O(bidders). */

enum { PARAM_LEASE, PARAM_FRACTION };

static const struct pt_param params[] = {
    [PARAM_LEASE] = {"lease", PT_PARAM_DURATION, "s", "20min", "1s", NULL, NULL,
                     "for how long GPUs are given; the auctions are at its multiples"},
    [PARAM_FRACTION] = {"fraction", PT_PARAM_NUMBER, "", "0.8", "0", "1", NULL,
                        "f: the worst 1 - f of the bidders are served first"},
    {0}};

struct waiter {
    double ahead_ns, work_ns; /* rho = (now + ahead) / work */
    pt_job job;
};

struct finish_time {
    struct pt_lines lines; /* of one leaf: which classes may fit */
    struct waiter *waiter;
    uint32_t *slot; /* by job: its place among waiters */
    uint32_t waiter_count, bidder_count;
    struct pt_bidder *bidder;
    uint8_t *hopeless; /* by class, in one auction */
    bool may_preempt;
    int64_t lease_ns, wake_ns, auction_ns; /* when the next and the latest full auction is */
    uint64_t f_ppm;
};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_WORK_CONSERVING;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct finish_time);
}

static void fini(void *state)
{
    struct finish_time *fair = state;
    pt__lines_fini(&fair->lines);
    free(fair->waiter);
    free(fair->slot);
    free(fair->bidder);
    free(fair->hopeless);
}

static struct pt_line_of line_of(void *state, const struct pt_ctx *ctx, pt_job job)
{
    (void)state, (void)ctx, (void)job;
    return (struct pt_line_of){0};
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct finish_time *fair = state;
    size_t jobs = (size_t)pt_view_trace(ctx)->job_count + 1;
    fair->may_preempt = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE;
    fair->lease_ns = values[PARAM_LEASE].integer;
    fair->f_ppm = (uint64_t)values[PARAM_FRACTION].ppm;
    fair->wake_ns = fair->auction_ns = -1;
    fair->waiter = malloc(jobs * sizeof *fair->waiter);
    fair->slot = malloc(jobs * sizeof *fair->slot);
    fair->bidder = malloc(jobs * sizeof *fair->bidder);
    fair->hopeless = calloc((size_t)pt_view_class_count(ctx) + 1, 1);
    enum pt_status status = PT_OK;
    if (fair->waiter == NULL || fair->slot == NULL || fair->bidder == NULL ||
        fair->hopeless == NULL)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu bidders", jobs);
    if (status == PT_OK) status = pt__lines_init(&fair->lines, ctx, 1, line_of, NULL, error);
    if (status != PT_OK) {
        fini(fair);
        return status;
    }
    for (size_t job = 0; job < jobs; job++)
        fair->slot[job] = PT_NONE;
    return PT_OK;
}

/* ---- who waits ---- */

static double speed_in(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return (double)pt_view_rate(ctx, pool, job) / (double)PT_SPEED_ONE;
}

/* Of the pools that the job may use, as an operator hopes. */
static double best_speed(const struct pt_ctx *ctx, pt_job job)
{
    double best = 0;
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; pools != 0; pools &= pools - 1) {
        double speed = speed_in(ctx, (uint32_t)__builtin_ctzll(pools), job);
        if (speed > best) best = speed;
    }
    return best > 0 ? best : 1;
}

static struct waiter waiter_of(const struct pt_ctx *ctx, pt_job job, double speed)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    int64_t work_ns = pt_trace_work_ns(trace)[job];
    return (struct waiter){.ahead_ns = (double)pt_view_left_ns(ctx, job) / speed -
                                       (double)pt_trace_submit_ns(trace)[job],
                           .work_ns = work_ns > 0 ? (double)work_ns : 1,
                           .job = job};
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct finish_time *fair = state;
    fair->slot[job] = fair->waiter_count;
    fair->waiter[fair->waiter_count++] = waiter_of(ctx, job, best_speed(ctx, job));
    pt__lines_add(&fair->lines, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct finish_time *fair = state;
    uint32_t slot = fair->slot[job];
    (void)ctx;
    if (slot == PT_NONE) return; /* it had its units, but gave up before they served it */
    struct waiter last = fair->waiter[--fair->waiter_count];
    fair->waiter[slot] = last;
    fair->slot[last.job] = slot;
    fair->slot[job] = PT_NONE;
    pt__lines_remove(&fair->lines, job);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct finish_time *fair = state;
    pt__lines_released(&fair->lines, ctx, pools);
}

static uint32_t class_of(const struct finish_time *fair, pt_job job)
{
    return fair->lines.line[fair->lines.line_of[job]].class_id;
}

static bool may_fit(const struct finish_time *fair, pt_job job)
{
    return fair->lines.class_state[class_of(fair, job)] == PT_CLASS_FITS;
}

static void unfit(struct finish_time *fair, const struct pt_ctx *ctx, pt_job job)
{
    bool limit = pt_view_why(ctx) == PT_REASON_LIMIT;
    pt__lines_unfit(&fair->lines, class_of(fair, job), limit ? PT_CLASS_OVERLIMIT : PT_CLASS_UNFIT);
}

/* ---- free GPUs ---- */

static void bid(struct finish_time *fair, const struct pt_ctx *ctx, const struct waiter *waiter,
                bool runs)
{
    double now_ns = (double)pt_view_now_ns(ctx);
    fair->bidder[fair->bidder_count++] =
        (struct pt_bidder){.rho = (now_ns + waiter->ahead_ns) / waiter->work_ns,
                           .work_ns = waiter->work_ns,
                           .job = waiter->job,
                           .runs = runs};
}

static void all_bid(struct finish_time *fair, const struct pt_ctx *ctx)
{
    fair->bidder_count = 0;
    for (uint32_t i = 0; i < fair->waiter_count; i++)
        bid(fair, ctx, &fair->waiter[i], false);
}

/* Serves these bidders as long as somebody may fit. */
static enum pt_status serve(struct finish_time *fair, struct pt_ctx *ctx, struct pt_bidder *bidders,
                            uint32_t count, bool by_drop)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (may_fit(fair, bidders[i].job)) bidders[left++] = bidders[i];
    pt__auction_heap(bidders, left, by_drop);
    for (; left > 0 && fair->lines.fit_classes > 0; left--) {
        pt_job job = bidders[0].job;
        const struct pt_units *units;
        pt__auction_pop(bidders, left, by_drop);
        if (!may_fit(fair, job)) continue;
        if (!pt_ctx_place(ctx, &units, job, UINT64_MAX)) {
            unfit(fair, ctx, job);
            continue;
        }
        on_withdrawn(fair, ctx, job); /* before it can come back */
        PT_TRY(pt_ctx_start(ctx, job, units));
    }
    return PT_OK;
}

static enum pt_status auction_free(struct finish_time *fair, struct pt_ctx *ctx)
{
    if (fair->lines.fit_classes == 0) return PT_OK;
    all_bid(fair, ctx);
    uint32_t count = fair->bidder_count, worst = pt__auction_worst(count, fair->f_ppm);
    pt__auction_split(fair->bidder, count, worst);
    PT_TRY(serve(fair, ctx, fair->bidder, worst, true));
    return serve(fair, ctx, fair->bidder + worst, count - worst, false);
}

/* ---- GPUs whose lease is over ---- */

static void holders_bid(struct finish_time *fair, const struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        pt_job job = pt_view_running_at(ctx, i);
        if (now_ns - pt_view_attempt_ns(ctx, job) < fair->lease_ns) continue;
        if (!pt_view_preemptible(ctx, job)) continue;
        struct waiter holder = waiter_of(ctx, job, speed_in(ctx, pt_view_held_pool(ctx, job), job));
        bid(fair, ctx, &holder, true);
    }
}

/* Lifts who is served last, down to the bidder itself, until it fits: index of the last one lifted,
 * PT_NONE = it does not fit, and nobody is lifted for it. */
static uint32_t make_room(struct finish_time *fair, struct pt_ctx *ctx, uint32_t self,
                          const struct pt_units **units)
{
    struct pt_bidder *bidders = fair->bidder;
    pt_job job = bidders[self].job;
    uint64_t pools = pt_view_class_pools(ctx, class_of(fair, job));
    for (uint32_t i = fair->bidder_count; i-- > self + 1;) {
        struct pt_bidder *other = &bidders[i];
        if (!other->runs || other->lifted ||
            (pools & PT_POOL_BIT(pt_view_held_pool(ctx, other->job))) == 0 ||
            !pt_ctx_try_lift(ctx, other->job))
            continue;
        other->lifted = true;
        if (!pt_ctx_place(ctx, units, job, UINT64_MAX)) continue;
        return i;
    }
    return PT_NONE;
}

/* Puts back who need not go, from bidder `last` on: all, or those without whom the bidder fits. */
static void keep(struct finish_time *fair, struct pt_ctx *ctx, uint32_t self, uint32_t last,
                 bool all)
{
    const struct pt_units *units;
    for (uint32_t i = last; i < fair->bidder_count; i++) {
        struct pt_bidder *other = &fair->bidder[i];
        if (!other->lifted || !pt_ctx_try_unlift(ctx, other->job)) continue;
        other->lifted = false;
        if (all || pt_ctx_place(ctx, &units, fair->bidder[self].job, UINT64_MAX)) continue;
        other->lifted = pt_ctx_try_lift(ctx, other->job);
    }
}

/* The bidder gets GPUs in the trial if it can; true if it did. */
static bool grant(struct finish_time *fair, struct pt_ctx *ctx, uint32_t self)
{
    pt_job job = fair->bidder[self].job;
    const struct pt_units *units;
    if (!pt_ctx_place(ctx, &units, job, UINT64_MAX)) {
        uint32_t last = make_room(fair, ctx, self, &units);
        if (last == PT_NONE) {
            keep(fair, ctx, self, self + 1, true);
            return false;
        }
        keep(fair, ctx, self, last + 1, false);
        if (!pt_ctx_place(ctx, &units, job, UINT64_MAX)) return false;
    }
    return pt_ctx_try_assume(ctx, job, units);
}

static enum pt_status auction_all(struct finish_time *fair, struct pt_ctx *ctx)
{
    uint32_t granted = 0;
    all_bid(fair, ctx);
    holders_bid(fair, ctx);
    uint32_t count = fair->bidder_count;
    if (count == fair->waiter_count) return PT_OK; /* no lease is over */
    pt__auction_order(fair->bidder, count, pt__auction_worst(count, fair->f_ppm));
    for (uint32_t c = 0; c < fair->lines.class_count; c++)
        fair->hopeless[c] = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pt_bidder *bidder = &fair->bidder[i];
        uint8_t *hopeless = &fair->hopeless[class_of(fair, bidder->job)];
        if (bidder->runs || *hopeless) continue;
        *hopeless = !grant(fair, ctx, i);
        if (!*hopeless) {
            bidder->lifted = true;
            granted++;
        }
    }
    if (granted == 0) {
        pt_ctx_try_abort(ctx);
        return PT_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!fair->bidder[i].runs && fair->bidder[i].lifted)
            on_withdrawn(fair, ctx, fair->bidder[i].job); /* before it can come back */
    return pt_ctx_try_commit(ctx);
}

static enum pt_status wake_for_next(struct finish_time *fair, struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx), next_ns = now_ns - now_ns % fair->lease_ns;
    if (fair->waiter_count == 0 || pt_view_running_count(ctx) == 0) return PT_OK;
    if (next_ns > PT_TIME_MAX - fair->lease_ns) return PT_OK;
    next_ns += fair->lease_ns;
    if (fair->wake_ns == next_ns) return PT_OK;
    fair->wake_ns = next_ns;
    return pt_ctx_wake_at(ctx, next_ns);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct finish_time *fair = state;
    int64_t now_ns = pt_view_now_ns(ctx);
    if (fair->waiter_count == 0) return PT_OK;
    if (fair->may_preempt && now_ns % fair->lease_ns == 0 && fair->auction_ns != now_ns) {
        fair->auction_ns = now_ns;
        PT_TRY(auction_all(fair, ctx));
    }
    PT_TRY(auction_free(fair, ctx));
    return fair->may_preempt ? wake_for_next(fair, ctx) : PT_OK;
}

const struct pt_policy_ops pt__finish_time_fairness = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "finish_time_fairness",
    .summary =
        "Themis: leases go to the jobs that are slowed down most against a share of their own",
    .source = "Mahajan et al. (Themis), NSDI 2020",
    .columns = "",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = on_release,
    .schedule = schedule,
};
