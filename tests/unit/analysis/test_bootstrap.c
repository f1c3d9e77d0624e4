#include "analysis/stats/bootstrap.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"

#define N 7
#define ALL 823543 /* 7^7 */

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* Acceleration as Efron and Tibshirani (An Introduction to the Bootstrap, 1993, equation 14.15)
 * write it: one value left out after another. */
static double accelerate(const double *values, size_t n)
{
    double left[N], means[N], cubes = 0, squares = 0;
    for (size_t out = 0; out < n; out++) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            if (i != out) left[kept++] = values[i];
        }
        means[out] = mean_of(left, kept);
    }
    double middle = mean_of(means, n);
    for (size_t i = 0; i < n; i++) {
        squares += pow(middle - means[i], 2);
        cubes += pow(middle - means[i], 3);
    }
    return cubes / (6 * pow(squares, 1.5));
}

/* The interval of all n^n resamples, none of them drawn. */
static struct pt_bootstrap of_all_resamples(const double *values, double level)
{
    double *means = malloc(ALL * sizeof(*means)), mean = mean_of(values, N), below = 0;
    for (int code = 0; code < ALL; code++) {
        double sum = 0;
        for (int i = 0, rest = code; i < N; i++, rest /= N)
            sum += values[rest % N];
        means[code] = sum / N;
        below += fabs(means[code] - mean) < 1e-12 ? 0.5 : means[code] < mean;
    }
    gsl_sort(means, 1, ALL);
    struct pt_bootstrap b = {.bias = gsl_cdf_ugaussian_Pinv(below / ALL),
                             .acceleration = accelerate(values, N)};
    for (int end = 0; end < 2; end++) {
        double z = b.bias + gsl_cdf_ugaussian_Pinv(end == 0 ? (1 - level) / 2 : (1 + level) / 2);
        double share = gsl_cdf_ugaussian_P(b.bias + z / (1 - b.acceleration * z));
        *(end == 0 ? &b.low : &b.high) = means[(int)(share * (ALL - 1))];
    }
    free(means);
    return b;
}

Test(bootstrap, comes_to_what_all_resamples_give)
{
    const double base[N] = {0};
    const double samples[][N] = {{3, 8, 1.5, 22, 4.25, 6.75, 2.125},
                                 {-1.5, 2.25, 0.75, 3.125, -0.375, 1.25, 0.5},
                                 {-40, -3, -2.5, -7.25, -5, -1, -9.5}};
    for (size_t s = 0; s < 3; s++) {
        struct pt_bootstrap drawn, all = of_all_resamples(samples[s], 0.95);
        cr_assert_eq(pt_bootstrap_paired(&drawn, base, samples[s], N, 0.95, 400000, 1, NULL),
                     PT_OK);
        double width = all.high - all.low;
        cr_assert_float_eq(drawn.acceleration, all.acceleration, 1e-12);
        cr_assert_float_eq(drawn.bias, all.bias, 0.01);
        cr_assert_float_eq(drawn.low, all.low, 0.01 * width, "%g, not %g", drawn.low, all.low);
        cr_assert_float_eq(drawn.high, all.high, 0.01 * width, "%g, not %g", drawn.high, all.high);
        /* the default is near enough */
        cr_assert_eq(
            pt_bootstrap_paired(&drawn, base, samples[s], N, 0.95, PT_BOOTSTRAP_RESAMPLES, 1, NULL),
            PT_OK);
        cr_assert_float_eq(drawn.low, all.low, 0.05 * width);
        cr_assert_float_eq(drawn.high, all.high, 0.05 * width);
    }
}

/* The influence of each group by its own jackknife, put together by Davison and Hinkley's (5.25):
 * sums of influence^k / n^k, influence = (n - 1) (mean - mean without). */
