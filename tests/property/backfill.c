/* Backfilling in small worlds of equal GPUs.
 *
 *   backfill reference [WORLDS [FIRST_SEED]]   job by job as a scheduler that plans each second
 * anew backfill promises [WORLDS [FIRST_SEED]]    where estimates are true, nobody starts later
 * than first promised, and nobody delays the head backfill optimum [WORLDS [FIRST_SEED]]     no
 * policy beats the best of all schedules
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/property/slow_backfill.h"
#include "tests/property/worlds.h"

static void draw_world(struct fill_world *world, uint64_t seed, int jobs_max, bool truthful)
{
    struct draw draw = {seed};
    *world = (struct fill_world){.nodes = 1 + (int)draw_below(&draw, 3)};
    world->gpus = world->nodes * (1 + (int)draw_below(&draw, world->nodes > 1 ? 2 : 6));
    world->job_count = 1 + (int)draw_below(&draw, (uint32_t)jobs_max);
    world->conservative = draw_chance(&draw, 50);
    world->kill = !truthful && draw_chance(&draw, 40);
    world->depth = !truthful && world->conservative && draw_chance(&draw, 20)
                       ? 1 + (int)draw_below(&draw, 4)
                       : 0;
    uint32_t spread = 1 + draw_below(&draw, 30);
    int submit = 0;
    for (int j = 0; j < world->job_count; j++) {
        struct fill_job *job = &world->jobs[j];
        submit += (int)draw_below(&draw, 1 + spread / 4);
        job->submit = submit;
        job->work = 1 + (int)draw_below(&draw, draw_chance(&draw, 30) ? 30 : 8);
        job->gpus = 1 + (int)draw_below(&draw, (uint32_t)world->gpus);
        if (draw_chance(&draw, 50)) job->gpus = 1 + job->gpus / 3;
        job->estimate = job->work;
        if (truthful || draw_chance(&draw, 40)) continue;
        job->estimate = draw_chance(&draw, 25) ? 0 : 1 + (int)draw_below(&draw, 40);
    }
}

static void show(const struct fill_world *world)
{
    printf("  %s, %d GPUs on %d nodes%s, depth %d\n",
           world->conservative ? "conservative_backfill" : "easy_backfill", world->gpus,
           world->nodes, world->kill ? ", overrun: kill" : "", world->depth);
    for (int j = 0; j < world->job_count; j++)
        printf("  job %d: submit %d work %d gpus %d estimate %d\n", j, world->jobs[j].submit,
               world->jobs[j].work, world->jobs[j].gpus, world->jobs[j].estimate);
}

/* Runs the engine; false where it does not end well. */
static bool run(struct rig *rig, const struct fill_world *world, const char *policy,
                const char *params)
{
    rig_init(rig);
    rig_add_pool(rig, &rig_h100, (uint32_t)world->nodes, (uint32_t)(world->gpus / world->nodes),
                 "exclusive", "");
    rig_set_policy(rig, policy, params, "first_fit");
    rig->world.preemption.mode = PT_PREEMPTION_NONE;
    for (int j = 0; j < world->job_count; j++) {
        const struct fill_job *job = &world->jobs[j];
        char text[16];
        pt_job row = rig_add_job(rig, job->submit * PT_NS_PER_S, job->work * PT_NS_PER_S,
                                 (uint32_t)job->gpus);
        snprintf(text, sizeof text, "%d", job->estimate);
        rig_set_cell(rig, row, PT_COL_ESTIMATE, job->estimate == 0 ? "" : text);
    }
    enum pt_status status = rig_run(rig);
    if (status != PT_OK) printf("%s %s: %s\n", policy, params, rig->error.message);
    return status == PT_OK;
}

static bool run_backfill(struct rig *rig, const struct fill_world *world)
{
    char params[64], depth[24] = "";
    if (world->depth > 0) snprintf(depth, sizeof depth, "depth=%d", world->depth);
    snprintf(params, sizeof params, "overrun=%s %s", world->kill ? "kill" : "extend", depth);
    return run(rig, world, world->conservative ? "conservative_backfill" : "easy_backfill", params);
}

/* ---- as the slow scheduler ---- */

static bool same(const struct fill_world *world, bool say)
{
    static struct rig rig;
    struct fill_fate fates[FILL_JOBS];
    fill_run(fates, world);
    bool equal = run_backfill(&rig, world);
    for (int j = 0; j < world->job_count && rig.error.status == PT_OK; j++) {
        const struct pt_job_result *is = &rig.results[j];
        bool killed = is->state == PT_STATE_KILLED;
        if ((killed || is->state == PT_STATE_DONE) && killed == fates[j].killed &&
            is->start_ns == fates[j].start * PT_NS_PER_S &&
            is->end_ns == fates[j].end * PT_NS_PER_S)
            continue;
        equal = false;
        if (say)
            printf("  job %d: %g..%g%s; slowly %d..%d%s\n", j, 1e-9 * (double)is->start_ns,
                   1e-9 * (double)is->end_ns, killed ? " killed" : "", fates[j].start, fates[j].end,
                   fates[j].killed ? " killed" : "");
    }
    rig_fini(&rig);
    return equal;
}

