#include "sim/replicate/spread.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(struct pt_spread *spread, size_t index, double jct, double cost)
{
    struct pt_metric metrics[] = {{.name = "jct_mean_s", .unit = "s", .value = jct, .count = 1},
                                  {.name = "cost", .unit = "", .value = cost, .count = 1}};
    struct pt_metric_group group = {.count = 2, .metrics = metrics};
    struct pt_error error;
    cr_assert_eq(pt_spread_add(spread, index, &group, &error), PT_OK);
}

Test(spread, is_over_the_runs_that_have_a_value)
{
    struct pt_spread *spread;
    struct pt_spread_row *rows;
    struct pt_error error;
    size_t count;
    cr_assert_eq(pt_spread_create(&spread, 5, &error), PT_OK);
    add(spread, 4, 9, NAN);
    add(spread, 0, 2, 0.1);
    add(spread, 2, 4, NAN); /* 1 and 3 did not end well */
    cr_assert_eq(pt_spread_runs(spread), 3);
    cr_assert_eq(pt_spread_rows(&rows, &count, spread, &error), PT_OK);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(rows[0].name, "jct_mean_s");
    cr_expect_eq(rows[0].count, 3);
    cr_expect_float_eq(rows[0].mean, 5, 1e-12);
    cr_expect_float_eq(rows[0].sd, sqrt(13), 1e-12); /* (9 + 1 + 16) / 2 */
    cr_expect_eq(rows[0].min, 2);
    cr_expect_eq(rows[0].max, 9);
    cr_expect_eq(rows[1].count, 1);
    cr_expect_eq(rows[1].mean, 0.1);
    cr_expect(isnan(rows[1].sd));
    free(rows);
    pt_spread_destroy(spread);
}

Test(spread, of_equal_values_is_exactly_nothing)
{
    struct pt_spread *spread;
    struct pt_spread_row *rows;
    struct pt_error error;
    size_t count;
    cr_assert_eq(pt_spread_create(&spread, 7, &error), PT_OK);
    for (size_t i = 0; i < 7; i++)
        add(spread, i, 0.1, NAN);
    cr_assert_eq(pt_spread_rows(&rows, &count, spread, &error), PT_OK);
    cr_expect_eq(rows[0].mean, 0.1);
    cr_expect_eq(rows[0].sd, 0);
    cr_expect_eq(rows[1].count, 0);
    cr_expect(isnan(rows[1].mean) && isnan(rows[1].min) && isnan(rows[1].max));
    free(rows);
    pt_spread_destroy(spread);
}
