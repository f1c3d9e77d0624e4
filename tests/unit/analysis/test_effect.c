#include "analysis/stats/effect.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* Differences with n pairs, mean m and standard deviation 1 (n even). */
static struct pt_difference of(size_t n, double mean)
{
    double base[200] = {0}, after[200];
    struct pt_difference d;
    for (size_t i = 0; i < n; i++)
        after[i] = mean + (i % 2 == 0 ? 1 : -1) * sqrt((double)(n - 1) / (double)n);
    pt_difference_paired(&d, base, after, n, 0.95);
    return d;
}

Test(effect, seeds_for_a_width_by_the_t_table)
{
    /* t(0.975, 16) = 2.1199, t(0.975, 17) = 2.1098: 2.1199 / sqrt(17) = 0.514, 2.1098 / sqrt(18) =
     * 0.497 */
    const struct pt_difference d = of(4, 0.1);
    cr_assert_float_eq(d.sd, 1, 1e-15);
    cr_assert_eq(pt_seeds_needed(&d, 0.5, 0.95, 0.5), 18 - 4);
    const struct pt_difference enough = of(18, 0.1);
    cr_assert_eq(pt_seeds_needed(&enough, 0.5, 0.95, 0.5), 0);
    const struct pt_difference nearly = of(16, 0.1);
    cr_assert_eq(pt_seeds_needed(&nearly, 0.5, 0.95, 0.5), 2);
}

Test(effect, seeds_for_power_as_published)
{
    /* Paired t test, two-sided, level 5 %, power 0.8: Cohen's tables and G*Power by the noncentral
     * t have 34 pairs for d_z 0.5, 15 for 0.8 and 199 for 0.2; the two quantiles may be one off. */
    const struct pt_difference d = of(4, 0.1);
    cr_assert_eq(pt_seeds_needed(&d, 0.5, 0.95, 0.8), 34 - 4);
    cr_assert_eq(pt_seeds_needed(&d, 0.8, 0.95, 0.8), 15 - 4);
    cr_assert_eq(pt_seeds_needed(&d, 0.2, 0.95, 0.8), 199 - 4);
}

Test(effect, seeds_for_groups)
{
    /* Two groups of equal variance, d = 0.5, level 5 %, power 0.8: 64 in each (Cohen 1988, table
     * 2.4.1). Here both variances are 1 and sd is their sum's root. */
    double base[] = {-1, 1, -1, 1}, after[] = {-0.5, 1.5, -0.5, 1.5};
    struct pt_difference d;
    for (int i = 0; i < 4; i++) {
        base[i] *= sqrt(0.75);
        after[i] = base[i] + 0.5;
    }
    pt_difference_unpaired(&d, base, 4, after, 4, 0.95);
    cr_assert_float_eq(d.effect, 0.5, 1e-14);
    cr_assert_eq(pt_seeds_needed(&d, 0.5, 0.95, 0.8), 64 - 4);
    /* of other sizes the variances are found again: 1 and 1, from 4 and 2 values */
    const double two[] = {0.5 - sqrt(0.5), 0.5 + sqrt(0.5)};
    pt_difference_unpaired(&d, base, 4, two, 2, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 0.5, 0.95, 0.8), 64 - 2);
}

/* Variances 1 and 9 from 4 and 6 values: n values a side have 100 (n - 1) / 82 degrees of freedom.
 */
Test(effect, seeds_for_groups_of_other_spreads)
{
    const double a = sqrt(0.75), b = sqrt(7.5);
    const double calm[] = {-a, a, -a, a}, wild[] = {-b, b, -b, b, -b, b};
    struct pt_difference d;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0)
            pt_difference_unpaired(&d, calm, 4, wild, 6, 0.95);
        else
            pt_difference_unpaired(&d, wild, 6, calm, 4, 0.95);
        for (double size = 1.2; size < 6; size += 0.1) {
            uint64_t n = 4;
            while (gsl_cdf_tdist_Pinv(0.975, 100.0 * (double)(n - 1) / 82) * sqrt(10 / (double)n) >
                   size)
                n++;
            cr_assert_eq(pt_seeds_needed(&d, size, 0.95, 0.5), n - 4, "size %g", size);
        }
    }
}

Test(effect, seeds_where_there_is_no_spread)
{
    const double base[] = {1.5, 2, 3}, up[] = {2.5, 3, 4};
    struct pt_difference d;
    pt_difference_paired(&d, base, base, 0, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 1, 0.95, 0.8), 2);
    pt_difference_paired(&d, base, up, 1, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 1, 0.95, 0.8), 1);
    pt_difference_paired(&d, base, base, 3, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 0, 0.95, 0.8), 0);
    pt_difference_paired(&d, base, up, 3, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 1, 0.95, 0.8), 0);
    /* 1 more in each of two, all whole: sd 0.408, t(0.975, 2) 0.408 / sqrt(3) = 1.014 and
     * t(0.975, 3) 0.408 / 2 = 0.65 */
    const double whole[] = {1, 2}, more[] = {2, 3}, same[] = {1, 1}, higher[] = {2, 2};
    pt_difference_paired(&d, whole, more, 2, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 1, 0.95, 0.5), 2);
    /* groups: t(0.975, 4) 0.408 / sqrt(3) = 0.65 */
    pt_difference_unpaired(&d, same, 2, higher, 2, 0.95);
    cr_assert_eq(pt_seeds_needed(&d, 1, 0.95, 0.5), 1);
    const struct pt_difference varies = of(4, 0.1);
    cr_assert_eq(pt_seeds_needed(&varies, 0, 0.95, 0.8), PT_SEEDS_NEEDED_NEVER);
    cr_assert_eq(pt_seeds_needed(&varies, NAN, 0.95, 0.8), PT_SEEDS_NEEDED_NEVER);
    cr_assert_eq(pt_seeds_needed(&varies, 1e-4, 0.95, 0.8), PT_SEEDS_NEEDED_NEVER);
}

