#include "analysis/stats/paired.h"

#include <criterion/criterion.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "partita/random.h"

#define NEAR(got, expected, tolerance)                                                             \
    cr_assert(fabs((got) - (expected)) <= (tolerance), #got ": %.17g, not %.17g", (got),           \
              (double)(expected))

/* Student's (1908) hours of sleep gained by two drugs; answers as R's t.test prints them for its
 * data set `sleep`. */
static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2};
static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

Test(paired, students_sleep_as_published)
{
    struct pt_difference d;
    pt_difference_paired(&d, second, first, 10, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_VARIES);
    cr_assert(d.paired && d.base_count == 10 && d.new_count == 10 && d.left_out == 0);
    NEAR(d.base_mean, 2.33, 1e-12);
    NEAR(d.new_mean, 0.75, 1e-12);
    NEAR(d.difference, -1.58, 1e-12);
    NEAR(d.difference / d.error, -4.0621, 5e-5);
    NEAR(d.freedom, 9, 0);
    NEAR(d.p, 0.002833, 5e-7);
    NEAR(d.low, -2.4598858, 5e-8);
    NEAR(d.high, -0.7001142, 5e-8);
    NEAR(d.effect, -4.0621 / sqrt(10), 2e-5);
    NEAR(d.relative, -1.58 / 2.33, 1e-12);
}

Test(paired, students_sleep_without_the_pairs)
{
    struct pt_difference d;
    pt_difference_unpaired(&d, second, 10, first, 10, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_VARIES);
    cr_assert_not(d.paired);
    NEAR(d.difference / d.error, -1.8608, 5e-5);
    NEAR(d.freedom, 17.776, 5e-4);
    NEAR(d.p, 0.07939, 5e-6);
    NEAR(d.low, -3.3654832, 5e-8);
    NEAR(d.high, 0.2054832, 5e-8);
}

Test(paired, by_hand)
{
    /* differences 1 2 3 4 5: mean 3, variance 2.5, error sqrt(1/2) */
    const double base[] = {10, 20, 30, 40, 50}, after[] = {11, 22, 33, 44, 55};
    struct pt_difference d;
    pt_difference_paired(&d, base, after, 5, 0.9);
    NEAR(d.sd, sqrt(2.5), 1e-15);
    NEAR(d.error, sqrt(0.5), 1e-15);
    NEAR(d.high - d.low, 2 * 2.131846786 * sqrt(0.5), 1e-8); /* t table: 0.95, 4 */
    NEAR(d.effect, 3 / sqrt(2.5), 1e-15);
    NEAR(d.relative, 0.1, 1e-16);
    /* more is more, also of what is negative */
    const double lateness[] = {-3, -5}, later[] = {-2, -4.5};
    pt_difference_paired(&d, lateness, later, 2, 0.9);
    NEAR(d.relative, 0.75 / 4, 1e-16);
    /* sides of other sizes: variances 1 and 10/3, n 3 and 4 */
    const double a[] = {1, 2, 3}, b[] = {2, 4, 6, 4};
    pt_difference_unpaired(&d, a, 3, b, 4, 0.95);
    double va = 1.0 / 3, vb = 8.0 / 3 / 4;
    NEAR(d.difference, 2, 1e-15);
    NEAR(d.error, 1, 1e-15);
    NEAR(d.freedom, 1 / (va * va / 2 + vb * vb / 3), 1e-12);
    NEAR(d.sd, sqrt(1 + 8.0 / 3), 1e-15);
    NEAR(d.effect, 2 / sqrt((1 + 8.0 / 3) / 2), 1e-15);
}

Test(paired, too_few_pairs_have_no_interval)
{
    const double base[] = {100}, after[] = {105};
    struct pt_difference d;
    pt_difference_paired(&d, base, after, 0, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_NONE);
    cr_assert(isnan(d.difference) && isnan(d.low) && isnan(d.p) && isnan(d.effect));
    pt_difference_paired(&d, base, after, 1, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_SINGLE);
    NEAR(d.difference, 5, 0);
    NEAR(d.relative, 0.05, 0);
    cr_assert(isnan(d.sd) && isnan(d.low) && isnan(d.high) && isnan(d.p) && isnan(d.effect));
    const double more[] = {105, 107};
    pt_difference_unpaired(&d, base, 1, more, 2, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_SINGLE);
    NEAR(d.difference, 6, 0);
    cr_assert(isnan(d.low) && isnan(d.p));
    pt_difference_unpaired(&d, base, 1, more, 0, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_NONE);
    NEAR(d.base_mean, 100, 0);
    cr_assert(isnan(d.difference) && isnan(d.new_mean));
}

