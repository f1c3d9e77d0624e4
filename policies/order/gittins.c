#include "policies/order/history.h"
#include "policies/order/order.h"
#include "policies/order/service.h"
#include "policies/words.h"

/* Gittins' index on a history of what jobs turned out to need: who is likeliest to end soon for the
 * service it would take goes first, and stops those with a strictly smaller index. With attained
 * service a and a look ahead D, G(a) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a]; who has
 * been served more than anybody in the history goes last, and while there is no history the least
 * served first. Indexes of running jobs are read anew when somebody comes to wait, and
 * every `quantum` while somebody does; they change on the scale of D, so that need not be often. */

enum {
    PARAM_BLOCKING = PT_RANKED_BLOCKING,
    PARAM_BY_GPUS,
    PARAM_DELTA,
    PARAM_HISTORY,
    PARAM_SAMPLES,
    PARAM_INDEX,
    PARAM_QUANTUM
};
enum { HISTORY_FINISHED, HISTORY_TRACE };
enum { INDEX_EXACT, INDEX_UPSTREAM };

#define SAMPLE_MIN_NS 1000 /* samples are counted in microseconds */

static const char *const histories[] = {"finished", "trace", NULL};
static const char *const indexes[] = {"exact", "upstream", NULL};

static const struct pt_param params[] = {
    [PARAM_BLOCKING] = PT_RANKED_BLOCKING_PARAM("skip"),
    [PARAM_BY_GPUS] = {"by_gpus", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL,
                       "true: service is GPU time; false: time alone"},
    [PARAM_DELTA] = {"delta", PT_PARAM_DURATION, "s", "3250", "1ms", NULL, NULL,
                     "D, the service looked ahead"},
    [PARAM_HISTORY] = {"history", PT_PARAM_CHOICE, "", "finished", NULL, NULL, histories,
                       "finished: the jobs that ended so far, taken anew as they grow by a tenth; "
                       "trace: what all jobs of this trace need"},
    [PARAM_SAMPLES] = {"samples", PT_PARAM_WORDS, "s", "", "1", NULL, NULL,
                       "the service that past jobs needed, as the history instead: each at least "
                       "1us, in any order, as often as it was needed"},
    [PARAM_INDEX] = {"index", PT_PARAM_CHOICE, "", "exact", NULL, NULL, indexes,
                     "upstream: as Tiresias' simulator computes it, with S instead of S - a in "
                     "the expectation and the longest sample as one that does not end"},
    [PARAM_QUANTUM] = {"quantum", PT_PARAM_DURATION, "s", "5min", "1ms", NULL, NULL,
                       "how often the service of running jobs is looked at while somebody waits"},
    {0}};

struct gittins {
    struct pt_ranked order; /* first: the functions of ranked.h are given this */
    struct pt_rounds rounds;
    struct pt_history history;
    bool by_gpus, learns, upstream;
    uint64_t delta;
};

/* Time of so many millionths of a GPU, in microseconds of a GPU, below 2^63. */
static uint64_t micro(int64_t ns, uint64_t gpus)
{
    uint64_t us = (uint64_t)ns / 1000;
    if (gpus == 0 || us <= UINT64_MAX / gpus) return us * gpus / PT_PPM_ONE;
    pt_u128 service = (pt_u128)us * gpus / PT_PPM_ONE;
    return service < UINT64_MAX / 2 ? (uint64_t)service : UINT64_MAX / 2;
}

static uint64_t served(const struct gittins *g, const struct pt_ctx *ctx, pt_job job)
{
    return micro(pt_view_served_ns(ctx, job), g->by_gpus ? pt__gpus_asked(ctx, job) : PT_PPM_ONE);
}

static pt_u128 key(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job)
{
    const struct gittins *g = (const struct gittins *)order;
    uint64_t attained = served(g, ctx, job);
    if (g->history.sorted == 0) return attained;
    return pt__history_inverse(&g->history, attained, g->delta, g->upstream);
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct gittins);
}

static void fini(void *state)
{
    struct gittins *g = state;
    pt__ranked_fini(state);
    pt__history_fini(&g->history);
}

