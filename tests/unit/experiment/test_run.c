#include "sim/experiment/run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/experiment/support.h"

#define GPUS "partita: 1\nname: t\ncluster: {gpus: 2}\n"
#define JOBS                                                                                       \
    "trace: {jobs: [{id: A, submit_s: 0, work_s: 10}, {id: B, submit_s: 5, work_s: 10, gpus: "     \
    "2}, {id: C, submit_s: 5, work_s: 1, gpus: 3}]}\n"

static struct pt_run *prepare(const struct pt_config *config, const struct pt_run_options *options)
{
    struct pt_run *run;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_run_prepare(&run, config, options, &messages);
    cr_assert_eq(status, PT_OK, "%s", messages.list[0].error.message);
    pt_messages_fini(&messages);
    return run;
}

Test(run, knows_load_and_what_never_fits_before_it_runs)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    struct pt_run_options options = {0};
    struct pt_run *run = prepare(config, &options);
    const struct pt_run_facts *facts = pt_run_facts(run);
    cr_expect_eq(facts->read.rows, 3);
    cr_expect_float_eq(facts->offered_load, 30. / (2 * 5), 1e-12);
    cr_expect_eq(facts->never_fits.count, 1);
    cr_expect_eq(facts->never_fits.by_reason[PT_REASON_TOO_MANY_GPUS], 1);
    cr_expect_eq(facts->never_fits.first[PT_REASON_TOO_MANY_GPUS], 2);
    cr_expect_null(facts->summary);
    cr_expect_str_eq(facts->assumptions[0],
                     "interference: fitted (the measured law of each sharing mode), as the "
                     "experiment names no model");
    pt_run_free(run);
    pt_config_free(config);
}

Test(run, steps_give_what_one_go_gives)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    struct pt_run_options options = {.check = true};
    struct pt_error error;
    struct pt_run *whole = prepare(config, &options), *steps = prepare(config, &options);
    bool finished = false;
    unsigned count = 0;
    cr_assert_eq(pt_run_execute(whole, &error), PT_OK);
    for (; !finished; count++)
        cr_assert_eq(pt_run_advance(steps, 1, &finished, &error), PT_OK);
    cr_assert_eq(pt_run_finish(steps, &error), PT_OK);
    cr_expect_gt(count, 3);
    cr_expect_str_eq(pt_run_facts(whole)->digest, pt_run_facts(steps)->digest);
    cr_expect_eq(pt_run_facts(whole)->outcomes->end_ns[1], 20 * PT_NS_PER_S);
    cr_expect_eq(pt_run_facts(steps)->outcomes->end_ns[1], 20 * PT_NS_PER_S);
    pt_run_free(whole);
    pt_run_free(steps);
    pt_config_free(config);
}

struct told {
    unsigned events, jobs, progress;
    bool last_is_whole;
};

static enum pt_status on_events(void *ctx, const struct pt_event *events, size_t count,
                                struct pt_error *error)
{
    (void)events, (void)error;
    ((struct told *)ctx)->events += (unsigned)count;
    return PT_OK;
}

static enum pt_status on_job(void *ctx, pt_job job, const struct pt_job_result *result,
                             struct pt_error *error)
{
    (void)job, (void)result, (void)error;
    ((struct told *)ctx)->jobs++;
    return PT_OK;
}

static void on_progress(void *ctx, const struct pt_run_progress *state)
{
    struct told *told = ctx;
    told->progress++;
    told->last_is_whole = state->jobs_final == state->job_count;
}

Test(run, tells_a_further_receiver_and_the_progress)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    struct told told = {0};
    struct pt_recorder also = {.ctx = &told, .events = on_events, .job = on_job};
    struct pt_run_options options = {.also = &also, .progress = on_progress, .ctx = &told};
    struct pt_error error;
    struct pt_run *run = prepare(config, &options);
    cr_assert_eq(pt_run_execute(run, &error), PT_OK);
    cr_expect_eq(told.jobs, 3);
    cr_expect_eq(told.events, 9, "%u events",
                 told.events); /* 3 submit, 2 x (start, done), unit, no */
    cr_expect_geq(told.progress, 1);
    cr_expect(told.last_is_whole);
    pt_run_free(run);
    pt_config_free(config);
}

