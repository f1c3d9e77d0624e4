/* Gates over the runs of many seeds: a condition is judged on the mean of its metric over the runs
 * that ended well and have it. Values are kept by seed, so the order in which runs end changes
 * nothing, rounding included. */
#ifndef PT_CLI_SEEDS_GATES_H
#define PT_CLI_SEEDS_GATES_H

#include "analysis/compare/gates.h"

struct pt__seeds_gates {
    struct pt_gates *gates; /* borrowed */
    size_t seed_count;
    double *values; /* by gate and seed; NaN = none */
};

PT_USE_RESULT enum pt_status pt__seeds_gates_init(struct pt__seeds_gates *all,
                                                  struct pt_gates *gates, size_t seed_count,
                                                  struct pt_error *error);
/* A zeroed one is allowed. */
void pt__seeds_gates_fini(struct pt__seeds_gates *all);
/* The run of seed `index` has ended well; once a seed. */
void pt__seeds_gates_add(struct pt__seeds_gates *all, size_t index,
                         const struct pt_summary *summary);
/* Judges the gates: unknown where no run has the metric. */
void pt__seeds_gates_judge(const struct pt__seeds_gates *all);

#endif
