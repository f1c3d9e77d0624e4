#include "partita/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* First outputs for the state {1, 2, 3, 4}: the generator's published reference values. */
Test(random, xoshiro_gives_its_known_values)
{
    static const uint64_t expected[] = {UINT64_C(41943041),
                                        UINT64_C(58720359),
                                        UINT64_C(3588806011781223),
                                        UINT64_C(3591011842654386),
                                        UINT64_C(9228616714210784205),
                                        UINT64_C(9973669472204895162),
                                        UINT64_C(14011001112246962877),
                                        UINT64_C(12406186145184390807),
                                        UINT64_C(15849039046786891736),
                                        UINT64_C(10450023813501588000)};
    static const uint64_t state[4] = {1, 2, 3, 4};
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    cr_assert_eq(pt_rng_type->size, sizeof state);
    memcpy(rng->state, state, sizeof state);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(gsl_rng_get(rng), expected[i]);
    gsl_rng_free(rng);
}

/* gsl_rng_set fills the state with SplitMix64, whose first outputs for 1234567 are published. */
Test(random, splitmix_gives_its_known_values)
{
    static const uint64_t expected[4] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431)};
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    gsl_rng_set(rng, 1234567);
    cr_assert_arr_eq(rng->state, expected, sizeof expected);
    cr_assert_eq(gsl_rng_get(rng), UINT64_C(437095814655224680));
    gsl_rng_free(rng);
}

Test(random, uniforms_lie_in_0_to_1_with_the_right_mean)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 0);
    double sum = 0;
    enum { N = 1000000 };
    for (int i = 0; i < N; i++) {
        double u = gsl_rng_uniform(rng);
        cr_assert(u >= 0 && u < 1);
        sum += u;
    }
    /* Five standard deviations of the mean of a uniform. */
    cr_assert_float_eq(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    gsl_rng_free(rng);
}

static uint64_t first_draw(gsl_rng *rng, uint64_t root, enum pt_purpose purpose, uint64_t entity)
{
    pt_rng_seed(rng, root, purpose, entity);
    return gsl_rng_get(rng);
}

Test(random, a_stream_depends_on_each_key_and_on_nothing_else)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    uint64_t draw = first_draw(rng, 1, PT_PURPOSE_WORK, 3);
    for (int i = 0; i < 10; i++)
        gsl_rng_get(rng);
    cr_assert_eq(first_draw(rng, 1, PT_PURPOSE_WORK, 3), draw);
    cr_assert_neq(first_draw(rng, 2, PT_PURPOSE_WORK, 3), draw);
    cr_assert_neq(first_draw(rng, 1, PT_PURPOSE_GPUS, 3), draw);
    cr_assert_neq(first_draw(rng, 1, PT_PURPOSE_WORK, 4), draw);
    cr_assert_neq(first_draw(rng, 1, PT_PURPOSE_GPUS, 2), first_draw(rng, 1, PT_PURPOSE_WORK, 3));
    gsl_rng_free(rng);
}

/* First draws of neighbouring entities: as uncorrelated as those of one stream. */
Test(random, neighbouring_streams_are_independent)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    enum { N = 200000 };
    double sum = 0, product = 0, last = 0.5;
    for (uint64_t i = 0; i < N; i++) {
        pt_rng_seed(rng, 42, PT_PURPOSE_TEST, i);
        double u = gsl_rng_uniform(rng) - 0.5;
        sum += u;
        if (i > 0) product += u * last;
        last = u;
    }
    cr_assert_float_eq(sum / N, 0, 5 * sqrt(1.0 / 12 / N));
    cr_assert_float_eq(product / N, 0, 5 * (1.0 / 12) / sqrt(N));
    gsl_rng_free(rng);
}

Test(random, round40_keeps_40_bits)
{
    cr_assert_eq(pt_round40(0), 0);
    cr_assert_eq(pt_round40(1.0), 1.0);
    cr_assert_eq(pt_round40(-3.5), -3.5);
    cr_assert_eq(pt_round40(1 + 0x1p-39), 1 + 0x1p-39);
    cr_assert_eq(pt_round40(1 + 0x1p-40), 1 + 0x1p-39); /* half goes up */
    cr_assert_eq(pt_round40(1 + 0x1p-41), 1.0);
    cr_assert_eq(pt_round40(2 - 0x1p-52), 2.0);
    cr_assert_eq(pt_round40(-1 - 0x1p-41), -1.0);
    cr_assert_eq(pt_round40(INFINITY), INFINITY);
    cr_assert(isnan(pt_round40(NAN)));
    /* What differs in the last places comes out the same. */
    cr_assert_eq(pt_round40(0.1), pt_round40(nextafter(0.1, 1)));
}
