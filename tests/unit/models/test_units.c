#include "models/registry.h"

#include <criterion/criterion.h>
#include <string.h>

#include "partita/number.h"
#include "tests/support/rig.h"

/* What a mode can't do without. */
static const char *required_params(const char *mode)
{
    static const char *const required[][2] = {{"time_slice", "replicas=7"},
                                              {"mps", "replicas=7"},
                                              {"vgpu", "type=10c"},
                                              {"mig", "layout=all-1g"}};
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (strcmp(required[i][0], mode) == 0) return required[i][1];
    return "";
}

/* What every sharing mode must keep, whatever it models. */
Test(units, conform)
{
    for (size_t i = 0; pt_units[i] != NULL; i++) {
        const struct pt_unit_ops *unit = pt_units[i];
        cr_assert_eq(unit->abi, PT_UNIT_ABI);
        cr_assert_eq(unit->size, sizeof *unit);
        cr_assert_eq(pt_unit_find(unit->name), unit);
        cr_assert_gt(strlen(unit->summary), 10, "%s", unit->name);
        cr_assert_gt(strlen(unit->source), 5, "%s", unit->name);
        struct pt_value values[RIG_VALUES_MAX];
        rig_parse_values(values, unit->params, required_params(unit->name));
        struct pt_unit_shape shape;
        struct pt_error error = {0};
        cr_assert_eq(unit->configure(&shape, &rig_h100, values, &error), PT_OK);
        cr_assert_geq(shape.capacity, 1);
        cr_assert(!(shape.memory_admits && shape.memory_oom));
        for (uint32_t n = 1; shape.uniform && n <= shape.capacity; n++) {
            struct pt_ratio one;
            struct pt_unit_facts facts = {.shape = &shape, .count = n};
            unit->shares(&one, &facts);
            cr_assert_gt(one.numerator, 0);
            cr_assert(one.numerator * n <= one.denominator, "%s gives more than a GPU", unit->name);
        }
    }
    cr_assert_null(pt_unit_find("no such mode"));
}

static uint64_t share(const char *params, uint32_t residents, uint64_t rate)
{
    struct pt_value values[RIG_VALUES_MAX];
    const struct pt_unit_ops *unit = pt_unit_find("time_slice");
    rig_parse_values(values, unit->params, params);
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    struct pt_ratio one;
    cr_assert_eq(unit->configure(&shape, &rig_h100, values, &error), PT_OK);
    struct pt_unit_facts facts = {.shape = &shape, .count = residents};
    unit->shares(&one, &facts);
    return (uint64_t)pt_speed_scale(rate, one.numerator, one.denominator);
}

/* models.md 4.1 under `none`: (1 + e) N for N > 1, and nothing lost alone. */
Test(units, time_slice_shares_are_exact)
{
    cr_assert_eq(share("replicas=8 switch_loss=0", 1, PT_SPEED_ONE), PT_SPEED_ONE);
    cr_assert_eq(share("replicas=8 switch_loss=0", 2, PT_SPEED_ONE), PT_SPEED_ONE / 2);
    cr_assert_eq(share("replicas=8 switch_loss=0", 3, PT_SPEED_ONE), PT_SPEED_ONE / 3);
    cr_assert_eq(share("replicas=8 switch_loss=0.11", 1, PT_SPEED_ONE), PT_SPEED_ONE);
    /* 2^60 / (1.11 x 4), to the nearest */
    cr_assert_eq(share("replicas=8 switch_loss=0.11", 4, PT_SPEED_ONE),
                 (uint64_t)(((pt_u128)PT_SPEED_ONE * 100 + 222) / 444));
    /* twice the reference's speed, a third of it each: 2/3 to the nearest */
    cr_assert_eq(share("replicas=3 switch_loss=0", 3, 2 * PT_SPEED_ONE),
                 (uint64_t)(((pt_u128)PT_SPEED_ONE * 4 + 3) / 6));
}
