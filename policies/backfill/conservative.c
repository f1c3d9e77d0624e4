#include <stdalign.h>
#include <string.h>

#include "policies/backfill/backfill.h"
#include "policies/backfill/ends.h"
#include "policies/backfill/fronts.h"
#include "policies/backfill/promises.h"
#include "policies/backfill/sets.h"

/* Conservative backfilling: every job that waits has a promise, the earliest time at which it could
 * start by estimates without moving those before it in the queue. All promises are made anew when
 * something ends (or should have), in queue order; who is promised now starts.
 *
 * In a pool where units are all alike (room.h) a profile of free GPUs over time says everything. In
 * the others it is a bound, and a plan asks the engine. A pool in which the placement refuses what
 * would fit becomes one of the others.
 *
 * Who can't start now matters only to those behind it. So the walk stops as soon as nobody left is
 * a candidate: of a class that fits beside those that run, and short enough to end before all that
 * is free now is promised to others. It goes on from there when jobs arrive. */

enum { PARAM_OVERRUN, PARAM_DEPTH };

static const struct pt_param params[] = {
    [PARAM_OVERRUN] = PT_BACKFILL_PARAM_OVERRUN,
    [PARAM_DEPTH] = {"depth", PT_PARAM_INT, "", "", "1", "1000000000", NULL,
                     "jobs that can't start are looked at up to so many, first in the queue first; "
                     "default: all"},
    {0}};

struct conservative {
    struct pt_ends ends;
    struct pt_fronts fronts;     /* whose promise is next */
    struct pt_fronts candidates; /* who may start, as far as is known */
    struct pt_set chosen;        /* where the job that is looked at would run */
    struct pt_promises promises;
    uint64_t *full;          /* by class: pools where it does not fit now */
    uint32_t waiting, depth; /* who was looked at and waits; at most so many are */
    pt_job reached;          /* the last in the queue that was looked at + 1 */
    bool known;              /* the plan is still true */
    bool news;               /* somebody came */
    int64_t known_ns;        /* when it was made */
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
    return sizeof(struct conservative) + ((size_t)class_count + 1) * sizeof(uint64_t) +
           2 * pt__fronts_words(class_count) * sizeof(uint64_t);
}

static void fini(void *state)
{
    struct conservative *self = state;
    pt__promises_fini(&self->promises);
    pt__set_fini(&self->chosen);
    pt__ends_fini(&self->ends);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct conservative *self = state;
    uint32_t classes = pt_view_class_count(ctx);
    self->full = (uint64_t *)(void *)self->memory;
    uint64_t *words = self->full + classes + 1;
    pt__fronts_init(&self->fronts, words, classes);
    pt__fronts_init(&self->candidates, words + pt__fronts_words(classes), classes);
    self->depth = values[PARAM_DEPTH].text == NULL ? 0 : (uint32_t)values[PARAM_DEPTH].integer;
    enum pt_status status = pt__promises_init(&self->promises, ctx, &self->ends, self->full, error);
    memset(self->full, 0, ((size_t)classes + 1) * sizeof *self->full);
    if (status == PT_OK) status = pt__set_init(&self->chosen, ctx, error);
    bool kills = values[PARAM_OVERRUN].integer == PT_OVERRUN_KILL;
    if (status == PT_OK) status = pt__ends_init(&self->ends, ctx, kills, error);
    if (status != PT_OK) fini(self);
    return status;
}

/* ---- what is to be looked at ---- */

