#include "sim/experiment/tables.h"

#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "models/units/presets.h"
#include "partita/number.h"
#include "policies/registry.h"
#include "sim/experiment/catalog.h"
#include "sim/experiment/rows.h"
#include "traces/registry.h"

/* ---- what can be picked by name ---- */

static const char *policy_name(size_t index)
{
    return pt_policies[index] ? pt_policies[index]->name : NULL;
}

static const char *policy_summary(size_t index)
{
    return pt_policies[index]->summary;
}

static const struct pt_param *policy_params(size_t index)
{
    return pt_policies[index]->params;
}

static const char *placement_name(size_t index)
{
    return pt_placements[index] ? pt_placements[index]->name : NULL;
}

static const char *placement_summary(size_t index)
{
    return pt_placements[index]->summary;
}

static const struct pt_param *placement_params(size_t index)
{
    return pt_placements[index]->params;
}

static const char *unit_name(size_t index)
{
    return pt_units[index] ? pt_units[index]->name : NULL;
}

static const char *unit_summary(size_t index)
{
    return pt_units[index]->summary;
}

static const struct pt_param *unit_params(size_t index)
{
    return pt_units[index]->params;
}

static const char *reader_name(size_t index)
{
    return pt_readers[index] ? pt_readers[index]->name : NULL;
}

static const char *reader_summary(size_t index)
{
    return pt_readers[index]->summary;
}

static const struct pt_param *reader_params(size_t index)
{
    return pt_readers[index]->params;
}

static const struct pt_pick pick_policy = {"policy", policy_name, policy_summary, policy_params,
                                           true};
static const struct pt_pick pick_placement = {"placement", placement_name, placement_summary,
                                              placement_params, true};
static const struct pt_pick pick_unit = {"sharing mode", unit_name, unit_summary, unit_params,
                                         false};
static const struct pt_pick pick_reader = {"trace source", reader_name, reader_summary,
                                           reader_params, false};

/* ---- cluster ---- */

static const char *preset_name(size_t index)
{
    return pt_preset_names[index];
}

static const char *preset_value(const char *name, const char *key)
{
    const struct pt_preset *preset = pt_preset_find(name);
    return preset ? pt_preset_value(preset, key) : NULL;
}

static const struct pt_presets sharing_presets = {preset_name, preset_value};

static const struct pt_row sharing_rows[] = {
    VALUE("mode", TEXT, "", "exclusive", "1", NULL, 0, "how a GPU is shared"),
    {.param = {"preset", PT_PARAM_CHOICE, "", NULL, NULL, NULL, pt_preset_names,
               "settings of a product by its name: a mode and values for its keys, of which any "
               "key beside it overrides one (`partita list models`)"},
     .shape = PT_SHAPE_SCALAR,
     .flags = PT_ROW_OPTIONAL,
     .presets = &sharing_presets},
    END};
static const struct pt_schema sharing = {"sharing", sharing_rows, true, &pick_unit, NULL};

bool pt__verify_gpu(const struct pt_catalog *catalog, const char *text, struct pt_error *error)
{
    return pt_catalog_check_name(catalog, text, error) == PT_OK;
}

#define GPU_ROW(key, row_flags, text)                                                              \
    {                                                                                              \
        .param = {key, PT_PARAM_TEXT, "", NULL, "1", NULL, NULL, text}, .shape = PT_SHAPE_SCALAR,  \
        .flags = (row_flags), .verify = pt__verify_gpu                                             \
    }

static const struct pt_row pool_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what jobs, figures and --set call the pool"),
    VALUE("nodes", INT, "", NULL, "1", "1000000", 0, "nodes in the pool"),
    VALUE("gpus_per_node", INT, "", NULL, "1", "4096", 0, "GPUs in each node"),
    GPU_ROW("gpu", 0, "GPU model, of `partita list gpus`"),
    VALUE("cpus_per_node", NUMBER, "", "inf", "0", "inf", 0,
          "CPUs of each node; inf = not a constraint"),
    VALUE("memory_per_node", MEMORY, "GiB", "inf", "0", "inf", 0,
          "host memory of each node; inf = not a constraint"),
    INNER("sharing", MAP, "exclusive", NULL, NULL, 0, &sharing, "how its GPUs are shared"),
    VALUE("price_per_gpu_hour", NUMBER, "", NULL, "0", "1e9", PT_ROW_OPTIONAL,
          "what a GPU costs for an hour that it is there, in any money; absent = no costs"),
    END};
static const struct pt_schema pool = {"pool", pool_rows, false, NULL, "name"};

