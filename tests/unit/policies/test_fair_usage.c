#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "partita/random.h"
#include "policies/fair/usage.h"

/* Usage that decays, against the figures worked by hand and against the libm's exp2. */

#define S PT_NS_PER_S
static struct pt_decay hour, none;

static void setup(void)
{
    pt__decay_init(&hour, 3600 * S, 1000000);
    pt__decay_init(&none, PT_NEVER, 1000000);
}

TestSuite(fair_usage, .init = setup);

static void near(double value, double wanted, double relative)
{
    cr_assert(fabs(value - wanted) <= relative * fabs(wanted), "%.17g is not %.17g", value, wanted);
}

Test(fair_usage, S_34_decay)
{
    struct pt_usage usage = {.decayed = 1000};
    near(pt__usage_at(&usage, &hour, 3600 * S), 500, 0);
    near(pt__usage_at(&usage, &hour, 5400 * S), 1000 / (2 * sqrt(2)), 1e-15);
    near(pt__usage_at(&usage, &hour, 5400 * S), 353.553391, 2e-9);
    for (int i = 1; i <= 6; i++)
        pt__usage_set_rate(&usage, &hour, i * 600 * S, 0);
    near(usage.decayed, 500, 1e-12);
    pt__usage_set_rate(&usage, &hour, 3600 * S, 0); /* at the same instant once more */
    near(usage.decayed, 500, 1e-12);
}

Test(fair_usage, S_34_constant_use)
{
    struct pt_usage usage = {0};
    pt__usage_set_rate(&usage, &hour, 0, 4000000);
    near(pt__usage_at(&usage, &hour, 3600 * S), 10387.404294, 1e-10);
    near(pt__usage_at(&usage, &hour, 3600 * S), 4 * 3600 / log(2) / 2, 1e-15);
    for (int i = 1; i <= 3600; i++)
        pt__usage_set_rate(&usage, &hour, i * S, 4000000);
    near(usage.decayed, 4 * 3600 / log(2) / 2, 1e-12);
}

Test(fair_usage, S_37_small_increments)
{
    struct pt_usage at_end = {0}, each_second = {0};
    pt__usage_set_rate(&at_end, &none, 0, 100000);
    for (int i = 0; i < 3600; i++)
        pt__usage_set_rate(&each_second, &none, i * S, 100000);
    cr_assert_eq(pt__usage_at(&at_end, &none, 3600 * S), 360.0);
    cr_assert_eq(pt__usage_at(&each_second, &none, 3600 * S), 360.0);
}

Test(fair_usage, S_38_what_has_decayed_away_is_nothing)
{
    struct pt_usage usage = {.decayed = 1000};
    cr_assert_eq(pt__usage_at(&usage, &hour, 50 * 3600 * S), 0.0);
    cr_assert_gt(pt__usage_at(&usage, &hour, 39 * 3600 * S), 0.0);
    cr_assert_eq(pt__usage_at(&usage, &hour, PT_TIME_MAX), 0.0);
}

Test(fair_usage, powers_of_two)
{
    double kept, lost;
    for (int64_t t = 0; t < 40000 * S; t += 7 * S + t / 3 + 1) {
        pt__halve(&kept, &lost, &hour, t);
        double x = (double)t / (3600.0 * 1e9);
        near(kept, exp2(-x), 2e-15);
        near(lost, -expm1(-x * log(2)), 2e-15);
        near(pt__half_to(x), exp2(-x), 2e-15);
    }
    pt__halve(&kept, &lost, &hour, 3600 * S);
    cr_assert_eq(kept, 0.5);
    cr_assert_eq(pt__half_to(0), 1.0);
    cr_assert_eq(pt__half_to(3), 0.125);
    cr_assert_eq(pt__half_to(1e300), 0.0);
    cr_assert_eq(pt__half_to(INFINITY), 0.0);
}

/* A full log of rate changes, summed up anew for every question. */
Test(fair_usage, against_the_log)
{
    enum { CHANGES = 300 };
    static int64_t at[CHANGES];
    static uint64_t rate[CHANGES];
    struct pt_usage usage = {0}, counted = {0};
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 34);
    for (int i = 0; i < CHANGES; i++) {
        at[i] = (i > 0 ? at[i - 1] : 0) + (int64_t)gsl_rng_uniform_int(rng, 2000000000) * (i % 900);
        rate[i] = gsl_rng_uniform_int(rng, 3) == 0 ? 0 : gsl_rng_uniform_int(rng, 9000000);
        pt__usage_set_rate(&usage, &hour, at[i], rate[i]);
        pt__usage_set_rate(&counted, &none, at[i], rate[i]);
        int64_t now = at[i] + (int64_t)gsl_rng_uniform_int(rng, 100) * S;
        long double sum = 0, all = 0;
        for (int k = 0; k <= i; k++) {
            int64_t to = k < i ? at[k + 1] : now;
            long double scale = 3600.0L / logl(2.0L) * (long double)rate[k] / 1e6L;
            long double hour_ns = 3600e9L;
            sum += scale * exp2l(-(long double)(now - to) / hour_ns) *
                   -expm1l(-logl(2.0L) * (long double)(to - at[k]) / hour_ns);
            all += (long double)rate[k] / 1e6L * (long double)(to - at[k]) * 1e-9L;
        }
        if (sum < 1e-9L) sum = 0;
        near(pt__usage_at(&usage, &hour, now), (double)sum, 1e-12);
        near(pt__usage_at(&counted, &none, now), (double)all, 1e-15);
    }
    gsl_rng_free(rng);
}
