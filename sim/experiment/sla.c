#include "sim/experiment/loader.h"

#include <math.h>
#include <string.h>

#include "partita/number.h"

enum { PREEMPTS_LOWER, PREEMPTS_NEVER }; /* in the order of the table's words */

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
        config->priorities[config->priority_count++] = (struct pt_priority_class){
            .name = child->key,
            .rank = {.value = pt__loader_value(child, "value")->integer,
                     .preempts = pt__loader_value(child, "preempts")->integer == PREEMPTS_LOWER,
                     .preemptible = pt__loader_value(child, "preemptible")->integer != 0}};
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

void pt__load_sla(struct pt__loader *loader)
{
    load_priorities(loader);
    if (!loader->no_memory) load_tiers(loader);
}
