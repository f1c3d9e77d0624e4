/* Running jobs by when they are expected to end: the start of the attempt that runs, and the job's
 * `estimate_s`. A job without one never ends and is not in here. Shared by the backfills.
 *
 * Who counts as running: from the pass that starts it on, also while its instances are being made;
 * then its attempt is expected to begin at once, and its place is corrected when it does.
 */
#ifndef PT_BACKFILL_ENDS_H
#define PT_BACKFILL_ENDS_H

#include "partita/policy.h"

struct pt_end {
    int64_t end_ns;
    pt_job job;
    uint32_t pool; /* whose units it holds */
};

struct pt_ends {
    const struct pt_trace *trace;
    uint32_t count, capacity;
    struct pt_end *item; /* latest first, ties latest in the trace first: those that leave are last
                          */
    int64_t *end_ns;     /* by job; PT_TIME_ABSENT = it is not in here */
    bool kill;           /* overrun: kill */
    int64_t armed_ns;    /* the next wake that was asked for; PT_NEVER = none */
};

/* Nobody runs. O(jobs) memory until pt__ends_fini; which takes a zeroed one, too. */
enum pt_status pt__ends_init(struct pt_ends *ends, const struct pt_ctx *ctx, bool kill,
                             struct pt_error *error);
void pt__ends_fini(struct pt_ends *ends);

/* The job's estimate in ns, PT_NEVER where it has none. */
int64_t pt__estimate_ns(const struct pt_trace *trace, pt_job job);
/* `from_ns` + `for_ns`, PT_NEVER where that is beyond the end of time. */
int64_t pt__later(int64_t from_ns, int64_t for_ns);

/* The i-th to end, 0 = the first; i < count. */
static inline const struct pt_end *pt__ends_at(const struct pt_ends *ends, uint32_t i)
{
    return &ends->item[ends->count - 1 - i];
}
/* When the job is expected to end: PT_NEVER = nobody knows. It runs. */
int64_t pt__ends_of(const struct pt_ends *ends, pt_job job);

/* The policy has just started the job and the engine took it. */
void pt__ends_begin(struct pt_ends *ends, const struct pt_ctx *ctx, pt_job job);
/* From on_started: the attempt begins now. */
void pt__ends_started(struct pt_ends *ends, const struct pt_ctx *ctx, pt_job job);
/* From on_stopped and on_pending: it doesn't run. */
void pt__ends_remove(struct pt_ends *ends, pt_job job);

/* overrun: kill: ends whoever has run for its estimate; *killed says whether there was anybody. */
enum pt_status pt__ends_kill(struct pt_ends *ends, struct pt_ctx *ctx, bool *killed);
/* Asks for a pass when the next job is expected to end: who runs on then has broken a promise, and
 * those that wait are looked at anew. Nothing to do while nobody waits, unless jobs are killed. */
enum pt_status pt__ends_arm(struct pt_ends *ends, struct pt_ctx *ctx);
/* From on_timer. True if somebody runs on past its estimate from now on. O(log n). */
bool pt__ends_timer(struct pt_ends *ends, const struct pt_ctx *ctx);

/* In a trial: lifts those in `pools` that are expected to end by `by_ns`; one past its time is
 * expected to end now, which is never later than `by_ns`. */
void pt__ends_lift(const struct pt_ends *ends, struct pt_ctx *ctx, uint64_t pools, int64_t by_ns);

#endif
