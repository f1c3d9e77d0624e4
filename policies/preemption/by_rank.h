/* Running jobs that may be stopped, by their priority and, within one, by when they started: what a
 * search for victims walks instead of all jobs. A level is one value of priority; levels ascend.
 *
 * Also what all of a level hold in each pool, so that a search without hope costs a few sums.
 * 9 bytes a job of the trace, and nothing where the experiment stops nobody.
 */
#ifndef PT_PREEMPTION_BY_RANK_H
#define PT_PREEMPTION_BY_RANK_H

#include "partita/policy.h"

struct pt_by_rank {
    uint32_t level_count, pool_count;
    int64_t *value;             /* by level, ascending */
    pt_job *earliest, *latest;  /* by level: who started first, last; PT_NONE = nobody */
    pt_job *before, *behind;    /* by job: in its level, in order of starts */
    uint8_t *pool;              /* by job: whose units it holds, PT_NOT_LISTED = it is not listed */
    uint64_t *units, *capacity; /* [level][pool]: units held, capacity held */
};
#define PT_NOT_LISTED 255

/* Nobody runs. Allocates; `by` stays empty, and is listed nowhere, where the experiment stops
 * nobody. Errors: PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__by_rank_init(struct pt_by_rank *by, const struct pt_ctx *ctx,
                                              struct pt_error *error);
/* Frees what init allocated; also after it failed. */
void pt__by_rank_fini(struct pt_by_rank *by);
/* The job runs from now on, or has moved. O(1) but for jobs that started at the same instant. */
void pt__by_rank_started(struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job);
/* The job left its units, or is on its way. O(log levels). */
void pt__by_rank_stopped(struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job);
/* The number of levels below the priority: those whose jobs may be stopped for it. */
uint32_t pt__by_rank_below(const struct pt_by_rank *by, int64_t priority);
/* The level of a listed job. */
uint32_t pt__by_rank_level(const struct pt_by_rank *by, const struct pt_ctx *ctx, pt_job job);

#endif
