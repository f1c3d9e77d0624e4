#include <criterion/criterion.h>

#include "tests/unit/experiment/support.h"

#define NODES                                                                                      \
    "partita: 1\ncluster: {pools: [{name: m, nodes: 4, gpus_per_node: 1, gpu: h100-sxm5-80gb}]}\n" \
    "nodes: [{name: big, pool: m}]\n"

Test(topology, has_no_racks_unless_written)
{
    struct pt_config *config = load(NODES JOB, NULL);
    cr_expect_eq(config->cluster.rack_count, 0);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(config->cluster.nodes[i].rack, PT_NONE);
    pt_config_free(config);
}

Test(topology, numbers_racks_by_first_appearance)
{
    struct pt_config *config = load(NODES JOB "topology: {m-3: z, m-1: a, big: z}\n", NULL);
    cr_expect_eq(config->cluster.rack_count, 2);
    cr_expect_eq(config->cluster.nodes[0].rack, 0);
    cr_expect_eq(config->cluster.nodes[1].rack, 1);
    cr_expect_eq(config->cluster.nodes[2].rack, PT_NONE);
    cr_expect_eq(config->cluster.nodes[3].rack, 0);
    struct pt_config *again = load(config->effective_yaml, NULL);
    cr_expect_str_eq(config->effective_yaml, again->effective_yaml);
    pt_config_free(again);
    pt_config_free(config);
}

Test(topology, can_be_set)
{
    const char *sets[] = {"topology.m-2=7", NULL};
    struct pt_config *config = load(NODES JOB, sets);
    cr_expect_eq(config->cluster.nodes[2].rack, 0);
    pt_config_free(config);
}

Test(topology, refuses_nodes_that_are_not_there)
{
    assert_refused(NODES JOB "topology: {m-7: a, m-1: ''}\n", NULL,
                   "test.yaml:5:12: unknown node 'm-7' (did you mean 'm-1'?)\n"
                   "test.yaml:5:25: topology: the rack of 'm-1' has no name\n");
    assert_refused(NODES JOB "topology: [a]\n", NULL,
                   "test.yaml:5:11: 'topology' must be a map (name: ...), not a list\n");
    assert_refused(NODES JOB "topology: {m-1: [a]}\n", NULL,
                   "test.yaml:5:17: 'm-1' must be a text, not a list\n");
}
