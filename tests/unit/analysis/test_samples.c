#include "analysis/stats/samples.h"

#include <criterion/criterion.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"

#define NEAR(got, expected, tolerance)                                                             \
    cr_assert(fabs((got) - (expected)) <= (tolerance), #got ": %.17g, not %.17g", (got),           \
              (double)(expected))

Test(samples, sorting_agrees_with_gsl)
{
    enum { MOST = 5000 };
    static double values[MOST], expected[MOST], scratch[MOST];
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (uint64_t trial = 0; trial < 200; trial++) {
        size_t n = trial < 130 ? trial : MOST - trial, kept = 0;
        pt_rng_seed(rng, 8, PT_PURPOSE_TEST, trial);
        for (size_t i = 0; i < n; i++) {
            double x = gsl_ran_gaussian(rng, 1);
            values[i] = trial % 4 == 0   ? x
                        : trial % 4 == 1 ? floor(10 * x)
                        : trial % 4 == 2 ? exp(300 * x)
                                         : 1;
            if (i % 7 == 3 && trial % 2 == 0) values[i] = NAN;
            if (i % 11 == 5) values[i] = i % 2 == 0 ? -INFINITY : INFINITY;
            if (!isnan(values[i])) expected[kept++] = values[i];
        }
        gsl_sort(expected, 1, kept);
        cr_assert_eq(pt_samples_sort(values, scratch, n), kept);
        for (size_t i = 0; i < kept; i++)
            cr_assert(values[i] == expected[i], "trial %zu, place %zu", (size_t)trial, i);
    }
    gsl_rng_free(rng);
}

Test(samples, kolmogorov_at_its_critical_values)
{
    /* Smirnov's table (Annals of Mathematical Statistics 19, 1948) */
    NEAR(pt_kolmogorov_q(1.2238), 0.10, 1e-4);
    NEAR(pt_kolmogorov_q(1.3581), 0.05, 1e-5);
    NEAR(pt_kolmogorov_q(1.4802), 0.025, 1e-5);
    NEAR(pt_kolmogorov_q(1.6276), 0.01, 1e-5);
    NEAR(pt_kolmogorov_q(1.9495), 0.001, 1e-6);
    NEAR(pt_kolmogorov_q(0.82757), 0.50, 1e-5); /* its median */
    NEAR(pt_kolmogorov_q(0.5196), 0.95, 1e-3);
    cr_assert(pt_kolmogorov_q(0) == 1 && pt_kolmogorov_q(0.05) == 1);
    cr_assert(pt_kolmogorov_q(40) == 0);
    double last = 1;
    for (double x = 0.01; x < 5; x += 0.01) {
        cr_assert_leq(pt_kolmogorov_q(x), last);
        last = pt_kolmogorov_q(x);
    }
    NEAR(pt_kolmogorov_q(1.18 - 1e-12), pt_kolmogorov_q(1.18), 1e-10);
}

