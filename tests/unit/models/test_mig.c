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

/* ---- parameters ---- */

Test(mig, says_why_it_refuses)
{
    expect_refused(&rig_l40s, "layout=all-1g",
                   "l40s has no MIG, so its pool can't have 'mode: mig'; GPUs with MIG: A100, A30, "
                   "H100, H200, GH200, B200, GB200, RTX PRO 6000 (others share by time_slice, mps, "
                   "fractional or vgpu)");
    expect_refused(&rig_h100, "",
                   "reconfigure: static needs a layout, since no instance is ever made (say "
                   "layout: all-1g.10gb, or reconfigure: partial)");
    expect_refused(&rig_h100, "layout=all-enabled",
                   "reconfigure: static needs a layout, since no instance is ever made (say "
                   "layout: all-1g.10gb, or reconfigure: partial)");
    expect_refused(&rig_h100, "layout=all-disabled",
                   "layout: all-disabled means MIG is off: a pool of whole GPUs is 'mode: "
                   "exclusive' (or time_slice, mps, fractional), not 'mode: mig'");
    expect_refused(&rig_h100, "layout=all-1g inside.replicas=2",
                   "inside.replicas is 2, but inside.mode is none: choose time_slice or mps");
    expect_refused(&rig_h100, "layout=all-1g inside.mode=mps inside.replicas=49",
                   "inside.replicas is 49: MPS takes at most 6 clients on the smallest instance "
                   "(48 on the whole of h100-sxm5-80gb)");
    expect_refused(&rig_h100, "layout=3g.40gb,4g.40gb inside.mode=mps inside.replicas=21",
                   "inside.replicas is 21: MPS takes at most 20 clients on the smallest instance "
                   "(48 on the whole of h100-sxm5-80gb)");
}

Test(mig, offers_compute_slices)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    cr_assert_eq(configure(&shape, &rig_h100, "reconfigure=partial", &error), PT_OK);
    cr_assert_eq(shape.capacity, 7);
    cr_assert_eq(shape.slots, 1);
    cr_assert_eq(shape.sharing, PT_SHARING_ALONE);
    cr_assert_eq(shape.whole_sms, 132);
    cr_assert(shape.levels && shape.memory_admits && shape.fault_spreads);
    cr_assert(!shape.uniform && !shape.distinct && !shape.allow_speedup && !shape.memory_oom);
    cr_assert_eq(shape.charge, PT_CHARGE_HELD);
    cr_assert_eq(configure(&shape, &rig_a30,
                           "layout=all-2g inside.mode=time_slice inside.replicas=5 "
                           "inside.switch_loss=0.2 allow_speedup=true",
                           &error),
                 PT_OK);
    cr_assert_eq(shape.capacity, 20);
    cr_assert_eq(shape.slots, 5);
    cr_assert_eq(shape.sharing, PT_SHARING_TURNS);
    cr_assert_eq(shape.switch_loss_ppm, 200000);
    cr_assert(shape.allow_speedup);
    cr_assert_eq(configure(&shape, &rig_a100_80, "layout=all-2g mig_mode_tax=true", &error), PT_OK);
    cr_assert_eq(shape.whole_sms, 108);
}

Test(mig, changes_cost_what_was_measured)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    const struct pt_reconfigure *change = &shape.reconfigure;
    cr_assert_eq(configure(&shape, &rig_h100, "reconfigure=partial", &error), PT_OK);
    cr_assert_eq(change->cost_ns, 7500000000);
    cr_assert_eq(change->failed_ns, 7500000000);
    cr_assert_eq(change->backoff_ns, 30 * PT_NS_PER_S);
    cr_assert_eq(change->attempts, 3);
    cr_assert_eq(change->failure_ppm, 0);
    cr_assert(!change->node_wide);
    cr_assert_eq(configure(&shape, &rig_h100, "reconfigure=when_gpu_idle operator=true", &error),
                 PT_OK);
    cr_assert_eq(change->cost_ns, 110 * PT_NS_PER_S);
    cr_assert(change->node_wide);
    cr_assert_eq(configure(&shape, &rig_h100,
                           "reconfigure=partial operator=true reconfigure_s=0 "
                           "reconfigure_failures.probability=0.25 reconfigure_failures.attempts=1 "
                           "reconfigure_failures.backoff=1min reconfigure_failures.duration=30",
                           &error),
                 PT_OK);
    cr_assert_eq(change->cost_ns, 0);
    cr_assert_eq(change->failed_ns, 30 * PT_NS_PER_S);
    cr_assert_eq(change->backoff_ns, 60 * PT_NS_PER_S);
    cr_assert_eq(change->attempts, 1);
    cr_assert_eq(change->failure_ppm, 250000);
}

