#include "analysis/stats/quantiles.h"

#include <criterion/criterion.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

static const unsigned percents[] = {0, 50, 90, 95, 99, 100};
#define COUNT (sizeof(percents) / sizeof(percents[0]))

/* Against GSL's own type-7 quantile of the sorted sample. */
static void check(double *values, size_t n)
{
    double quantiles[COUNT];
    double *sorted = malloc(n * sizeof(*sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = values[i];
    gsl_sort(sorted, 1, n);
    pt__quantiles(quantiles, values, n, percents, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double expected = gsl_stats_quantile_from_sorted_data(sorted, 1, n, percents[i] / 100.0);
        cr_assert(fabs(quantiles[i] - expected) <= 1e-12 * (1 + fabs(expected)),
                  "n = %zu, p%u: %.17g, not %.17g", n, percents[i], quantiles[i], expected);
    }
    free(sorted);
}

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24);
}

Test(quantiles, of_one_to_ten_by_hand)
{
    double values[] = {10, 9, 1, 2, 8, 7, 3, 4, 6, 5}, quantiles[3];
    const unsigned few[] = {50, 90, 99};
    pt__quantiles(quantiles, values, 10, few, 3);
    cr_assert_float_eq(quantiles[0], 5.5, 0);
    cr_assert_float_eq(quantiles[1], 9.1, 1e-15);
    cr_assert_float_eq(quantiles[2], 9.91, 1e-15);
}

Test(quantiles, of_one_value_is_the_value)
{
    double value = 0.1;
    check(&value, 1);
    double two[] = {3, 1};
    check(two, 2);
}

Test(quantiles, agree_with_gsl_on_every_small_size)
{
    unsigned state = 1;
    for (size_t n = 1; n <= 300; n++) {
        double values[300];
        for (size_t i = 0; i < n; i++)
            values[i] = noise(&state);
        check(values, n);
    }
}

/* Sorted, reversed, all equal, few different, one outlier, sawtooth: what upsets quicksorts. */
Test(quantiles, agree_with_gsl_on_awkward_samples)
{
    enum { N = 20000 };
    double *values = malloc(N * sizeof(*values));
    unsigned state = 7;
    for (int shape = 0; shape < 8; shape++) {
        for (int i = 0; i < N; i++) {
            values[i] = shape == 0   ? i
                        : shape == 1 ? N - i
                        : shape == 2 ? 1
                        : shape == 3 ? (int)(3 * noise(&state))
                        : shape == 4 ? (i == 77 ? 1e9 : 0)
                        : shape == 5 ? i % 137
                        : shape == 6 ? -log(1 - noise(&state))
                                     : (noise(&state) < 0.7 ? 1 : 1 + noise(&state));
        }
        check(values, N);
    }
    free(values);
}

/* However poor the pivots: out of partitions, it sorts. */
Test(quantiles, ranks_are_right_when_partitions_run_out)
{
    enum { N = 1000 };
    const size_t ranks[] = {0, 499, 500, 999};
    double values[N];
    for (unsigned depth = 0; depth < 12; depth++) {
        for (int i = 0; i < N; i++)
            values[i] = i * 7919 % N;
        pt__select_ranks(values, N, ranks, 4, depth);
        for (int i = 0; i < 4; i++)
            cr_assert_float_eq(values[ranks[i]], (double)ranks[i], 0);
    }
}
