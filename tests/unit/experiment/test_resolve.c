#include "sim/experiment/resolve.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

#define WORLD                                                                                      \
    "partita: 1\ntrace: {source: native, path: jobs.csv}\ncluster: {gpus: 4}\n"                    \
    "tenants: [{name: acme, weight: 2, sla: gold, priority: high}]\n"                              \
    "sla: {default: {max_wait: 1}, tiers: {gold: {max_slowdown: 1.2}}}\n"                          \
    "priorities: {high: 10}\n"

/* Rows of id, tenant, sla, priority, pool, gpu_type; "" = absent. */
#define COLUMNS 6

static void make_trace(struct pt_trace *trace, const char *rows[][COLUMNS], size_t count)
{
    static const enum pt_column_id columns[COLUMNS] = {
        PT_COL_ID, PT_COL_TENANT, PT_COL_SLA, PT_COL_PRIORITY, PT_COL_POOL, PT_COL_GPU_TYPE};
    struct pt_error error;
    pt_job row = 0, bad;
    pt_trace_init(trace);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(pt_trace_add(trace, &row, &error), PT_OK);
        cr_assert_eq(pt_trace_mark_line(trace, row, (uint32_t)i + 2, &error), PT_OK);
        cr_assert_eq(pt_trace_set_time(trace, row, PT_COL_SUBMIT, 0, &error), PT_OK);
        cr_assert_eq(pt_trace_set_time(trace, row, PT_COL_WORK, 1, &error), PT_OK);
        for (size_t c = 0; c < COLUMNS; c++)
            cr_assert_eq(
                pt_trace_set(trace, row, columns[c], rows[i][c], strlen(rows[i][c]), &error),
                PT_OK);
    }
    cr_assert_eq(pt_trace_finish(trace, &bad, &error), PT_OK);
}

Test(resolve, finds_what_every_word_means)
{
    const char *rows[][COLUMNS] = {{"a", "acme", "", "", "main", "h100"},
                                   {"b", "", "gold", "high", "", "h100-sxm5-80gb|a100"},
                                   {"c", "zoo", "default", "-7", "", ""},
                                   {"d", "acme", "", "3", "", ""}};
    struct pt_config *config = load(WORLD, NULL);
    struct pt_trace trace;
    struct pt_resolved resolved;
    struct pt_messages messages;
    pt_messages_init(&messages);
    make_trace(&trace, rows, 4);
    cr_assert_eq(pt_resolve(&resolved, config, &trace, &messages), PT_OK);
    cr_assert_eq(resolved.tenant_count, 3);
    cr_assert_str_eq(resolved.tenant_names[0], "default");
    cr_assert_str_eq(resolved.tenant_names[1], "acme");
    cr_assert_str_eq(resolved.tenant_names[2], "zoo");
    cr_assert_eq(resolved.tenant_weights[1], 2);
    cr_assert_eq(resolved.tenant_weights[2], 1);
    cr_assert_eq(resolved.tenant_of_word[pt_trace_u32(&trace, PT_COL_TENANT, 0)], 1);
    cr_assert_eq(pt_trace_u32(&trace, PT_COL_TENANT, 1), PT_NONE);
    cr_assert_eq(resolved.tenant_of_word[pt_trace_u32(&trace, PT_COL_TENANT, 2)], 2);
    cr_assert_eq(resolved.tier_of_tenant[0], PT_NONE);
    cr_assert_eq(resolved.tier_of_tenant[1], 1);
    cr_assert_eq(resolved.tier_of_tenant[2], PT_NONE);
    cr_assert_eq(resolved.tier_of_sla_word[pt_trace_u32(&trace, PT_COL_SLA, 1)], 1);
    cr_assert_eq(resolved.tier_of_sla_word[pt_trace_u32(&trace, PT_COL_SLA, 2)], 0);
    cr_assert_eq(resolved.tiers[1].max_slowdown, 1.2);
    cr_assert_eq(resolved.tiers[0].max_wait_ns, PT_NS_PER_S);
    cr_assert_eq(pt_resolved_priority(&resolved, &trace, 0), 10); /* the tenant's */
    cr_assert_eq(pt_resolved_priority(&resolved, &trace, 1), 10);
    cr_assert_eq(pt_resolved_priority(&resolved, &trace, 2), -7);
    cr_assert_eq(pt_resolved_priority(&resolved, &trace, 3), 3);
    pt_resolved_fini(&resolved);
    pt_trace_fini(&trace);
    pt_config_free(config);
    pt_messages_fini(&messages);
}