/* ---- what a job takes ---- */

static const struct pt_ask whole_gpu = {PT_NONE, PT_NONE, 1, 1, NULL};

/* The profile that a job gets, or why none. */
static const char *profile_for(const struct pt_unit_shape *shape, struct pt_ask ask)
{
    struct pt_need need;
    enum pt_reason reason = pt_unit_find("mig")->need(&need, shape, &ask);
    if (reason == PT_REASON_NONE) return shape->gpu->mig->profiles[need.profile].name;
    return pt_reason_text(reason);
}

static struct pt_ask asks_for(const char *mig, double frac, uint32_t gib)
{
    struct pt_ask ask = whole_gpu;
    ask.mig = mig;
    if (frac > 0) ask.gpu_frac_ppm = (uint32_t)(frac * 1e6 + 0.5);
    if (gib > 0) ask.gpu_mem_mib = 1024 * gib;
    return ask;
}

#define NO_PROFILE "no pool offers a MIG instance that it may use"
#define NO_MEMORY "more GPU memory than its GPU or part of one has"

/* semantics.md 4: the named one exactly; auto: the smallest that holds its memory; neither: the
 * smallest with its share of the compute slices and its memory. */
Test(mig, takes_the_smallest_profile_that_does)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    static const struct {
        const char *mig;
        double frac;
        uint32_t gib;
        const char *dynamic, *balanced; /* all-balanced: 1g, 1g, 2g, 3g */
    } cases[] = {
        {"2g.20gb", 0, 0, "2g.20gb", "2g.20gb"},   {"2g.20gb", 0, 15, "2g.20gb", "2g.20gb"},
        {"2g.20gb", 0, 20, NO_MEMORY, NO_MEMORY},  {"1g.10gb+me", 0, 0, "1g.10gb+me", NO_PROFILE},
        {"1g.20gb", 0, 0, "1g.20gb", NO_PROFILE},  {"1g.5gb", 0, 0, NO_PROFILE, NO_PROFILE},
        {"auto", 0, 0, "1g.10gb", "1g.10gb"},      {"auto", 0.9, 0, "1g.10gb", "1g.10gb"},
        {"auto", 0, 15, "1g.20gb", "2g.20gb"},     {"auto", 0, 39, "3g.40gb", "3g.40gb"},
        {"auto", 0, 79, "7g.80gb", NO_MEMORY},     {"auto", 0, 80, NO_MEMORY, NO_MEMORY},
        {NULL, 0, 0, "7g.80gb", NO_PROFILE},       {NULL, 1, 0, "7g.80gb", NO_PROFILE},
        {NULL, 0.142857, 0, "1g.10gb", "1g.10gb"}, {NULL, 0.142858, 0, "2g.20gb", "2g.20gb"},
        {NULL, 0.01, 15, "1g.20gb", "2g.20gb"},    {NULL, 0.4, 0, "3g.40gb", "3g.40gb"},
        {NULL, 0.5, 0, "4g.40gb", NO_PROFILE},     {NULL, 0.5, 60, "7g.80gb", NO_PROFILE},
        {NULL, 0.2, 60, "7g.80gb", NO_MEMORY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt_ask ask = asks_for(cases[i].mig, cases[i].frac, cases[i].gib);
        cr_assert_eq(configure(&shape, &rig_h100, "reconfigure=partial", &error), PT_OK);
        cr_assert_str_eq(profile_for(&shape, ask), cases[i].dynamic, "case %zu", i);
        cr_assert_eq(configure(&shape, &rig_h100, "layout=all-balanced", &error), PT_OK);
        cr_assert_str_eq(profile_for(&shape, ask), cases[i].balanced, "case %zu", i);
    }
    cr_assert_eq(configure(&shape, &rig_a30, "reconfigure=partial", &error), PT_OK);
    cr_assert_str_eq(profile_for(&shape, asks_for(NULL, 0.25, 0)), "1g.6gb");
    cr_assert_str_eq(profile_for(&shape, asks_for(NULL, 0.3, 0)), "2g.12gb");
    cr_assert_str_eq(profile_for(&shape, asks_for(NULL, 0.6, 0)), "4g.24gb");
}

