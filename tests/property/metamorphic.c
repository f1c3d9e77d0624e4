/* Changes to a world whose effect is known without any reference.
 *
 *   metamorphic COUNT [FIRST_SEED]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/worlds.h"

static void run(struct world_answer *answer, const struct world *world)
{
    struct pt_error error;
    if (!world_run_engine(answer, world, &error))
        rig_die("seed %" PRIu64 ": %s: %s", world->seed, pt_status_name(error.status),
                error.message);
}

static void move(int64_t *time_ns, int64_t by_ns)
{
    if (*time_ns != REF_ABSENT && *time_ns != REF_NEVER) *time_ns += by_ns;
}

/* Everything an hour and a ns later: every time moves by as much, and nothing else changes. */
static bool time_shift(const struct world *world, char *difference)
{
    const int64_t by_ns = 3600 * PT_NS_PER_S + 1;
    struct world later = *world;
    struct world_answer before, after;
    for (uint32_t row = 0; row < world->job_count; row++)
        later.jobs[row].submit_ns += by_ns;
    for (uint32_t n = 0; n < WORLD_GPUS; n++)
        for (uint32_t i = 0; i < later.nodes[n].down_count; i++) {
            move(&later.nodes[n].from_ns[i], by_ns);
            move(&later.nodes[n].to_ns[i], by_ns);
        }
    for (uint32_t f = 0; f < later.fault_count; f++)
        move(&later.faults[f].time_ns, by_ns);
    move(&later.horizon_ns, by_ns);
    run(&before, world);
    run(&after, &later);
    for (uint32_t row = 0; row < world->job_count; row++) {
        move(&before.jobs[row].start_ns, by_ns);
        move(&before.jobs[row].end_ns, by_ns);
    }
    return world_same(&after, &before, world, difference, DIFFERENCE_MAX);
}

/* Rows in another order, those of equal submit times among themselves as they were: ids keep their
 * results, and the events are the same bytes. */
static bool row_order(const struct world *world, char *difference)
{
    struct draw draw = {world->seed};
    struct world shuffled = *world;
    struct world_answer before, after, back;
    uint32_t order[WORLD_JOBS], place[WORLD_JOBS];
    for (uint32_t i = 0; i < world->job_count; i++)
        order[i] = i;
    for (uint32_t i = 0; i + 1 < world->job_count; i++) {
        uint32_t j = i + draw_below(&draw, world->job_count - i), kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (uint32_t i = 0; i < world->job_count; i++) /* equal submit times back in row order */
        for (uint32_t j = i + 1; j < world->job_count; j++)
            if (world->jobs[order[i]].submit_ns == world->jobs[order[j]].submit_ns &&
                order[j] < order[i]) {
                uint32_t kept = order[i];
                order[i] = order[j], order[j] = kept;
            }
    for (uint32_t i = 0; i < world->job_count; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < world->job_count; i++) {
        shuffled.jobs[i] = world->jobs[order[i]];
        for (uint32_t k = 0; k < REF_AFTER_MAX; k++)
            if (shuffled.jobs[i].after[k] != REF_NONE)
                shuffled.jobs[i].after[k] = place[shuffled.jobs[i].after[k]];
    }
    run(&before, world);
    run(&after, &shuffled);
    back = after;
    snprintf(difference, DIFFERENCE_MAX, "the digests differ");
    if (strcmp(before.digest, after.digest) != 0) return false;
    for (uint32_t i = 0; i < world->job_count; i++)
        back.jobs[order[i]] = after.jobs[i];
    return world_same(&back, &before, world, difference, DIFFERENCE_MAX);
}

static int by_outcome(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(int64_t[4]));
}

static void multiset(int64_t rows[WORLD_JOBS][4], const struct world *world,
                     const struct world_answer *answer)
{
    memset(rows, 0, sizeof(int64_t[WORLD_JOBS][4]));
    for (uint32_t row = 0; row < world->job_count; row++) {
        rows[row][0] = world->jobs[row].submit_ns;
        rows[row][1] = world->jobs[row].gpus;
        rows[row][2] = answer->jobs[row].start_ns;
        rows[row][3] = answer->jobs[row].end_ns;
    }
    qsort(rows, world->job_count, sizeof rows[0], by_outcome);
}

/* Jobs of one submit time that ask for the same may change places: who is who changes, the
 * multiset of (submit, gpus, start, end) does not. */