/* `gpus: N` = one pool `main` of one node with N GPUs. */
static bool expand_gpus(struct pt_yaml *yaml, struct pt_yaml_node *map,
                        const struct pt_yaml_node *value)
{
    static const char *const keys[] = {"name", "nodes", "gpus_per_node", "gpu"};
    const char *texts[] = {"main", "1", value->text ? value->text : "", "h100-sxm5-80gb"};
    struct pt_yaml_node *pools = pt_yaml_new(yaml, PT_YAML_LIST, value->place);
    struct pt_yaml_node *main_pool = pt_yaml_new(yaml, PT_YAML_MAP, value->place);
    if (!pools || !main_pool) return false;
    pools->key = "pools";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct pt_yaml_node *cell =
            pt_yaml_new_scalar(yaml, value->place, texts[i], strlen(texts[i]));
        if (!cell) return false;
        cell->key = keys[i];
        pt_yaml_append(main_pool, cell);
    }
    pt_yaml_append(pools, main_pool);
    pt_yaml_append(map, pools);
    return true;
}

static const struct pt_row cluster_rows[] = {
    INNER("pools", LIST, NULL, "1", "64", 0, &pool,
          "nodes of one kind each; jobs look for room in this order"),
    {.param = {"gpus", PT_PARAM_INT, "", "", "1", "4096", NULL,
               "short for one exclusive pool `main` of one node with so many h100-sxm5-80gb"},
     .shape = PT_SHAPE_SCALAR,
     .flags = PT_ROW_SHORT,
     .expand = expand_gpus},
    END};
static const struct pt_schema cluster = {"cluster", cluster_rows, false, NULL, NULL};

static const struct pt_row down_rows[] = {
    VALUE("from", DURATION, "s", NULL, "0", NULL, 0, "when the node goes down"),
    VALUE("to", DURATION, "s", NULL, "0", "inf", 0, "when it begins to boot; inf = never"), END};
static const struct pt_schema down = {"down time", down_rows, false, NULL, NULL};

static const struct pt_row node_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0,
          "POOL-0, POOL-1, ... name nodes as they are; another name renames the first node of the "
          "pool that no entry names"),
    VALUE("pool", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "its pool; may be left out beside a name like POOL-0"),
    INNER("down", PAIRS, "", NULL, NULL, 0, &down, "times during which it serves nobody"),
    VALUE("boot", DURATION, "s", "0s", "0", NULL, 0, "time to boot after each down time"), END};
static const struct pt_schema node = {"node", node_rows, false, NULL, "name"};

/* ---- trace and policy ---- */

static const struct pt_row trace_rows[] = {
    VALUE("source", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "who reads or draws the jobs, of `partita list sources`"),
    VALUE("path", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "the trace's file; relative paths start at this file's directory"),
    INNER("jobs", JOBS, NULL, NULL, NULL, PT_ROW_OPTIONAL, NULL,
          "the jobs themselves, instead of a source"),
    VALUE("limit", INT, "", "inf", "0", "inf", 0,
          "take at most so many jobs, the first of the file; inf = all"),
    GPU_ROW("reference_gpu", PT_ROW_OPTIONAL,
            "the GPU that work_s was measured on; default: the GPU of the first pool"),
    END};
static const struct pt_schema trace = {"trace", trace_rows, false, &pick_reader, NULL};

static const struct pt_row placement_rows[] = {
    VALUE("name", TEXT, "", "first_fit", "1", NULL, 0, "where a job goes"), END};
static const struct pt_schema placement = {"placement", placement_rows, true, &pick_placement,
                                           NULL};

static const struct pt_row policy_rows[] = {
    VALUE("name", TEXT, "", "fifo", "1", NULL, 0, "whose turn it is"),
    INNER("placement", MAP, "first_fit", NULL, NULL, 0, &placement, "where a job goes"),
    INNER("preemption", MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &pt__schema_policy_preemption,
          "as `preemption` at the top, whose keys these override one by one"),
    END};
static const struct pt_schema policy = {"policy", policy_rows, true, &pick_policy, NULL};

/* ---- the rest of the world ---- */

static const struct pt_row retries_rows[] = {
    VALUE("fault", INT, "", "inf", "0", "inf", 0, "further attempts after faults of nodes"),
    VALUE("oom", INT, "", "0", "0", "inf", 0, "further attempts after running out of GPU memory"),
    VALUE("backoff", DURATION, "s", "10s", "0", NULL, 0, "pause before a further attempt"), END};
static const struct pt_schema retries = {"retries", retries_rows, false, NULL, NULL};

static const struct pt_row queue_rows[] = {
    VALUE("give_up", DURATION, "s", "inf", "0", "inf", 0,
          "a job that has never started is withdrawn so long after its submission"),
    END};
