#include "sim/experiment/config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "sim/experiment/loader.h"
#include "sim/experiment/set.h"
#include "sim/experiment/tables.h"

/* All that a config owns; the config comes first, so that it is what the caller holds. */
struct owner {
    struct pt_config config;
    struct pt_yaml yaml;
    struct pt_yaml_node *root; /* the normal tree; NULL while there is none */
    struct pt_catalog *catalog;
    char *effective_yaml;
};

static uint32_t attempts(const struct pt_value *value)
{
    return value->integer >= PT_NONE ? PT_NONE : (uint32_t)value->integer;
}

static void load_world(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *root = loader->root;
    const struct pt_yaml_node *retries = pt_yaml_get(root, "retries");
    const struct pt_yaml_node *metrics = pt_yaml_get(root, "metrics");
    const struct pt_yaml_node *electricity = pt_yaml_get(root, "electricity_price");
    config->name = pt_yaml_get(root, "name")->text;
    config->seed = (uint64_t)pt__loader_value(root, "seed")->integer;
    config->horizon_ns = pt__loader_value(root, "horizon")->integer;
    config->give_up_ns = pt__loader_value(pt_yaml_get(root, "queue"), "give_up")->integer;
    config->interval_ns = pt__loader_value(metrics, "interval")->integer;
    config->warmup_ns = pt__loader_value(metrics, "warmup")->integer;
    config->electricity_price = electricity ? electricity->value.number : 0;
    config->retries.fault = attempts(pt__loader_value(retries, "fault"));
    config->retries.oom = attempts(pt__loader_value(retries, "oom"));
    config->retries.backoff_ns = pt__loader_value(retries, "backoff")->integer;
}

static void load_policy(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *policy = pt_yaml_get(loader->root, "policy");
    const struct pt_yaml_node *placement = pt_yaml_get(policy, "placement");
    config->policy = pt_policy_find(pt_yaml_get(policy, "name")->text);
    config->placement = pt_placement_find(pt_yaml_get(placement, "name")->text);
    config->policy_params = pt_schema_values(loader->yaml, config->policy->params, policy);
    config->placement_params = pt_schema_values(loader->yaml, config->placement->params, placement);
    if (!config->policy_params || !config->placement_params) loader->no_memory = true;
}

static void load_output(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *output = pt_yaml_get(loader->root, "output");
    const struct pt_yaml_node *file = pt_yaml_get(output, "file");
    if (file) config->output.file = pt__loader_path(loader, file->text);
    config->output.jobs = pt__loader_value(output, "jobs")->integer != 0;
    config->output.events = pt__loader_value(output, "events")->integer != 0;
    const struct pt_yaml_node *verdicts = pt_yaml_get(output, "verdicts");
    config->output.verdicts = verdicts ? verdicts->value.integer != 0 : config->output.events;
    config->output.series = pt__loader_value(output, "series")->integer != 0;
}

/* The normal tree without output.file and expect, as text. */
static enum pt_status write_effective(struct owner *owner, struct pt_yaml_node *root,
                                      struct pt_error *error)
{
    struct pt_yaml_node *output = pt_yaml_get(root, "output");
    struct pt_yaml_node *file = pt_yaml_get(output, "file"), *expect = pt_yaml_get(root, "expect");
    size_t length;
    if (file) pt_yaml_remove(output, file);
    if (expect) pt_yaml_remove(root, expect);
    PT_TRY(pt_yaml_write(&owner->effective_yaml, &length, root, error));
    owner->config.effective_yaml = owner->effective_yaml;
    return PT_OK;
}

static enum pt_status out_of_memory(struct owner *owner, struct pt_messages *messages)
{
    pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){owner->yaml.file, 0, 0},
                "out of memory");
    return PT_ERR_MEMORY;
}

