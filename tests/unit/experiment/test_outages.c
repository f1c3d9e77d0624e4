#include <criterion/criterion.h>

#include "partita/number.h"
#include "tests/unit/experiment/support.h"

#define TWO_NODES                                                                                  \
    "partita: 1\ncluster: {pools: [{name: m, nodes: 2, gpus_per_node: 4, gpu: h100-sxm5-80gb}]}\n"

Test(outages, are_none_unless_written)
{
    struct pt_config *config = load(HEAD JOB, NULL);
    cr_assert_eq(config->faults.event_count, 0);
    cr_assert_eq(config->faults.gpu_mtbf_ns, 0);
    for (int kind = 0; kind < PT_KIND_COUNT; kind++)
        cr_assert_eq(config->cold_start_ns[kind], PT_TIME_ABSENT);
    pt_config_free(config);
}

Test(outages, name_nodes_and_gpus_and_are_sorted_by_time)
{
    struct pt_config *config =
        load(TWO_NODES JOB "faults: {gpu_mtbf: 1000h, events: [{at: 9, gpu: 'm-1:3'}, {at: 5s, "
                           "node: m-1}, {at: 5, gpu: 'm-0:1'}]}\n",
             NULL);
    const struct pt_fault *events = config->faults.events;
    cr_assert_eq(config->faults.event_count, 3);
    cr_expect_eq(config->faults.gpu_mtbf_ns, 1000 * 3600 * PT_NS_PER_S);
    cr_expect_eq(events[0].time_ns, 5 * PT_NS_PER_S);
    cr_expect_eq(events[0].node, 1);
    cr_expect_eq(events[0].gpu, PT_NONE);
    cr_expect_eq(events[1].time_ns, 5 * PT_NS_PER_S);
    cr_expect_eq(events[1].node, PT_NONE);
    cr_expect_eq(events[1].gpu, 1);
    cr_expect_eq(events[2].gpu, 7);
    pt_config_free(config);
}

Test(outages, of_things_that_are_not_there_are_refused)
{
    assert_refused(TWO_NODES JOB "faults: {events: [{at: 1, node: m-3}]}\n", NULL,
                   "test.yaml:4:33: unknown node 'm-3' (did you mean 'm-0'?)\n");
    assert_refused(TWO_NODES JOB "faults: {events: [{at: 1, gpu: 'm-1:4'}]}\n", NULL,
                   "test.yaml:4:32: gpu: node 'm-1' has GPUs 0 to 3, no '4'\n");
    assert_refused(TWO_NODES JOB "faults: {events: [{at: 1, gpu: m-1}]}\n", NULL,
                   "test.yaml:4:32: gpu: 'm-1' is no GPU: write NODE:INDEX, as in main-0:0\n");
    assert_refused(TWO_NODES JOB "faults: {events: [{at: 1}]}\n", NULL,
                   "test.yaml:4:19: a fault is of one thing: 'node' or 'gpu'\n");
    assert_refused(TWO_NODES JOB "faults: {events: [{at: 1, node: m-0, gpu: 'm-0:0'}]}\n", NULL,
                   "test.yaml:4:19: a fault is of one thing: 'node' or 'gpu'\n");
}

Test(outages, cold_starts_are_by_kind)
{
    struct pt_config *config = load(HEAD JOB "cold_start: {inference: 60s, batch: 0}\n", NULL);
    cr_expect_eq(config->cold_start_ns[PT_KIND_INFERENCE], 60 * PT_NS_PER_S);
    cr_expect_eq(config->cold_start_ns[PT_KIND_BATCH], 0);
    cr_expect_eq(config->cold_start_ns[PT_KIND_TRAINING], PT_TIME_ABSENT);
    pt_config_free(config);
    assert_refused(HEAD JOB "cold_start: {inferense: 60s}\n", NULL,
                   "test.yaml:4:14: unknown key 'inferense' (did you mean 'inference'?)\n");
}

Test(outages, prices_are_exact_millionths_and_none_by_default)
{
    struct pt_config *config = load(HEAD JOB "electricity_price: 0.25\n", NULL);
    cr_expect_eq(config->cluster.pools[0].price_micro_per_hour, -1);
    cr_expect_float_eq(config->electricity_price, 0.25, 0);
    pt_config_free(config);
    config = load("partita: 1\ncluster: {pools: [{name: m, nodes: 1, gpus_per_node: 1, gpu: "
                  "h100-sxm5-80gb, price_per_gpu_hour: 2.500001}]}\n" JOB,
                  NULL);
    cr_expect_eq(config->cluster.pools[0].price_micro_per_hour, 2500001);
    cr_expect_float_eq(config->electricity_price, 0, 0);
    pt_config_free(config);
}
