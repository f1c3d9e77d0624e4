#include <math.h>
#include <string.h>

#include "sim/cli/format.h"
#include "sim/cli/summary.h"
#include "sim/cli/terminal.h"

enum { LABEL = 14, CELL = 10, ROWS_MAX = 12 };

struct page {
    FILE *out;
    bool color;
    const struct pt_run_facts *facts;
};

static const char *on(const struct page *page, enum pt__style style)
{
    return pt__style(page->color, style);
}

/* "Policy        " in bold; what follows is the caller's. */
static void label(const struct page *page, const char *text)
{
    fprintf(page->out, "%s%-*s%s", on(page, PT__BOLD), LABEL, text, on(page, PT__PLAIN));
}

static double value_of(const struct pt_metric_group *group, const char *name)
{
    const struct pt_metric *metric = pt_summary_find(group, name);
    return metric ? metric->value : NAN;
}

/* ---- before ---- */

static void never_fits_lines(const struct page *page)
{
    const struct pt_never_fits *never = &page->facts->never_fits;
    char count[PT__TEXT_MAX], id[PT_ID_BUFFER];
    if (never->count == 0) return;
    label(page, "Never fits");
    fprintf(page->out, "%s%s job%s%s\n", on(page, PT__YELLOW),
            pt__format_count(count, never->count), never->count == 1 ? "" : "s",
            on(page, PT__PLAIN));
    for (int i = 0; i < PT_REASON_COUNT; i++) {
        if (never->by_reason[i] == 0) continue;
        fprintf(page->out, "%*s%s: %s (first: %s)\n", LABEL, "",
                pt__format_count(count, never->by_reason[i]), pt_reason_text((enum pt_reason)i),
                pt_trace_id(page->facts->trace, never->first[i], id));
    }
}

static void trace_line(const struct page *page)
{
    const struct pt_run_facts *facts = page->facts;
    const struct pt_trace_spec *spec = &facts->config->trace;
    char rows[PT__TEXT_MAX], bad[PT__TEXT_MAX];
    label(page, "Trace");
    fputs(spec->reader ? spec->reader->name : "inline", page->out);
    if (spec->path_as_written) fprintf(page->out, ", %s", spec->path_as_written);
    fprintf(page->out, ": %s row%s read", pt__format_count(rows, facts->read.rows),
            facts->read.rows == 1 ? "" : "s");
    if (facts->read.bad_rows)
        fprintf(page->out, ", %s%s bad one%s skipped%s", on(page, PT__YELLOW),
                pt__format_count(bad, facts->read.bad_rows), facts->read.bad_rows == 1 ? "" : "s",
                on(page, PT__PLAIN));
    if (facts->read.dropped)
        fprintf(page->out, ", %s dropped", pt__format_count(bad, facts->read.dropped));
    if (!facts->trace->was_sorted) fputs(", sorted by submit time (they came unsorted)", page->out);
    fputc('\n', page->out);
}

static void load_line(const struct page *page)
{
    const struct pt_trace *trace = page->facts->trace;
    char number[PT__TEXT_MAX], span[PT__TEXT_MAX];
    label(page, "Offered load");
    if (isnan(page->facts->offered_load)) {
        fputs("- (all jobs are submitted at once, or there are none)\n", page->out);
        return;
    }
    const int64_t *submit = pt_trace_submit_ns(trace);
    int64_t length = submit[trace->job_count - 1] - submit[0];
    fprintf(page->out, "%s%s%s of the GPUs, over %s of submissions\n", on(page, PT__BOLD),
            pt__format_percent(number, page->facts->offered_load), on(page, PT__PLAIN),
            pt__format_duration(span, pt_seconds(length)));
}

static void cluster_lines(const struct page *page)
{
    const struct pt_cluster *cluster = &page->facts->config->cluster;
    for (uint32_t i = 0; i < cluster->pool_count; i++) {
        const struct pt_pool *pool = &cluster->pools[i];
        label(page, i == 0 ? "Cluster" : "");
        fprintf(page->out, "%s: %u node%s x %u %s, %s", pool->name, pool->node_count,
                pool->node_count == 1 ? "" : "s", pool->gpus_per_node, pool->gpu->name,
                pool->unit->name);
        if (pool->shape.capacity > 1 && pool->shape.levels && !pool->unit->nested)
            fprintf(page->out, ", %u a GPU", pool->shape.capacity);
        if (pool->price_micro_per_hour >= 0)
            fprintf(page->out, ", %.10g an hour", 1e-6 * (double)pool->price_micro_per_hour);
        fputc('\n', page->out);
    }
}

