#include <stddef.h>

#include "partita/random.h"
#include "tests/property/slow_policy.h"

/* Orders by semantics.md, section 4, as comparisons: what is absent goes last. */

static const struct slow_job *job_of(const struct slow_run *run, uint32_t job)
{
    return &run->world->jobs[job];
}

static bool never(const struct slow_run *run, uint32_t a, uint32_t b)
{
    (void)run, (void)a, (void)b;
    return false;
}

static bool shorter(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return job_of(run, a)->work_ns < job_of(run, b)->work_ns;
}

static bool smaller(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return job_of(run, a)->gpus < job_of(run, b)->gpus;
}

static bool less_left(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return slow_left_ns(run, a) < slow_left_ns(run, b);
}

static bool less_area_left(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return slow_left_ns(run, a) * job_of(run, a)->gpus <
           slow_left_ns(run, b) * job_of(run, b)->gpus;
}

static int64_t estimated_area(const struct slow_job *job)
{
    return job->estimate_ns == SLOW_ABSENT ? SLOW_NEVER : job->estimate_ns * job->gpus;
}

static bool less_estimated_area(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return estimated_area(job_of(run, a)) < estimated_area(job_of(run, b));
}

static int64_t due_ns(const struct slow_job *job)
{
    return job->deadline_ns == SLOW_ABSENT ? SLOW_NEVER : job->submit_ns + job->deadline_ns;
}

static bool due_earlier(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return due_ns(job_of(run, a)) < due_ns(job_of(run, b));
}

static bool higher(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return job_of(run, a)->priority > job_of(run, b)->priority;
}

/* GPU seconds of the job's tenant so far, in GPU ns, without decay. */
static int64_t used_ns(const struct slow_run *run, uint32_t job)
{
    int64_t sum = 0;
    for (uint32_t j = 0; j < run->world->job_count; j++)
        if (job_of(run, j)->tenant == job_of(run, job)->tenant)
            sum += slow_served_ns(run, j) * job_of(run, j)->gpus;
    return sum;
}

static double weight_of(const struct slow_run *run, uint32_t job)
{
    return run->world->weight[job_of(run, job)->tenant];
}

static bool less_of_its_share(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return (double)used_ns(run, a) * weight_of(run, b) <
           (double)used_ns(run, b) * weight_of(run, a);
}

static bool drawn_lower(const struct slow_run *run, uint32_t a, uint32_t b)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    unsigned long of[2];
    const uint32_t jobs[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        pt_rng_seed(rng, run->world->seed, PT_PURPOSE_POLICY, jobs[i]);
        of[i] = gsl_rng_get(rng);
    }
    gsl_rng_free(rng);
    return of[0] < of[1];
}

/* dlas: queues by GPU time served, here with thresholds of 3 and 8 s of it. */
static const int64_t thresholds_ns[] = {3 * PT_NS_PER_S, 8 * PT_NS_PER_S};

static int level(const struct slow_run *run, uint32_t job)
{
    int64_t served_ns = slow_served_ns(run, job) * job_of(run, job)->gpus;
    return (served_ns >= thresholds_ns[0]) + (served_ns >= thresholds_ns[1]);
}

static bool in_higher_queue(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return level(run, a) < level(run, b);
}

static int64_t next_sinks(const struct slow_run *run)
{
    int64_t next = SLOW_NEVER;
    for (uint32_t j = 0; j < run->world->job_count; j++) {
        int queue = level(run, j), gpus = (int)job_of(run, j)->gpus;
        if (run->jobs[j].state != SLOW_RUNNING || queue == 2) continue;
        int64_t more_ns = thresholds_ns[queue] - slow_served_ns(run, j) * gpus;
        int64_t t = run->now_ns + (more_ns + gpus - 1) / gpus;
        if (t < next) next = t;
    }
    return next;
}

/* What the tenant's jobs hold now. */
static double held(const struct slow_run *run, uint32_t tenant)
{
    double gpus = 0;
    for (uint32_t j = 0; j < run->world->job_count; j++)
        if (run->jobs[j].state == SLOW_RUNNING && job_of(run, j)->tenant == tenant)
            gpus += job_of(run, j)->gpus;
    return gpus / run->world->weight[tenant];
}

static bool holds_less(const struct slow_run *run, uint32_t a, uint32_t b)
{
    uint32_t of_a = job_of(run, a)->tenant, of_b = job_of(run, b)->tenant;
    if (of_a == of_b) return false;
    double held_a = held(run, of_a), held_b = held(run, of_b);
    return held_a != held_b ? held_a < held_b : of_a < of_b;
}

/* The same, but equal tenants go by queue order. */
static bool tenant_holds_less(const struct slow_run *run, uint32_t a, uint32_t b)
{
    return held(run, job_of(run, a)->tenant) < held(run, job_of(run, b)->tenant);
}

static bool nobody(const struct slow_run *run, uint32_t job, uint32_t other)
{
    (void)run, (void)job, (void)other;
    return false;
}

const struct slow_policy slow_policies[] = {
    {.name = "fifo", .before = never, .may_stop = nobody},
    {.name = "sjf", .before = shorter},
    {.name = "smallest_first", .before = smaller},
    {.name = "srtf", .before = less_left},
    {.name = "srsf", .before = less_area_left},
    {.name = "qssf", .before = less_estimated_area},
    {.name = "random", .before = drawn_lower},
    {.name = "edf", .before = due_earlier},
    {.name = "priority", .before = higher, .least_disruption = true},
    {.name = "dlas", .before = in_higher_queue, .next = next_sinks, .params = "thresholds=3,8"},
    {.name = "drf", .before = holds_less, .may_stop = nobody, .heads_only = true},
    {.name = "fair_share",
     .before = less_of_its_share,
     .may_stop = nobody,
     .params = "half_life=0s"},
    {.name = "max_min", .before = tenant_holds_less, .may_stop = nobody, .stops_nobody = true},
    {.name = NULL}};
