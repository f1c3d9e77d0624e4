/* Moving running jobs so that a waiting one fits: where enough is free in a pool, but on no node.
 *
 * Looked at for a job that would fit an empty node, when its pool's block fragmentation (1 - the
 * largest room on one node / what is free, both in units of the job) is above `defragment:
 * {threshold}`. Of all nodes, that one is cleared for it whose residents move at the least cost:
 * fewest GPUs moved, then fewest jobs, then the lowest node. All of them find another place at
 * once, beside the job, or nobody moves. They move straight to where they stay: nobody makes room
 * for those who make room.
 *
 * Churn is bounded: at most `moves` jobs move for one, none of them twice within
 * `cooldown`, and only for a job that then starts. A move costs what the experiment says
 * of saving and restoring; jobs that can't be preempted don't move either. Exact for up to
 * PT_DEFRAGMENT_CANDIDATES movable jobs on a node, the smallest if there are more; at most
 * PT_DEFRAGMENT_TRIALS sets are tried. 8 bytes a job of the trace, where it is on.
 */
#ifndef PT_PREEMPTION_DEFRAGMENT_H
#define PT_PREEMPTION_DEFRAGMENT_H

#include "policies/preemption/sets.h"

#define PT_DEFRAGMENT_CANDIDATES 12
#define PT_DEFRAGMENT_TRIALS 2000

/* The parameters of an order that defragments: rows in this order, from any place in its table. */
enum { PT_DEFRAGMENT_ABOVE, PT_DEFRAGMENT_MOVES, PT_DEFRAGMENT_COOLDOWN, PT_DEFRAGMENT_PARAMS };
#define PT_DEFRAGMENT_ROWS                                                                         \
    {"defragment.threshold",                                                                       \
     PT_PARAM_NUMBER,                                                                              \
     "",                                                                                           \
     "",                                                                                           \
     "0",                                                                                          \
     "1",                                                                                          \
     NULL,                                                                                         \
     "move running jobs to make room where a pool's block fragmentation is above this; absent: "   \
     "never"},                                                                                     \
        {"defragment.moves",                                                                       \
         PT_PARAM_INT,                                                                             \
         "",                                                                                       \
         "4",                                                                                      \
         "1",                                                                                      \
         "12",                                                                                     \
         NULL,                                                                                     \
         "jobs that move for one, at most"},                                                       \
    {                                                                                              \
        "defragment.cooldown", PT_PARAM_DURATION, "s", "10min", "0", NULL, NULL,                   \
            "a job that has moved does not move again for so long"                                 \
    }

struct pt_defragment {
    bool on;
    uint32_t above_ppm, moves;
    int64_t cooldown_ns;
    int64_t *moved_ns; /* by job: when it moved last + 1, 0 = never */
};

/* Reads the three values. Errors: PT_ERR_MEMORY; PT_ERR_INPUT where nothing may be moved, because
 * the experiment has no way to preempt. */
PT_USE_RESULT enum pt_status pt__defragment_init(struct pt_defragment *defragment,
                                                 const struct pt_ctx *ctx,
                                                 const struct pt_value *values,
                                                 struct pt_error *error);
void pt__defragment_fini(struct pt_defragment *defragment);
/* Whether a job that was just started is back in the queue: it ran out of memory at once. */
static inline bool pt__is_waiting(const struct pt_ctx *ctx, pt_job job)
{
    enum pt_job_state state = pt_view_state(ctx, job);
    return state == PT_STATE_PENDING || state == PT_STATE_PAUSED;
}
/* Starts a pending job that fits nowhere in `pools` by moving others, if that is possible; says so
 * in *done. Does nothing where it is off. */
PT_USE_RESULT enum pt_status pt__defragment_make_room(struct pt_defragment *defragment,
                                                      struct pt_ctx *ctx, pt_job job,
                                                      uint64_t pools, bool *done);

#endif