/* An instance's limit is split between its slots: by process under MPS, by job in turns. */
Test(mig, slots_split_memory)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    struct pt_need need;
    struct pt_ask ask = asks_for("3g.40gb", 0, 10); /* 39.5 GiB: 9.875 each of four */
    const struct pt_unit_ops *unit = pt_unit_find("mig");
    cr_assert_eq(configure(&shape, &rig_h100,
                           "reconfigure=partial inside.mode=mps inside.replicas=4", &error),
                 PT_OK);
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_GPU_MEMORY);
    ask.gpu_mem_mib = 9 * 1024;
    ask.processes = 3;
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_NONE);
    cr_assert_eq(need.capacity, 9);
    cr_assert_eq(need.mem_mib, 27 * 1024);
    cr_assert_eq(need.clients, 3);
    cr_assert(need.capped && !need.as_asked);
    cr_assert(need.cap.numerator == 3 && need.cap.denominator == 4);
    ask.processes = 5;
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_CLIENTS);
    cr_assert_eq(configure(&shape, &rig_h100,
                           "reconfigure=partial inside.mode=time_slice inside.replicas=4", &error),
                 PT_OK);
    ask.processes = 2;
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_GPU_MEMORY);
    ask.gpu_mem_mib = 4 * 1024;
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_NONE);
    cr_assert_eq(need.capacity, 3);
    cr_assert_eq(need.mem_mib, 8 * 1024);
    cr_assert(!need.capped && need.as_asked);
}

/* ---- shares ---- */

/* The speed of one of `count` equal jobs in an instance. */
static uint64_t speed(const char *params, const struct pt_gpu_model *gpu, struct pt_ask ask,
                      uint32_t count, bool *as_asked)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    struct pt_need need;
    struct pt_resident residents[4] = {{&need, NULL}, {&need, NULL}, {&need, NULL}, {&need, NULL}};
    struct pt_ratio out[4];
    const struct pt_unit_ops *unit = pt_unit_find("mig");
    cr_assert_eq(configure(&shape, gpu, params, &error), PT_OK, "%s", error.message);
    cr_assert_eq(unit->need(&need, &shape, &ask), PT_REASON_NONE);
    struct pt_unit_facts facts = {&shape, &gpu->mig->profiles[need.profile], count, residents};
    unit->shares(out, &facts);
    for (uint32_t i = 1; i < count; i++)
        cr_assert(out[i].numerator == out[0].numerator && out[i].denominator == out[0].denominator);
    *as_asked = need.as_asked;
    return (uint64_t)pt_speed_scale(PT_SPEED_ONE, out[0].numerator, out[0].denominator);
}

static uint64_t one_times(uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)pt_speed_scale(PT_SPEED_ONE, numerator, denominator);
}