/* Builds everything from the checked tree. */
static enum pt_status build(struct owner *owner, struct pt_yaml_node *root, const char *origin_dir,
                            struct pt_messages *messages)
{
    struct pt__loader loader = {.config = &owner->config,
                                .yaml = &owner->yaml,
                                .root = root,
                                .messages = messages,
                                .origin_dir = origin_dir};
    struct pt_error error;
    load_world(&loader);
    load_policy(&loader);
    load_output(&loader);
    if (!loader.no_memory) pt__load_preemption(&loader);
    if (!loader.no_memory) pt__load_cluster(&loader);
    if (!loader.no_memory && loader.config->cluster.nodes) pt__load_topology(&loader);
    if (!loader.no_memory) pt__load_outages(&loader);
    if (!loader.no_memory) pt__load_profiles(&loader);
    if (!loader.no_memory) pt__load_interference(&loader);
    if (!loader.no_memory) pt__load_sla(&loader);
    if (!loader.no_memory) pt__load_tenants(&loader);
    if (!loader.no_memory) pt__load_source(&loader);
    if (loader.no_memory) return out_of_memory(owner, messages);
    if (loader.wrong) return PT_ERR_INPUT;
    enum pt_status status = write_effective(owner, root, &error);
    if (status != PT_OK) pt_messages_add(messages, false, &error, NULL, 0);
    return status;
}

/* The directory of a file, in the arena; "" for a bare name. */
static const char *directory_of(struct pt_yaml *yaml, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return "";
    return pt_arena_text(&yaml->arena, path, slash == path ? 1 : (size_t)(slash - path));
}

/* The GPUs: those built in, and what the file adds that the key `catalog` names. */
static enum pt_status load_catalog(struct owner *owner, const struct pt_yaml_node *raw,
                                   const char *origin_dir, struct pt_messages *messages)
{
    const struct pt_yaml_node *named = pt_yaml_get(raw, "catalog");
    struct pt__loader loader = {.config = &owner->config,
                                .yaml = &owner->yaml,
                                .messages = messages,
                                .origin_dir = origin_dir};
    if (!named || named->kind != PT_YAML_SCALAR || pt_yaml_is_nothing(named))
        return pt_catalog_load(&owner->catalog, messages); /* the schema says what is wrong */
    const char *path = pt__loader_input(&loader, named);
    if (!path) return out_of_memory(owner, messages);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        pt__loader_say(&loader, named->place, "catalog: '%.200s' can't be opened: %s", path,
                       strerror(errno));
        return PT_ERR_INPUT;
    }
    fclose(stream);
    return pt_catalog_load_file(&owner->catalog, path, messages);
}

/* Sets applied, checked, built. `raw` is in the owner's arena. */
static enum pt_status load_root(struct owner *owner, struct pt_yaml_node *raw, bool scenario,
                                const char *origin_dir, const char *const *sets, size_t set_count,
                                struct pt_messages *messages)
{
    const struct pt_schema *schema = scenario ? &pt_schema_scenario : &pt_schema_experiment;
    struct pt_yaml_node *root;
    if (raw->kind == PT_YAML_SCALAR && !pt_yaml_is_nothing(raw)) {
        pt_yaml_say(&owner->yaml, messages, false, raw->place,
                    "this is text and no experiment, which begins with a line 'partita: 1' "
                    "('partita schema experiment' tells its keys)");
        return PT_ERR_INPUT;
    }
    enum pt_status status = pt_set_apply(&owner->yaml, raw, schema, sets, set_count, messages);
    if (status == PT_ERR_MEMORY) return status;
    if (!origin_dir) origin_dir = directory_of(&owner->yaml, owner->yaml.file);
    if (!origin_dir) return out_of_memory(owner, messages);
    PT_TRY(load_catalog(owner, raw, origin_dir, messages));
    owner->config.catalog = owner->catalog;
    PT_TRY(pt_schema_check(&root, &owner->yaml, schema, raw, owner->catalog, messages));
    if (status != PT_OK) return status;
    owner->config.interference.given = pt_yaml_get(raw, "interference") != NULL;
    owner->root = root;
    return build(owner, root, origin_dir, messages);
}

/* Hands the config over, or frees everything. */
static enum pt_status finish(struct pt_config **config, struct owner *owner, enum pt_status status)
{
    *config = status == PT_OK ? &owner->config : NULL;
    if (status != PT_OK) pt_config_free(&owner->config);
    return status;
}

static struct owner *new_owner(struct pt_messages *messages)
{
    struct owner *owner = calloc(1, sizeof *owner);
    if (owner)
        owner->config.owner = owner;
    else
        pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){"", 0, 0}, "out of memory");
    return owner;
}

