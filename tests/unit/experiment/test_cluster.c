#include "partita/cluster.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

#define TWO_POOLS                                                                                  \
    "partita: 1\n" JOB "cluster:\n  pools:\n"                                                      \
    "  - {name: a, nodes: 3, gpus_per_node: 2, gpu: h100-sxm5-80gb, cpus_per_node: 12.5,\n"        \
    "     memory_per_node: 1.5GiB, sharing: {mode: time_slice, replicas: 4}}\n"                    \
    "  - {name: b-1, nodes: 2, gpus_per_node: 8, gpu: a100-sxm4-80gb}\n"

Test(cluster, numbers_pools_nodes_and_gpus)
{
    struct pt_config *config = load(TWO_POOLS, NULL);
    const struct pt_cluster *cluster = &config->cluster;
    cr_assert_eq(cluster->pool_count, 2);
    cr_assert_eq(cluster->node_count, 5);
    cr_assert_eq(cluster->gpu_count, 22);
    const struct pt_pool *a = &cluster->pools[0], *b = &cluster->pools[1];
    cr_assert_eq(a->first_node, 0);
    cr_assert_eq(b->first_node, 3);
    cr_assert_eq(b->first_gpu, 6);
    cr_assert_eq(a->cpus_milli_per_node, 12500);
    cr_assert_eq(a->mem_mib_per_node, 1536);
    cr_assert_eq(b->cpus_milli_per_node, PT_NONE);
    cr_assert_eq(b->mem_mib_per_node, PT_NONE);
    cr_assert_str_eq(a->unit->name, "time_slice");
    cr_assert_eq(a->shape.capacity, 4);
    cr_assert_str_eq(b->unit->name, "exclusive");
    cr_assert_eq(b->shape.capacity, 1);
    cr_assert_str_eq(cluster->nodes[2].name, "a-2");
    cr_assert_str_eq(cluster->nodes[4].name, "b-1-1");
    cr_assert_eq(cluster->nodes[4].pool, 1);
    pt_config_free(config);
}

Test(cluster, measures_work_on_the_first_pools_gpu_unless_told)
{
    struct pt_config *config = load(TWO_POOLS, NULL);
    cr_assert_str_eq(config->cluster.reference_gpu->name, "h100-sxm5-80gb");
    cr_assert_eq(config->cluster.pools[0].rate[PT_CLASS_MIXED], PT_SPEED_ONE);
    cr_assert_lt(config->cluster.pools[1].rate[PT_CLASS_MIXED], PT_SPEED_ONE);
    pt_config_free(config);
    const char *const sets[] = {"trace.reference_gpu=a100-sxm4-80gb", NULL};
    config = load(TWO_POOLS, sets);
    cr_assert_gt(config->cluster.pools[0].rate[PT_CLASS_MIXED], PT_SPEED_ONE);
    cr_assert_eq(config->cluster.pools[1].rate[PT_CLASS_MIXED], PT_SPEED_ONE);
    pt_config_free(config);
    assert_refused(
        HEAD JOB, "trace.reference_gpu=a100",
        "--set trace.reference_gpu=a100: reference_gpu: 'a100' is a family, name one of it: "
        "a100-sxm4-40gb, a100-sxm4-80gb, a100-pcie-40gb, a100-pcie-80gb\n");
}

Test(cluster, has_a_speed_for_each_class_of_jobs)
{
    const char *const sets[] = {"trace.reference_gpu=a100-sxm4-80gb", NULL};
    struct pt_config *config = load(HEAD JOB, sets);
    const struct pt_pool *pool = config->cluster.pools;
    for (int c = 0; c < PT_CLASS_COUNT; c++)
        cr_assert_eq(pool->rate[c], pt_gpu_relative_speed(pool->gpu, config->cluster.reference_gpu,
                                                          (enum pt_speed_class)c));
    cr_assert_gt(pool->rate[PT_CLASS_COMPUTE], 3 * PT_SPEED_ONE);
    pt_config_free(config);
    assert_refused("partita: 1\ncluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1,\n"
                   "gpu: h100-sxm5-80gb}]}\n" JOB,
                   "trace.reference_gpu=k80",
                   "test.yaml:3:6: gpu: 'h100-sxm5-80gb' is 226.4 times as fast for compute jobs "
                   "as 'k80', the GPU that work was measured on: less than 16 times can be "
                   "simulated (take a trace.reference_gpu nearer to it, or give its speed in a "
                   "catalogue)\n");
}

Test(cluster, gives_nodes_names_and_down_times)
{
    struct pt_config *config = load(TWO_POOLS "nodes:\n"
                                              "  - {name: m51, pool: a}\n"
                                              "  - {name: a-0, down: [[5, 6], [0, 0]], boot: 2}\n"
                                              "  - {name: m52, pool: a, down: [[1, inf]]}\n"
                                              "  - {name: b-1-1, pool: b-1, boot: 1min}\n",
                                    NULL);
    const struct pt_node *nodes = config->cluster.nodes;
    cr_assert_str_eq(nodes[0].name, "a-0"); /* claimed by its own name, so m51 is the next */
    cr_assert_str_eq(nodes[1].name, "m51");
    cr_assert_str_eq(nodes[2].name, "m52");
    cr_assert_str_eq(nodes[3].name, "b-1-0");
    cr_assert_str_eq(nodes[4].name, "b-1-1");
    cr_assert_eq(nodes[0].down_count, 2);
    cr_assert_eq(nodes[0].down[0].to_ns, 0); /* sorted */
    cr_assert_eq(nodes[0].down[1].from_ns, 5 * PT_NS_PER_S);
    cr_assert_eq(nodes[0].boot_ns, 2 * PT_NS_PER_S);
    cr_assert_null(nodes[1].down);
    cr_assert_eq(nodes[2].down[0].to_ns, PT_NEVER);
    cr_assert_eq(nodes[4].boot_ns, 60 * PT_NS_PER_S);
    pt_config_free(config);
}