static const struct pt_schema queue = {"queue", queue_rows, false, NULL, NULL};

static const struct pt_row metrics_rows[] = {
    VALUE("interval", DURATION, "s", "60s", "1ns", NULL, 0, "of the series"),
    VALUE("warmup", DURATION, "s", "0s", "0", NULL, 0,
          "jobs submitted earlier are in no mean, and windows of rates begin here"),
    END};
static const struct pt_schema metrics = {"metrics", metrics_rows, false, NULL, NULL};

static const struct pt_row output_rows[] = {
    VALUE("file", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,
          "the result file (HDF5); relative paths start at this file's directory"),
    VALUE("jobs", BOOL, "", "true", NULL, NULL, 0, "keep the table of jobs"),
    VALUE("events", BOOL, "", "false", NULL, NULL, 0, "keep the log of events"),
    VALUE("verdicts", BOOL, "", NULL, NULL, NULL, PT_ROW_OPTIONAL,
          "keep why pending jobs did not start; default: as `events`"),
    VALUE("series", BOOL, "", "true", NULL, NULL, 0, "keep the time series"),
    END};
static const struct pt_schema output = {"output", output_rows, false, NULL, NULL};

/* ---- the files ---- */

/* A later format is no slip of the user's: the program is too old. */
static bool explain_format(const char *text, struct pt_error *error)
{
    int64_t version;
    struct pt_error ignored;
    if (pt_parse_int(&version, text, strlen(text), 2, INT64_MAX, &ignored) != PT_OK) return false;
    (void)pt_fail(error, PT_ERR_INPUT, "format %.64s is newer than this program (it knows 1)",
                  text);
    return true;
}

#define EXPERIMENT_ROWS                                                                            \
    {.param = {"partita", PT_PARAM_INT, "", NULL, "1", "1", NULL, "version of this format"},       \
     .shape = PT_SHAPE_SCALAR,                                                                     \
     .explain = explain_format},                                                                   \
        VALUE("name", TEXT, "", "experiment", NULL, NULL, 0, "what reports call it"),              \
        VALUE("seed", INT, "", "0", "0", NULL, 0, "root of every random draw"),                    \
        INNER("cluster", MAP, NULL, NULL, NULL, 0, &cluster, "the GPUs"),                          \
        INNER("nodes", LIST, "", NULL, NULL, 0, &node, "names and down times of single nodes"),    \
        {.param = {"topology", PT_PARAM_TEXT, "", "", NULL, NULL, NULL,                            \
                   "racks of nodes, as NODE: RACK"},                                               \
         .shape = PT_SHAPE_NAMED},                                                                 \
        VALUE("catalog", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL,                               \
              "a file of GPUs of one's own, added to `partita list gpus`; relative paths start "   \
              "at this file's directory"),                                                         \
        INNER("trace", MAP, NULL, NULL, NULL, 0, &trace, "the jobs"),                              \
        INNER("policy", MAP, "fifo", NULL, NULL, 0, &policy, "whose turn it is, and where"),       \
        INNER("interference", MAP, "fitted", NULL, NULL, 0, &pt__schema_interference,              \
              "how jobs that share a GPU slow each other down"),                                   \
        INNER("profiles", LIST, "", NULL, NULL, 0, &pt__schema_profile,                            \
              "what jobs do to their neighbours, beside the profiles that are built in"),          \
        INNER("tenants", LIST, "", NULL, NULL, 0, &pt__schema_tenant,                              \
              "who pays; those of the trace that are not here have the defaults"),                 \
        INNER("sla", MAP, "", NULL, NULL, 0, &pt__schema_sla, "what was promised"),                \
        INNER("priorities", NAMED, "", NULL, NULL, 0, &pt__schema_priority, "classes by name"),    \
        INNER("retries", MAP, "", NULL, NULL, 0, &retries, "what happens after a failure"),        \
        INNER("queue", MAP, "", NULL, NULL, 0, &queue, "how long jobs wait"),                      \
        INNER("cold_start", MAP, "", NULL, NULL, 0, &pt__schema_cold_start,                        \
              "time between a start and the first work, by kind of job"),                          \
        INNER("preemption", MAP, "", NULL, NULL, 0, &pt__schema_preemption,                        \
              "how jobs are stopped for others, what is kept of them, and how they come back"),    \
        INNER("faults", MAP, "", NULL, NULL, 0, &pt__schema_faults, "faults of nodes and GPUs"),   \
        VALUE("electricity_price", NUMBER, "", NULL, "0", "1e9", PT_ROW_OPTIONAL,                  \
              "of a kWh, in the money of price_per_gpu_hour; absent = not counted"),               \
        VALUE("horizon", DURATION, "s", "inf", "0", "inf", 0,                                      \
              "the world ends then; inf = when nothing can happen any more"),                      \
        INNER("metrics", MAP, "", NULL, NULL, 0, &metrics, "how figures are taken"),               \
        INNER("output", MAP, "", NULL, NULL, 0, &output, "what is kept")

