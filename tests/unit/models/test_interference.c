#include "models/interference/interference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/registry.h"
#include "partita/random.h"
#include "tests/support/rig.h"
#include "tests/unit/models/units_of.h"

/* `fitted`: closed forms and published measurements of each law. */

static bool near(double a, double b, double relative)
{
    return fabs(a / b - 1) <= relative;
}

#define ASSERT_NEAR(a, b, relative)                                                                \
    cr_assert(near(a, b, relative), "%.17g is not %.17g", (double)(a), (double)(b))

/* The slow-down of the first of n equal jobs. */
static double turns_of(uint32_t n, double u, double loss)
{
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_TURNS, n)->partition.switch_loss = loss;
    for (uint32_t i = 0; i < n; i++)
        unit.traits[i].u = unit.traits[i].busy = u;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_ask(&unit, &pt_fitted, state);
    pt_fitted.release(state);
    return unit.slow[0];
}

Test(interference, models_conform)
{
    for (size_t i = 0; pt_interference_models[i]; i++) {
        const struct pt_interference_ops *ops = pt_interference_models[i];
        cr_assert_eq(ops->abi, PT_INTERFERENCE_ABI);
        cr_assert_eq(ops->size, sizeof *ops);
        cr_assert_eq(pt_interference_find(ops->name), ops);
        cr_assert_gt(strlen(ops->summary), 10);
        cr_assert_gt(strlen(ops->source), 5);
        cr_assert(ops->prepare && ops->release && ops->unit && ops->alone && ops->terms);
        ops->release(NULL);
    }
    cr_assert_null(pt_interference_find("none"));
}

Test(interference, defaults_are_those_of_the_table)
{
    struct pt_value values[RIG_VALUES_MAX];
    rig_parse_values(values, pt_fitted.params, "");
    struct pt_fitted_options read = pt_fitted_options(values), known = pt_fitted_defaults();
    cr_assert_eq(read.mps, known.mps);
    cr_assert_eq(read.mig, known.mig);
    cr_assert_eq(read.guard, known.guard);
    cr_assert_eq(read.g, known.g);
    cr_assert_eq(read.u_from, known.u_from);
    cr_assert_eq(read.mix, known.mix);
    cr_assert_eq(read.u_floor, known.u_floor);
    cr_assert_eq(read.power_slope, known.power_slope);
    cr_assert_eq(read.residual_sd, known.residual_sd);
    cr_assert_eq(read.slices, known.slices);
}

Test(interference, turns_of_jobs_that_fill_the_gpu)
{
    for (uint32_t n = 2; n <= 16; n++) {
        ASSERT_NEAR(turns_of(n, 1, 0), n, 1e-14);
        ASSERT_NEAR(turns_of(n, 1, 0.11), 1.11 * n, 1e-14);
    }
    cr_assert_eq(turns_of(1, 1, 0.11), 1);
    ASSERT_NEAR(turns_of(2, 0.5, 0), 1.25, 1e-15);
    ASSERT_NEAR(turns_of(3, 0.5, 0), 1.5, 1e-15);
    ASSERT_NEAR(turns_of(4, 0.5, 0), 2, 1e-15);
}

/* YOLOS-small on one A100, mean latency of 1, 3, 5, 7 pods (NOS): rows of hardware.md 2.3. */
Test(interference, turns_meet_what_nos_measured)
{
    const double latency[] = {0.0882, 0.2931, 0.4890, 0.6849};
    for (uint32_t k = 1; k <= 3; k++)
        ASSERT_NEAR(turns_of(2 * k + 1, 1, 0.109), latency[k] / latency[0], 0.005);
}

/* An A30 as 4 vGPUs, each alone and all loaded: copy, small and large GEMM (COLFAX). */
Test(interference, turns_meet_what_colfax_measured)
{
    const double rates[3][2] = {{786, 160}, {6680, 1410}, {68800, 14500}};
    for (size_t k = 0; k < 3; k++)
        ASSERT_NEAR(turns_of(4, 1, 0.205), rates[k][0] / rates[k][1], 0.025);
}

