#include "partita/random.h"
#include "policies/order/feasible.h"
#include "policies/order/order.h"
#include "policies/order/ranked.h"

/* The orders that are a key per job (semantics.md, section 4): one row each. */

static const char columns_of_time[] = "estimate_s";

enum { PARAM_ADMISSION = PT_RANKED_OWN };
enum { ADMISSION_NONE, ADMISSION_POSSIBLE, ADMISSION_FEASIBLE };

/* ---- what keys are made of ---- */

static pt_u128 of_time(int64_t ns)
{
    return ns == PT_TIME_ABSENT || ns == PT_NEVER ? PT_QUEUE_LAST : (pt_u128)(uint64_t)ns;
}

/* The whole work, or what the user said of it. */
static pt_u128 work(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    if (order->by_estimate) return of_time(pt_trace_time(trace, PT_COL_ESTIMATE, job));
    return (uint64_t)pt_trace_work_ns(trace)[job];
}

/* What is left of it; of an estimate, the estimate less the work that is done and kept. */
static pt_u128 work_left(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    uint64_t left = (uint64_t)pt_view_left_ns(ctx, job);
    if (!order->by_estimate) return left;
    pt_u128 whole = work(order, ctx, job);
    uint64_t true_work = (uint64_t)pt_trace_work_ns(pt_view_trace(ctx))[job];
    if (whole == PT_QUEUE_LAST) return whole;
    return whole + left > true_work ? whole + left - true_work : 0;
}

/* GPUs that it asks for, in millionths. */
static uint64_t gpus(const struct pt_ctx *ctx, pt_job job)
{
    uint32_t part = pt_trace_u32(pt_view_trace(ctx), PT_COL_GPU_FRAC, job);
    return pt_view_units_wanted(ctx, job) * (part == PT_NONE ? UINT64_C(1000000) : part);
}

/* Time of so many GPUs; unknown time stays last. */
static pt_u128 service(const struct pt_ctx *ctx, pt_job job, pt_u128 time)
{
    if (time == PT_QUEUE_LAST) return time;
    uint64_t amount = gpus(ctx, job);
    if (amount != 0 && time > (PT_QUEUE_LAST - 1) / amount) return PT_QUEUE_LAST - 1;
    return time * amount;
}

/* ---- the keys ---- */

static pt_u128 size_key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    (void)order;
    return gpus(ctx, job);
}

static pt_u128 service_left_key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    return service(ctx, job, work_left(order, ctx, job));
}

static pt_u128 drawn_key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    pt_rng_seed(order->rng, pt_view_seed(ctx), PT_PURPOSE_POLICY, job);
    return gsl_rng_get(order->rng);
}

/* When it is due; PT_NEVER = it has no deadline. */
static int64_t due_ns(const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    int64_t within_ns = pt_trace_time(trace, PT_COL_DEADLINE, job);
    int64_t submit_ns = pt_trace_submit_ns(trace)[job];
    if (within_ns == PT_TIME_ABSENT || within_ns > PT_NEVER - submit_ns) return PT_NEVER;
    return submit_ns + within_ns;
}

static pt_u128 due_key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    (void)order;
    pt_u128 due = of_time(due_ns(ctx, job));
    return due == PT_QUEUE_LAST ? due : due + 1; /* above PT_RANKED_REFUSED */
}

static int64_t plan_left_ns(const void *owner, const struct pt_ctx *ctx, pt_job job)
{
    pt_u128 left = work_left(owner, ctx, job);
    return left >= (pt_u128)PT_NEVER ? PT_NEVER : (int64_t)left;
}

static int64_t plan_due_ns(const void *owner, const struct pt_ctx *ctx, pt_job job)
{
    (void)owner;
    return due_ns(ctx, job);
}

/* Even if it started now, on the fastest GPUs that it may use, it would end too late. */
static bool ends_too_late(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    int64_t left_ns = plan_left_ns(order, ctx, job);
    uint64_t best = 0;
    if (left_ns == PT_NEVER) return false; /* nothing is known of it */
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; pools != 0; pools &= pools - 1) {
        uint64_t rate = pt_view_rate(ctx, (uint32_t)__builtin_ctzll(pools), job);
        if (rate > best) best = rate;
    }
    return pt__feasible_time(left_ns, best) > due_ns(ctx, job) - pt_view_now_ns(ctx);
}

static bool edf_refuses(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job,
                        bool arrives)
{
    if (order->admission == ADMISSION_NONE || due_ns(ctx, job) == PT_NEVER) return false;
    if (ends_too_late(order, ctx, job)) return true;
    if (order->admission != ADMISSION_FEASIBLE || !arrives) return false;
    if (plan_left_ns(order, ctx, job) == PT_NEVER) return false;
    struct pt_feasible_facts facts = {order, plan_left_ns, plan_due_ns};
    pt_u128 rank = pt__queue_rank(due_key(order, ctx, job), job);
    return !pt__feasible(order->plan, &order->queue, ctx, job, rank, &facts);
}

/* ---- the rows ---- */

static const struct pt_ranked_rule shortest = {.key = work, .by_work = true},
                                   smallest = {.key = size_key},
                                   least_left = {.key = work_left, .falls = true, .by_work = true},
                                   least_service_left = {.key = service_left_key,
                                                         .falls = true,
                                                         .by_work = true},
                                   drawn = {.key = drawn_key},
                                   earliest_due = {
                                       .key = due_key, .by_work = true, .refuses = edf_refuses};

