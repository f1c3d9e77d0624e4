/* Random worlds of every sharing mode under every model, with faults, cold starts, prices and
 * power: nothing here is compared with another scheduler. What is tested is what must hold whatever
 * the model says: every invariant after every instant (world.check), the same bytes again, money
 * that adds up, and jobs alone on what they asked for that take just their work.
 *
 *   modelled_worlds COUNT [FIRST_SEED]     COUNT worlds of each mode
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/interference/interference.h"
#include "tests/property/worlds.h"
#include "tests/support/rig.h"

#define VARIANTS 8
#define JOBS_MAX 24
#define LAWS 4

struct mode {
    const char *name;
    const char *params[VARIANTS];
};

static const struct mode modes[] = {
    {"exclusive", {"", "", "", "", "", "", "", ""}},
    {"time_slice",
     {"replicas=1", "replicas=2", "replicas=3 memory=admit", "replicas=6 switch_loss=0.2",
      "replicas=4 distinct=false", "replicas=2 switch_loss=0", "replicas=5", "replicas=8"}},
    {"mps",
     {"replicas=1", "replicas=2", "replicas=3", "replicas=4", "replicas=7 cap_contention=0.1",
      "replicas=10", "replicas=16", "replicas=48"}},
    {"fractional",
     {"compute=none", "compute=time_slicing", "compute=sm_sharing",
      "compute=time_slicing strict=false", "compute=sm_sharing strict=false",
      "compute=none switch_loss=0.2", "compute=time_slicing", "compute=sm_sharing"}},
    {"vgpu",
     {"replicas=1", "replicas=2 scheduler=best_effort", "replicas=3 scheduler=equal_share",
      "replicas=4 scheduler=fixed_share", "type=10c scheduler=equal_share", "type=20c",
      "type=40c scheduler=fixed_share", "replicas=2 scheduler=equal_share"}},
    {"mig",
     {"layout=all-balanced", "layout=all-1g", "layout=3g.40gb,3g.40gb",
      "reconfigure=partial reconfigure_s=0", "reconfigure=partial start=first",
      "reconfigure=when_gpu_idle layout=all-1g", "reconfigure=partial start=driver operator=true",
      "reconfigure=partial inside.mode=time_slice inside.replicas=2 "
      "reconfigure_failures.probability=0.3"}},
};

static const char *const profiles[] = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb",
                                       "4g.40gb", "7g.80gb", "auto",    "auto"};

static struct pt_traits traits_of[JOBS_MAX];
static bool cold;

static void traits(struct pt_traits *out, const void *ctx, pt_job job, uint32_t pool)
{
    (void)ctx, (void)pool;
    *out = traits_of[job];
}

static int64_t cold_start_ns(const void *ctx, pt_job job)
{
    (void)ctx;
    return cold ? (int64_t)(job % 3) * PT_NS_PER_S : 0;
}

static double unit_draw(struct draw *draw)
{
    return ((double)(draw_bits(draw) >> 11) + 0.5) * 0x1p-53;
}

static void draw_traits(struct draw *draw, uint32_t jobs)
{
    static const uint8_t norms[] = {1, 2, 4};
    for (uint32_t j = 0; j < jobs; j++) {
        double kappa = exp(2 * unit_draw(draw) - 1),
               u = draw_chance(draw, 10) ? 0 : unit_draw(draw);
        if (draw_chance(draw, 20)) u = 1;
        double membw = unit_draw(draw), pcie = unit_draw(draw), power_w = 300 * unit_draw(draw);
        uint8_t p = norms[draw_below(draw, 3)];
        bool inference = draw_chance(draw, 30);
        traits_of[j] = (struct pt_traits){.u = u,
                                          .kappa = kappa,
                                          .kappa_g = pt_kappa_to_g(kappa, 0.45),
                                          .busy = u,
                                          .membw = membw,
                                          .pcie = pcie * pcie,
                                          .power_w = power_w,
                                          .f_c = NAN,
                                          .f_m = NAN,
                                          .type = PT_NONE,
                                          .p = p,
                                          .inference = inference,
                                          .rate = PT_SPEED_ONE};
    }
}

static void set_number(struct rig *rig, pt_job row, enum pt_column_id column, uint32_t number,
                       const char *suffix)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu32 "%s", number, suffix);
    rig_set_cell(rig, row, column, text);
}

static void draw_job(struct rig *rig, struct draw *draw, const struct mode *mode)
{
    static const char *const fractions[] = {"0.1", "0.25", "0.333333", "0.5", "0.7", "1"};
    int64_t submit_ns = (int64_t)draw_below(draw, 40) * PT_NS_PER_S / 4;
    int64_t work_ns = (int64_t)draw_below(draw, 4000) * 10000019;
    uint32_t gpus = draw_chance(draw, 20) ? 1 + draw_below(draw, 4) : 1;
    pt_job row = rig_add_job(rig, submit_ns, work_ns, gpus);
    if (draw_chance(draw, 50))
        rig_set_cell(rig, row, PT_COL_GPU_FRAC, fractions[draw_below(draw, 6)]);
    if (draw_chance(draw, 40)) set_number(rig, row, PT_COL_GPU_MEM, 1 + draw_below(draw, 30), "");
    if (draw_chance(draw, 20)) set_number(rig, row, PT_COL_PROCESSES, 1 + draw_below(draw, 3), "");
    if (draw_chance(draw, 30)) set_number(rig, row, PT_COL_CHECKPOINT, draw_below(draw, 5), "");
    if (strcmp(mode->name, "mig") == 0 && draw_chance(draw, 60))
        rig_set_cell(rig, row, PT_COL_MIG, profiles[draw_below(draw, 8)]);
}

static struct pt_fault fault;

static void build(struct rig *rig, const struct mode *mode, uint64_t seed,
                  const struct pt_interference *laws)
{
    static const char *const placements[] = {"first_fit", "best_fit", "worst_fit", "consolidate"};
    struct draw draw = {seed};
    uint32_t jobs = 1 + draw_below(&draw, JOBS_MAX);
    rig_init(rig);
    rig->world.check = true;
    rig->world.seed = seed;
    rig->world.energy = draw_chance(&draw, 50);
    rig->world.horizon_ns = draw_chance(&draw, 20) ? 20 * PT_NS_PER_S : PT_NEVER;
    rig->world.give_up_ns = draw_chance(&draw, 10) ? 5 * PT_NS_PER_S : PT_NEVER;
    rig->world.restore.base_ns = draw_chance(&draw, 30) ? PT_NS_PER_S / 2 : 0;
    cold = draw_chance(&draw, 30);
    if (draw_chance(&draw, 60)) {
        rig->world.interference = laws[draw_below(&draw, LAWS)];
        rig->world.jobs_model =
            (struct pt_jobs_model){.traits = traits, .cold_start_ns = cold_start_ns};
    }
    if (draw_chance(&draw, 20)) { /* who is slowed down a lot may never be done between faults */
        rig->world.faults.gpu_mtbf_ns = 100 * PT_NS_PER_S;
        rig->world.horizon_ns = 200 * PT_NS_PER_S;
    }
    /* drawn one after the other: the order of arguments is the compiler's */
    uint32_t nodes = 1 + draw_below(&draw, 3), gpus = 1 + draw_below(&draw, 3);
    const char *params = mode->params[draw_below(&draw, VARIANTS)];
    struct pt_pool *pool = rig_add_pool(rig, &rig_h100, nodes, gpus, mode->name, params);
    pool->price_micro_per_hour = 3600000;
    fault = (struct pt_fault){.time_ns = 3 * PT_NS_PER_S, .node = PT_NONE, .gpu = 0};
    if (draw_chance(&draw, 20))
        rig->world.faults = (struct pt_faults){.events = &fault, .event_count = 1};
    const char *blocking = draw_chance(&draw, 50) ? "blocking=skip" : "";
    rig_set_policy(rig, "fifo", blocking, placements[draw_below(&draw, 4)]);
    draw_traits(&draw, jobs);
    for (uint32_t j = 0; j < jobs; j++)
        draw_job(rig, &draw, mode);
}