/* The one u that fits the rows best, and how far off the worst of them is then. */
static double worst_of_nos_mps(const char *params, bool inference, double *best_u)
{
    const double latency[] = {0.0880, 0.1640, 0.2409, 0.3198};
    double best = INFINITY;
    void *state = unit_state(&pt_fitted, params, 1, 0);
    for (double u = 0.01; u <= 1; u += 0.0005) {
        double worst = 0;
        for (uint32_t k = 1; k <= 3; k++) {
            struct unit_of unit;
            unit_of(&unit, PT_SHARING_SMS, 2 * k + 1);
            for (uint32_t i = 0; i < unit.partition.count; i++) {
                unit.traits[i].u = u;
                unit.traits[i].p = inference ? 4 : 2;
                unit.traits[i].inference = inference;
            }
            unit_ask(&unit, &pt_fitted, state);
            worst = fmax(worst, fabs(unit.slow[0] / (latency[k] / latency[0]) - 1));
        }
        if (worst < best) {
            best = worst;
            *best_u = u;
        }
    }
    pt_fitted.release(state);
    return best;
}

Test(interference, mps_meets_what_nos_measured)
{
    double u;
    double rank1 = worst_of_nos_mps("guard=off", false, &u);
    cr_log_info("NOS, MPS: rank1 without guard %.2f %% at u = %.4f", 100 * rank1, u);
    cr_assert_leq(rank1, 0.01, "%g", rank1);
    double pnorm = worst_of_nos_mps("", true, &u);
    cr_log_info("NOS, MPS: p-norm, p = 4 %.2f %% at u = %.4f", 100 * pnorm, u);
    cr_assert_leq(pnorm, 0.08, "%g", pnorm);
}

Test(interference, caps_bind)
{
    void *state = unit_state(&pt_fitted, "", 1, 0);
    const uint32_t caps[] = {500000, 510000, 600000, 1000000};
    for (size_t k = 0; k < 4; k++) {
        struct unit_of unit;
        unit_of(&unit, PT_SHARING_SMS, 2);
        unit_cap(&unit, 0, caps[k]);
        unit_cap(&unit, 1, caps[k]);
        unit_ask(&unit, &pt_fitted, state);
        ASSERT_NEAR(unit.slow[0], 2, 1e-15);
        ASSERT_NEAR(unit.slow[1], 2, 1e-15);
    }
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_SMS, 3);
    unit_cap(&unit, 0, 800000);
    unit_cap(&unit, 1, 100000);
    unit_cap(&unit, 2, 100000);
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 1.25, 1e-15);
    ASSERT_NEAR(unit.slow[1], 10, 1e-15);
    ASSERT_NEAR(unit.slow[2], 10, 1e-15);
    unit.partition.cap_contention = 0.1;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 1.375, 1e-15);
    pt_fitted.release(state);
}

/* A light job (.1) beside one that fills the GPU: 1.10 by rank1, 1.48 by the p-norm. */
Test(interference, light_beside_saturating)
{
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_SMS, 0);
    unit_add(&unit, 0.1, 1);
    unit_add(&unit, 1, 1);
    void *state = unit_state(&pt_fitted, "guard=off", 1, 0);
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 1.1, 1e-15);
    ASSERT_NEAR(unit.slow[1], 1.1, 1e-15);
    pt_fitted.release(state);
    state = unit_state(&pt_fitted, "laws.mps=pnorm", 1, 0);
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], sqrt(1 - 0.01 + 1.1 * 1.1), 1e-14);
    pt_fitted.release(state);
}

/* An inference job makes its whole unit follow the p-norm. */
Test(interference, one_law_for_a_unit)
{
    struct unit_of unit;
    unit_of(&unit, PT_SHARING_SMS, 0);
    unit_add(&unit, 0.6, 2);
    unit.traits[unit_add(&unit, 0.7, 1)].inference = true;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_ask(&unit, &pt_fitted, state);
    pt_fitted.release(state);
    double a = 0.6 * 2 / (0.6 * 2 + 0.7);
    ASSERT_NEAR(unit.slow[0], sqrt(1 - 0.36 + 0.36 / (a * a)), 1e-14);
    a = 0.7 / (0.6 * 2 + 0.7);
    ASSERT_NEAR(unit.slow[1], sqrt(1 - 0.49 + 0.49 / (a * a)), 1e-14);
}