static void params(const struct page *page, const struct pt_param *param,
                   const struct pt_value *value)
{
    for (; param && param->name; param++, value++)
        if (param->type == PT_PARAM_CHOICE && strcmp(param->name, "placement") != 0)
            fprintf(page->out, ", %s %s", param->name, param->choices[value->integer]);
}

static void policy_line(const struct page *page)
{
    const struct pt_config *config = page->facts->config;
    label(page, "Policy");
    fputs(config->policy->name, page->out);
    params(page, config->policy->params, config->policy_params);
    fprintf(page->out, ", placement %s", config->placement->name);
    if (config->preemption.mode != PT_PREEMPTION_NONE)
        fprintf(page->out, ", preemption %s", pt_preemption_mode_names[config->preemption.mode]);
    fputc('\n', page->out);
}

void pt__summary_head(FILE *out, bool color, const struct pt_run_facts *facts)
{
    struct page page = {out, color, facts};
    if (facts->config->name && facts->config->name[0])
        fprintf(out, "%s%s%s\n\n", on(&page, PT__CYAN), facts->config->name, on(&page, PT__PLAIN));
    trace_line(&page);
    cluster_lines(&page);
    policy_line(&page);
    load_line(&page);
    never_fits_lines(&page);
}

/* ---- after ---- */

/* What is told behind the states of jobs, where it happened at all. */
static const struct {
    const char *name, *before, *one, *many;
} happenings[] = {{"preemptions", "preempted ", " time", " times"},
                  {"migrations", "moved ", " time", " times"},
                  {"oom_events", "out of GPU memory ", " time", " times"},
                  {"reconfigurations", "MIG instances changed ", " time", " times"},
                  {"reconfiguration_failures", "", " attempt to change them failed",
                   " attempts to change them failed"},
                  {"faults", "faults ended ", " attempt", " attempts"}};

static void jobs_line(const struct page *page, const struct pt_metric_group *all)
{
    static const struct {
        const char *name;
        enum pt__style style;
        bool always;
    } states[] = {{"done", PT__GREEN, true},         {"failed", PT__RED, false},
                  {"killed", PT__RED, false},        {"withdrawn", PT__YELLOW, false},
                  {"unschedulable", PT__RED, false}, {"running", PT__CYAN, false},
                  {"pending", PT__YELLOW, false}};
    char count[PT__TEXT_MAX];
    const char *comma = "";
    label(page, "Jobs");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        double value = value_of(all, states[i].name);
        if (!(value > 0) && !states[i].always) continue;
        fprintf(page->out, "%s%s%s %s%s", comma, on(page, states[i].style),
                pt__format_count(count, value > 0 ? (uint64_t)value : 0), states[i].name,
                on(page, PT__PLAIN));
        comma = ", ";
    }
    for (size_t i = 0; i < sizeof happenings / sizeof happenings[0]; i++) {
        double value = value_of(all, happenings[i].name);
        if (!(value > 0)) continue;
        fprintf(page->out, "; %s%s%s", happenings[i].before,
                pt__format_count(count, (uint64_t)value),
                value == 1 ? happenings[i].one : happenings[i].many);
    }
    fputc('\n', page->out);
}

typedef char *format_fn(char out[PT__TEXT_MAX], double value);

static void distribution(const struct page *page, const struct pt_metric_group *all,
                         const char *title, const char *name, const char *suffix, format_fn *format)
{
    static const char *const parts[] = {"mean", "p50", "p90", "p95", "p99", "max"};
    char full[64], text[PT__TEXT_MAX];
    snprintf(full, sizeof full, "%s_mean%s", name, suffix);
    if (!pt_summary_find(all, full)) return;
    label(page, title);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(full, sizeof full, "%s_%s%s", name, parts[i], suffix);
        fprintf(page->out, "%*s", CELL, format(text, value_of(all, full)));
    }
    fputc('\n', page->out);
}

