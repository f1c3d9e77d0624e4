#include "analysis/stats/distributions.h"

#include <math.h>

#include "analysis/stats/quantiles.h"

#define TAU_NS (10 * PT_NS_PER_S)

static const unsigned percents[] = {50, 90, 95, 99};
#define PERCENT_COUNT (sizeof(percents) / sizeof(percents[0]))

struct distribution {
    uint64_t count;
    double stats[PT_DIST_SIZE]; /* NaN when count is 0 */
};

/* The jobs that a distribution looks at, and the columns it needs. */
struct sample {
    const struct pt_outcomes *outcomes;
    const int64_t *submit_ns, *work_ns, *deadline_ns;
    int64_t warmup_ns;
    const pt_job *jobs;
    size_t count;
    double *scratch;
};

static bool is_counted(const struct sample *s, pt_job job)
{
    return s->submit_ns[job] >= s->warmup_ns;
}

static bool is_done(const struct sample *s, pt_job job)
{
    return s->outcomes->state[job] == PT_STATE_DONE && is_counted(s, job);
}

static int64_t jct_ns(const struct sample *s, pt_job job)
{
    return s->outcomes->end_ns[job] - s->submit_ns[job];
}

/* PT_TIME_ABSENT = this job does not count. */
static inline int64_t observe_time(const struct sample *s, enum pt_metric_id what, pt_job job)
{
    const struct pt_outcomes *o = s->outcomes;
    if (what == PT_METRIC_wait) {
        if (o->start_ns[job] == PT_TIME_ABSENT || !is_counted(s, job)) return PT_TIME_ABSENT;
        return o->start_ns[job] - s->submit_ns[job];
    }
    if (!is_done(s, job)) return PT_TIME_ABSENT;
    if (what == PT_METRIC_jct) return jct_ns(s, job);
    if (what == PT_METRIC_queue) return jct_ns(s, job) - o->running_ns[job];
    if (s->deadline_ns[job] == PT_TIME_ABSENT) return PT_TIME_ABSENT;
    int64_t late_ns = jct_ns(s, job) - s->deadline_ns[job];
    return late_ns > 0 ? late_ns : 0;
}

/* NaN = this job does not count. Ratios of whole nanoseconds, rounded once. */
static inline double observe_ratio(const struct sample *s, enum pt_metric_id what, pt_job job)
{
    if (!is_done(s, job)) return NAN;
    int64_t work_ns = s->work_ns[job];
    if (what == PT_METRIC_bounded_slowdown) {
        int64_t ideal_ns = work_ns > TAU_NS ? work_ns : TAU_NS;
        return jct_ns(s, job) > ideal_ns && work_ns > 0 ? (double)jct_ns(s, job) / (double)ideal_ns
                                                        : 1;
    }
    if (work_ns == 0) return NAN;
    int64_t time_ns =
        what == PT_METRIC_jct_increase ? jct_ns(s, job) : s->outcomes->running_ns[job];
    return (double)(time_ns - work_ns) / (double)work_ns;
}

static void percentiles(struct distribution *d, double *values, double scale)
{
    double quantiles[PERCENT_COUNT];
    pt__quantiles(quantiles, values, d->count, percents, PERCENT_COUNT);
    for (size_t i = 0; i < PERCENT_COUNT; i++)
        d->stats[PT_DIST_P50 + i] = quantiles[i] / scale;
}

static struct distribution nothing(void)
{
    return (struct distribution){0, {NAN, NAN, NAN, NAN, NAN, NAN}};
}

