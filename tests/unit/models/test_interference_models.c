#include "models/interference/interference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/pairs/pairs.h"
#include "models/profiles/profiles.h"
#include "models/registry.h"
#include "tests/support/rig.h"
#include "tests/unit/models/units_of.h"

/* `table`, `curve` and `roofline`. */

static const struct pt_gpu_model v100 = {.name = "v100-16gb", .family = "v100"};
static const struct pt_gpu_model k80 = {.name = "k80", .family = "k80"};

#define USES_MAX 400

/* Everybody of the profile table on both GPUs. */
struct everybody {
    struct pt_profiles profiles;
    struct pt_interference_use uses[USES_MAX];
    struct pt_interference_inputs inputs;
};

static void init(struct everybody *all)
{
    struct pt_error error = {0};
    cr_assert_eq(pt_profiles_init(&all->profiles, NULL, 0, &error), PT_OK, "%s", error.message);
    all->inputs = (struct pt_interference_inputs){.type_count = all->profiles.type_count,
                                                  .type_names = all->profiles.type_names,
                                                  .uses = all->uses};
    cr_assert_leq(2 * all->profiles.type_count, USES_MAX);
    for (uint32_t type = 0; type < all->profiles.type_count; type++) {
        all->uses[all->inputs.use_count++] = (struct pt_interference_use){&v100, type, 2};
        all->uses[all->inputs.use_count++] = (struct pt_interference_use){&k80, type, 2};
    }
}

static enum pt_status prepare(void **state, const struct pt_interference_ops *ops,
                              const char *params, const struct pt_interference_inputs *inputs,
                              struct pt_error *error)
{
    struct pt_value values[RIG_VALUES_MAX];
    *error = (struct pt_error){0};
    rig_parse_values(values, ops->params, params);
    return ops->prepare(state, values, inputs, error);
}

static uint32_t check_pairs(const struct everybody *all, const void *state,
                            const struct pt_gpu_model *gpu, const unsigned char *csv, size_t length)
{
    struct pt__rows rows;
    struct pt_pair pair;
    struct pt_error error = {0};
    struct unit_of unit;
    bool more = true;
    uint32_t measured = 0;
    cr_assert_eq(pt_pairs_open(&rows, (const char *)csv, length, "pairs", &error), PT_OK);
    while (pt_pairs_next(&pair, &rows, &more, &error) == PT_OK && more) {
        unit_of(&unit, PT_SHARING_SMS, 2);
        unit.partition.gpu = gpu;
        unit.traits[0].type = pt_profiles_find(&all->profiles, pair.job_a);
        unit.traits[1].type = pt_profiles_find(&all->profiles, pair.job_b);
        cr_assert(unit.traits[0].type != PT_NONE && unit.traits[1].type != PT_NONE);
        cr_assert_eq(pt_table.fits(&unit.partition, state), pair.fits);
        if (!pair.fits) continue;
        measured++;
        unit_ask(&unit, &pt_table, state);
        cr_assert_eq(unit.slow[0], pair.slow_a);
        cr_assert_eq(unit.slow[1], pair.slow_b);
    }
    cr_assert_eq(error.status, PT_OK, "%s", error.message);
    pt__rows_close(&rows);
    return measured;
}

Test(interference_table, every_measured_pair_exactly)
{
    static struct everybody all;
    struct pt_error error;
    void *state;
    init(&all);
    cr_assert_eq(prepare(&state, &pt_table, "table.fallback=fitted", &all.inputs, &error), PT_OK,
                 "%s", error.message);
    cr_assert_eq(check_pairs(&all, state, &v100, pt_pairs_v100_csv, pt_pairs_v100_csv_length), 633);
    cr_assert_eq(check_pairs(&all, state, &k80, pt_pairs_k80_csv, pt_pairs_k80_csv_length), 575);
    pt_table.release(state);
    pt_profiles_fini(&all.profiles);
}