static void add_trace(struct gittins *g, const struct pt_ctx *ctx)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    for (pt_job job = 0; job < trace->job_count; job++) {
        uint64_t gpus = g->by_gpus ? pt__gpus_asked(ctx, job) : PT_PPM_ONE;
        pt__history_add(&g->history, micro(pt_trace_work_ns(trace)[job], gpus));
    }
}

static enum pt_status add_samples(struct gittins *g, const char *text, struct pt_error *error)
{
    struct pt__words words = {.key = params[PARAM_SAMPLES].name, .rest = text};
    while (pt__words_next(&words)) {
        int64_t ns;
        PT_TRY(pt__words_duration(&ns, &words, error));
        if (ns < SAMPLE_MIN_NS) return pt__words_fail(&words, error, "is shorter than 1us");
        pt__history_add(&g->history, (uint64_t)ns / 1000);
    }
    return PT_OK;
}

static enum pt_status fill(struct gittins *g, const struct pt_ctx *ctx,
                           const struct pt_value *values, struct pt_error *error)
{
    const char *samples = values[PARAM_SAMPLES].text;
    bool from_trace = values[PARAM_HISTORY].integer == HISTORY_TRACE;
    uint32_t given = pt__words_count(samples);
    if (from_trace && given > 0)
        return pt_fail_param(error, params[PARAM_SAMPLES].name, PT_ERROR_WHOLE,
                             "no use beside `history: trace`");
    PT_TRY(pt__history_init(&g->history, given > 0 ? given : pt_view_trace(ctx)->job_count, error));
    g->learns = !from_trace && given == 0;
    if (from_trace) add_trace(g, ctx);
    if (given > 0) PT_TRY(add_samples(g, samples, error));
    (void)pt__history_sort(&g->history, true);
    return PT_OK;
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    static const struct pt_ranked_rule largest_index = {.key = key};
    struct gittins *g = state;
    g->by_gpus = values[PARAM_BY_GPUS].integer != 0;
    g->upstream = values[PARAM_INDEX].integer == INDEX_UPSTREAM;
    g->delta = (uint64_t)values[PARAM_DELTA].integer / 1000;
    pt__rounds_init(&g->rounds, values[PARAM_QUANTUM].integer);
    enum pt_status status = fill(g, ctx, values, error);
    if (status == PT_OK) status = pt__service_init(&g->order, ctx, values, &largest_index, error);
    if (status != PT_OK) pt__history_fini(&g->history);
    return status;
}

/* The history has changed: so have all indexes. */
static void rekey(struct gittins *g, struct pt_ctx *ctx)
{
    for (uint32_t c = 0; c < pt_view_class_count(ctx); c++)
        for (pt_job job = PT_NONE; (job = pt_view_class_next_pending(ctx, c, job)) != PT_NONE;)
            (void)pt__queue_add(&g->order.queue, ctx, job, key(&g->order, ctx, job));
    pt__rounds_now(&g->order, ctx);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct gittins *g = state;
    pt__ranked_on_stopped(state, ctx, job, why);
    if (g->learns && why == PT_STOP_DONE) pt__history_add(&g->history, served(g, ctx, job));
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct gittins *g = state;
    pt__rounds_on_timer(&g->rounds, &g->order, ctx);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct gittins *g = state;
    if (g->learns && pt__history_sort(&g->history, false)) rekey(g, ctx);
    return pt__rounds_schedule(&g->rounds, &g->order, ctx);
}

const struct pt_policy_ops pt__gittins = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "gittins",
    .summary = "largest Gittins index first: likeliest to end soon for the service it would take, "
               "by the history of what jobs needed",
    .source = "Gittins (1979); 2D-Gittins of Tiresias (Gu et al., NSDI 2019), section 3",
    .columns = "gpu_frac",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = params,
    .flags = pt__ranked_flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = pt__ranked_on_pending,
    .on_withdrawn = pt__ranked_on_withdrawn,
    .on_release = pt__ranked_on_release,
    .on_timer = on_timer,
    .on_started = pt__ranked_on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