static enum pt_status refuse(void *ctx, const struct pt_event *events, size_t count,
                             struct pt_error *error)
{
    (void)ctx, (void)events, (void)count;
    return pt_fail(error, PT_ERR_IO, "no room");
}

Test(run, stops_when_a_receiver_fails)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    struct pt_recorder also = {.events = refuse};
    struct pt_run_options options = {.also = &also};
    struct pt_error error;
    struct pt_run *run = prepare(config, &options);
    cr_assert_eq(pt_run_execute(run, &error), PT_ERR_IO);
    cr_expect_str_eq(error.message, "no room");
    cr_expect_null(pt_run_facts(run)->summary);
    pt_run_free(run);
    pt_config_free(config);
}

Test(run, keeps_what_was_finished_when_interrupted)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    volatile sig_atomic_t interrupt = 1;
    struct pt_run_options options = {.interrupt = &interrupt};
    struct pt_error error;
    struct pt_run *run = prepare(config, &options);
    cr_assert_eq(pt_run_execute(run, &error), PT_ERR_INTERRUPTED);
    const struct pt_run_facts *facts = pt_run_facts(run);
    cr_assert_not_null(facts->summary);
    cr_expect_eq(facts->status, PT_ERR_INTERRUPTED);
    cr_expect_eq(facts->outcomes->state[0], PT_STATE_FUTURE);
    pt_run_free(run);
    pt_config_free(config);
}

Test(run, says_a_deadlock_and_keeps_the_rest)
{
    struct pt_config *config =
        load("partita: 1\ncluster: {gpus: 1}\nnodes: [{name: main-0, down: [[5, inf]]}]\n"
             "trace: {jobs: [{id: A, submit_s: 0, work_s: 2}, {id: B, submit_s: 1, work_s: 9}]}\n",
             NULL);
    struct pt_run_options options = {0};
    struct pt_error error;
    struct pt_run *run = prepare(config, &options);
    cr_assert_eq(pt_run_execute(run, &error), PT_ERR_DEADLOCK);
    cr_expect_not_null(strstr(error.message, "'B'"));
    cr_expect_eq(pt_run_facts(run)->outcomes->state[0], PT_STATE_DONE);
    cr_expect_not_null(pt_run_facts(run)->summary);
    pt_run_free(run);
    pt_config_free(config);
}

Test(run, finds_an_unwritable_output_before_it_runs)
{
    struct pt_config *config = load(GPUS JOBS, NULL);
    const char *const paths[] = {"no-such-folder/out.h5", "no-such-folder/events.jsonl"};
    for (int i = 0; i < 2; i++) {
        struct pt_run_options options = {0};
        struct pt_messages messages;
        struct pt_run *run;
        *(i == 0 ? &options.result_path : &options.events_path) = paths[i];
        pt_messages_init(&messages);
        cr_expect_eq(pt_run_prepare(&run, config, &options, &messages), PT_ERR_INPUT);
        cr_expect_null(run);
        cr_expect_str_eq(messages.list[0].error.file, paths[i]);
        pt_messages_fini(&messages);
    }
    pt_config_free(config);
}

Test(run, says_a_word_of_the_trace_that_nothing_answers_to)
{
    struct pt_messages messages;
    struct pt_run *run;
    struct pt_config *config = load("partita: 1\ncluster: {gpus: 1}\n"
                                    "trace: {source: native, path: run-words.csv}\n",
                                    NULL);
    FILE *file = fopen(config->trace.path, "w");
    cr_assert_not_null(file);
    fputs("submit_s,work_s,pool\n0,1,mian\n", file);
    fclose(file);
    struct pt_run_options options = {0};
    pt_messages_init(&messages);
    cr_expect_eq(pt_run_prepare(&run, config, &options, &messages), PT_ERR_INPUT);
    cr_expect_not_null(strstr(messages.list[0].error.message, "did you mean 'main'?"));
    pt_messages_fini(&messages);
    unlink(config->trace.path);
    pt_config_free(config);
}

static bool assumes(const struct pt_run_facts *facts, const char *text)
{
    for (uint32_t i = 0; i < facts->assumption_count; i++)
        if (strstr(facts->assumptions[i], text)) return true;
    return false;
}

