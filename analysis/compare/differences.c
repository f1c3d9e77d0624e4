#include "analysis/compare/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_PERCENT = 80, BOOTSTRAP_SEED = 1 };

/* ---- which way is better ---- */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

enum pt_better pt_metric_better(const char *name)
{
    /* beginnings of names */
    static const char *const low[] = {"jct_",
                                      "wait_",
                                      "queue_",
                                      "slowdown_",
                                      "bounded_slowdown_",
                                      "sharing_increase_",
                                      "finish_time_fairness_",
                                      "tardiness_",
                                      "makespan_s",
                                      "fragmentation",
                                      "energy_kwh",
                                      "cost",
                                      "idle_cost",
                                      "failed",
                                      "killed",
                                      "withdrawn",
                                      "unschedulable",
                                      "pending",
                                      "oom_events",
                                      "reconfiguration_failures"};
    static const char *const high[] = {"done", "sla_satisfaction", "goodput", "jain_fairness"};
    for (size_t i = 0; i < sizeof low / sizeof low[0]; i++)
        if (begins(name, low[i])) return PT_BETTER_LOW;
    for (size_t i = 0; i < sizeof high / sizeof high[0]; i++)
        if (begins(name, high[i])) return PT_BETTER_HIGH;
    return PT_BETTER_NEITHER;
}

/* ---- which runs, which groups ---- */

/* What a comparison is made from: the runs used of each side, pair by pair if there are pairs, and
 * room for the values of one metric in them. */
struct maker {
    struct pt_differences *result;
    const struct pt_side_run **base, **changed;
    double *base_values, *new_values;
    double alpha;
};

static void match(struct maker *maker, const struct pt_side *base, const struct pt_side *changed)
{
    struct pt_differences *result = maker->result;
    size_t i = 0, j = 0, pairs = 0;
    while (i < base->count && j < changed->count) {
        uint64_t a = base->runs[i].seed, b = changed->runs[j].seed;
        if (a == b) {
            maker->base[pairs] = &base->runs[i];
            maker->changed[pairs++] = &changed->runs[j];
        }
        i += a <= b;
        j += b <= a;
    }
    result->paired = pairs > 0;
    result->base_count = pairs > 0 ? pairs : base->count;
    result->new_count = pairs > 0 ? pairs : changed->count;
    result->base_alone = base->count - result->base_count;
    result->new_alone = changed->count - result->new_count;
    for (i = 0; pairs == 0 && i < base->count; i++)
        maker->base[i] = &base->runs[i];
    for (j = 0; pairs == 0 && j < changed->count; j++)
        maker->changed[j] = &changed->runs[j];
}

static bool is_group(const char *dimension, const char *label, const char *other_dimension,
                     const char *other_label)
{
    return strcmp(label, other_label) == 0 && strcmp(dimension, other_dimension) == 0;
}

/* A run's group; runs of one experiment have theirs in one order, so that the first look, at
 * `near`, mostly finds it. */
static const struct pt_metric_group *group_of(const struct pt_side_run *run, size_t near,
                                              const struct pt_group_differences *wanted)
{
    const struct pt_summary *summary = run->summary;
    for (size_t k = 0; k < summary->group_count; k++) {
        const struct pt_metric_group *group = &summary->groups[(near + k) % summary->group_count];
        if (is_group(group->dimension, group->label, wanted->dimension, wanted->label))
            return group;
    }
    return NULL;
}

static bool is_listed(const struct pt_differences *result, size_t near,
                      const struct pt_metric_group *group)
{
    for (size_t k = 0; k < result->group_count; k++) {
        const struct pt_group_differences *known =
            &result->groups[(near + k) % result->group_count];
        if (is_group(known->dimension, known->label, group->dimension, group->label)) return true;
    }
    return false;
}

