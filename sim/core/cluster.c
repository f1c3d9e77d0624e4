#include "partita/cluster.h"

uint32_t pt_cluster_pool_of_gpu(const struct pt_cluster *cluster, uint32_t gpu)
{
    uint32_t pool = 0;
    while (pool + 1 < cluster->pool_count && cluster->pools[pool + 1].first_gpu <= gpu)
        pool++;
    return pool;
}

uint32_t pt_cluster_node_of_gpu(const struct pt_cluster *cluster, uint32_t gpu)
{
    const struct pt_pool *pool = &cluster->pools[pt_cluster_pool_of_gpu(cluster, gpu)];
    return pool->first_node + (gpu - pool->first_gpu) / pool->gpus_per_node;
}