/* Mean |law / measured - 1| over both jobs of all pairs, with the built-in profiles. */
static double off_by(const struct everybody *all, const char *params, enum pt_sharing sharing,
                     const struct pt_gpu_model *gpu, const unsigned char *csv, size_t length)
{
    struct pt__rows rows;
    struct pt_pair pair;
    struct pt_error error = {0};
    struct unit_of unit;
    bool more = true;
    double sum = 0;
    int points = 0;
    struct pt_fitted_options options = pt_fitted_defaults();
    void *state = unit_state(&pt_fitted, params, 1, 0);
    cr_assert_eq(pt_pairs_open(&rows, (const char *)csv, length, "pairs", &error), PT_OK);
    while (pt_pairs_next(&pair, &rows, &more, &error) == PT_OK && more) {
        if (!pair.fits) continue;
        const char *const jobs[] = {pair.job_a, pair.job_b};
        unit_of(&unit, sharing, 2);
        for (int i = 0; i < 2; i++) {
            uint32_t type = pt_profiles_find(&all->profiles, jobs[i]);
            struct pt_profile_pick pick = pt_profiles_pick(&all->profiles, type, gpu, PT_LAW_ANY);
            cr_assert(!pick.other_gpu);
            pt_profile_traits(&unit.traits[i], pick.row, 1, false, &options);
        }
        unit_ask(&unit, &pt_fitted, state);
        sum += fabs(unit.slow[0] / pair.slow_a - 1) + fabs(unit.slow[1] / pair.slow_b - 1);
        points += 2;
    }
    pt__rows_close(&rows);
    pt_fitted.release(state);
    cr_log_info("%s '%s' %d: %.2f %% over %d points", gpu->name, params, (int)sharing,
                100 * sum / points, points);
    return sum / points;
}

/* In sample: V100 under MPS 5.5 %, 5.6 % with the guard; K80 without MPS 3.3 %. */
Test(interference_fitted, meets_the_measured_pairs)
{
    static struct everybody all;
    init(&all);
    cr_assert_leq(off_by(&all, "guard=off", PT_SHARING_SMS, &v100, pt_pairs_v100_csv,
                         pt_pairs_v100_csv_length),
                  0.056);
    cr_assert_leq(
        off_by(&all, "", PT_SHARING_SMS, &v100, pt_pairs_v100_csv, pt_pairs_v100_csv_length),
        0.057);
    cr_assert_leq(
        off_by(&all, "guard=off", PT_SHARING_SMS, &k80, pt_pairs_k80_csv, pt_pairs_k80_csv_length),
        0.034);
    cr_assert_leq(
        off_by(&all, "", PT_SHARING_TURNS, &k80, pt_pairs_k80_csv, pt_pairs_k80_csv_length), 0.038);
    pt_profiles_fini(&all.profiles);
}

static const char own_table[] = "gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,fits\n"
                                "v100,x,y,10,4,5,3.2,1\n"
                                "v100,y,y,4,4,2,2.5,1\n"
                                "v100-16gb,x,x,10,10,4,4,1\n"
                                "v100,x,z,10,8,0,0,0\n"
                                "\"k80\",y,z,1,1,1,1,1\n";
static const char *const own_names[] = {"x", "y", "z"};

static struct pt_interference_inputs own_inputs(const struct pt_interference_use *uses, uint32_t n)
{
    return (struct pt_interference_inputs){.type_count = 3,
                                           .type_names = own_names,
                                           .table_name = "own.csv",
                                           .table_text = own_table,
                                           .table_length = sizeof own_table - 1,
                                           .uses = uses,
                                           .use_count = n};
}

