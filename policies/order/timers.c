#include "policies/order/timers.h"

#include <stdlib.h>

enum pt_status pt__timers_init(struct pt_timers *timers, const struct pt_ctx *ctx,
                               struct pt_error *error)
{
    size_t jobs = pt_view_trace(ctx)->job_count;
    *timers = (struct pt_timers){.asked_ns = PT_NEVER};
    timers->due = malloc((jobs + 1) * sizeof *timers->due);
    timers->place = calloc(jobs + 1, sizeof *timers->place);
    if (timers->due != NULL && timers->place != NULL) return PT_OK;
    pt__timers_fini(timers);
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for timers of %zu jobs", jobs);
}

void pt__timers_fini(struct pt_timers *timers)
{
    free(timers->due);
    free(timers->place);
    *timers = (struct pt_timers){0};
}

static pt_job job_of(pt_u128 due)
{
    return (uint32_t)due;
}
static int64_t time_of(pt_u128 due)
{
    return (int64_t)(uint64_t)(due >> 32);
}

static void put(struct pt_timers *timers, uint32_t at, pt_u128 due)
{
    timers->due[at] = due;
    timers->place[job_of(due)] = at + 1;
}

/* Puts it into the hole at `at`, or above or below it. */
static void settle(struct pt_timers *timers, uint32_t at, pt_u128 due)
{
    const pt_u128 *heap = timers->due;
    for (; at > 0 && heap[(at - 1) / 2] > due; at = (at - 1) / 2)
        put(timers, at, heap[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < timers->count; at = child) {
        if (child + 1 < timers->count && heap[child + 1] < heap[child]) child++;
        if (heap[child] > due) break;
        put(timers, at, heap[child]);
    }
    put(timers, at, due);
}

void pt__timers_set(struct pt_timers *timers, pt_job job, int64_t time_ns)
{
    uint32_t at = timers->place[job];
    if (time_ns != PT_NEVER) {
        at = at == 0 ? timers->count++ : at - 1;
        settle(timers, at, (pt_u128)(uint64_t)time_ns << 32 | job);
    } else if (at-- != 0) {
        pt_u128 last = timers->due[--timers->count];
        timers->place[job] = 0;
        if (job_of(last) != job) settle(timers, at, last);
    }
}

pt_job pt__timers_due(struct pt_timers *timers, const struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    if (timers->asked_ns <= now_ns) timers->asked_ns = PT_NEVER;
    if (timers->count == 0 || time_of(timers->due[0]) > now_ns) return PT_NONE;
    pt_job job = job_of(timers->due[0]);
    pt__timers_set(timers, job, PT_NEVER);
    return job;
}

enum pt_status pt__timers_arm(struct pt_timers *timers, struct pt_ctx *ctx)
{
    if (timers->count == 0) return PT_OK;
    int64_t first_ns = time_of(timers->due[0]);
    if (first_ns >= timers->asked_ns) return PT_OK; /* one that comes before will ask again */
    timers->asked_ns = first_ns;
    return pt_ctx_wake_at(ctx, first_ns);
}
