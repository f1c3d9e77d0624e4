#include "policies/order/order.h"
#include "policies/order/service.h"

/* Quasi-shortest service first: least time x GPUs, ties in queue order. The time is the users'
 * estimate, or the true work.
 *
 * `first_by_gpus` is what Helios' own simulator does besides: at each tick it sorts the queue by
 * GPUs, and by service only where somebody waited before the jobs that arrive at that tick. So
 * jobs that arrive at one instant to an empty queue go by GPUs alone, then; and jobs of equal
 * service go by GPUs. */

enum { PARAM_FIRST_BY_GPUS = PT_RANKED_OWN };

static const struct pt_param params[] = {
    PT_RANKED_BLOCKING_PARAM("strict"),
    PT_DEFRAGMENT_ROWS,
    PT_RANKED_BY_PARAM("estimate"),
    [PARAM_FIRST_BY_GPUS] = {"first_by_gpus", PT_PARAM_BOOL, "", "false", NULL, NULL, NULL,
                             "true: as Helios' simulator, jobs that arrive at once to an empty "
                             "queue go by GPUs, and so do jobs of equal service"},
    {0}};

struct qssf {
    struct pt_ranked order; /* first: the functions of ranked.h are given this */
    bool first_by_gpus;
    int64_t fresh_ns;            /* when jobs last arrived to an empty queue */
    pt_job fresh_from, fresh_to; /* those that did; their keys say so until the instant is over */
};

static bool is_fresh(const struct qssf *q, const struct pt_ctx *ctx, pt_job job)
{
    return job >= q->fresh_from && job < q->fresh_to && pt_view_now_ns(ctx) == q->fresh_ns &&
           pt_view_state(ctx, job) == PT_STATE_PENDING;
}

static pt_u128 key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    const struct qssf *q = (const struct qssf *)order;
    const struct pt_trace *trace = pt_view_trace(ctx);
    uint64_t amount = pt__gpus_asked(ctx, job), units = pt_view_units_wanted(ctx, job);
    int64_t time_ns = order->by_estimate ? pt_trace_time(trace, PT_COL_ESTIMATE, job)
                                         : pt_trace_work_ns(trace)[job];
    pt_u128 tie = !q->first_by_gpus ? 1 : units < UINT16_MAX ? units : UINT16_MAX;
    pt_u128 most = PT_QUEUE_LAST >> (q->first_by_gpus ? 16 : 0);
    if (q->first_by_gpus && is_fresh(q, ctx, job)) return amount;
    if (time_ns == PT_TIME_ABSENT || time_ns == PT_NEVER) return PT_QUEUE_LAST;
    pt_u128 service = (pt_u128)(uint64_t)time_ns * amount;
    if (service >= most) service = most - 1;
    return q->first_by_gpus ? service << 16 | tie : service;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct qssf);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    static const struct pt_ranked_rule least_service = {.key = key, .by_work = true};
    struct qssf *q = state;
    q->first_by_gpus = values[PARAM_FIRST_BY_GPUS].integer != 0;
    q->fresh_ns = PT_NEVER;
    return pt__ranked_init(&q->order, ctx, values, &least_service, error);
}

/* The instant is over: those of its arrivals that still wait go by their service. */
static void settle(struct qssf *q, struct pt_ctx *ctx)
{
    if (q->fresh_from == q->fresh_to || q->fresh_ns == pt_view_now_ns(ctx)) return;
    for (pt_job job = q->fresh_from; job < q->fresh_to; job++)
        if (pt_view_state(ctx, job) == PT_STATE_PENDING)
            (void)pt__queue_add(&q->order.queue, ctx, job, key(&q->order, ctx, job));
    q->fresh_from = q->fresh_to = 0;
    pt__ranked_on_release(q, ctx, UINT64_MAX);
}

static bool arrives(const struct pt_ctx *ctx, pt_job job)
{
    return pt_view_state(ctx, job) == PT_STATE_PENDING &&
           pt_trace_submit_ns(pt_view_trace(ctx))[job] == pt_view_now_ns(ctx) &&
           pt_view_first_start_ns(ctx, job) == PT_NEVER;
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct qssf *q = state;
    if (q->first_by_gpus) {
        settle(q, ctx);
        if (arrives(ctx, job)) {
            if (pt_view_pending_count(ctx) == 1) {
                q->fresh_ns = pt_view_now_ns(ctx);
                q->fresh_from = q->fresh_to = job;
            }
            if (q->fresh_ns == pt_view_now_ns(ctx) && job == q->fresh_to) q->fresh_to++;
        }
    }
    pt__ranked_on_pending(state, ctx, job);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    settle(state, ctx);
    return pt__ranked_schedule(state, ctx);
}

const struct pt_policy_ops pt__qssf = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "qssf",
    .summary = "quasi-shortest service first: least estimated time x GPUs",
    .source = "Helios (Hu et al., SC 2021), section 4.2: QSSF service",
    .columns = "estimate_s,gpu_frac",
    .params = params,
    .flags = pt__ranked_flags,
    .state_size = state_size,
    .init = init,
    .fini = pt__ranked_fini,
    .on_pending = on_pending,
    .on_withdrawn = pt__ranked_on_withdrawn,
    .on_release = pt__ranked_on_release,
    .on_started = pt__ranked_on_started,
    .on_stopped = pt__ranked_on_stopped,
    .schedule = schedule,
};
