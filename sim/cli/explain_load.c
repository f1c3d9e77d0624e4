#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "partita/number.h"
#include "partita/suggest.h"
#include "sim/cli/explain_parts.h"
#include "sim/experiment/tables.h"

#define POOL "gpu" /* of an experiment without a file */

static json_t *jobs_json(const struct pt__args *args)
{
    json_t *jobs = json_array();
    for (size_t i = 0; i < args->operand_count; i++) {
        const char *operand = args->operands[i], *colon = strrchr(operand, ':');
        size_t length = colon ? (size_t)(colon - operand) : strlen(operand);
        struct pt_error ignored;
        uint32_t util;
        double share;
        json_t *job = json_pack("{s:i, s:i, s:i}", "id", (int)i + 1, "submit_s", 0, "work_s", 1);
        bool is_util = pt_parse_unit_ppm(&util, operand, length, &ignored) == PT_OK;
        json_object_set_new(job, is_util ? "sm_util" : "profile", json_stringn(operand, length));
        if (colon && pt_parse_double(&share, colon + 1, strlen(colon + 1), &ignored) == PT_OK)
            json_object_set_new(job, "gpu_frac", json_string(colon + 1));
        else if (colon)
            json_object_set_new(job, "mig", json_string(colon + 1));
        if (pt__args_value(args, "kind"))
            json_object_set_new(job, "kind", json_string(pt__args_value(args, "kind")));
        json_array_append_new(jobs, job);
    }
    return jobs;
}

static const char *mode_of(const struct pt__args *args)
{
    const char *mode = pt__args_value(args, "mode");
    return mode ? mode : "time_slice";
}