static struct distribution time_distribution(const struct sample *s, enum pt_metric_id what)
{
    struct distribution d = nothing();
    pt_u128 sum_ns = 0;
    int64_t max_ns = 0;
    for (size_t i = 0; i < s->count; i++) {
        int64_t ns = observe_time(s, what, s->jobs == NULL ? (pt_job)i : s->jobs[i]);
        if (ns == PT_TIME_ABSENT) continue;
        s->scratch[d.count++] = (double)ns;
        sum_ns += (uint64_t)ns;
        if (ns > max_ns) max_ns = ns;
    }
    if (d.count == 0) return d;
    percentiles(&d, s->scratch, (double)PT_NS_PER_S);
    d.stats[PT_DIST_MEAN] = (double)sum_ns / (double)d.count / (double)PT_NS_PER_S;
    d.stats[PT_DIST_MAX] = (double)max_ns / (double)PT_NS_PER_S;
    return d;
}

static struct distribution ratio_distribution(const struct sample *s, enum pt_metric_id what)
{
    struct distribution d = nothing();
    double sum = 0, lost = 0, max = -INFINITY; /* Neumaier's compensated sum */
    for (size_t i = 0; i < s->count; i++) {
        double x = observe_ratio(s, what, s->jobs == NULL ? (pt_job)i : s->jobs[i]);
        if (isnan(x)) continue;
        s->scratch[d.count++] = x;
        double next = sum + x;
        lost += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
        if (x > max) max = x;
    }
    if (d.count == 0) return d;
    percentiles(&d, s->scratch, 1);
    d.stats[PT_DIST_MEAN] = (sum + lost) / (double)d.count;
    d.stats[PT_DIST_MAX] = max;
    return d;
}

static void add(struct pt_metric_group *group, enum pt_metric_id what, const struct distribution *d,
                double shift, double parts)
{
    for (int i = 0; i < PT_DIST_SIZE; i++) {
        pt__metric_add(group, (enum pt_metric_id)((int)what + i), (d->stats[i] + shift) / parts,
                       d->count);
    }
}

static struct sample make_sample(const struct pt_summary_input *input, const pt_job *jobs,
                                 size_t count, double *scratch)
{
    return (struct sample){.outcomes = input->outcomes,
                           .submit_ns = pt_trace_submit_ns(input->trace),
                           .work_ns = pt_trace_work_ns(input->trace),
                           .deadline_ns = input->trace->column[PT_COL_DEADLINE],
                           .warmup_ns = input->warmup_ns,
                           .jobs = jobs,
                           .count = count,
                           .scratch = scratch};
}

void pt__distributions_add(struct pt_metric_group *group, const struct pt_summary_input *input,
                           const pt_job *jobs, size_t count, uint32_t tenants, double *scratch)
{
    static const enum pt_metric_id times[] = {PT_METRIC_jct, PT_METRIC_wait, PT_METRIC_queue};
    struct sample s = make_sample(input, jobs, count, scratch);
    struct distribution d;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        d = time_distribution(&s, times[i]);
        add(group, times[i], &d, 0, 1);
    }
    /* slowdown is one more than the increase, of every job and so of every statistic */
    struct distribution increase = ratio_distribution(&s, PT_METRIC_jct_increase);
    add(group, PT_METRIC_slowdown, &increase, 1, 1);
    d = ratio_distribution(&s, PT_METRIC_bounded_slowdown);
    add(group, PT_METRIC_bounded_slowdown, &d, 0, 1);
    add(group, PT_METRIC_jct_increase, &increase, 0, 1);
    d = ratio_distribution(&s, PT_METRIC_sharing_increase);
    add(group, PT_METRIC_sharing_increase, &d, 0, 1);
    add(group, PT_METRIC_finish_time_fairness, &increase, 1, tenants > 0 ? tenants : 1);
}

void pt__tardiness_add(struct pt_metric_group *group, const struct pt_summary_input *input,
                       const pt_job *jobs, size_t count, double *scratch)
{
    struct sample s = make_sample(input, jobs, count, scratch);
    if (s.deadline_ns == NULL) return;
    struct distribution d = time_distribution(&s, PT_METRIC_tardiness);
    add(group, PT_METRIC_tardiness, &d, 0, 1);
}