Test(interference_table, three_add_what_each_costs)
{
    const struct pt_interference_use uses[] = {{&v100, 0, 2}, {&v100, 1, 2}};
    struct pt_interference_inputs inputs = own_inputs(uses, 2);
    struct pt_error error;
    struct unit_of unit;
    void *state;
    cr_assert_eq(prepare(&state, &pt_table, "", &inputs, &error), PT_OK, "%s", error.message);
    unit_of(&unit, PT_SHARING_SMS, 3);
    unit.partition.gpu = &v100;
    unit.traits[0].type = 0;
    unit.traits[1].type = unit.traits[2].type = 1;
    unit_ask(&unit, &pt_table, state);
    cr_assert_float_eq(unit.slow[0], 1 + 1 + 1, 1e-14);
    cr_assert_float_eq(unit.slow[1], 1 + 0.25 + 1, 1e-14); /* beside x; first of the two y */
    cr_assert_float_eq(unit.slow[2], 1 + 0.25 + 0.6, 1e-14);
    /* y first: the one order that was measured stands for the other */
    unit.partition.count = 2;
    unit.traits[0].type = 1;
    unit.traits[1].type = 0;
    unit_ask(&unit, &pt_table, state);
    cr_assert_eq(unit.slow[0], 1.25);
    cr_assert_eq(unit.slow[1], 2);
    unit.partition.count = 1;
    unit_ask(&unit, &pt_table, state);
    cr_assert_eq(unit.slow[0], 1);
    /* a cap that is slower than the pair */
    unit_cap(&unit, 0, 250000);
    unit.partition.count = 2;
    unit_ask(&unit, &pt_table, state);
    cr_assert_eq(unit.slow[0], 4);
    pt_table.release(state);
}

Test(interference_table, missing_pairs_are_said_at_load)
{
    const struct pt_interference_use uses[] = {{&v100, 1, 1}, {&v100, 2, 1}, {&v100, PT_NONE, 1}};
    struct pt_interference_inputs inputs = own_inputs(uses, 2);
    struct pt_error error;
    void *state;
    cr_assert_eq(prepare(&state, &pt_table, "", &inputs, &error), PT_ERR_INPUT);
    cr_assert_null(state);
    cr_assert(strstr(error.message, "'y' and 'z' on v100-16gb"), "%s", error.message);
    inputs.use_count = 1; /* one job of it meets nobody */
    cr_assert_eq(prepare(&state, &pt_table, "", &inputs, &error), PT_OK, "%s", error.message);
    pt_table.release(state);
    inputs.uses = uses + 2;
    cr_assert_eq(prepare(&state, &pt_table, "", &inputs, &error), PT_ERR_INPUT);
    cr_assert(strstr(error.message, "without a profile"), "%s", error.message);
    inputs.uses = uses;
    inputs.use_count = 3;
    cr_assert_eq(prepare(&state, &pt_table, "table.fallback=fitted", &inputs, &error), PT_OK);
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_SMS, 2);
    unit.partition.gpu = &v100;
    unit.traits[0].type = 1;
    unit_ask(&unit, &pt_table, state);
    cr_assert_eq(unit.slow[0], 2);
    pt_table.release(state);
}

static void refused(const char *table, uint32_t line, uint32_t column, const char *message)
{
    const struct pt_interference_use uses[] = {{&v100, 0, 1}};
    struct pt_interference_inputs inputs = own_inputs(uses, 1);
    struct pt_error error;
    void *state;
    inputs.table_text = table;
    inputs.table_length = strlen(table);
    cr_assert_eq(prepare(&state, &pt_table, "", &inputs, &error), PT_ERR_INPUT, "%s", table);
    cr_assert_str_eq(error.file, "own.csv");
    cr_assert(strstr(error.message, message), "%s", error.message);
    cr_assert(error.line == line && error.column == column, "%u:%u %s", error.line, error.column,
              error.message);
}

Test(interference_table, bad_rows_have_their_place)
{
#define HEAD "gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,fits,more\n"
    refused("", 1, 1, "has no columns");
    refused("gpu,job_a\n", 1, 1, "column 'job_b' is missing");
    refused("gpu,gpu\n", 1, 5, "column 'gpu' is twice");
    refused(HEAD "a,b,c,1,1,1,1,1\n", 2, 1, "8 cells where there are 9 columns");
    refused(HEAD "# remark\n\na,b,c,1,1,1,1,1,,\n", 4, 18, "more cells");
    refused(HEAD "a,b,c,1,1,1,x,1,\n", 2, 13, "co_b 'x' is not a number");
    refused(HEAD "a,b,c,1,1,0,1,1,\n", 2, 11, "co_a '0' is no speed");
    refused(HEAD "a,b,c,1,1,100,1,1,\n", 2, 11, "10 times the speed alone");
    refused(HEAD "a,b,c,1,1,1,1,2,\n", 2, 15, "fits '2' is neither 0 nor 1");
    refused(HEAD "a,,c,1,1,1,1,1,\n", 2, 3, "job_a '' is empty");
    refused(HEAD "a,\"b,c,1,1,1,1,1,\n", 2, 3, "quote");
    refused(HEAD "a,\"b\"\"\n", 2, 3, "quote");
#undef HEAD
}

