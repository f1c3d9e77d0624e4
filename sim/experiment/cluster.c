#include "sim/experiment/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "partita/number.h"
#include "partita/suggest.h"
#include "sim/experiment/schema.h"

/* Of all pools together: what a run of minutes can still hold. */
#define GPUS_MAX UINT32_C(16777216)
#define NODES_MAX UINT32_C(1000000)
#define UNITS_MAX UINT32_C(2147483648) /* GPUs x replicas: the engine counts them in 32 bits */

/* ---- pools ---- */

static uint32_t per_node(const struct pt_value *value)
{
    return value->integer >= PT_NONE ? PT_NONE : (uint32_t)value->integer;
}

/* CPUs as exact thousandths. */
static uint32_t cpus_milli(struct pt__loader *loader, const struct pt_yaml_node *node)
{
    struct pt_error error;
    uint32_t milli = PT_NONE;
    if (node->value.integer == INT64_MAX) return PT_NONE;
    if (pt_parse_milli(&milli, node->text, node->length, &error) != PT_OK)
        pt__loader_say(loader, node->place, "cpus_per_node: '%.64s' %s", node->text, error.message);
    return milli;
}

/* Exact millionths; -1 = no price. */
static int64_t price_micro(const struct pt_yaml_node *price)
{
    return price ? price->value.ppm : -1;
}

/* Where the key stands that a mode's message begins with ("replicas: ...", "inside.replicas is
 * ..."), in the file or as an argument; else the map. */
static struct pt_yaml_place place_of(const struct pt_yaml_node *sharing, const char *message)
{
    size_t length = strcspn(message, ".: ");
    for (const struct pt_yaml_node *key = sharing->first; key; key = key->next)
        if (strlen(key->key) == length && strncmp(key->key, message, length) == 0 &&
            key->place.file != NULL)
            return key->place;
    return sharing->place;
}

static void load_sharing(struct pt__loader *loader, struct pt_pool *pool,
                         const struct pt_yaml_node *sharing)
{
    struct pt_error error = {.status = PT_OK};
    pool->unit = pt_unit_find(pt_yaml_get(sharing, "mode")->text);
    struct pt_value *params = pt_schema_values(loader->yaml, pool->unit->params, sharing);
    if (!params) loader->no_memory = true;
    pool->unit_params = params;
    if (!params) return;
    if (pool->unit->configure(&pool->shape, pool->gpu, params, &error) != PT_OK)
        pt__loader_say(loader, place_of(sharing, error.message), "%s", error.message);
}

static void load_pool(struct pt__loader *loader, struct pt_pool *pool,
                      const struct pt_yaml_node *map)
{
    pool->name = pt_yaml_get(map, "name")->text;
    pool->gpu = pt_catalog_find(loader->config->catalog, pt_yaml_get(map, "gpu")->text);
    pool->node_count = (uint32_t)pt__loader_value(map, "nodes")->integer;
    pool->gpus_per_node = (uint32_t)pt__loader_value(map, "gpus_per_node")->integer;
    pool->cpus_milli_per_node = cpus_milli(loader, pt_yaml_get(map, "cpus_per_node"));
    pool->mem_mib_per_node = per_node(pt__loader_value(map, "memory_per_node"));
    pool->price_micro_per_hour = price_micro(pt_yaml_get(map, "price_per_gpu_hour"));
    load_sharing(loader, pool, pt_yaml_get(map, "sharing"));
}

static void load_pools(struct pt__loader *loader, const struct pt_yaml_node *list)
{
    struct pt_cluster *cluster = &loader->config->cluster;
    struct pt_pool *pools = pt__loader_alloc(loader, list->count, sizeof *pools);
    uint64_t gpus = 0, nodes = 0, units = 0;
    if (!pools) return;
    cluster->pools = pools;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        struct pt_pool *pool = &pools[cluster->pool_count++];
        load_pool(loader, pool, map);
        pool->first_node = (uint32_t)nodes;
        pool->first_gpu = (uint32_t)gpus;
        nodes += pool->node_count;
        gpus += (uint64_t)pool->node_count * pool->gpus_per_node;
        units += (uint64_t)pool->node_count * pool->gpus_per_node * pool->shape.capacity;
        if (gpus <= GPUS_MAX && nodes <= NODES_MAX && units <= UNITS_MAX) continue;
        pt__loader_say(loader, map->place, "more than %u nodes, %u GPUs or %u replicas in all",
                       (unsigned)NODES_MAX, (unsigned)GPUS_MAX, (unsigned)UNITS_MAX);
        break;
    }
    cluster->node_count = (uint32_t)nodes;
    cluster->gpu_count = (uint32_t)gpus;
}

