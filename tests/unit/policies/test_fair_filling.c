#include <criterion/criterion.h>
#include <math.h>

#include "partita/random.h"
#include "policies/fair/filling.h"

/* Water-filling by hand, and against what defines it. */

static double target(const struct pt_basin *basins, uint32_t count, uint32_t who)
{
    for (uint32_t i = 0; i < count; i++)
        if (basins[i].who == who) return basins[i].target;
    return NAN;
}

Test(fair_filling, by_hand)
{
    /* 10 among weights 1, 1, 2 that demand 1, 9, 9: 1, 3 and 6 */
    struct pt_basin basins[] = {{.weight = 1, .demand = 9, .who = 1},
                                {.weight = 2, .demand = 9, .who = 2},
                                {.weight = 1, .demand = 1, .who = 0}};
    pt__fill(basins, 3, 10);
    cr_assert_eq(target(basins, 3, 0), 1.0);
    cr_assert_eq(target(basins, 3, 1), 3.0);
    cr_assert_eq(target(basins, 3, 2), 6.0);
    pt__fill(basins, 3, 100);
    cr_assert_eq(target(basins, 3, 1), 9.0);
    pt__fill(basins, 3, 0);
    cr_assert_eq(target(basins, 3, 2), 0.0);
}

/* All that is there is given, nobody gets more than he demands, and whoever gets less has no less
 * by his weight than anybody else. */
Test(fair_filling, what_max_min_fairness_means)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 36);
    for (int k = 0; k < 2000; k++) {
        struct pt_basin basins[20];
        uint32_t count = 1 + (uint32_t)gsl_rng_uniform_int(rng, 20);
        double amount = (double)gsl_rng_uniform_int(rng, 200), demand = 0, given = 0;
        for (uint32_t i = 0; i < count; i++) {
            basins[i] = (struct pt_basin){.weight = 1 + (double)gsl_rng_uniform_int(rng, 4),
                                          .demand = (double)gsl_rng_uniform_int(rng, 30),
                                          .who = i};
            demand += basins[i].demand;
        }
        pt__fill(basins, count, amount);
        for (uint32_t i = 0; i < count; i++) {
            const struct pt_basin *a = &basins[i];
            given += a->target;
            cr_assert(a->target <= a->demand && a->target >= 0);
            for (uint32_t j = 0; j < count && a->target < a->demand - 1e-9; j++)
                cr_assert(a->target / a->weight >= basins[j].target / basins[j].weight - 1e-9);
        }
        cr_assert_float_eq(given, fmin(amount, demand), 1e-9);
    }
    gsl_rng_free(rng);
}
