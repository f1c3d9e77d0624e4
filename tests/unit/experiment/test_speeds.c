#include "sim/experiment/speeds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/experiment/run.h"
#include "tests/unit/experiment/support.h"

enum { JOBS_MAX = 8 };

struct asked {
    struct pt_config *config;
    struct pt_traits_model *traits;
    struct pt_job_speed speeds[JOBS_MAX];
};

/* One GPU with a sharing mode and these jobs. */
static struct pt_config *world(const char *gpu, const char *sharing, const char *jobs)
{
    char text[2048];
    snprintf(text, sizeof text,
             "partita: 1\ncluster: {pools: [{name: g, nodes: 1, gpus_per_node: 1, gpu: %s, "
             "sharing: %s}]}\ntrace: {jobs: [%s]}\n",
             gpu, sharing, jobs);
    return load(text, NULL);
}

static void ask(struct asked *asked, const char *gpu, const char *sharing, const char *jobs)
{
    struct pt_error error;
    asked->config = world(gpu, sharing, jobs);
    const struct pt_trace *trace = asked->config->trace.inline_jobs;
    cr_assert_leq(trace->job_count, JOBS_MAX);
    cr_assert_eq(pt_traits_create(&asked->traits, asked->config, trace, &error), PT_OK);
    cr_assert_eq(pt_speeds_ask(asked->speeds, asked->config, trace, asked->traits, 0, &error),
                 PT_OK);
}

static void end(struct asked *asked)
{
    pt_traits_destroy(asked->traits);
    pt_config_free(asked->config);
}

/* The terms multiply to the slow-down. */
static void assert_terms(const struct pt_job_speed *speed)
{
    double product = 1;
    for (uint32_t i = 0; i < speed->term_count; i++)
        product *= speed->terms[i].factor;
    cr_assert_float_eq(product, speed->slow, 1e-9 * speed->slow);
}

/* Seconds that the job runs in the engine. */
static double run_for(struct pt_config *config, pt_job job)
{
    struct pt_run_options options = {.check = true};
    struct pt_messages messages;
    struct pt_error error;
    struct pt_run *run;
    pt_messages_init(&messages);
    cr_assert_eq(pt_run_prepare(&run, config, &options, &messages), PT_OK);
    cr_assert_eq(pt_run_execute(run, &error), PT_OK);
    const struct pt_run_facts *facts = pt_run_facts(run);
    for (pt_job other = 0; other < facts->trace->job_count; other++)
        cr_assert_eq(facts->outcomes->start_ns[other], 0, "all run from the beginning");
    double seconds = pt_seconds(facts->outcomes->end_ns[job]);
    pt_run_free(run);
    pt_messages_fini(&messages);
    return seconds;
}

/* In worlds in which one job in turn has a hundredth of the others' work, so that they all run
 * until it ends, it ends when its speed says so. */
static void assert_as_the_engine(const struct asked *asked, const char *gpu, const char *sharing,
                                 const char *jobs)
{
    for (pt_job job = 0; job < asked->config->trace.inline_jobs->job_count; job++) {
        char text[1024];
        snprintf(text, sizeof text, "%s", jobs);
        char *at = text;
        for (pt_job i = 0; i <= job; i++)
            at = strstr(at + 1, "work_s: 1000");
        memcpy(at, "work_s: 10  ", strlen("work_s: 10  "));
        struct pt_config *config = world(gpu, sharing, text);
        cr_assert_float_eq(run_for(config, job), 10 / asked->speeds[job].speed, 1e-8,
                           "job %u of %s", job, text);
        pt_config_free(config);
    }
}

#define JOB_OF(rest) "{submit_s: 0, work_s: 1000, " rest "}"

Test(speeds, of_turns_are_the_law_by_hand)
{
    struct asked asked;
    ask(&asked, "h100-sxm5-80gb", "{mode: time_slice, replicas: 2, switch_loss: 0.11}",
        JOB_OF("sm_util: 1") "," JOB_OF("sm_util: 1"));
    for (int i = 0; i < 2; i++) {
        cr_expect(asked.speeds[i].runs);
        cr_expect_float_eq(asked.speeds[i].slow, 2.22, 1e-12);
        cr_expect_float_eq(asked.speeds[i].asked, 1, 0);
        cr_expect_float_eq(asked.speeds[i].speed, 1 / 2.22, 1e-12);
        assert_terms(&asked.speeds[i]);
    }
    end(&asked);
}