/* R of a pool by class of jobs; speeds are 64-bit fractions, so there is a bound. */
static void load_rates(struct pt__loader *loader, struct pt_pool *pool,
                       const struct pt_yaml_node *map)
{
    const struct pt_gpu_model *reference = loader->config->cluster.reference_gpu;
    int worst = 0;
    double highest = 0;
    for (int c = 0; c < PT_CLASS_COUNT; c++) {
        enum pt_speed_class class_ = (enum pt_speed_class)c;
        double ratio = pt_gpu_speed_ratio(pool->gpu, reference, class_);
        pool->rate[c] = pt_gpu_relative_speed(pool->gpu, reference, class_);
        if (ratio > highest) worst = c;
        highest = ratio > highest ? ratio : highest;
    }
    if (pool->rate[worst] < PT_SPEED_TOO_FAST) return;
    pt__loader_say(loader, pt_yaml_get(map, "gpu")->place,
                   "gpu: '%.64s' is %.1f times as fast for %s jobs as '%.64s', the GPU that work "
                   "was measured on: less than %.0f times can be simulated (take a "
                   "trace.reference_gpu nearer to it, or give its speed in a catalogue)",
                   pool->gpu->name, highest, pt_speed_class_name((enum pt_speed_class)worst),
                   reference->name, PT_SPEED_RATIO_MAX);
}

/* The GPU that work was measured on: as written, else the first pool's; and every pool's R. */
static void load_reference(struct pt__loader *loader)
{
    struct pt_cluster *cluster = &loader->config->cluster;
    struct pt_pool *pools = (struct pt_pool *)cluster->pools;
    struct pt_yaml_node *trace = pt_yaml_get(loader->root, "trace");
    const struct pt_yaml_node *written = pt_yaml_get(trace, "reference_gpu");
    cluster->reference_gpu =
        written ? pt_catalog_find(loader->config->catalog, written->text) : pools[0].gpu;
    const struct pt_yaml_node *map =
        pt_yaml_get(pt_yaml_get(loader->root, "cluster"), "pools")->first;
    for (uint32_t i = 0; i < cluster->pool_count; i++, map = map->next)
        load_rates(loader, &pools[i], map);
    if (written) return;
    const char *name = cluster->reference_gpu->name;
    struct pt_yaml_node *said = pt_yaml_new_scalar(loader->yaml, trace->place, name, strlen(name));
    if (!said) {
        loader->no_memory = true;
        return;
    }
    said->key = "reference_gpu";
    pt_yaml_append(trace, said);
}

/* ---- nodes ---- */

static void name_nodes(struct pt__loader *loader, struct pt_node *nodes)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        size_t room = strlen(pool->name) + 12;
        char *names = pt__loader_alloc(loader, pool->node_count, room);
        if (!names) return;
        for (uint32_t i = 0; i < pool->node_count; i++) {
            char *name = names + i * room;
            snprintf(name, room, "%s-%u", pool->name, (unsigned)i);
            nodes[pool->first_node + i] =
                (struct pt_node){.name = name, .pool = p, .rack = PT_NONE};
        }
    }
}

static uint32_t find_pool(const struct pt_cluster *cluster, const char *name, size_t length)
{
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        if (strlen(cluster->pools[p].name) == length &&
            memcmp(cluster->pools[p].name, name, length) == 0)
            return p;
    return PT_NONE;
}

/* The node whose own name is POOL-NUMBER, or PT_NONE. */
static uint32_t find_default_name(const struct pt_cluster *cluster, const char *name)
{
    const char *dash = strrchr(name, '-');
    struct pt_error ignored;
    int64_t number;
    if (!dash || (dash[1] == '0' && dash[2] != '\0') || dash[1] < '0' || dash[1] > '9')
        return PT_NONE;
    uint32_t p = find_pool(cluster, name, (size_t)(dash - name));
    if (p == PT_NONE || strspn(dash + 1, "0123456789") != strlen(dash + 1)) return PT_NONE;
    const struct pt_pool *pool = &cluster->pools[p];
    if (pt_parse_int(&number, dash + 1, strlen(dash + 1), 0, (int64_t)pool->node_count - 1,
                     &ignored) != PT_OK)
        return PT_NONE;
    return pool->first_node + (uint32_t)number;
}

static int by_start(const void *a, const void *b)
{
    const struct pt_down_window *left = a, *right = b;
    if (left->from_ns != right->from_ns) return left->from_ns < right->from_ns ? -1 : 1;
    return (left->to_ns > right->to_ns) - (left->to_ns < right->to_ns);
}