static enum pt_status list_groups(struct pt_differences *result,
                                  const struct pt_side_run *const *runs, size_t run_count,
                                  struct pt_error *error)
{
    for (size_t r = 0; r < run_count; r++)
        for (size_t g = 0; g < runs[r]->summary->group_count; g++) {
            const struct pt_metric_group *group = &runs[r]->summary->groups[g];
            if (is_listed(result, g, group)) continue;
            struct pt_group_differences *groups =
                realloc(result->groups, (result->group_count + 1) * sizeof *groups);
            if (!groups) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
            result->groups = groups;
            groups[result->group_count++] =
                (struct pt_group_differences){.dimension = group->dimension, .label = group->label};
        }
    return PT_OK;
}

/* ---- one metric ---- */

/* The values of a metric in the runs of a side, NaN where a run has none. Returns whether any has
 * the metric. */
static bool collect(double *values, bool *is_count, bool *has_group,
                    const struct pt_side_run *const *runs, size_t run_count, size_t near,
                    const struct pt_group_differences *wanted, const char *name)
{
    bool any = false;
    for (size_t r = 0; r < run_count; r++) {
        const struct pt_metric_group *group = group_of(runs[r], near, wanted);
        const struct pt_metric *metric = group ? pt_summary_find(group, name) : NULL;
        values[r] = metric ? metric->value : NAN;
        *has_group |= group != NULL;
        any |= metric != NULL;
        if (metric) *is_count = metric->is_count;
    }
    return any;
}

static enum pt_status differ(struct pt_metric_difference *metric, const struct maker *maker,
                             bool with_bootstrap, struct pt_error *error)
{
    const struct pt_differences *result = maker->result;
    const double *base = maker->base_values, *changed = maker->new_values;
    size_t n = result->base_count, m = result->new_count;
    metric->bootstrap = (struct pt_bootstrap){NAN, NAN, NAN, NAN};
    if (result->paired)
        pt_difference_paired(&metric->difference, base, changed, n, result->level);
    else
        pt_difference_unpaired(&metric->difference, base, n, changed, m, result->level);
    if (!with_bootstrap || n < 2 || m < 2) return PT_OK;
    if (result->paired)
        return pt_bootstrap_paired(&metric->bootstrap, base, changed, n, result->level,
                                   PT_BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, error);
    return pt_bootstrap_unpaired(&metric->bootstrap, base, n, changed, m, result->level,
                                 PT_BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, error);
}

static bool is_headline(const struct pt_metric_difference *metric)
{
    for (const char *const *name = pt_headline_metrics; *name; name++)
        if (strcmp(*name, metric->metric->name) == 0) return true;
    return false;
}

/* A family of metrics: those of a group that are looked at first, or the rest. */
struct family {
    size_t count;
    size_t *at; /* in the group */
    struct pt_difference *differences;
    enum pt_change *changes;
    double *adjusted;
};

static void decide_one(struct pt_metric_difference *metric, const struct family *family, size_t k,
                       size_t tests, double alpha)
{
    const struct pt_difference *d = &metric->difference;
    metric->change = family->changes[k];
    metric->adjusted_p = family->adjusted[k];
    /* at the level that Holm asks of the smallest p: with fewer seeds it would not be seen */
    if (metric->change == PT_CHANGE_UNSURE)
        metric->seeds_needed =
            pt_seeds_needed(d, fabs(d->difference), 1 - alpha / (double)(tests > 0 ? tests : 1),
                            POWER_PERCENT / 100.0);
}

static enum pt_status decide_family(struct pt_group_differences *group, struct family *family,
                                    bool headline, double alpha, struct pt_error *error)
{
    size_t tests = 0;
    family->count = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (is_headline(&group->metrics[i]) != headline) continue;
        tests += isnan(group->metrics[i].difference.p) ? 0u : 1u;
        family->differences[family->count] = group->metrics[i].difference;
        family->at[family->count++] = i;
    }
    PT_TRY(pt_changes(family->changes, family->adjusted, family->differences, NULL, family->count,
                      alpha, error));
    for (size_t k = 0; k < family->count; k++)
        decide_one(&group->metrics[family->at[k]], family, k, tests, alpha);
    return PT_OK;
}

