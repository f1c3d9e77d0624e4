#include "sim/experiment/scenario.h"

#include <criterion/criterion.h>
#include <string.h>

#define WORLD                                                                                      \
    "partita: 1\n"                                                                                 \
    "name: two\n"                                                                                  \
    "cluster: {gpus: 1}\n"                                                                         \
    "trace: {jobs: [{id: A, submit_s: 0, work_s: 10, deadline_s: 5}, {id: B, submit_s: 1, "        \
    "work_s: 20}]}\n"

/* Runs one scenario; the first message goes to `said` (200 bytes). */
static enum pt_verdict verdict(const char *text, char said[200])
{
    struct pt_yaml yaml;
    struct pt_messages messages;
    struct pt_scenario scenario;
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    cr_assert_eq(pt_yaml_parse(&yaml, "t.yaml", text, strlen(text), &messages), PT_OK);
    pt_scenario_init(&scenario, yaml.first_document, 1);
    cr_assert_eq(pt_scenario_run(&scenario, &yaml, yaml.first_document, ".", NULL), PT_OK);
    enum pt_verdict result = scenario.verdict;
    const struct pt_error *first = &scenario.messages.list[0].error;
    snprintf(said, 200, "%.199s", scenario.messages.count ? first->message : "");
    cr_assert_eq(scenario.messages.count > 0, result != PT_VERDICT_PASSED);
    if (scenario.messages.count) {
        cr_expect_str_eq(first->file, "t.yaml");
        cr_expect_gt(first->line, 0);
        cr_expect_gt(first->column, 0);
    }
    pt_scenario_fini(&scenario);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
    return result;
}

static void passes(const char *text)
{
    char said[200];
    enum pt_verdict result = verdict(text, said);
    cr_expect_eq(result, PT_VERDICT_PASSED, "%s: %s", text, said);
}

static void says(enum pt_verdict wanted, const char *text, const char *message)
{
    char said[200];
    cr_expect_eq(verdict(text, said), wanted, "%s", text);
    cr_expect_str_eq(said, message);
}

#define PASSES(expect) passes(WORLD "expect: " expect "\n")
#define FAILS(expect, message) says(PT_VERDICT_FAILED, WORLD "expect: " expect "\n", message)
#define BREAKS(expect, message) says(PT_VERDICT_BROKEN, WORLD "expect: " expect "\n", message)

Test(scenario, times_are_met_within_two_nanoseconds)
{
    PASSES("{jobs: {A: {start_s: 0, end_s: 10.000000002}, B: {end_s: 29.999999998, wait_s: 9}}}");
    FAILS("{jobs: {A: {end_s: 10.000000003}}}", "job A: end_s is 10, expected 10.000000003");
    FAILS("{jobs: {B: {jct_s: 28.999999997}}}", "job B: jct_s is 29, expected 28.999999997");
    FAILS("{jobs: {B: {queue_s: 8}}}", "job B: queue_s is 9, expected 8");
    FAILS("{jobs: {B: {start_s: null}}}", "job B: start_s is 10, expected null");
}

Test(scenario, numbers_are_met_within_a_billionth)
{
    PASSES("{jobs: {A: {slowdown: 1.0000000009, attempts: 1, preemptions: 0, gpus: 1}}}");
    FAILS("{jobs: {A: {slowdown: 1.000000002}}}", "job A: slowdown is 1, expected 1.000000002");
    FAILS("{jobs: {A: {attempts: 2}}}", "job A: attempts is 1, expected 2");
    FAILS("{summary: {done: 1}}", "done is 2, expected 1");
    FAILS("{summary: {jct_mean_s: 19.500000003}}", "jct_mean_s is 19.5, expected 19.500000003");
    PASSES("{summary: {jct_mean_s: 19.500000002}}");
}

Test(scenario, words_are_met_exactly)
{
    PASSES("{jobs: {A: {state: done, node: main-0, sla_met: false, reason: null}, B: {sla_met: "
           "null}}}");
    FAILS("{jobs: {A: {state: failed}}}", "job A: state is 'done', expected failed");
    FAILS("{jobs: {A: {node: main-1}}}", "job A: node is 'main-0', expected main-1");
    FAILS("{jobs: {A: {sla_met: true}}}", "job A: sla_met is false, expected true");
    FAILS("{jobs: {B: {sla_met: false}}}", "job B: sla_met is null, expected false");
}

Test(scenario, ranges_and_approximations)
{
    PASSES("{jobs: {B: {end_s: {min: 30, max: 30}, jct_s: {approx: 28, rel: 0.04}}}}");
    FAILS("{jobs: {B: {end_s: {min: 31}}}}", "job B: end_s is 30, expected at least 31");
    FAILS("{jobs: {B: {end_s: {max: 29}}}}", "job B: end_s is 30, expected at most 29");
    FAILS("{summary: {makespan_s: {approx: 28, rel: 0.01}}}",
          "makespan_s is 30, expected about 28 (relative error 0.01)");
    FAILS("{summary: {sla_satisfaction: null}}", "sla_satisfaction is 0, expected null");
}

Test(scenario, exit_codes_and_messages)
{
    FAILS("{exit: 4}", "exit code is 0, expected 4");
    FAILS("{error: deadlock}", "no message says 'deadlock'");
    passes(
        "partita: 1\ncluster: {gpsu: 1}\ntrace: {jobs: []}\n"
        "expect: {exit: 2, error: \"t.yaml:2:11: unknown key 'gpsu' (did you mean 'gpus'?)\"}\n");
    says(PT_VERDICT_FAILED, "partita: 1\ncluster: {gpus: 1}\ntrace: {jobs: []}\nsede: 1\n",
         "exit code is 2, expected 0: unknown key 'sede' (did you mean 'seed'?)");
    says(PT_VERDICT_FAILED,
         "partita: 1\ncluster: {gpus: one}\ntrace: {jobs: []}\nexpect: {exit: 4}\n",
         "exit code is 2, expected 4: gpus: 'one' is not a number");
}

Test(scenario, always_counts_jobs_that_run_at_once)
{
    PASSES("{always: [{pool: main, running_max: 1}]}");
    FAILS("{always: [{pool: main, running_max: 0}]}",
          "1 jobs ran at once in pool main, expected at most 0");
    BREAKS("{always: [{pool: mian, running_max: 1}]}", "unknown pool 'mian'");
}

Test(scenario, what_it_does_not_know_is_no_expectation)
{
    BREAKS("{jobs: {C: {end_s: 1}}}", "unknown job 'C'");
    BREAKS("{jobs: {A: {edn_s: 1}}}", "unknown key 'edn_s' (did you mean 'end_s'?)");
    BREAKS("{summary: {jct_maen_s: 1}}",
           "unknown metric 'jct_maen_s' (did you mean 'jct_mean_s'?)");
    BREAKS("{jobs: {A: {end_s: {rel: 1}}}}", "job A: end_s: no value is expected here");
}

Test(scenario, has_a_name_or_a_number)
{
    struct pt_yaml yaml;
    struct pt_messages messages;
    struct pt_scenario scenario;
    const char *text = "name: one\n---\nseed: 1\n";
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    cr_assert_eq(pt_yaml_parse(&yaml, "t.yaml", text, strlen(text), &messages), PT_OK);
    pt_scenario_init(&scenario, yaml.first_document, 1);
    cr_expect_str_eq(scenario.name, "one");
    pt_scenario_fini(&scenario);
    pt_scenario_init(&scenario, yaml.first_document->next, 2);
    cr_expect_str_eq(scenario.name, "document 2");
    pt_scenario_fini(&scenario);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
}
