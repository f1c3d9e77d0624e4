#include "analysis/stats/quantiles.h"

#include <assert.h>
#include <gsl/gsl_sort.h>

#define SMALL 24

static void insertion_sort(double *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = a[i];
        size_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static double median3(double x, double y, double z)
{
    double low = x < y ? x : y, high = x < y ? y : x;
    if (z < low) return low;
    return z > high ? high : z;
}

/* A median of medians of nine, from fixed places: the run must not depend on anything else. */
static double pick_pivot(const double *a, size_t n)
{
    size_t s = n / 8;
    if (n < 128) return median3(a[0], a[n / 2], a[n - 1]);
    return median3(median3(a[0], a[s], a[2 * s]), median3(a[3 * s], a[4 * s], a[5 * s]),
                   median3(a[6 * s], a[7 * s], a[n - 1]));
}

/* Moves what is less than the pivot (or equal to it, if asked) to the front; returns how many. */
static size_t partition(double *a, size_t n, double pivot, int or_equal)
{
    size_t store = 0;
    for (size_t i = 0; i < n; i++) {
        double x = a[i];
        a[i] = a[store];
        a[store] = x;
        store += (size_t)((x < pivot) | (or_equal & (x == pivot)));
    }
    return store;
}

/* Puts the order statistics of ranks[0..count), ascending and counted from `base`, in place. */
static void select_ranks(double *a, size_t n, size_t base, const size_t *ranks, size_t count,
                         unsigned depth)
{
    while (count > 0 && n > 1) {
        if (n <= SMALL) {
            insertion_sort(a, n);
            return;
        }
        if (depth == 0) {
            gsl_sort(a, 1, n);
            return;
        }
        depth--;
        double pivot = pick_pivot(a, n);
        size_t less = partition(a, n, pivot, 0);
        size_t skip = less;
        /* nothing is less: the front becomes all that equals the pivot, and is in place */
        if (less == 0) skip = partition(a, n, pivot, 1);
        size_t in_front = 0;
        while (in_front < count && ranks[in_front] - base < skip)
            in_front++;
        if (less > 0) select_ranks(a, less, base, ranks, in_front, depth);
        a += skip;
        n -= skip;
        base += skip;
        ranks += in_front;
        count -= in_front;
    }
}

void pt__select_ranks(double *values, size_t n, const size_t *ranks, size_t count, unsigned depth)
{
    select_ranks(values, n, 0, ranks, count, depth);
}

void pt__quantiles(double *quantiles, double *values, size_t n, const unsigned *percents,
                   size_t count)
{
    size_t ranks[2 * PT_QUANTILES_MAX] = {0}, rank_count = 0;
    unsigned depth = 16;
    assert(n > 0 && count <= PT_QUANTILES_MAX);
    for (size_t left = n; left > 0; left /= 2)
        depth += 2;
    for (size_t i = 0; i < count; i++) {
        size_t rank = (n - 1) / 100 * percents[i] + (n - 1) % 100 * percents[i] / 100;
        for (size_t next = rank; next <= rank + 1 && next < n; next++) {
            if (rank_count > 0 && ranks[rank_count - 1] >= next) continue;
            ranks[rank_count++] = next;
        }
    }
    pt__select_ranks(values, n, ranks, rank_count, depth);
    for (size_t i = 0; i < count; i++) {
        /* (n - 1) p in whole numbers, so that a percentile that hits a value is that value */
        size_t rank = (n - 1) / 100 * percents[i] + (n - 1) % 100 * percents[i] / 100;
        size_t rest = (n - 1) % 100 * percents[i] % 100;
        quantiles[i] = values[rank];
        if (rest > 0) {
            quantiles[i] += (double)rest / 100 * (values[rank + 1] - values[rank]);
        }
    }
}
