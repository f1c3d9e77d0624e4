/* The bootstrap interval of a mean difference that corrects for bias and skewness (BCa): Efron,
 * "Better bootstrap confidence intervals", Journal of the American Statistical Association 82
 * (1987). Stands beside the t interval, which trusts that means are normal; with few seeds it is
 * itself too narrow (its coverage is printed by tests/property/intervals.c).
 */
#ifndef PT_STATS_BOOTSTRAP_H
#define PT_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "partita/status.h"

#define PT_BOOTSTRAP_RESAMPLES 10000

struct pt_bootstrap {
    double low, high;    /* NaN with fewer than two values on a side */
    double bias;         /* z0: normal quantile of the share of resamples below the estimate, those
                            equal to it counted half */
    double acceleration; /* a, by the jackknife: skewness of the mean over 6 */
};

/* Interval at `level` (0..1) of the mean of new_values[i] - base[i], i < n, from `resamples` (at
 * least 100; PT_BOOTSTRAP_RESAMPLES) draws of n pairs with replacement. Pairs with a NaN or an
 * infinity are left out; where the differences are all the same (to what pt_difference_paired
 * calls rounding) the interval is that one value.
 *
 * The draws depend on (seed, PT_PURPOSE_BOOTSTRAP, pairs used) alone: metrics over the same pairs
 * share them, and the bytes are the same everywhere. Ends are type-7 quantiles of the resamples.
 * Time resamples x n, a few ns each. Fails for want of memory only. */
PT_USE_RESULT enum pt_status pt_bootstrap_paired(struct pt_bootstrap *b, const double *base,
                                                 const double *new_values, size_t n, double level,
                                                 uint32_t resamples, uint64_t seed,
                                                 struct pt_error *error);

/* As above for groups that share no seeds: each is drawn from on its own, and the acceleration sums
 * the groups' influences (Davison and Hinkley, Bootstrap Methods and their Application, 1997,
 * section 5.3.2). */
PT_USE_RESULT enum pt_status pt_bootstrap_unpaired(struct pt_bootstrap *b, const double *base,
                                                   size_t base_count, const double *new_values,
                                                   size_t new_count, double level,
                                                   uint32_t resamples, uint64_t seed,
                                                   struct pt_error *error);

#endif
