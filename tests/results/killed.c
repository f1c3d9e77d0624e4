/* killed PARTITA EXPERIMENT: SIGKILL at 50 random moments leaves the old result or a whole new one,
 * SIGINT at 20 the old result and, if it was in time, a valid partial one. Moments are spread over
 * the time that a whole run takes; the test fails if they never hit a run at work. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/results/results.h"

enum { KILLS = 50, INTERRUPTS = 20 };

static void fail(const char *what, unsigned seed)
{
    fprintf(stderr, "FAILED at seed %u: %s\n", seed, what);
    exit(1);
}

static pid_t start(const char *partita, const char *experiment, unsigned seed)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", seed);
    pid_t child = fork();
    if (child != 0) return child;
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execl(partita, partita, "run", experiment, "--seed", text, "--out", "out.h5", (char *)NULL);
    _exit(127);
}

/* The seed of a whole result; 0 if there is none. Every row is read. */
static unsigned seed_of(const char *path, uint64_t *rows)
{
    struct pt_results_reader *reader = NULL;
    struct pt_error error = {0};
    struct pt_cell cell;
    struct stat info;
    const struct pt_field *fields;
    if (stat(path, &info) != 0) return 0;
    if (pt_results_read(&reader, path, &error) != PT_OK) fail(error.message, 0);
    uint32_t count = pt_results_job_fields(reader, &fields);
    *rows = pt_results_job_count(reader);
    for (uint64_t row = 0; row < *rows; row++) {
        if (pt_results_job_cell(reader, row, count - 1, &cell, &error) != PT_OK) {
            fail(error.message, 0);
        }
    }
    const char *text = pt_results_manifest_text(reader, "seed");
    unsigned seed = text == NULL ? 0 : (unsigned)strtoul(text, NULL, 10);
    if (pt_results_manifest_text(reader, "digest") == NULL) fail("no digest", seed);
    pt_results_reader_free(reader);
    return seed;
}

/* How many temporary files lie about; removes them. */
static unsigned sweep(void)
{
    glob_t found;
    unsigned count = 0;
    if (glob("out.h5.tmp.*", 0, NULL, &found) == 0) {
        count = (unsigned)found.gl_pathc;
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    return count;
}

static void pause_for(double seconds)
{
    struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&wait, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    unsigned old = 1, at_work = 0, renewed = 0, partial = 0;
    uint64_t all = 0, rows = 0;
    int status;
    srand(7);
    double began = now();
    waitpid(start(argv[1], argv[2], old), &status, 0);
    double whole_s = now() - began;
    if (status != 0 || seed_of("out.h5", &all) != old) fail("the first run", old);

    for (unsigned seed = 2; seed < 2 + KILLS; seed++) {
        pid_t child = start(argv[1], argv[2], seed);
        pause_for(whole_s * 1.1 * rand() / RAND_MAX);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        unsigned found = seed_of("out.h5", &rows);
        if (found != old && found != seed) fail("neither the old result nor the new one", seed);
        if (rows != all) fail("jobs are missing", seed);
        at_work += sweep() > 0;
        renewed += found == seed;
        old = found;
    }
    for (unsigned seed = 100; seed < 100 + INTERRUPTS; seed++) {
        unlink("out.partial.h5");
        pid_t child = start(argv[1], argv[2], seed);
        pause_for(whole_s * rand() / RAND_MAX);
        kill(child, SIGINT);
        waitpid(child, &status, 0);
        unsigned found = seed_of("out.h5", &rows), part = seed_of("out.partial.h5", &rows);
        bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        bool stopped = (WIFEXITED(status) && WEXITSTATUS(status) == 130) || WIFSIGNALED(status);
        if (!done && !stopped) fail("an exit code other than 0 and 130", seed);
        if (found != (done ? seed : old)) fail("the result is not the right one", seed);
        if (part != 0 && (done || part != seed || rows != all)) fail("the partial one", seed);
        if (sweep() > 0) fail("a temporary file is left", seed);
        partial += part != 0;
        old = found;
    }
    printf("a run takes %.3f s; %u kills: %u at work, %u after; %u interrupts: %u partial\n",
           whole_s, KILLS, at_work, renewed, INTERRUPTS, partial);
    if (at_work < 3) fail("no kill came while a file was open", 0);
    return 0;
}
