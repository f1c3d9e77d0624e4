#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"
#include "policies/registry.h"
#include "tests/support/rig.h"

/* Each placement against a plain look at all nodes: every decision of worlds in which jobs come and
 * go is made again here from the published definition, and must be the same. */

#define NODES 9u
#define GPUS 4u
#define JOBS 400u
#define CPUS 32000u

struct job {
    uint32_t cpus, units, ppm;
};

static struct job jobs[JOBS];
static uint32_t job_count;

static uint32_t below(gsl_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

static struct {
    const struct pt_placement_ops *ours;
    /* points of a node for the job, -1 = it does not fit; says which GPU where that is chosen */
    double (*score)(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu);
    uint32_t decisions, refusals, contested;
} watch;

/* ---- what a node has ---- */

static void gpus_left(struct pt_ctx *ctx, uint32_t node, int64_t left[GPUS])
{
    for (uint32_t g = 0; g < GPUS; g++) {
        struct pt_gpu_facts facts;
        pt_view_gpu(&facts, ctx, node * GPUS + g);
        left[g] = (int64_t)(facts.capacity - facts.load) * (PT_PPM_ONE / facts.capacity);
    }
}

static int64_t cpus_left(struct pt_ctx *ctx, uint32_t node)
{
    int64_t left = CPUS;
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        uint32_t gpus[GPUS];
        pt_job job = pt_view_running_at(ctx, i);
        pt_view_held_gpus(ctx, job, gpus, GPUS);
        if (gpus[0] / GPUS == node) left -= jobs[job].cpus;
    }
    return left;
}

static int64_t sum(const int64_t left[GPUS])
{
    return left[0] + left[1] + left[2] + left[3];
}

static bool fits(const int64_t left[GPUS], int64_t cpus, const struct job *job)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < GPUS; g++)
        count += left[g] >= job->ppm;
    return count >= job->units && cpus >= job->cpus;
}

/* Takes the job's units off the GPUs with least left that have enough; how many were whole. */
static uint32_t fill(int64_t left[GPUS], const struct job *job, uint32_t *first)
{
    bool used[GPUS] = {false};
    uint32_t whole = 0;
    for (uint32_t k = 0; k < job->units; k++) {
        uint32_t best = GPUS;
        for (uint32_t g = 0; g < GPUS; g++)
            if (!used[g] && left[g] >= job->ppm && (best == GPUS || left[g] < left[best])) best = g;
        if (best == GPUS) return whole;
        if (k == 0) *first = best;
        whole += left[best] == PT_PPM_ONE;
        used[best] = true;
        left[best] -= job->ppm;
    }
    return whole;
}

static double floored(double value)
{
    return floor(value + 1e-9);
}

/* ---- the definitions ---- */

struct shape {
    struct job ask;
    int64_t count;
};
static struct shape typical[JOBS];
static uint32_t typical_count;
static int64_t typical_jobs;

static bool larger(const struct shape *a, const struct shape *b)
{
    if (a->count != b->count) return a->count > b->count;
    if (a->ask.cpus != b->ask.cpus) return a->ask.cpus > b->ask.cpus;
    if (a->ask.ppm != b->ask.ppm) return a->ask.ppm > b->ask.ppm;
    return a->ask.units > b->ask.units;
}

static void find_typical(void)
{
    uint32_t all = 0;
    for (uint32_t j = 0; j < job_count; j++) {
        uint32_t i = 0;
        while (i < all && memcmp(&typical[i].ask, &jobs[j], sizeof jobs[j]) != 0)
            i++;
        if (i == all) typical[all++] = (struct shape){jobs[j], 0};
        typical[i].count++;
    }
    for (uint32_t i = 1; i < all; i++)
        for (uint32_t k = i; k > 0 && larger(&typical[k], &typical[k - 1]); k--) {
            struct shape other = typical[k];
            typical[k] = typical[k - 1];
            typical[k - 1] = other;
        }
    typical_jobs = 0;
    for (typical_count = 0; (double)typical_jobs < 0.95 * job_count; typical_count++)
        typical_jobs += typical[typical_count].count;
}

static int64_t fragmentation(const int64_t left[GPUS], int64_t cpus)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < typical_count; i++) {
        const struct job *ask = &typical[i].ask;
        bool usable = fits(left, cpus, ask);
        for (uint32_t g = 0; g < GPUS; g++)
            if (!usable || left[g] < ask->ppm) total += typical[i].count * left[g];
    }
    return total;
}

