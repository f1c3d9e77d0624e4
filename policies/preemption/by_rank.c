#include "policies/preemption/by_rank.h"

#include <stdlib.h>
#include <string.h>

uint32_t pt__by_rank_below(const struct pt_by_rank *by, int64_t priority)
{
    uint32_t from = 0, to = by->level_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (by->value[middle] < priority)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

uint32_t pt__by_rank_level(const struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job)
{
    return pt__by_rank_below(by, pt_view_rank(ctx, job).value);
}

static int compare_values(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Sorts the values and leaves each once; how many are left. */
static uint32_t unique(int64_t *value, uint32_t count)
{
    uint32_t kept = 0;
    qsort(value, count, sizeof *value, compare_values);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || value[kept - 1] != value[i]) value[kept++] = value[i];
    return kept;
}

/* The values that occur in the trace. They are mostly few, so they are gathered in a list that is
 * made unique when it is full, and doubled where that leaves it more than half full. */
static enum pt_status gather_values(struct pt_by_rank *by, const struct pt_ctx *ctx,
                                    struct pt_error *error)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count, capacity = 64;
    by->value = malloc(capacity * sizeof *by->value);
    if (by->value == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for priorities");
    for (pt_job job = 0; job < jobs; job++) {
        int64_t value = pt_view_rank(ctx, job).value;
        if (by->level_count > 0 && by->value[by->level_count - 1] == value) continue;
        if (by->level_count == capacity) by->level_count = unique(by->value, capacity);
        if (by->level_count > capacity / 2) {
            int64_t *more = realloc(by->value, 2 * (size_t)capacity * sizeof *more);
            if (more == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for priorities");
            by->value = more;
            capacity *= 2;
        }
        by->value[by->level_count++] = value;
    }
    by->level_count = unique(by->value, by->level_count);
    return PT_OK;
}

enum pt_status pt__by_rank_init(struct pt_by_rank *by, const struct pt_ctx *ctx,
                                struct pt_error *error)
{
    *by = (struct pt_by_rank){.pool_count = pt_view_pool_count(ctx)};
    if (pt_view_preemption(ctx)->mode == PT_PREEMPTION_NONE) return PT_OK;
    PT_TRY(gather_values(by, ctx, error));
    size_t jobs = (size_t)pt_view_trace(ctx)->job_count + 1, levels = (size_t)by->level_count + 1;
    by->earliest = malloc(levels * sizeof *by->earliest);
    by->latest = malloc(levels * sizeof *by->latest);
    by->before = malloc(jobs * sizeof *by->before);
    by->behind = malloc(jobs * sizeof *by->behind);
    by->pool = malloc(jobs);
    by->units = calloc(levels * by->pool_count, sizeof *by->units);
    by->capacity = calloc(levels * by->pool_count, sizeof *by->capacity);
    if (by->earliest == NULL || by->latest == NULL || by->before == NULL || by->behind == NULL ||
        by->pool == NULL || by->units == NULL || by->capacity == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the running jobs by priority");
    memset(by->earliest, 0xff, levels * sizeof *by->earliest);
    memset(by->latest, 0xff, levels * sizeof *by->latest);
    memset(by->pool, PT_NOT_LISTED, jobs);
    return PT_OK;
}

void pt__by_rank_fini(struct pt_by_rank *by)
{
    free(by->value);
    free(by->earliest);
    free(by->latest);
    free(by->before);
    free(by->behind);
    free(by->pool);
    free(by->units);
    free(by->capacity);
    *by = (struct pt_by_rank){0};
}

static void count(struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job, uint32_t level,
                  bool comes)
{
    uint32_t pool = by->pool[job], units = pt_view_units_wanted(ctx, job);
    uint32_t counted = units == 0 ? 1 : units; /* one without GPUs may hold what others need */
    size_t at = (size_t)level * by->pool_count + pool;
    uint64_t capacity = units == 0 ? 0 : (uint64_t)units * pt_view_need(ctx, pool, job)->capacity;
    by->units[at] += comes ? counted : 0u - (uint64_t)counted;
    by->capacity[at] += comes ? capacity : 0u - capacity;
}

/* Whether a job of the level, which started before now, stands before this one. */
static bool stands_before(const struct pt_ctx *ctx, pt_job other, pt_job job)
{
    return pt_view_attempt_ns(ctx, other) < pt_view_attempt_ns(ctx, job) || other < job;
}

void pt__by_rank_started(struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job)
{
    if (by->pool == NULL) return;
    pt__by_rank_stopped(by, ctx, job); /* it has moved */
    if (!pt_view_preemptible(ctx, job)) return;
    uint32_t level = pt__by_rank_level(by, ctx, job);
    pt_job before = by->latest[level], behind = PT_NONE;
    while (before != PT_NONE && !stands_before(ctx, before, job)) {
        behind = before;
        before = by->before[before];
    }
    by->before[job] = before;
    by->behind[job] = behind;
    *(before == PT_NONE ? &by->earliest[level] : &by->behind[before]) = job;
    *(behind == PT_NONE ? &by->latest[level] : &by->before[behind]) = job;
    by->pool[job] = (uint8_t)pt_view_held_pool(ctx, job);
    count(by, ctx, job, level, true);
}

void pt__by_rank_stopped(struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job)
{
    if (by->pool == NULL || by->pool[job] == PT_NOT_LISTED) return;
    uint32_t level = pt__by_rank_level(by, ctx, job);
    pt_job before = by->before[job], behind = by->behind[job];
    *(before == PT_NONE ? &by->earliest[level] : &by->behind[before]) = behind;
    *(behind == PT_NONE ? &by->latest[level] : &by->before[behind]) = before;
    count(by, ctx, job, level, false);
    by->pool[job] = PT_NOT_LISTED;
}
