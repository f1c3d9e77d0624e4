#include "policies/order/ranked.h"

#include "policies/order/displace.h"
#include "policies/order/feasible.h"

const char *const pt__blocking_choices[] = {"strict", "skip", NULL};
const char *const pt__by_choices[] = {"work", "estimate", NULL};

uint32_t pt__ranked_flags(const struct pt_value *values)
{
    bool skip = values[PT_RANKED_BLOCKING].integer == PT_BLOCKING_SKIP;
    return skip ? PT_POLICY_WORK_CONSERVING : 0;
}

size_t pt__ranked_state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values, (void)class_count;
    return sizeof(struct pt_ranked);
}

static pt_u128 key_of_running(const void *owner, const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_ranked *order = owner;
    return order->rule->key(order, ctx, job);
}

enum pt_status pt__ranked_init(struct pt_ranked *order, const struct pt_ctx *ctx,
                               const struct pt_value *values, const struct pt_ranked_rule *rule,
                               struct pt_error *error)
{
    order->rule = rule;
    order->strict = values[PT_RANKED_BLOCKING].integer == PT_BLOCKING_STRICT;
    order->by_estimate = rule->by_work && values[PT_RANKED_BY].integer == PT_BY_ESTIMATE;
    order->stops = pt_view_preemption(ctx)->mode != PT_PREEMPTION_NONE;
    PT_TRY(pt__queue_init(&order->queue, ctx, error));
    enum pt_status status =
        pt__defragment_init(&order->defragment, ctx, values + PT_RANKED_DEFRAGMENT, error);
    if (status == PT_OK && order->stops)
        status = pt__running_init(&order->running, ctx, rule->falls ? key_of_running : NULL, order,
                                  error);
    if (status == PT_OK) return PT_OK;
    pt__queue_fini(&order->queue);
    pt__defragment_fini(&order->defragment);
    return status;
}

void pt__ranked_fini(void *state)
{
    struct pt_ranked *order = state;
    pt__queue_fini(&order->queue);
    pt__running_fini(&order->running);
    pt__defragment_fini(&order->defragment);
    pt__feasible_fini(order->plan);
    if (order->rng != NULL) gsl_rng_free(order->rng);
}

/* Strict: who blocks what is looked at anew. */
static void unblock(struct pt_ranked *order, const struct pt_ctx *ctx)
{
    order->blocked = 0;
    order->last_blocker = 0;
    pt__queue_released(&order->queue, ctx, UINT64_MAX);
}

/* Whether a job that never started is refused: now that it becomes pending, or at its turn. */
static bool refused(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job,
                    bool arrives)
{
    return order->rule->refuses != NULL && pt_view_state(ctx, job) == PT_STATE_PENDING &&
           pt_view_first_start_ns(ctx, job) == PT_NEVER &&
           order->rule->refuses(order, ctx, job, arrives);
}

void pt__ranked_on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_ranked *order = state;
    bool declined = refused(order, ctx, job, true);
    pt_u128 key = declined ? PT_RANKED_REFUSED : order->rule->key(order, ctx, job);
    /* A job in front of one that blocks may block instead of it. */
    if (order->blocked != 0 && pt__queue_rank(key, job) < order->last_blocker) unblock(order, ctx);
    bool is_first = pt__queue_add(&order->queue, ctx, job, key);
    /* The first of a class has more jobs that it may stop than those behind it had. */
    if (is_first && (order->stops || declined))
        pt__queue_bring_back(&order->queue, pt_view_class_of(ctx, job));
}

void pt__ranked_on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_ranked *order = state;
    if (order->strict) unblock(order, ctx);
    (void)pt__queue_remove(&order->queue, ctx, job);
}

void pt__ranked_on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct pt_ranked *order = state;
    if (order->strict)
        unblock(order, ctx);
    else
        pt__queue_released(&order->queue, ctx, pools);
}

