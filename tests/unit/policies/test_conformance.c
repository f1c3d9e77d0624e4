#include <criterion/criterion.h>
#include <string.h>

#include "partita/random.h"
#include "policies/registry.h"
#include "tests/support/rig.h"

/* What every registered order and placement must keep: they describe themselves, and any of them
 * runs any world to its end, the same way twice, with every invariant checked. */

Test(conformance, orders_describe_themselves)
{
    for (size_t i = 0; pt_policies[i] != NULL; i++) {
        const struct pt_policy_ops *policy = pt_policies[i];
        cr_assert_eq(policy->abi, PT_POLICY_ABI);
        cr_assert_eq(policy->size, sizeof *policy);
        cr_assert_eq(pt_policy_find(policy->name), policy);
        cr_assert_gt(strlen(policy->summary), 10, "%s", policy->name);
        cr_assert_gt(strlen(policy->source), 5, "%s", policy->name);
        cr_assert_not_null(policy->schedule, "%s", policy->name);
        struct pt_value values[RIG_VALUES_MAX];
        rig_parse_values(values, policy->params, ""); /* every default reads */
    }
    cr_assert_null(pt_policy_find("no such order"));
}

Test(conformance, placements_describe_themselves)
{
    for (size_t i = 0; pt_placements[i] != NULL; i++) {
        const struct pt_placement_ops *placement = pt_placements[i];
        cr_assert_eq(placement->abi, PT_POLICY_ABI);
        cr_assert_eq(placement->size, sizeof *placement);
        cr_assert_eq(pt_placement_find(placement->name), placement);
        cr_assert_gt(strlen(placement->summary), 10, "%s", placement->name);
        cr_assert_gt(strlen(placement->source), 5, "%s", placement->name);
        cr_assert_not_null(placement->place, "%s", placement->name);
    }
    cr_assert_null(pt_placement_find("no such placement"));
}

/* A crowded world of two pools: gangs larger than a node, jobs that name a pool, narrow hosts. */
static void crowded(struct rig *rig, const char *policy, const char *params, const char *placement)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 3, PT_PURPOSE_TEST, 1);
    rig_init(rig);
    rig->world.check = true;
    struct pt_pool *whole = rig_add_pool(rig, &rig_h100, 3, 4, "exclusive", "");
    whole->cpus_milli_per_node = 16000;
    rig_add_pool(rig, &rig_a100_80, 2, 4, "time_slice", "replicas=3 memory=admit");
    rig_set_policy(rig, policy, params, placement);
    for (int i = 0; i < 400; i++) {
        int64_t submit_ns = i * PT_NS_PER_S * 3, work_ns = 0;
        work_ns = (int64_t)gsl_rng_uniform_int(rng, 60) * PT_NS_PER_S;
        pt_job job = rig_add_job(rig, submit_ns, work_ns, (uint32_t)gsl_rng_uniform_int(rng, 11));
        uint64_t kind = gsl_rng_uniform_int(rng, 8);
        if (kind == 0) rig_set_cell(rig, job, PT_COL_POOL, "p1");
        if (kind == 1) rig_set_cell(rig, job, PT_COL_NODES_MAX, "2");
        if (kind == 2) rig_set_cell(rig, job, PT_COL_CPUS, "7.5");
        if (kind == 3) rig_set_cell(rig, job, PT_COL_GPU_MEM, "33");
        if (kind == 4) rig_set_cell(rig, job, PT_COL_DISTINCT, "false");
    }
    gsl_rng_free(rng);
}

static void runs_the_same_twice(const char *policy, const char *params, const char *placement)
{
    char digest[2][33];
    for (int k = 0; k < 2; k++) {
        static struct rig rig;
        crowded(&rig, policy, params, placement);
        enum pt_status status = rig_run(&rig);
        cr_assert_eq(status, PT_OK, "%s %s %s: %s", policy, params, placement, rig.error.message);
        for (pt_job job = 0; job < rig.trace.job_count; job++)
            cr_assert(rig.results[job].state == PT_STATE_DONE ||
                          rig.results[job].state == PT_STATE_UNSCHEDULABLE,
                      "%s %s: job %u", policy, placement, job);
        memcpy(digest[k], rig.digest, sizeof digest[k]);
        rig_fini(&rig);
    }
    cr_assert_str_eq(digest[0], digest[1]);
}

Test(conformance, every_order_with_every_placement, .timeout = 100)
{
    for (size_t p = 0; pt_policies[p] != NULL; p++)
        for (size_t i = 0; pt_placements[i] != NULL; i++)
            runs_the_same_twice(pt_policies[p]->name, "", pt_placements[i]->name);
    for (size_t i = 0; pt_placements[i] != NULL; i++)
        runs_the_same_twice("fifo", "blocking=skip", pt_placements[i]->name);
}