Test(resolve, gives_every_tenant_its_facts_and_ranks)
{
    const char *rows[][COLUMNS] = {{"a", "acme", "", "never", "", ""},
                                   {"b", "zoo", "", "-7", "", ""},
                                   {"c", "team", "", "", "", ""}};
    struct pt_config *config =
        load("partita: 1\ntrace: {source: native, path: jobs.csv}\ncluster: {gpus: 4}\n"
             "tenants:\n"
             "  - {name: acme, limit: 3, quota: 2, over_quota_weight: 4, priority: never}\n"
             "  - {name: team, parent: acme, weight: 5}\n"
             "priorities: {never: {value: 9, preempts: never, preemptible: false}}\n",
             NULL);
    struct pt_trace trace;
    struct pt_resolved resolved;
    struct pt_messages messages;
    pt_messages_init(&messages);
    make_trace(&trace, rows, 3);
    cr_assert_eq(pt_resolve(&resolved, config, &trace, &messages), PT_OK);
    cr_assert_eq(resolved.tenant_count, 4);
    const struct pt_tenant_facts *facts = resolved.tenants;
    cr_expect_str_eq(facts[1].name, "acme");
    cr_expect_eq(facts[1].parent, PT_NONE);
    cr_expect_eq(facts[1].limit, 3000000);
    cr_expect_eq(facts[1].quota, 2000000);
    cr_expect_eq(facts[1].over_quota_weight, 4);
    cr_expect_eq(facts[1].priority, 9);
    cr_expect_eq(facts[2].parent, 1);
    cr_expect_eq(facts[2].weight, 5);
    cr_expect_str_eq(facts[3].name, "zoo"); /* the trace alone names it */
    cr_expect_eq(facts[3].parent, PT_NONE);
    cr_expect_eq(facts[3].weight, 1);
    cr_expect_eq(facts[3].over_quota_weight, 1);
    cr_expect_eq(facts[3].quota, PT_QUOTA_NONE);
    cr_expect_eq(facts[3].limit, PT_QUOTA_NONE);
    cr_expect_eq(facts[3].borrowing_limit, PT_QUOTA_NONE);
    cr_expect_eq(facts[3].lending_limit, PT_QUOTA_NONE);
    const struct pt_rank *class_ = &resolved.rank_of_word[pt_trace_u32(&trace, PT_COL_PRIORITY, 0)];
    const struct pt_rank *number = &resolved.rank_of_word[pt_trace_u32(&trace, PT_COL_PRIORITY, 1)];
    cr_expect(class_->value == 9 && !class_->preempts && !class_->preemptible);
    cr_expect(number->value == -7 && number->preempts && number->preemptible);
    cr_expect(resolved.rank_of_tenant[1].value == 9 && !resolved.rank_of_tenant[1].preempts);
    cr_expect(resolved.rank_of_tenant[3].value == 0 && resolved.rank_of_tenant[3].preempts);
    cr_expect_eq(messages.count, 0);
    pt_resolved_fini(&resolved);
    pt_trace_fini(&trace);
    pt_config_free(config);
    pt_messages_fini(&messages);
}

Test(resolve, works_without_words)
{
    const char *rows[][COLUMNS] = {{"", "", "", "", "", ""}};
    struct pt_config *config = load(WORLD, NULL);
    struct pt_trace trace;
    struct pt_resolved resolved;
    struct pt_messages messages;
    pt_messages_init(&messages);
    make_trace(&trace, rows, 1);
    cr_assert_eq(pt_resolve(&resolved, config, &trace, &messages), PT_OK);
    cr_assert_null(resolved.tenant_of_word);
    cr_assert_null(resolved.tier_of_sla_word);
    cr_assert_null(resolved.priority_of_word);
    cr_assert_eq(pt_resolved_priority(&resolved, &trace, 0), 0);
    pt_resolved_fini(&resolved);
    pt_resolved_fini(&resolved);
    pt_trace_fini(&trace);
    pt_config_free(config);
}

Test(resolve, names_the_first_job_with_a_word_that_means_nothing)
{
    const char *rows[][COLUMNS] = {{"a", "", "", "", "", ""},
                                   {"b", "", "gould", "hihg", "mian", "h100|"},
                                   {"c", "", "gould", "", "mian", "tpu"}};
    struct pt_config *config = load(WORLD, NULL);
    struct pt_trace trace;
    struct pt_resolved resolved;
    struct pt_messages messages;
    pt_messages_init(&messages);
    make_trace(&trace, rows, 3);
    cr_assert_eq(pt_resolve(&resolved, config, &trace, &messages), PT_ERR_INPUT);
    char *said = printed(&messages, false);
    cr_assert_str_eq(said,
                     "test.yaml:4:18: warning: no job of the trace has the tenant 'acme'\n"
                     "jobs.csv:3: job 'b': unknown SLA tier 'gould' (did you mean 'gold'?)\n"
                     "jobs.csv:3: job 'b': unknown priority class 'hihg' (did you mean 'high'?)\n"
                     "jobs.csv:3: job 'b': unknown pool 'mian' (did you mean 'main'?)\n"
                     "jobs.csv:3: job 'b': unknown GPU type ''\n"
                     "jobs.csv:4: job 'c': unknown GPU type 'tpu'\n");
    free(said);
    pt_resolved_fini(&resolved);
    pt_trace_fini(&trace);
    pt_config_free(config);
    pt_messages_fini(&messages);
}
