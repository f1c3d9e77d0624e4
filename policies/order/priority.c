#include "policies/order/order.h"
#include "policies/order/queue.h"
#include "policies/preemption/defragment.h"
#include "policies/preemption/victims.h"

/* Highest priority first, then queue order. Where the experiment says how, running jobs of lower
 * priority are stopped for those that fit nowhere (semantics.md, section 4). */

enum { BLOCKING_STRICT, BLOCKING_SKIP };
enum { PARAM_BLOCKING, PARAM_DEFRAGMENT };

static const char *const blocking_choices[] = {"strict", "skip", NULL};

static const struct pt_param params[] = {
    [PARAM_BLOCKING] = {"blocking", PT_PARAM_CHOICE, "", "strict", NULL, NULL, blocking_choices,
                        "whether a job that can't start holds back those behind it"},
    PT_DEFRAGMENT_ROWS,
    {0}};

/* Jobs that stop nobody wait apart: where one of them finds no room, another that asks for the same
 * may still stop somebody for it. */
enum { STOPPERS, OTHERS, QUEUES };

struct priority {
    struct pt_queue queue[QUEUES];
    struct pt_victim_state victims;
    struct pt_defragment defragment;
    bool strict, two; /* two: the trace has jobs that stop nobody, and others */
    uint64_t blocked; /* strict: pools that a job in front waits for */
    pt_u128 last;     /* strict: the rank of the last job in the queue that blocks */
};

static uint32_t flags(const struct pt_value *values)
{
    return values[PARAM_BLOCKING].integer == BLOCKING_SKIP ? PT_POLICY_WORK_CONSERVING : 0;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct priority);
}

static void fini(void *state)
{
    struct priority *p = state;
    for (int q = 0; q < QUEUES; q++)
        pt__queue_fini(&p->queue[q]);
    pt__victims_fini(&p->victims);
    pt__defragment_fini(&p->defragment);
}

static bool anybody_stops_nobody(const struct pt_ctx *ctx)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count;
    for (pt_job job = 0; job < jobs; job++)
        if (!pt_view_rank(ctx, job).preempts) return true;
    return false;
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct priority *p = state;
    p->strict = values[PARAM_BLOCKING].integer == BLOCKING_STRICT;
    p->two = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE && anybody_stops_nobody(ctx);
    enum pt_status status = pt__victims_init(&p->victims, ctx, error);
    for (int q = 0; q < (p->two ? QUEUES : 1) && status == PT_OK; q++)
        status = pt__queue_init(&p->queue[q], ctx, error);
    if (status == PT_OK)
        status = pt__defragment_init(&p->defragment, ctx, values + PARAM_DEFRAGMENT, error);
    if (status != PT_OK) fini(state);
    return status;
}

static struct pt_queue *queue_of(struct priority *p, const struct pt_ctx *ctx, pt_job job)
{
    return &p->queue[p->two && !pt_view_rank(ctx, job).preempts ? OTHERS : STOPPERS];
}

static pt_u128 key_of(const struct pt_ctx *ctx, pt_job job)
{
    return (uint64_t)INT64_MAX - (uint64_t)pt_view_rank(ctx, job).value; /* modulo 2^64: exact */
}

static void bring_back(struct priority *p, const struct pt_ctx *ctx, uint64_t pools)
{
    for (int q = 0; q < (p->two ? QUEUES : 1); q++)
        pt__queue_released(&p->queue[q], ctx, pools);
}

/* Strict: who blocks what is looked at anew in the next pass. */
static void unblock(struct priority *p, const struct pt_ctx *ctx)
{
    p->blocked = 0;
    p->last = 0;
    bring_back(p, ctx, UINT64_MAX);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct priority *p = state;
    pt_u128 key = key_of(ctx, job);
    /* A job in front of one that blocks may block instead of it. */
    if (p->strict && p->blocked != 0 && pt__queue_rank(key, job) < p->last) unblock(p, ctx);
    struct pt_queue *queue = queue_of(p, ctx, job);
    /* A first job of higher priority may stop those whom the one before it could not. */
    if (pt__queue_add(queue, ctx, job, key) && p->victims.running.pool != NULL)
        pt__queue_bring_back(queue, pt_view_class_of(ctx, job));
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct priority *p = state;
    if (p->strict) unblock(p, ctx);
    (void)pt__queue_remove(queue_of(p, ctx, job), ctx, job);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct priority *p = state;
    if (p->strict)
        unblock(p, ctx);
    else
        bring_back(p, ctx, pools);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    pt__victims_started(&((struct priority *)state)->victims, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)why;
    pt__victims_stopped(&((struct priority *)state)->victims, ctx, job);
}

static bool all_blocked(const struct priority *p, const struct pt_ctx *ctx)
{
    return p->blocked != 0 && (uint32_t)__builtin_popcountll(p->blocked) == pt_view_pool_count(ctx);
}

/* The queue whose first job is first of all, NULL when nobody is left. */
static struct pt_queue *next_queue(struct priority *p, uint32_t *class_id)
{
    struct pt_queue *next = NULL;
    pt_u128 least = PT_QUEUE_NOBODY;
    for (int q = 0; q < (p->two ? QUEUES : 1); q++) {
        uint32_t first = pt__queue_first(&p->queue[q]);
        if (first == PT_NONE || pt__queue_head(&p->queue[q], first) >= least) continue;
        next = &p->queue[q];
        least = pt__queue_head(next, first);
        *class_id = first;
    }
    return next;
}

/* It fits nowhere: says who has to wait for it. */
static void wait(struct priority *p, const struct pt_ctx *ctx, struct pt_queue *queue,
                 uint32_t class_id, uint64_t open, bool limit)
{
    if (p->strict && !limit && open != 0) {
        p->blocked |= pt_view_class_pools(ctx, class_id);
        p->last = pt__queue_head(queue, class_id);
    }
    if (!all_blocked(p, ctx))
        pt__queue_set_aside(queue, class_id, limit ? PT_ASIDE_LIMIT : PT_ASIDE_NO_ROOM);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct priority *p = state;
    uint32_t class_id = 0;
    for (struct pt_queue *queue; !all_blocked(p, ctx) && (queue = next_queue(p, &class_id));) {
        pt_job job = pt__rank_job(pt__queue_head(queue, class_id));
        uint64_t open = pt_view_class_pools(ctx, class_id) & ~p->blocked;
        const struct pt_units *units;
        bool done = pt_ctx_place(ctx, &units, job, open);
        if (done) {
            (void)pt__queue_remove(queue, ctx, job);
            PT_TRY(pt_ctx_start(ctx, job, units));
            continue;
        }
        bool limit = pt_view_why(ctx) == PT_REASON_LIMIT;
        if (!limit) PT_TRY(pt__defragment_make_room(&p->defragment, ctx, job, open, &done));
        if (!done) PT_TRY(pt__victims_make_room(&p->victims, ctx, job, open, &done));
        if (!done) {
            wait(p, ctx, queue, class_id, open, limit);
            continue;
        }
        if (!pt__is_waiting(ctx, job)) (void)pt__queue_remove(queue, ctx, job);
        on_release(p, ctx, UINT64_MAX); /* the engine says so after the pass; others may fit now */
    }
    return PT_OK;
}

const struct pt_policy_ops pt__priority = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "priority",
    .summary = "highest priority first; stops lower ones where `preemption` says how",
    .source = "Kubernetes PriorityClass; Cobham, J. ORSA 2(1), 1954",
    .columns = "priority",
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = on_release,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
