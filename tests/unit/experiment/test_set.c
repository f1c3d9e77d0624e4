#include "sim/experiment/set.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

#define POOLS                                                                                      \
    "partita: 1\ncluster:\n  pools:\n"                                                             \
    "  - {name: slice, nodes: 1, gpus_per_node: 2, gpu: l40s,\n"                                   \
    "     sharing: {mode: time_slice, replicas: 4}}\n"                                             \
    "  - {name: whole, nodes: 1, gpus_per_node: 2, gpu: l40s}\n"

static struct pt_config *load_with(const char *text, const char *set)
{
    const char *const sets[] = {set, NULL};
    return load(text, sets);
}

Test(set, overrides_an_element_by_name_or_index)
{
    struct pt_config *config = load_with(POOLS JOB, "cluster.pools[slice].nodes=8");
    cr_assert_eq(config->cluster.pools[0].node_count, 8);
    pt_config_free(config);
    config = load_with(POOLS JOB, "cluster.pools[1].nodes=1e1");
    cr_assert_eq(config->cluster.pools[1].node_count, 10);
    pt_config_free(config);
    config = load_with(POOLS JOB, "trace.jobs[a].work_s=7");
    cr_assert_eq(pt_trace_work_ns(config->trace.inline_jobs)[0], 7 * PT_NS_PER_S);
    pt_config_free(config);
}

Test(set, makes_keys_that_are_absent)
{
    const char *const sets[] = {"seed=9",
                                "sla.tiers.gold.max_wait=5min",
                                "sla.tiers[best effort].max_jct=1h",
                                "priorities.high=10",
                                "queue.give_up=1h",
                                "output.file=out.h5",
                                NULL};
    struct pt_config *config = load(POOLS JOB, sets);
    cr_assert_eq(config->seed, 9);
    cr_assert_eq(config->tier_count, 2);
    cr_assert_str_eq(config->tiers[1].name, "best effort");
    cr_assert_eq(config->tiers[0].max_wait_ns, 300 * PT_NS_PER_S);
    cr_assert_eq(config->priorities[0].rank.value, 10);
    cr_assert_eq(config->give_up_ns, 3600 * PT_NS_PER_S);
    cr_assert_str_eq(config->output.file, "out.h5");
    pt_config_free(config);
}

Test(set, applies_in_order_and_fills_in_empty_maps)
{
    const char *const sets[] = {"seed=1", "sla.default.max_wait=1", "seed=2", NULL};
    struct pt_config *config = load(POOLS JOB "sla:\n", sets);
    cr_assert_eq(config->seed, 2);
    cr_assert_eq(config->default_tier, 0);
    pt_config_free(config);
}

Test(set, goes_into_short_forms)
{
    struct pt_config *config = load_with(HEAD JOB "policy: fifo\n", "policy.blocking=skip");
    cr_assert_eq(config->policy_params[0].integer, 1);
    pt_config_free(config);
    config = load_with(HEAD JOB, "cluster.pools[main].nodes=3");
    cr_assert_eq(config->cluster.gpu_count, 12);
    pt_config_free(config);
    config = load_with(POOLS JOB, "cluster.gpus=6");
    cr_assert_eq(config->cluster.gpu_count, 6);
    cr_assert_eq(config->cluster.pool_count, 1);
    pt_config_free(config);
    config = load_with(HEAD JOB, "cluster.gpus=6");
    cr_assert_eq(config->cluster.gpu_count, 6);
    pt_config_free(config);
}

Test(set, takes_maps_and_lists_as_yaml)
{
    struct pt_config *config = load_with(HEAD JOB, "tenants=[{name: a, weight: 3}, {name: b}]");
    cr_assert_eq(config->tenant_count, 3);
    cr_assert_eq(config->tenants[1].weight, 3);
    pt_config_free(config);
    config = load_with(HEAD JOB, "policy=fifo");
    cr_assert_str_eq(config->policy->name, "fifo");
    pt_config_free(config);
    config = load_with(HEAD JOB, "sla.tiers.gold={max_slowdown: 1.2}");
    cr_assert_eq(config->tiers[0].max_slowdown, 1.2);
    pt_config_free(config);
    config = load_with(HEAD JOB "nodes: [{name: main-0}]\n", "nodes[main-0].down=[[1, 2]]");
    cr_assert_eq(config->cluster.nodes[0].down_count, 1);
    pt_config_free(config);
}

Test(set, takes_texts_as_they_are)
{
    struct pt_config *config = load_with(HEAD JOB, "name=a: [b = c");
    cr_assert_str_eq(config->name, "a: [b = c");
    pt_config_free(config);
}

Test(set, puts_another_policy_in_place_with_defaults_of_its_own)
{
    const char *none[] = {NULL}, *srtf[] = {"policy.name=srtf", NULL};
    const char *fair[] = {"policy.name=fair_share", NULL}, *kept[] = {"policy.name=fifo", NULL};
    const char *fgd[] = {"policy.placement.name=fgd", NULL};
    struct pt_config *fifo = load(HEAD JOB, none);
    struct pt_config *first = load(fifo->effective_yaml, srtf);
    cr_expect_str_eq(first->policy->name, "srtf");
    cr_expect_eq(first->policy_params[0].integer, 1, "srtf skips by default, fifo does not");
    cr_expect_eq(first->preemption.mode, PT_PREEMPTION_SUSPEND);
    /* keys that are no scalars, and parameters of placements */
    struct pt_config *second = load(first->effective_yaml, fair);
    struct pt_config *third = load(second->effective_yaml, srtf);
    cr_expect_str_eq(third->effective_yaml, first->effective_yaml);
    struct pt_config *fourth = load(third->effective_yaml, fgd);
    cr_expect_str_eq(fourth->placement->name, "fgd");
    pt_config_free(fourth);
    pt_config_free(third);
    pt_config_free(second);
    pt_config_free(first);
    pt_config_free(fifo);
    /* what says more than the old default stays, known or not; the same name changes nothing */
    first = load(HEAD JOB "policy: {name: sjf, blocking: skip}\n", kept);
    cr_expect_eq(first->policy_params[0].integer, 1);
    pt_config_free(first);
    first = load(HEAD JOB "policy: {name: fifo, blocking: strict}\n", kept);
    cr_expect_eq(first->policy_params[0].integer, 0);
    pt_config_free(first);
    assert_refused(
        HEAD JOB "policy: {name: fair_share, half_life: 1d}\n", "policy.name=srtf",
        "test.yaml:4:28: unknown key 'half_life' of policy 'srtf': 'fair_share' has it\n");
}