/* What jobs are charged is what the pool says was charged, and no more than there was. */
static void money(const struct rig *rig, const char *mode, uint64_t seed)
{
    struct pt_pool_totals totals;
    struct pt_sim_stats stats;
    double charged = 0;
    pt_sim_pool_totals(rig->sim, 0, &totals);
    pt_sim_get_stats(rig->sim, &stats);
    for (uint32_t j = 0; j < rig->trace.job_count; j++)
        if (rig->results[j].start_ns != PT_TIME_ABSENT) charged += rig->results[j].gpu_s;
    double there = (double)rig->cluster.gpu_count * (double)stats.now_ns / 1e9;
    if (fabs(charged - totals.charged) > 1e-9 * (1 + charged))
        rig_die("%s, seed %" PRIu64 ": jobs are charged %.12g GPU s, the pool says %.12g", mode,
                seed, charged, totals.charged);
    if (charged > there * (1 + 1e-9) + 1e-9)
        rig_die("%s, seed %" PRIu64 ": %.12g GPU s charged, there were %.12g", mode, seed, charged,
                there);
    if ((double)totals.busy > (double)totals.there * (1 + 1e-12))
        rig_die("%s, seed %" PRIu64 ": busier than there are GPUs", mode, seed);
}

/* A job that fails to start for ever, or whose GPUs are out of service, is a deadlock that is said.
 */