static const struct pt_param blind_params[] = {
    PT_RANKED_BLOCKING_PARAM("strict"), PT_DEFRAGMENT_ROWS, {0}};
static const struct pt_param strict_params[] = {
    PT_RANKED_BLOCKING_PARAM("strict"), PT_DEFRAGMENT_ROWS, PT_RANKED_BY_PARAM("work"), {0}};
static const struct pt_param skip_params[] = {
    PT_RANKED_BLOCKING_PARAM("skip"), PT_DEFRAGMENT_ROWS, PT_RANKED_BY_PARAM("work"), {0}};

static const char *const admission_choices[] = {"none", "possible", "feasible", NULL};
static const struct pt_param edf_params[] = {
    PT_RANKED_BLOCKING_PARAM("strict"),
    PT_DEFRAGMENT_ROWS,
    [PT_RANKED_BY] = {"by", PT_PARAM_CHOICE, "", "work", NULL, NULL, pt__by_choices,
                      "what `admission` goes by: true work, or the users' estimates (absent = "
                      "never declined)"},
    [PARAM_ADMISSION] = {"admission", PT_PARAM_CHOICE, "", "none", NULL, NULL, admission_choices,
                         "possible: decline a job that could not end by its deadline even if it "
                         "started at once on the fastest GPUs that it may use; feasible: also, as "
                         "it arrives, one that a plan in this order has late, or that makes "
                         "another late"},
    {0}};

static enum pt_status sjf_init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                               struct pt_error *error)
{
    return pt__ranked_init(state, ctx, values, &shortest, error);
}

static enum pt_status smallest_init(void *state, const struct pt_ctx *ctx,
                                    const struct pt_value *values, struct pt_error *error)
{
    return pt__ranked_init(state, ctx, values, &smallest, error);
}

static enum pt_status srtf_init(void *state, const struct pt_ctx *ctx,
                                const struct pt_value *values, struct pt_error *error)
{
    return pt__ranked_init(state, ctx, values, &least_left, error);
}

static enum pt_status srsf_init(void *state, const struct pt_ctx *ctx,
                                const struct pt_value *values, struct pt_error *error)
{
    return pt__ranked_init(state, ctx, values, &least_service_left, error);
}

static enum pt_status random_init(void *state, const struct pt_ctx *ctx,
                                  const struct pt_value *values, struct pt_error *error)
{
    struct pt_ranked *order = state;
    order->rng = gsl_rng_alloc(pt_rng_type);
    if (order->rng == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for a generator");
    enum pt_status status = pt__ranked_init(state, ctx, values, &drawn, error);
    if (status != PT_OK) gsl_rng_free(order->rng);
    return status;
}

static enum pt_status edf_init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                               struct pt_error *error)
{
    struct pt_ranked *order = state;
    order->admission = (uint8_t)values[PARAM_ADMISSION].integer;
    if (order->admission == ADMISSION_FEASIBLE && (order->plan = pt__feasible_new(ctx)) == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for a plan");
    enum pt_status status = pt__ranked_init(state, ctx, values, &earliest_due, error);
    if (status != PT_OK) pt__feasible_fini(order->plan);
    return status;
}

const struct pt_policy_ops pt__sjf = {
    PT_RANKED_FUNCTIONS,
    .name = "sjf",
    .summary = "shortest job first: least work, ties in queue order",
    .source = "Conway, Maxwell and Miller, Theory of Scheduling (1967), shortest processing time; "
              "sjf of the Helios and Alibaba PAI simulators",
    .columns = columns_of_time,
    .params = strict_params,
    .init = sjf_init,
};

const struct pt_policy_ops pt__smallest_first = {
    PT_RANKED_FUNCTIONS,
    .name = "smallest_first",
    .summary = "fewest GPUs first (gpus x gpu_frac), ties in queue order",
    .source = "Tiresias (Gu et al., NSDI 2019), whose simulator calls it sjf: smallest job first",
    .columns = "gpu_frac",
    .params = blind_params,
    .init = smallest_init,
};

const struct pt_policy_ops pt__srtf = {
    PT_RANKED_FUNCTIONS,
    .name = "srtf",
    .summary = "shortest remaining time first: stops jobs with strictly more work left",
    .source = "Schrage, A proof of the optimality of the shortest remaining processing time "
              "discipline (1968); srtf of the Helios simulator",
    .columns = columns_of_time,
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = skip_params,
    .init = srtf_init,
};

const struct pt_policy_ops pt__srsf = {
    PT_RANKED_FUNCTIONS,
    .name = "srsf",
    .summary = "shortest remaining service first: least work left x GPUs",
    .source = "Tiresias (Gu et al., NSDI 2019), section 3: SRSF, named shortest-gpu in its "
              "simulator",
    .columns = "estimate_s,gpu_frac",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = skip_params,
    .init = srsf_init,
};

const struct pt_policy_ops pt__random = {
    PT_RANKED_FUNCTIONS,
    .name = "random",
    .summary = "every job draws its place in the queue once, by the experiment's seed",
    .source = "a baseline that knows nothing of the jobs",
    .columns = "",
    .params = blind_params,
    .init = random_init,
};

const struct pt_policy_ops pt__edf = {
    PT_RANKED_FUNCTIONS,
    .name = "edf",
    .summary = "earliest deadline first: submit + deadline, absent last; may decline the late",
    .source = "Jackson (1955), earliest due date; Liu and Layland (1973), deadline driven",
    .columns = "deadline_s,estimate_s",
    .params = edf_params,
    .init = edf_init,
};
