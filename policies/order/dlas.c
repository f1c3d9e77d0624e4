#include <stdlib.h>

#include "policies/order/levels.h"
#include "policies/order/order.h"
#include "policies/order/service.h"
#include "policies/order/timers.h"

/* Discretised least attained service (Tiresias): queues with thresholds of service. A job starts in
 * the first and sinks to the next the moment its service reaches its queue's threshold, running or
 * not; jobs of one queue go in queue order. A job stops running ones of lower queues alone, the
 * lowest first. So jobs are stopped seldom: at most once a threshold for each job above it.
 *
 * `promotion` (Tiresias' PROMOTEKNOB): a job that has waited so many times as long as it has run
 * since it was in the first queue last goes back there, and is counted anew. */

enum { PARAM_BLOCKING = PT_RANKED_BLOCKING, PARAM_BY_GPUS, PARAM_THRESHOLDS, PARAM_PROMOTION };

static const struct pt_param params[] = {
    [PARAM_BLOCKING] = PT_RANKED_BLOCKING_PARAM("skip"),
    [PARAM_BY_GPUS] = {"by_gpus", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                       "true: service is GPU time; false: time alone"},
    [PARAM_THRESHOLDS] = {"thresholds", PT_PARAM_WORDS, "s", PT__THRESHOLDS_DEFAULT, "1", NULL,
                          NULL,
                          "service at which a job leaves each queue but the last, rising: seconds "
                          "of GPU time (by_gpus: false: of time)"},
    [PARAM_PROMOTION] = {"promotion", PT_PARAM_NUMBER, "", "0", "0", "1e6", NULL,
                         "a job that waits so many times as long as it has run goes back to the "
                         "first queue; 0 = never"},
    {0}};

struct dlas {
    struct pt_ranked order; /* first: the functions of ranked.h are given this */
    struct pt_levels levels;
    struct pt_timers timers; /* running: when it sinks; waiting: when it is promoted */
    bool by_gpus;
    int64_t promotion_ppm;
    uint8_t *level;     /* by job */
    int64_t *before_ns; /* by job: time served before it was promoted last; NULL = none ever is */
};

static pt_u128 key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    (void)ctx;
    return ((const struct dlas *)order)->level[job];
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct dlas);
}

static void fini(void *state)
{
    struct dlas *dlas = state;
    pt__ranked_fini(state);
    pt__timers_fini(&dlas->timers);
    free(dlas->level);
    free(dlas->before_ns);
}

static enum pt_status allocate(struct dlas *dlas, const struct pt_ctx *ctx, struct pt_error *error)
{
    size_t jobs = pt_view_trace(ctx)->job_count;
    dlas->level = calloc(jobs + 1, sizeof *dlas->level);
    if (dlas->promotion_ppm > 0) dlas->before_ns = calloc(jobs + 1, sizeof *dlas->before_ns);
    if (dlas->level == NULL || (dlas->promotion_ppm > 0 && dlas->before_ns == NULL))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the queues of %zu jobs", jobs);
    return pt__timers_init(&dlas->timers, ctx, error);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    static const struct pt_ranked_rule least_level = {.key = key};
    struct dlas *dlas = state;
    dlas->by_gpus = values[PARAM_BY_GPUS].integer != 0;
    dlas->promotion_ppm = values[PARAM_PROMOTION].ppm;
    PT_TRY(pt__levels_parse(&dlas->levels, params[PARAM_THRESHOLDS].name,
                            values[PARAM_THRESHOLDS].text, error));
    enum pt_status status = allocate(dlas, ctx, error);
    if (status == PT_OK) status = pt__service_init(&dlas->order, ctx, values, &least_level, error);
    if (status != PT_OK) fini(state);
    return status;
}

static int64_t before_ns(const struct dlas *dlas, pt_job job)
{
    return dlas->before_ns == NULL ? 0 : dlas->before_ns[job];
}

static pt_u128 threshold(const struct dlas *dlas, pt_job job)
{
    return (pt_u128)(uint64_t)dlas->levels.limit_ns[dlas->level[job]] * PT_PPM_ONE;
}

