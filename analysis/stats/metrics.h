/* The names of the metrics, in the order in which they are shown; one table for enum and texts. */
#ifndef PT_STATS_METRICS_H
#define PT_STATS_METRICS_H

#include "analysis/stats/summary.h"

/* COUNT(name, help) whole numbers; VALUE(name, unit, help) one number; DIST(name, suffix, unit,
 * help) the mean, p50, p90, p95, p99 and max of a quantity. */
#define PT_METRIC_MAP(COUNT, VALUE, DIST)                                                          \
    COUNT(jobs, "jobs in the trace")                                                               \
    COUNT(done, "jobs that ended well")                                                            \
    COUNT(failed, "jobs that failed for good")                                                     \
    COUNT(killed, "jobs stopped for overrunning their estimate")                                   \
    COUNT(withdrawn, "jobs that gave up waiting")                                                  \
    COUNT(unschedulable, "jobs that the empty cluster can't hold, or whose predecessor failed")    \
    COUNT(running, "jobs still running at the end of the world")                                   \
    COUNT(pending, "jobs not started at the end of the world")                                     \
    COUNT(preemptions, "times a job was stopped for another")                                      \
    COUNT(migrations, "times a running job was moved to other GPUs")                               \
    COUNT(reconfigurations, "times the instances of a MIG GPU were changed")                       \
    COUNT(reconfiguration_failures, "attempts to change them that failed")                         \
    COUNT(faults, "attempts that a fault of a node or GPU ended")                                  \
    COUNT(oom_events, "attempts that ran out of GPU memory")                                       \
    DIST(jct, _s, "s", "job completion time, end - submit, of done jobs")                          \
    DIST(wait, _s, "s", "first start - submit, of jobs that started")                              \
    DIST(queue, _s, "s", "all time not running, of done jobs")                                     \
    DIST(slowdown, , "", "completion time / ideal, of done jobs")                                  \
    DIST(bounded_slowdown, , "", "max(1, completion time / max(ideal, 10 s)), of done jobs")       \
    DIST(jct_increase, , "", "completion time / ideal - 1, of done jobs")                          \
    DIST(sharing_increase, , "", "running time / ideal - 1, of done jobs")                         \
    DIST(finish_time_fairness, , "",                                                               \
         "completion time / (ideal x tenants with jobs), of done jobs; 1 = as on its own share")   \
    VALUE(sla_satisfaction, "", "jobs that met every bound / jobs that have one")                  \
    DIST(tardiness, _s, "s", "end past the deadline or 0, of done jobs that have one")             \
    VALUE(makespan_s, "s", "last end - first submit")                                              \
    VALUE(utilization, "", "GPU time with a running resident / GPU time there")                    \
    VALUE(allocation, "", "GPU equivalents held / GPU time there")                                 \
    VALUE(fragmentation, "", "share of idle capacity that the mix of requests can't use")          \
    VALUE(goodput, "", "work of done jobs / GPU time there, in reference GPUs")                    \
    VALUE(offered_load, "", "work submitted / GPU time there while it was, in reference GPUs")     \
    VALUE(jain_fairness, "", "Jain's index over tenants of GPU time got / weight")                 \
    VALUE(energy_kwh, "kWh", "energy of the GPUs over the window of rates")                        \
    VALUE(cost, "", "GPU time there at its price, and electricity; of jobs: the share they held")  \
    VALUE(cost_per_job, "", "cost / done jobs")                                                    \
    VALUE(idle_cost, "", "cost of GPU time that no job held")

enum pt_metric_id {
#define PT_COUNT_ENUM(name, help) PT_METRIC_##name,
#define PT_VALUE_ENUM(name, unit, help) PT_METRIC_##name,
#define PT_DIST_ENUM(name, suffix, unit, help)                                                     \
    PT_METRIC_##name, PT_METRIC_##name##_p50, PT_METRIC_##name##_p90, PT_METRIC_##name##_p95,      \
        PT_METRIC_##name##_p99, PT_METRIC_##name##_max,
    PT_METRIC_MAP(PT_COUNT_ENUM, PT_VALUE_ENUM, PT_DIST_ENUM)
#undef PT_COUNT_ENUM
#undef PT_VALUE_ENUM
#undef PT_DIST_ENUM
        PT_METRIC_COUNT_
};

/* Six metrics of a distribution follow each other in this order, from the one named after it. */
enum {
    PT_DIST_MEAN,
    PT_DIST_P50,
    PT_DIST_P90,
    PT_DIST_P95,
    PT_DIST_P99,
    PT_DIST_MAX,
    PT_DIST_SIZE
};

/* Sets the next metric of a group that has room for PT_METRIC_COUNT_ of them. */
void pt__metric_add(struct pt_metric_group *group, enum pt_metric_id id, double value,
                    uint64_t count);
void pt__metric_add_count(struct pt_metric_group *group, enum pt_metric_id id, uint64_t count);

#endif
