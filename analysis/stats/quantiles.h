/* Percentiles of a sample without sorting it: linear interpolation between order statistics (type
 * 7, as R, NumPy and gsl_stats_quantile_from_sorted_data define it).
 *
 * A multi-select by quicksort's partition, branch-free and only into the parts that hold a wanted
 * rank: O(n) on average for a fixed number of percentiles, heap sort's O(n log n) at worst.
 */
#ifndef PT_STATS_QUANTILES_H
#define PT_STATS_QUANTILES_H

#include <stddef.h>

#define PT_QUANTILES_MAX 8

/* Writes the percentiles `percents[0..count)` (ascending, 0..100, at most PT_QUANTILES_MAX) of
 * `values[0..n)`, n > 0, no NaN, to `quantiles`. Reorders the values. */
void pt__quantiles(double *quantiles, double *values, size_t n, const unsigned *percents,
                   size_t count);

/* Puts the order statistics of `ranks[0..count)` (ascending, below n) where sorting would. After
 * `depth` partitions that did not get there it sorts. Reorders the values. */
void pt__select_ranks(double *values, size_t n, const size_t *ranks, size_t count, unsigned depth);

#endif
