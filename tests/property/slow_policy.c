#include "tests/property/slow_policy.h"

#include <string.h>

/* ---- the cluster ---- */

static uint32_t gpu_count(const struct slow_world *world)
{
    return world->nodes * world->gpus_per_node;
}

static uint32_t node_free(const struct slow_run *run, uint32_t node, const bool *lifted)
{
    uint32_t free_gpus = 0, per_node = run->world->gpus_per_node;
    for (uint32_t g = node * per_node; g < (node + 1) * per_node; g++)
        free_gpus += run->holder[g] == 0 || (lifted != NULL && lifted[run->holder[g] - 1]);
    return free_gpus;
}

static uint32_t take(const struct slow_run *run, uint32_t node, uint32_t wanted, const bool *lifted,
                     uint32_t *gpus)
{
    uint32_t taken = 0, per_node = run->world->gpus_per_node;
    for (uint32_t g = node * per_node; g < (node + 1) * per_node && taken < wanted; g++)
        if (run->holder[g] == 0 || (lifted != NULL && lifted[run->holder[g] - 1]))
            gpus[taken++] = g;
    return taken;
}

/* first_fit with these jobs gone: the GPUs, or false. */
static bool place(const struct slow_run *run, uint32_t job, const bool *lifted, uint32_t *gpus)
{
    const struct slow_world *world = run->world;
    const struct slow_job *j = &world->jobs[job];
    for (uint32_t n = 0; n < world->nodes; n++)
        if (node_free(run, n, lifted) >= j->gpus)
            return take(run, n, j->gpus, lifted, gpus) == j->gpus;
    bool used[SLOW_GPUS] = {false};
    uint32_t got = 0;
    for (uint32_t k = 0; k < j->nodes_max && k < world->nodes && got < j->gpus; k++) {
        uint32_t best = UINT32_MAX, most = 0;
        for (uint32_t n = 0; n < world->nodes; n++) {
            uint32_t room = used[n] ? 0 : node_free(run, n, lifted);
            bool first = j->nodes_max == UINT32_MAX && best != UINT32_MAX;
            if (room == 0 || first || room <= most) continue;
            best = n;
            most = room;
        }
        if (best == UINT32_MAX) break;
        used[best] = true;
        got += take(run, best, j->gpus - got, lifted, gpus + got);
    }
    return got == j->gpus;
}

/* ---- jobs ---- */

static int64_t worked_ns(const struct slow_run *run, uint32_t job)
{
    const struct slow_live *live = &run->jobs[job];
    int64_t ns = run->now_ns - live->since_ns - live->delay_ns;
    return live->state != SLOW_RUNNING || ns < 0 ? 0 : ns;
}

int64_t slow_left_ns(const struct slow_run *run, uint32_t job)
{
    return run->jobs[job].left_ns - worked_ns(run, job);
}

int64_t slow_served_ns(const struct slow_run *run, uint32_t job)
{
    const struct slow_live *live = &run->jobs[job];
    return live->served_ns + (live->state == SLOW_RUNNING ? run->now_ns - live->since_ns : 0);
}

static void leave(struct slow_run *run, uint32_t job)
{
    for (uint32_t g = 0; g < gpu_count(run->world); g++)
        if (run->holder[g] == job + 1) run->holder[g] = 0;
}

static void start(struct slow_run *run, uint32_t job, const uint32_t *gpus)
{
    struct slow_live *live = &run->jobs[job];
    for (uint32_t i = 0; i < run->world->jobs[job].gpus; i++)
        run->holder[gpus[i]] = job + 1;
    live->state = SLOW_RUNNING;
    live->since_ns = run->now_ns;
    live->delay_ns = live->left_ns < run->world->jobs[job].work_ns ? run->world->restore_ns : 0;
    if (live->start_ns == SLOW_ABSENT) live->start_ns = run->now_ns;
}

static void stop(struct slow_run *run, uint32_t job)
{
    const struct slow_job *j = &run->world->jobs[job];
    struct slow_live *live = &run->jobs[job];
    int64_t left_ns = slow_left_ns(run, job), done_ns = j->work_ns - left_ns;
    live->served_ns = slow_served_ns(run, job);
    if (run->world->mode == SLOW_KILL) left_ns = j->work_ns;
    if (run->world->mode == SLOW_CHECKPOINT) {
        if (j->checkpoint_ns == SLOW_ABSENT || j->checkpoint_ns == 0)
            left_ns = j->work_ns;
        else if (j->checkpoint_ns != SLOW_NEVER)
            left_ns = j->work_ns - done_ns / j->checkpoint_ns * j->checkpoint_ns;
    }
    live->left_ns = left_ns;
    live->state = SLOW_PENDING;
    live->preemptions++;
    leave(run, job);
}

