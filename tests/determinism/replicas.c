/* The results of `seeds` are the same bytes from one, two and five threads, and from single runs
 * one after the other; and seeds differ, in what a source draws and in what a placement draws.
 * Without /manifest/host, so that whole files are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/replicate/directory.h"
#include "sim/replicate/replicate.h"

#define SEEDS 6

/* The first draws its jobs; the jobs of the second are given and only where they go is drawn. */
static const char *const experiments[] = {
    "partita: 1\n"
    "name: drawn\n"
    "cluster: {pools: [{name: a, nodes: 2, gpus_per_node: 4, gpu: h100-sxm5-80gb, "
    "sharing: {mode: time_slice, replicas: 2}}]}\n"
    "policy: {name: fifo, blocking: skip, placement: spread}\n"
    "trace: {source: synthetic, jobs: 1500, rate_per_s: 0.1, work: lognormal, work_mean: 60}\n"
    "output: {events: true}\n",
    "partita: 1\n"
    "name: placed\n"
    "cluster: {pools: [{name: a, nodes: 4, gpus_per_node: 4, gpu: h100-sxm5-80gb}]}\n"
    "policy: {name: fifo, placement: random}\n"
    "trace:\n"
    "  jobs:\n"
    "    - {id: A, submit_s: 0, work_s: 10}\n"
    "    - {id: B, submit_s: 1, work_s: 20, gpus: 2}\n"
    "    - {id: C, submit_s: 2, work_s: 30}\n"
    "    - {id: D, submit_s: 3, work_s: 40, gpus: 3}\n"
    "output: {events: true}\n"};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static char digests[SEEDS][64];

static void on_ended(void *ctx, size_t index, const struct pt_run_facts *facts,
                     const struct pt_error *error)
{
    size_t *count = ctx;
    if (error->status != PT_OK) die("a run failed", error->message);
    snprintf(digests[index], sizeof digests[index], "%s", facts->digest);
    *count += 1;
}

static void replicate(const char *text, const char *directory, unsigned threads)
{
    struct pt_error error;
    struct pt_seeds seeds;
    size_t count = 0;
    if (pt_seeds_parse(&seeds, "3..8", &error) != PT_OK ||
        pt_seed_directory_make(directory, &error) != PT_OK)
        die(directory, error.message);
    struct pt_replicate_request request = {.file = "experiment",
                                           .text = text,
                                           .length = strlen(text),
                                           .seeds = &seeds,
                                           .directory = directory,
                                           .threads = threads,
                                           .ended = on_ended,
                                           .ctx = &count};
    if (pt_replicate(&request, &error) != PT_OK) die(directory, error.message);
    if (count != SEEDS || seeds.count != SEEDS) die(directory, "some runs are missing");
    pt_seeds_fini(&seeds);
}

/* What one run with the seed writes. */
static void alone(const char *text, const char *directory, uint64_t seed)
{
    struct pt_config *config = NULL;
    struct pt_run *run = NULL;
    struct pt_messages messages;
    struct pt_error error;
    char set[32];
    const char *sets[] = {set};
    char *path = pt_seed_path(directory, seed);
    struct pt_run_options options = {.result_path = path};
    snprintf(set, sizeof set, "seed=%d", (int)seed);
    pt_messages_init(&messages);
    if (pt_seed_directory_make(directory, &error) != PT_OK ||
        pt_config_load_text(&config, "experiment", text, strlen(text), NULL, sets, 1, &messages) !=
            PT_OK ||
        pt_run_prepare(&run, config, &options, &messages) != PT_OK ||
        pt_run_execute(run, &error) != PT_OK)
        die("a single run", "failed");
    pt_run_free(run);
    pt_config_free(config);
    pt_messages_fini(&messages);
    free(path);
}

static void same_bytes(const char *one, const char *two, uint64_t seed)
{
    char *a = pt_seed_path(one, seed), *b = pt_seed_path(two, seed);
    FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
    if (!first || !second) die("can't open", first ? b : a);
    long place = 0;
    int x, y;
    do {
        x = getc(first);
        y = getc(second);
        place++;
    } while (x == y && x != EOF);
    fclose(first);
    fclose(second);
    if (x != y) die(a, "differs");
    if (place < 5000) die(a, "is suspiciously short");
    free(a);
    free(b);
}

static void test(const char *text)
{
    static const char *const directories[] = {"one", "two", "five"};
    replicate(text, directories[0], 1);
    replicate(text, directories[1], 2);
    replicate(text, directories[2], 5);
    unsigned different = 0;
    for (size_t i = 1; i < SEEDS; i++)
        different += strcmp(digests[i], digests[0]) != 0;
    if (different < SEEDS - 2) die("seeds", "give the same events");
    for (uint64_t seed = 3; seed < 3 + SEEDS; seed++) {
        alone(text, "alone", seed);
        for (size_t i = 0; i < 3; i++)
            same_bytes("alone", directories[i], seed);
    }
    printf("%u of %d seeds differ from the first; files are the same\n", different, SEEDS - 1);
}

int main(void)
{
    for (size_t i = 0; i < sizeof experiments / sizeof experiments[0]; i++)
        test(experiments[i]);
    return 0;
}
