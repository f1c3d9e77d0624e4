#include <stdlib.h>

#include "policies/order/levels.h"
#include "policies/order/order.h"
#include "policies/order/recount.h"

/* As the simulator of Tiresias does it (SymbioticLab/Tiresias, commit 959f9b0, placement scheme
 * `count`): at every event who runs is decided anew. One list of the jobs that wait or run is kept;
 * a new job goes to its end, and it is sorted again in place at each event, so that equal jobs keep
 * their places:
 *
 *   smallest           by GPUs                         --schedule=sjf
 *   remaining          by work left                    --schedule=shortest
 *   remaining_gpus     by work left times GPUs         --schedule=shortest-gpu
 *   service            by queues of attained service   --schedule=dlas
 *   service_gpus       the same in GPU time            --schedule=dlas-gpu
 *
 * By service: a job starts at the end of the first queue; one that runs and has reached its queue's
 * threshold goes to the end of the next, one queue an event, those of one event in order of
 * arrival. After the walk each queue puts those that run in front of those that wait.
 *
 * `demotion: upstream` is that program's own timer: the next event for a demotion comes after
 * (threshold - seconds served) whole seconds, divided by the GPUs under service_gpus, which takes
 * one unit from another, so jobs of several GPUs sink late. `exact` is when service reaches the
 * threshold. */

enum order { SMALLEST, REMAINING, REMAINING_GPUS, SERVICE, SERVICE_GPUS };
enum { DEMOTION_EXACT, DEMOTION_UPSTREAM };
enum { PARAM_ORDER, PARAM_THRESHOLDS, PARAM_DEMOTION };

static const char *const orders[] = {"smallest", "remaining",    "remaining_gpus",
                                     "service",  "service_gpus", NULL};
static const char *const demotions[] = {"exact", "upstream", NULL};

static const struct pt_param params[] = {
    [PARAM_ORDER] = {"order", PT_PARAM_CHOICE, "", "service_gpus", NULL, NULL, orders,
                     "by what the list is sorted"},
    [PARAM_THRESHOLDS] = {"thresholds", PT_PARAM_WORDS, "s", PT__THRESHOLDS_DEFAULT, "1", NULL,
                          NULL,
                          "service (service_gpus: GPU time) at which a job leaves each queue but "
                          "the last, rising"},
    [PARAM_DEMOTION] = {"demotion", PT_PARAM_CHOICE, "", "exact", NULL, NULL, demotions,
                        "exact: when service reaches the threshold; upstream: at that program's "
                        "timer, which is late for several GPUs"},
    {0}};

struct tiresias {
    struct pt_recount recount; /* first: the callbacks of recount.h are given this */
    struct pt_levels levels;
    enum order order;
    bool upstream;
    int64_t jump_ns; /* the next demotion's event; PT_NEVER = none */
    uint8_t *queue;  /* by job */
};

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct tiresias);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct tiresias *t = state;
    t->order = (enum order)values[PARAM_ORDER].integer;
    t->upstream = values[PARAM_DEMOTION].integer == DEMOTION_UPSTREAM;
    t->jump_ns = PT_NEVER;
    PT_TRY(pt__levels_parse(&t->levels, params[PARAM_THRESHOLDS].name,
                            values[PARAM_THRESHOLDS].text, error));
    t->queue = calloc((size_t)pt_view_trace(ctx)->job_count + 1, sizeof *t->queue);
    if (t->queue == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for the queues");
    enum pt_status status = pt__recount_init(&t->recount, ctx, error);
    if (status != PT_OK) free(t->queue);
    return status;
}

static void fini(void *state)
{
    struct tiresias *t = state;
    pt__recount_fini(&t->recount);
    free(t->queue);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct tiresias *t = state;
    (void)ctx;
    if (pt__recount_insert(&t->recount, job, t->recount.count)) t->queue[job] = 0;
    t->recount.due |= !t->recount.acting;
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct tiresias *t = state;
    t->recount.due |= pt_view_now_ns(ctx) == t->jump_ns;
}

static bool by_service(const struct tiresias *t)
{
    return t->order >= SERVICE;
}

static pt_u128 times_gpus(const struct pt_ctx *ctx, pt_job job, int64_t ns)
{
    return (pt_u128)(uint64_t)ns * pt_view_units_wanted(ctx, job);
}

static pt_u128 attained(const struct tiresias *t, const struct pt_ctx *ctx, pt_job job)
{
    int64_t served_ns = pt_view_served_ns(ctx, job);
    return t->order == SERVICE ? (pt_u128)(uint64_t)served_ns : times_gpus(ctx, job, served_ns);
}

/* Whether it has a queue to sink to: it runs, and not in the last one. */
static bool sinks(const struct tiresias *t, const struct pt_ctx *ctx, pt_job job)
{
    return t->queue[job] < t->levels.count && pt_view_attempt_ns(ctx, job) != PT_NEVER;
}