Test(run, says_how_jobs_are_stopped_and_when_that_is_free)
{
    static const struct {
        const char *keys, *mode, *free;
    } cases[] = {
        {"policy: fifo\n", NULL, NULL},
        {"policy: priority\n", NULL, NULL},
        {"policy: srtf\n", "preemption.mode is suspend, as policy srtf has it where nothing else",
         "preemption is free (preemption.save, preemption.restore)"},
        {"policy: {name: srtf, preemption: kill}\n", NULL,
         "preemption is free but for the work that is lost"},
        {"policy: {name: srtf, preemption: checkpoint}\n", NULL,
         "preemption is free but for the work since the last checkpoint"},
        {"policy: srtf\npreemption: {redo: {more: 1}}\n", "preemption.mode is suspend", NULL},
        {"policy: srtf\npreemption: {restore: 1ns}\n", "preemption.mode is suspend", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, GPUS JOBS "%s", cases[i].keys);
        struct pt_config *config = load(text, NULL);
        struct pt_run_options options = {0};
        struct pt_run *run = prepare(config, &options);
        const struct pt_run_facts *facts = pt_run_facts(run);
        cr_expect_eq(assumes(facts, cases[i].mode ? cases[i].mode : "preemption.mode"),
                     cases[i].mode != NULL, "%s", cases[i].keys);
        cr_expect_eq(assumes(facts, cases[i].free ? cases[i].free : "preemption is free"),
                     cases[i].free != NULL, "%s", cases[i].keys);
        pt_run_free(run);
        pt_config_free(config);
    }
}

struct verdicts {
    unsigned count;
    struct {
        int64_t time_ns;
        pt_job job;
        enum pt_reason reason;
    } list[8];
};

static enum pt_status on_verdict(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                                 struct pt_error *error)
{
    struct verdicts *all = ctx;
    (void)error;
    cr_assert_lt(all->count, 8);
    all->list[all->count].time_ns = time_ns;
    all->list[all->count].job = job;
    all->list[all->count++].reason = reason;
    return PT_OK;
}

Test(run, tells_why_jobs_wait_and_nothing_else_changes)
{
    struct pt_config *config =
        load(GPUS "tenants: [{name: t, limit: 1}]\ntrace: {jobs: [{id: A, submit_s: 0, work_s: 10, "
                  "tenant: t}, {id: B, submit_s: 1, work_s: 10, tenant: t}, {id: C, submit_s: 2, "
                  "work_s: 10, gpus: 2}]}\n",
             NULL);
    struct verdicts verdicts = {0};
    struct pt_recorder also = {.ctx = &verdicts, .verdict = on_verdict};
    struct pt_run_options options = {.also = &also}, nobody = {0};
    struct pt_error error;
    struct pt_run *told = prepare(config, &options), *untold = prepare(config, &nobody);
    cr_assert_eq(pt_run_execute(told, &error), PT_OK);
    cr_assert_eq(pt_run_execute(untold, &error), PT_OK);
    cr_expect_str_eq(pt_run_facts(told)->digest, pt_run_facts(untold)->digest);
    cr_assert_eq(verdicts.count, 2); /* each reason once, however often it is found again */
    cr_expect_eq(verdicts.list[0].time_ns, PT_NS_PER_S);
    cr_expect_eq(verdicts.list[0].job, 1);
    cr_expect_eq(verdicts.list[0].reason, PT_REASON_LIMIT);
    cr_expect_eq(verdicts.list[1].time_ns, 2 * PT_NS_PER_S);
    cr_expect_eq(verdicts.list[1].job, 2);
    cr_expect_eq(verdicts.list[1].reason, PT_REASON_NO_GPU);
    pt_run_free(told);
    pt_run_free(untold);
    pt_config_free(config);
}

