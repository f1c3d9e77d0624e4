#include "sim/experiment/loader.h"

#include <math.h>
#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "sim/experiment/resolve.h"

static void load_priorities(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *map = pt_yaml_get(loader->root, "priorities");
    config->priorities = pt__loader_alloc(loader, map->count, sizeof *config->priorities);
    if (!config->priorities) return;
    for (const struct pt_yaml_node *child = map->first; child; child = child->next) {
        struct pt_error ignored;
        int64_t number;
        if (pt_parse_int(&number, child->key, strlen(child->key), INT64_MIN, INT64_MAX, &ignored) ==
            PT_OK)
            pt__loader_say(loader, child->key_place, "a priority class can't be called '%.64s'",
                           child->key);
        config->priorities[config->priority_count++] =
            (struct pt_priority_class){.name = child->key, .value = child->value.integer};
    }
}

/* No bound is written `inf`. */
static double ratio_bound(const struct pt_yaml_node *map, const char *key)
{
    double number = pt__loader_value(map, key)->number;
    return isinf(number) ? (double)NAN : number;
}

static struct pt_tier make_tier(const char *name, const struct pt_yaml_node *map)
{
    return (struct pt_tier){.name = name,
                            .max_slowdown = ratio_bound(map, "max_slowdown"),
                            .max_jct_increase = ratio_bound(map, "max_jct_increase"),
                            .max_sharing_increase = ratio_bound(map, "max_sharing_increase"),
                            .max_wait_ns = pt__loader_value(map, "max_wait")->integer,
                            .max_jct_ns = pt__loader_value(map, "max_jct")->integer};
}

static bool has_bounds(const struct pt_tier *tier)
{
    return !isnan(tier->max_slowdown) || !isnan(tier->max_jct_increase) ||
           !isnan(tier->max_sharing_increase) || tier->max_wait_ns != PT_NEVER ||
           tier->max_jct_ns != PT_NEVER;
}

static void load_tiers(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *sla = pt_yaml_get(loader->root, "sla");
    const struct pt_yaml_node *tiers = pt_yaml_get(sla, "tiers");
    config->tiers = pt__loader_alloc(loader, tiers->count + 1, sizeof *config->tiers);
    config->default_tier = PT_NONE;
    if (!config->tiers) return;
    struct pt_tier tier = make_tier("default", pt_yaml_get(sla, "default"));
    if (has_bounds(&tier)) {
        config->default_tier = config->tier_count;
        config->tiers[config->tier_count++] = tier;
    }
    for (const struct pt_yaml_node *child = tiers->first; child; child = child->next) {
        if (strcmp(child->key, "default") == 0)
            pt__loader_say(loader, child->key_place,
                           "the tier 'default' is set by sla.default, not in sla.tiers");
        config->tiers[config->tier_count++] = make_tier(child->key, child);
    }
}

static void load_tenant(struct pt__loader *loader, struct pt_tenant *tenant,
                        const struct pt_yaml_node *map)
{
    const struct pt_config *config = loader->config;
    const struct pt_yaml_node *sla = pt_yaml_get(map, "sla");
    const struct pt_yaml_node *priority = pt_yaml_get(map, "priority");
    struct pt_error error;
    tenant->name = pt_yaml_get(map, "name")->text;
    tenant->place = pt_yaml_get(map, "name")->place;
    tenant->weight = pt__loader_value(map, "weight")->number;
    if (pt_resolve_tier(&tenant->tier, config, sla->text, &error) != PT_OK)
        pt__loader_say(loader, sla->place, "%s", error.message);
    if (pt_resolve_priority(&tenant->priority, config, priority->text, &error) != PT_OK)
        pt__loader_say(loader, priority->place, "%s", error.message);
}

static void load_tenants(struct pt__loader *loader)
{
    struct pt_config *config = loader->config;
    const struct pt_yaml_node *list = pt_yaml_get(loader->root, "tenants");
    config->tenants = pt__loader_alloc(loader, list->count + 1, sizeof *config->tenants);
    if (!config->tenants) return;
    config->tenants[0] = (struct pt_tenant){.name = "default", .weight = 1, .tier = PT_NONE};
    config->tenant_count = 1;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        bool is_default = strcmp(pt_yaml_get(map, "name")->text, "default") == 0;
        load_tenant(loader, &config->tenants[is_default ? 0 : config->tenant_count], map);
        if (!is_default) config->tenant_count++;
    }
}

void pt__load_sla(struct pt__loader *loader)
{
    load_priorities(loader);
    if (!loader->no_memory) load_tiers(loader);
    if (!loader->no_memory) load_tenants(loader);
}
