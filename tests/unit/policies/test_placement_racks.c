#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"
#include "policies/registry.h"
#include "tests/support/rig.h"

/* Racks: every gang is in as few as can be; and every placement with each of its options runs on
 * mixed pools with racks, the same way twice. */

#define NODES 12u
#define GPUS 2u
#define RACKS 4u
#define JOBS 300u

static uint32_t below(gsl_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

static struct {
    const struct pt_placement_ops *ours;
    uint32_t gangs, over_racks;
} watch;

static int descending(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

/* Racks that hold so many GPUs at least, the roomiest first; and GPUs of the roomiest node. */
static uint32_t fewest(struct pt_ctx *ctx, uint32_t wanted, uint32_t *node_most, uint32_t *all)
{
    uint32_t room[RACKS + 1] = {0}, count = 0;
    *node_most = *all = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        uint32_t rack = pt_view_cluster(ctx)->nodes[n].rack, idle = 0;
        for (uint32_t g = 0; g < GPUS; g++) {
            struct pt_gpu_facts facts;
            pt_view_gpu(&facts, ctx, n * GPUS + g);
            idle += facts.load == 0;
        }
        room[rack == PT_NONE ? RACKS : rack] += idle;
        *all += idle;
        if (idle > *node_most) *node_most = idle;
    }
    qsort(room, RACKS + 1, sizeof *room, descending);
    for (uint32_t held = 0; held < wanted && count <= RACKS; count++)
        held += room[count];
    return count;
}

static bool place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    uint32_t wanted = pt_view_units_wanted(ctx, job), node_most, all;
    uint32_t least = fewest(ctx, wanted, &node_most, &all), used = 0;
    bool seen[RACKS + 1] = {false}, one_node = true;
    bool placed = watch.ours->place(state, ctx, units, job, pool);
    cr_assert_eq(placed, all >= wanted, "%s: %u of %u", watch.ours->name, wanted, all);
    if (!placed) return false;
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t node = units->gpus[i] / GPUS, rack = pt_view_cluster(ctx)->nodes[node].rack;
        one_node &= node == units->gpus[0] / GPUS;
        rack = rack == PT_NONE ? RACKS : rack;
        used += !seen[rack];
        seen[rack] = true;
    }
    if (wanted <= node_most) {
        cr_assert(one_node, "%s: %u", watch.ours->name, wanted);
        return true;
    }
    watch.gangs++;
    watch.over_racks += used > 1;
    cr_assert_eq(used, least, "%s: %u GPUs on %u racks, not %u", watch.ours->name, wanted, used,
                 least);
    return true;
}

static void watch_gangs(const char *name, uint64_t seed)
{
    static struct rig rig;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, seed, PT_PURPOSE_TEST, 2);
    rig_init(&rig);
    rig_add_pool(&rig, &rig_h100, NODES, GPUS, "exclusive", "");
    rig.cluster.rack_count = RACKS;
    for (uint32_t n = 0; n < NODES; n++) {
        uint32_t rack = below(rng, RACKS + 1);
        rig.nodes[n].rack = rack == RACKS ? PT_NONE : rack;
    }
    rig_set_policy(&rig, "fifo", "blocking=skip", name);
    watch.ours = rig.world.placement;
    struct pt_placement_ops ops = *watch.ours;
    ops.place = place;
    rig.world.placement = &ops;
    for (uint32_t j = 0; j < JOBS; j++)
        rig_add_job(&rig, (int64_t)j * PT_NS_PER_S, (int64_t)(1 + below(rng, 8)) * PT_NS_PER_S,
                    1 + below(rng, 10));
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    rig_fini(&rig);
    gsl_rng_free(rng);
}