static void distributions(const struct page *page, const struct pt_metric_group *all)
{
    fprintf(page->out, "\n%s%*s%*s%*s%*s%*s%*s%*s%s\n", on(page, PT__DIM), LABEL, "", CELL, "mean",
            CELL, "p50", CELL, "p90", CELL, "p95", CELL, "p99", CELL, "max", on(page, PT__PLAIN));
    distribution(page, all, "JCT", "jct", "_s", pt__format_duration);
    distribution(page, all, "Wait", "wait", "_s", pt__format_duration);
    distribution(page, all, "Slowdown", "slowdown", "", pt__format_ratio);
    distribution(page, all, "  bounded", "bounded_slowdown", "", pt__format_ratio);
    if (value_of(all, "sharing_increase_max") > 0)
        distribution(page, all, "Sharing cost", "sharing_increase", "", pt__format_percent);
    if (!isnan(value_of(all, "tardiness_max_s")))
        distribution(page, all, "Tardiness", "tardiness", "_s", pt__format_duration);
    fputc('\n', page->out);
}

/* How many tenants have jobs. */
static uint32_t tenants_with_jobs(const struct page *page)
{
    const struct pt_summary *summary = page->facts->summary;
    uint32_t count = 0;
    for (uint32_t i = 1; i < summary->group_count; i++)
        count += strcmp(summary->groups[i].dimension, "tenant") == 0 &&
                 value_of(&summary->groups[i], "jobs") > 0;
    return count;
}

static void rates(const struct page *page, const struct pt_metric_group *all)
{
    static const struct {
        const char *title, *name;
        format_fn *format;
    } lines[] = {{"Utilisation", "utilization", pt__format_percent},
                 {"Allocation", "allocation", pt__format_percent},
                 {"Goodput", "goodput", pt__format_percent},
                 {"Fragmentation", "fragmentation", pt__format_percent},
                 {"SLA met", "sla_satisfaction", pt__format_percent},
                 {"Fairness", "jain_fairness", pt__format_ratio},
                 {"Makespan", "makespan_s", pt__format_duration}};
    char text[PT__TEXT_MAX], count[PT__TEXT_MAX];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct pt_metric *metric = pt_summary_find(all, lines[i].name);
        bool among_one = strcmp(lines[i].name, "jain_fairness") == 0 && tenants_with_jobs(page) < 2;
        if (!metric || among_one) continue;
        label(page, lines[i].title);
        fprintf(page->out, "%*s", CELL, lines[i].format(text, metric->value));
        if (strcmp(lines[i].name, "sla_satisfaction") == 0 && metric->count)
            fprintf(page->out, "  of %s jobs with a bound", pt__format_count(count, metric->count));
        fputc('\n', page->out);
    }
}

static char *format_kwh(char out[PT__TEXT_MAX], double value)
{
    char number[PT__TEXT_MAX];
    bool small = value < 1;
    pt__format_ratio(number, small ? 1000 * value : value);
    snprintf(out, PT__TEXT_MAX, "%.20s %s", number, small ? "Wh" : "kWh");
    return out;
}

/* What there is of energy and money; the unit of money is the experiment's. */
static void money(const struct page *page, const struct pt_metric_group *all)
{
    static const struct {
        const char *title, *name;
        format_fn *format;
    } lines[] = {{"Energy", "energy_kwh", format_kwh},
                 {"Cost", "cost", pt__format_ratio},
                 {"  a job", "cost_per_job", pt__format_ratio},
                 {"  idle", "idle_cost", pt__format_ratio}};
    char text[PT__TEXT_MAX];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        double value = value_of(all, lines[i].name);
        if (isnan(value)) continue;
        label(page, lines[i].title);
        fprintf(page->out, "%*s\n", CELL, lines[i].format(text, value));
    }
}

/* ---- tables by pool, tenant, tier, kind ---- */

static const struct {
    const char *title, *name;
    format_fn *format;
} group_cells[] = {{"JCT mean", "jct_mean_s", pt__format_duration},
                   {"JCT p95", "jct_p95_s", pt__format_duration},
                   {"wait mean", "wait_mean_s", pt__format_duration},
                   {"slow p95", "slowdown_p95", pt__format_ratio},
                   {"util", "utilization", pt__format_percent},
                   {"SLA met", "sla_satisfaction", pt__format_percent},
                   {"cost", "cost", pt__format_ratio}};

enum { GROUP_CELLS = sizeof group_cells / sizeof group_cells[0] };

static double jobs_of(const struct pt_metric_group *group)
{
    double jobs = value_of(group, "jobs");
    return jobs > 0 ? jobs : 0;
}