Test(paired, without_spread_the_answer_is_exact)
{
    const double base[] = {100.5, 300, 200}, same[] = {100.5, 300, 200}, up[] = {107.5, 307, 207};
    struct pt_difference d;
    pt_difference_paired(&d, base, same, 3, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_EQUAL);
    cr_assert(d.difference == 0 && d.low == 0 && d.high == 0 && d.p == 1 && d.effect == 0);
    pt_difference_paired(&d, base, up, 3, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_CONSTANT);
    cr_assert(d.difference == 7 && d.low == 7 && d.high == 7 && d.p == 0 && isnan(d.effect));
    const double halves[] = {0.5, 0.5}, twos[] = {2, 2, 2};
    pt_difference_unpaired(&d, halves, 2, twos, 3, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_CONSTANT);
    cr_assert(d.low == 1.5 && d.high == 1.5 && d.p == 0);
    pt_difference_unpaired(&d, halves, 2, halves, 2, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_EQUAL);
    const double zeros[] = {0, 0};
    pt_difference_paired(&d, zeros, zeros, 2, 0.95);
    cr_assert(d.relative == 0 && d.p == 1 && d.kind == PT_DIFFERENCE_EQUAL);
    pt_difference_paired(&d, zeros, halves, 2, 0.95);
    cr_assert(isnan(d.relative) && d.difference == 0.5);
}

Test(paired, the_same_whole_difference_may_be_chance)
{
    /* with 1 and 2 degrees of freedom p is known: 2/pi atan(1/t), and 1 - t / sqrt(t^2 + 2) */
    const double base[] = {3, 0, 12}, up[] = {4, 1, 13};
    struct pt_difference d;
    pt_difference_paired(&d, base, up, 2, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_CONSTANT);
    NEAR(d.sd, sqrt(1.0 / 6), 1e-16);
    NEAR(d.p, 2 / acos(-1) * atan(1 / sqrt(12)), 1e-11);
    cr_assert(d.low < 0 && d.high > 2);
    pt_difference_paired(&d, base, up, 3, 0.95);
    double t = sqrt(18);
    NEAR(d.p, 1 - t / sqrt(t * t + 2), 1e-11);
    NEAR(d.high - 1, 4.30265273 / t, 1e-8);
    NEAR(d.effect, sqrt(6), 1e-15);
    const double ones[] = {1, 1}, sixes[] = {6, 6};
    pt_difference_unpaired(&d, ones, 2, sixes, 2, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_CONSTANT);
    t = 5 / sqrt(1.0 / 12);
    NEAR(d.p, 1 - t / sqrt(t * t + 2), 1e-11);
    const double almost[] = {4, 1.25, 13}, part[] = {3, 0.25, 12};
    pt_difference_paired(&d, part, almost, 3, 0.95);
    cr_assert(d.kind == PT_DIFFERENCE_CONSTANT && d.p == 0);
}

Test(paired, what_rounding_left_is_no_evidence)
{
    /* 0.1 in every pair, but in doubles no two differences are the same */
    double base[20], up[20], noise[20];
    int different = 0;
    for (int i = 0; i < 20; i++) {
        base[i] = 1000.0 / (i + 3);
        up[i] = base[i] + 0.1;
        noise[i] = base[i] * (1 + (i % 2 == 0 ? 1 : -1) * DBL_EPSILON);
        different += up[i] - base[i] != 0.1;
    }
    cr_assert_gt(different, 5);
    struct pt_difference d;
    pt_difference_paired(&d, base, up, 20, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_CONSTANT);
    NEAR(d.difference, 0.1, 1e-13);
    pt_difference_paired(&d, base, noise, 20, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_EQUAL);
    noise[7] += 1e-9;
    pt_difference_paired(&d, base, noise, 20, 0.95);
    cr_assert_eq(d.kind, PT_DIFFERENCE_VARIES);
}

