#include "analysis/stats/metrics.h"

#include <math.h>
#include <string.h>

const struct pt_metric_info pt_metric_infos[] = {
#define PT_COUNT_INFO(name, help) {#name, "", help},
#define PT_VALUE_INFO(name, unit, help) {#name, unit, help},
#define PT_DIST_INFO(name, suffix, unit, help)                                                     \
    {#name "_mean" #suffix, unit, "mean of: " help},                                               \
        {#name "_p50" #suffix, unit, "median of: " help},                                          \
        {#name "_p90" #suffix, unit, "90th percentile of: " help},                                 \
        {#name "_p95" #suffix, unit, "95th percentile of: " help},                                 \
        {#name "_p99" #suffix, unit, "99th percentile of: " help},                                 \
        {#name "_max" #suffix, unit, "largest of: " help},
    PT_METRIC_MAP(PT_COUNT_INFO, PT_VALUE_INFO, PT_DIST_INFO){NULL, NULL, NULL}
#undef PT_COUNT_INFO
#undef PT_VALUE_INFO
#undef PT_DIST_INFO
};

const char *const pt_headline_metrics[] = {"jct_mean_s",
                                           "jct_p50_s",
                                           "jct_p95_s",
                                           "jct_p99_s",
                                           "jct_max_s",
                                           "wait_mean_s",
                                           "wait_p95_s",
                                           "wait_max_s",
                                           "slowdown_mean",
                                           "slowdown_p50",
                                           "slowdown_p95",
                                           "slowdown_p99",
                                           "sla_satisfaction",
                                           "utilization",
                                           "allocation",
                                           "goodput",
                                           "fragmentation",
                                           "jain_fairness",
                                           "makespan_s",
                                           "energy_kwh",
                                           "cost",
                                           "offered_load",
                                           "failed",
                                           "killed",
                                           "withdrawn",
                                           "unschedulable",
                                           "running",
                                           "pending",
                                           "preemptions",
                                           "migrations",
                                           "reconfigurations",
                                           "faults",
                                           "oom_events",
                                           NULL};

void pt__metric_add(struct pt_metric_group *group, enum pt_metric_id id, double value,
                    uint64_t count)
{
    struct pt_metric *metric = &group->metrics[group->count++];
    metric->name = pt_metric_infos[id].name;
    metric->unit = pt_metric_infos[id].unit;
    metric->value = value;
    metric->count = isnan(value) ? 0 : count;
    metric->is_count = false;
}

void pt__metric_add_count(struct pt_metric_group *group, enum pt_metric_id id, uint64_t count)
{
    pt__metric_add(group, id, (double)count, count);
    group->metrics[group->count - 1].is_count = true;
}

const struct pt_metric *pt_summary_find(const struct pt_metric_group *group, const char *name)
{
    for (uint32_t i = 0; i < group->count; i++) {
        if (strcmp(group->metrics[i].name, name) == 0) return &group->metrics[i];
    }
    return NULL;
}
