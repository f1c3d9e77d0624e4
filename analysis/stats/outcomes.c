#include "analysis/stats/outcomes.h"

#include <math.h>
#include <stdlib.h>

/* All columns live in one block, widest first, so that every one is aligned. */
#define PT_OUTCOME_BYTES (3 * sizeof(int64_t) + sizeof(uint32_t) + 2 * sizeof(uint16_t) + 2)

enum pt_status pt_outcomes_create(struct pt_outcomes **outcomes, uint32_t job_count,
                                  struct pt_error *error)
{
    size_t n = job_count;
    struct pt_outcomes *o = calloc(1, sizeof(*o));
    /* calloc leaves running times, states, reasons and counts at 0 without touching the pages */
    int64_t *block = calloc(n + 1, PT_OUTCOME_BYTES);
    if (o == NULL || block == NULL) {
        free(o);
        free(block);
        return pt_fail(error, PT_ERR_MEMORY, "no memory for the outcomes of %zu jobs", n);
    }
    o->job_count = job_count;
    o->start_ns = block;
    o->end_ns = block + n;
    o->running_ns = block + 2 * n;
    o->home_gpu = (uint32_t *)(void *)(block + 3 * n);
    o->attempts = (uint16_t *)(void *)(o->home_gpu + n);
    o->preemptions = o->attempts + n;
    o->state = (uint8_t *)(void *)(o->preemptions + n);
    o->reason = o->state + n;
    for (size_t job = 0; job < n; job++) {
        o->start_ns[job] = PT_TIME_ABSENT;
        o->end_ns[job] = PT_TIME_ABSENT;
        o->home_gpu[job] = PT_NONE;
    }
    *outcomes = o;
    return PT_OK;
}

enum pt_status pt_outcomes_keep_charges(struct pt_outcomes *outcomes, struct pt_error *error)
{
    outcomes->cost = malloc(((size_t)outcomes->job_count + 1) * sizeof(*outcomes->cost));
    for (size_t job = 0; outcomes->cost != NULL && job < outcomes->job_count; job++)
        outcomes->cost[job] = NAN;
    if (outcomes->cost != NULL) return PT_OK;
    return pt_fail(error, PT_ERR_MEMORY, "no memory for the charges of %u jobs",
                   outcomes->job_count);
}

void pt_outcomes_destroy(struct pt_outcomes *outcomes)
{
    if (outcomes == NULL) return;
    free(outcomes->cost);
    free(outcomes->start_ns);
    free(outcomes);
}

enum pt_status pt_outcomes_record(void *ctx, pt_job job, const struct pt_job_result *result,
                                  struct pt_error *error)
{
    struct pt_outcomes *o = ctx;
    if (job >= o->job_count) {
        return pt_fail(error, PT_ERR_INVARIANT, "a result for job %u of %u", job, o->job_count);
    }
    o->start_ns[job] = result->start_ns;
    o->end_ns[job] = result->end_ns;
    o->running_ns[job] = result->running_ns == PT_TIME_ABSENT ? 0 : result->running_ns;
    o->home_gpu[job] = result->home_gpu;
    o->state[job] = result->state;
    o->reason[job] = result->reason;
    o->attempts[job] = result->attempts;
    o->preemptions[job] = result->preemptions;
    if (o->cost != NULL) o->cost[job] = result->cost;
    return PT_OK;
}

/* A job that was withdrawn has an end but never ran: it has no completion time. */
int64_t pt_outcomes_jct_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job)
{
    if (o->start_ns[job] == PT_TIME_ABSENT || o->end_ns[job] == PT_TIME_ABSENT) {
        return PT_TIME_ABSENT;
    }
    return o->end_ns[job] - pt_trace_submit_ns(trace)[job];
}

int64_t pt_outcomes_wait_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job)
{
    if (o->start_ns[job] == PT_TIME_ABSENT) return PT_TIME_ABSENT;
    return o->start_ns[job] - pt_trace_submit_ns(trace)[job];
}

int64_t pt_outcomes_queue_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job)
{
    int64_t jct_ns = pt_outcomes_jct_ns(o, trace, job);
    return jct_ns == PT_TIME_ABSENT ? PT_TIME_ABSENT : jct_ns - o->running_ns[job];
}
