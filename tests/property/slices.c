/* `fidelity: slices` against the law of turns (models.md, sections 4.1 and 5).
 *
 *   slices COUNT [FIRST_SEED]
 *
 * Random worlds of jobs that share one GPU, all at once, so that none waits for another. At u = 1
 * each job's run time agrees with the fluid model's within 1 % and one turn of everybody on the
 * GPU. For u < 1, where the law is an approximation, the differences are printed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "models/interference/interference.h"
#include "tests/property/worlds.h"
#include "tests/support/rig.h"

#define JOBS_MAX 12
#define SLICE_S 0.002

static struct pt_traits traits_of[JOBS_MAX];

static void traits(struct pt_traits *out, const void *ctx, pt_job job, uint32_t pool)
{
    (void)ctx, (void)pool;
    *out = traits_of[job];
}

struct scene {
    uint32_t jobs;
    double switch_loss;
    int64_t submit_ns[JOBS_MAX], work_ns[JOBS_MAX];
    double run_s[2][JOBS_MAX]; /* fluid, slices */
};

static double unit_draw(struct draw *draw)
{
    return ((double)(draw_bits(draw) >> 11) + 0.5) * 0x1p-53;
}

static void draw_scene(struct scene *scene, uint64_t seed, bool saturated)
{
    struct draw draw = {seed};
    *scene = (struct scene){.jobs = 2 + draw_below(&draw, JOBS_MAX - 1),
                            .switch_loss = draw_chance(&draw, 30) ? 0 : 0.2 * unit_draw(&draw)};
    for (uint32_t j = 0; j < scene->jobs; j++) {
        double u = saturated ? 1 : 0.1 + 0.9 * unit_draw(&draw);
        scene->submit_ns[j] = (int64_t)(5e9 * unit_draw(&draw));
        scene->work_ns[j] = (int64_t)(4e9 * unit_draw(&draw)) + 500000000;
        traits_of[j] = (struct pt_traits){.u = u,
                                          .kappa = 1,
                                          .kappa_g = 1,
                                          .busy = u,
                                          .f_c = NAN,
                                          .f_m = NAN,
                                          .type = PT_NONE,
                                          .p = 2,
                                          .rate = PT_SPEED_ONE};
    }
}

static void run(struct scene *scene, const struct pt_interference *law, int which)
{
    char params[96];
    struct rig rig;
    rig_init(&rig);
    rig.world.interference = *law;
    rig.world.jobs_model.traits = traits;
    rig.world.fidelity = which == 0 ? PT_FIDELITY_FLUID : PT_FIDELITY_SLICES;
    snprintf(params, sizeof params, "replicas=%u switch_loss=%.6f slice_s=%g", scene->jobs,
             scene->switch_loss, SLICE_S);
    rig_add_pool(&rig, &rig_h100, 1, 1, "time_slice", params);
    for (uint32_t j = 0; j < scene->jobs; j++)
        rig_add_job(&rig, scene->submit_ns[j], scene->work_ns[j], 1);
    if (rig_run(&rig) != PT_OK) rig_die("%s", rig.error.message);
    for (uint32_t j = 0; j < scene->jobs; j++) /* rows in order of submission; ids are rows */
        scene->run_s[which][j] = (double)(rig.results[j].end_ns - rig.results[j].start_ns) / 1e9;
    rig_fini(&rig);
}

struct difference {
    double worst, sum;
    uint32_t jobs;
};

static void compare(struct difference *all, const struct scene *scene, uint64_t seed,
                    bool saturated)
{
    double turn_s = SLICE_S * (1 + scene->switch_loss) * scene->jobs;
    for (uint32_t j = 0; j < scene->jobs; j++) {
        double fluid = scene->run_s[0][j], off = fabs(scene->run_s[1][j] - fluid);
        if (off / fluid > all->worst) all->worst = off / fluid;
        all->sum += (scene->run_s[1][j] - fluid) / fluid;
        all->jobs++;
        if (saturated && off > 0.01 * fluid + turn_s)
            rig_die("seed %" PRIu64 ": job %u runs %.6f s by turns, %.6f s by the law", seed, j,
                    scene->run_s[1][j], fluid);
    }
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct pt_interference_inputs inputs = {.seed = 1};
    struct pt_fitted_options options = pt_fitted_defaults();
    struct pt_error error;
    void *state = NULL;
    if (pt_fitted_prepare(&state, &options, &inputs, &error) != PT_OK)
        rig_die("fitted: %s", error.message);
    struct pt_interference law = {.ops = &pt_fitted, .state = state};
    for (int saturated = 1; saturated >= 0; saturated--) {
        struct difference all = {0, 0, 0};
        for (uint64_t seed = first; seed < first + count; seed++) {
            struct scene scene;
            draw_scene(&scene, seed, saturated != 0);
            run(&scene, &law, 0);
            run(&scene, &law, 1);
            compare(&all, &scene, seed, saturated != 0);
        }
        printf("%s: %" PRIu64 " worlds, run times by turns differ from the law's by %.2f %% at "
               "most, %+.2f %% on average\n",
               saturated ? "u = 1" : "u < 1", count, 100 * all.worst, 100 * all.sum / all.jobs);
    }
    pt_fitted.release(state);
    return 0;
}
