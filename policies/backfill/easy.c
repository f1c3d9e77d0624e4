#include <stdalign.h>

#include "policies/backfill/backfill.h"
#include "policies/backfill/ends.h"
#include "policies/backfill/fronts.h"
#include "policies/backfill/reservation.h"
#include "policies/backfill/sets.h"

/* EASY backfilling: the first job that can't start (the head) reserves the earliest time at which
 * it could, by estimates, if nobody else came (its shadow time). A later one may start now if it
 * ends by then, or if the head could still start then beside it. Both are asked of the engine by
 * trials, so that they hold for gangs, nodes, instances and shares as the placement sees them.
 *
 * As under strict first come, first served, a head holds back by whole pools: the first job that
 * waits for pools no head has reserved is a head there. A pool has one head at most.
 *
 * What is known of heads and classes holds until something is released; between, resources only
 * shrink, so that who was refused stays so. */

enum { PARAM_OVERRUN };

static const struct pt_param params[] = {[PARAM_OVERRUN] = PT_BACKFILL_PARAM_OVERRUN, {0}};

struct easy {
    struct pt_ends ends;
    struct pt_fronts fronts;
    struct pt_set chosen; /* where the job that is looked at would run */
    uint64_t *full;       /* by class: pools where it does not fit now */
    int64_t *shortest;    /* by class: no pending job has a shorter estimate */
    uint64_t *held_back;  /* by class: pools where it fits, but not beside the head */
    struct pt_reservation heads[PT_POOLS_MAX];
    uint32_t head_count;
    uint64_t owned; /* pools that a head has reserved */
    uint8_t owner[PT_POOLS_MAX];
    bool known;        /* heads and classes are as they were looked at last */
    bool shadows_hold; /* nothing has happened that moves a shadow time */
    alignas(uint64_t) unsigned char memory[];
};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_STOPS_NOBODY;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    return sizeof(struct easy) + 3 * ((size_t)class_count + 1) * sizeof(uint64_t) +
           pt__fronts_size(class_count);
}

static void fini(void *state)
{
    struct easy *easy = state;
    pt__set_fini(&easy->chosen);
    pt__ends_fini(&easy->ends);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct easy *easy = state;
    uint32_t classes = pt_view_class_count(ctx);
    easy->full = (uint64_t *)(void *)easy->memory;
    easy->held_back = easy->full + classes + 1;
    easy->shortest = (int64_t *)(void *)(easy->held_back + classes + 1);
    for (uint32_t c = 0; c < classes; c++)
        easy->shortest[c] = PT_NEVER;
    pt__fronts_init(&easy->fronts, easy->shortest + classes + 1, classes);
    bool kills = values[PARAM_OVERRUN].integer == PT_OVERRUN_KILL;
    enum pt_status status = pt__set_init(&easy->chosen, ctx, error);
    if (status == PT_OK) status = pt__ends_init(&easy->ends, ctx, kills, error);
    if (status != PT_OK) fini(easy);
    return status;
}