Test(placement_racks, gangs_use_the_fewest, .timeout = 100)
{
    for (size_t i = 0; pt_placements[i] != NULL; i++) {
        if (strcmp(pt_placements[i]->name, "consolidate") == 0) continue; /* whole nodes alone */
        watch.gangs = watch.over_racks = 0;
        for (uint64_t seed = 1; seed <= 3; seed++)
            watch_gangs(pt_placements[i]->name, seed);
        cr_assert_gt(watch.gangs, 200u, "%u", watch.gangs); /* that it was tried */
        cr_assert_gt(watch.over_racks, 50u, "%u", watch.over_racks);
    }
}

/* ---- options ---- */

static void mixed_job(struct rig *rig, gsl_rng *rng, uint32_t j)
{
    static const char *const parts[] = {"0.2", "0.25", "0.5", "0.7"};
    pt_job row = rig_add_job(rig, (int64_t)j * PT_NS_PER_S, (int64_t)below(rng, 40) * PT_NS_PER_S,
                             below(rng, 7));
    if (below(rng, 3) == 0) rig_set_cell(rig, row, PT_COL_GPU_FRAC, parts[below(rng, 4)]);
    if (below(rng, 3) == 0) rig_set_cell(rig, row, PT_COL_CPUS, "3.5");
    if (below(rng, 4) == 0) rig_set_cell(rig, row, PT_COL_NODES_MAX, "2");
    if (below(rng, 5) == 0) rig_set_cell(rig, row, PT_COL_GPU_MEM, "9");
    if (below(rng, 5) == 0) rig_set_cell(rig, row, PT_COL_POOL, "p2");
}

static void run_mixed(const char *name, const char *params, char digest[33])
{
    static struct rig rig;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 9, PT_PURPOSE_TEST, 3);
    rig_init(&rig);
    struct pt_pool *first = rig_add_pool(&rig, &rig_a100_80, 3, 2, "exclusive", "");
    first->cpus_milli_per_node = 12000;
    first->price_micro_per_hour = 3000000;
    rig_add_pool(&rig, &rig_h100, 3, 4, "fractional", "")->price_micro_per_hour = 4000000;
    rig_add_pool(&rig, &rig_a100_40, 2, 2, "mig", "reconfigure=partial reconfigure_s=2");
    rig.cluster.rack_count = 2;
    for (uint32_t n = 0; n < rig.cluster.node_count; n++)
        rig.nodes[n].rack = n % 3 == 2 ? PT_NONE : n % 2;
    rig_set_policy(&rig, "fifo", "blocking=skip", name);
    rig_parse_values(rig.placement_values, rig.world.placement->params, params);
    for (uint32_t j = 0; j < JOBS; j++)
        mixed_job(&rig, rng, j);
    enum pt_status status = rig_run(&rig);
    cr_assert_eq(status, PT_OK, "%s %s: %s", name, params, rig.error.message);
    for (uint32_t j = 0; j < JOBS; j++)
        cr_assert(pt_job_state_is_final((enum pt_job_state)rig.results[j].state), "%s %s: job %u",
                  name, params, j);
    memcpy(digest, rig.digest, 33);
    rig_fini(&rig);
    gsl_rng_free(rng);
}

static void run_twice(const char *name, const char *params)
{
    char once[33], twice[33];
    run_mixed(name, params, once);
    run_mixed(name, params, twice);
    cr_assert_str_eq(once, twice, "%s %s", name, params);
}

Test(placement_racks, every_option_on_mixed_pools, .timeout = 100)
{
    uint32_t options = 0;
    for (size_t i = 0; pt_placements[i] != NULL; i++)
        for (const struct pt_param *param = pt_placements[i]->params; param->name != NULL; param++)
            for (size_t c = 0; param->choices != NULL && param->choices[c] != NULL; c++) {
                char text[128];
                snprintf(text, sizeof text, "%s=%s", param->name, param->choices[c]);
                run_twice(pt_placements[i]->name, text);
                options++;
            }
    cr_assert_geq(options, 60u);
    run_twice("fgd", "popularity=0.3");
    run_twice("fgd", "popularity=1");
}