static bool is_full(const struct conservative *self, const struct pt_ctx *ctx, uint32_t class_id)
{
    return (pt_view_class_pools(ctx, class_id) & ~self->full[class_id]) == 0;
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct conservative *self = state;
    uint32_t class_id = pt_view_class_of(ctx, job);
    pt__ends_remove(&self->ends, job); /* its instances could not be made */
    pt__fronts_note(&self->fronts, class_id);
    pt__fronts_note(&self->candidates, class_id);
    self->news = true;
    if (job < self->reached) self->known = false;
    if (job < self->fronts.heap.job[class_id]) pt__fronts_set(&self->fronts, class_id, job);
    if (job < self->candidates.heap.job[class_id] && !is_full(self, ctx, class_id))
        pt__fronts_set(&self->candidates, class_id, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct conservative *self = state;
    uint32_t class_id = pt_view_class_of(ctx, job);
    if (job < self->reached) self->known = false;
    pt_job next = pt_view_class_next_pending(ctx, class_id, job);
    if (self->fronts.heap.job[class_id] == job) pt__fronts_set(&self->fronts, class_id, next);
    if (self->candidates.heap.job[class_id] == job)
        pt__fronts_set(&self->candidates, class_id, next);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    (void)ctx;
    (void)pools;
    struct conservative *self = state;
    self->known = false;
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct conservative *self = state;
    if (pt__ends_timer(&self->ends, ctx)) self->known = false;
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct conservative *self = state;
    if (pt__ends_of(&self->ends, job) != PT_NEVER) self->known = false; /* later than thought */
    pt__ends_started(&self->ends, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    (void)ctx;
    (void)why;
    struct conservative *self = state;
    pt__ends_remove(&self->ends, job);
    self->known = false;
}

/* ---- the plan ---- */

static enum pt_status plan_anew(struct conservative *self, const struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    bool ok = pt__promises_reset(&self->promises, ctx);
    for (uint32_t i = 0; i < self->fronts.busy_count; i++)
        self->full[self->fronts.busy[i]] = 0;
    pt__fronts_restart(&self->fronts, ctx);
    pt__fronts_restart(&self->candidates, ctx);
    self->waiting = 0;
    self->reached = 0;
    self->known = true;
    self->known_ns = now_ns;
    return ok ? PT_OK : PT_ERR_MEMORY;
}

/* Nodes have gone or come without a word; or somebody came, and one who has run past its estimate
 * was expected to end when the plan was made, and is still. */
static bool is_stale(const struct conservative *self, const struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    if (self->news && self->ends.count > 0 && pt__ends_at(&self->ends, 0)->end_ns <= now_ns &&
        self->known_ns != now_ns)
        return true;
    return pt__room_changed(&self->promises.room, ctx);
}

/* ---- who may start ---- */

enum answer { STARTS, WAITS, AT_LIMIT };

/* Looks for units that the job may have now, into `chosen`. */
static enum answer choose(struct conservative *self, struct pt_ctx *ctx, uint32_t class_id,
                          pt_job job)
{
    uint64_t pools = pt_view_class_pools(ctx, class_id) & ~self->full[class_id];
    bool held_back = false;
    while (pools != 0) {
        const struct pt_units *units;
        if (!pt_ctx_place(ctx, &units, job, pools)) {
            if (pt_view_why(ctx) == PT_REASON_LIMIT) return held_back ? WAITS : AT_LIMIT;
            self->full[class_id] |= pools;
            for (uint64_t rest = pools & self->promises.room.counted; rest != 0; rest &= rest - 1) {
                uint32_t pool = (uint32_t)__builtin_ctzll(rest);
                if (pt_view_units_free(ctx, pool, job) < pt_view_units_wanted(ctx, job)) continue;
                self->promises.room.counted &=
                    ~PT_POOL_BIT(pool); /* the placement wants more than enough */
                self->known = false;
            }
            break;
        }
        pt__set_copy(&self->chosen, units);
        if (pt__promises_keep(&self->promises, ctx, job, &self->chosen)) return STARTS;
        held_back = true;
        pools &= ~PT_POOL_BIT(self->chosen.units.pool);
    }
    if (held_back) pt_ctx_say(ctx, job, PT_REASON_RESERVATION);
    return WAITS;
}

/* How long one of the class could run from now on in what is promised to nobody; of several pools,
 * the longest. */
static int64_t longest(const struct conservative *self, const struct pt_ctx *ctx, uint32_t class_id,
                       pt_job job)
{
    int64_t now_ns = pt_view_now_ns(ctx), until_ns = now_ns;
    uint64_t rest = pt_view_class_pools(ctx, class_id) & ~self->full[class_id];
    for (; rest != 0 && until_ns != PT_NEVER; rest &= rest - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(rest);
        int64_t to_ns = pt__profile_until(&self->promises.room.profile[pool], now_ns,
                                          pt__room_amount(ctx, pool, job));
        if (to_ns > until_ns) until_ns = to_ns;
    }
    return until_ns == PT_NEVER ? PT_NEVER : until_ns - now_ns;
}

/* Finds the class's next candidate, from this pending job on. */
static void find_candidate(struct conservative *self, const struct pt_ctx *ctx, uint32_t class_id,
                           pt_job job)
{
    int64_t longest_ns = 0;
    if (job != PT_NONE && !is_full(self, ctx, class_id))
        longest_ns = longest(self, ctx, class_id, job);
    if (longest_ns == 0) job = PT_NONE;
    while (job != PT_NONE && pt__estimate_ns(self->ends.trace, job) > longest_ns)
        job = pt_view_class_next_pending(ctx, class_id, job);
    pt__fronts_set(&self->candidates, class_id, job);
}

static enum pt_status begin(struct conservative *self, struct pt_ctx *ctx, pt_job job)
{
    PT_TRY(
        pt__promises_take(&self->promises, ctx, self->chosen.units.pool, job, pt_view_now_ns(ctx)));
    PT_TRY(pt_ctx_start(ctx, job, &self->chosen.units));
    pt__ends_begin(&self->ends, ctx, job);
    enum pt_job_state now = pt_view_state(ctx, job);
    if (now != PT_STATE_RUNNING && now != PT_STATE_RESERVED) self->known = false; /* failed */
    return PT_OK;
}

/* The next in the queue: it starts, or is promised a time. */
static enum pt_status look_at(struct conservative *self, struct pt_ctx *ctx, uint32_t class_id,
                              pt_job job)
{
    enum answer answer = WAITS;
    bool is_candidate = self->candidates.heap.job[class_id] == job;
    if (is_candidate) answer = choose(self, ctx, class_id, job);
    if (!self->known) return PT_OK;
    if (job >= self->reached) self->reached = job + 1;
    if (answer == AT_LIMIT) {
        pt__fronts_set(&self->fronts, class_id, PT_NONE);
        pt__fronts_set(&self->candidates, class_id, PT_NONE);
        return PT_OK;
    }
    if (answer == STARTS) {
        PT_TRY(begin(self, ctx, job));
    } else {
        self->waiting++;
        PT_TRY(pt__promises_make(&self->promises, ctx, job));
    }
    pt_job next = pt_view_class_next_pending(ctx, class_id, job);
    pt__fronts_set(&self->fronts, class_id, next);
    if (is_candidate) find_candidate(self, ctx, class_id, next);
    return PT_OK;
}

/* Looks at the queue in order as long as there may be somebody who can start. */
static enum pt_status walk(struct conservative *self, struct pt_ctx *ctx)
{
    while (self->known && self->candidates.heap.count > 0 &&
           (self->depth == 0 || self->waiting < self->depth)) {
        uint32_t class_id = pt__fronts_first(&self->candidates);
        pt_job job = self->candidates.heap.job[class_id];
        find_candidate(self, ctx, class_id, job); /* is it still? */
        if (self->candidates.heap.job[class_id] != job) continue;
        class_id = pt__fronts_first(&self->fronts);
        job = self->fronts.heap.job[class_id];
        PT_TRY(look_at(self, ctx, class_id, job));
    }
    return PT_OK;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct conservative *self = state;
    bool killed;
    PT_TRY(pt__ends_kill(&self->ends, ctx, &killed));
    if (!killed) {
        if (self->known && self->candidates.heap.count > 0 && is_stale(self, ctx))
            self->known = false;
        do {
            if (!self->known) PT_TRY(plan_anew(self, ctx));
            PT_TRY(walk(self, ctx));
        } while (!self->known);
        self->news = false;
    }
    return pt__ends_arm(&self->ends, ctx);
}

const struct pt_policy_ops pt__conservative_backfill = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "conservative_backfill",
    .summary = "every job that waits has the earliest start by estimate_s that moves nobody before "
               "it; costs grow with the square of the queue's length (depth bounds it)",
    .source = "Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; bounds as in Slurm's sched/backfill",
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