static int64_t end_ns(const struct slow_run *run, uint32_t job)
{
    const struct slow_live *live = &run->jobs[job];
    return live->since_ns + live->delay_ns + live->left_ns;
}

/* ---- whose turn ---- */

static bool before(const struct slow_run *run, const struct slow_policy *policy, uint32_t a,
                   uint32_t b)
{
    if (policy->before(run, a, b)) return true;
    return !policy->before(run, b, a) && a < b;
}

/* The waiting jobs in the policy's order. */
static uint32_t queue(const struct slow_run *run, const struct slow_policy *policy, uint32_t *jobs)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < run->world->job_count; j++) {
        if (run->jobs[j].state != SLOW_PENDING) continue;
        uint32_t i = count++;
        for (; i > 0 && before(run, policy, j, jobs[i - 1]); i--)
            jobs[i] = jobs[i - 1];
        jobs[i] = j;
    }
    return count;
}

static uint32_t victims(const struct slow_run *run, const struct slow_policy *policy, uint32_t job,
                        uint32_t *jobs)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < run->world->job_count; j++) {
        if (run->jobs[j].state != SLOW_RUNNING || !run->world->jobs[j].preemptible) continue;
        bool may =
            policy->may_stop == NULL ? policy->before(run, job, j) : policy->may_stop(run, job, j);
        if (!may) continue;
        uint32_t i = count++; /* the last in the order first */
        for (; i > 0 && before(run, policy, jobs[i - 1], j); i--)
            jobs[i] = jobs[i - 1];
        jobs[i] = j;
    }
    return count;
}

/* Stops the last in the order first until the job fits, and keeps whoever need not go. */
static bool stop_last_first(const struct slow_run *run, uint32_t job, const uint32_t *from,
                            uint32_t count, bool *lifted)
{
    uint32_t gpus[SLOW_GPUS], lifts = 0;
    bool fits = false;
    while (!fits && lifts < count) {
        lifted[from[lifts++]] = true;
        fits = place(run, job, lifted, gpus);
    }
    for (uint32_t i = lifts; fits && i-- > 0;) {
        lifted[from[i]] = false;
        if (!place(run, job, lifted, gpus)) lifted[from[i]] = true;
    }
    return fits;
}

/* Compares two sets by semantics.md's rule: fewest GPUs, fewest jobs, lowest priorities (the
 * highest compared first), latest started (the earliest compared first), later in trace order. */
struct set {
    uint32_t gpus, count;
    uint32_t jobs[SLOW_JOBS];
};

static void set_of(const struct slow_run *run, uint32_t bits, const uint32_t *from, uint32_t count,
                   struct set *set)
{
    *set = (struct set){0};
    for (uint32_t i = 0; i < count; i++) {
        if ((bits >> i & 1) == 0) continue;
        set->jobs[set->count++] = from[i];
        set->gpus += run->world->jobs[from[i]].gpus;
    }
}

static void sort(int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && values[k] > values[k - 1]; k--) {
            int64_t swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
}

static void facts(const struct slow_run *run, const struct set *set, int which, int64_t *values)
{
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t j = set->jobs[i];
        values[i] = which == 0   ? run->world->jobs[j].priority
                    : which == 1 ? -run->jobs[j].since_ns
                                 : -(int64_t)j;
    }
    sort(values, set->count);
}

static bool better(const struct slow_run *run, const struct set *a, const struct set *b)
{
    if (a->gpus != b->gpus) return a->gpus < b->gpus;
    if (a->count != b->count) return a->count < b->count;
    for (int which = 0; which < 3; which++) {
        int64_t of_a[SLOW_JOBS], of_b[SLOW_JOBS];
        facts(run, a, which, of_a);
        facts(run, b, which, of_b);
        for (uint32_t i = 0; i < a->count; i++)
            if (of_a[i] != of_b[i]) return of_a[i] < of_b[i];
    }
    return false;
}

