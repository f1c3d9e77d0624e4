#include <criterion/criterion.h>
#include <stdlib.h>

#include "partita/random.h"
#include "policies/registry.h"
#include "tests/support/rig.h"

/* The MIG placements against a plain look at every GPU and start, in worlds in which instances come
 * and go at no cost. */

#define NODES 3u
#define GPUS 2u
#define JOBS 500u

enum rule { BEST, WORST, FIRST, BEST_FIT, WORST_FIT };
static const char *const names[] = {"mig_best", "mig_worst", "mig_first", "mig_best_fit",
                                    "mig_worst_fit"};

static uint32_t below(gsl_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

static struct {
    const struct pt_placement_ops *ours;
    const struct pt_mig *mig;
    enum rule rule;
    uint32_t decisions, refusals;
} watch;

struct gpu {
    uint32_t busy, compute, media;
};

static struct gpu look(const struct pt_ctx *ctx, uint32_t gpu)
{
    pt_job there[16];
    struct gpu seen = {pt_view_busy_slices(ctx, gpu), 0, 0};
    uint32_t count = pt_view_gpu_jobs(ctx, gpu, there, 16);
    for (uint32_t i = 0; i < count; i++) {
        const struct pt_mig_profile *profile =
            &watch.mig->profiles[pt_view_need(ctx, 0, there[i])->profile];
        seen.compute += profile->compute;
        seen.media += profile->media;
    }
    return seen;
}

static uint32_t slices(const struct pt_mig_profile *profile, uint32_t start)
{
    return ((1u << profile->size) - 1) << start;
}

static bool legal(const struct gpu *gpu, const struct pt_mig_profile *profile, uint32_t start)
{
    return (profile->starts >> start & 1) != 0 && (gpu->busy & slices(profile, start)) == 0 &&
           gpu->compute + profile->compute <= watch.mig->compute &&
           !(profile->media && gpu->media > 0);
}

static uint32_t options(const struct gpu *gpu)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < watch.mig->profile_count; p++)
        for (uint32_t s = 0; s < watch.mig->memory; s++)
            count += legal(gpu, &watch.mig->profiles[p], s);
    return count;
}

/* The largest profile that could be where it would go. */
static uint32_t around(const struct gpu *gpu, const struct pt_mig_profile *profile, uint32_t start)
{
    uint32_t size = profile->size;
    for (uint32_t p = 0; p < watch.mig->profile_count; p++)
        for (uint32_t s = 0; s < watch.mig->memory; s++) {
            const struct pt_mig_profile *other = &watch.mig->profiles[p];
            uint32_t all = slices(other, s);
            if ((other->starts >> s & 1) != 0 && (all & gpu->busy) == 0 && other->size > size &&
                (all | slices(profile, start)) == all)
                size = other->size;
        }
    return size;
}

static int64_t points(const struct gpu *gpu, const struct pt_mig_profile *profile, uint32_t start)
{
    struct gpu after = {gpu->busy | slices(profile, start), gpu->compute + profile->compute,
                        gpu->media + profile->media};
    int64_t lost = (int64_t)options(gpu) - options(&after);
    switch (watch.rule) {
    case BEST:
        return -lost;
    case WORST:
        return lost;
    case BEST_FIT:
        return -(int64_t)around(gpu, profile, start);
    case WORST_FIT:
        return around(gpu, profile, start);
    case FIRST:
        break;
    }
    return 0;
}

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    const struct pt_mig_profile *profile =
        &watch.mig->profiles[pt_view_need(ctx, pool, job)->profile];
    uint32_t best = PT_NONE, best_start = 0;
    int64_t most = INT64_MIN;
    for (uint32_t g = 0; g < NODES * GPUS; g++) {
        struct gpu gpu = look(ctx, g);
        for (uint32_t s = 0; s < watch.mig->memory; s++) {
            if (!legal(&gpu, profile, s) || points(&gpu, profile, s) <= most) continue;
            most = points(&gpu, profile, s);
            best = g;
            best_start = s;
        }
    }
    bool placed = watch.ours->place(state, ctx, units, job, pool);
    cr_assert_eq(placed, best != PT_NONE, "%s: job %u", watch.ours->name, job);
    watch.decisions++;
    watch.refusals += !placed;
    if (!placed) return false;
    cr_assert_eq(units->gpus[0], best, "%s: job %u on GPU %u, not %u", watch.ours->name, job,
                 units->gpus[0], best);
    cr_assert_eq(units->starts[0], best_start, "%s: job %u at %u, not %u", watch.ours->name, job,
                 units->starts[0], best_start);
    return true;
}

static void watch_world(enum rule rule, const struct pt_gpu_model *model, uint64_t seed)
{
    static struct rig rig;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 1);
    rig_init(&rig);
    rig_add_pool(&rig, model, NODES, GPUS, "mig", "reconfigure=partial reconfigure_s=0");
    rig_set_policy(&rig, "fifo", "blocking=skip", names[rule]);
    watch.ours = rig.world.placement;
    watch.mig = model->mig;
    watch.rule = rule;
    struct pt_placement_ops ops = *watch.ours;
    ops.place = place;
    rig.world.placement = &ops;
    for (uint32_t j = 0; j < JOBS; j++) {
        pt_job row = rig_add_job(&rig, (int64_t)j * PT_NS_PER_S,
                                 (int64_t)(1 + below(rng, 30)) * PT_NS_PER_S, 1);
        uint32_t p = below(rng, model->mig->profile_count);
        rig_set_cell(&rig, row, PT_COL_MIG, model->mig->profiles[p].name);
    }
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    rig_fini(&rig);
    gsl_rng_free(rng);
}

Test(placements_mig, every_rule_by_definition, .timeout = 100)
{
    const struct pt_gpu_model *models[] = {&rig_h100, &rig_a100_80, &rig_a30};
    for (int rule = BEST; rule <= WORST_FIT; rule++)
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            watch.decisions = watch.refusals = 0;
            for (uint64_t seed = 1; seed <= 3; seed++)
                watch_world((enum rule)rule, models[m], seed);
            cr_assert_gt(watch.decisions, 1500u, "%u", watch.decisions); /* that it was tried */
            cr_assert_gt(watch.refusals, 100u, "%u", watch.refusals);
        }
}

/* Walks every set of instances that fits the slices, by start: compute never runs out first. */
static uint32_t walk(const struct pt_mig *mig, uint32_t from, uint32_t compute)
{
    uint32_t sets = 1;
    cr_assert_leq(compute, mig->compute);
    for (uint32_t s = from; s < mig->memory; s++)
        for (uint32_t p = 0; p < mig->profile_count; p++)
            if (mig->profiles[p].starts >> s & 1)
                sets += walk(mig, s + mig->profiles[p].size, compute + mig->profiles[p].compute);
    return sets;
}

Test(placements_mig, slices_say_what_fits)
{
    const struct pt_gpu_model *models[] = {&rig_h100, &rig_a100_80, &rig_a100_40, &rig_a30};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        cr_assert_gt(walk(models[m]->mig, 0, 0), 10u);
}
