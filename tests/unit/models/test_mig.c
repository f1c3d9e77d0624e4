#include "models/units/mig.h"

#include <criterion/criterion.h>
#include <string.h>

#include "models/registry.h"
#include "tests/support/rig.h"

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const char *params, struct pt_error *error)
{
    const struct pt_unit_ops *unit = pt_unit_find("mig");
    struct pt_value values[RIG_VALUES_MAX];
    rig_parse_values(values, unit->params, params);
    return unit->configure(shape, gpu, values, error);
}

static void expect_refused(const struct pt_gpu_model *gpu, const char *params, const char *message)
{
    struct pt_unit_shape shape;
    struct pt_error error = {.message = ""};
    cr_assert_eq(configure(&shape, gpu, params, &error), PT_ERR_INPUT, "%s", params);
    cr_assert_str_eq(error.message, message);
}

static struct pt_need need_of(const struct pt_unit_shape *shape, const char *profile)
{
    struct pt_need need;
    struct pt_ask ask = {PT_NONE, PT_NONE, 1, 1, profile};
    cr_assert_eq(pt_unit_find("mig")->need(&need, shape, &ask), PT_REASON_NONE, "%s", profile);
    return need;
}

/* Places a unit of a profile and returns where, or -1. */
static int place(void *state, const struct pt_unit_shape *shape, const char *profile)
{
    struct pt_placed placed;
    struct pt_need need = need_of(shape, profile);
    if (!pt__mig_nested.place(&placed, state, shape, &need, PT_CELL_ANY)) return -1;
    return placed.cell;
}

/* The vendor's own failing order (hardware.md 1.3). */
Test(mig, drivers_order_matters)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    uint64_t state[PT_NESTED_STATE_MAX / 8];
    cr_assert_eq(configure(&shape, &rig_a100_40, "reconfigure=partial start=driver", &error),
                 PT_OK);
    pt__mig_nested.reset(state, &shape);
    cr_assert_eq(place(state, &shape, "1g.5gb"), 6);
    cr_assert_eq(place(state, &shape, "1g.5gb"), 5);
    cr_assert_eq(place(state, &shape, "2g.10gb"), 2);
    cr_assert_eq(place(state, &shape, "3g.20gb"), -1);
    pt__mig_nested.reset(state, &shape);
    cr_assert_eq(place(state, &shape, "3g.20gb"), 4);
    cr_assert_eq(place(state, &shape, "1g.5gb"), 3);
    cr_assert_eq(place(state, &shape, "2g.10gb"), 0);
    cr_assert_eq(place(state, &shape, "1g.5gb"), 2);
}

Test(mig, refusals)
{
    expect_refused(&rig_l40s, "layout=all-1g",
                   "l40s has no MIG, so its pool can't have 'mode: mig'; GPUs with MIG: A100, A30, "
                   "H100, H200, GH200, B200, GB200, RTX PRO 6000 (others share by time_slice, mps, "
                   "fractional or vgpu)");
    /* S-21 */
    expect_refused(&rig_h100, "layout=1g.20gb,1g.20gb,1g.20gb,1g.20gb,1g.10gb,1g.10gb,1g.10gb",
                   "layout 3 x 1g.10gb, 4 x 1g.20gb is impossible on h100-sxm5-80gb: 11 memory "
                   "slices, the GPU has 8");
}
