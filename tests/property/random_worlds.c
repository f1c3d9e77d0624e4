/* The engine against the reference scheduler on random worlds.
 *
 *   random_worlds COUNT [FIRST_SEED]
 *
 * A world on which they differ is shrunk and written to world-SEED.yaml, a scenario for
 * `partita test`. Every world is run with all invariants checked.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/worlds.h"

#define FAILURES_MAX 5

static bool still_differs(const struct world *world, void *ctx)
{
    char difference[DIFFERENCE_MAX];
    uint64_t doubtful = 0;
    (void)ctx;
    return !world_agrees(world, &doubtful, difference, sizeof difference) &&
           strstr(difference, "too fine") == NULL;
}

static void report(struct world *world)
{
    char difference[DIFFERENCE_MAX], name[64];
    uint64_t doubtful = 0;
    struct world_answer answer;
    world_shrink(world, still_differs, NULL);
    world_agrees(world, &doubtful, difference, sizeof difference);
    world_run_reference(&answer, world, NULL);
    snprintf(name, sizeof name, "world-%" PRIu64 ".yaml", world->seed);
    printf("seed %" PRIu64 ": shrunk to %u jobs in %u pools: %s\n", world->seed, world->job_count,
           world->pool_count, difference);
    world_write_scenario(stdout, world, &answer);
    FILE *out = fopen(name, "w");
    if (out == NULL) rig_die("%s can't be written", name);
    world_write_scenario(out, world, &answer);
    if (fclose(out) != 0) rig_die("%s can't be written", name);
    printf("written to %s\n\n", name);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t doubtful = 0, failures = 0;
    uint64_t by_state[REF_UNSCHEDULABLE + 1] = {0};
    printf("seeds %" PRIu64 "..%" PRIu64 "\n", first, first + count - 1);
    for (uint64_t seed = first; seed < first + count && failures < FAILURES_MAX; seed++) {
        struct world world;
        struct world_answer answer;
        char difference[DIFFERENCE_MAX];
        world_draw(&world, seed, WORLD_ANY);
        world_run_reference(&answer, &world, NULL);
        if (answer.verdict == REF_OUTSIDE)
            rig_die("seed %" PRIu64 ": too fine for the reference", seed);
        for (uint32_t row = 0; row < world.job_count; row++)
            by_state[answer.jobs[row].state]++;
        if (world_agrees(&world, &doubtful, difference, sizeof difference)) continue;
        printf("seed %" PRIu64 ": %s\n", seed, difference);
        failures++;
        report(&world);
    }
    printf("%" PRIu64 " worlds: %" PRIu64 " differ; %" PRIu64
           " decisions within the engine's 2^-60\n",
           count, failures, doubtful);
    printf("jobs: %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64 " withdrawn, %" PRIu64
           " unschedulable, %" PRIu64 " running, %" PRIu64 " waiting\n",
           by_state[REF_DONE], by_state[REF_FAILED], by_state[REF_WITHDRAWN],
           by_state[REF_UNSCHEDULABLE], by_state[REF_RUNNING],
           by_state[REF_FUTURE] + by_state[REF_HELD] + by_state[REF_PENDING]);
    return failures != 0;
}
