#include "tests/support/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "models/registry.h"
#include "policies/registry.h"

void rig_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static enum pt_status take_events(void *ctx, const struct pt_event *events, size_t count,
                                  struct pt_error *error)
{
    struct rig *rig = ctx;
    (void)error;
    rig->event_count += count;
    XXH3_128bits_update(rig->hash, events, count * sizeof *events);
    return PT_OK;
}

static enum pt_status take_job(void *ctx, pt_job job, const struct pt_job_result *result,
                               struct pt_error *error)
{
    struct rig *rig = ctx;
    if (job >= rig->trace.job_count)
        return pt_fail(error, PT_ERR_INVARIANT, "result of a job that is not in the trace");
    if (rig->results[job].state != PT_STATE_COUNT)
        return pt_fail(error, PT_ERR_INVARIANT, "job %u ended twice", job);
    rig->results[job] = *result;
    rig->result_count++;
    return PT_OK;
}

void rig_init(struct rig *rig)
{
    *rig = (struct rig){0};
    pt_trace_init(&rig->trace);
    rig->hash = XXH3_createState();
    if (rig->hash == NULL) rig_die("out of memory");
    rig->world = (struct pt_world){
        .cluster = &rig->cluster,
        .trace = &rig->trace,
        .retries = {.fault = PT_NONE, .oom = 0, .backoff_ns = 10 * PT_NS_PER_S},
        .give_up_ns = PT_NEVER,
        .horizon_ns = PT_NEVER,
        .interval_ns = 60 * PT_NS_PER_S,
        .tenant_count = 1,
        .recorder = {.ctx = rig, .events = take_events, .job = take_job},
    };
#ifndef NDEBUG
    rig->world.check = true;
#endif
    rig_set_policy(rig, "fifo", "", "first_fit");
}

void rig_reset(struct rig *rig)
{
    pt_sim_destroy(rig->sim);
    rig->sim = NULL;
    free(rig->results);
    rig->results = NULL;
    rig->result_count = 0;
    rig->event_count = 0;
}

void rig_fini(struct rig *rig)
{
    rig_reset(rig);
    XXH3_freeState(rig->hash);
    free(rig->nodes);
    pt_trace_fini(&rig->trace);
    *rig = (struct rig){0};
}

static void parse_value(struct pt_value *value, const struct pt_param *param, const char *text)
{
    struct pt_error error;
    enum pt_status status = PT_OK;
    size_t length = strlen(text);
    uint32_t small = 0;
    *value = (struct pt_value){.text = text};
    switch (param->type) {
    case PT_PARAM_BOOL:
        value->integer = strcmp(text, "true") == 0;
        break;
    case PT_PARAM_INT:
        status = pt_parse_int(&value->integer, text, length, INT64_MIN, INT64_MAX, &error);
        break;
    case PT_PARAM_NUMBER:
        status = pt_parse_double(&value->number, text, length, &error);
        value->ppm = (int64_t)(value->number * 1e6 + 0.5);
        break;
    case PT_PARAM_FRACTION:
        status = pt_parse_fraction_ppm(&small, text, length, &error);
        value->integer = small;
        break;
    case PT_PARAM_DURATION:
        status = pt_parse_duration(&value->integer, text, length, &error);
        break;
    case PT_PARAM_MEMORY:
        status = pt_parse_memory(&small, text, length, true, &error);
        value->integer = small;
        break;
    case PT_PARAM_CHOICE:
        while (param->choices[value->integer] != NULL &&
               strcmp(param->choices[value->integer], text) != 0)
            value->integer++;
        if (param->choices[value->integer] == NULL) rig_die("%s: no choice %s", param->name, text);
        break;
    case PT_PARAM_TEXT:
    case PT_PARAM_WORDS:
        break;
    }
    if (status != PT_OK) rig_die("%s=%s: %s", param->name, text, error.message);
}

void rig_parse_values(struct pt_value *values, const struct pt_param *params, const char *text)
{
    static char copies[64][512]; /* values may keep pointers to their text */
    static uint32_t copy_count;
    char *copy = copies[copy_count++ % 64], *state = NULL;
    uint32_t count = 0;
    for (; params != NULL && params[count].name != NULL; count++) {
        if (count == RIG_VALUES_MAX) rig_die("too many parameters");
        values[count] = (struct pt_value){0};
        if (params[count].fallback != NULL &&
            (params[count].fallback[0] != '\0' || params[count].type >= PT_PARAM_TEXT))
            parse_value(&values[count], &params[count], params[count].fallback);
    }
    snprintf(copy, sizeof copies[0], "%s", text);
    for (char *pair = strtok_r(copy, " ", &state); pair; pair = strtok_r(NULL, " ", &state)) {
        char *equals = strchr(pair, '=');
        uint32_t i = 0;
        if (equals == NULL) rig_die("%s: no value", pair);
        *equals = '\0';
        while (i < count && strcmp(params[i].name, pair) != 0)
            i++;
        if (i == count) rig_die("no parameter %s", pair);
        parse_value(&values[i], &params[i], equals + 1);
    }
}