void pt__ranked_on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_ranked *order = state;
    if (!order->stops || !pt_view_preemptible(ctx, job)) return;
    pt__running_add(&order->running, job, pt_view_held_pool(ctx, job),
                    order->rule->key(order, ctx, job));
}

void pt__ranked_on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct pt_ranked *order = state;
    (void)ctx, (void)why;
    if (order->stops) pt__running_remove(&order->running, job);
}

static bool all_blocked(const struct pt_ranked *order, const struct pt_ctx *ctx)
{
    return order->blocked != 0 &&
           (uint32_t)__builtin_popcountll(order->blocked) == pt_view_pool_count(ctx);
}

/* The job that can't start in these pools waits: behind others, or for room. */
static void wait(struct pt_ranked *order, struct pt_ctx *ctx, uint32_t class_id, uint64_t pools,
                 bool limited)
{
    pt_u128 rank = pt__queue_head(&order->queue, class_id);
    pt_job job = pt__rank_job(rank);
    uint64_t open = pools & ~order->blocked, waits_for = 0;
    if (open == 0 && pools != 0) pt_ctx_say(ctx, job, PT_REASON_PRIORITY);
    if (order->strict && open != 0 && !limited) {
        for (uint64_t left = pools; left != 0; left &= left - 1) {
            uint32_t pool = (uint32_t)__builtin_ctzll(left);
            if (pt_view_within_limit(ctx, pool, job)) waits_for |= PT_POOL_BIT(pool);
        }
        order->blocked |= waits_for;
        order->last_blocker = rank;
    }
    if (!all_blocked(order, ctx))
        pt__queue_set_aside(&order->queue, class_id, limited ? PT_ASIDE_LIMIT : PT_ASIDE_NO_ROOM);
}

/* Looks at the class's first job. *stopped: others were stopped for it, so what they leave is
 * looked at anew. */
static enum pt_status look(struct pt_ranked *order, struct pt_ctx *ctx, uint32_t class_id,
                           bool *stopped)
{
    pt_u128 rank = pt__queue_head(&order->queue, class_id);
    pt_job job = pt__rank_job(rank);
    uint64_t pools = pt_view_class_pools(ctx, class_id), open = pools & ~order->blocked;
    const struct pt_units *units;
    bool limited = false;
    bool asked = order->rule->refuses != NULL && pt__rank_key(rank) == PT_RANKED_REFUSED;
    if (asked || refused(order, ctx, job, false)) {
        (void)pt__queue_remove(&order->queue, ctx, job);
        return pt_ctx_decline(ctx, job, PT_REASON_DECLINED);
    }
    if (open != 0 && pt_ctx_place(ctx, &units, job, open)) {
        (void)pt__queue_remove(&order->queue, ctx, job); /* it may come back at once */
        return pt_ctx_start(ctx, job, units);
    }
    if (open != 0) limited = pt_view_why(ctx) == PT_REASON_LIMIT;
    if (open != 0 && !limited)
        PT_TRY(pt__defragment_make_room(&order->defragment, ctx, job, open, stopped));
    if (*stopped) {
        if (!pt__is_waiting(ctx, job)) (void)pt__queue_remove(&order->queue, ctx, job);
        return PT_OK;
    }
    if (order->stops && open != 0 && !limited &&
        pt__displace(&order->running, ctx, job, pt__rank_key(rank), open)) {
        (void)pt__queue_remove(&order->queue, ctx, job);
        *stopped = true;
        return pt_ctx_try_commit(ctx);
    }
    wait(order, ctx, class_id, pools, limited);
    return PT_OK;
}

enum pt_status pt__ranked_schedule(void *state, struct pt_ctx *ctx)
{
    struct pt_ranked *order = state;
    enum pt_status status = order->running.out_of_memory ? PT_ERR_MEMORY : PT_OK;
    bool stopped = false;
    while (status == PT_OK && !stopped && !all_blocked(order, ctx)) {
        uint32_t class_id = pt__queue_first(&order->queue);
        if (class_id == PT_NONE) break;
        status = look(order, ctx, class_id, &stopped);
    }
    return status;
}
