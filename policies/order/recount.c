#include "policies/order/recount.h"

#include <stdlib.h>
#include <string.h>

/* Parts of a pool that units are counted in. A share is rounded down, so that jobs that fill a
 * pool exactly fit; it takes 2^20 GPUs to let one too many in. */
#define WHOLE_POOL (UINT64_C(1) << 40)

enum { NOT_LISTED, LISTED, LEAVING }; /* leaving: stopped by a walk, holds its units until saved */

enum pt_status pt__recount_init(struct pt_recount *recount, const struct pt_ctx *ctx,
                                struct pt_error *error)
{
    size_t n = (size_t)pt_view_trace(ctx)->job_count + 1;
    recount->capacity = (uint32_t)n;
    recount->acted_ns = PT_NEVER;
    recount->item = malloc(n * sizeof *recount->item);
    recount->scratch = malloc(n * sizeof *recount->scratch);
    recount->decided = malloc(n * sizeof *recount->decided);
    recount->listed = calloc(n, sizeof *recount->listed);
    if (recount->item == NULL || recount->scratch == NULL || recount->decided == NULL ||
        recount->listed == NULL) {
        pt__recount_fini(recount);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the list of jobs");
    }
    return PT_OK;
}

void pt__recount_fini(struct pt_recount *recount)
{
    free(recount->item);
    free(recount->scratch);
    free(recount->decided);
    free(recount->listed);
}

bool pt__recount_insert(struct pt_recount *recount, pt_job job, uint32_t at)
{
    bool was_listed = recount->listed[job] != NOT_LISTED;
    recount->listed[job] = LISTED;
    if (was_listed) return false;
    struct pt_recount_item *item = &recount->item[at];
    memmove(item + 1, item, (recount->count++ - at) * sizeof *item);
    *item = (struct pt_recount_item){.job = job};
    return true;
}

bool pt__recount_holds(const struct pt_ctx *ctx, pt_job job)
{
    return pt_view_held_pool(ctx, job) != PT_NONE;
}

static bool waits(const struct pt_ctx *ctx, pt_job job)
{
    enum pt_job_state state = pt_view_state(ctx, job);
    return state == PT_STATE_PENDING || state == PT_STATE_PAUSED;
}

void pt__recount_prune(struct pt_recount *recount, const struct pt_ctx *ctx, uint32_t *split)
{
    uint32_t kept = 0, before = 0;
    for (uint32_t i = 0; i < recount->count; i++) {
        pt_job job = recount->item[i].job;
        if (waits(ctx, job) || pt__recount_holds(ctx, job)) {
            if (split != NULL && i < *split) before++;
            recount->item[kept++] = recount->item[i];
        } else {
            recount->listed[job] = NOT_LISTED;
        }
    }
    recount->count = kept;
    if (split != NULL) *split = before;
}

/* Merges items[from, middle) and items[middle, to). */
static void merge(struct pt_recount_item *items, struct pt_recount_item *scratch, uint32_t from,
                  uint32_t middle, uint32_t to)
{
    uint32_t left = 0, right = middle, count = middle - from;
    memcpy(scratch, items + from, count * sizeof *items);
    for (uint32_t at = from; left < count; at++) {
        bool take_right = right < to && items[right].key < scratch[left].key;
        items[at] = take_right ? items[right++] : scratch[left++];
    }
}

void pt__recount_sort(struct pt_recount_item *items, struct pt_recount_item *scratch,
                      uint32_t count)
{
    uint32_t i = 1;
    while (i < count && items[i - 1].key <= items[i].key)
        i++;
    if (i >= count) return;
    for (uint64_t run = 1; run < count; run *= 2)
        for (uint64_t from = 0; from + run < count; from += 2 * run) {
            uint64_t middle = from + run, to = middle + run < count ? middle + run : count;
            if (items[middle - 1].key > items[middle].key)
                merge(items, scratch, (uint32_t)from, (uint32_t)middle, (uint32_t)to);
        }
}

/* What of the pool the job takes or would take. */
static uint64_t share(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job), there = pt_view_units_there(ctx, pool, job);
    if (wanted == 0) return 0;
    return there == 0 ? WHOLE_POOL + 1 : (uint64_t)(((pt_u128)wanted * WHOLE_POOL) / there);
}

static bool take(uint64_t *left, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t held = pt_view_held_pool(ctx, job);
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    if (held != PT_NONE) pools = PT_POOL_BIT(held);
    for (; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        uint64_t wanted = share(ctx, pool, job);
        if (wanted > left[pool]) continue;
        if (held == PT_NONE && !pt_view_within_limit(ctx, pool, job)) continue;
        left[pool] -= wanted;
        return true;
    }
    return false;
}

/* Nobody may stop these, so what they hold isn't there to be given to others. */
static void take_fixed(uint64_t *left, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t pool = pt_view_held_pool(ctx, job);
    uint64_t held = share(ctx, pool, job);
    left[pool] -= held < left[pool] ? held : left[pool];
}

/* Those that leave are as good as gone: else their room would go to others while they are saved,
 * and who had them stopped would find none again. */
static bool is_fixed(const struct pt_recount *recount, const struct pt_ctx *ctx, pt_job job)
{
    return recount->listed[job] != LEAVING && pt__recount_holds(ctx, job) &&
           !pt_view_preemptible(ctx, job);
}

static void decide(struct pt_recount *recount, struct pt_ctx *ctx,
                   const struct pt_recount_item *items)
{
    uint64_t left[PT_POOLS_MAX];
    recount->start_count = recount->stop_count = 0;
    for (uint32_t p = 0; p < PT_POOLS_MAX; p++)
        left[p] = WHOLE_POOL;
    for (uint32_t i = 0; i < recount->count; i++)
        if (is_fixed(recount, ctx, items[i].job)) take_fixed(left, ctx, items[i].job);
    for (uint32_t i = 0; i < recount->count; i++) {
        pt_job job = items[i].job;
        bool holds = pt__recount_holds(ctx, job);
        if (recount->listed[job] == LEAVING || is_fixed(recount, ctx, job)) continue;
        if (take(left, ctx, job)) {
            if (!holds) recount->decided[recount->start_count++] = job;
        } else if (holds) {
            recount->decided[recount->capacity - ++recount->stop_count] = job;
        } else {
            pt_ctx_say(ctx, job, PT_REASON_PRIORITY);
        }
    }
}

enum pt_status pt__recount_act(struct pt_recount *recount, struct pt_ctx *ctx,
                               const struct pt_recount_item *items)
{
    enum pt_status status = PT_OK;
    decide(recount, ctx, items);
    recount->acting = true;
    recount->acted_ns = pt_view_now_ns(ctx);
    for (uint32_t i = 1; i <= recount->stop_count && status == PT_OK; i++) {
        pt_job job = recount->decided[recount->capacity - i];
        recount->listed[job] = LEAVING;
        status = pt_ctx_preempt(ctx, job);
    }
    for (uint32_t i = 0; i < recount->start_count && status == PT_OK; i++) {
        pt_job job = recount->decided[i];
        const struct pt_units *units;
        uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
        if (pt_ctx_place(ctx, &units, job, pools)) status = pt_ctx_start(ctx, job, units);
    }
    recount->acting = false;
    return status;
}

void pt__recount_on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct pt_recount *recount = state;
    (void)ctx, (void)job;
    recount->due = true;
}

void pt__recount_on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct pt_recount *recount = state;
    (void)pools;
    recount->due |= recount->acted_ns != pt_view_now_ns(ctx);
}

void pt__recount_on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct pt_recount *recount = state;
    (void)ctx, (void)job, (void)why;
    recount->due |= !recount->acting;
}