static void run(struct rig *rig, const char *mode, uint64_t seed)
{
    enum pt_status status = rig_run(rig);
    if (status == PT_ERR_DEADLOCK && rig->pools[0].shape.reconfigure.failure_ppm > 0) {
        struct pt_error error;
        if (pt_sim_abandon(rig->sim, &error) != PT_OK)
            rig_die("%s, seed %" PRIu64 ": %s", mode, seed, error.message);
        return;
    }
    if (status != PT_OK) rig_die("%s, seed %" PRIu64 ": %s", mode, seed, rig->error.message);
}

/* Of all digests, in order: one line tells two builds apart. */
static uint64_t all_digests;

static void try_world(const struct mode *mode, uint64_t seed, const struct pt_interference *laws)
{
    struct rig rig;
    char digest[33];
    build(&rig, mode, seed, laws);
    run(&rig, mode->name, seed);
    memcpy(digest, rig.digest, sizeof digest);
    money(&rig, mode->name, seed);
    rig_reset(&rig);
    run(&rig, mode->name, seed);
    if (strcmp(digest, rig.digest) != 0)
        rig_die("%s, seed %" PRIu64 ": another digest the second time", mode->name, seed);
    for (size_t i = 0; digest[i] != '\0'; i++)
        all_digests = all_digests * UINT64_C(6364136223846793005) + (unsigned char)digest[i];
    rig_fini(&rig);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct pt_interference_inputs inputs = {.seed = 1};
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_interference laws[LAWS] = {
        {.ops = &pt_fitted}, {.ops = &pt_fitted}, {.ops = &pt_curve}, {.ops = &pt_roofline}};
    const double total[] = {1, 1.3, 1.2, 0.9};
    struct pt_error error;
    void *state[LAWS] = {NULL};
    enum pt_status status = pt_fitted_prepare(&state[0], &options, &inputs, &error);
    options.mps = PT_LAW_MPS_PNORM;
    options.residual_sd = 0.18;
    if (status == PT_OK) status = pt_fitted_prepare(&state[1], &options, &inputs, &error);
    if (status == PT_OK) status = pt_curve_prepare(&state[2], total, 4, &error);
    if (status == PT_OK) status = pt_roofline.prepare(&state[3], NULL, &inputs, &error);
    if (status != PT_OK) rig_die("a model: %s", error.message);
    for (int i = 0; i < LAWS; i++)
        laws[i].state = state[i];
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (uint64_t seed = first; seed < first + count; seed++)
            try_world(&modes[m], seed, laws);
    for (int i = 0; i < LAWS; i++)
        laws[i].ops->release(state[i]);
    printf("%" PRIu64 " worlds of each of %zu modes: every invariant holds, digest %016" PRIx64
           "\n",
           count, sizeof modes / sizeof *modes, all_digests);
    return 0;
}
