#include <criterion/criterion.h>
#include <math.h>

#include "models/interference/interference.h"
#include "tests/support/rig.h"
#include "tests/unit/models/units_of.h"

/* Under a model, through the engine: a job alone on what it asked for runs at full speed, to the
 * nanosecond, whatever it is and in every mode; and on less than it asked for it does not. */

static const struct pt_mig_profile profiles[] = {
    {.name = "1g.10gb", .compute = 1, .size = 1, .starts = 0x7f, .sms = 16, .mem_mib = 9984},
    {.name = "3g.40gb", .compute = 3, .size = 4, .starts = 0x11, .sms = 60, .mem_mib = 40448},
    {.name = "7g.80gb", .compute = 7, .size = 8, .starts = 0x01, .sms = 132, .mem_mib = 81152}};
static const struct pt_mig mig = {
    .compute = 7, .memory = 8, .profile_count = 3, .full = 2, .profiles = profiles};

static void traits_of(struct pt_traits *traits, const void *ctx, pt_job job, uint32_t pool)
{
    (void)job;
    (void)pool;
    *traits = *(const struct pt_traits *)ctx;
}

static double slow_down(const struct pt_interference_ops *ops, const char *model_params,
                        const char *mode, const char *params, const char *frac, const char *named,
                        bool inference)
{
    struct pt_gpu_model gpu = rig_h100;
    gpu.mig = &mig;
    struct pt_traits traits = {.u = 0.63,
                               .kappa = 1.7,
                               .kappa_g = 1.3,
                               .busy = 0.7,
                               .membw = 0.4,
                               .power_w = 900,
                               .f_c = 0.3,
                               .f_m = 0.4,
                               .type = PT_NONE,
                               .p = inference ? 4 : 2,
                               .inference = inference,
                               .rate = PT_SPEED_ONE};
    struct rig rig;
    rig_init(&rig);
    rig_add_pool(&rig, &gpu, 1, 1, mode, params);
    pt_job job = rig_add_job(&rig, 0, 1000 * PT_NS_PER_S, 1);
    if (frac) rig_set_cell(&rig, job, PT_COL_GPU_FRAC, frac);
    if (named) rig_set_cell(&rig, job, PT_COL_MIG, named);
    void *state = unit_state(ops, model_params, 1, 0);
    rig.world.interference = (struct pt_interference){ops, state};
    rig.world.jobs_model = (struct pt_jobs_model){.ctx = &traits, .traits = traits_of};
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_eq(rig.results[job].state, PT_STATE_DONE, "%s %s", mode, params);
    double slow = (double)rig.results[job].end_ns / (1000.0 * PT_NS_PER_S);
    rig_fini(&rig);
    ops->release(state);
    return slow;
}

static const struct {
    const char *mode, *params, *frac, *named;
} whole[] = {
    {"exclusive", "", NULL, NULL},
    {"time_slice", "replicas=4 switch_loss=0.3", NULL, NULL},
    {"mps", "replicas=1", NULL, NULL},
    {"mps", "replicas=4", "0.3", NULL},
    {"fractional", "compute=none", "0.3", NULL},
    {"fractional", "compute=time_slicing", "0.37", NULL},
    {"fractional", "compute=sm_sharing", "0.37", NULL},
    {"vgpu", "replicas=4 switch_loss=0.3", NULL, NULL},
    {"vgpu", "replicas=4 scheduler=equal_share switch_loss=0.3", "0.25", NULL},
    {"vgpu", "replicas=4 scheduler=fixed_share switch_loss=0.3", "0.25", NULL},
    {"vgpu", "replicas=3 scheduler=fixed_share switch_loss=0.3", "0.333333", NULL},
    {"mig", "reconfigure=when_gpu_idle reconfigure_s=0", NULL, "1g.10gb"},
    {"mig", "reconfigure=when_gpu_idle reconfigure_s=0", NULL, "3g.40gb"},
    {"mig", "reconfigure=when_gpu_idle reconfigure_s=0", NULL, "7g.80gb"},
};

Test(asked, alone_on_what_was_asked)
{
    const struct {
        const struct pt_interference_ops *ops;
        const char *params;
    } models[] = {{&pt_fitted, ""},
                  {&pt_fitted, "laws.mig=additive laws.mps=pnorm residual.sd=0.18"},
                  {&pt_table, "table.fallback=fitted"},
                  {&pt_curve, "curve.total=1,1.2"},
                  {&pt_roofline, ""}};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
            for (int inference = 0; inference < 2; inference++) {
                double slow = slow_down(models[m].ops, models[m].params, whole[k].mode,
                                        whole[k].params, whole[k].frac, whole[k].named, inference);
                cr_assert_eq(slow, 1, "%s, %s %s: %.12f", models[m].ops->name, whole[k].mode,
                             whole[k].params, slow);
            }
}

Test(asked, alone_on_less)
{
    double u = 0.63, law = sqrt(1 - u * u + u * u * 16);
    double slow = slow_down(&pt_fitted, "", "mps", "replicas=4", NULL, NULL, false);
    cr_assert_float_eq(slow, law, 1e-9);
    slow = slow_down(&pt_fitted, "", "vgpu", "replicas=4 scheduler=fixed_share switch_loss=0.3",
                     NULL, NULL, false);
    cr_assert_float_eq(slow, 1 + u * (4 * 1.3 - 1), 1e-9);
}
