/* What a GPU of each pool is worth to a job, against an equal part of all GPUs: Gavel's normalised
 * throughput, R(pool, class) / mean of R over all GPUs. Under an equal split of all GPUs everybody
 * gets as much as he holds; where classes of jobs differ in what they gain from a faster GPU, all
 * can get more if each takes the pools that it gains most from. */
#ifndef PT_FAIR_SPEEDS_H
#define PT_FAIR_SPEEDS_H

#include "partita/policy.h"

struct pt_speeds {
    bool differ;               /* some job runs faster in one pool than in another */
    double mean[PT_POOLS_MAX]; /* by pool: mean over the kinds of jobs of what a GPU is worth */
};

/* Reads the trace's jobs: O(jobs x pools). */
void pt__speeds_init(struct pt_speeds *speeds, const struct pt_ctx *ctx);
/* Parts of a GPU that the job holds in the pool times what they are worth to it. */
uint64_t pt__speeds_worth(const struct pt_speeds *speeds, const struct pt_ctx *ctx, uint32_t pool,
                          pt_job job);
/* Of a set of pools that is not empty the one from which the job gains most, against what others
 * gain from it; then the fastest, then the first. */
uint32_t pt__speeds_best(const struct pt_speeds *speeds, const struct pt_ctx *ctx, uint64_t pools,
                         pt_job job);

#endif