static void load_down(struct pt__loader *loader, struct pt_node *node,
                      const struct pt_yaml_node *entry)
{
    const struct pt_yaml_node *list = pt_yaml_get(entry, "down");
    struct pt_down_window *windows = pt__loader_alloc(loader, list->count, sizeof *windows);
    if (!windows) return;
    for (const struct pt_yaml_node *pair = list->first; pair; pair = pair->next) {
        struct pt_down_window *window = &windows[node->down_count++];
        window->from_ns = pair->first->value.integer;
        window->to_ns = pair->last->value.integer;
        if (window->from_ns > window->to_ns)
            pt__loader_say(loader, pair->place, "a down time that ends before it begins");
    }
    node->boot_ns = pt__loader_value(entry, "boot")->integer;
    node->down = node->down_count > 0 ? windows : NULL;
    qsort(windows, node->down_count, sizeof *windows, by_start);
    for (uint32_t i = 1; i < node->down_count; i++) {
        int64_t up = windows[i - 1].to_ns;
        up = up > PT_NEVER - node->boot_ns ? PT_NEVER : up + node->boot_ns;
        if (windows[i].from_ns >= up && up != PT_NEVER) continue;
        pt__loader_say(loader, list->place, "down times of node '%.64s' overlap (boot included)",
                       pt_yaml_get(entry, "name")->text);
        return;
    }
}

/* The pool that an entry names; PT_NONE without one, or with an unknown one, which is said. */
static uint32_t pool_of_entry(struct pt__loader *loader, const struct pt_yaml_node *entry)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    const struct pt_yaml_node *name = pt_yaml_get(entry, "pool");
    if (!name) return PT_NONE;
    uint32_t pool = find_pool(cluster, name->text, name->length);
    if (pool != PT_NONE) return pool;
    struct pt_suggestion near;
    pt_suggest_begin(&near, name->text, name->length);
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        pt_suggest_offer(&near, cluster->pools[p].name);
    pt__loader_say(loader, name->place, "unknown pool '%.64s'%s%s%s", name->text,
                   near.best ? " (did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?)" : "");
    return PT_NONE;
}

/* Entries that call a node by its own name take it; *taken marks it. */
static void claim_own_names(struct pt__loader *loader, const struct pt_yaml_node *list,
                            struct pt_node *nodes, bool *taken)
{
    for (const struct pt_yaml_node *entry = list->first; entry; entry = entry->next) {
        const struct pt_yaml_node *name = pt_yaml_get(entry, "name");
        uint32_t node = find_default_name(&loader->config->cluster, name->text);
        if (node == PT_NONE) continue;
        uint32_t pool = pool_of_entry(loader, entry);
        if (pool != PT_NONE && pool != nodes[node].pool)
            pt__loader_say(loader, name->place, "node '%.64s' is of another pool", name->text);
        taken[node] = true;
        load_down(loader, &nodes[node], entry);
    }
}

/* The others name, pool by pool, the first nodes that nobody named; `next` is by pool. */
static void claim_new_names(struct pt__loader *loader, const struct pt_yaml_node *list,
                            struct pt_node *nodes, const bool *taken, uint32_t *next)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    for (const struct pt_yaml_node *entry = list->first; entry; entry = entry->next) {
        const struct pt_yaml_node *name = pt_yaml_get(entry, "name");
        if (find_default_name(cluster, name->text) != PT_NONE) continue;
        if (!pt_yaml_get(entry, "pool"))
            pt__loader_say(loader, entry->place, "missing key 'pool' (no node is called '%.64s')",
                           name->text);
        uint32_t p = pool_of_entry(loader, entry);
        if (p == PT_NONE) continue;
        const struct pt_pool *pool = &cluster->pools[p];
        while (next[p] < pool->node_count && taken[pool->first_node + next[p]])
            next[p]++;
        if (next[p] == pool->node_count) {
            pt__loader_say(loader, name->place, "more names than pool '%.64s' has nodes (%u)",
                           pool->name, (unsigned)pool->node_count);
            continue;
        }
        struct pt_node *node = &nodes[pool->first_node + next[p]++];
        node->name = name->text;
        load_down(loader, node, entry);
    }
}

static void load_nodes(struct pt__loader *loader)
{
    struct pt_cluster *cluster = &loader->config->cluster;
    const struct pt_yaml_node *list = pt_yaml_get(loader->root, "nodes");
    struct pt_node *nodes = pt__loader_alloc(loader, cluster->node_count, sizeof *nodes);
    bool *taken = pt__loader_alloc(loader, cluster->node_count, sizeof *taken);
    uint32_t *next = pt__loader_alloc(loader, cluster->pool_count, sizeof *next);
    if (!nodes || !taken || !next) return;
    cluster->nodes = nodes;
    name_nodes(loader, nodes);
    if (loader->no_memory) return;
    claim_own_names(loader, list, nodes, taken);
    claim_new_names(loader, list, nodes, taken, next);
}

void pt__load_cluster(struct pt__loader *loader)
{
    load_pools(loader, pt_yaml_get(pt_yaml_get(loader->root, "cluster"), "pools"));
    if (loader->no_memory) return;
    load_reference(loader);
    const struct pt_cluster *cluster = &loader->config->cluster;
    bool too_large = cluster->gpu_count > GPUS_MAX || cluster->node_count > NODES_MAX;
    if (!loader->no_memory && !too_large) load_nodes(loader);
}