/* To the queue that its service has come to; true if that is another. */
static bool sink(struct dlas *dlas, const struct pt_ctx *ctx, pt_job job)
{
    uint8_t level = dlas->level[job];
    pt_u128 service = pt__service(ctx, job, dlas->by_gpus, before_ns(dlas, job));
    while (dlas->level[job] < dlas->levels.count && service >= threshold(dlas, job))
        dlas->level[job]++;
    return dlas->level[job] != level;
}

/* A running job: the moment it sinks. */
static void set_sinking(struct dlas *dlas, const struct pt_ctx *ctx, pt_job job)
{
    int64_t now_ns = pt_view_now_ns(ctx), at_ns = PT_NEVER;
    uint64_t rate = dlas->by_gpus ? pt__gpus_asked(ctx, job) : PT_PPM_ONE;
    if (dlas->level[job] < dlas->levels.count && rate > 0) {
        pt_u128 left =
            threshold(dlas, job) - pt__service(ctx, job, dlas->by_gpus, before_ns(dlas, job));
        pt_u128 wait = (left + rate - 1) / rate;
        if (wait < (uint64_t)(PT_TIME_MAX - now_ns)) at_ns = now_ns + (int64_t)wait;
    }
    pt__timers_set(&dlas->timers, job, at_ns);
}

/* A waiting job: when it has waited long enough. */
static void set_promotion(struct dlas *dlas, const struct pt_ctx *ctx, pt_job job)
{
    int64_t now_ns = pt_view_now_ns(ctx), ran_ns;
    if (dlas->promotion_ppm == 0 || dlas->level[job] == 0) return;
    ran_ns = pt_view_served_ns(ctx, job) - before_ns(dlas, job);
    pt_u128 wait = (pt_u128)(uint64_t)ran_ns * (uint64_t)dlas->promotion_ppm / PT_PPM_ONE;
    if (wait < (uint64_t)(PT_TIME_MAX - now_ns))
        pt__timers_set(&dlas->timers, job, now_ns + (int64_t)wait);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct dlas *dlas = state;
    (void)sink(dlas, ctx, job);
    set_promotion(dlas, ctx, job);
    pt__ranked_on_pending(state, ctx, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct dlas *dlas = state;
    pt__timers_set(&dlas->timers, job, PT_NEVER);
    pt__ranked_on_withdrawn(state, ctx, job);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct dlas *dlas = state;
    set_sinking(dlas, ctx, job);
    pt__ranked_on_started(state, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct dlas *dlas = state;
    pt__timers_set(&dlas->timers, job, PT_NEVER);
    pt__ranked_on_stopped(state, ctx, job, why);
}

static void promote(struct dlas *dlas, struct pt_ctx *ctx, pt_job job)
{
    dlas->level[job] = 0;
    dlas->before_ns[job] = pt_view_served_ns(ctx, job);
    pt__ranked_on_pending(dlas, ctx, job); /* it has another key now */
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct dlas *dlas = state;
    bool sunk = false;
    for (pt_job job; (job = pt__timers_due(&dlas->timers, ctx)) != PT_NONE;) {
        enum pt_job_state now = pt_view_state(ctx, job);
        if (now == PT_STATE_PENDING || now == PT_STATE_PAUSED) {
            promote(dlas, ctx, job);
        } else if (sink(dlas, ctx, job)) {
            set_sinking(dlas, ctx, job);
            if (dlas->order.stops && dlas->order.running.place[job] != 0)
                pt__running_add(&dlas->order.running, job, pt_view_held_pool(ctx, job),
                                dlas->level[job]);
            sunk = true;
        }
    }
    if (sunk) pt__ranked_on_release(state, ctx, UINT64_MAX); /* there are more to stop */
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct dlas *dlas = state;
    PT_TRY(pt__ranked_schedule(state, ctx));
    return pt__timers_arm(&dlas->timers, ctx);
}

const struct pt_policy_ops pt__dlas = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "dlas",
    .summary = "discretised least attained service: queues by thresholds of GPU time, first in, "
               "first out in each; stops jobs of lower queues",
    .source = "Tiresias (Gu et al., NSDI 2019), section 3.3 and PROMOTEKNOB",
    .columns = "gpu_frac",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = params,
    .flags = pt__ranked_flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = pt__ranked_on_release,
    .on_timer = on_timer,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