/* Takes jobs away as long as the two still differ. */
static void shrink(struct fill_world *world)
{
    for (int j = world->job_count; j-- > 0;) {
        struct fill_world less = *world;
        memmove(&less.jobs[j], &less.jobs[j + 1],
                (size_t)(less.job_count - j - 1) * sizeof less.jobs[0]);
        less.job_count--;
        if (less.job_count > 0 && !same(&less, false)) *world = less;
    }
}

static bool reference(uint64_t seed)
{
    struct fill_world world;
    draw_world(&world, seed, FILL_JOBS, false);
    if (same(&world, false)) return true;
    shrink(&world);
    show(&world);
    (void)same(&world, true);
    return false;
}

/* ---- what is promised is kept ---- */

static uint64_t promised, backfilled;

static bool promises(uint64_t seed)
{
    static struct rig rig;
    struct fill_world world;
    struct fill_fate fates[FILL_JOBS];
    draw_world(&world, seed, 7, true);
    fill_run(fates, &world);
    bool kept = run_backfill(&rig, &world);
    int first = -1; /* that ever had to wait */
    for (int j = 0; j < world.job_count && kept; j++) {
        kept = rig.results[j].start_ns <= fates[j].promised * PT_NS_PER_S;
        promised += fates[j].promised != FILL_FOREVER;
        if (!kept) printf("  job %d starts later than the promised %d s\n", j, fates[j].promised);
        if (first < 0 && rig.results[j].start_ns > world.jobs[j].submit * PT_NS_PER_S) first = j;
        backfilled += j > 0 && rig.results[j].start_ns < rig.results[j - 1].start_ns;
    }
    if (kept && first >= 0) { /* it starts as if there were nobody behind it */
        int64_t start_ns = rig.results[first].start_ns;
        struct fill_world before = world;
        before.job_count = first + 1;
        rig_fini(&rig);
        kept = run_backfill(&rig, &before) && rig.results[first].start_ns == start_ns;
        if (!kept) printf("  job %d starts at another time than with nobody behind it\n", first);
    }
    rig_fini(&rig);
    if (!kept) show(&world);
    return kept;
}

/* ---- nobody is better than the best ---- */

static uint64_t best_met;

static bool not_better(const struct fill_world *world, const char *policy, int sum_of_ends,
                       int last_end)
{
    static struct rig rig;
    int64_t sum_ns = 0, last_ns = 0;
    bool all = run(&rig, world, policy, ""), ok = rig.error.status == PT_OK;
    for (int j = 0; j < world->job_count && ok; j++) {
        const struct pt_job_result *is = &rig.results[j];
        all = all && is->state == PT_STATE_DONE;
        sum_ns += is->end_ns;
        if (is->end_ns > last_ns) last_ns = is->end_ns;
    }
    rig_fini(&rig);
    if (ok && all) {
        ok = sum_ns >= sum_of_ends * PT_NS_PER_S && last_ns >= last_end * PT_NS_PER_S;
        best_met += sum_ns == sum_of_ends * PT_NS_PER_S && last_ns == last_end * PT_NS_PER_S;
        if (!ok)
            printf("  %s: ends add up to %g s and the last is %g s; no schedule has less than %d "
                   "and %d\n",
                   policy, 1e-9 * (double)sum_ns, 1e-9 * (double)last_ns, sum_of_ends, last_end);
    } else if (ok) {
        printf("  %s: not all jobs are done\n", policy);
        ok = false;
    }
    return ok;
}

static bool optimum(uint64_t seed)
{
    struct fill_world world;
    int sum_of_ends, last_end;
    draw_world(&world, seed, 7, true);
    fill_optimum(&sum_of_ends, &last_end, &world);
    for (size_t i = 0; pt_policies[i] != NULL; i++)
        if (!not_better(&world, pt_policies[i]->name, sum_of_ends, last_end)) {
            show(&world);
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*holds)(uint64_t seed);
    } tests[] = {{"reference", reference}, {"promises", promises}, {"optimum", optimum}};
    uint64_t worlds = argc > 2 ? strtoull(argv[2], NULL, 10) : 500;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
        if (argc < 2 || strcmp(argv[1], tests[t].name) != 0) continue;
        for (uint64_t seed = first; seed < first + worlds; seed++)
            if (!tests[t].holds(seed)) {
                printf("backfill %s: seed %" PRIu64 "\n", argv[1], seed);
                return 1;
            }
        bool met = worlds < 100 || (tests[t].holds == promises  ? promised > 0 && backfilled > 0
                                    : tests[t].holds == optimum ? best_met > 0
                                                                : true);
        printf("%s: %" PRIu64 " worlds\n", argv[1], worlds);
        return met ? 0 : 1;
    }
    rig_die("backfill reference|promises|optimum [WORLDS [FIRST_SEED]]");
}
