#include "tests/property/slow_backfill.h"

#include <string.h>

/* Long enough for all jobs of a world, one behind the other, and their estimates. */
#define SECONDS 2000

enum state { WAITS, RUNS, OVER };

struct scene {
    const struct fill_world *world;
    struct fill_fate *fates;
    enum state state[FILL_JOBS];
    int now;
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* When a running job is expected to end. */
static int expected_end(const struct scene *scene, int j)
{
    int estimate = scene->world->jobs[j].estimate;
    if (estimate == 0) return FILL_FOREVER;
    int end = scene->fates[j].start + estimate;
    return end < scene->now ? scene->now : end;
}

/* GPUs of running jobs that are expected to run beyond that time. */
static int held_beyond(const struct scene *scene, int time)
{
    int held = 0;
    for (int j = 0; j < scene->world->job_count; j++)
        if (scene->state[j] == RUNS && expected_end(scene, j) > time)
            held += scene->world->jobs[j].gpus;
    return held;
}

static int free_now(const struct scene *scene)
{
    int held = 0;
    for (int j = 0; j < scene->world->job_count; j++)
        if (scene->state[j] == RUNS) held += scene->world->jobs[j].gpus;
    return scene->world->gpus - held;
}

static void start(struct scene *scene, int j)
{
    scene->state[j] = RUNS;
    scene->fates[j].start = scene->now;
}

static bool waits(const struct scene *scene, int j)
{
    return scene->state[j] == WAITS && scene->world->jobs[j].submit <= scene->now;
}

static void easy(struct scene *scene)
{
    const struct fill_world *world = scene->world;
    int head = 0;
    for (; head < world->job_count; head++) {
        if (!waits(scene, head)) continue;
        if (world->jobs[head].gpus > free_now(scene)) break;
        start(scene, head);
    }
    if (head == world->job_count) return;
    int shadow = scene->now;
    while (shadow < SECONDS && world->gpus - held_beyond(scene, shadow) < world->jobs[head].gpus)
        shadow++;
    if (shadow == SECONDS) shadow = FILL_FOREVER;
    scene->fates[head].promised = least(scene->fates[head].promised, shadow);
    for (int j = head + 1; j < world->job_count; j++) {
        const struct fill_job *job = &world->jobs[j];
        if (!waits(scene, j) || job->gpus > free_now(scene)) continue;
        bool by_then = job->estimate > 0 && scene->now + job->estimate <= shadow;
        int left = world->gpus - held_beyond(scene, shadow) - world->jobs[head].gpus;
        if (shadow == FILL_FOREVER || by_then || job->gpus <= left) start(scene, j);
    }
}

static void conservative(struct scene *scene)
{
    const struct fill_world *world = scene->world;
    static int used[SECONDS];
    for (int t = scene->now; t < SECONDS; t++)
        used[t] = held_beyond(scene, t);
    int waiting = 0;
    for (int j = 0; j < world->job_count; j++) {
        const struct fill_job *job = &world->jobs[j];
        if (!waits(scene, j)) continue;
        if (world->depth > 0 && waiting == world->depth) break;
        waiting++;
        for (int from = scene->now; from < SECONDS; from++) {
            int to = job->estimate == 0 ? SECONDS : least(from + job->estimate, SECONDS), t = from;
            while (t < to && used[t] + job->gpus <= world->gpus)
                t++;
            if (t < to) continue;
            for (t = from; t < to; t++)
                used[t] += job->gpus;
            scene->fates[j].promised = least(scene->fates[j].promised, from);
            if (from == scene->now && job->gpus <= free_now(scene)) {
                start(scene, j);
                waiting--;
            }
            break;
        }
    }
}

/* Work that ends, then jobs that have run for their estimate. */
static int ends(struct scene *scene)
{
    int ended = 0;
    for (int j = 0; j < scene->world->job_count; j++) {
        const struct fill_job *job = &scene->world->jobs[j];
        struct fill_fate *fate = &scene->fates[j];
        if (scene->state[j] != RUNS) continue;
        bool done = fate->start + job->work == scene->now;
        fate->killed = !done && scene->world->kill && job->estimate > 0 &&
                       fate->start + job->estimate == scene->now;
        if (!done && !fate->killed) continue;
        scene->state[j] = OVER;
        fate->end = scene->now;
        ended++;
    }
    return ended;
}

/* Whether somebody comes now, or is expected to end. */
static bool is_due(const struct scene *scene)
{
    for (int j = 0; j < scene->world->job_count; j++) {
        const struct fill_job *job = &scene->world->jobs[j];
        if (job->submit == scene->now) return true;
        if (scene->state[j] == RUNS && job->estimate > 0 &&
            scene->fates[j].start + job->estimate == scene->now)
            return true;
    }
    return false;
}

void fill_run(struct fill_fate fates[FILL_JOBS], const struct fill_world *world)
{
    struct scene scene = {.world = world, .fates = fates};
    for (int j = 0; j < world->job_count; j++)
        fates[j] = (struct fill_fate){.promised = FILL_FOREVER};
    for (int left = world->job_count; left > 0 && scene.now < SECONDS; scene.now++) {
        int ended = ends(&scene);
        left -= ended;
        if (ended == 0 && !is_due(&scene)) continue;
        if (world->conservative)
            conservative(&scene);
        else
            easy(&scene);
    }
}

/* ---- the best of all schedules ---- */

struct search {
    const struct fill_world *world;
    int used[SECONDS];
    bool placed[FILL_JOBS];
    int best_sum, best_last;
};

/* Each job in turn as early as those placed before it let it: over all orders these are the active
 * schedules, and one of them is best by any measure that grows with the ends (Sprecher, Kolisch and
 * Drexl, EJOR 80, 1995). */
static void place_next(struct search *search, int count, int sum, int last)
{
    const struct fill_world *world = search->world;
    if (sum >= search->best_sum && last >= search->best_last) return;
    if (count == world->job_count) {
        search->best_sum = least(search->best_sum, sum);
        search->best_last = least(search->best_last, last);
        return;
    }
    for (int j = 0; j < world->job_count; j++) {
        const struct fill_job *job = &world->jobs[j];
        if (search->placed[j]) continue;
        int from = job->submit;
        for (int t = from; t < from + job->work; t++)
            if (search->used[t] + job->gpus > world->gpus) from = t + 1;
        for (int t = from; t < from + job->work; t++)
            search->used[t] += job->gpus;
        search->placed[j] = true;
        int end = from + job->work;
        place_next(search, count + 1, sum + end, end > last ? end : last);
        search->placed[j] = false;
        for (int t = from; t < end; t++)
            search->used[t] -= job->gpus;
    }
}

void fill_optimum(int *sum_of_ends, int *last_end, const struct fill_world *world)
{
    static struct search search;
    memset(&search, 0, sizeof search);
    search.world = world;
    search.best_sum = search.best_last = FILL_FOREVER;
    place_next(&search, 0, 0, 0);
    *sum_of_ends = search.best_sum;
    *last_end = search.best_last;
}