Test(bootstrap, groups_accelerate_by_both)
{
    const double base[] = {1, 9, 2, 4, 3}, after[] = {5, 7, 30, 6, 11, 8, 9};
    double cubes = 0, squares = 0;
    for (int g = 0; g < 2; g++) {
        const double *values = g == 0 ? base : after;
        size_t n = g == 0 ? 5 : 7;
        for (size_t out = 0; out < n; out++) {
            double without = (mean_of(values, n) * (double)n - values[out]) / ((double)n - 1);
            double change = (g == 0 ? -1 : 1) * (mean_of(values, n) - without);
            double influence = ((double)n - 1) * change;
            squares += pow(influence / (double)n, 2);
            cubes += pow(influence / (double)n, 3);
        }
    }
    struct pt_bootstrap b, back;
    cr_assert_eq(pt_bootstrap_unpaired(&b, base, 5, after, 7, 0.95, 10000, 3, NULL), PT_OK);
    cr_assert_float_eq(b.acceleration, cubes / 6 / pow(squares, 1.5), 1e-14);
    double difference = mean_of(after, 7) - mean_of(base, 5);
    cr_assert(b.low < difference && difference < b.high);
    /* skewed upwards: it reaches further there */
    cr_assert(b.high - difference > difference - b.low);
    cr_assert_eq(pt_bootstrap_unpaired(&back, after, 7, base, 5, 0.95, 10000, 3, NULL), PT_OK);
    cr_assert_float_eq(back.acceleration, -b.acceleration, 1e-15);
    cr_assert_float_eq(back.low, -b.high, 0.05 * (b.high - b.low));
    /* with much more of one group, the other alone matters: as if paired with a constant */
    double many[4000], zeros[7] = {0};
    for (int i = 0; i < 4000; i++)
        many[i] = i % 2 == 0 ? 0.01 : -0.01;
    cr_assert_eq(pt_bootstrap_unpaired(&b, many, 4000, after, 7, 0.95, 10000, 3, NULL), PT_OK);
    cr_assert_eq(pt_bootstrap_paired(&back, zeros, after, 7, 0.95, 10000, 3, NULL), PT_OK);
    cr_assert_float_eq(b.low, back.low, 0.05 * (back.high - back.low));
    cr_assert_float_eq(b.high, back.high, 0.05 * (back.high - back.low));
}

Test(bootstrap, is_the_same_for_the_same_seed_and_moves_with_the_values)
{
    const double base[] = {10, 20, 30, 40, 50, 60}, after[] = {11, 23, 30.5, 44, 58, 61};
    double shifted[6], scaled_base[6], scaled[6];
    struct pt_bootstrap a, b;
    for (int i = 0; i < 6; i++) {
        shifted[i] = after[i] + 64;
        scaled_base[i] = base[i] * 4;
        scaled[i] = after[i] * 4;
    }
    cr_assert_eq(pt_bootstrap_paired(&a, base, after, 6, 0.9, 2000, 7, NULL), PT_OK);
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 6, 0.9, 2000, 7, NULL), PT_OK);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 6, 0.9, 2000, 8, NULL), PT_OK);
    cr_assert(a.low != b.low || a.high != b.high);
    cr_assert_eq(pt_bootstrap_paired(&b, base, shifted, 6, 0.9, 2000, 7, NULL), PT_OK);
    cr_assert_float_eq(b.low, a.low + 64, 1e-12);
    cr_assert_float_eq(b.high, a.high + 64, 1e-12);
    cr_assert_eq(pt_bootstrap_paired(&b, scaled_base, scaled, 6, 0.9, 2000, 7, NULL), PT_OK);
    cr_assert(b.low == 4 * a.low && b.high == 4 * a.high && b.acceleration == a.acceleration);
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 6, 0.99, 2000, 7, NULL), PT_OK);
    cr_assert(b.low < a.low && b.high > a.high);
}

Test(bootstrap, of_too_little_or_of_no_spread)
{
    const double base[] = {1, 2, 3, 4}, after[] = {3, 4, NAN, 6};
    struct pt_bootstrap b;
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 0, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(isnan(b.low) && isnan(b.high));
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 1, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(isnan(b.low) && isnan(b.high));
    cr_assert_eq(pt_bootstrap_paired(&b, base, after, 4, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(b.low == 2 && b.high == 2 && b.bias == 0 && b.acceleration == 0);
    cr_assert_eq(pt_bootstrap_unpaired(&b, base, 4, after, 1, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(isnan(b.low) && isnan(b.high));
    /* differences of 0.1 that rounding makes unequal */
    double odd[10], odd_up[10];
    for (int i = 0; i < 10; i++) {
        odd[i] = 1000.0 / (i + 3);
        odd_up[i] = odd[i] + 0.1;
    }
    cr_assert_eq(pt_bootstrap_paired(&b, odd, odd_up, 10, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(b.low == b.high && fabs(b.low - 0.1) < 1e-13);
}

Test(bootstrap, never_reaches_beyond_the_values)
{
    /* one value far out: the correction runs into its pole and ends at an outermost resample */
    double base[12] = {0}, after[12] = {0, 0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0, 0.1, 0.2, 0.1, 1e6};
    struct pt_bootstrap b;
    for (int direction = 0; direction < 2; direction++) {
        cr_assert_eq(pt_bootstrap_paired(&b, base, after, 12, 0.999999999999, 1000, 1, NULL),
                     PT_OK);
        cr_assert(b.low >= -1e6 && b.low < b.high && b.high <= 1e6, "%g %g", b.low, b.high);
        for (int i = 0; i < 12; i++)
            after[i] = -after[i];
    }
    const double two[] = {1, 2};
    cr_assert_eq(pt_bootstrap_paired(&b, base, two, 2, 0.95, 1000, 1, NULL), PT_OK);
    cr_assert(b.low == 1 && b.high == 2);
}