/* Moves the jobs that reached their threshold to the list's end, in order of arrival, one queue
 * down; sorted by queue afterwards, each is at its queue's end. */
static void demote(struct tiresias *t, const struct pt_ctx *ctx)
{
    struct pt_recount *r = &t->recount;
    uint32_t kept = 0, moved = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        pt_job job = r->item[i].job;
        if (sinks(t, ctx, job) &&
            attained(t, ctx, job) >= (uint64_t)t->levels.limit_ns[t->queue[job]]) {
            t->queue[job]++;
            r->scratch[moved++] = (struct pt_recount_item){job, job};
        } else {
            r->item[kept++] = r->item[i];
        }
    }
    pt__recount_sort(r->scratch, r->scratch + moved, moved);
    for (uint32_t i = 0; i < moved; i++)
        r->item[kept + i] = r->scratch[i];
}

static uint64_t key(const struct tiresias *t, const struct pt_ctx *ctx, pt_job job)
{
    if (by_service(t)) return t->queue[job];
    if (t->order == SMALLEST) return pt_view_units_wanted(ctx, job);
    int64_t left_ns = pt_view_left_ns(ctx, job);
    if (t->order == REMAINING) return (uint64_t)left_ns;
    pt_u128 product = times_gpus(ctx, job, left_ns);
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static void sort(struct tiresias *t, const struct pt_ctx *ctx)
{
    struct pt_recount *r = &t->recount;
    for (uint32_t i = 0; i < r->count; i++)
        r->item[i].key = key(t, ctx, r->item[i].job);
    pt__recount_sort(r->item, r->scratch, r->count);
}

/* In each queue those that run come first. */
static void runners_first(struct tiresias *t, const struct pt_ctx *ctx)
{
    struct pt_recount *r = &t->recount;
    for (uint32_t i = 0; i < r->count; i++) {
        pt_job job = r->item[i].job;
        r->item[i].key = 2 * (uint64_t)t->queue[job] + !pt__recount_holds(ctx, job);
    }
    pt__recount_sort(r->item, r->scratch, r->count);
}

/* Nanoseconds until the job's demotion is looked at. */
static int64_t until_demotion(const struct tiresias *t, const struct pt_ctx *ctx, pt_job job)
{
    int64_t limit_ns = t->levels.limit_ns[t->queue[job]];
    int64_t served_ns = pt_view_served_ns(ctx, job);
    int64_t gpus = t->order == SERVICE ? 1 : (int64_t)pt_view_units_wanted(ctx, job);
    int64_t wait_ns;
    if (gpus == 0) return PT_NEVER; /* no GPU time is ever attained */
    if (t->upstream) {
        wait_ns = (limit_ns - served_ns) / gpus / PT_NS_PER_S * PT_NS_PER_S;
        return wait_ns < PT_NS_PER_S ? PT_NS_PER_S : wait_ns;
    }
    pt_u128 now = attained(t, ctx, job);
    if (now >= (uint64_t)limit_ns) return 1; /* one queue an event */
    wait_ns = limit_ns - (int64_t)now;
    return wait_ns / gpus + (wait_ns % gpus != 0);
}

static enum pt_status wake(struct tiresias *t, struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx), least_ns = PT_NEVER;
    for (uint32_t i = 0; i < t->recount.count; i++) {
        pt_job job = t->recount.item[i].job;
        if (!sinks(t, ctx, job)) continue;
        int64_t wait_ns = until_demotion(t, ctx, job);
        if (wait_ns < least_ns) least_ns = wait_ns;
    }
    int64_t jump_ns = least_ns >= PT_TIME_MAX - now_ns ? PT_NEVER : now_ns + least_ns;
    if (jump_ns == t->jump_ns) return PT_OK; /* it was asked for */
    t->jump_ns = jump_ns;
    return jump_ns == PT_NEVER ? PT_OK : pt_ctx_wake_at(ctx, jump_ns);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct tiresias *t = state;
    if (!t->recount.due) return PT_OK;
    t->recount.due = false;
    pt__recount_prune(&t->recount, ctx, NULL);
    if (by_service(t)) demote(t, ctx);
    sort(t, ctx);
    PT_TRY(pt__recount_act(&t->recount, ctx, t->recount.item));
    if (!by_service(t)) return PT_OK;
    runners_first(t, ctx);
    return wake(t, ctx);
}

const struct pt_policy_ops pt__tiresias = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "tiresias",
    .summary = "who runs is decided anew at every event by walking one list and counting units, as "
               "Tiresias' own simulator does; O(waiting + running) an event",
    .source = "Gu et al., NSDI 2019; SymbioticLab/Tiresias, commit 959f9b0",
    .columns = "work_s",
    .preemption = PT_PREEMPTION_SUSPEND,
    .params = params,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = pt__recount_on_withdrawn,
    .on_release = pt__recount_on_release,
    .on_timer = on_timer,
    .on_stopped = pt__recount_on_stopped,
    .schedule = schedule,
};
