#include "tests/determinism/scenes.h"

#include <math.h>

#include "models/interference/interference.h"

const char *scene_name(enum scene scene)
{
    static const char *const names[] = {"exclusive", "shared", "broken", "modes"};
    return names[scene];
}

static void add_jobs(struct rig *rig, uint32_t jobs, uint64_t seed, uint32_t gap_ms)
{
    static const char *const gib[] = {"1", "10", "30", "45", "70"};
    struct draw draw = {seed};
    int64_t at_ns = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        at_ns += (int64_t)(draw_bits(&draw) % (gap_ms * UINT64_C(2000000)));
        int64_t work_ns = (int64_t)(draw_bits(&draw) % (UINT64_C(200) * PT_NS_PER_S));
        uint32_t gpus = draw_chance(&draw, 80) ? 1 : 1 + draw_below(&draw, 12);
        pt_job row = rig_add_job(
            rig, draw_chance(&draw, 50) ? at_ns : at_ns / PT_NS_PER_S * PT_NS_PER_S, work_ns, gpus);
        if (draw_chance(&draw, 50))
            rig_set_cell(rig, row, PT_COL_GPU_MEM, gib[draw_below(&draw, 5)]);
        if (draw_chance(&draw, 30)) rig_set_cell(rig, row, PT_COL_CHECKPOINT, "20");
        if (draw_chance(&draw, 10)) rig_set_cell(rig, row, PT_COL_NODES_MAX, "2");
    }
}

static void break_nodes(struct rig *rig)
{
    for (uint32_t n = 0; n < rig->cluster.node_count && n < RIG_DOWN_NODES; n++) {
        int64_t from_ns = (100 + 50 * (int64_t)n) * PT_NS_PER_S;
        rig->down[n][0] = (struct pt_down_window){from_ns, from_ns + 30 * PT_NS_PER_S};
        rig->nodes[n].boot_ns = 5 * PT_NS_PER_S;
        rig->nodes[n].down = rig->down[n];
        rig->nodes[n].down_count = 1;
    }
}

static void traits(struct pt_traits *out, const void *ctx, pt_job job, uint32_t pool)
{
    (void)ctx, (void)pool;
    double u = (double)(job * UINT32_C(2654435761) % 1000) / 999;
    *out = (struct pt_traits){.u = u,
                              .kappa = 0.5 + u,
                              .kappa_g = 0.75 + 0.5 * u,
                              .busy = u,
                              .membw = u / 2,
                              .pcie = u / 4,
                              .power_w = 200 * u,
                              .f_c = NAN,
                              .f_m = NAN,
                              .type = PT_NONE,
                              .p = job % 3 == 0 ? 4 : 2,
                              .inference = job % 3 == 0,
                              .rate = PT_SPEED_ONE};
}

static int64_t cold_start_ns(const void *ctx, pt_job job)
{
    (void)ctx;
    return (int64_t)(job % 4) * PT_NS_PER_S;
}

static void add_modes(struct rig *rig)
{
    static const char *const modes[][2] = {
        {"mig", "layout=all-balanced"},
        {"mig", "reconfigure=partial reconfigure_failures.probability=0.1"},
        {"mig", "reconfigure=when_gpu_idle layout=all-1g operator=true"},
        {"mps", "replicas=4"},
        {"fractional", "compute=sm_sharing"},
        {"vgpu", "type=20c scheduler=equal_share"}};
    static void *state; /* kept for all scenes of the process */
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_interference_inputs inputs = {.seed = 1};
    struct pt_error error;
    if (state == NULL && pt_fitted_prepare(&state, &options, &inputs, &error) != PT_OK)
        rig_die("fitted: %s", error.message);
    rig->world.interference = (struct pt_interference){.ops = &pt_fitted, .state = state};
    rig->world.jobs_model =
        (struct pt_jobs_model){.traits = traits, .cold_start_ns = cold_start_ns};
    rig->world.faults.gpu_mtbf_ns = 20000 * PT_NS_PER_S;
    rig->world.restore.base_ns = PT_NS_PER_S;
    rig->world.energy = true;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        rig_add_pool(rig, &rig_h100, 3, 4, modes[i][0], modes[i][1])->price_micro_per_hour =
            2500000;
}

static void add_shares(struct rig *rig, uint32_t jobs, uint64_t seed)
{
    static const char *const profiles[] = {"1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb", "auto"};
    static const char *const fractions[] = {"0.1", "0.25", "0.333333", "0.5", "1"};
    struct draw draw = {seed};
    int64_t at_ns = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        at_ns += (int64_t)(draw_bits(&draw) % (UINT64_C(3) * PT_NS_PER_S));
        int64_t work_ns = (int64_t)(draw_bits(&draw) % (UINT64_C(60) * PT_NS_PER_S));
        uint32_t gpus = draw_chance(&draw, 85) ? 1 : 1 + draw_below(&draw, 5);
        pt_job row = rig_add_job(rig, at_ns, work_ns, gpus);
        if (draw_chance(&draw, 30))
            rig_set_cell(rig, row, PT_COL_MIG, profiles[draw_below(&draw, 5)]);
        else if (draw_chance(&draw, 60))
            rig_set_cell(rig, row, PT_COL_GPU_FRAC, fractions[draw_below(&draw, 5)]);
        if (draw_chance(&draw, 30)) rig_set_cell(rig, row, PT_COL_CHECKPOINT, "10");
    }
}

void scene_build(struct rig *rig, enum scene scene, uint32_t jobs, uint64_t seed)
{
    rig_init(rig);
    rig->world.check = false;
    rig->world.seed = seed;
    switch (scene) {
    case SCENE_EXCLUSIVE:
        rig_add_pool(rig, &rig_h100, 16, 8, "exclusive", "");
        rig_set_policy(rig, "fifo", "blocking=strict", "consolidate");
        add_jobs(rig, jobs, seed, 1900);
        break;
    case SCENE_SHARED:
        rig_add_pool(rig, &rig_h100, 12, 8, "time_slice", "replicas=3 switch_loss=0.11");
        rig_set_policy(rig, "fifo", "blocking=skip", "spread");
        rig->world.retries.oom = 3;
        add_jobs(rig, jobs, seed, 2700);
        break;
    case SCENE_MODES:
        add_modes(rig);
        rig_set_policy(rig, "fifo", "blocking=skip", "best_fit");
        rig->world.horizon_ns = 100000 * PT_NS_PER_S; /* faults go on; GPUs may be lost */
        add_shares(rig, jobs, seed);
        break;
    default:
        rig_add_pool(rig, &rig_h100, 8, 4, "exclusive", "");
        rig_add_pool(rig, &rig_a100_80, 8, 8, "time_slice",
                     "replicas=4 switch_loss=0.205 memory=admit");
        rig_set_policy(rig, "fifo", "blocking=skip", "pack");
        rig->world.give_up_ns = 500 * PT_NS_PER_S;
        break_nodes(rig);
        add_jobs(rig, jobs, seed, 2500);
        break;
    }
}