void rig_set_policy(struct rig *rig, const char *name, const char *params, const char *placement)
{
    rig->world.policy = pt_policy_find(name);
    rig->world.placement = pt_placement_find(placement);
    if (rig->world.policy == NULL || rig->world.placement == NULL)
        rig_die("no policy %s or placement %s", name, placement);
    rig_parse_values(rig->policy_values, rig->world.policy->params, params);
    rig->world.policy_params = rig->policy_values;
    rig_parse_values(rig->placement_values, rig->world.placement->params, "");
    rig->world.placement_params = rig->placement_values;
    if (rig->world.preemption.mode == PT_PREEMPTION_NONE)
        rig->world.preemption.mode = rig->world.policy->preemption;
}

struct pt_pool *rig_add_pool(struct rig *rig, const struct pt_gpu_model *gpu, uint32_t nodes,
                             uint32_t gpus_per_node, const char *mode, const char *params)
{
    uint32_t p = rig->cluster.pool_count, n = rig->cluster.node_count;
    if (p == RIG_POOLS_MAX) rig_die("too many pools");
    const struct pt_unit_ops *unit = pt_unit_find(mode);
    if (unit == NULL) rig_die("no sharing mode %s", mode);
    rig_parse_values(rig->unit_values[p], unit->params, params);
    snprintf(rig->names[p], sizeof rig->names[p], "p%u", p);
    if (p == 0) rig->cluster.reference_gpu = gpu;
    rig->pools[p] = (struct pt_pool){
        .name = rig->names[p],
        .gpu = gpu,
        .node_count = nodes,
        .gpus_per_node = gpus_per_node,
        .first_node = n,
        .first_gpu = rig->cluster.gpu_count,
        .cpus_milli_per_node = PT_NONE,
        .mem_mib_per_node = PT_NONE,
        .unit = unit,
        .unit_params = rig->unit_values[p],
        .price_micro_per_hour = -1,
    };
    for (int c = 0; c < PT_CLASS_COUNT; c++)
        rig->pools[p].rate[c] =
            pt_gpu_relative_speed(gpu, rig->cluster.reference_gpu, (enum pt_speed_class)c);
    if (unit->configure(&rig->pools[p].shape, gpu, rig->unit_values[p], &rig->error) != PT_OK)
        rig_die("%s %s: %s", mode, params, rig->error.message);
    rig->nodes = realloc(rig->nodes, (n + nodes) * sizeof *rig->nodes);
    if (rig->nodes == NULL) rig_die("out of memory");
    for (uint32_t i = n; i < n + nodes; i++)
        rig->nodes[i] = (struct pt_node){.name = rig->names[p], .pool = p, .rack = PT_NONE};
    rig->cluster.pool_count++;
    rig->cluster.node_count += nodes;
    rig->cluster.gpu_count += nodes * gpus_per_node;
    rig->cluster.pools = rig->pools;
    rig->cluster.nodes = rig->nodes;
    return &rig->pools[p];
}

pt_job rig_add_job(struct rig *rig, int64_t submit_ns, int64_t work_ns, uint32_t gpus)
{
    struct pt_error error;
    pt_job row;
    if (pt_trace_add(&rig->trace, &row, &error) != PT_OK ||
        pt_trace_set_time(&rig->trace, row, PT_COL_SUBMIT, submit_ns, &error) != PT_OK ||
        pt_trace_set_time(&rig->trace, row, PT_COL_WORK, work_ns, &error) != PT_OK ||
        pt_trace_set_u32(&rig->trace, row, PT_COL_GPUS, gpus, &error) != PT_OK)
        rig_die("job: %s", error.message);
    return row;
}

void rig_set_cell(struct rig *rig, pt_job row, enum pt_column_id column, const char *text)
{
    struct pt_error error;
    if (pt_trace_set(&rig->trace, row, column, text, strlen(text), &error) != PT_OK)
        rig_die("%s=%s: %s", pt_columns[column].name, text, error.message);
}

void rig_start(struct rig *rig)
{
    pt_job bad_row = PT_NONE;
    if (!rig->trace_finished && pt_trace_finish(&rig->trace, &bad_row, &rig->error) != PT_OK)
        rig_die("trace, row %u: %s", bad_row, rig->error.message);
    rig->trace_finished = true;
    rig->results = calloc(rig->trace.job_count + 1, sizeof *rig->results);
    if (rig->results == NULL) rig_die("out of memory");
    for (uint32_t j = 0; j < rig->trace.job_count; j++)
        rig->results[j].state = PT_STATE_COUNT;
    XXH3_128bits_reset(rig->hash);
    if (pt_sim_create(&rig->sim, &rig->world, &rig->error) != PT_OK)
        rig_die("%s", rig->error.message);
}

static void take_digest(struct rig *rig)
{
    XXH128_hash_t hash = XXH3_128bits_digest(rig->hash);
    snprintf(rig->digest, sizeof rig->digest, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

enum pt_status rig_run(struct rig *rig)
{
    bool finished = false;
    if (rig->sim == NULL) rig_start(rig);
    enum pt_status status = pt_sim_advance(rig->sim, UINT64_MAX, &finished, &rig->error);
    if (status == PT_OK && !finished) rig_die("the world did not end");
    take_digest(rig);
    return status;
}

bool rig_advance(struct rig *rig, uint64_t instants)
{
    bool finished = false;
    if (pt_sim_advance(rig->sim, instants, &finished, &rig->error) != PT_OK)
        rig_die("%s", rig->error.message);
    if (finished) take_digest(rig);
    return finished;
}
