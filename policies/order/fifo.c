#include <stdalign.h>

#include "policies/order/heads.h"
#include "policies/order/order.h"
#include "policies/preemption/defragment.h"

/* First in, first out. Strict: a job that can't start holds back whoever could take what it waits
 * for, by whole pools. Skip: whoever fits starts, in queue order (semantics.md, section 4). */

enum { BLOCKING_STRICT, BLOCKING_SKIP };
enum { PARAM_BLOCKING, PARAM_DEFRAGMENT };

static const char *const blocking_choices[] = {"strict", "skip", NULL};

static const struct pt_param params[] = {
    [PARAM_BLOCKING] = {"blocking", PT_PARAM_CHOICE, "", "strict", NULL, NULL, blocking_choices,
                        "whether a job that can't start holds back those behind it"},
    PT_DEFRAGMENT_ROWS,
    {0}};

struct fifo {
    struct pt_heads heads;
    struct pt_defragment defragment;
    bool strict;
    bool limited;        /* skip: a class was set aside for its tenant's limit */
    uint64_t blocked;    /* strict: pools that a job in front waits for */
    pt_job last_blocker; /* strict: the latest job in the queue that blocks */
    alignas(uint64_t) unsigned char memory[];
};

static uint32_t flags(const struct pt_value *values)
{
    bool skips = values[PARAM_BLOCKING].integer == BLOCKING_SKIP;
    bool moves = values[PARAM_DEFRAGMENT].text != NULL;
    return (moves ? 0 : PT_POLICY_STOPS_NOBODY) | (skips ? PT_POLICY_WORK_CONSERVING : 0);
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    return sizeof(struct fifo) + pt__heads_size(class_count);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct fifo *fifo = state;
    fifo->strict = values[PARAM_BLOCKING].integer == BLOCKING_STRICT;
    pt__heads_init(&fifo->heads, fifo->memory, pt_view_class_count(ctx));
    return pt__defragment_init(&fifo->defragment, ctx, values + PARAM_DEFRAGMENT, error);
}

static void fini(void *state)
{
    pt__defragment_fini(&((struct fifo *)state)->defragment);
}

/* Strict: who blocks what is looked at anew in the next pass. */
static void unblock(struct fifo *fifo, const struct pt_ctx *ctx)
{
    fifo->blocked = 0;
    fifo->last_blocker = 0;
    pt__heads_bring_back(&fifo->heads, ctx, UINT64_MAX);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct fifo *fifo = state;
    /* A job that came back in front of one that blocks may block instead of it. */
    if (fifo->strict && fifo->blocked != 0 && job < fifo->last_blocker) unblock(fifo, ctx);
    pt__heads_arrived(&fifo->heads, pt_view_class_of(ctx, job), job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct fifo *fifo = state;
    if (fifo->strict) unblock(fifo, ctx);
    pt__heads_refresh(&fifo->heads, ctx, pt_view_class_of(ctx, job));
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct fifo *fifo = state;
    if (fifo->strict)
        unblock(fifo, ctx);
    else
        pt__heads_bring_back(&fifo->heads, ctx, fifo->limited ? UINT64_MAX : pools);
    fifo->limited = false;
}

static bool all_blocked(const struct fifo *fifo, const struct pt_ctx *ctx)
{
    return fifo->blocked != 0 &&
           (uint32_t)__builtin_popcountll(fifo->blocked) == pt_view_pool_count(ctx);
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct fifo *fifo = state;
    for (uint32_t class_id;
         !all_blocked(fifo, ctx) && (class_id = pt__heads_first(&fifo->heads)) != PT_NONE;) {
        pt_job job = fifo->heads.heap.job[class_id];
        uint64_t pools = pt_view_class_pools(ctx, class_id);
        const struct pt_units *units;
        if (pt_ctx_place(ctx, &units, job, pools & ~fifo->blocked)) {
            PT_TRY(pt_ctx_start(ctx, job, units));
            pt__heads_refresh(&fifo->heads, ctx, class_id);
            continue;
        }
        /* Who waits for what his tenant holds, in whatever pool, holds back nobody. */
        bool limited = (pools & ~fifo->blocked) != 0 && pt_view_why(ctx) == PT_REASON_LIMIT;
        fifo->limited |= limited;
        bool moved = false;
        if (!limited)
            PT_TRY(pt__defragment_make_room(&fifo->defragment, ctx, job, pools & ~fifo->blocked,
                                            &moved));
        if (moved) {
            pt__heads_refresh(&fifo->heads, ctx, class_id);
            return PT_OK; /* others may fit now: the engine asks again */
        }
        if (fifo->strict && !limited && (pools & ~fifo->blocked) != 0) {
            fifo->blocked |= pools;
            fifo->last_blocker = job;
        }
        if (!all_blocked(fifo, ctx)) pt__heads_set_aside(&fifo->heads, class_id);
    }
    return PT_OK;
}

const struct pt_policy_ops pt__fifo = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "fifo",
    .summary = "first in, first out; strict holds back those behind a job that can't start",
    .source = "the baseline of every scheduler; head-of-line blocking as in Slurm's sched/builtin",
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