static bool stop_fewest(const struct slow_run *run, uint32_t job, const uint32_t *from,
                        uint32_t count, bool *lifted)
{
    struct set best = {.gpus = UINT32_MAX};
    uint32_t gpus[SLOW_GPUS];
    for (uint32_t bits = 1; bits < UINT32_C(1) << count; bits++) {
        struct set set;
        bool gone[SLOW_JOBS] = {false};
        set_of(run, bits, from, count, &set);
        for (uint32_t i = 0; i < set.count; i++)
            gone[set.jobs[i]] = true;
        if (!place(run, job, gone, gpus)) continue;
        if (best.gpus == UINT32_MAX || better(run, &set, &best)) best = set;
    }
    for (uint32_t i = 0; best.gpus != UINT32_MAX && i < best.count; i++)
        lifted[best.jobs[i]] = true;
    return best.gpus != UINT32_MAX;
}

static bool start_over_others(struct slow_run *run, const struct slow_policy *policy, uint32_t job)
{
    uint32_t from[SLOW_JOBS], gpus[SLOW_GPUS];
    bool lifted[SLOW_JOBS] = {false};
    if (run->world->mode == SLOW_NONE) return false;
    uint32_t count = victims(run, policy, job, from);
    bool fits = policy->least_disruption ? stop_fewest(run, job, from, count, lifted)
                                         : stop_last_first(run, job, from, count, lifted);
    if (!fits) return false;
    for (uint32_t j = 0; j < run->world->job_count; j++)
        if (lifted[j]) stop(run, j);
    if (!place(run, job, NULL, gpus)) return false;
    start(run, job, gpus);
    return true;
}

static void pass(struct slow_run *run, const struct slow_policy *policy)
{
    bool acted = true;
    while (acted) {
        uint32_t jobs[SLOW_JOBS], gpus[SLOW_GPUS], count = queue(run, policy, jobs);
        bool out[SLOW_TENANTS] = {false};
        acted = false;
        for (uint32_t i = 0; i < count && !acted; i++) {
            bool *tenant_out = &out[run->world->jobs[jobs[i]].tenant];
            if (policy->heads_only && *tenant_out) continue;
            *tenant_out = true;
            if (place(run, jobs[i], NULL, gpus)) {
                start(run, jobs[i], gpus);
                acted = true;
            } else {
                acted = start_over_others(run, policy, jobs[i]);
            }
            if (!acted && run->world->strict && !policy->heads_only) break;
        }
    }
}

/* ---- the run ---- */

static bool can_ever(const struct slow_world *world, const struct slow_job *job)
{
    uint32_t nodes = (job->gpus + world->gpus_per_node - 1) / world->gpus_per_node;
    return nodes <= world->nodes && nodes <= job->nodes_max;
}

static int64_t next_instant(const struct slow_run *run, const struct slow_policy *policy)
{
    int64_t next = SLOW_NEVER;
    for (uint32_t j = 0; j < run->world->job_count; j++) {
        int64_t t = SLOW_NEVER;
        if (run->jobs[j].state == SLOW_FUTURE) t = run->world->jobs[j].submit_ns;
        if (run->jobs[j].state == SLOW_RUNNING) t = end_ns(run, j);
        if (t < next) next = t;
    }
    if (policy->next == NULL) return next;
    int64_t turn = policy->next(run);
    return turn < next ? turn : next;
}

void slow_run(struct slow_run *run, const struct slow_world *world,
              const struct slow_policy *policy)
{
    memset(run, 0, sizeof *run);
    run->world = world;
    for (uint32_t j = 0; j < world->job_count; j++)
        run->jobs[j] = (struct slow_live){
            .left_ns = world->jobs[j].work_ns, .start_ns = SLOW_ABSENT, .end_ns = SLOW_ABSENT};
    for (int64_t t; (t = next_instant(run, policy)) != SLOW_NEVER;) {
        run->now_ns = t;
        for (uint32_t j = 0; j < world->job_count; j++) {
            struct slow_live *live = &run->jobs[j];
            if (live->state != SLOW_RUNNING || end_ns(run, j) != t) continue;
            live->served_ns = slow_served_ns(run, j);
            live->left_ns = 0;
            live->state = SLOW_DONE;
            live->end_ns = t;
            leave(run, j);
        }
        for (uint32_t j = 0; j < world->job_count; j++)
            if (run->jobs[j].state == SLOW_FUTURE && world->jobs[j].submit_ns == t)
                run->jobs[j].state =
                    can_ever(world, &world->jobs[j]) ? SLOW_PENDING : SLOW_UNSCHEDULABLE;
        pass(run, policy);
    }
}