/* The experiment as JSON, which is YAML too; the caller's. NULL when memory is out. */
static char *experiment_text(const struct pt__args *args)
{
    const char *gpu = pt__args_value(args, "gpu");
    json_t *root =
        json_pack("{s:i, s:s, s:{s:[{s:s, s:i, s:i, s:s, s:{s:s}}]}, s:{s:o}}", "partita", 1,
                  "name", "explain speed", "cluster", "pools", "name", POOL, "nodes", 1,
                  "gpus_per_node", 1, "gpu", gpu ? gpu : "h100-sxm5-80gb", "sharing", "mode",
                  mode_of(args), "trace", "jobs", jobs_json(args));
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* Whether the path begins with a key of the experiment, so that it is one of its whole. */
static bool is_whole_path(const char *path)
{
    size_t length = strcspn(path, ".[=");
    for (const struct pt_row *row = pt_schema_experiment.rows; row->param.name; row++)
        if (strlen(row->param.name) == length && strncmp(row->param.name, path, length) == 0)
            return true;
    return false;
}

/* replicas=4 is short for cluster.pools[gpu].sharing.replicas=4, without a file. */
static enum pt_status add_set(struct pt__speed_session *session, const char *value,
                              struct pt_error *error)
{
    bool whole = pt__args_has(session->args, "experiment") || is_whole_path(value);
    const char *prefix = whole ? "" : "cluster.pools[" POOL "].sharing.";
    size_t room = strlen(prefix) + strlen(value) + 1;
    char *set = malloc(room);
    if (!set) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    snprintf(set, room, "%s%s", prefix, value);
    session->sets[session->set_count++] = set;
    return PT_OK;
}

/* Modes that must be told how many jobs share a GPU are told that these do. */
static enum pt_status set_replicas(struct pt__speed_session *session, struct pt_error *error)
{
    const char *mode = mode_of(session->args);
    const struct pt_unit_ops *unit = pt_unit_find(mode);
    const struct pt_param *replicas = unit ? pt_schema_param(unit->params, "replicas") : NULL;
    char text[32];
    if (!replicas || replicas->fallback) return PT_OK;
    for (size_t i = 0; i < session->set_count; i++)
        if (session->sets[i] && strstr(session->sets[i], "].sharing.replicas=")) return PT_OK;
    snprintf(text, sizeof text, "replicas=%zu", session->args->operand_count);
    return add_set(session, text, error);
}

static enum pt_status collect_sets(struct pt__speed_session *session, struct pt_error *error)
{
    const struct pt__args *args = session->args;
    const char **values = calloc(args->given_count + 1, sizeof *values);
    session->sets = calloc(args->given_count + 2, sizeof *session->sets);
    enum pt_status status = PT_OK;
    if (!values || !session->sets) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    size_t count = status == PT_OK ? pt__args_values(args, "set", values) : 0;
    for (size_t i = 0; i < count && status == PT_OK; i++)
        status = add_set(session, values[i], error);
    bool file = pt__args_has(args, "experiment");
    if (status == PT_OK && !file) status = set_replicas(session, error);
    free(values);
    return status;
}

/* A document of the jobs alone, in the place of the experiment's own trace. */
static enum pt_status replace_trace(struct pt_yaml *yaml, const struct pt__speed_session *session,
                                    struct pt_messages *messages)
{
    struct pt_yaml_node *root = yaml->first_document;
    struct pt_yaml_node *trace = pt_yaml_get(root, "trace");
    const struct pt_yaml_node *reference = pt_yaml_get(trace, "reference_gpu");
    json_t *jobs = json_pack("{s:o}", "jobs", jobs_json(session->args));
    if (reference && reference->kind == PT_YAML_SCALAR && reference->text)
        json_object_set_new(jobs, "reference_gpu", json_string(reference->text));
    char *text = jobs ? json_dumps(jobs, JSON_COMPACT) : NULL;
    json_decref(jobs);
    struct pt_yaml own = {0};
    enum pt_status status =
        text ? pt_yaml_parse(&own, "", text, strlen(text), messages) : PT_ERR_MEMORY;
    struct pt_yaml_node *fresh =
        status == PT_OK ? pt_yaml_copy_node(yaml, own.first_document) : NULL;
    if (status == PT_OK && !fresh) status = PT_ERR_MEMORY;
    if (fresh && root->kind == PT_YAML_MAP) {
        fresh->key = "trace";
        if (trace) pt_yaml_remove(root, trace);
        pt_yaml_append(root, fresh);
    }
    pt_yaml_fini(&own);
    free(text);
    return status;
}

/* The experiment of a file, with these jobs for its own. */
static enum pt_status load_file(struct pt__speed_session *session, const char *path)
{
    struct pt_yaml yaml = {0};
    enum pt_status status = pt_yaml_load(&yaml, path, &session->messages);
    if (status == PT_OK) status = replace_trace(&yaml, session, &session->messages);
    if (status == PT_OK)
        status = pt_config_load_document(&session->config, &yaml, yaml.first_document, false, NULL,
                                         (const char *const *)session->sets, session->set_count,
                                         &session->messages);
    pt_yaml_fini(&yaml);
    return status;
}

static enum pt_status load_options(struct pt__speed_session *session)
{
    char *text = experiment_text(session->args);
    enum pt_status status = PT_ERR_MEMORY;
    if (text)
        status = pt_config_load_text(&session->config, "", text, strlen(text), NULL,
                                     (const char *const *)session->sets, session->set_count,
                                     &session->messages);
    free(text);
    return status;
}

static enum pt_status find_pool(struct pt__speed_session *session, struct pt_error *error)
{
    const struct pt_cluster *cluster = &session->config->cluster;
    const char *name = pt__args_value(session->args, "pool");
    struct pt_suggestion near;
    if (!name) return PT_OK;
    pt_suggest_begin(&near, name, strlen(name));
    for (session->pool = 0; session->pool < cluster->pool_count; session->pool++) {
        if (strcmp(cluster->pools[session->pool].name, name) == 0) return PT_OK;
        pt_suggest_offer(&near, cluster->pools[session->pool].name);
    }
    if (near.best)
        return pt_fail(error, PT_ERR_INPUT, "--pool: unknown pool '%.64s' (did you mean '%s'?)",
                       name, near.best);
    return pt_fail(error, PT_ERR_INPUT, "--pool: unknown pool '%.64s'", name);
}

/* An empty profile would be one drawn from the mix, an empty part the whole GPU: nobody means it.
 */
static enum pt_status check_jobs(const struct pt__args *args, struct pt_error *error)
{
    for (size_t i = 0; i < args->operand_count; i++) {
        const char *operand = args->operands[i], *colon = strrchr(operand, ':');
        if (operand[0] == '\0' || colon == operand)
            return pt_fail(error, PT_ERR_INPUT,
                           "'%.64s' names no job: give a profile, or its SM utilisation alone",
                           operand);
        if (colon && colon[1] == '\0')
            return pt_fail(error, PT_ERR_INPUT,
                           "'%.64s' has nothing behind the colon: give a fraction, or a MIG "
                           "profile",
                           operand);
    }
    return PT_OK;
}

/* Which options go together. */
static enum pt_status check_options(const struct pt__speed_session *session, struct pt_error *error)
{
    bool file = pt__args_has(session->args, "experiment");
    if (file && (pt__args_has(session->args, "gpu") || pt__args_has(session->args, "mode")))
        return pt_fail(error, PT_ERR_INPUT,
                       "--gpu and --mode are the experiment's: --pool tells "
                       "which of its GPUs");
    if (!file && pt__args_has(session->args, "pool"))
        return pt_fail(error, PT_ERR_INPUT, "--pool belongs to --experiment");
    return PT_OK;
}

enum pt_status pt__speed_load(struct pt__speed_session *session)
{
    struct pt_error error = {.status = PT_OK};
    const char *path = pt__args_value(session->args, "experiment");
    enum pt_status status = check_options(session, &error);
    if (status == PT_OK) status = check_jobs(session->args, &error);
    if (status == PT_OK) status = collect_sets(session, &error);
    if (status != PT_OK) {
        pt_messages_add(&session->messages, false, &error, NULL, 0);
        return status;
    }
    PT_TRY(path ? load_file(session, path) : load_options(session));
    status = find_pool(session, &error);
    if (status != PT_OK) pt_messages_add(&session->messages, false, &error, NULL, 0);
    return status;
}