Test(interference, vgpu_shares)
{
    struct unit_of unit;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_of(&unit, PT_SHARING_EQUAL, 3);
    unit.traits[0].u = 0.5;
    unit.partition.switch_loss = 0.1;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 1 + 0.5 * (3.3 - 1), 1e-15);
    ASSERT_NEAR(unit.slow[1], 3.3, 1e-15);
    unit.partition.count = 1;
    unit_ask(&unit, &pt_fitted, state);
    cr_assert_eq(unit.slow[0], 1);
    unit.partition.sharing = PT_SHARING_FIXED;
    unit.partition.slots = 4;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 1 + 0.5 * (4.4 - 1), 1e-15);
    pt_fitted.release(state);
}

Test(interference, fractions_in_turns)
{
    struct unit_of unit;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_of(&unit, PT_SHARING_CAPPED_TURNS, 2);
    unit_cap(&unit, 0, 250000);
    unit_cap(&unit, 1, 500000);
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 4, 1e-15);
    ASSERT_NEAR(unit.slow[1], 2, 1e-15);
    unit.partition.strict = false;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 3, 1e-15);
    ASSERT_NEAR(unit.slow[1], 1.5, 1e-15);
    unit.traits[1].u = 0; /* whom nobody notices */
    unit_ask(&unit, &pt_fitted, state);
    cr_assert_eq(unit.slow[0], 1);
    pt_fitted.release(state);
}

/* Who was admitted by memory alone takes turns with all, and a fraction is still no more. */
Test(interference, memory_only_residents_take_turns)
{
    struct unit_of unit;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_of(&unit, PT_SHARING_CAPPED_TURNS, 3);
    unit_cap(&unit, 0, 250000);
    unit.needs[1].weightless = unit.needs[2].weightless = true;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 4, 1e-15);
    ASSERT_NEAR(unit.slow[1], 3, 1e-14);
    unit.partition.residents++;
    unit.partition.count = 1;
    unit_ask(&unit, &pt_fitted, state);
    cr_assert_eq(unit.slow[0], 1);
    pt_fitted.release(state);
}

/* On an instance: the p-norm of 4.3 alone; with neighbours x multiplies the shares. */
Test(interference, instances)
{
    struct unit_of unit;
    void *state = unit_state(&pt_fitted, "", 1, 0);
    unit_of(&unit, PT_SHARING_ALONE, 0);
    unit_add(&unit, 0.8, 1);
    unit_on(&unit, 3);
    unit_ask(&unit, &pt_fitted, state);
    double x = 3 / 7.0;
    ASSERT_NEAR(unit.slow[0], sqrt(1 - 0.64 + 0.64 / (x * x)), 1e-15);
    cr_assert_eq(unit.slow[0],
                 pt_fitted.alone(&unit.traits[0], x, unit.partition.instance, &unit_gpu, state));
    unit_on(&unit, 7);
    unit_ask(&unit, &pt_fitted, state);
    cr_assert_eq(unit.slow[0], 1);
    /* two at u = .8 that share 3g: a = 1/2 of it each */
    unit_on(&unit, 3);
    unit.partition.sharing = PT_SHARING_SMS;
    unit_add(&unit, 0.8, 1);
    unit.traits[1].inference = true;
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], sqrt(1 - 0.64 + 0.64 / (x * x / 4)), 1e-14);
    /* turns of jobs that fill it: each half of the instance */
    unit_of(&unit, PT_SHARING_TURNS, 2);
    unit_on(&unit, 2);
    unit_ask(&unit, &pt_fitted, state);
    ASSERT_NEAR(unit.slow[0], 7, 1e-14);
    pt_fitted.release(state);
}

/* MISO, A100: iteration times on slices against 7g, and the (f_c, f_m) that fit them (hardware.md
 * 2.5). */
