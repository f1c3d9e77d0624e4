#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

#define M UINT64_C(1000000)

/* What loading says though it does not refuse; the caller frees it. */
static char *warnings(const char *text)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(
        pt_config_load_text(&config, "test.yaml", text, strlen(text), NULL, NULL, 0, &messages),
        PT_OK);
    char *said = printed(&messages, false);
    pt_config_free(config);
    pt_messages_fini(&messages);
    return said;
}

Test(tenants, say_nothing_of_quotas_unless_told)
{
    struct pt_config *config = load(HEAD JOB "tenants: [{name: a}]\n", NULL);
    cr_assert_eq(config->tenant_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct pt_tenant *tenant = &config->tenants[i];
        cr_expect_eq(tenant->parent, PT_NONE);
        cr_expect_not(tenant->has_children);
        cr_expect_eq(tenant->over_quota_weight, 1);
        cr_expect_eq(tenant->quota, PT_QUOTA_NONE);
        cr_expect_eq(tenant->limit, PT_QUOTA_NONE);
        cr_expect_eq(tenant->borrowing_limit, PT_QUOTA_NONE);
        cr_expect_eq(tenant->lending_limit, PT_QUOTA_NONE);
        cr_expect(tenant->rank.preempts && tenant->rank.preemptible);
    }
    pt_config_free(config);
}

Test(tenants, have_amounts_in_millionths_of_a_gpu)
{
    struct pt_config *config = load(
        HEAD JOB "tenants:\n"
                 "  - {name: a, quota: {gpus: 16}, limit: {gpus: 20.5}, over_quota_weight: 0,\n"
                 "     borrowing_limit: {gpus: 0}, lending_limit: {gpus: 0.000001}}\n"
                 "  - {name: b, quota: 2, limit: inf, borrowing_limit: {gpus: inf}}\n",
        NULL);
    cr_expect_eq(config->tenants[1].quota, 16 * M);
    cr_expect_eq(config->tenants[1].limit, 20 * M + M / 2);
    cr_expect_eq(config->tenants[1].over_quota_weight, 0);
    cr_expect_eq(config->tenants[1].borrowing_limit, 0);
    cr_expect_eq(config->tenants[1].lending_limit, 1);
    cr_expect_eq(config->tenants[2].quota, 2 * M);
    cr_expect_eq(config->tenants[2].limit, PT_QUOTA_NONE);
    cr_expect_eq(config->tenants[2].borrowing_limit, PT_QUOTA_NONE);
    pt_config_free(config);
}

Test(tenants, have_parents_before_or_behind_them)
{
    struct pt_config *config =
        load(HEAD JOB "tenants: [{name: a, parent: org}, {name: org}, {name: b, parent: a}, {name: "
                      "default, parent: org}]\n",
             NULL);
    cr_expect_eq(config->tenants[0].parent, 2);
    cr_expect_eq(config->tenants[1].parent, 2);
    cr_expect_eq(config->tenants[2].parent, PT_NONE);
    cr_expect_eq(config->tenants[3].parent, 1);
    cr_expect(config->tenants[1].has_children);
    cr_expect(config->tenants[2].has_children);
    cr_expect_not(config->tenants[3].has_children);
    pt_config_free(config);
}

Test(tenants, refuse_parents_that_are_none)
{
    assert_refused(HEAD JOB "tenants: [{name: acme}, {name: b, parent: amce}]\n", NULL,
                   "test.yaml:4:43: parent: unknown tenant 'amce' (did you mean 'acme'?)\n");
    assert_refused(HEAD JOB "tenants: [{name: a, parent: default}]\n", NULL,
                   "test.yaml:4:29: parent: unknown tenant 'default'\n");
    assert_refused(HEAD JOB "tenants: [{name: a, parent: a}]\n", NULL,
                   "test.yaml:4:29: parent: tenant 'a' would be above itself\n");
    assert_refused(HEAD JOB "tenants: [{name: z, parent: c}, {name: a, parent: b}, {name: b, "
                            "parent: c}, {name: c, parent: a}, {name: d, parent: d}]\n",
                   NULL,
                   "test.yaml:4:51: parent: tenant 'a' would be above itself\n"
                   "test.yaml:4:117: parent: tenant 'd' would be above itself\n");
}

Test(tenants, refuse_amounts_that_are_none)
{
    assert_refused(HEAD JOB "tenants: [{name: a, quota: -1, limit: {gpu: 1}}]\n", NULL,
                   "test.yaml:4:28: gpus: '-1' is too small: at least 0 GPUs\n"
                   "test.yaml:4:40: unknown key 'gpu' (did you mean 'gpus'?)\n");
    assert_refused(HEAD JOB "tenants: [{name: a, quota: {gpus: inf}}]\n", NULL,
                   "test.yaml:4:35: gpus: 'inf' is not a number\n");
    assert_refused(HEAD JOB "tenants: [{name: a}]\n", "tenants[a].limits=3",
                   "--set tenants[a].limits=3: unknown key 'limits' (did you mean 'limit'?)\n");
}

Test(tenants, are_warned_of_quotas_where_the_policy_knows_none)
{
    char *said = warnings(HEAD JOB "tenants: [{name: a, quota: {gpus: 2}, limit: 3}]\n");
    cr_expect(strstr(said,
                     "test.yaml:4:28: warning: quota has no effect under policy 'fifo', which "
                     "knows no quotas"),
              "%s", said);
    cr_expect_null(strstr(said, "limit has no effect"));
    free(said);
}

Test(tenants, take_priority_classes_in_either_form)
{
    const char *sets[] = {"priorities.low.preemptible=false", NULL};
    struct pt_config *config = load(
        HEAD JOB "priorities: {production: 1000, batch: {value: -5, preempts: never}, low: 3}\n"
                 "tenants: [{name: a, priority: batch}, {name: b, priority: low}]\n",
        sets);
    cr_assert_eq(config->priority_count, 3);
    cr_expect_eq(config->priorities[0].rank.value, 1000);
    cr_expect(config->priorities[0].rank.preempts);
    cr_expect(config->priorities[0].rank.preemptible);
    cr_expect_eq(config->tenants[1].rank.value, -5);
    cr_expect_not(config->tenants[1].rank.preempts);
    cr_expect(config->tenants[1].rank.preemptible);
    cr_expect_eq(config->tenants[2].rank.value, 3);
    cr_expect(config->tenants[2].rank.preempts);
    cr_expect_not(config->tenants[2].rank.preemptible);
    pt_config_free(config);
    assert_refused(HEAD JOB "priorities: {a: {value: 1, preempts: nevr}, b: {preempts: lower}, c: "
                            "x}\n",
                   NULL,
                   "test.yaml:4:38: preempts: 'nevr' is unknown (did you mean 'never'?)\n"
                   "test.yaml:4:48: missing key 'value'\n"
                   "test.yaml:4:70: value: 'x' is not a number\n");
}