/* The one document of the owner's file. */
static enum pt_status load_only(struct owner *owner, const char *origin_dir,
                                const char *const *sets, size_t set_count,
                                struct pt_messages *messages)
{
    struct pt_yaml_node *document = owner->yaml.first_document;
    owner->config.source_text = owner->yaml.text;
    owner->config.source_length = owner->yaml.length;
    assert(document); /* a file without one was refused when it was read */
    for (const struct pt_yaml_node *each = document; each; each = each->next) {
        const struct pt_yaml_node *expect = pt_yaml_get(each, "expect");
        if (!expect) continue;
        pt_yaml_say(&owner->yaml, messages, false, expect->key_place,
                    "this is a scenario: partita test %.200s", owner->yaml.file);
        return PT_ERR_INPUT;
    }
    if (!document->next)
        return load_root(owner, document, false, origin_dir, sets, set_count, messages);
    pt_yaml_say(&owner->yaml, messages, false, document->next->place,
                "a second document: an experiment is one (several are for `partita test`)");
    return PT_ERR_INPUT;
}

enum pt_status pt_config_load(struct pt_config **config, const char *path, const char *origin_dir,
                              const char *const *sets, size_t set_count,
                              struct pt_messages *messages)
{
    *config = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    enum pt_status status = pt_yaml_load(&owner->yaml, path, messages);
    if (status == PT_OK) status = load_only(owner, origin_dir, sets, set_count, messages);
    return finish(config, owner, status);
}

enum pt_status pt_config_load_text(struct pt_config **config, const char *file, const char *text,
                                   size_t length, const char *origin_dir, const char *const *sets,
                                   size_t set_count, struct pt_messages *messages)
{
    *config = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    enum pt_status status = pt_yaml_parse(&owner->yaml, file, text, length, messages);
    if (status == PT_OK) status = load_only(owner, origin_dir, sets, set_count, messages);
    return finish(config, owner, status);
}

enum pt_status pt_config_load_document(struct pt_config **config, const struct pt_yaml *yaml,
                                       const struct pt_yaml_node *document, bool scenario,
                                       const char *origin_dir, const char *const *sets,
                                       size_t set_count, struct pt_messages *messages)
{
    *config = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    enum pt_status status = PT_ERR_MEMORY;
    if (pt_yaml_copy(&owner->yaml, yaml, document))
        status = load_root(owner, owner->yaml.first_document, scenario, origin_dir, sets, set_count,
                           messages);
    else
        (void)out_of_memory(owner, messages);
    return finish(config, owner, status);
}

/* What a dotted key names inside of a map; what lacks it where it is not there. */
static const struct pt_yaml_node *find_key(const struct pt_yaml_node *map, const char *key)
{
    char name[PT_ERROR_KEY_MAX];
    while (*key != '\0') {
        size_t length = strcspn(key, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, key);
        const struct pt_yaml_node *inner = pt_yaml_get(map, name);
        if (!inner) return map;
        map = inner;
        key += length + (key[length] == '.');
    }
    return map;
}

void pt_config_say(const struct pt_config *config, struct pt_messages *messages,
                   const struct pt_error *error)
{
    const struct owner *owner = config->owner;
    const struct pt_yaml_node *policy = pt_yaml_get(owner->root, "policy");
    if (error->key[0] == '\0' || !policy) {
        pt_messages_add(messages, false, error, NULL, 0);
        return;
    }
    const struct pt_yaml_node *node = find_key(policy, error->key);
    if (error->word < node->count && node->kind == PT_YAML_LIST) {
        node = node->first;
        for (uint32_t i = 0; i < error->word; i++)
            node = node->next;
    }
    pt_yaml_say(&owner->yaml, messages, false, node->place, "%s", error->message);
}

void pt_config_free(struct pt_config *config)
{
    if (!config) return;
    struct owner *owner = config->owner;
    if (config->trace.inline_jobs) pt_trace_fini(config->trace.inline_jobs);
    pt_profiles_fini(&config->profiles);
    pt_catalog_free(owner->catalog);
    free(owner->effective_yaml);
    pt_yaml_fini(&owner->yaml);
    free(owner);
}
