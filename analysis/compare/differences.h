/* What differs between two sides, metric by metric, for all jobs and by tenant, pool, tier and
 * kind.
 *
 * Runs of one seed are a pair (common random numbers): a difference is the mean over pairs, with
 * Student's interval on the differences. Sides that share no seed are compared by Welch's. With one
 * run a side there is no interval: the difference is what it is.
 *
 * The headline metrics of a group (pt_headline_metrics) are one family, its others a second: Holm's
 * correction keeps the chance that any of a family is called changed without a change at `alpha`.
 */
#ifndef PT_COMPARE_DIFFERENCES_H
#define PT_COMPARE_DIFFERENCES_H

#include "analysis/compare/side.h"
#include "analysis/stats/bootstrap.h"
#include "analysis/stats/effect.h"
#include "analysis/stats/paired.h"

enum pt_better { PT_BETTER_NEITHER, PT_BETTER_HIGH, PT_BETTER_LOW };
/* Which way a metric is better: a lower JCT, a higher SLA satisfaction; of an allocation or a count
 * of preemptions neither. */
enum pt_better pt_metric_better(const char *name);

struct pt_metric_difference {
    const struct pt_metric_info *metric;
    bool is_count;
    struct pt_difference difference;
    struct pt_bootstrap bootstrap; /* of all jobs alone; NaN elsewhere and where there is none */
    double adjusted_p;             /* NaN = no test */
    enum pt_change change;
    uint64_t seeds_needed; /* more of them until an effect as large as this would tell, at power
                              0.8 and after the correction; 0 where it does or nothing differs */
};

struct pt_group_differences {
    const char *dimension, *label; /* "" and "" for all jobs; borrowed from a side */
    bool in_base, in_new;          /* whether any run there has the group */
    size_t count;                  /* metrics that any run has, in the order of pt_metric_infos */
    struct pt_metric_difference *metrics;
};

struct pt_differences {
    bool paired;
    double level;                 /* of the intervals */
    size_t base_count, new_count; /* runs used; paired: both are the pairs */
    size_t base_alone, new_alone; /* runs left out since the other side lacks their seed */
    size_t group_count;
    struct pt_group_differences *groups; /* the first is all jobs */
};

/* Compares two sides; both must outlive the result. `alpha` above 0 and below 1 (0.05): intervals
 * are at level 1 - alpha. O(groups x metrics x runs), and the bootstrap. Fails for want of memory
 * only. */
PT_USE_RESULT enum pt_status pt_differences_create(struct pt_differences **differences,
                                                   const struct pt_side *base,
                                                   const struct pt_side *changed, double alpha,
                                                   struct pt_error *error);
/* NULL is allowed. */
void pt_differences_destroy(struct pt_differences *differences);

/* The metric of a group, NULL when no run has it. The label need not be NUL-terminated; the
 * dimension "" is all jobs. */
const struct pt_metric_difference *pt_differences_find(const struct pt_differences *differences,
                                                       const char *dimension, const char *label,
                                                       size_t label_length, const char *metric);

#endif