/* The groups of a dimension that have jobs, most jobs first unless `in_order`; of equal ones in
 * their own order. Returns how many there are, of which at most ROWS_MAX are in `rows`. */
static uint32_t pick_groups(const struct pt_metric_group *rows[ROWS_MAX],
                            const struct pt_summary *summary, const char *dimension, bool in_order)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 1; i < summary->group_count; i++) {
        const struct pt_metric_group *group = &summary->groups[i];
        if (strcmp(group->dimension, dimension) != 0 || (jobs_of(group) == 0 && !in_order))
            continue;
        count++;
        uint32_t place = kept;
        while (!in_order && place > 0 && jobs_of(rows[place - 1]) < jobs_of(group))
            place--;
        if (place == ROWS_MAX) continue;
        if (kept < ROWS_MAX) kept++;
        for (uint32_t k = kept - 1; k > place; k--)
            rows[k] = rows[k - 1];
        rows[place] = group;
    }
    return count;
}

static void group_row(const struct page *page, const struct pt_metric_group *group,
                      const bool shown[GROUP_CELLS])
{
    char text[PT__TEXT_MAX];
    fprintf(page->out, "  %-*.*s%*s", LABEL + 4, LABEL + 3, group->label, CELL - 2,
            pt__format_count(text, (uint64_t)jobs_of(group)));
    for (size_t i = 0; i < GROUP_CELLS; i++)
        if (shown[i])
            fprintf(page->out, "%*s", CELL,
                    group_cells[i].format(text, value_of(group, group_cells[i].name)));
    fputc('\n', page->out);
}

static void group_table(const struct page *page, const char *title, const char *dimension,
                        bool in_order)
{
    const struct pt_metric_group *rows[ROWS_MAX];
    uint32_t count = pick_groups(rows, page->facts->summary, dimension, in_order);
    uint32_t kept = count < ROWS_MAX ? count : ROWS_MAX;
    bool shown[GROUP_CELLS] = {false};
    if (count < 2) return; /* one group says what all jobs say */
    for (uint32_t row = 0; row < kept; row++)
        for (size_t i = 0; i < GROUP_CELLS; i++)
            shown[i] |= !isnan(value_of(rows[row], group_cells[i].name));
    fprintf(page->out, "\n%s%-*s%s%s%*s", on(page, PT__BOLD), LABEL + 6, title, on(page, PT__PLAIN),
            on(page, PT__DIM), CELL - 2, "jobs");
    for (size_t i = 0; i < GROUP_CELLS; i++)
        if (shown[i]) fprintf(page->out, "%*s", CELL, group_cells[i].title);
    fprintf(page->out, "%s\n", on(page, PT__PLAIN));
    for (uint32_t row = 0; row < kept; row++)
        group_row(page, rows[row], shown);
    if (kept < count) fprintf(page->out, "  ... and %u more: --json has all\n", count - kept);
}

void pt__summary_assumptions(FILE *out, bool color, const struct pt_run_facts *facts)
{
    struct page page = {out, color, facts};
    if (facts->assumption_count == 0) return;
    fprintf(out, "\n%sAssumptions%s\n", on(&page, PT__BOLD), on(&page, PT__PLAIN));
    for (uint32_t i = 0; i < facts->assumption_count; i++)
        fprintf(out, "  - %s\n", facts->assumptions[i]);
}

void pt__summary_text(FILE *out, bool color, const struct pt_run_facts *facts)
{
    struct page page = {out, color, facts};
    const struct pt_metric_group *all = &facts->summary->groups[0];
    if (facts->status != PT_OK)
        fprintf(out, "%sPartial: %s%s\n", on(&page, PT__RED), pt_status_text(facts->status),
                on(&page, PT__PLAIN));
    jobs_line(&page, all);
    distributions(&page, all);
    rates(&page, all);
    money(&page, all);
    group_table(&page, "Pool", "pool", true);
    group_table(&page, "Tenant", "tenant", false);
    group_table(&page, "SLA tier", "tier", false);
    group_table(&page, "Kind", "kind", false);
    pt__summary_assumptions(out, color, facts);
    fputc('\n', out);
    label(&page, "Digest");
    fprintf(out, "%s\n", facts->digest);
    if (facts->result_file) {
        label(&page, "Result");
        fprintf(out, "%s\n", facts->result_file);
    }
}
