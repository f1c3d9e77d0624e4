#include "sim/experiment/traits.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/interference/interference.h"
#include "tests/unit/experiment/support.h"

#define POOLS                                                                                      \
    "partita: 1\nseed: 7\ncluster:\n  pools:\n"                                                    \
    "  - {name: turns, nodes: 1, gpus_per_node: 1, gpu: v100-16gb, sharing: {mode: time_slice, "   \
    "replicas: 2}}\n"                                                                              \
    "  - {name: sms, nodes: 1, gpus_per_node: 1, gpu: v100-16gb, sharing: {mode: mps, replicas: "  \
    "2}}\n"                                                                                        \
    "  - {name: fast, nodes: 1, gpus_per_node: 1, gpu: h100-sxm5-80gb, sharing: {mode: mps, "      \
    "replicas: 2}}\n"

struct world {
    struct pt_config *config;
    struct pt_traits_model *model;
};

static struct world world_of(const char *text)
{
    struct world world = {.config = load(text, NULL)};
    struct pt_error error;
    cr_assert_eq(
        pt_traits_create(&world.model, world.config, world.config->trace.inline_jobs, &error),
        PT_OK, "%s", error.message);
    return world;
}

static void end(struct world *world)
{
    pt_traits_destroy(world->model);
    pt_config_free(world->config);
}

static struct pt_traits of(const struct world *world, pt_job job, uint32_t pool)
{
    struct pt_traits traits;
    pt_traits_of_job(&traits, world->model, job, pool);
    return traits;
}

Test(traits, of_an_own_profile_are_what_it_says)
{
    struct world world =
        world_of(POOLS "profiles: [{name: mine, u: 0.8, kappa: 1.3, membw: 0.6, pcie: 0.1, "
                       "power_w: 250, class: compute, busy: 0.9}]\n"
                       "trace: {jobs: [{submit_s: 0, work_s: 1, profile: mine}, {submit_s: 0, "
                       "work_s: 1, profile: mine, kind: inference}]}\n");
    struct pt_traits traits = of(&world, 0, 0), inference = of(&world, 1, 0);
    cr_expect_float_eq(traits.u, 0.8, 0);
    cr_expect_float_eq(traits.kappa, 1.3, 0);
    cr_expect_float_eq(traits.kappa_g, pow(1.3, 0.45), 1e-9);
    cr_expect_float_eq(traits.busy, 0.9, 0);
    cr_expect_float_eq(traits.membw, 0.6, 0);
    cr_expect_float_eq(traits.pcie, 0.1, 0);
    cr_expect_float_eq(traits.power_w, 250, 0);
    cr_expect_eq(traits.p, 2);
    cr_expect_not(traits.inference);
    cr_expect_eq(traits.rate, PT_SPEED_ONE);
    cr_expect_str_eq(world.config->profiles.type_names[traits.type], "mine");
    cr_expect_eq(inference.p, 4);
    cr_expect(inference.inference);
    end(&world);
}

Test(traits, on_a_faster_card_u_falls_by_its_speed_but_not_below_the_floor)
{
    struct world world =
        world_of(POOLS "profiles: [{name: a, u: 0.9, class: light}, {name: b, u: 0.9, class: "
                       "compute}]\n"
                       "trace: {jobs: [{submit_s: 0, work_s: 1, profile: a}, {submit_s: 0, "
                       "work_s: 1, profile: b}]}\n");
    const struct pt_pool *fast = &world.config->cluster.pools[2];
    double light = (double)fast->rate[PT_CLASS_LIGHT] / (double)PT_SPEED_ONE;
    double compute = (double)fast->rate[PT_CLASS_COMPUTE] / (double)PT_SPEED_ONE;
    cr_assert_gt(light, 1);
    cr_assert_lt(light, 1 / 0.3);
    cr_assert_gt(compute, 1 / 0.3);
    cr_expect_float_eq(of(&world, 0, 2).u, 0.9 / light, 1e-12);
    cr_expect_float_eq(of(&world, 1, 2).u, 0.27, 1e-12);
    cr_expect_eq(of(&world, 0, 2).rate, fast->rate[PT_CLASS_LIGHT]);
    cr_expect_eq(of(&world, 1, 2).rate, fast->rate[PT_CLASS_COMPUTE]);
    end(&world);
}

Test(traits, are_of_the_row_for_the_card_and_the_law)
{
    struct world world =
        world_of(POOLS "profiles: [{name: a, u: 0.5, law: turns, gpu: v100-16gb}, {name: a, u: "
                       "0.6, law: pnorm, gpu: v100-16gb}]\n"
                       "trace: {jobs: [{submit_s: 0, work_s: 1, profile: a}]}\n");
    const struct pt_traits_loan *loans;
    cr_expect_float_eq(of(&world, 0, 0).u, 0.5, 0);
    cr_expect_float_eq(of(&world, 0, 1).u, 0.6, 0);
    cr_assert_eq(pt_traits_loans(world.model, &loans), 1);
    cr_expect_eq(loans[0].pool, 2);
    cr_expect(loans[0].other_gpu);
    cr_expect_not(loans[0].other_law);
    end(&world);
}