Test(samples, ks_by_hand)
{
    /* at 2, 3 of 4 against 1 of 5: 3/4 - 1/5 = 0.55; ties at 2 are passed together */
    const double base[] = {1, 2, 2, 7}, after[] = {2, 3, 4, 8, 9};
    struct pt_ks ks;
    pt_ks_of_sorted(&ks, base, 4, after, 5);
    cr_assert(ks.d == 0.55 && ks.at == 2 && ks.sign == 1);
    double e = sqrt(20.0 / 9), x = (e + 0.12 + 0.11 / e) * 0.55, q = 0;
    for (int k = 1; k < 100; k++)
        q += (k % 2 == 1 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    NEAR(ks.p, q, 1e-11);
    pt_ks_of_sorted(&ks, after, 5, base, 4);
    cr_assert(ks.d == 0.55 && ks.at == 2 && ks.sign == -1);
    NEAR(ks.p, q, 1e-11);
    pt_ks_of_sorted(&ks, base, 4, base, 4);
    cr_assert(ks.d == 0 && ks.sign == 0 && isnan(ks.at) && ks.p == 1);
    const double far[] = {10, 11};
    pt_ks_of_sorted(&ks, base, 4, far, 2);
    cr_assert(ks.d == 1 && ks.at == 7 && ks.sign == 1);
    pt_ks_of_sorted(&ks, base, 4, far, 0);
    cr_assert(isnan(ks.d) && isnan(ks.p));
}

/* Hollander and Wolfe (1973), p. 69: permeability of a membrane; U = 35 as R's wilcox.test says. */
Test(samples, mann_whitney_of_hollander_and_wolfe)
{
    double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    double early[] = {1.15, 0.88, 0.90, 0.74, 1.21}, scratch[10];
    struct pt_mann_whitney mw;
    pt_samples_sort(term, scratch, 10);
    pt_samples_sort(early, scratch, 5);
    pt_mann_whitney_of_sorted(&mw, early, 5, term, 10);
    cr_assert(mw.u == 35 && mw.superior == 0.7);
    NEAR(mw.effect, 0.4, 1e-15);
    NEAR(mw.z, 9.5 / sqrt(50.0 * 16 / 12), 1e-14);
    NEAR(mw.p, 0.2446, 1e-4);
    pt_mann_whitney_of_sorted(&mw, term, 10, early, 5);
    cr_assert(mw.u == 15 && mw.z < 0);
    NEAR(mw.effect, -0.4, 1e-15);
    NEAR(mw.p, 0.2446, 1e-4);
}

/* The example of scipy.stats.mannwhitneyu's documentation, by its method "asymptotic". */
Test(samples, mann_whitney_as_scipy_documents_it)
{
    const double males[] = {16, 19, 22, 24, 29}, females[] = {11, 12, 17, 20};
    struct pt_mann_whitney mw;
    pt_mann_whitney_of_sorted(&mw, females, 4, males, 5);
    cr_assert(mw.u == 17);
    NEAR(mw.p, 0.11134688653314041, 1e-11);
}

Test(samples, mann_whitney_with_ties_by_hand)
{
    /* pairs of new above base: 0 for 1, then 2: half of the two 2s + 1, ... */
    const double base[] = {1, 2, 2, 3}, after[] = {2, 3, 3};
    struct pt_mann_whitney mw;
    pt_mann_whitney_of_sorted(&mw, base, 4, after, 3);
    /* 2: 1 + 2/2 = 2; each 3: 3 + 1/2; together 9 of 12 */
    cr_assert(mw.u == 9 && mw.superior == 0.75 && mw.effect == 0.5);
    /* three 2s and three 3s: ties 24 + 24; variance 12/12 (8 - 48/42) */
    NEAR(mw.z, 2.5 / sqrt(8 - 48.0 / 42), 1e-14);
    const double same[] = {5, 5, 5};
    pt_mann_whitney_of_sorted(&mw, same, 3, same, 3);
    cr_assert(mw.u == 4.5 && mw.effect == 0 && mw.z == 0 && mw.p == 1);
    pt_mann_whitney_of_sorted(&mw, same, 0, same, 3);
    cr_assert(isnan(mw.u) && isnan(mw.p));
    const double one[] = {1}, two[] = {2};
    pt_mann_whitney_of_sorted(&mw, one, 1, two, 1);
    cr_assert(mw.u == 1 && mw.effect == 1 && mw.z == 0 && mw.p == 1);
    const double outer[] = {1, 4}, inner[] = {2, 3};
    pt_mann_whitney_of_sorted(&mw, outer, 2, inner, 2);
    cr_assert(mw.u == 2 && mw.effect == 0 && mw.z == 0 && mw.p == 1);
}

static double share_up_to(const double *values, int n, double x)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += values[i] <= x;
    return (double)count / n;
}