Test(interference, additive_slices)
{
    static const struct {
        double f_c, f_m, speed[4];                      /* 1g, 2g, 3g, 4g; 0 = does not fit */
    } rows[] = {{0.12, 0.22, {0.30, 0.52, 0.73, 0.79}}, /* embedding 256 */
                {0.30, 0.20, {0.24, 0.43, 0.63, 0.69}}, /* embedding 512 */
                {0.18, 0.32, {0.22, 0.42, 0.65, 0.75}}, /* resnet 512 */
                {0.18, 0.36, {0, 0.39, 0.63, 0.69}},    /* bert 2 */
                {0.26, 0.46, {0, 0.33, 0.56, 0.61}}};   /* bert 4 */
    void *state = unit_state(&pt_fitted, "laws.mig=additive", 1, 0);
    double squares = 0;
    int points = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned g = 1; g <= 4; g++) {
            if (rows[k].speed[g - 1] == 0) continue;
            struct unit_of unit;
            unit_of(&unit, PT_SHARING_ALONE, 1);
            unit_on(&unit, g);
            unit.traits[0].f_c = rows[k].f_c;
            unit.traits[0].f_m = rows[k].f_m;
            unit_ask(&unit, &pt_fitted, state);
            double off = 1 / unit.slow[0] / rows[k].speed[g - 1] - 1;
            squares += off * off;
            points++;
        }
    pt_fitted.release(state);
    double off = sqrt(squares / points);
    cr_log_info("MISO, additive: %.2f %% rms over %d points", 100 * off, points);
    cr_assert_leq(off, 0.045, "%g", off);
}

/* COLFAX: a link that each of 4 instances fills alone goes 4 times slower, 25.2 -> 6.3 GB/s; and
 * the power limit, by hand. */
Test(interference, instances_share_the_board)
{
    struct unit_of units[4];
    struct pt_partition partitions[4];
    double slow[4];
    void *state = unit_state(&pt_fitted, "", 1, 0);
    for (int k = 0; k < 4; k++) {
        unit_of(&units[k], PT_SHARING_ALONE, 1);
        unit_on(&units[k], 1);
        units[k].traits[0].u = 0;
        units[k].traits[0].pcie = 1;
        partitions[k] = units[k].partition;
        slow[k] = 1;
    }
    pt_fitted.board(slow, partitions, 4, state);
    for (int k = 0; k < 4; k++)
        cr_assert_eq(slow[k], 4);
    for (int k = 0; k < 4; k++) {
        units[k].traits[0].pcie = 0;
        units[k].traits[0].power_w = 100;
        slow[k] = 1;
    }
    pt_fitted.board(slow, partitions, 4, state);
    ASSERT_NEAR(slow[0], 1 / (1 - 0.201 * 0.15), 1e-14);
    /* alone nobody notices, even above the limit */
    units[0].traits[0].power_w = 500;
    slow[0] = 1;
    pt_fitted.board(slow, partitions, 1, state);
    cr_assert_eq(slow[0], 1);
    pt_fitted.release(state);
}

/* A residual changes what neighbours cost, repeatably, and nothing else. */
Test(interference, residual)
{
    struct unit_of unit;
    void *state = unit_state(&pt_fitted, "residual.sd=0.18", 5, 40);
    void *again = unit_state(&pt_fitted, "residual.sd=0.18", 5, 41);
    void *plain = unit_state(&pt_fitted, "", 5, 40);
    double sum = 0, squares = 0;
    int n = 0;
    for (uint32_t a = 0; a <= 40; a++)
        for (uint32_t b = 0; b <= 40; b++, n++) {
            unit_of(&unit, PT_SHARING_SMS, 2);
            unit.traits[0].u = 0.6;
            unit.traits[0].type = a < 40 ? a : PT_NONE;
            unit.traits[1].type = b < 40 ? b : PT_NONE;
            unit_ask(&unit, &pt_fitted, plain);
            double law = unit.slow[0];
            unit_ask(&unit, &pt_fitted, again);
            double second = unit.slow[0];
            unit_ask(&unit, &pt_fitted, state);
            cr_assert_eq(unit.slow[0], second, "another profile changed the draws");
            double z = log((unit.slow[0] - 1) / (law - 1));
            sum += z;
            squares += z * z;
        }
    double mean = sum / n;
    double sd = sqrt(squares / n - mean * mean);
    cr_assert(fabs(mean) < 4 * 0.18 / 41 && fabs(sd - 0.18) < 4 * 0.18 / 58, "%g %g", mean, sd);
    unit.partition.count = 1;
    unit_ask(&unit, &pt_fitted, state);
    cr_assert_eq(unit.slow[0], 1);
    pt_fitted.release(state);
    pt_fitted.release(again);
    pt_fitted.release(plain);
}
