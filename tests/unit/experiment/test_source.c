#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"
#include "traces/registry.h"

Test(source, takes_jobs_in_the_file)
{
    struct pt_config *config =
        load(HEAD "trace:\n  jobs:\n"
                  "    - {id: late, submit_s: 9, work_s: 1.5e3, x_remark: ignored}\n"
                  "    - {submit_s: 2, work_s: 0, gpus: 2, gpu_frac: '0.5', after: late}\n",
             NULL);
    const struct pt_trace *trace = config->trace.inline_jobs;
    char buffer[PT_ID_BUFFER];
    cr_assert_null(config->trace.reader);
    cr_assert_eq(trace->job_count, 2);
    cr_assert_eq(pt_trace_submit_ns(trace)[0], 2 * PT_NS_PER_S);
    cr_assert_str_eq(pt_trace_id(trace, 0, buffer), "1");
    cr_assert_str_eq(pt_trace_id(trace, 1, buffer), "late");
    cr_assert_eq(pt_trace_work_ns(trace)[1], 1500 * PT_NS_PER_S);
    cr_assert_eq(pt_trace_u32(trace, PT_COL_GPU_FRAC, 0), 500000);
    pt_config_free(config);
}

Test(source, takes_no_more_jobs_than_the_limit)
{
    const char *text = HEAD "trace: {limit: 1, jobs: [{submit_s: 5, work_s: 1}, {submit_s: 0, "
                            "work_s: 1}]}\n";
    struct pt_config *config = load(text, NULL);
    cr_assert_eq(config->trace.inline_jobs->job_count, 1);
    cr_assert_eq(pt_trace_submit_ns(config->trace.inline_jobs)[0], 5 * PT_NS_PER_S);
    cr_assert_eq(config->trace.limit, 1);
    pt_config_free(config);
    config = load(HEAD "trace: {limit: 0, jobs: [{submit_s: 5, work_s: 1}]}\n", NULL);
    cr_assert_eq(config->trace.inline_jobs->job_count, 0);
    pt_config_free(config);
}

Test(source, says_what_is_wrong_at_the_cell)
{
    assert_refused(HEAD "trace:\n  jobs:\n"
                        "    - {id: a, submit_s: 0, work_s: -1}\n"
                        "    - {id: b, submit_s: 0, work_s: 12:30}\n"
                        "    - {id: c, submit_s: 0, work_s: }\n"
                        "    - {id: d, submit_s: 0, work_s: 1.5e3, gpu_frac: .nan}\n"
                        "    - {id: e, work_s: 1}\n"
                        "    - {id: f, submit_s: 0, work_s: 1, kind: train, wholly: 1}\n",
                   NULL,
                   "test.yaml:5:36: work_s is negative: '-1'\n"
                   "test.yaml:6:36: work_s is not a number: '12:30'\n"
                   "test.yaml:7:36: work_s is missing\n"
                   "test.yaml:8:53: gpu_frac is not a number: '.nan'\n"
                   "test.yaml:9:7: submit_s is missing\n"
                   "test.yaml:10:45: kind is none of training, batch, interactive, inference: "
                   "'train'\n"
                   "test.yaml:10:52: unknown key 'wholly': no column of a trace (one of your own "
                   "begins with x_)\n");
}

Test(source, says_words_that_nothing_answers_to_at_their_cell)
{
    assert_refused(HEAD "trace:\n  jobs:\n"
                        "    - {submit_s: 0, work_s: 1, pool: mian, gpu_type: h100|v10}\n"
                        "    - {submit_s: 0, work_s: 1, sla: gold, priority: high}\n",
                   NULL,
                   "test.yaml:5:38: unknown pool 'mian' (did you mean 'main'?)\n"
                   "test.yaml:5:54: unknown GPU type 'v10' (did you mean 'v100'?)\n"
                   "test.yaml:6:37: unknown SLA tier 'gold'\n"
                   "test.yaml:6:53: unknown priority class 'high'\n");
}

Test(source, says_what_only_all_jobs_tell)
{
    char *said = refusal(HEAD "trace:\n  jobs:\n"
                              "    - {id: a, submit_s: 0, work_s: 1}\n"
                              "    - {id: a, submit_s: 0, work_s: 1}\n",
                         NULL);
    cr_assert_eq(strncmp(said, "test.yaml:6:12: ", 16), 0, "%s", said);
    free(said);
    said = refusal(HEAD "trace: {jobs: [{id: a, submit_s: 0, work_s: 1, after: b}]}\n", NULL);
    cr_assert_eq(strncmp(said, "test.yaml:3:55: ", 16), 0, "%s", said);
    free(said);
}

Test(source, needs_jobs_or_a_source_and_not_both)
{
    assert_refused(HEAD "trace: {}\n", NULL, "test.yaml:3:8: missing key 'source' (or 'jobs')\n");
    assert_refused(HEAD "trace: {source: native, path: x, jobs: []}\n", NULL,
                   "test.yaml:3:9: 'source' and 'jobs' exclude each other\n");
    assert_refused(HEAD "trace: {path: x, jobs: []}\n", NULL,
                   "test.yaml:3:9: 'path' belongs to a source, not to 'jobs'\n");
    assert_refused(HEAD "trace: {source: native}\n", NULL,
                   "test.yaml:3:8: missing key 'path': source 'native' reads a file\n");
    assert_refused(HEAD "trace: {source: natve, path: x, speed: 3}\n", NULL,
                   "test.yaml:3:17: unknown trace source 'natve' (did you mean 'native'?)\n");
}

Test(source, has_a_reader_with_its_parameters)
{
    struct pt_config *config = load(HEAD "trace: {source: native, path: x.csv, limit: 3}\n", NULL);
    cr_assert_eq(config->trace.reader, pt_reader_find("native"));
    cr_assert_not_null(config->trace.params);
    cr_assert_null(config->trace.inline_jobs);
    cr_assert_eq(config->trace.limit, 3);
    pt_config_free(config);
}

/* Every source that draws its jobs refuses a path; its defaults are values of its own table. */
Test(source, refuses_a_path_that_nobody_reads)
{
    for (size_t i = 0; pt_readers[i]; i++) {
        char text[400];
        if (pt_readers[i]->needs_path) continue;
        snprintf(text, sizeof text, HEAD "trace: {source: %s, path: x.csv}\n", pt_readers[i]->name);
        char *said = refusal(text, NULL);
        bool other = strstr(said, "missing key") != NULL; /* its own parameters come first */
        cr_assert(other || strstr(said, "reads no file: no 'path' beside it"), "%s", said);
        free(said);
    }
}
