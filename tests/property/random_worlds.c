/* The engine against the reference scheduler on random worlds.
 *
 *   random_worlds COUNT [FIRST_SEED [KIND]]
 *   random_worlds --seen                         tests that a difference would be noticed
 *   random_worlds --scenarios FILE COUNT [KIND]  writes worlds as scenarios with the reference's
 *                                                answers
 *
 * KIND: any (whole GPUs and time slices), mps, fractional, vgpu, mig, mixed.
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

static int compare_worlds(uint64_t count, uint64_t first, enum world_kind kind)
{
    uint64_t doubtful = 0, failures = 0;
    uint64_t by_state[REF_UNSCHEDULABLE + 1] = {0};
    printf("%s, seeds %" PRIu64 "..%" PRIu64 "\n", world_kind_names[kind], first,
           first + count - 1);
    for (uint64_t seed = first; seed < first + count && failures < FAILURES_MAX; seed++) {
        struct world world;
        struct world_answer answer;
        char difference[DIFFERENCE_MAX];
        world_draw(&world, seed, kind);
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

/* ---- would a fault be seen? The engine is told another world than the reference ---- */

static void other_blocking(struct world *world)
{
    world->strict = !world->strict;
}
static void other_loss(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        world->pools[p].loss_ppm += world->pools[p].mode == REF_TIME_SLICE;
}
static void other_placement(struct world *world)
{
    world->placement = world->placement == REF_SPREAD ? REF_PACK : REF_SPREAD;
}
static void other_share(struct world *world)
{
    for (uint32_t row = 0; row < world->job_count; row++)
        if (world->jobs[row].frac_ppm > 1) world->jobs[row].frac_ppm--;
}
static void other_start(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        world->pools[p].start = world->pools[p].start == REF_FIRST ? REF_DRIVER : REF_FIRST;
}
static void other_change(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        if (world->pools[p].change == REF_WHEN_IDLE) world->pools[p].change = REF_PARTIAL;
}
static void other_clients(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        world->pools[p].replicas += world->pools[p].mode == REF_MPS;
}
static void other_strictness(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        world->pools[p].strict = !world->pools[p].strict;
}
static void other_checkpoint(struct world *world)
{
    for (uint32_t row = 0; row < world->job_count; row++)
        if (world->jobs[row].checkpoint_ns == REF_NEVER) world->jobs[row].checkpoint_ns = 0;
}
static void no_cold_starts(struct world *world)
{
    world->cold_ns = 0;
}
static void no_restores(struct world *world)
{
    world->restore_ns = world->restore_gib_ns = 0;
}
static void no_faults(struct world *world)
{
    world->fault_count = 0;
}
static void other_order(struct world *world)
{
    for (uint32_t row = 0; row < world->job_count; row++)
        world->jobs[row].submit_ns += row == 0;
}

struct fault {
    const char *name;
    void (*plant)(struct world *world);
    enum world_kind kind;
};

static bool differs_with_fault(const struct world *world, void *ctx)
{
    const struct fault *fault = ctx;
    struct world faulty = *world;
    struct world_answer engine, reference;
    struct pt_error error;
    char difference[DIFFERENCE_MAX];
    fault->plant(&faulty);
    if (!world_run_engine(&engine, &faulty, &error)) return true;
    world_run_reference(&reference, world, NULL);
    return !world_same(&engine, &reference, world, difference, sizeof difference);
}

static int test_seen(void)
{
    static const struct fault faults[] = {
        {"the other blocking", other_blocking, WORLD_ANY},
        {"a switch loss off by a millionth", other_loss, WORLD_ANY},
        {"another placement", other_placement, WORLD_ANY},
        {"a checkpoint forgotten", other_checkpoint, WORLD_ANY},
        {"a job a nanosecond late", other_order, WORLD_ANY},
        {"cold starts forgotten", no_cold_starts, WORLD_ANY},
        {"restores forgotten", no_restores, WORLD_MIXED},
        {"faults forgotten", no_faults, WORLD_MIXED},
        {"a client more", other_clients, WORLD_MPS},
        {"the other strictness", other_strictness, WORLD_FRACTIONAL},
        {"a fraction off by a millionth", other_share, WORLD_MIXED},
        {"another start rule", other_start, WORLD_MIG},
        {"changes that do not wait for the whole GPU", other_change, WORLD_MIG},
        {"placements where little is disturbed", other_placement, WORLD_MIG},
    };
    int unseen = 0;
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        struct fault fault = faults[f];
        uint64_t seed = 1;
        struct world world, shrunk;
        world_draw(&world, seed, fault.kind);
        while (seed < 500 && !differs_with_fault(&world, &fault))
            world_draw(&world, ++seed, fault.kind);
        if (seed == 500) {
            printf("%s: NOT SEEN in 500 worlds\n", fault.name);
            unseen++;
            continue;
        }
        shrunk = world;
        world_shrink(&shrunk, differs_with_fault, &fault);
        printf("%s: seen with seed %" PRIu64 ", shrunk from %u jobs to %u\n", fault.name, seed,
               world.job_count, shrunk.job_count);
        unseen += shrunk.job_count > 4 || !differs_with_fault(&shrunk, &fault);
    }
    return unseen != 0;
}

/* Worlds with a decision in doubt are left out: a scenario has one right answer. */
static int write_scenarios(const char *path, uint64_t count, enum world_kind kind)
{
    uint64_t written = 0;
    FILE *out = fopen(path, "w");
    if (out == NULL) rig_die("%s can't be written", path);
    for (uint64_t seed = 1; written < count; seed++) {
        struct world world;
        struct world_answer answer;
        bool doubtful = false;
        world_draw(&world, seed, kind);
        world_run_reference(&answer, &world, NULL);
        for (uint32_t row = 0; row < world.job_count; row++)
            doubtful = doubtful || answer.jobs[row].doubts != 0;
        if (doubtful) continue;
        if (written++ > 0) fprintf(out, "---\n");
        world_write_scenario(out, &world, &answer);
    }
    if (fclose(out) != 0) rig_die("%s can't be written", path);
    printf("%" PRIu64 " scenarios in %s\n", written, path);
    return 0;
}

static enum world_kind kind_of(const char *name)
{
    int kind = 0;
    while (kind < WORLD_KINDS && strcmp(world_kind_names[kind], name) != 0)
        kind++;
    if (kind == WORLD_KINDS) rig_die("no kind %s of worlds", name);
    return (enum world_kind)kind;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--seen") == 0) return test_seen();
    if (argc > 3 && strcmp(argv[1], "--scenarios") == 0)
        return write_scenarios(argv[2], strtoull(argv[3], NULL, 10),
                               argc > 4 ? kind_of(argv[4]) : WORLD_ANY);
    return compare_worlds(argc > 1 ? strtoull(argv[1], NULL, 10) : 500,
                          argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
                          argc > 3 ? kind_of(argv[3]) : WORLD_ANY);
}
