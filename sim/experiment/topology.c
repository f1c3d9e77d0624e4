#include <stdlib.h>
#include <string.h>

#include "sim/experiment/loader.h"

/* The key `topology`: racks of nodes. O(n log n) in nodes and entries. */

struct name {
    const char *text;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct name *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The cluster's nodes by name; NULL when memory is out. */
static struct name *sort_nodes(struct pt__loader *loader)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    struct name *names = pt__loader_alloc(loader, cluster->node_count, sizeof *names);
    if (!names) return NULL;
    for (uint32_t i = 0; i < cluster->node_count; i++)
        names[i] = (struct name){cluster->nodes[i].name, i};
    qsort(names, cluster->node_count, sizeof *names, by_name);
    return names;
}

/* For each entry of the map the first one with the same rack; NULL when memory is out. */
static uint32_t *first_of_same(struct pt__loader *loader, const struct pt_yaml_node *map)
{
    struct name *racks = pt__loader_alloc(loader, map->count, sizeof *racks);
    uint32_t *first = pt__loader_alloc(loader, map->count, sizeof *first);
    uint32_t count = 0;
    if (!racks || !first) return NULL;
    for (const struct pt_yaml_node *entry = map->first; entry; entry = entry->next, count++)
        racks[count] = (struct name){entry->text, count};
    qsort(racks, count, sizeof *racks, by_name);
    for (uint32_t i = 0, same = 0; i < count; i++) {
        if (strcmp(racks[i].text, racks[same].text) != 0) same = i;
        first[racks[i].index] = racks[same].index;
    }
    return first;
}

static uint32_t find(struct pt__loader *loader, const struct name *nodes,
                     const struct pt_yaml_node *entry)
{
    const struct name wanted = {entry->key, 0};
    const struct name *found =
        bsearch(&wanted, nodes, loader->config->cluster.node_count, sizeof *nodes, by_text);
    return found ? found->index
                 : pt__loader_node(loader, entry->key_place, entry->key, strlen(entry->key));
}

void pt__load_topology(struct pt__loader *loader)
{
    struct pt_cluster *cluster = &loader->config->cluster;
    const struct pt_yaml_node *map = pt_yaml_get(loader->root, "topology");
    struct pt_node *nodes = (struct pt_node *)cluster->nodes;
    if (map->count == 0) return;
    const struct name *names = sort_nodes(loader);
    const uint32_t *first = first_of_same(loader, map);
    uint32_t *number = pt__loader_alloc(loader, map->count, sizeof *number), i = 0;
    if (!names || !first || !number) return;
    for (const struct pt_yaml_node *entry = map->first; entry; entry = entry->next, i++) {
        if (entry->length == 0)
            pt__loader_say(loader, entry->place, "topology: the rack of '%.64s' has no name",
                           entry->key);
        uint32_t node = find(loader, names, entry);
        number[i] = first[i] == i ? cluster->rack_count++ : number[first[i]];
        if (node != PT_NONE) nodes[node].rack = number[i];
    }
}
