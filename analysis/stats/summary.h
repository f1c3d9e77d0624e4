/* The metrics of a run (product.md "Metrics", semantics.md sections 5-6), for all jobs and by
 * tenant, pool, tier and kind.
 *
 * A metric whose inputs do not exist is not in the table; one with nothing under it is NaN with
 * count 0, and printed as null or "-": never 0 (counts, and the makespan of no jobs, are 0).
 */
#ifndef PT_STATS_SUMMARY_H
#define PT_STATS_SUMMARY_H

#include "analysis/stats/outcomes.h"
#include "partita/cluster.h"
#include "partita/sim.h"

/* Bounds of one SLA tier; NaN or PT_NEVER = no such bound. */
struct pt_sla_bounds {
    const char *name;
    double max_slowdown, max_jct_increase, max_sharing_increase;
    int64_t max_wait_ns, max_jct_ns;
};

/* What the summary is computed from; borrowed for the call. */
struct pt_summary_input {
    const struct pt_cluster *cluster;
    const struct pt_trace *trace;
    const struct pt_outcomes *outcomes;
    const struct pt_sim *sim; /* for the exact integrals */
    uint32_t tier_count;
    const struct pt_sla_bounds *tiers;
    const uint32_t *tier_of_sla_word; /* tier of each word of column `sla`, PT_NONE = none */
    const uint32_t *tier_of_tenant;   /* by tenant index; PT_NONE = none */
    uint32_t default_tier;            /* PT_NONE = none */
    uint32_t tenant_count;            /* names and weights by tenant index */
    const char *const *tenant_names;
    const double *tenant_weights;
    const uint32_t *tenant_of_word; /* NULL: all jobs are of tenant 0 */
    int64_t warmup_ns;
    double electricity_price; /* of a kWh; 0 = not counted */
    /* For the job table. Values of the words of column `priority` (NULL: all are whole numbers),
     * and of tenants, for jobs without a priority of their own (NULL: 0). */
    const int64_t *priority_of_word, *priority_of_tenant;
};

struct pt_metric {
    const char *name; /* "jct_mean_s" */
    const char *unit; /* "s", "", "GPU", ... */
    double value;     /* NaN = nothing under it */
    uint64_t count;   /* observations under it */
    bool is_count;    /* print as a whole number */
};

/* One group: dimension "" and label "" for all jobs; "tenant", "pool", "tier", "kind" else. */
struct pt_metric_group {
    const char *dimension, *label;
    uint32_t count;
    struct pt_metric *metrics;
};

struct pt_summary {
    uint32_t group_count;
    struct pt_metric_group *groups; /* the first is all jobs */
};

PT_USE_RESULT enum pt_status pt_summary_create(struct pt_summary **summary,
                                               const struct pt_summary_input *input,
                                               struct pt_error *error);
void pt_summary_destroy(struct pt_summary *summary);
/* The metric of this name in a group, or NULL. */
const struct pt_metric *pt_summary_find(const struct pt_metric_group *group, const char *name);

/* Per job, for the job table: PT_NONE tier = no bounds. */
uint32_t pt_summary_tier_of_job(const struct pt_summary_input *input, pt_job job);
/* 1 met, 0 missed, -1 the job has no bound. */
int pt_summary_sla_met(const struct pt_summary_input *input, pt_job job);

/* What a job is charged: the GPU time it held by share, at its price; NaN without a price. */
double pt_summary_cost_of_job(const struct pt_summary_input *input, pt_job job);

/* One known metric, for `partita list metrics` and for refusing unknown names. */
struct pt_metric_info {
    const char *name, *unit, *help;
};
extern const struct pt_metric_info pt_metric_infos[]; /* NULL-named row ends it */

/* The names of those that people look at first, in the order in which they are shown;
 * NULL-terminated. */
extern const char *const pt_headline_metrics[];

/* GPU work offered / GPU time there between the first and the last submission, on reference GPUs:
 * said before a run. Jobs that never fit are left out. NaN when the span is 0. */
double pt_offered_load(const struct pt_summary_input *input);

#endif