Test(cluster, refuses_nodes_that_are_not_there)
{
    assert_refused(TWO_POOLS "nodes: [{name: x}]\n", NULL,
                   "test.yaml:8:9: missing key 'pool' (no node is called 'x')\n");
    assert_refused(TWO_POOLS "nodes: [{name: x, pool: aa}]\n", NULL,
                   "test.yaml:8:25: unknown pool 'aa' (did you mean 'a'?)\n");
    assert_refused(TWO_POOLS "nodes: [{name: x, pool: whatever}]\n", NULL,
                   "test.yaml:8:25: unknown pool 'whatever'\n");
    assert_refused(TWO_POOLS "nodes: [{name: a-2, pool: b-1}]\n", NULL,
                   "test.yaml:8:16: node 'a-2' is of another pool\n");
    assert_refused(TWO_POOLS "nodes: [{name: x, pool: b-1}, {name: y, pool: b-1},\n"
                             "        {name: a-3, pool: b-1}]\n",
                   NULL, "test.yaml:9:16: more names than pool 'b-1' has nodes (2)\n");
    assert_refused(TWO_POOLS "nodes: [{name: x, pool: a}, {name: x, pool: a}]\n", NULL,
                   "test.yaml:8:36: a second node with the name 'x' (first on line 8)\n");
}

Test(cluster, takes_only_a_plain_number_for_a_nodes_own_name)
{
    const char *const names[] = {"a-01", "a-", "a-x", "a-1e0", "a--1", "-0", "a-3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[600], message[200];
        snprintf(text, sizeof text, TWO_POOLS "nodes: [{name: %s}]\n", names[i]);
        snprintf(message, sizeof message,
                 "test.yaml:8:9: missing key 'pool' (no node is called '%s')\n", names[i]);
        assert_refused(text, NULL, message);
    }
}

Test(cluster, refuses_down_times_that_overlap)
{
    assert_refused(TWO_POOLS "nodes: [{name: a-0, down: [[2, 1]]}]\n", NULL,
                   "test.yaml:8:28: a down time that ends before it begins\n");
    assert_refused(TWO_POOLS "nodes: [{name: a-0, down: [[0, 5], [4, 6]]}]\n", NULL,
                   "test.yaml:8:27: down times of node 'a-0' overlap (boot included)\n");
    assert_refused(TWO_POOLS "nodes: [{name: a-0, down: [[0, 5], [6, 7]], boot: 2}]\n", NULL,
                   "test.yaml:8:27: down times of node 'a-0' overlap (boot included)\n");
    assert_refused(TWO_POOLS "nodes: [{name: a-0, down: [[1, inf], [6, 7]]}]\n", NULL,
                   "test.yaml:8:27: down times of node 'a-0' overlap (boot included)\n");
    struct pt_config *config =
        load(TWO_POOLS "nodes: [{name: a-0, down: [[0, 5], [7, 7]], boot: 2}]\n", NULL);
    pt_config_free(config); /* one ends exactly where the next begins */
}

Test(cluster, limits_the_number_of_nodes_and_gpus)
{
    assert_refused("partita: 1\n" JOB "cluster: {pools: [\n"
                   "  {name: a, nodes: 500000, gpus_per_node: 10, gpu: l40s},\n"
                   "  {name: b, nodes: 500000, gpus_per_node: 30, gpu: l40s}]}\n",
                   NULL,
                   "test.yaml:5:3: more than 1000000 nodes, 16777216 GPUs or 2147483648 replicas "
                   "in all\n");
    assert_refused("partita: 1\n" JOB "cluster: {pools: [\n"
                   "  {name: a, nodes: 999999, gpus_per_node: 1, gpu: l40s},\n"
                   "  {name: b, nodes: 2, gpus_per_node: 1, gpu: l40s}]}\n",
                   NULL,
                   "test.yaml:5:3: more than 1000000 nodes, 16777216 GPUs or 2147483648 replicas "
                   "in all\n");
}

Test(cluster, passes_on_what_the_sharing_mode_says)
{
    assert_refused("partita: 1\n" JOB "cluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1, "
                   "gpu: l40s, sharing: {mode: time_slice}}]}\n",
                   NULL, "test.yaml:3:77: missing key 'replicas'\n");
    assert_refused("partita: 1\n" JOB "cluster: {pools: [{name: a, nodes: 1, gpus_per_node: 1, "
                   "gpu: l40s, cpus_per_node: 1e9}]}\n",
                   NULL, "test.yaml:3:83: cpus_per_node: '1e9' is too large\n");
}
