/* The cluster of an experiment: pools of nodes of GPUs. Plain data, built by the loader, borrowed
 * by the engine for the whole run. Nodes are numbered pool by pool, GPUs node by node.
 */
#ifndef PARTITA_CLUSTER_H
#define PARTITA_CLUSTER_H

#include "partita/catalog.h"
#include "partita/types.h"
#include "partita/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A time during which a node serves nobody: from <= t < to, then `boot_ns` more. to = PT_NEVER:
 * it never comes back. Windows of a node are sorted and do not overlap, boot included. */
struct pt_down_window {
    int64_t from_ns, to_ns;
};

struct pt_node {
    const char *name; /* POOL-0 unless the experiment names it */
    uint32_t pool;
    uint32_t rack; /* PT_NONE = no rack is named for it */
    int64_t boot_ns;
    const struct pt_down_window *down; /* NULL when it is always up */
    uint32_t down_count;
};

struct pt_pool {
    const char *name;
    const struct pt_gpu_model *gpu;
    uint32_t node_count;    /* >= 1 */
    uint32_t gpus_per_node; /* >= 1 */
    uint32_t first_node, first_gpu;
    uint32_t cpus_milli_per_node; /* PT_NONE = not a constraint */
    uint32_t mem_mib_per_node;    /* PT_NONE = not a constraint */
    const struct pt_unit_ops *unit;
    const struct pt_value *unit_params; /* in the order of unit->params */
    struct pt_unit_shape shape;         /* what unit->configure answered */
    uint64_t rate[PT_CLASS_COUNT];      /* R against the reference GPU, by class of job */
    int64_t price_micro_per_hour;       /* of one GPU, millionths of a unit of money; < 0 = none */
};

struct pt_cluster {
    uint32_t pool_count, node_count, gpu_count;
    uint32_t rack_count;         /* racks are numbered by first appearance */
    const struct pt_pool *pools; /* 1..PT_POOLS_MAX */
    const struct pt_node *nodes;
    const struct pt_gpu_model *reference_gpu;
};

/* The pool or node that a GPU or node belongs to. O(pools). */
uint32_t pt_cluster_pool_of_gpu(const struct pt_cluster *cluster, uint32_t gpu);
uint32_t pt_cluster_node_of_gpu(const struct pt_cluster *cluster, uint32_t gpu);

#ifdef __cplusplus
}
#endif
#endif
