/* What KAI's queues have used of late, for its time-based fair share: what they held over time,
 * in a sliding window (of slices, the oldest of which counts as far as it lies inside) or with a
 * half-life, in closed form. The cluster's capacity is added up in the same way, and a queue's
 * usage is its part of that. O(1) per change of what a queue holds.
 *
 * Source: KAI-Scheduler docs/time-based-fairshare.
 */
#ifndef PT_QUEUES_KAI_USAGE_H
#define PT_QUEUES_KAI_USAGE_H

#include "partita/status.h"
#include "partita/types.h"

#define PT_KAI_SLICES 168 /* hours of the default window */

struct pt_kai_usage {
    uint32_t count;      /* queues, and one more: the capacity */
    int64_t slice_ns;    /* 0 = by half-life */
    double half_life_ns; /* 0 = by window */
    int64_t *since_ns;   /* by queue: up to when it is added up */
    double *sum;         /* by queue: GPU ns of all slices, or decayed */
    double *slice;       /* by queue, then slice, a ring */
};

/* Nothing used, from `now_ns` on. `count` queues; half_life_ns 0 = the window. Only PT_ERR_MEMORY
 * fails. fini takes {0} too. */
enum pt_status pt__kai_usage_init(struct pt_kai_usage *usage, uint32_t count, int64_t window_ns,
                                  int64_t half_life_ns, struct pt_error *error);
void pt__kai_usage_fini(struct pt_kai_usage *usage);

/* The queue (`count` of init = the capacity) has held so many GPUs since it was added up last. */
void pt__kai_usage_add(struct pt_kai_usage *usage, uint32_t queue, double gpus, int64_t now_ns);
/* The part of the capacity that it has used, both added up to now; 0 before there was any. */
double pt__kai_usage_of(const struct pt_kai_usage *usage, uint32_t queue, int64_t now_ns);
/* When the window has moved on so far that shares should be looked at again. */
int64_t pt__kai_usage_next(const struct pt_kai_usage *usage, int64_t now_ns);

#endif