/* ---- what happens between passes ---- */

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct easy *easy = state;
    uint32_t class_id = pt_view_class_of(ctx, job);
    pt__ends_remove(&easy->ends, job); /* its instances could not be made */
    pt__fronts_note(&easy->fronts, class_id);
    int64_t estimate_ns = pt__estimate_ns(easy->ends.trace, job);
    if (estimate_ns < easy->shortest[class_id]) easy->shortest[class_id] = estimate_ns;
    for (uint32_t i = 0; i < easy->head_count; i++)
        if (job < easy->heads[i].job) easy->known = easy->shadows_hold = false;
    if (job < easy->fronts.heap.job[class_id]) pt__fronts_set(&easy->fronts, class_id, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct easy *easy = state;
    uint32_t class_id = pt_view_class_of(ctx, job);
    for (uint32_t i = 0; i < easy->head_count; i++)
        if (job == easy->heads[i].job) easy->known = false;
    if (easy->fronts.heap.job[class_id] == job)
        pt__fronts_set(&easy->fronts, class_id, pt_view_class_next_pending(ctx, class_id, job));
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    (void)ctx;
    (void)pools;
    struct easy *easy = state;
    easy->known = false;
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct easy *easy = state;
    if (pt__ends_timer(&easy->ends, ctx)) easy->known = easy->shadows_hold = false;
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct easy *easy = state;
    bool was_reserved = pt__ends_of(&easy->ends, job) != PT_NEVER;
    pt__ends_started(&easy->ends, ctx, job);
    if (was_reserved) easy->known = easy->shadows_hold = false; /* it ends later than was thought */
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct easy *easy = state;
    /* Whoever ends when it was expected to, by a shadow time, leaves what is expected then as it
     * was. */
    int64_t end_ns = pt__ends_of(&easy->ends, job);
    if (why != PT_STOP_DONE || end_ns != pt_view_now_ns(ctx)) easy->shadows_hold = false;
    for (uint32_t i = 0; i < easy->head_count; i++)
        if (end_ns > easy->heads[i].shadow_ns) easy->shadows_hold = false;
    pt__ends_remove(&easy->ends, job);
    easy->known = false;
}

/* ---- heads ---- */

static void make_head(struct easy *easy, struct pt_ctx *ctx, pt_job job, uint64_t pools)
{
    struct pt_reservation *head = &easy->heads[easy->head_count];
    for (uint64_t rest = pools; rest != 0; rest &= rest - 1)
        easy->owner[__builtin_ctzll(rest)] = (uint8_t)easy->head_count;
    easy->owned |= pools;
    easy->head_count++;
    pt__reserve(head, &easy->ends, ctx, job, pools, easy->shadows_hold);
}

/* ---- those behind ---- */

/* The pools that the job may be tried in: those without a head, those whose head it does not
 * outlast, and those where nobody of its class was held back yet. */
static uint64_t open_to(const struct easy *easy, const struct pt_ctx *ctx, uint32_t class_id,
                        pt_job job)
{
    uint64_t pools = pt_view_class_pools(ctx, class_id) & ~easy->full[class_id];
    int64_t estimate_ns = pt__estimate_ns(easy->ends.trace, job);
    for (uint64_t rest = pools & easy->held_back[class_id]; rest != 0; rest &= rest - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(rest);
        if (!pt__ends_by(&easy->heads[easy->owner[pool]], ctx, estimate_ns))
            pools &= ~PT_POOL_BIT(pool);
    }
    return pools;
}

/* Looks for units that the job may have now, into `chosen`; false = none. */
static bool choose(struct easy *easy, struct pt_ctx *ctx, uint32_t class_id, pt_job job)
{
    int64_t estimate_ns = pt__estimate_ns(easy->ends.trace, job);
    for (uint64_t pools; (pools = open_to(easy, ctx, class_id, job)) != 0;) {
        const struct pt_units *units;
        if (!pt_ctx_place(ctx, &units, job, pools)) {
            if (pt_view_why(ctx) != PT_REASON_LIMIT) easy->full[class_id] |= pools;
            return false;
        }
        pt__set_copy(&easy->chosen, units);
        uint64_t pool = PT_POOL_BIT(units->pool);
        if ((easy->owned & pool) == 0) return true;
        struct pt_reservation *head = &easy->heads[easy->owner[units->pool]];
        if (pt__ends_by(head, ctx, estimate_ns)) return true;
        if (pt__fits_beside(head, &easy->ends, ctx, job, &easy->chosen.units)) return true;
        easy->held_back[class_id] |= pool;
    }
    return false;
}

/* The longest that one of the class may run where it was held back. */
static int64_t longest(const struct easy *easy, const struct pt_ctx *ctx, uint64_t pools)
{
    int64_t now_ns = pt_view_now_ns(ctx), longest_ns = 0;
    for (; pools != 0; pools &= pools - 1) {
        const struct pt_reservation *head = &easy->heads[easy->owner[__builtin_ctzll(pools)]];
        if (head->shadow_ns > now_ns && head->shadow_ns - now_ns > longest_ns)
            longest_ns = head->shadow_ns - now_ns;
    }
    return longest_ns;
}