static const struct pt_row experiment_rows[] = {EXPERIMENT_ROWS, END};
const struct pt_schema pt_schema_experiment = {"experiment", experiment_rows, false, NULL, NULL};

static const struct pt_row number_rows[] = {
    VALUE("equals", NUMBER, "", NULL, NULL, NULL, PT_ROW_OPTIONAL | PT_ROW_NULLABLE,
          "the value: times within 2 ns, others within 1e-9; null = nothing"),
    VALUE("min", NUMBER, "", NULL, NULL, NULL, PT_ROW_OPTIONAL, "at least"),
    VALUE("max", NUMBER, "", NULL, NULL, NULL, PT_ROW_OPTIONAL, "at most"),
    VALUE("approx", NUMBER, "", NULL, NULL, NULL, PT_ROW_OPTIONAL, "about so much, see rel"),
    VALUE("rel", NUMBER, "", NULL, "0", NULL, PT_ROW_OPTIONAL,
          "relative error allowed around approx"),
    END};
static const struct pt_schema number = {"expected number", number_rows, true, NULL, NULL};

#define NUMBER_ROW(key, help) INNER(key, MAP, NULL, NULL, NULL, PT_ROW_OPTIONAL, &number, help)
#define WORD_ROW(key, help)                                                                        \
    VALUE(key, TEXT, "", NULL, NULL, NULL, PT_ROW_OPTIONAL | PT_ROW_NULLABLE, help)

static const char *const states[] = {"done",          "failed",  "killed",  "withdrawn",
                                     "unschedulable", "running", "pending", NULL};

static const struct pt_row expect_job_rows[] = {
    NUMBER_ROW("start_s", "first start"),
    NUMBER_ROW("end_s", "end"),
    NUMBER_ROW("jct_s", "end - submission"),
    NUMBER_ROW("wait_s", "first start - submission"),
    NUMBER_ROW("queue_s", "all time not running"),
    {.param = {.name = "state",
               .type = PT_PARAM_CHOICE,
               .unit = "",
               .choices = states,
               .help = "what has become of it"},
     .flags = PT_ROW_OPTIONAL | PT_ROW_NULLABLE},
    NUMBER_ROW("preemptions", "times it was stopped for others"),
    NUMBER_ROW("attempts", "times it was started"),
    WORD_ROW("node", "its home node"),
    NUMBER_ROW("gpus", "GPUs it held"),
    NUMBER_ROW("slowdown", "JCT / time alone"),
    NUMBER_ROW("cost", "what it is charged"),
    VALUE("sla_met", BOOL, "", NULL, NULL, NULL, PT_ROW_OPTIONAL | PT_ROW_NULLABLE,
          "whether every bound held; null = it had none"),
    WORD_ROW("reason", "why it is where it is"),
    END};
static const struct pt_schema expect_job = {"expected job", expect_job_rows, false, NULL, NULL};

static const struct pt_row always_rows[] = {
    VALUE("pool", TEXT, "", NULL, "1", NULL, 0, "the pool"),
    VALUE("running_max", INT, "", NULL, "0", NULL, 0, "at most so many jobs run in it at once"),
    END};
static const struct pt_schema always = {"invariant", always_rows, false, NULL, NULL};

static const struct pt_row expect_rows[] = {
    INNER("jobs", NAMED, "", NULL, NULL, 0, &expect_job, "what becomes of jobs, by id"),
    INNER("summary", NAMED, "", NULL, NULL, 0, &number, "metrics, by name"),
    VALUE("exit", INT, "", "0", "0", "255", 0, "exit code of the run"),
    VALUE("error", TEXT, "", NULL, "1", NULL, PT_ROW_OPTIONAL, "a part of the message"),
    INNER("always", LIST, "", NULL, NULL, 0, &always, "what holds at every instant"),
    END};
const struct pt_schema pt_schema_expect = {"expect", expect_rows, false, NULL, NULL};

static const struct pt_row scenario_rows[] = {
    EXPERIMENT_ROWS, INNER("expect", MAP, "", NULL, NULL, 0, &pt_schema_expect, "what comes out"),
    END};
const struct pt_schema pt_schema_scenario = {"scenario", scenario_rows, false, NULL, NULL};