static double sigmoid_points(int64_t gain)
{
    double gpus = (double)gain / 1e6 / (double)typical_jobs;
    return floor(100 / (1 + exp(-gpus)));
}

static double fgd(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    int64_t left[GPUS], cpus = cpus_left(ctx, node), after = cpus - jobs[job].cpus;
    double best = -1;
    gpus_left(ctx, node, left);
    if (!fits(left, cpus, &jobs[job])) return -1;
    int64_t before = fragmentation(left, cpus);
    if (jobs[job].units > 1 || jobs[job].ppm == PT_PPM_ONE) {
        fill(left, &jobs[job], gpu);
        return sigmoid_points(before - fragmentation(left, after));
    }
    for (uint32_t g = 0; g < GPUS; g++) {
        if (left[g] < jobs[job].ppm) continue;
        left[g] -= jobs[job].ppm;
        double points = sigmoid_points(before - fragmentation(left, after));
        left[g] += jobs[job].ppm;
        if (points <= best) continue;
        best = points;
        *gpu = g;
    }
    return best;
}

static double by_cpus_and_gpus(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    int64_t left[GPUS], cpus = cpus_left(ctx, node);
    gpus_left(ctx, node, left);
    if (!fits(left, cpus, &jobs[job])) return -1;
    fill(left, &jobs[job], gpu);
    double cpus_part = (double)(cpus - jobs[job].cpus) / CPUS;
    return floored(100 * (1 - 0.5 * cpus_part - 0.5 * (double)sum(left) / (GPUS * 1e6)));
}

static double gpu_packing(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    int64_t left[GPUS], before[GPUS];
    gpus_left(ctx, node, left);
    memcpy(before, left, sizeof left);
    if (!fits(left, cpus_left(ctx, node), &jobs[job])) return -1;
    uint32_t whole = fill(left, &jobs[job], gpu);
    if (sum(before) == GPUS * (int64_t)PT_PPM_ONE) return 33 - (double)GPUS;
    if (whole > 0) return fmax(50 - whole, 33);
    int64_t percents = 0;
    for (uint32_t g = 0; g < GPUS; g++)
        if (left[g] != before[g]) percents += before[g] * 100 / PT_PPM_ONE;
    return fmax(100 - floor((double)percents / 10), 50);
}

/* 0 = part of a GPU. */
static uint32_t kind(const struct job *job)
{
    return job->ppm < PT_PPM_ONE ? 0 : job->units;
}

static double gpu_clustering(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    int64_t left[GPUS];
    bool alike = false, others = false;
    gpus_left(ctx, node, left);
    if (!fits(left, cpus_left(ctx, node), &jobs[job])) return -1;
    double fullness = floor(25 * (1 - (double)sum(left) / (GPUS * 1e6)) + 1e-9);
    for (uint32_t i = 0; i < pt_view_running_count(ctx); i++) {
        uint32_t gpus[GPUS];
        pt_job other = pt_view_running_at(ctx, i);
        pt_view_held_gpus(ctx, other, gpus, GPUS);
        if (gpus[0] / GPUS != node) continue;
        if (kind(&jobs[other]) == kind(&jobs[job]))
            alike = true;
        else
            others = true;
    }
    fill(left, &jobs[job], gpu);
    if (alike) return fullness + (others ? 50 : 75);
    return fullness + (others ? 0 : 25);
}

static double dot(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    int64_t left[GPUS], cpus = cpus_left(ctx, node);
    gpus_left(ctx, node, left);
    if (!fits(left, cpus, &jobs[job])) return -1;
    double gpus = (double)sum(left) / (GPUS * 1e6), asked = jobs[job].units * jobs[job].ppm / 1e6;
    fill(left, &jobs[job], gpu);
    double both = gpus * asked / GPUS + (double)cpus / CPUS * ((double)jobs[job].cpus / CPUS);
    return both / 2;
}

static double largest_dot(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    return dot(ctx, node, job, gpu);
}

static double smallest_dot(struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t *gpu)
{
    double is = dot(ctx, node, job, gpu);
    return is < 0 ? -1 : floored(100 * (1 - is));
}

