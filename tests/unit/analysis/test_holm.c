#include "analysis/stats/holm.h"

#include <criterion/criterion.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "partita/random.h"

Test(holm, by_hand)
{
    /* sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1: the last may not fall below the third */
    double p[] = {0.01, 0.04, 0.03, 0.005};
    const double adjusted[] = {0.03, 0.06, 0.06, 0.02};
    cr_assert_eq(pt_holm_adjust(p, 4, NULL), PT_OK);
    for (int i = 0; i < 4; i++)
        cr_assert_float_eq(p[i], adjusted[i], 1e-16);
}

Test(holm, one_test_is_left_alone_and_none_is_no_error)
{
    double p[] = {0.037};
    cr_assert_eq(pt_holm_adjust(p, 0, NULL), PT_OK);
    cr_assert_eq(pt_holm_adjust(p, 1, NULL), PT_OK);
    cr_assert(p[0] == 0.037);
}

Test(holm, ends_and_equals)
{
    double p[] = {0, 1, 0.5, 0.5, 0.02, 0.02};
    const double adjusted[] = {0, 1, 1, 1, 0.1, 0.1};
    cr_assert_eq(pt_holm_adjust(p, 6, NULL), PT_OK);
    for (int i = 0; i < 6; i++)
        cr_assert_float_eq(p[i], adjusted[i], 1e-16, "%d: %g", i, p[i]);
}

Test(holm, what_was_not_tested_does_not_count)
{
    double p[] = {NAN, 0.01, NAN, 0.02}, none[] = {NAN, NAN};
    cr_assert_eq(pt_holm_adjust(p, 4, NULL), PT_OK);
    cr_assert(isnan(p[0]) && isnan(p[2]) && p[1] == 0.02 && p[3] == 0.02);
    cr_assert_eq(pt_holm_adjust(none, 2, NULL), PT_OK);
    cr_assert(isnan(none[0]) && isnan(none[1]));
}

/* Holm's paper: reject the smallest while p_(i) < level / (m - i + 1), and stop at the first that
 * is not. The adjusted values must tell the same story at every level. */
Test(holm, rejects_what_the_sequence_of_tests_rejects)
{
    enum { M = 12 };
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        double p[M], adjusted[M], level = 0.01 + 0.001 * (double)(trial % 200);
        pt_rng_seed(rng, 6, PT_PURPOSE_TEST, trial);
        for (int i = 0; i < M; i++)
            p[i] = pow(gsl_rng_uniform(rng), 4);
        memcpy(adjusted, p, sizeof p);
        cr_assert_eq(pt_holm_adjust(adjusted, M, NULL), PT_OK);
        int rejected[M] = {0};
        for (int step = 0; step < M; step++) {
            int smallest = -1;
            for (int i = 0; i < M; i++) {
                if (!rejected[i] && (smallest < 0 || p[i] < p[smallest])) smallest = i;
            }
            if (!(p[smallest] * (M - step) < level)) break;
            rejected[smallest] = 1;
        }
        for (int i = 0; i < M; i++) {
            cr_assert_eq(rejected[i], adjusted[i] < level);
            cr_assert(adjusted[i] >= p[i] && adjusted[i] <= fmin(1, M * p[i]));
        }
    }
    gsl_rng_free(rng);
}
