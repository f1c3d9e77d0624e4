#include <stddef.h>

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

const struct slow_policy slow_policies[] = {
    {"fifo", never, never, NULL, false, NULL},
    {"sjf", shorter, NULL, NULL, false, NULL},
    {"smallest_first", smaller, NULL, NULL, false, NULL},
    {"srtf", less_left, NULL, NULL, false, NULL},
    {"srsf", less_area_left, NULL, NULL, false, NULL},
    {"qssf", less_estimated_area, NULL, NULL, false, NULL},
    {"edf", due_earlier, NULL, NULL, false, NULL},
    {"priority", higher, NULL, NULL, true, NULL},
    {"fair_share", less_of_its_share, never, NULL, false, "half_life=0s"},
    {NULL, NULL, NULL, NULL, false, NULL},
};
