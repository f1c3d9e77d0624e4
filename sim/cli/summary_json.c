#include <math.h>
#include <string.h>

#include "sim/cli/summary.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
    return value ? json_string(value) : json_null();
}

static json_t *metrics(const struct pt_metric_group *group)
{
    json_t *all = json_object();
    for (uint32_t i = 0; i < group->count; i++) {
        const struct pt_metric *metric = &group->metrics[i];
        bool whole = metric->is_count && isfinite(metric->value);
        json_object_set_new(all, metric->name,
                            whole ? json_integer((json_int_t)metric->value)
                                  : number(metric->value));
    }
    return all;
}

static void add_groups(json_t *root, const struct pt_summary *summary)
{
    static const char *const dimensions[][2] = {
        {"pool", "pools"}, {"tenant", "tenants"}, {"tier", "tiers"}, {"kind", "kinds"}};
    json_object_set_new(root, "summary", metrics(&summary->groups[0]));
    for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; d++) {
        json_t *labels = json_object();
        for (uint32_t i = 1; i < summary->group_count; i++)
            if (strcmp(summary->groups[i].dimension, dimensions[d][0]) == 0)
                json_object_set_new(labels, summary->groups[i].label, metrics(&summary->groups[i]));
        json_object_set_new(root, dimensions[d][1], labels);
    }
}

static json_t *trace(const struct pt_run_facts *facts)
{
    const struct pt_trace_spec *spec = &facts->config->trace;
    return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:b}", "source",
                     spec->reader ? spec->reader->name : "inline", "path",
                     text(spec->path_as_written), "rows", (json_int_t)facts->read.rows, "accepted",
                     (json_int_t)facts->read.accepted, "bad_rows", (json_int_t)facts->read.bad_rows,
                     "dropped", (json_int_t)facts->read.dropped, "sorted",
                     facts->trace->was_sorted);
}

static json_t *never_fits(const struct pt_run_facts *facts)
{
    json_t *reasons = json_object();
    for (int i = 0; i < PT_REASON_COUNT; i++)
        if (facts->never_fits.by_reason[i])
            json_object_set_new(reasons, pt_reason_text((enum pt_reason)i),
                                json_integer(facts->never_fits.by_reason[i]));
    return json_pack("{s:I, s:o}", "jobs", (json_int_t)facts->never_fits.count, "reasons", reasons);
}

static json_t *assumptions(const struct pt_run_facts *facts)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < facts->assumption_count; i++)
        json_array_append_new(list, json_string(facts->assumptions[i]));
    return list;
}

json_t *pt__summary_json(const struct pt_run_facts *facts)
{
    const struct pt_config *config = facts->config;
    json_t *root = json_object();
    json_object_set_new(root, "partita", json_string(PARTITA_VERSION));
    json_object_set_new(root, "name", text(config->name));
    json_object_set_new(root, "seed", json_integer((json_int_t)config->seed));
    json_object_set_new(root, "policy", json_string(config->policy->name));
    json_object_set_new(root, "placement", json_string(config->placement->name));
    json_object_set_new(root, "preemption",
                        json_string(pt_preemption_mode_names[config->preemption.mode]));
    json_object_set_new(root, "trace", trace(facts));
    json_object_set_new(root, "offered_load", number(facts->offered_load));
    json_object_set_new(root, "never_fits", never_fits(facts));
    json_object_set_new(root, "assumptions", assumptions(facts));
    if (facts->summary) {
        json_object_set_new(root, "status", json_string(pt_status_text(facts->status)));
        json_object_set_new(root, "digest", text(facts->digest));
        json_object_set_new(root, "result", text(facts->result_file));
        add_groups(root, facts->summary);
        json_object_set_new(root, "events", json_integer((json_int_t)facts->stats.events));
        json_object_set_new(root, "host",
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "read_s", facts->read_s,
                                      "wall_s", facts->wall_s, "policy_s", facts->policy_s,
                                      "write_s", facts->write_s, "decision_p50_s",
                                      1e-9 * (double)facts->stats.decision_p50_ns, "decision_p99_s",
                                      1e-9 * (double)facts->stats.decision_p99_ns));
    }
    return root;
}
