#include "policies/order/order.h"
#include "policies/order/service.h"

/* Least attained service: who has been served least goes first, and stops jobs that have been
 * served strictly more, most first, only if that makes it fit. Service is GPU time
 * (two-dimensional, as Tiresias counts it) or time alone. What running jobs have been served is
 * looked at when somebody comes to wait and every `quantum` while somebody does: who runs keeps
 * running until a round finds it ahead of one who waits, and jobs alike take turns of a quantum or
 * two. With a small quantum that is the continuous discipline, in which those served least share
 * the GPUs. */

enum { PARAM_BLOCKING = PT_RANKED_BLOCKING, PARAM_BY_GPUS, PARAM_QUANTUM };

static const struct pt_param params[] = {
    [PARAM_BLOCKING] = PT_RANKED_BLOCKING_PARAM("skip"),
    [PARAM_BY_GPUS] = {"by_gpus", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                       "true: service is GPU time; false: time alone"},
    [PARAM_QUANTUM] = {"quantum", PT_PARAM_DURATION, "s", "1min", "1ms", NULL, NULL,
                       "how often the service of running jobs is looked at while somebody waits"},
    {0}};

struct las {
    struct pt_ranked order; /* first: the functions of ranked.h are given this */
    struct pt_rounds rounds;
    bool by_gpus;
};

static pt_u128 key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    return pt__service(ctx, job, ((const struct las *)order)->by_gpus, 0);
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct las);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    static const struct pt_ranked_rule least_served = {.key = key};
    struct las *las = state;
    las->by_gpus = values[PARAM_BY_GPUS].integer != 0;
    pt__rounds_init(&las->rounds, values[PARAM_QUANTUM].integer);
    return pt__service_init(&las->order, ctx, values, &least_served, error);
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct las *las = state;
    pt__rounds_on_timer(&las->rounds, &las->order, ctx);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct las *las = state;
    return pt__rounds_schedule(&las->rounds, &las->order, ctx);
}

const struct pt_policy_ops pt__las = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "las",
    .summary = "least attained service first: stops jobs that have been served strictly more",
    .source = "Kleinrock, Queueing Systems II (1976), foreground-background; 2D-LAS of Tiresias "
              "(Gu et al., NSDI 2019), section 3",
    .columns = "gpu_frac",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = params,
    .flags = pt__ranked_flags,
    .state_size = state_size,
    .init = init,
    .fini = pt__ranked_fini,
    .on_pending = pt__ranked_on_pending,
    .on_withdrawn = pt__ranked_on_withdrawn,
    .on_release = pt__ranked_on_release,
    .on_timer = on_timer,
    .on_started = pt__ranked_on_started,
    .on_stopped = pt__ranked_on_stopped,
    .schedule = schedule,
};
