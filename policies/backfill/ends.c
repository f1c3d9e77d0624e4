#include "policies/backfill/ends.h"

#include <stdlib.h>

#include "policies/backfill/backfill.h"

const char *const pt__overrun_choices[] = {"extend", "kill", NULL};

int64_t pt__estimate_ns(const struct pt_trace *trace, pt_job job)
{
    int64_t ns = pt_trace_time(trace, PT_COL_ESTIMATE, job);
    return ns == PT_TIME_ABSENT ? PT_NEVER : ns;
}

int64_t pt__later(int64_t from_ns, int64_t for_ns)
{
    return for_ns > PT_TIME_MAX - from_ns ? PT_NEVER : from_ns + for_ns;
}

/* Jobs that can run at once: a bound by what GPUs take, and those that need none. */
static uint32_t running_max(const struct pt_ctx *ctx)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    const struct pt_trace *trace = pt_view_trace(ctx);
    uint64_t most = 0;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        most += (uint64_t)pool->node_count * pool->gpus_per_node * pool->shape.residents_max;
        if (most >= trace->job_count) return trace->job_count;
    }
    for (pt_job job = 0; job < trace->job_count; job++)
        most += pt_view_units_wanted(ctx, job) == 0;
    return most < trace->job_count ? (uint32_t)most : trace->job_count;
}

enum pt_status pt__ends_init(struct pt_ends *ends, const struct pt_ctx *ctx, bool kill,
                             struct pt_error *error)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    ends->trace = trace;
    ends->kill = kill;
    ends->armed_ns = PT_NEVER;
    ends->count = 0;
    ends->capacity = running_max(ctx);
    ends->item = malloc(((size_t)ends->capacity + 1) * sizeof *ends->item);
    ends->end_ns = malloc(((size_t)trace->job_count + 1) * sizeof *ends->end_ns);
    if (ends->item == NULL || ends->end_ns == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the ends of %u jobs",
                       trace->job_count);
    for (pt_job job = 0; job < trace->job_count; job++)
        ends->end_ns[job] = PT_TIME_ABSENT;
    return PT_OK;
}

void pt__ends_fini(struct pt_ends *ends)
{
    free(ends->item);
    free(ends->end_ns);
}

int64_t pt__ends_of(const struct pt_ends *ends, pt_job job)
{
    return ends->end_ns[job] == PT_TIME_ABSENT ? PT_NEVER : ends->end_ns[job];
}

/* How many stand in front of (end, job), which are those that end later. */
static uint32_t place_of(const struct pt_ends *ends, int64_t end_ns, pt_job job)
{
    uint32_t low = 0, high = ends->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct pt_end *item = &ends->item[middle];
        if (item->end_ns > end_ns || (item->end_ns == end_ns && item->job > job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pt__ends_remove(struct pt_ends *ends, pt_job job)
{
    if (ends->end_ns[job] == PT_TIME_ABSENT) return;
    uint32_t place = place_of(ends, ends->end_ns[job], job);
    ends->count--;
    for (uint32_t i = place; i < ends->count; i++)
        ends->item[i] = ends->item[i + 1];
    ends->end_ns[job] = PT_TIME_ABSENT;
}

static void insert(struct pt_ends *ends, const struct pt_ctx *ctx, pt_job job, int64_t from_ns)
{
    int64_t end_ns = pt__later(from_ns, pt__estimate_ns(ends->trace, job));
    pt__ends_remove(ends, job);
    if (end_ns == PT_NEVER || ends->count == ends->capacity) return;
    uint32_t place = place_of(ends, end_ns, job);
    for (uint32_t i = ends->count; i > place; i--)
        ends->item[i] = ends->item[i - 1];
    ends->item[place] = (struct pt_end){end_ns, job, pt_view_held_pool(ctx, job)};
    ends->end_ns[job] = end_ns;
    ends->count++;
}

void pt__ends_begin(struct pt_ends *ends, const struct pt_ctx *ctx, pt_job job)
{
    if (pt_view_state(ctx, job) == PT_STATE_RESERVED) insert(ends, ctx, job, pt_view_now_ns(ctx));
}

void pt__ends_started(struct pt_ends *ends, const struct pt_ctx *ctx, pt_job job)
{
    insert(ends, ctx, job, pt_view_attempt_ns(ctx, job));
}

enum pt_status pt__ends_kill(struct pt_ends *ends, struct pt_ctx *ctx, bool *killed)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    *killed = false;
    if (!ends->kill) return PT_OK;
    for (uint32_t i = 0; i < ends->count && pt__ends_at(ends, i)->end_ns <= now_ns;) {
        pt_job job = pt__ends_at(ends, i)->job;
        if (pt_view_attempt_ns(ctx, job) == PT_NEVER) { /* its instances are still being made */
            i++;
            continue;
        }
        PT_TRY(pt_ctx_kill(ctx, job)); /* on_stopped takes it out */
        *killed = true;
    }
    return PT_OK;
}

enum pt_status pt__ends_arm(struct pt_ends *ends, struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    if (!ends->kill && pt_view_pending_count(ctx) == 0) return PT_OK;
    uint32_t past = ends->count - place_of(ends, now_ns, PT_NONE);
    if (past == ends->count) return PT_OK;
    int64_t next_ns = pt__ends_at(ends, past)->end_ns;
    if (ends->armed_ns <= next_ns && ends->armed_ns > now_ns) return PT_OK;
    ends->armed_ns = next_ns;
    return pt_ctx_wake_at(ctx, next_ns);
}

bool pt__ends_timer(struct pt_ends *ends, const struct pt_ctx *ctx)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    if (ends->armed_ns <= now_ns) ends->armed_ns = PT_NEVER;
    uint32_t later = place_of(ends, now_ns, PT_NONE); /* the wake may be of one who ended early */
    return later < ends->count && ends->item[later].end_ns == now_ns;
}

void pt__ends_lift(const struct pt_ends *ends, struct pt_ctx *ctx, uint64_t pools, int64_t by_ns)
{
    for (uint32_t i = 0; i < ends->count; i++) {
        const struct pt_end *end = pt__ends_at(ends, i);
        if (end->end_ns > by_ns) break;
        if ((PT_POOL_BIT(end->pool) & pools) != 0) (void)pt_ctx_try_lift(ctx, end->job);
    }
}
