#include <stdlib.h>
#include <string.h>

#include "policies/order/order.h"
#include "policies/order/recount.h"

/* Shortest remaining time first as the simulator of Helios does it (S-Lab HeliosArtifact, SC 2021,
 * commit bdaae10). At each tick: all jobs, first those that wait (new ones and stopped ones at the
 * end), then those that run (in order of their starts), sorted by work left, equal ones in that
 * order; a walk counts units against what the cluster has, passes over what does not fit, stops
 * running jobs that are left out and takes in others. A job taken in that finds no place keeps its
 * part of the count for this tick. What stopping a job costs is `preemption: redo`.
 *
 * Between two ticks with nothing new the walk comes out the same, but after a tick that acted (the
 * list has changed), or where a running job's work left falls below that of one in front of it that
 * found no place. So only those ticks are lived. */

enum { PARAM_TICK };

static const struct pt_param params[] = {
    [PARAM_TICK] = {"tick", PT_PARAM_DURATION, "s", "1s", "1ms", NULL, NULL,
                    "who runs is decided at multiples of this alone"},
    {0}};

struct helios {
    struct pt_recount recount; /* first: the callbacks of recount.h are given this */
    struct pt_recount_item *sorted;
    uint32_t waiting; /* so many jobs of the list's front wait, the others run */
    int64_t tick_ns, wake_ns;
};

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct helios);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct helios *h = state;
    h->tick_ns = values[PARAM_TICK].integer;
    h->wake_ns = PT_NEVER;
    h->sorted = malloc(((size_t)pt_view_trace(ctx)->job_count + 1) * sizeof *h->sorted);
    if (h->sorted == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for the queue");
    enum pt_status status = pt__recount_init(&h->recount, ctx, error);
    if (status != PT_OK) free(h->sorted);
    return status;
}

static void fini(void *state)
{
    struct helios *h = state;
    pt__recount_fini(&h->recount);
    free(h->sorted);
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct helios *h = state;
    (void)ctx;
    if (pt__recount_insert(&h->recount, job, h->waiting)) h->waiting++;
    h->recount.due |= !h->recount.acting;
}

static void on_timer(void *state, struct pt_ctx *ctx)
{
    struct helios *h = state;
    (void)ctx;
    h->recount.due = true;
}

static enum pt_status wake_at(struct helios *h, struct pt_ctx *ctx, int64_t time_ns)
{
    if (time_ns == h->wake_ns) return PT_OK;
    h->wake_ns = time_ns;
    return pt_ctx_wake_at(ctx, time_ns);
}

/* ---- the list ---- */

static void keep(struct pt_recount *r, uint32_t *count, const struct pt_ctx *ctx, pt_job job,
                 bool holds)
{
    if (pt__recount_holds(ctx, job) == holds) r->scratch[(*count)++].job = job;
}

/* Those that went on waiting, those stopped, those that went on running, those started: as the walk
 * decided it, or, before it, as it happened since the last. */
static void regroup(struct helios *h, const struct pt_ctx *ctx, bool walked)
{
    struct pt_recount *r = &h->recount;
    uint32_t count = 0, waiting;
    for (uint32_t i = 0; i < h->waiting; i++)
        keep(r, &count, ctx, r->item[i].job, false);
    for (uint32_t i = 1; walked && i <= r->stop_count; i++)
        keep(r, &count, ctx, r->decided[r->capacity - i], false);
    for (uint32_t i = h->waiting; !walked && i < r->count; i++)
        keep(r, &count, ctx, r->item[i].job, false);
    waiting = count;
    for (uint32_t i = h->waiting; i < r->count; i++)
        keep(r, &count, ctx, r->item[i].job, true);
    for (uint32_t i = 0; walked && i < r->start_count; i++)
        keep(r, &count, ctx, r->decided[i], true);
    for (uint32_t i = 0; !walked && i < h->waiting; i++)
        keep(r, &count, ctx, r->item[i].job, true);
    for (uint32_t i = 0; i < count; i++)
        r->item[i].job = r->scratch[i].job;
    r->count = count;
    h->waiting = waiting;
}

static void sort(struct helios *h, const struct pt_ctx *ctx)
{
    struct pt_recount *r = &h->recount;
    for (uint32_t i = 0; i < r->count; i++) {
        pt_job job = r->item[i].job;
        h->sorted[i] = (struct pt_recount_item){(uint64_t)pt_view_left_ns(ctx, job), job};
    }
    pt__recount_sort(h->sorted, r->scratch, r->count);
}

/* ---- the next tick that may differ ---- */

static bool has_acted(const struct helios *h, const struct pt_ctx *ctx)
{
    const struct pt_recount *r = &h->recount;
    for (uint32_t i = 0; i < r->start_count; i++)
        if (pt__recount_holds(ctx, r->decided[i])) return true;
    return r->stop_count > 0;
}

/* Ticks until a running job has less left than one in front of it that found no place; 0 = none
 * will. */
static int64_t ticks_to_passing(const struct helios *h, const struct pt_ctx *ctx)
{
    const struct pt_recount *r = &h->recount;
    int64_t least = 0;
    uint64_t running_left = UINT64_MAX;
    for (uint32_t i = r->count, taken = r->start_count; i-- > 0 && taken > 0;) {
        const struct pt_recount_item *item = &h->sorted[i];
        if (pt__recount_holds(ctx, item->job)) running_left = item->key;
        if (item->job != r->decided[taken - 1]) continue;
        taken--;
        if (running_left == UINT64_MAX) continue;
        int64_t ticks = (int64_t)(running_left - item->key) / h->tick_ns + 1;
        if (least == 0 || ticks < least) least = ticks;
    }
    return least;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct helios *h = state;
    int64_t now_ns = pt_view_now_ns(ctx), past_ns = now_ns % h->tick_ns;
    if (!h->recount.due) return PT_OK;
    if (now_ns > PT_TIME_MAX - h->tick_ns) return PT_OK;
    if (past_ns != 0) return wake_at(h, ctx, now_ns - past_ns + h->tick_ns);
    h->recount.due = false;
    pt__recount_prune(&h->recount, ctx, &h->waiting);
    regroup(h, ctx, false);
    sort(h, ctx);
    PT_TRY(pt__recount_act(&h->recount, ctx, h->sorted));
    bool acted = has_acted(h, ctx);
    int64_t ticks = acted ? 1 : ticks_to_passing(h, ctx);
    if (acted) regroup(h, ctx, true);
    if (ticks == 0 || ticks > (PT_TIME_MAX - now_ns) / h->tick_ns) return PT_OK;
    return wake_at(h, ctx, now_ns + ticks * h->tick_ns);
}

const struct pt_policy_ops pt__helios_srtf = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "helios_srtf",
    .summary = "shortest remaining time first at ticks of a second, units counted before places "
               "are looked for, as Helios' own simulator does; O(waiting + running) a tick",
    .source = "Hu et al., SC 2021; S-Lab HeliosArtifact, commit bdaae10",
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