/* The next job of the class that could start where an earlier one of it did not. Whoever walks all
 * of them in vain notes the shortest, so that nobody does again for nothing. */
static pt_job next_candidate(struct easy *easy, const struct pt_ctx *ctx, uint32_t class_id,
                             pt_job after)
{
    uint64_t pools = easy->held_back[class_id] & ~easy->full[class_id];
    int64_t longest_ns = longest(easy, ctx, pools);
    if (longest_ns < easy->shortest[class_id]) return PT_NONE;
    bool from_front = pt_view_class_next_pending(ctx, class_id, PT_NONE) == after;
    int64_t shortest_ns = pt__estimate_ns(easy->ends.trace, after);
    for (pt_job job = after; (job = pt_view_class_next_pending(ctx, class_id, job)) != PT_NONE;) {
        int64_t estimate_ns = pt__estimate_ns(easy->ends.trace, job);
        if (estimate_ns <= longest_ns) return job;
        if (estimate_ns < shortest_ns) shortest_ns = estimate_ns;
    }
    if (from_front) easy->shortest[class_id] = shortest_ns;
    return PT_NONE;
}

/* It can't start: it becomes a head of what nobody has reserved yet. */
static void refuse(struct easy *easy, struct pt_ctx *ctx, uint32_t class_id, pt_job job,
                   bool by_limit)
{
    uint64_t pools = pt_view_class_pools(ctx, class_id) & ~easy->owned;
    if (!by_limit && pools != 0)
        make_head(easy, ctx, job, pools);
    else if (!by_limit && (easy->held_back[class_id] & ~easy->full[class_id]) != 0)
        pt_ctx_say(ctx, job, PT_REASON_RESERVATION);
}

static enum pt_status look_at(struct easy *easy, struct pt_ctx *ctx, uint32_t class_id, pt_job job)
{
    if (choose(easy, ctx, class_id, job)) {
        PT_TRY(pt_ctx_start(ctx, job, &easy->chosen.units));
        pt__ends_begin(&easy->ends, ctx, job);
        if (pt_view_state(ctx, job) == PT_STATE_PENDING) return PT_OK; /* failed and is back */
        pt__fronts_set(&easy->fronts, class_id, pt_view_class_next_pending(ctx, class_id, job));
        return PT_OK;
    }
    bool by_limit = open_to(easy, ctx, class_id, job) != 0;
    refuse(easy, ctx, class_id, job, by_limit);
    pt__fronts_set(&easy->fronts, class_id,
                   by_limit ? PT_NONE : next_candidate(easy, ctx, class_id, job));
    return PT_OK;
}

static void start_over(struct easy *easy, const struct pt_ctx *ctx)
{
    for (uint32_t i = 0; i < easy->fronts.busy_count; i++) {
        uint32_t class_id = easy->fronts.busy[i];
        easy->full[class_id] = easy->held_back[class_id] = 0;
    }
    pt__fronts_restart(&easy->fronts, ctx);
    easy->head_count = 0;
    easy->owned = 0;
    easy->known = true;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct easy *easy = state;
    bool killed;
    PT_TRY(pt__ends_kill(&easy->ends, ctx, &killed));
    if (!killed) {
        if (!easy->known) start_over(easy, ctx);
        for (uint32_t class_id; (class_id = pt__fronts_first(&easy->fronts)) != PT_NONE;)
            PT_TRY(look_at(easy, ctx, class_id, easy->fronts.heap.job[class_id]));
        easy->shadows_hold = true;
    }
    return pt__ends_arm(&easy->ends, ctx);
}

const struct pt_policy_ops pt__easy_backfill = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "easy_backfill",
    .summary = "first in, first out, but others may go ahead where by estimate_s the first that "
               "waits starts no later for it",
    .source = "Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    .columns = "estimate_s",
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = on_release,
    .on_timer = on_timer,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