/* ---- a placement that is watched ---- */

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    uint32_t best = PT_NONE, best_gpu = 0, tied = 0;
    double most = -1;
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t gpu = 0;
        double points = watch.score(ctx, node, job, &gpu);
        if (points >= 0 && fabs(points - most) < 1e-9) tied++;
        if (points <= most + 1e-9) continue;
        if (best != PT_NONE) watch.contested++;
        most = points;
        best = node;
        best_gpu = gpu;
    }
    bool placed = watch.ours->place(state, ctx, units, job, pool);
    cr_assert_eq(placed, best != PT_NONE, "%s: job %u", watch.ours->name, job);
    watch.decisions++;
    watch.refusals += !placed;
    if (!placed) return false;
    cr_assert_eq(units->count, jobs[job].units);
    cr_assert_eq(units->gpus[0] / GPUS, best, "%s: job %u on node %u, not %u (%g points, %u tied)",
                 watch.ours->name, job, units->gpus[0] / GPUS, best, most, tied);
    cr_assert_eq(units->gpus[0] % GPUS, best_gpu, "%s: job %u on GPU %u, not %u", watch.ours->name,
                 job, units->gpus[0] % GPUS, best_gpu);
    return true;
}

static void draw_jobs(struct rig *rig, gsl_rng *rng)
{
    static const uint32_t parts[] = {160000, 230000, 320000, 470000, 500000, 810000};
    static const uint32_t cpus[] = {1000, 3152, 4000, 8000, 11300};
    for (job_count = 0; job_count < JOBS; job_count++) {
        struct job *job = &jobs[job_count];
        char text[32];
        *job = (struct job){cpus[below(rng, 5)], 1, PT_PPM_ONE};
        if (below(rng, 100) < 60)
            job->ppm = parts[below(rng, 6)];
        else
            job->units = 1u << below(rng, 3);
        pt_job row = rig_add_job(rig, (int64_t)job_count * PT_NS_PER_S,
                                 (int64_t)(1 + below(rng, 60)) * PT_NS_PER_S, job->units);
        snprintf(text, sizeof text, "%u.%03u", job->cpus / 1000, job->cpus % 1000);
        rig_set_cell(rig, row, PT_COL_CPUS, text);
        rig_set_cell(rig, row, PT_COL_NODES_MAX, "1");
        if (job->ppm == PT_PPM_ONE) continue;
        snprintf(text, sizeof text, "0.%06u", job->ppm);
        rig_set_cell(rig, row, PT_COL_GPU_FRAC, text);
    }
}

static void watch_world(const char *name, const char *params, uint64_t seed,
                        double (*score)(struct pt_ctx *, uint32_t, pt_job, uint32_t *))
{
    static struct rig rig;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 1);
    rig_init(&rig);
    struct pt_pool *pool = rig_add_pool(&rig, &rig_h100, NODES, GPUS, "fractional", "");
    pool->cpus_milli_per_node = CPUS;
    rig_set_policy(&rig, "fifo", "blocking=skip", name);
    watch.ours = rig.world.placement;
    watch.score = score;
    rig_parse_values(rig.placement_values, watch.ours->params, params);
    struct pt_placement_ops ops = *watch.ours;
    ops.place = place;
    rig.world.placement = &ops;
    draw_jobs(&rig, rng);
    find_typical();
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    rig_fini(&rig);
    gsl_rng_free(rng);
}

static void watch_worlds(const char *name, const char *params,
                         double (*score)(struct pt_ctx *, uint32_t, pt_job, uint32_t *))
{
    watch.decisions = watch.refusals = watch.contested = 0;
    for (uint64_t seed = 1; seed <= 5; seed++)
        watch_world(name, params, seed, score);
    cr_assert_gt(watch.decisions, 2000u, "%u", watch.decisions); /* that it was tried */
    cr_assert_gt(watch.refusals, 80u, "%u", watch.refusals);
    cr_assert_gt(watch.contested, 100u, "%u", watch.contested);
}

Test(placements, fgd_by_definition, .timeout = 100)
{
    watch_worlds("fgd", "", fgd);
}

Test(placements, best_fit_of_cpus_and_gpus_by_definition, .timeout = 100)
{
    watch_worlds("best_fit", "resources=cpus_and_gpus", by_cpus_and_gpus);
}

Test(placements, gpu_packing_by_definition, .timeout = 100)
{
    watch_worlds("gpu_packing", "", gpu_packing);
}

Test(placements, gpu_clustering_by_definition, .timeout = 100)
{
    watch_worlds("gpu_clustering", "", gpu_clustering);
}

Test(placements, dot_product_by_definition, .timeout = 100)
{
    watch_worlds("dot_product", "", largest_dot);
    watch_worlds("dot_product", "prefer=smallest", smallest_dot);
}