/* Compute slices / the GPU's, against what was asked for. */
Test(mig, textbook_shares)
{
    bool same;
    const char *partial = "reconfigure=partial";
    cr_assert_eq(speed(partial, &rig_h100, asks_for("3g.40gb", 0, 0), 1, &same), PT_SPEED_ONE);
    cr_assert(same);
    cr_assert_eq(speed(partial, &rig_h100, asks_for("auto", 0, 0), 1, &same), one_times(1, 7));
    cr_assert(!same);
    cr_assert_eq(speed(partial, &rig_h100, asks_for("auto", 0, 39), 1, &same), one_times(3, 7));
    cr_assert_eq(speed(partial, &rig_a30, asks_for("auto", 0, 10), 1, &same), one_times(1, 2));
    cr_assert_eq(speed(partial, &rig_h100, whole_gpu, 1, &same), PT_SPEED_ONE);
    cr_assert(same);
    cr_assert_eq(speed(partial, &rig_h100, asks_for(NULL, 0.5, 0), 1, &same), PT_SPEED_ONE);
    cr_assert_eq(speed("reconfigure=partial allow_speedup=true", &rig_h100, asks_for(NULL, 0.5, 0),
                       1, &same),
                 one_times(8, 7));
    cr_assert_eq(speed("reconfigure=partial allow_speedup=true", &rig_h100,
                       asks_for("3g.40gb", 0, 0), 1, &same),
                 PT_SPEED_ONE);
}

Test(mig, shares_inside_an_instance)
{
    bool same;
    const char *mps = "reconfigure=partial inside.mode=mps inside.replicas=3",
               *turns = "reconfigure=partial inside.mode=time_slice inside.replicas=4";
    cr_assert_eq(speed(mps, &rig_h100, asks_for("3g.40gb", 0, 0), 1, &same), one_times(1, 3));
    cr_assert_eq(speed(mps, &rig_h100, asks_for("3g.40gb", 0, 0), 3, &same), one_times(1, 3));
    cr_assert_eq(speed(mps, &rig_h100, asks_for("auto", 0, 0), 2, &same), one_times(1, 21));
    cr_assert_eq(speed(turns, &rig_h100, asks_for("3g.40gb", 0, 0), 1, &same), PT_SPEED_ONE);
    cr_assert(same);
    cr_assert_eq(speed(turns, &rig_h100, asks_for("3g.40gb", 0, 0), 2, &same), one_times(100, 222));
    cr_assert_eq(speed(turns, &rig_h100, asks_for("auto", 0, 0), 4, &same),
                 one_times(100, 444 * 7));
}

/* MIG mode leaves 98 of an A100's 108 SMs, and all of an H100's. */
Test(mig, mode_tax)
{
    bool same;
    const char *tax = "reconfigure=partial mig_mode_tax=true";
    cr_assert_eq(speed("reconfigure=partial", &rig_a100_80, whole_gpu, 1, &same), PT_SPEED_ONE);
    cr_assert_eq(speed(tax, &rig_a100_80, whole_gpu, 1, &same), one_times(98, 108));
    cr_assert(!same);
    cr_assert_eq(speed(tax, &rig_a100_80, asks_for("7g.80gb", 0, 0), 1, &same), PT_SPEED_ONE);
    cr_assert(same);
    cr_assert_eq(speed(tax, &rig_a100_80, asks_for("auto", 0, 0), 1, &same), one_times(14, 108));
    cr_assert_eq(speed(tax, &rig_h100, whole_gpu, 1, &same), PT_SPEED_ONE);
}

Test(mig, asked_share_is_of_sms)
{
    struct pt_unit_shape shape;
    struct pt_error error = {0};
    cr_assert_eq(configure(&shape, &rig_h100, "reconfigure=partial", &error), PT_OK);
    cr_assert_eq(need_of(&shape, "7g.80gb").asked_share, 1);
    cr_assert_eq(need_of(&shape, "3g.40gb").asked_share, 60.0 / 132);
    cr_assert_eq(need_of(&shape, "auto").asked_share, 1);
    cr_assert_eq(configure(&shape, &rig_a100_80, "reconfigure=partial mig_mode_tax=true", &error),
                 PT_OK);
    cr_assert_eq(need_of(&shape, "7g.80gb").asked_share, 98.0 / 108);
}