static bool equal_times(const struct world *world, char *difference)
{
    struct world twins = *world, reversed;
    struct world_answer before, after;
    int64_t rows[2][WORLD_JOBS][4];
    uint32_t half = (world->job_count + 1) / 2;
    twins.job_count = half * 2;
    for (uint32_t row = 0; row < half; row++) {
        twins.jobs[row].after[0] = twins.jobs[row].after[1] = REF_NONE;
        /* only twins share a submit time */
        twins.jobs[row].submit_ns = twins.jobs[row].submit_ns / WORLD_JOBS * WORLD_JOBS + row;
        twins.jobs[half + row] = twins.jobs[row];
    }
    reversed = twins;
    for (uint32_t row = 0; row < twins.job_count; row++)
        reversed.jobs[row] = twins.jobs[twins.job_count - 1 - row];
    run(&before, &twins);
    run(&after, &reversed);
    multiset(rows[0], &twins, &before);
    multiset(rows[1], &reversed, &after);
    snprintf(difference, DIFFERENCE_MAX, "the multisets of outcomes differ");
    return memcmp(rows[0], rows[1], sizeof rows[0]) == 0;
}

/* A job that asks for nothing and takes no time, somewhere in between. */
static bool no_op(const struct world *world, char *difference)
{
    struct draw draw = {world->seed + 1};
    struct world more = *world;
    struct world_answer before, after;
    if (world->job_count == WORLD_JOBS) return true;
    more.jobs[more.job_count++] = (struct ref_job){
        .submit_ns = (int64_t)(draw_bits(&draw) % (UINT64_C(30) * PT_NS_PER_S)),
        .pool = REF_NONE,
        .nodes_max = REF_NONE,
        .checkpoint_ns = REF_ABSENT,
        .processes = 1,
        .distinct = 2,
        .after = {REF_NONE, REF_NONE},
    };
    run(&before, world);
    run(&after, &more);
    return world_same(&after, &before, world, difference, DIFFERENCE_MAX);
}

/* A policy that works like its inner one, and asks to be woken at random times for nothing. */
static struct {
    const struct pt_policy_ops *inner;
    struct draw draw;
    uint32_t wakes_left;
} woken;

static enum pt_status woken_schedule(void *state, struct pt_ctx *ctx)
{
    if (woken.wakes_left > 0) {
        woken.wakes_left--;
        int64_t later_ns = (int64_t)(draw_bits(&woken.draw) % (UINT64_C(5) * PT_NS_PER_S));
        PT_TRY(pt_ctx_wake_at(ctx, pt_view_now_ns(ctx) + later_ns));
    }
    return woken.inner->schedule(state, ctx);
}

/* Passes at instants at which nothing happens change nothing: the events are the same bytes. */
static bool idle_passes(const struct world *world, char *difference)
{
    struct rig plain, rig;
    world_build(&plain, world);
    world_build(&rig, world);
    woken.inner = rig.world.policy;
    woken.draw = (struct draw){world->seed + 2};
    woken.wakes_left = 40;
    struct pt_policy_ops ops = *rig.world.policy;
    ops.schedule = woken_schedule;
    rig.world.policy = &ops;
    enum pt_status a = rig_run(&plain), b = rig_run(&rig);
    bool same = a == b && strcmp(plain.digest, rig.digest) == 0;
    snprintf(difference, DIFFERENCE_MAX, "%s and %s, or the digests differ", pt_status_name(a),
             pt_status_name(b));
    rig_fini(&plain);
    rig_fini(&rig);
    return same;
}

struct change {
    const char *name;
    enum world_kind kind;
    bool (*holds)(const struct world *world, char *difference);
};

static const struct change changes[] = {
    {"time shift", WORLD_ANY, time_shift},
    {"row order", WORLD_ANY, row_order},
    {"equal submit times", WORLD_ANY, equal_times},
    {"a no-op job", WORLD_STEADY, no_op},
    {"passes without a cause", WORLD_ANY, idle_passes},
};

/* The seeds on which the change has another effect than it should. */
static uint64_t count_broken(const struct change *change, enum world_kind kind, uint64_t count,
                             uint64_t first)
{
    uint64_t broken = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct world world;
        char difference[DIFFERENCE_MAX] = "";
        world_draw(&world, seed, kind);
        if (change->holds(&world, difference)) continue;
        if (broken++ == 0)
            printf("%s, %s, seed %" PRIu64 ": %s\n", change->name, world_kind_names[kind], seed,
                   difference);
    }
    printf("%s: %" PRIu64 " worlds (%s), %" PRIu64 " broken\n", change->name, count,
           world_kind_names[kind], broken);
    return broken;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int failures = 0;
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++) {
        failures += count_broken(&changes[c], changes[c].kind, count, first) != 0;
        if (changes[c].kind == WORLD_ANY)
            failures += count_broken(&changes[c], WORLD_MIXED, count, first) != 0;
    }
    return failures != 0;
}
