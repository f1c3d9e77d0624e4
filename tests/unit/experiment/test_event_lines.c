#include "sim/experiment/event_lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/experiment/run.h"
#include "tests/unit/experiment/support.h"

/* The lines of a run of `text`; the caller frees them. */
static char *lines_of(const char *text)
{
    char path[] = "/tmp/partita-lines-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    struct pt_config *config = load(text, NULL);
    struct pt_run_options options = {.events_path = path};
    struct pt_messages messages;
    struct pt_run *run;
    struct pt_error error;
    pt_messages_init(&messages);
    cr_assert_eq(pt_run_prepare(&run, config, &options, &messages), PT_OK);
    cr_assert_eq(pt_run_execute(run, &error), PT_OK);
    pt_run_free(run);
    pt_messages_fini(&messages);
    pt_config_free(config);
    FILE *stream = fopen(path, "r");
    char *lines = calloc(1, 4096);
    cr_assert(stream && lines);
    cr_assert_gt(fread(lines, 1, 4095, stream), 0);
    fclose(stream);
    unlink(path);
    return lines;
}

static void gives(const char *text, const char *wanted)
{
    char *lines = lines_of(text);
    cr_expect_str_eq(lines, wanted);
    free(lines);
}

Test(event_lines, name_jobs_gpus_and_nodes)
{
    gives(
        "partita: 1\ncluster: {pools: [{name: m, nodes: 2, gpus_per_node: 1, gpu: "
        "h100-sxm5-80gb}]}\n"
        "trace: {jobs: [{id: 'a\"\\', submit_s: 0.5, work_s: 10, gpus: 2}]}\n",
        "{\"time_ns\": 500000000, \"time_s\": 0.5, \"event\": \"submit\", \"job\": \"a\\\"\\\\\", "
        "\"gpus\": 2}\n"
        "{\"time_ns\": 500000000, \"time_s\": 0.5, \"event\": \"start\", \"job\": \"a\\\"\\\\\", "
        "\"gpu\": 0, \"node\": \"m-0\", \"gpus\": 2}\n"
        "{\"time_ns\": 500000000, \"time_s\": 0.5, \"event\": \"unit\", \"job\": \"a\\\"\\\\\", "
        "\"gpu\": 1, \"node\": \"m-1\", \"gpus\": 1}\n"
        "{\"time_ns\": 10500000000, \"time_s\": 10.5, \"event\": \"done\", \"job\": "
        "\"a\\\"\\\\\", \"gpu\": 0, \"node\": \"m-0\"}\n");
}

Test(event_lines, count_the_times_that_a_job_was_stopped)
{
    char *lines =
        lines_of("partita: 1\ncluster: {gpus: 1}\ninterference: none\npolicy: {name: priority, "
                 "preemption: {mode: suspend, save: 2s}}\ntrace: {jobs: [{id: l, submit_s: 0, "
                 "work_s: 9}, {id: h, submit_s: 1, work_s: 1, priority: 1}]}\n");
    cr_expect(strstr(lines, "\"time_s\": 1, \"event\": \"preempt\", \"job\": \"l\", \"gpu\": 0, "
                            "\"node\": \"main-0\", \"preemptions\": 1, \"reason\": \"was stopped "
                            "for another job\"}\n"),
              "%s", lines);
    cr_expect(strstr(lines, "\"time_s\": 3, \"event\": \"paused\", \"job\": \"l\", \"gpu\": 0, "
                            "\"node\": \"main-0\", \"preemptions\": 1,"),
              "%s", lines);
    free(lines);
}

Test(event_lines, name_the_node_of_what_holds_no_gpu)
{
    gives(
        "partita: 1\ncluster: {gpus: 1}\nnodes: [{name: main-0, down: [[1, 2]]}]\n"
        "retries: {fault: 0}\n"
        "trace: {jobs: [{id: c, submit_s: 0, work_s: 5, gpus: 0}]}\n",
        "{\"time_ns\": 0, \"time_s\": 0, \"event\": \"submit\", \"job\": \"c\", \"gpus\": 0}\n"
        "{\"time_ns\": 0, \"time_s\": 0, \"event\": \"start\", \"job\": \"c\", \"node\": "
        "\"main-0\", \"gpus\": 0}\n"
        "{\"time_ns\": 1000000000, \"time_s\": 1, \"event\": \"node_down\", \"node\": "
        "\"main-0\"}\n"
        "{\"time_ns\": 1000000000, \"time_s\": 1, \"event\": \"fault\", \"job\": \"c\", \"node\": "
        "\"main-0\", \"attempt\": 1, \"reason\": \"its node failed\"}\n"
        "{\"time_ns\": 1000000000, \"time_s\": 1, \"event\": \"failed\", \"job\": \"c\", "
        "\"node\": \"main-0\", \"reason\": \"its node failed\"}\n");
}