Test(speeds, are_the_engines_in_every_mode)
{
    static const struct {
        const char *gpu, *sharing, *jobs;
    } worlds[] = {
        {"h100-sxm5-80gb", "{mode: exclusive}", JOB_OF("sm_util: 0.7")},
        {"a100-sxm4-80gb", "{mode: time_slice, replicas: 3}",
         JOB_OF("sm_util: 0.9") "," JOB_OF("sm_util: 0.5") "," JOB_OF("sm_util: 0.2")},
        {"v100-16gb", "{mode: mps, replicas: 3}",
         JOB_OF("profile: CycleGAN") "," JOB_OF("profile: A3C")},
        {"v100-16gb", "{mode: mps, replicas: 3}",
         JOB_OF("profile: CycleGAN, gpu_frac: 1") "," JOB_OF("profile: A3C, gpu_frac: 1")},
        {"v100-16gb", "{mode: fractional, compute: sm_sharing, strict: false}",
         JOB_OF("profile: CycleGAN, gpu_frac: 0.5") "," JOB_OF("profile: A3C, gpu_frac: 0.3")},
        {"v100-16gb", "{mode: vgpu, replicas: 2, scheduler: fixed_share}",
         JOB_OF("sm_util: 1") "," JOB_OF("sm_util: 0.4")},
        {"a100-sxm4-80gb",
         "{mode: mig, layout: [3g.40gb, 4g.40gb], inside: {mode: mps, replicas: 2}}",
         JOB_OF("sm_util: 0.9, mig: 3g.40gb") "," JOB_OF("sm_util: 0.7, mig: 3g.40gb") "," JOB_OF(
             "sm_util: 0.5, mig: 4g.40gb")},
        {"v100-16gb", "{mode: mps, replicas: 3}",
         JOB_OF("sm_util: 1, gpu_frac: 0.6") "," JOB_OF("sm_util: 0.8, kind: inference")},
        {"a100-sxm4-80gb", "{mode: fractional, compute: sm_sharing}",
         JOB_OF("sm_util: 0.9, gpu_frac: 0.5") "," JOB_OF("sm_util: 1, gpu_frac: 0.25")},
        {"a100-sxm4-80gb", "{mode: fractional, compute: time_slicing, strict: false}",
         JOB_OF("sm_util: 0.9, gpu_frac: 0.5") "," JOB_OF("sm_util: 1, gpu_frac: 0.25")},
        {"a100-sxm4-80gb", "{mode: mig, layout: [1g.10gb, 2g.20gb, 4g.40gb]}",
         JOB_OF("sm_util: 0.9, mig: 1g.10gb") "," JOB_OF("sm_util: 1, mig: 4g.40gb")},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        struct asked asked;
        ask(&asked, worlds[i].gpu, worlds[i].sharing, worlds[i].jobs);
        for (pt_job job = 0; job < asked.config->trace.inline_jobs->job_count; job++) {
            cr_assert(asked.speeds[job].runs, "world %zu job %u", i, job);
            assert_terms(&asked.speeds[job]);
        }
        assert_as_the_engine(&asked, worlds[i].gpu, worlds[i].sharing, worlds[i].jobs);
        end(&asked);
    }
}

Test(speeds, alone_on_what_it_asked_for_are_one)
{
    struct asked asked;
    ask(&asked, "a100-sxm4-80gb", "{mode: mig, layout: [1g.10gb]}",
        JOB_OF("sm_util: 0.9, mig: 1g.10gb"));
    cr_expect_float_eq(asked.speeds[0].speed, 1, 1e-12);
    cr_expect_gt(asked.speeds[0].slow, 2);
    cr_expect_str_eq(asked.speeds[0].instance->name, "1g.10gb");
    end(&asked);
}

Test(speeds, say_who_does_not_run_and_why)
{
    struct asked asked;
    ask(&asked, "h100-sxm5-80gb", "{mode: time_slice, replicas: 1, memory: admit}",
        JOB_OF("gpu_mem_gib: 100") "," JOB_OF("sm_util: 1") "," JOB_OF("sm_util: 1"));
    cr_expect_not(asked.speeds[0].runs);
    cr_expect_eq(asked.speeds[0].reason, PT_REASON_GPU_MEMORY);
    cr_expect(asked.speeds[1].runs);
    cr_expect_not(asked.speeds[2].runs);
    cr_expect_eq(asked.speeds[2].reason, PT_REASON_NONE);
    end(&asked);
}

Test(speeds, without_a_model_are_shares)
{
    const char *const sets[] = {"interference=none", NULL};
    struct pt_job_speed speeds[2];
    struct pt_traits_model *traits;
    struct pt_error error;
    struct pt_config *config =
        load("partita: 1\ncluster: {pools: [{name: g, nodes: 1, gpus_per_node: 1, gpu: "
             "h100-sxm5-80gb, sharing: {mode: time_slice, replicas: 2, switch_loss: 0}}]}\ntrace: "
             "{jobs: [{submit_s: 0, work_s: 1}, {submit_s: 0, work_s: 1}]}\n",
             sets);
    cr_assert_eq(pt_traits_create(&traits, config, config->trace.inline_jobs, &error), PT_OK);
    cr_assert_eq(pt_speeds_ask(speeds, config, config->trace.inline_jobs, traits, 0, &error),
                 PT_OK);
    cr_expect_float_eq(speeds[0].speed, 0.5, 0);
    cr_expect_float_eq(speeds[1].slow, 2, 0);
    pt_traits_destroy(traits);
    pt_config_free(config);
}