Test(traits, of_measured_utilisation_win_over_profile_and_mix)
{
    struct world world = world_of(
        POOLS "interference: {u_from: 0.68util}\nprofiles: [{name: a, u: 0.5, membw: 0.2}]\n"
              "trace: {jobs: [{submit_s: 0, work_s: 1, sm_util: 0.5}, {submit_s: 0, work_s: 1, "
              "profile: a, sm_util: 1, pcie_util: 0.25}, {submit_s: 0, work_s: 1, profile: a, "
              "membw_util: 0.75}]}\n");
    struct pt_traits first = of(&world, 0, 0), second = of(&world, 1, 0), third = of(&world, 2, 0);
    struct pt_traits_facts facts = pt_traits_get_facts(world.model);
    cr_expect_float_eq(first.u, 0.34, 1e-12);
    cr_expect_float_eq(first.busy, 0.5, 0);
    cr_expect_float_eq(first.kappa, 1, 0);
    cr_expect_eq(first.type, PT_NONE);
    cr_expect_float_eq(second.u, 0.68, 1e-12);
    cr_expect_float_eq(second.busy, 1, 0);
    cr_expect_float_eq(second.membw, 0.2, 0);
    cr_expect_float_eq(second.pcie, 0.25, 0);
    cr_expect_float_eq(third.u, 0.5, 0);
    cr_expect_float_eq(third.membw, 0.75, 0);
    cr_expect_eq(facts.by_util, 1);
    cr_expect_eq(facts.by_profile, 2);
    cr_expect_eq(facts.drawn, 0);
    end(&world);
}

/* By id alone: neither order nor neighbours matter; another seed draws others. */
Test(traits, are_drawn_by_id_and_seed)
{
    struct world one = world_of(POOLS "trace: {jobs: [{id: a, submit_s: 0, work_s: 1}, {id: b, "
                                      "submit_s: 0, work_s: 1}]}\n");
    struct world two =
        world_of(POOLS "trace: {jobs: [{id: x, submit_s: 0, work_s: 9, sm_util: 1}, {id: b, "
                       "submit_s: 0, work_s: 9}, {id: a, submit_s: 0, work_s: 9}]}\n");
    struct pt_traits a = of(&one, 0, 0), b = of(&one, 1, 0);
    cr_expect_float_neq(a.u, b.u, 1e-9);
    cr_expect_float_eq(a.u, of(&two, 2, 0).u, 0);
    cr_expect_float_eq(a.kappa, of(&two, 2, 0).kappa, 0);
    cr_expect_float_eq(b.u, of(&two, 1, 0).u, 0);
    cr_expect_float_eq(a.kappa_g, pow(a.kappa, 0.45), 1e-6);
    cr_expect_eq(pt_traits_get_facts(one.model).drawn, 2);
    cr_expect_eq(pt_traits_get_facts(two.model).drawn, 2);
    end(&two);
    const char *const sets[] = {"seed=8", NULL};
    two.config = load(POOLS "trace: {jobs: [{id: a, submit_s: 0, work_s: 1}]}\n", sets);
    struct pt_error error;
    cr_assert_eq(pt_traits_create(&two.model, two.config, two.config->trace.inline_jobs, &error),
                 PT_OK);
    cr_expect_float_neq(a.u, of(&two, 0, 0).u, 1e-9);
    end(&two);
    end(&one);
}

Test(traits, are_not_asked_for_where_they_say_nothing)
{
    struct world world = world_of(HEAD JOB "interference: none\n");
    struct pt_jobs_model jobs = pt_traits_jobs_model(world.model);
    cr_expect_null(jobs.traits);
    cr_expect_null(jobs.cold_start_ns);
    cr_expect_null(pt_traits_interference(world.model).ops);
    cr_expect_eq(pt_traits_fidelity(world.model), PT_FIDELITY_FLUID);
    end(&world);
    world = world_of(HEAD JOB "interference: {model: fitted, fidelity: slices}\n");
    jobs = pt_traits_jobs_model(world.model);
    cr_expect_not_null(jobs.traits);
    cr_expect_eq(pt_traits_interference(world.model).ops, &pt_fitted);
    cr_expect_eq(pt_traits_fidelity(world.model), PT_FIDELITY_SLICES);
    end(&world);
}