/* Having drawn as many as it said, with the same spread, no more are needed; with one less, one. */
Test(effect, seeds_asked_for_are_the_fewest)
{
    const struct pt_difference d = of(4, 0.1);
    for (double size = 0.3; size < 1.2; size += 0.05) {
        size_t n = 4 + pt_seeds_needed(&d, size, 0.95, 0.8);
        struct pt_difference then = of(n + n % 2, 0.1);
        cr_assert_eq(pt_seeds_needed(&then, size, 0.95, 0.8), 0);
        then = of(n - 2 + n % 2, 0.1);
        cr_assert_eq(pt_seeds_needed(&then, size, 0.95, 0.8), 2 - n % 2, "size %g, n %zu", size, n);
    }
}

Test(effect, a_change_is_significant_and_beyond_the_minimum)
{
    const struct pt_difference up = of(10, 2), down = of(10, -2);
    cr_assert_eq(pt_change_of(&up, 0.01, 0.05, 0), PT_CHANGE_UP);
    cr_assert_eq(pt_change_of(&down, 0.01, 0.05, 0), PT_CHANGE_DOWN);
    cr_assert_eq(pt_change_of(&up, 0.05, 0.05, 0), PT_CHANGE_UNSURE);
    cr_assert_eq(pt_change_of(&up, 0.01, 0.05, 1.99), PT_CHANGE_UP);
    cr_assert_eq(pt_change_of(&up, 0.01, 0.05, 2.01), PT_CHANGE_SMALL);
    cr_assert_eq(pt_change_of(&down, 0.01, 0.05, 2.01), PT_CHANGE_SMALL);
    cr_assert_eq(pt_change_of(&down, 0.2, 0.05, 2.01), PT_CHANGE_UNSURE);
}

Test(effect, a_change_of_one_pair_is_its_effect)
{
    const double base[] = {100, 200}, up[] = {105, 205};
    struct pt_difference d;
    pt_difference_paired(&d, base, up, 1, 0.95);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 4), PT_CHANGE_UP);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 5), PT_CHANGE_SMALL);
    pt_difference_paired(&d, base, base, 1, 0.95);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 0), PT_CHANGE_EQUAL);
    pt_difference_paired(&d, base, base, 0, 0.95);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 0), PT_CHANGE_UNKNOWN);
    pt_difference_paired(&d, base, base, 2, 0.95);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 0), PT_CHANGE_EQUAL);
    pt_difference_paired(&d, base, up, 2, 0.95);
    cr_assert_eq(pt_change_of(&d, d.p, 0.05, 0), PT_CHANGE_UP);
}

Test(effect, a_family_is_decided_together)
{
    /* p about 0.03 each: one alone is a change, three of a family of three are 0.09 */
    const double base[] = {0, 0, 0, 0, 0}, up[] = {0.2, 1.9, 1.1, 0.6, 1.4};
    struct pt_difference d[4];
    double adjusted[4], minimum[] = {0, 0, 0, 0};
    enum pt_change changes[4];
    for (int i = 0; i < 3; i++)
        pt_difference_paired(&d[i], base, up, 5, 0.95);
    cr_assert(d[0].p > 0.05 / 3 && d[0].p < 0.05, "%g", d[0].p);
    cr_assert_eq(pt_changes(changes, adjusted, d, NULL, 1, 0.05, NULL), PT_OK);
    cr_assert_eq(changes[0], PT_CHANGE_UP);
    cr_assert_eq(pt_changes(changes, adjusted, d, minimum, 3, 0.05, NULL), PT_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(changes[i], PT_CHANGE_UNSURE);
        cr_assert(adjusted[i] == 3 * d[i].p);
    }
    /* one without a test leaves the others' family as it was */
    pt_difference_paired(&d[1], base, up, 1, 0.95);
    pt_difference_paired(&d[2], base, up, 1, 0.95);
    minimum[2] = 0.5;
    cr_assert_eq(pt_changes(changes, adjusted, d, minimum, 3, 0.05, NULL), PT_OK);
    cr_assert_eq(changes[0], PT_CHANGE_UP);
    cr_assert_eq(changes[1], PT_CHANGE_UP);
    cr_assert_eq(changes[2], PT_CHANGE_SMALL);
    cr_assert(isnan(adjusted[1]));
}