Test(set, refuses_and_names_the_argument)
{
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"a", "must be PATH=VALUE"},
        {"", "an empty step in the path"},
        {"=3", "an empty step in the path"},
        {"[a]=3", "a path begins with a key"},
        {"seed.=3", "an empty step in the path"},
        {"nodes.[0]=3", "an empty step in the path"},
        {"cluster.pools[]=3", "an empty step in the path"},
        {"cluster.pools[a=3", "a '[' without its ']'"},
        {"cluster.pools[0]x=3", "a ']' is followed by '.', '[' or '='"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q=3", "a path of more than 16 steps"},
        {"sed=3", "unknown key 'sed' (did you mean 'seed'?)"},
        {"cluster.pools[whole].sharing.replicas=3",
         "unknown key 'replicas' of sharing mode 'exclusive': 'time_slice', 'mps', "
         "'vgpu' and 'fractional' have it"},
        {"wholly.wrong=3", "unknown key 'wholly' of experiment"},
        {"policy.blokcing=skip", "unknown key 'blokcing' (did you mean 'blocking'?)"},
        {"seed.a=3", "'seed' is a single value: nothing is inside it"},
        {"seed[0]=3", "'seed' is a single value: nothing is inside it"},
        {"policy.blocking.a=3", "'blocking' is a single value: nothing is inside it"},
        {"cluster[0]=3", "'0' in brackets: cluster is no list"},
        {"cluster.pools.nodes=3", "'pools' is a list: name an element, pools[0] or by its name"},
        {"cluster.pools[0]=3", "only a key of 'pools[0]' can be set"},
        {"cluster.pools[slize].nodes=3", "'pools' has no element 'slize' (did you mean 'slice'?)"},
        {"cluster.pools[9].nodes=3", "'pools' has 2 elements, none of them '9'"},
        {"cluster.pools[99999999999999999999].nodes=3",
         "'pools' has 2 elements, none of them '99999999999999999999'"},
        {"nodes[0].boot=3", "'nodes' has 0 elements, none of them '0'"},
        {"trace.jobs[a].x.y=3", "a job has columns and nothing inside them"},
        {"trace.jobs[a][b]=3", "a job has columns and nothing inside them"},
        {"trace.jobs[a].wrk_s=3", "unknown key 'wrk_s' (did you mean 'work_s'?)"},
        {"topology.m-0.rack=3", "'m-0' is a single value"},
        {"priorities.high=x", "value: 'x' is not a number"},
        {"seed=x", "seed: 'x' is not a number"},
        {"seed=", "'seed' must be a whole number, not nothing"},
        {"policy=fifoo", "unknown policy 'fifoo' (did you mean 'fifo'?)"},
        {"tenants=a", "'tenants' must be a list, not a single value"},
        {"tenants=[{name: a}, {name: b, wieght: 1}]",
         "unknown key 'wieght' (did you mean 'weight'?)"},
        {"tenants=--- a\n--- b", "the value holds several documents"},
        {"name=\xff\xfe", "is not UTF-8 text"},
        {"tenants=&a b", "anchors (&a) are not allowed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[400];
        char shown[200];
        snprintf(shown, sizeof shown, "%s", cases[i].set);
        for (char *c = shown; *c; c++)
            if (*c == '\n') *c = '?';
        snprintf(expected, sizeof expected, "--set %s: %s\n", shown, cases[i].message);
        assert_refused(POOLS JOB, cases[i].set, expected);
    }
}

Test(set, refuses_what_the_file_makes_impossible)
{
    assert_refused(HEAD JOB "metrics: 5\n", "metrics.interval=5",
                   "--set metrics.interval=5: 'interval' can't be set: the metrics is no map\n"
                   "test.yaml:4:10: 'metrics' must be a map (key: value), not a single value\n");
    assert_refused(HEAD JOB "sla: {tiers: 5}\n", "sla.tiers.gold.max_wait=5",
                   "--set sla.tiers.gold.max_wait=5: 'tiers' is no map\n"
                   "test.yaml:4:14: 'tiers' must be a map (name: ...), not a single value\n");
    assert_refused(HEAD JOB "nodes: [{name: main-0, down: [[1, 2]]}]\n", "nodes[0].down[0]=5",
                   "--set nodes[0].down[0]=5: 'down' can only be set as a whole\n");
}

Test(set, reports_every_argument)
{
    const char *const sets[] = {"sed=1", "horizon=x", "polcy=fifo", NULL};
    char *said = refusal(HEAD JOB, sets);
    cr_assert_str_eq(said, "--set sed=1: unknown key 'sed' (did you mean 'seed'?)\n"
                           "--set polcy=fifo: unknown key 'polcy' (did you mean 'policy'?)\n"
                           "--set horizon=x: horizon: 'x' is not a duration (30, 500ms, 30s, "
                           "15min, 2h, 7d)\n");
    free(said);
}