/* Holm over the metrics of a group, and what each difference means. */
static enum pt_status decide(struct pt_group_differences *group, const struct maker *maker,
                             struct pt_error *error)
{
    size_t room = group->count + 1;
    struct family family = {.at = calloc(room, sizeof *family.at),
                            .differences = calloc(room, sizeof *family.differences),
                            .changes = calloc(room, sizeof *family.changes),
                            .adjusted = calloc(room, sizeof *family.adjusted)};
    enum pt_status status = PT_OK;
    if (!family.at || !family.differences || !family.changes || !family.adjusted)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) status = decide_family(group, &family, true, maker->alpha, error);
    if (status == PT_OK) status = decide_family(group, &family, false, maker->alpha, error);
    free(family.at);
    free(family.differences);
    free(family.changes);
    free(family.adjusted);
    return status;
}

static enum pt_status compare_group(struct maker *maker, size_t index, struct pt_error *error)
{
    struct pt_differences *result = maker->result;
    struct pt_group_differences *group = &result->groups[index];
    size_t known = 0;
    while (pt_metric_infos[known].name)
        known++;
    group->metrics = calloc(known + 1, sizeof *group->metrics);
    if (!group->metrics) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (size_t k = 0; k < known; k++) {
        const struct pt_metric_info *info = &pt_metric_infos[k];
        struct pt_metric_difference *metric = &group->metrics[group->count];
        bool in_base = collect(maker->base_values, &metric->is_count, &group->in_base, maker->base,
                               result->base_count, index, group, info->name);
        bool in_new = collect(maker->new_values, &metric->is_count, &group->in_new, maker->changed,
                              result->new_count, index, group, info->name);
        if (!in_base && !in_new) continue;
        metric->metric = info;
        PT_TRY(differ(metric, maker, index == 0, error));
        group->count++;
    }
    return decide(group, maker, error);
}

/* ---- the whole ---- */

static enum pt_status make(struct maker *maker, const struct pt_side *base,
                           const struct pt_side *changed, struct pt_error *error)
{
    struct pt_differences *result = maker->result;
    match(maker, base, changed);
    PT_TRY(list_groups(result, maker->base, result->base_count, error));
    PT_TRY(list_groups(result, maker->changed, result->new_count, error));
    for (size_t g = 0; g < result->group_count; g++)
        PT_TRY(compare_group(maker, g, error));
    return PT_OK;
}

enum pt_status pt_differences_create(struct pt_differences **differences,
                                     const struct pt_side *base, const struct pt_side *changed,
                                     double alpha, struct pt_error *error)
{
    const size_t pointer = sizeof(void *); /* of lists of runs */
    struct maker maker = {.result = calloc(1, sizeof *maker.result),
                          .base_values = calloc(base->count + 1, sizeof(double)),
                          .new_values = calloc(changed->count + 1, sizeof(double)),
                          .base = calloc(base->count + 1, pointer),
                          .changed = calloc(changed->count + 1, pointer),
                          .alpha = alpha};
    enum pt_status status = PT_OK;
    if (!maker.result || !maker.base || !maker.changed || !maker.base_values || !maker.new_values)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) {
        maker.result->level = 1 - alpha;
        status = make(&maker, base, changed, error);
    }
    free((void *)maker.base);
    free((void *)maker.changed);
    free(maker.base_values);
    free(maker.new_values);
    if (status != PT_OK) {
        pt_differences_destroy(maker.result);
        maker.result = NULL;
    }
    *differences = maker.result;
    return status;
}

void pt_differences_destroy(struct pt_differences *differences)
{
    if (!differences) return;
    for (size_t g = 0; g < differences->group_count; g++)
        free(differences->groups[g].metrics);
    free(differences->groups);
    free(differences);
}

const struct pt_metric_difference *pt_differences_find(const struct pt_differences *differences,
                                                       const char *dimension, const char *label,
                                                       size_t label_length, const char *metric)
{
    for (size_t g = 0; g < differences->group_count; g++) {
        const struct pt_group_differences *group = &differences->groups[g];
        if (strcmp(group->dimension, dimension) != 0 || strlen(group->label) != label_length ||
            memcmp(group->label, label, label_length) != 0)
            continue;
        for (size_t i = 0; i < group->count; i++)
            if (strcmp(group->metrics[i].metric->name, metric) == 0) return &group->metrics[i];
    }
    return NULL;
}