Test(paired, pairs_with_nothing_in_them_are_left_out)
{
    const double base[] = {10, NAN, 20, 30, 5, 1}, after[] = {12, 3, INFINITY, 31, 8, NAN};
    const double kept_base[] = {10, 30, 5}, kept_after[] = {12, 31, 8};
    struct pt_difference some, kept;
    pt_difference_paired(&some, base, after, 6, 0.95);
    pt_difference_paired(&kept, kept_base, kept_after, 3, 0.95);
    cr_assert_eq(some.left_out, 3);
    some.left_out = 0;
    cr_assert(some.low == kept.low && some.high == kept.high && some.p == kept.p);
    cr_assert(some.base_mean == kept.base_mean && some.new_mean == kept.new_mean);
    cr_assert(some.base_count == 3 && some.kind == kept.kind);
    pt_difference_unpaired(&some, base, 6, after, 6, 0.95);
    cr_assert(some.base_count == 5 && some.new_count == 4 && some.left_out == 3);
}

/* The t distribution itself, once more by Simpson's rule over its density. */
static double tail_by_simpson(double t, double f)
{
    const int n = 20000;
    double scale = exp(lgamma((f + 1) / 2) - lgamma(f / 2)) / sqrt(f * acos(-1)), sum = 0;
    for (int i = 0; i <= n; i++) {
        double x = t * i / n;
        sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * pow(1 + x * x / f, -(f + 1) / 2);
    }
    return 0.5 - scale * sum * t / n / 3;
}

Test(paired, interval_and_p_say_the_same)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    double base[30], after[30];
    for (uint64_t trial = 0; trial < 300; trial++) {
        pt_rng_seed(rng, 5, PT_PURPOSE_TEST, trial);
        size_t n = 2 + trial % 29;
        for (size_t i = 0; i < n; i++) {
            base[i] = 1e6 + gsl_ran_gaussian(rng, 1000);
            after[i] = base[i] + gsl_ran_gaussian(rng, 1) + 0.4;
        }
        struct pt_difference d, back, narrow, other;
        pt_difference_paired(&d, base, after, n, 0.95);
        pt_difference_paired(&back, after, base, n, 0.95);
        pt_difference_paired(&narrow, base, after, n, 0.8);
        cr_assert_eq(d.low > 0 || d.high < 0, d.p < 0.05);
        cr_assert(d.low < d.difference && d.difference < d.high);
        cr_assert(narrow.low > d.low && narrow.high < d.high && narrow.p == d.p);
        cr_assert(back.low == -d.high && back.high == -d.low && back.p == d.p);
        NEAR(d.new_mean - d.base_mean, d.difference, 1e-9);
        NEAR(d.p / 2, tail_by_simpson(fabs(d.difference) / d.error, d.freedom), 1e-9);
        /* an interval that ends at 0 has p = 1 - level */
        pt_difference_paired(&other, base, after, n, 1 - d.p);
        NEAR(d.difference > 0 ? other.low : other.high, 0, 1e-7 * fabs(d.difference));
        /* what both sides have in common does not matter to pairs, but to groups */
        pt_difference_unpaired(&other, base, n, after, n, 0.95);
        cr_assert(other.high - other.low > 20 * (d.high - d.low));
    }
    gsl_rng_free(rng);
}

Test(paired, large_values_that_differ_little_keep_their_digits)
{
    double base[1000], after[1000];
    for (int i = 0; i < 1000; i++) {
        base[i] = 1e9 + i;
        after[i] = base[i] + 1 + (i % 2) * 0.5;
    }
    struct pt_difference d;
    pt_difference_paired(&d, base, after, 1000, 0.95);
    NEAR(d.difference, 1.25, 1e-15);
    NEAR(d.sd, 0.25 * sqrt(1000.0 / 999), 1e-12);
    NEAR(d.base_mean, 1e9 + 499.5, 0);
}
