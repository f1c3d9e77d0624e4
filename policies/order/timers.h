/* A timer per job, the earliest first. O(log n); 20 bytes a job of the trace, touched only where so
 * many are set at once; the engine is asked for the earliest alone. */
#ifndef PT_ORDER_TIMERS_H
#define PT_ORDER_TIMERS_H

#include "partita/policy.h"

struct pt_timers {
    pt_u128 *due;    /* a heap, the least first: time << 32 | job */
    uint32_t *place; /* by job: its place in the heap + 1, 0 = none is set */
    uint32_t count;
    int64_t asked_ns; /* what the engine was asked for last and has not come; PT_NEVER = nothing */
};

/* None set. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__timers_init(struct pt_timers *timers, const struct pt_ctx *ctx,
                               struct pt_error *error);
void pt__timers_fini(struct pt_timers *timers);
/* Sets the job's timer, instead of what it was; PT_NEVER = clears it. */
void pt__timers_set(struct pt_timers *timers, pt_job job, int64_t time_ns);
/* Takes a job out whose time has come, the earliest and then the first in the queue; PT_NONE =
 * there is none. */
pt_job pt__timers_due(struct pt_timers *timers, const struct pt_ctx *ctx);
/* Asks the engine for the earliest. */
enum pt_status pt__timers_arm(struct pt_timers *timers, struct pt_ctx *ctx);

#endif