Test(run, names_the_law_by_what_its_jobs_ask_for)
{
    static const struct {
        const char *jobs, *law, *loan;
    } cases[] = {
        {"{submit_s: 0, work_s: 1, gpu_frac: 1, profile: CycleGAN}",
         "pool a: law rank1 with its capacity guard for uncapped training jobs", NULL},
        {"{submit_s: 0, work_s: 1, profile: CycleGAN}", "pool a: law p-norm of SMs under caps",
         "'CycleGAN' was fitted with law rank1"},
        {"{submit_s: 0, work_s: 1, gpu_frac: 1}, {submit_s: 0, work_s: 1, gpu_frac: 0.5}",
         "pool a: law rank1 with its capacity guard while all on a GPU are uncapped", NULL},
        {"{submit_s: 0, work_s: 1, gpu_frac: 1}, {submit_s: 0, work_s: 1, gpus: 0}, {submit_s: 0, "
         "work_s: 1, gpu_frac: 0.5, pool: b}",
         "pool a: law rank1 with its capacity guard for uncapped training jobs", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "partita: 1\ncluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1, gpu: "
                 "v100-16gb, sharing: {mode: mps, replicas: 4}}, {name: b, nodes: 1, "
                 "gpus_per_node: 1, gpu: v100-16gb, sharing: {mode: mps, replicas: 4}}]}\ntrace: "
                 "{jobs: [%s]}\n",
                 cases[i].jobs);
        struct pt_config *config = load(text, NULL);
        struct pt_run_options options = {0};
        struct pt_run *run = prepare(config, &options);
        cr_expect(assumes(pt_run_facts(run), cases[i].law), "case %zu: not '%s'", i, cases[i].law);
        cr_expect_eq(assumes(pt_run_facts(run), "was fitted with law"), cases[i].loan != NULL,
                     "case %zu", i);
        pt_run_free(run);
        pt_config_free(config);
    }
}

Test(run, says_what_its_models_take_for_granted)
{
    struct pt_config *config = load(
        "partita: 1\ncluster: {pools: [{name: new, nodes: 1, gpus_per_node: 1, gpu: "
        "h100-sxm5-80gb, price_per_gpu_hour: 0.035, sharing: {mode: mps, replicas: 2}}, {name: "
        "old, nodes: 1, gpus_per_node: 1, gpu: v100-16gb, sharing: {mode: time_slice, replicas: "
        "2}}]}\ntrace: {jobs: [{submit_s: 0, work_s: 1, profile: CycleGAN}, {submit_s: 0, "
        "work_s: 1, sm_util: 0.5}, {submit_s: 0, work_s: 1}], reference_gpu: v100-16gb}\nfaults: "
        "{events: [{at: 1, node: new-0}]}\n",
        NULL);
    struct pt_run_options options = {0};
    struct pt_run *run = prepare(config, &options);
    const struct pt_run_facts *facts = pt_run_facts(run);
    static const char *const texts[] = {
        "pool new: law p-norm of SMs under caps",
        "pool old: law turns",
        "no public pair measurements of h100",
        "1 job without a profile: drawn from mix heavy",
        "1 job with sm_util and without a profile: kappa 1",
        "(u_from: util)",
        "on a GPU that is R times faster u is u/R",
        "'CycleGAN' was fitted with law rank1 on v100 and stands in law pnorm on another GPU",
        "warning: pool old: profile 'CycleGAN' was fitted with law rank1 and stands in law turns",
        "warning: pool new: 0.035 an hour for h100-sxm5-80gb: an H100 costs 1.5-5 $/h in 2026",
        "energy: the power of a GPU by its use was fitted on A100",
        "a fault loses all work of its jobs",
        "speed for compute-bound jobs"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(assumes(facts, texts[i]), "no assumption says '%s'", texts[i]);
    cr_expect_not(assumes(facts, "pool old: the law's figures are"));
    cr_expect_not(assumes(facts, "without effect here"));
    pt_run_free(run);
    pt_config_free(config);
}

Test(run, says_what_turns_cost_only_where_there_are_turns)
{
    struct pt_config *config = load(
        "partita: 1\ninterference: none\ncluster: {pools: [{name: sms, nodes: 1, gpus_per_node: 1, "
        "gpu: a30, sharing: {mode: fractional, compute: sm_sharing}}, {name: turns, nodes: 1, "
        "gpus_per_node: 1, gpu: a30, sharing: {mode: fractional}}]}\n"
        "trace: {jobs: [{submit_s: 0, work_s: 1}]}\n",
        NULL);
    struct pt_run_options options = {0};
    struct pt_run *run = prepare(config, &options);
    const struct pt_run_facts *facts = pt_run_facts(run);
    cr_expect(assumes(facts, "pool turns: turns add 0.11"));
    cr_expect_not(assumes(facts, "pool sms: turns add"));
    pt_run_free(run);
    pt_config_free(config);
}