/* Every pair and every value, one by one. */
Test(samples, agree_with_their_definitions)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    double base[40], after[40], scratch[40];
    for (uint64_t trial = 0; trial < 500; trial++) {
        pt_rng_seed(rng, 9, PT_PURPOSE_TEST, trial);
        int n = 1 + (int)gsl_rng_uniform_int(rng, 40), m = 1 + (int)gsl_rng_uniform_int(rng, 40);
        double grain = trial % 2 == 0 ? 1e-9 : 0.5, d = 0, u = 0;
        for (int i = 0; i < n; i++)
            base[i] = grain * floor(gsl_ran_gaussian(rng, 1) / grain);
        for (int i = 0; i < m; i++)
            after[i] = grain * floor((gsl_ran_gaussian(rng, 1) + 0.5) / grain);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++)
                u += after[j] > base[i] ? 1 : after[j] == base[i] ? 0.5 : 0;
        }
        for (int i = 0; i < n + m; i++) {
            double x = i < n ? base[i] : after[i - n];
            d = fmax(d, fabs(share_up_to(base, n, x) - share_up_to(after, m, x)));
        }
        pt_samples_sort(base, scratch, (size_t)n);
        pt_samples_sort(after, scratch, (size_t)m);
        struct pt_ks ks;
        struct pt_mann_whitney mw;
        pt_ks_of_sorted(&ks, base, (size_t)n, after, (size_t)m);
        pt_mann_whitney_of_sorted(&mw, base, (size_t)n, after, (size_t)m);
        NEAR(ks.d, d, 1e-15);
        if (d > 0)
            NEAR(ks.sign * (share_up_to(base, n, ks.at) - share_up_to(after, m, ks.at)), d, 1e-15);
        NEAR(mw.u, u, 0);
    }
    gsl_rng_free(rng);
}

/* Of draws of one law both tests say "different" at 5 % about that often, and of shifted ones more
 * often. Samples of 200: the asymptotic law of D is then slightly large. */
Test(samples, false_alarms_are_as_rare_as_said)
{
    enum { N = 200, TRIALS = 2000 };
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    static double base[N], after[N], scratch[N];
    int alarms[2][2] = {{0}};
    for (int shifted = 0; shifted < 2; shifted++) {
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            pt_rng_seed(rng, 10, PT_PURPOSE_TEST, trial);
            for (int i = 0; i < N; i++) {
                base[i] = gsl_ran_lognormal(rng, 0, 1);
                after[i] = gsl_ran_lognormal(rng, 0.3 * shifted, 1);
            }
            struct pt_ks ks;
            struct pt_mann_whitney mw;
            pt_samples_sort(base, scratch, N);
            pt_samples_sort(after, scratch, N);
            pt_ks_of_sorted(&ks, base, N, after, N);
            pt_mann_whitney_of_sorted(&mw, base, N, after, N);
            alarms[shifted][0] += ks.p < 0.05;
            alarms[shifted][1] += mw.p < 0.05;
        }
    }
    gsl_rng_free(rng);
    cr_assert(alarms[0][0] > 0.03 * TRIALS && alarms[0][0] < 0.06 * TRIALS, "%d", alarms[0][0]);
    cr_assert(alarms[0][1] > 0.04 * TRIALS && alarms[0][1] < 0.06 * TRIALS, "%d", alarms[0][1]);
    cr_assert(alarms[1][0] > 0.6 * TRIALS, "%d", alarms[1][0]);
    cr_assert(alarms[1][1] > 0.7 * TRIALS, "%d", alarms[1][1]);
}

Test(samples, counts_of_millions_of_ties_do_not_overflow)
{
    const size_t n = 1000000;
    double *base = malloc(n * sizeof(*base)), *after = malloc(n * sizeof(*after));
    for (size_t i = 0; i < n; i++) {
        base[i] = 1;
        after[i] = i < n / 2 ? 1 : 2;
    }
    struct pt_ks ks;
    struct pt_mann_whitney mw;
    pt_ks_of_sorted(&ks, base, n, after, n);
    pt_mann_whitney_of_sorted(&mw, base, n, after, n);
    cr_assert(ks.d == 0.5 && ks.at == 1 && ks.sign == 1 && ks.p == 0);
    cr_assert(mw.u == 0.75e12 && mw.effect == 0.5 && mw.p == 0);
    free(base);
    free(after);
}
