/* Private to the loader: what config.c, cluster.c, tenants.c, source.c ... share while an
 * experiment is built from its normal tree. Each builds one subject, says all that is wrong with
 * it, and goes on.
 */
#ifndef PT_EXPERIMENT_LOADER_H
#define PT_EXPERIMENT_LOADER_H

#include "sim/experiment/config.h"
#include "sim/experiment/yaml.h"

struct pt__loader {
    struct pt_config *config;
    struct pt_yaml *yaml;      /* its arena holds all that the experiment owns */
    struct pt_yaml_node *root; /* the normal tree */
    struct pt_messages *messages;
    const char *origin_dir; /* where relative paths start; never NULL */
    bool wrong, no_memory;
};

/* Says what is wrong at a place, and remembers that something is. */
void pt__loader_say(struct pt__loader *loader, struct pt_yaml_place place, const char *format, ...)
    PT_PRINTF(3, 4);
/* Zeroed memory from the arena; on NULL the loader knows that memory is out. */
void *pt__loader_alloc(struct pt__loader *loader, size_t count, size_t size);
/* A path resolved against origin_dir; on NULL the loader knows that memory is out. */
const char *pt__loader_path(struct pt__loader *loader, const char *path);
/* The resolved path of an input file that the node names, kept among the config's files, so that
 * outputs spare it and the result holds its digest. NULL when memory is out or it is one too many,
 * which is said. */
const char *pt__loader_input(struct pt__loader *loader, const struct pt_yaml_node *node);
/* The node of the cluster that is called so; PT_NONE where there is none, which is said at `place`.
 * O(nodes). */
uint32_t pt__loader_node(struct pt__loader *loader, struct pt_yaml_place place, const char *name,
                         size_t length);
/* Normal trees have every key: the scalar `key` of a map. */
static inline const struct pt_value *pt__loader_value(const struct pt_yaml_node *map,
                                                      const char *key)
{
    return &pt_yaml_get(map, key)->value;
}

/* Pools, nodes, down times. False: too wrong to go on with what needs the cluster. */
void pt__load_cluster(struct pt__loader *loader);
/* The racks of the cluster's nodes. */
void pt__load_topology(struct pt__loader *loader);
/* Cold starts, faults; the cluster is there. */
void pt__load_outages(struct pt__loader *loader);
/* How jobs are stopped for others and come back; the policy is there. */
void pt__load_preemption(struct pt__loader *loader);
/* The profiles that jobs may name. */
void pt__load_profiles(struct pt__loader *loader);
/* The interference model; profiles are there. */
void pt__load_interference(struct pt__loader *loader);
/* Priorities and tiers. */
void pt__load_sla(struct pt__loader *loader);
/* Tenants; priorities, tiers and the policy are there. */
void pt__load_tenants(struct pt__loader *loader);
/* Where the jobs come from; jobs in the file. */
void pt__load_source(struct pt__loader *loader);

#endif
