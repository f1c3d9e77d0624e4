/* KAI's fair shares: how a capacity is divided among queues, a pure function.
 *
 * First every queue gets min(deserved, request, limit), even where that is more than there is. What
 * is left goes by queue priority, high first; inside one priority in rounds: with n_i = the queue's
 * over-quota weight over the sum of those not satisfied, w_i = max(0, n_i + k (n_i - usage_i)), and
 * a queue gets all it needs if that is no more than amount w_i / sum w, else the whole GPUs of
 * that; another round while somebody got less than its part. Whole GPUs that are left because of
 * the rounding go one each to the largest fractions, ties to the older queue. Of a tree, children
 * divide what their parent got.
 *
 * Amounts are in GPUs and may be fractions. The operations are IEEE doubles' exact ones (no libm),
 * in the order of the queues, so results are the same everywhere. O(rounds n + n log n), no
 * allocation.
 *
 * Source: kai-scheduler/KAI-Scheduler, pkg/scheduler/plugins/proportion/resource_division;
 * docs/fairness, docs/time-based-fairshare.
 */
#ifndef PT_QUEUES_KAI_SHARE_H
#define PT_QUEUES_KAI_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#define PT_KAI_UNLIMITED (__builtin_inf())

struct pt_kai_queue {
    double deserved; /* PT_KAI_UNLIMITED = as much as there is */
    double limit;    /* PT_KAI_UNLIMITED = none */
    double request;  /* what its jobs hold and wait for */
    double weight;   /* of what is over the quotas; >= 0 */
    double usage;    /* past use over the capacity of that time */
    int64_t priority;
    uint32_t age;                      /* breaks ties: the oldest has the least */
    double share;                      /* the result */
    uint32_t first_child, child_count; /* in a tree: their places in it */
    double fraction;                   /* scratch: what rounding took from it, 0 = nothing */
};

struct pt_kai_rules {
    double k; /* how much past use counts; 0 = not */
    /* Before v0.18.3, the lower priorities got their whole parts before the whole GPUs that were
     * left at a higher one were given out. */
    bool leftovers_last;
    /* Upstream gives a whole one of what is left also to a queue that needs less than that. */
    bool leftovers_whole;
};

/* Divides `total` among the queues, which come by priority, high first. Writes their shares;
 * returns what nobody took, never negative. `heap` is scratch for `count`. */
double pt__kai_divide(struct pt_kai_queue *queues, uint32_t count, double total,
                      const struct pt_kai_rules *rules, uint32_t *heap);

/* The same for a tree: the first `top_count` queues are at the top, every queue's children lie
 * behind it, together and in the order that pt__kai_divide wants. */
void pt__kai_divide_tree(struct pt_kai_queue *queues, uint32_t count, uint32_t top_count,
                         double total, const struct pt_kai_rules *rules, uint32_t *heap);

#endif
