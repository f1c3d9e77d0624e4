/* What became of every job, in columns, in trace order: the receiver of a run's results.
 * 34 bytes a job. */
#ifndef PT_STATS_OUTCOMES_H
#define PT_STATS_OUTCOMES_H

#include "partita/recorder.h"
#include "partita/status.h"
#include "partita/trace.h"

struct pt_outcomes {
    uint32_t job_count;
    int64_t *start_ns, *end_ns, *running_ns; /* PT_TIME_ABSENT (start, end) or 0 (running) */
    uint32_t *home_gpu;
    uint8_t *state, *reason;
    uint16_t *attempts, *preemptions;
    double *cost; /* what jobs are charged, NaN = nothing to charge; NULL: not kept */
};

PT_USE_RESULT enum pt_status pt_outcomes_create(struct pt_outcomes **outcomes, uint32_t job_count,
                                                struct pt_error *error);
/* Before anything is recorded: keeps what jobs are charged too, 8 bytes a job more. */
PT_USE_RESULT enum pt_status pt_outcomes_keep_charges(struct pt_outcomes *outcomes,
                                                      struct pt_error *error);
void pt_outcomes_destroy(struct pt_outcomes *outcomes);

/* A pt_recorder.job callback; ctx is the struct pt_outcomes. */
enum pt_status pt_outcomes_record(void *ctx, pt_job job, const struct pt_job_result *result,
                                  struct pt_error *error);

/* Derived times in ns; PT_TIME_ABSENT where they do not exist (semantics.md, section 3). */
int64_t pt_outcomes_jct_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job);
int64_t pt_outcomes_wait_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job);
int64_t pt_outcomes_queue_ns(const struct pt_outcomes *o, const struct pt_trace *trace, pt_job job);

#endif
