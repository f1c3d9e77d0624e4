#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/loader.h"
#include "sim/experiment/resolve.h"

/* More GPUs than any cluster has: as good as no bound. */
#define MANY_PPM (INT64_C(1000000000) * INT64_C(1000000))

struct pt_tenant pt_tenant_undeclared(const char *name)
{
    return (struct pt_tenant){.name = name,
                              .weight = 1,
                              .tier = PT_NONE,
                              .rank = {.value = 0, .preempts = true, .preemptible = true},
                              .parent = PT_NONE,
                              .over_quota_weight = 1,
                              .quota = PT_QUOTA_NONE,
                              .limit = PT_QUOTA_NONE,
                              .borrowing_limit = PT_QUOTA_NONE,
                              .lending_limit = PT_QUOTA_NONE};
}

/* Millionths of a GPU of `key: {gpus: ...}`; PT_QUOTA_NONE where it is absent. */
static uint64_t amount(const struct pt_yaml_node *tenant, const char *key)
{
    const struct pt_yaml_node *map = pt_yaml_get(tenant, key);
    if (!map) return PT_QUOTA_NONE;
    int64_t ppm = pt__loader_value(map, "gpus")->ppm;
    return ppm > MANY_PPM ? PT_QUOTA_NONE : (uint64_t)ppm;
}

static void load_tenant(struct pt__loader *loader, struct pt_tenant *tenant,
                        const struct pt_yaml_node *map)
{
    const struct pt_config *config = loader->config;
    const struct pt_yaml_node *sla = pt_yaml_get(map, "sla");
    const struct pt_yaml_node *priority = pt_yaml_get(map, "priority");
    struct pt_error error;
    *tenant =
        (struct pt_tenant){.name = pt_yaml_get(map, "name")->text,
                           .place = pt_yaml_get(map, "name")->place,
                           .parent = PT_NONE,
                           .weight = pt__loader_value(map, "weight")->number,
                           .over_quota_weight = pt__loader_value(map, "over_quota_weight")->number,
                           .quota = amount(map, "quota"),
                           .limit = amount(map, "limit"),
                           .borrowing_limit = amount(map, "borrowing_limit"),
                           .lending_limit = amount(map, "lending_limit")};
    if (pt_resolve_tier(&tenant->tier, config, sla->text, &error) != PT_OK)
        pt__loader_say(loader, sla->place, "%s", error.message);
    if (pt_resolve_priority(&tenant->rank, config, priority->text, &error) != PT_OK)
        pt__loader_say(loader, priority->place, "%s", error.message);
}

/* Declared tenants alone have a parent, and are one. */
static uint32_t find_parent(struct pt__loader *loader, const struct pt_yaml_node *name)
{
    const struct pt_config *config = loader->config;
    struct pt_suggestion near;
    pt_suggest_begin(&near, name->text, name->length);
    for (uint32_t i = 0; i < config->tenant_count; i++) {
        if (i == 0 && config->tenants[0].place.file == NULL) continue; /* not declared */
        if (strcmp(config->tenants[i].name, name->text) == 0) return i;
        pt_suggest_offer(&near, config->tenants[i].name);
    }
    pt__loader_say(loader, name->place, "parent: unknown tenant '%.64s'%s%s%s", name->text,
                   near.best ? " (did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?)" : "");
    return PT_NONE;
}

/* Says it, once, of the first tenant of every circle of parents. */
static void check_circle(struct pt__loader *loader, uint32_t tenant, struct pt_yaml_place place)
{
    const struct pt_config *config = loader->config;
    const struct pt_tenant *tenants = config->tenants;
    uint32_t above = tenants[tenant].parent, least = tenant;
    for (uint32_t steps = 0; above != PT_NONE && above != tenant; steps++) {
        if (steps == config->tenant_count) return; /* it hangs below a circle */
        least = above < least ? above : least;
        above = tenants[above].parent;
    }
    if (above == tenant && least == tenant)
        pt__loader_say(loader, place, "parent: tenant '%.64s' would be above itself",
                       tenants[tenant].name);
}

static uint32_t index_of(const struct pt_config *config, const char *name)
{
    uint32_t i = 0;
    while (strcmp(config->tenants[i].name, name) != 0)
        i++;
    return i;
}

static void load_parents(struct pt__loader *loader, const struct pt_yaml_node *list)
{
    struct pt_config *config = loader->config;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        const struct pt_yaml_node *name = pt_yaml_get(map, "parent");
        uint32_t parent = name ? find_parent(loader, name) : PT_NONE;
        if (parent == PT_NONE) continue;
        config->tenants[index_of(config, pt_yaml_get(map, "name")->text)].parent = parent;
        config->tenants[parent].has_children = true;
    }
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        const struct pt_yaml_node *name = pt_yaml_get(map, "parent");
        if (name)
            check_circle(loader, index_of(config, pt_yaml_get(map, "name")->text), name->place);
    }
}

/* Quotas mean something to some policies alone; a limit holds under all. */
static void warn_of_quotas(struct pt__loader *loader, const struct pt_yaml_node *list)
{
    static const char *const keys[] = {"quota", "borrowing_limit", "lending_limit"};
    const struct pt_policy_ops *policy = loader->config->policy;
    unsigned flags = policy->flags ? policy->flags(loader->config->policy_params) : 0;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next)
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !(flags & PT_POLICY_QUOTAS); i++) {
            const struct pt_yaml_node *given = pt_yaml_get(map, keys[i]);
            if (given)
                pt_yaml_say(loader->yaml, loader->messages, true, given->place,
                            "%s has no effect under policy '%.64s', which knows no quotas", keys[i],
                            policy->name);
        }
}

void pt__load_tenants(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *list = pt_yaml_get(loader->root, "tenants");
    config->tenants = pt__loader_alloc(loader, list->count + 1, sizeof *config->tenants);
    if (!config->tenants) return;
    config->tenants[0] = pt_tenant_undeclared("default");
    config->tenant_count = 1;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        bool is_default = strcmp(pt_yaml_get(map, "name")->text, "default") == 0;
        load_tenant(loader, &config->tenants[is_default ? 0 : config->tenant_count], map);
        if (!is_default) config->tenant_count++;
    }
    load_parents(loader, list);
    warn_of_quotas(loader, list);
}
