#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

Test(sla, puts_the_default_tier_first)
{
    struct pt_config *config = load(HEAD JOB "sla:\n"
                                             "  tiers: {gold: {max_slowdown: 1.2}, flexible: {}}\n"
                                             "  default: {max_wait: 5min, max_jct_increase: 0}\n",
                                    NULL);
    cr_assert_eq(config->tier_count, 3);
    cr_assert_eq(config->default_tier, 0);
    cr_assert_str_eq(config->tiers[0].name, "default");
    cr_assert_eq(config->tiers[0].max_wait_ns, 300 * PT_NS_PER_S);
    cr_assert_eq(config->tiers[0].max_jct_increase, 0);
    cr_assert(isnan(config->tiers[0].max_slowdown));
    cr_assert_eq(config->tiers[0].max_jct_ns, PT_NEVER);
    cr_assert_str_eq(config->tiers[1].name, "gold");
    cr_assert_eq(config->tiers[1].max_slowdown, 1.2);
    cr_assert_str_eq(config->tiers[2].name, "flexible");
    cr_assert(isnan(config->tiers[2].max_sharing_increase));
    pt_config_free(config);
}

Test(sla, has_no_default_tier_without_a_bound)
{
    static const char *const bounds[] = {"max_slowdown: 1", "max_jct_increase: 1",
                                         "max_sharing_increase: 1", "max_wait: 1", "max_jct: 1"};
    struct pt_config *config = load(HEAD JOB "sla: {default: {}, tiers: {gold: {}}}\n", NULL);
    cr_assert_eq(config->default_tier, PT_NONE);
    cr_assert_eq(config->tier_count, 1);
    pt_config_free(config);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD JOB "sla: {default: {%s}}\n", bounds[i]);
        config = load(text, NULL);
        cr_assert_eq(config->default_tier, 0, "%s", bounds[i]);
        pt_config_free(config);
    }
}

Test(sla, gives_tenants_weight_tier_and_priority)
{
    struct pt_config *config =
        load(HEAD JOB "tenants:\n"
                      "  - {name: acme, weight: 2, priority: prod, sla: gold}\n"
                      "  - {name: default, weight: 0.5, priority: -3}\n"
                      "  - {name: zoo}\n"
                      "priorities: {prod: 1000, low: -5}\n"
                      "sla: {tiers: {gold: {}}}\n",
             NULL);
    cr_assert_eq(config->tenant_count, 3);
    cr_assert_str_eq(config->tenants[0].name, "default");
    cr_assert_eq(config->tenants[0].weight, 0.5);
    cr_assert_eq(config->tenants[0].rank.value, -3);
    cr_assert_str_eq(config->tenants[1].name, "acme");
    cr_assert_eq(config->tenants[1].weight, 2);
    cr_assert_eq(config->tenants[1].rank.value, 1000);
    cr_assert_eq(config->tenants[1].tier, 0);
    cr_assert_str_eq(config->tenants[2].name, "zoo");
    cr_assert_eq(config->tenants[2].tier, PT_NONE);
    cr_assert_eq(config->tenants[2].rank.value, 0);
    cr_assert_eq(config->priority_count, 2);
    cr_assert_str_eq(config->priorities[1].name, "low");
    cr_assert_eq(config->priorities[1].rank.value, -5);
    pt_config_free(config);
}

Test(sla, refuses_names_that_nothing_answers_to)
{
    assert_refused(HEAD JOB "tenants: [{name: a, sla: gould}, {name: b, priority: pord}]\n"
                            "sla: {tiers: {gold: {}, default: {}}}\n"
                            "priorities: {prod: 1, '5': 2}\n",
                   NULL,
                   "test.yaml:4:26: unknown SLA tier 'gould' (did you mean 'gold'?)\n"
                   "test.yaml:4:54: unknown priority class 'pord' (did you mean 'prod'?)\n"
                   "test.yaml:5:25: the tier 'default' is set by sla.default, not in sla.tiers\n"
                   "test.yaml:6:23: a priority class can't be called '5'\n");
    assert_refused(HEAD JOB "tenants: [{name: a, weight: 0}]\n", NULL,
                   "test.yaml:4:29: weight: '0' is too small: at least 0.000001\n");
    assert_refused(HEAD JOB "sla: {default: {max_slowdown: 0.5}}\n", NULL,
                   "test.yaml:4:31: max_slowdown: '0.5' is too small: at least 1\n");
}
