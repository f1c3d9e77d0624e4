#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "sim/experiment/loader.h"

const char *const pt_kind_names[PT_KIND_COUNT] = {"training", "batch", "interactive", "inference"};

static void load_cold_start(struct pt__loader *loader)
{
    const struct pt_yaml_node *map = pt_yaml_get(loader->root, "cold_start");
    for (int kind = 0; kind < PT_KIND_COUNT; kind++) {
        const struct pt_yaml_node *given = pt_yaml_get(map, pt_kind_names[kind]);
        loader->config->cold_start_ns[kind] = given ? given->value.integer : PT_TIME_ABSENT;
    }
}

/* NODE:INDEX; PT_NONE, and it is said, if there is no such GPU. */
static uint32_t find_gpu(struct pt__loader *loader, const struct pt_yaml_node *gpu)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    const char *colon = strrchr(gpu->text, ':');
    struct pt_error ignored;
    int64_t index;
    if (!colon) {
        pt__loader_say(loader, gpu->place,
                       "gpu: '%.64s' is no GPU: write NODE:INDEX, as in main-0:0", gpu->text);
        return PT_NONE;
    }
    uint32_t node = pt__loader_node(loader, gpu->place, gpu->text, (size_t)(colon - gpu->text));
    if (node == PT_NONE) return PT_NONE;
    const struct pt_pool *pool = &cluster->pools[cluster->nodes[node].pool];
    if (pt_parse_int(&index, colon + 1, strlen(colon + 1), 0, (int64_t)pool->gpus_per_node - 1,
                     &ignored) != PT_OK) {
        pt__loader_say(loader, gpu->place, "gpu: node '%.64s' has GPUs 0 to %u, no '%.16s'",
                       cluster->nodes[node].name, (unsigned)pool->gpus_per_node - 1, colon + 1);
        return PT_NONE;
    }
    return pool->first_gpu + (node - pool->first_node) * pool->gpus_per_node + (uint32_t)index;
}

static void load_event(struct pt__loader *loader, struct pt_fault *fault,
                       const struct pt_yaml_node *map)
{
    const struct pt_yaml_node *node = pt_yaml_get(map, "node"), *gpu = pt_yaml_get(map, "gpu");
    *fault = (struct pt_fault){
        .time_ns = pt__loader_value(map, "at")->integer, .node = PT_NONE, .gpu = PT_NONE};
    if (!node == !gpu) {
        pt__loader_say(loader, map->place, "a fault is of one thing: 'node' or 'gpu'");
        return;
    }
    if (node) fault->node = pt__loader_node(loader, node->place, node->text, node->length);
    if (gpu) fault->gpu = find_gpu(loader, gpu);
}

/* By time, then as nodes and GPUs are numbered, so that the order in the file says nothing. */
static int by_time(const void *a, const void *b)
{
    const struct pt_fault *left = a, *right = b;
    if (left->time_ns != right->time_ns) return left->time_ns < right->time_ns ? -1 : 1;
    if (left->node != right->node) return left->node < right->node ? -1 : 1;
    return (left->gpu > right->gpu) - (left->gpu < right->gpu);
}

static void load_faults(struct pt__loader *loader)
{
    struct pt_faults *faults = &loader->config->faults;
    const struct pt_yaml_node *map = pt_yaml_get(loader->root, "faults");
    const struct pt_yaml_node *list = pt_yaml_get(map, "events");
    struct pt_fault *events = pt__loader_alloc(loader, list->count, sizeof *events);
    if (!events) return;
    for (const struct pt_yaml_node *each = list->first; each; each = each->next)
        load_event(loader, &events[faults->event_count++], each);
    if (faults->event_count > 1) qsort(events, faults->event_count, sizeof *events, by_time);
    faults->events = events;
    faults->gpu_mtbf_ns = pt__loader_value(map, "gpu_mtbf")->integer;
}

void pt__load_outages(struct pt__loader *loader)
{
    load_cold_start(loader);
    if (loader->config->cluster.nodes) load_faults(loader);
}
