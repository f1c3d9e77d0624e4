#define _DEFAULT_SOURCE /* wait4 */
#include "tests/bench/programs.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/figures.h"
#include "tests/support/rig.h"

struct outcome {
    double wall_s, cpu_s;
    double read_s, run_s, policy_s, write_s; /* as the program itself says */
    double rss_bytes;
};

/* Reads `"name": number` out of the program's --json output. */
static double json_number(const char *text, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(text, quoted);
    return at == NULL ? NAN : strtod(at + strlen(quoted), NULL);
}

static void read_said(struct outcome *outcome, const char *path)
{
    static char text[1 << 20];
    FILE *in = fopen(path, "r");
    if (in == NULL) return;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    outcome->read_s = json_number(text, "read_s");
    outcome->run_s = json_number(text, "wall_s");
    outcome->policy_s = json_number(text, "policy_s");
    outcome->write_s = json_number(text, "write_s");
}

/* partita with these arguments (NULL-terminated, the program's name first), what it says in
 * bench.out and bench.err. */
static struct outcome call_program(const char *const *arguments)
{
    const char *program = getenv("PARTITA");
    struct rusage usage;
    struct outcome outcome = {0};
    int status;
    if (program == NULL) rig_die("$PARTITA does not name the program");
    double from = figures_wall_s();
    pid_t child = fork();
    if (child < 0) rig_die("fork failed");
    if (child == 0) {
        int out = open("bench.out", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        int err = open("bench.err", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(out, 1);
        dup2(err, 2);
        execv(program, (char *const *)arguments);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rig_die("%s %s %s failed", program, arguments[1], arguments[2]);
    outcome.wall_s = figures_wall_s() - from;
    outcome.cpu_s = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
                    (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    outcome.rss_bytes = 1024.0 * (double)usage.ru_maxrss;
    read_said(&outcome, "bench.out");
    return outcome;
}

/* partita run EXPERIMENT [--out RESULT] */
static struct outcome run_program(const char *experiment, const char *result)
{
    return call_program((const char *const[]){"partita", "run", experiment, "--json",
                                              result != NULL ? "--out" : NULL, result, NULL});
}

static struct outcome best_of(int runs, const char *experiment, const char *result)
{
    struct outcome best = run_program(experiment, result);
    for (int i = 1; i < runs; i++) {
        struct outcome other = run_program(experiment, result);
        if (other.wall_s < best.wall_s) best = other;
    }
    return best;
}

static void write_experiment(const char *path, bool shared, const char *trace)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) rig_die("%s can't be written", path);
    fprintf(out,
            "partita: 1\nname: bench\ncluster:\n  pools:\n    - {name: main, nodes: 1250, "
            "gpus_per_node: 8, gpu: h100-sxm5-80gb, sharing: {mode: %s}}\n"
            "interference: none\npolicy: {name: fifo}\nmetrics: {interval: 1h}\ntrace: %s\n",
            shared ? "time_slice, replicas: 2, switch_loss: 0" : "exclusive", trace);
    if (fclose(out) != 0) rig_die("%s can't be written", path);
}

static void say(const char *name, const char *what, double value, const char *unit,
                const char *limit)
{
    char key[64];
    snprintf(key, sizeof key, "process_%s_%s", name, what);
    figures_add(key, value, unit, limit);
}

static void time_one(const char *name, bool shared)
{
    write_experiment("bench.yaml", shared, "{source: native, path: bench.csv}");
    struct outcome without = best_of(3, "bench.yaml", NULL);
    struct outcome with = best_of(3, "bench.yaml", "bench.h5");
    say(name, "wall_s", with.wall_s, "s", "CSV in, HDF5 out; goal: <= 1.5");
    say(name, "cpu_s", with.cpu_s, "s", NULL);
    say(name, "hdf5_adds_s", with.wall_s - without.wall_s, "s", "goal: < 1");
    say(name, "hdf5_adds_cpu_s", with.cpu_s - without.cpu_s, "s", NULL);
    say(name, "read_s", with.read_s, "s", "IO in");
    say(name, "run_s", with.run_s, "s", "engine and policy, as the program says");
    say(name, "policy_s", with.policy_s, "s", "NaN: not measured");
    say(name, "write_s", with.write_s, "s", "IO out");
    say(name, "peak_rss_mib", with.rss_bytes / 1048576, "MiB", NULL);
}

void programs_time(uint32_t jobs)
{
    char title[128];
    snprintf(title, sizeof title, "The whole program: %u jobs on 10,000 GPUs", jobs);
    figures_title(title);
    time_one("exclusive", false);
    time_one("shared_2", true);
}

void programs_memory(uint32_t jobs)
{
    char trace[256], title[128];
    static const char format[] =
        "{source: synthetic, jobs: %u, mean_interarrival: 400ms, work: exponential, "
        "work_mean: 1h}";
    snprintf(title, sizeof title, "Memory: %u drawn jobs against one", jobs);
    figures_title(title);
    snprintf(trace, sizeof trace, format, 1);
    write_experiment("bench.yaml", false, trace);
    struct outcome none = run_program("bench.yaml", NULL);
    struct outcome none_out = run_program("bench.yaml", "bench.h5");
    snprintf(trace, sizeof trace, format, jobs);
    write_experiment("bench.yaml", false, trace);
    struct outcome all = run_program("bench.yaml", NULL);
    figures_add("memory_jobs", jobs, "", NULL);
    figures_add("memory_bytes_per_job", (all.rss_bytes - none.rss_bytes) / jobs, "bytes",
                "goal: <= 100");
    figures_add("memory_wall_s", all.wall_s, "s", NULL);
    struct outcome out = run_program("bench.yaml", "bench.h5");
    figures_add("memory_hdf5_bytes_per_job", (out.rss_bytes - none_out.rss_bytes) / jobs, "bytes",
                "goal: <= 100");
    figures_add("memory_hdf5_wall_s", out.wall_s, "s", NULL);
    figures_add("memory_empty_mib", none.rss_bytes / 1048576, "MiB", NULL);
}

void programs_results(uint32_t jobs)
{
    char trace[256], title[128];
    snprintf(title, sizeof title, "Looking at results: two of %u jobs each", jobs);
    figures_title(title);
    snprintf(trace, sizeof trace,
             "{source: synthetic, jobs: %u, mean_interarrival: 350ms, work: exponential, "
             "work_mean: 1h}",
             jobs);
    write_experiment("bench.yaml", false, trace);
    (void)run_program("bench.yaml", "bench.h5");
    (void)call_program((const char *const[]){"partita", "run", "bench.yaml", "--policy", "sjf",
                                             "--out", "bench-2.h5", NULL});
    const char *const compare[] = {"partita", "compare", "bench.h5", "bench-2.h5", NULL};
    const char *const no_replay[] = {"partita",    "compare",     "bench.h5",
                                     "bench-2.h5", "--no-replay", NULL};
    const char *const plot[] = {"partita", "plot",    "bench.h5", "bench-2.h5",
                                "--out",   "figures", NULL};
    struct outcome compared = call_program(compare);
    say("compare", "wall_s", compared.wall_s, "s", "both run again; goal: < 20");
    say("compare", "peak_rss_mib", compared.rss_bytes / 1048576, "MiB", NULL);
    say("compare_no_replay", "wall_s", call_program(no_replay).wall_s, "s", NULL);
    struct outcome drawn = call_program(plot);
    say("plot", "wall_s", drawn.wall_s, "s", "all figures; goal: < 20");
    say("plot", "peak_rss_mib", drawn.rss_bytes / 1048576, "MiB", NULL);
}