Test(interference_curve, totals)
{
    struct unit_of unit;
    void *state = unit_state(&pt_curve, "curve.total=1,1.2,1.5", 1, 0);
    const double slow[] = {1, 2 / 1.2, 2, 4 / 1.5, 5 / 1.5};
    for (uint32_t n = 1; n <= 5; n++) {
        unit_of(&unit, PT_SHARING_TURNS, n);
        unit_ask(&unit, &pt_curve, state);
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(unit.slow[i], slow[n - 1]);
    }
    cr_assert_eq(pt_curve.alone(&unit.traits[0], 0.5, NULL, &unit_gpu, state), 1);
    unit_on(&unit, 1);
    unit.partition.count = 1;
    unit_ask(&unit, &pt_curve, state);
    cr_assert_float_eq(unit.slow[0], 7, 1e-14);
    pt_curve.release(state);
}

Test(interference_curve, refusals)
{
    struct pt_interference_inputs inputs = {0};
    struct pt_error error;
    void *state;
    const char *const bad[] = {"curve.total=2,3", "curve.total=1,0", "curve.total=1,x",
                               "curve.total=1,-1", "curve.total=1,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(prepare(&state, &pt_curve, bad[i], &inputs, &error), PT_ERR_INPUT, "%s",
                     bad[i]);
        cr_assert_null(state);
        cr_assert(strstr(error.message, "curve.total"), "%s", error.message);
    }
    double many[PT_CURVE_MAX + 1] = {1};
    cr_assert_eq(pt_curve_prepare(&state, many, PT_CURVE_MAX + 1, &error), PT_ERR_INPUT);
    cr_assert_eq(pt_curve_prepare(&state, many, 0, &error), PT_ERR_INPUT);
    cr_assert_eq(prepare(&state, &pt_curve, "curve.total=1,1e300", &inputs, &error), PT_ERR_INPUT);
    cr_assert(strstr(error.message, "at most 4294967295"), "%s", error.message);
}

Test(interference_roofline, the_scarcer_one_decides)
{
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_SMS, 0);
    unit_add(&unit, 0.2, 1);
    unit_add(&unit, 0.9, 1);
    unit_add(&unit, 0.9, 1);
    void *state = unit_state(&pt_roofline, "", 1, 0);
    unit_ask(&unit, &pt_roofline, state);
    cr_assert_eq(unit.slow[0], 1); /* asks for less than a third */
    cr_assert_float_eq(unit.slow[1], 0.9 / 0.4, 1e-14);
    unit.traits[0].membw = 0.8; /* 1/2 of the bandwidth is left for each */
    unit.traits[1].membw = 0.6;
    unit_ask(&unit, &pt_roofline, state);
    cr_assert_float_eq(unit.slow[0], 1.6, 1e-14);
    cr_assert_float_eq(unit.slow[1], 0.9 / 0.4, 1e-14);
    unit_cap(&unit, 1, 300000);
    unit_ask(&unit, &pt_roofline, state);
    cr_assert_float_eq(unit.slow[1], 3, 1e-14);
    cr_assert_float_eq(unit.slow[2], 0.9 / 0.5, 1e-14);
    /* VGG19, batch 32, on 1g, 2g, 3g, 4g against 7g (ParvaGPU): bound by its SMs */
    const double speed[] = {225 / 1447.0, 443 / 1447.0, 701 / 1447.0, 866 / 1447.0};
    for (unsigned g = 1; g <= 4; g++) {
        unit_of(&unit, PT_SHARING_ALONE, 1);
        unit_on(&unit, g);
        unit_ask(&unit, &pt_roofline, state);
        cr_assert_float_eq(unit.slow[0], 7.0 / g, 1e-14);
        cr_assert_lt(fabs(1 / unit.slow[0] / speed[g - 1] - 1), 0.14);
    }
    pt_roofline.release(state);
}
