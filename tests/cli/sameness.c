/* Two runs of one experiment write the same bytes outside /manifest/host, one after the other, or
 * advanced in turn in one process; and a run in memory has the digest of one with files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/run.h"

static const char experiment[] =
    "partita: 1\n"
    "seed: %d\n"
    "cluster:\n"
    "  pools:\n"
    "    - {name: slice, nodes: 2, gpus_per_node: 4, gpu: h100-sxm5-80gb,\n"
    "       sharing: {mode: time_slice, replicas: 3}}\n"
    "    - {name: whole, nodes: 2, gpus_per_node: 4, gpu: a100-sxm4-80gb}\n"
    "nodes: [{name: slice-1, pool: slice, down: [[500, 900]], boot: 30}]\n"
    "trace: {source: synthetic, jobs: 5000, rate_per_s: 0.2, work: lognormal, work_mean: 60,\n"
    "        gpus: '1:70|2:20|4:10'}\n"
    "policy: {name: fifo, blocking: skip, placement: pack}\n"
    "sla: {default: {max_slowdown: 2}}\n"
    "output: {events: true}\n";

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

struct world {
    struct pt_config *config;
    struct pt_run *run;
};

static void start(struct world *world, int seed, const char *path)
{
    char text[sizeof experiment + 16];
    struct pt_messages messages;
    struct pt_run_options options = {.result_path = path};
    pt_messages_init(&messages);
    int length = snprintf(text, sizeof text, experiment, seed);
    if (pt_config_load_text(&world->config, "sameness", text, (size_t)length, ".", NULL, 0,
                            &messages) != PT_OK ||
        pt_run_prepare(&world->run, world->config, &options, &messages) != PT_OK)
        die("can't prepare", messages.list[0].error.message);
    pt_messages_fini(&messages);
}

/* At most so many instants; true once the run has ended and its result is written. */
static bool step(struct world *world, uint64_t instants)
{
    bool finished;
    struct pt_error error = {.status = PT_OK};
    if (pt_run_advance(world->run, instants, &finished, &error) != PT_OK ||
        (finished && pt_run_finish(world->run, &error) != PT_OK))
        die("can't run", error.message);
    return finished;
}

static void end(struct world *world, char digest[64])
{
    snprintf(digest, 64, "%s", pt_run_facts(world->run)->digest);
    pt_run_free(world->run);
    pt_config_free(world->config);
}

static void whole(int seed, const char *path, char digest[64])
{
    struct world world;
    start(&world, seed, path);
    while (!step(&world, 1000)) {
    }
    end(&world, digest);
}

static void same_bytes(const char *a, const char *b)
{
    FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
    if (!first || !second) die("can't open", a);
    long place = 0;
    int x, y;
    do {
        x = getc(first);
        y = getc(second);
        place++;
    } while (x == y && x != EOF);
    fclose(first);
    fclose(second);
    if (x != y) {
        fprintf(stderr, "%s and %s differ at byte %ld\n", a, b, place);
        exit(1);
    }
    if (place < 10000) die(a, "is suspiciously short");
}

static void same_digest(const char *a, const char *b)
{
    if (strcmp(a, b) != 0) die(a, "is not the digest of the other run");
}

int main(void)
{
    char first[64], second[64], other[64], memory[64], turn_first[64], turn_other[64];
    struct world one, two;
    whole(1, "first.h5", first);
    whole(1, "second.h5", second);
    whole(2, "other.h5", other);
    whole(1, NULL, memory);
    same_bytes("first.h5", "second.h5");
    same_digest(first, second);
    same_digest(first, memory);
    if (strcmp(first, other) == 0) die(other, "does not depend on the seed");

    start(&one, 1, "turn-first.h5");
    start(&two, 2, "turn-other.h5");
    bool done_one = false, done_two = false;
    while (!done_one || !done_two) {
        if (!done_one) done_one = step(&one, 37);
        if (!done_two) done_two = step(&two, 53);
    }
    end(&one, turn_first);
    end(&two, turn_other);
    same_bytes("first.h5", "turn-first.h5");
    same_bytes("other.h5", "turn-other.h5");
    same_digest(first, turn_first);
    same_digest(other, turn_other);
    return 0;
}
