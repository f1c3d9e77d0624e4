/* Result files written without /manifest/host are the same bytes: in two runs, and in two runs that
 * take turns in one process against two processes.
 *
 *   result_files                    tests
 *   result_files --write N FILE     writes experiment N's result: what the two processes do
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/experiment/run.h"
#include "tests/support/rig.h"

#define EXPERIMENTS 2

static const char *const experiments[EXPERIMENTS] = {
    "partita: 1\n"
    "name: gangs\n"
    "seed: 7\n"
    "cluster: {pools: [{name: main, nodes: 8, gpus_per_node: 8, gpu: h100-sxm5-80gb, "
    "sharing: {mode: exclusive}}]}\n"
    "policy: {name: fifo, blocking: skip, placement: consolidate}\n"
    "trace: {source: synthetic, jobs: 3000, mean_interarrival: 30s, work: lognormal, "
    "work_mean: 15min, gpus: \"1:70|2:10|8:20\"}\n"
    "output: {events: true}\n",
    "partita: 1\n"
    "name: turns\n"
    "seed: 8\n"
    "cluster: {pools: [{name: a, nodes: 2, gpus_per_node: 8, gpu: a100-sxm4-80gb, "
    "sharing: {mode: time_slice, replicas: 3}}, {name: b, nodes: 2, gpus_per_node: 4, "
    "gpu: h100-sxm5-80gb, sharing: {mode: exclusive}}]}\n"
    "nodes: [{name: a-0, pool: a, down: [[1h, 2h]], boot: 1min}]\n"
    "policy: {name: fifo, placement: spread}\n"
    "queue: {give_up: 1h}\n"
    "trace: {source: synthetic, jobs: 3000, mean_interarrival: 40s, work: hyperexponential, "
    "work_mean: 10min}\n"
    "output: {events: true}\n"};

struct job {
    struct pt_config *config;
    struct pt_run *run;
    bool finished;
};

static void begin(struct job *job, int which, const char *path)
{
    struct pt_run_options options = {.result_path = path};
    struct pt_messages messages;
    pt_messages_init(&messages);
    if (pt_config_load_text(&job->config, "experiment", experiments[which],
                            strlen(experiments[which]), ".", NULL, 0, &messages) != PT_OK ||
        pt_run_prepare(&job->run, job->config, &options, &messages) != PT_OK) {
        pt_messages_print(&messages, stderr, false);
        rig_die("experiment %d does not load", which);
    }
    pt_messages_fini(&messages);
    job->finished = false;
}

static void step(struct job *job, uint64_t instants)
{
    struct pt_error error;
    if (job->finished) return;
    if (pt_run_advance(job->run, instants, &job->finished, &error) != PT_OK)
        rig_die("%s", error.message);
}

static void end(struct job *job)
{
    struct pt_error error;
    if (pt_run_finish(job->run, &error) != PT_OK) rig_die("%s", error.message);
    pt_run_free(job->run);
    pt_config_free(job->config);
}

static int write_one(int which, const char *path)
{
    struct job job;
    begin(&job, which, path);
    step(&job, UINT64_MAX);
    end(&job);
    return 0;
}

static void write_in_process(const char *self, int which, const char *path)
{
    char number[8];
    int status;
    snprintf(number, sizeof number, "%d", which);
    pid_t child = fork();
    if (child < 0) rig_die("fork failed");
    if (child == 0) {
        execl(self, self, "--write", number, path, (char *)NULL);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rig_die("%s --write failed", self);
}

static long size_of(FILE *file)
{
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    return size;
}

static int compare(const char *a_path, const char *b_path)
{
    FILE *a = fopen(a_path, "rb"), *b = fopen(b_path, "rb");
    if (a == NULL || b == NULL) rig_die("%s or %s is not there", a_path, b_path);
    long size = size_of(a), at = 0;
    bool same = size == size_of(b) && size > 10000;
    while (same && at < size) {
        same = getc(a) == getc(b);
        at++;
    }
    printf("%s and %s: %ld bytes, %s\n", a_path, b_path, size, same ? "the same" : "DIFFERENT");
    fclose(a);
    fclose(b);
    return !same;
}

int main(int argc, char **argv)
{
    struct job jobs[EXPERIMENTS];
    if (argc > 3 && strcmp(argv[1], "--write") == 0) return write_one(atoi(argv[2]), argv[3]);
    write_in_process(argv[0], 0, "alone-0.h5");
    write_in_process(argv[0], 1, "alone-1.h5");
    write_in_process(argv[0], 1, "again-1.h5");
    begin(&jobs[0], 0, "turns-0.h5");
    begin(&jobs[1], 1, "turns-1.h5");
    for (uint64_t turn = 1; !jobs[0].finished || !jobs[1].finished; turn++) {
        step(&jobs[0], 1 + turn % 5);
        step(&jobs[1], 1 + turn % 3);
    }
    end(&jobs[0]);
    end(&jobs[1]);
    return compare("alone-1.h5", "again-1.h5") + compare("alone-0.h5", "turns-0.h5") +
               compare("alone-1.h5", "turns-1.h5") !=
           0;
}