Test(traits, cold_starts_are_by_kind_and_of_llm_servers_a_minute)
{
    struct world world = world_of(
        HEAD "profiles: [{name: llm-x, u: 1}]\ncold_start: {batch: 5s, inference: 1s}\ntrace: "
             "{jobs: [{submit_s: 0, work_s: 1}, {submit_s: 0, work_s: 1, kind: batch}, {submit_s: "
             "0, work_s: 1, profile: llm-x}, {submit_s: 0, work_s: 1, profile: llm-x, kind: "
             "inference}]}\n");
    struct pt_jobs_model jobs = pt_traits_jobs_model(world.model);
    cr_assert_not_null(jobs.cold_start_ns);
    cr_expect_eq(jobs.cold_start_ns(jobs.ctx, 0), 0);
    cr_expect_eq(jobs.cold_start_ns(jobs.ctx, 1), 5 * PT_NS_PER_S);
    cr_expect_eq(jobs.cold_start_ns(jobs.ctx, 2), 60 * PT_NS_PER_S);
    cr_expect_eq(jobs.cold_start_ns(jobs.ctx, 3), PT_NS_PER_S, "what is written wins");
    end(&world);
}

Test(traits, fill_the_trace_with_memory_and_checkpoints)
{
    struct pt_config *config =
        load(HEAD "profiles: [{name: a, u: 1, mem_gib: 30}]\npreemption: {checkpoint: 10min}\n"
                  "trace: {jobs: [{submit_s: 0, work_s: 1, profile: a}, {submit_s: 0, work_s: 1, "
                  "profile: a, gpu_mem_gib: 2, checkpoint_s: 5}, {submit_s: 0, work_s: 1}]}\n",
             NULL);
    const struct pt_trace *trace = config->trace.inline_jobs;
    cr_expect_eq(pt_trace_u32(trace, PT_COL_GPU_MEM, 0), 30 * 1024);
    cr_expect_eq(pt_trace_u32(trace, PT_COL_GPU_MEM, 1), 2 * 1024);
    cr_expect_eq(pt_trace_u32(trace, PT_COL_GPU_MEM, 2), PT_NONE);
    cr_expect_eq(pt_trace_time(trace, PT_COL_CHECKPOINT, 0), 600 * PT_NS_PER_S);
    cr_expect_eq(pt_trace_time(trace, PT_COL_CHECKPOINT, 1), 5 * PT_NS_PER_S);
    pt_config_free(config);
}

/* What a pair table does not hold is said before anything runs. */
Test(traits, a_pair_table_must_hold_who_can_meet)
{
#define TABLE(jobs) POOLS "interference: {model: table}\ntrace: {jobs: [" jobs "]}\n"
#define CYCLEGAN "{submit_s: 0, work_s: 1, profile: CycleGAN, pool: turns}"
    static const struct {
        const char *text, *says;
    } worlds[] = {
        {TABLE("{submit_s: 0, work_s: 1}"), "a job without a profile is in no pair table"},
        {TABLE(CYCLEGAN ", {submit_s: 0, work_s: 1, profile: llm-qwen2.5-7b-decode}"),
         "no pair of 'CycleGAN' and 'llm-qwen2.5-7b-decode'"},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        struct pt_config *config = load(worlds[i].text, NULL);
        struct pt_traits_model *model;
        struct pt_error error;
        cr_assert_eq(pt_traits_create(&model, config, config->trace.inline_jobs, &error),
                     PT_ERR_INPUT);
        cr_expect(strstr(error.message, worlds[i].says), "%s", error.message);
        cr_expect_null(model);
        pt_config_free(config);
    }
    /* jobs that need no GPU meet nobody */
    struct world world = world_of(
        "partita: 1\ncluster: {pools: [{name: m, nodes: 1, gpus_per_node: 1, gpu: v100-16gb, "
        "sharing: {mode: mps, replicas: 2}}]}\ninterference: {model: table}\ntrace: {jobs: "
        "[{submit_s: 0, work_s: 1, profile: CycleGAN}, {submit_s: 0, work_s: 1, gpus: 0}]}\n");
    end(&world);
}

Test(traits, profiles_that_make_no_sense_are_refused)
{
#define WITH(text) HEAD JOB "profiles: [" text "]\n"
    assert_refused(WITH("{name: a}"), NULL, "test.yaml:4:12: missing key 'u'\n");
    assert_refused(WITH("{name: a, u: 1, p: 3}"), NULL,
                   "test.yaml:4:31: p: 3 is no norm of the laws: 1, 2 or 4\n");
    assert_refused(WITH("{name: a, u: 1, f_c: 0.5}"), NULL,
                   "test.yaml:4:12: 'f_c' and 'f_m' go together\n");
    assert_refused(WITH("{name: a, u: 1, f_c: 0.5, f_m: 0.6}"), NULL,
                   "test.yaml:4:33: f_c and f_m together are more than 1\n");
    assert_refused(WITH("{name: a, u: 1}, {name: a, u: 0.5}"), NULL,
                   "test.yaml:4:36: a second profile with the name 'a', the same law and GPU\n");
    assert_refused(WITH("{name: a, u: 1, gpu: h101}"), NULL,
                   "test.yaml:4:33: gpu: 'h101' is no known GPU (did you mean 'p100'?)\n");
    assert_refused(HEAD "trace: {jobs: [{submit_s: 0, work_s: 1, profile: cyclegan}]}\n", NULL,
                   "test.yaml:3:50: unknown profile 'cyclegan' (did you mean 'CycleGAN'?)\n");
}
