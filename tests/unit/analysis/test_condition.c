#include "analysis/compare/condition.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct pt_condition parsed(const char *text)
{
    struct pt_condition condition;
    struct pt_error error = {.status = PT_OK};
    cr_assert_eq(pt_condition_parse(&condition, text, &error), PT_OK, "%s: %s", text,
                 error.message);
    return condition;
}

static void refused(const char *text, uint32_t column, const char *says)
{
    struct pt_condition condition;
    struct pt_error error = {.status = PT_OK};
    cr_assert_eq(pt_condition_parse(&condition, text, &error), PT_ERR_INPUT, "%s", text);
    cr_expect_eq(error.column, column, "%s: column %u", text, error.column);
    cr_expect_eq(error.line, 0);
    cr_expect_str_empty(error.file);
    cr_expect_not_null(strstr(error.message, says), "%s: %s", text, error.message);
}

static void limit(const char *text, enum pt_comparison comparison, double value, bool relative)
{
    struct pt_condition condition = parsed(text);
    cr_expect_eq(condition.comparison, comparison, "%s", text);
    cr_expect_eq(condition.limit, value, "%s: %.17g", text, condition.limit);
    cr_expect_eq(condition.relative, relative, "%s", text);
    cr_expect_eq(condition.percent_column > 0, relative, "%s", text);
}

Test(condition, reads_every_comparison)
{
    limit("jct_p95_s > 3600", PT_COMPARE_GREATER, 3600, false);
    limit("jct_p95_s>=3600", PT_COMPARE_GREATER_EQUAL, 3600, false);
    limit("  sla_satisfaction <0.95 ", PT_COMPARE_LESS, 0.95, false);
    limit("done<= 1.5e3", PT_COMPARE_LESS_EQUAL, 1500, false);
    limit("done == 100", PT_COMPARE_EQUAL, 100, false);
    limit("done\t!= -0.5", PT_COMPARE_NOT_EQUAL, -0.5, false);
    limit("failed", PT_COMPARE_GREATER, 0, false);
    limit("failed{tenant=acme}", PT_COMPARE_GREATER, 0, false);
}

Test(condition, reads_durations_of_metrics_in_seconds)
{
    limit("jct_p95_s > 15min", PT_COMPARE_GREATER, 900, false);
    limit("wait_max_s > 0.5ms", PT_COMPARE_GREATER, 0.0005, false);
    limit("makespan_s > 7d", PT_COMPARE_GREATER, 604800, false);
    refused("slowdown_mean > 15min", 17, "'15min' is not a number");
    refused("makespan_s > 7w", 14, "'7w' is neither a number of seconds nor a duration");
}

Test(condition, reads_changes_with_their_sign)
{
    limit("jct_p95_s > +5%", PT_COMPARE_GREATER, 5, true);
    limit("sla_satisfaction < -2.5 %", PT_COMPARE_LESS, -2.5, true);
    limit("utilization < -150%", PT_COMPARE_LESS, -150, true);
    refused("jct_p95_s > 5%", 13, "'+5%'");
    refused("jct_p95_s > +5", 13, "'+5%'");
    refused("utilization < 80%", 15, "a number from 0 to 1");
    refused("jct_p95_s > +5min%", 13, "'+5min' is not a number of per cent");
    refused("jct_p95_s > +%", 13, "is not a number");
    refused("jct_p95_s > %", 13, "a number is missing");
}

Test(condition, reads_labels)
{
    static const struct {
        const char *text, *dimension, *label;
    } cases[] = {{"failed{tenant=acme}", "tenant", "acme"},
                 {"failed { pool = a100 pool } > 0", "pool", "a100 pool"},
                 {"failed{tier=\"x}, y\"}", "tier", "x}, y"},
                 {"failed{kind='say \"x\"' }", "kind", "say \"x\""},
                 {"failed{tenant=a=b}", "tenant", "a=b"},
                 {"failed{tenant=\"\xc3\xa9\"}", "tenant", "\xc3\xa9"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt_condition c = parsed(cases[i].text);
        cr_expect_str_eq(c.metric->name, "failed");
        cr_expect_str_eq(c.dimension, cases[i].dimension);
        cr_assert_eq(c.label_length, strlen(cases[i].label), "%s", cases[i].text);
        cr_expect_eq(memcmp(c.label, cases[i].label, c.label_length), 0, "%s", cases[i].text);
    }
    struct pt_condition all = parsed("failed");
    cr_expect_null(all.label);
    cr_expect_str_empty(all.dimension);
}

Test(condition, refuses_what_is_no_condition)
{
    refused("", 1, "begins with the name of a metric");
    refused("  > 5", 3, "begins with the name of a metric");
    refused("jct_p95 > 5", 1, "did you mean 'jct_p95_s'?");
    refused("nonesuch_of_all > 5", 1, "partita list metrics");
    refused("failed{", 8, "a label is missing");
    refused("failed{tenat=x}", 8, "did you mean 'tenant'?");
    refused("failed{shelf=x}", 8, "one of tenant, pool, tier, kind");
    refused("failed{tenant}", 14, "followed by '='");
    refused("failed{tenant=}", 15, "the value of 'tenant' is missing");
    refused("failed{tenant=''}", 16, "the value of 'tenant' is missing");
    refused("failed{tenant=x", 15, "without its '}'");
    refused("failed{tenant='x", 15, "without its end");
    refused("failed{tenant='x' y}", 19, "without its '}'");
    refused("failed{tenant=x, pool=y}", 16, "one label alone");
    refused("failed => 5", 8, "did you mean '>='?");
    refused("failed = 5", 8, "did you mean '=='?");
    refused("failed <=> 5", 8, "one of < <= > >= == !=");
    refused("failed above 5", 8, "unknown comparison 'above'");
    refused("failed >", 9, "a number is missing behind '>'");
    refused("failed > five", 10, "'five' is not a number");
    refused("failed > nan", 10, "not a number");
    refused("failed > 1e400", 10, "not a number");
    refused("failed > 5 and done < 3", 12, "nothing may follow");
    refused("failed > +5 %%", 14, "nothing may follow");
    refused("failed{tenant='\xc3\xa9\xc3\xa9'} > x", 23, "'x' is not a number");
    refused("sla_satisfaction < 95", 20, "a share, from 0 to 1");
    refused("jain_fairness < -0.1", 17, "a share, from 0 to 1");
}

/* ---- a result by hand ---- */

static struct pt_metric all_metrics[] = {{.name = "failed", .value = 3, .is_count = true},
                                         {.name = "jct_p95_s", .unit = "s", .value = 100},
                                         {.name = "cost", .value = NAN},
                                         {.name = "utilization", .value = 0.7}};
static struct pt_metric acme_metrics[] = {{.name = "failed", .value = 1, .is_count = true}};
static struct pt_metric_group groups[] = {
    {.dimension = "", .label = "", .count = 4, .metrics = all_metrics},
    {.dimension = "tenant", .label = "acme", .count = 1, .metrics = acme_metrics},
    {.dimension = "pool", .label = "main", .count = 1, .metrics = acme_metrics}};
static const struct pt_summary summary = {.group_count = 3, .groups = groups};

static void not_found(const char *text, uint32_t column, const char *says)
{
    struct pt_condition condition = parsed(text);
    struct pt_error error = {.status = PT_OK};
    const struct pt_metric *metric;
    cr_assert_eq(pt_condition_find(&metric, &condition, &summary, &error), PT_ERR_INPUT);
    cr_expect_eq(error.column, column);
    cr_expect_not_null(strstr(error.message, says), "%s: %s", text, error.message);
}

Test(condition, finds_its_group_or_says_that_there_is_none)
{
    const struct pt_metric *metric;
    struct pt_condition all = parsed("failed"), acme = parsed("failed{tenant=acme}");
    cr_assert_eq(pt_condition_find(&metric, &all, &summary, NULL), PT_OK);
    cr_expect_eq(metric, &all_metrics[0]);
    cr_assert_eq(pt_condition_find(&metric, &acme, &summary, NULL), PT_OK);
    cr_expect_eq(metric, &acme_metrics[0]);
    not_found("failed{tenant=acmee}", 15, "did you mean 'acme'?");
    not_found("failed{tenant=main}", 15, "no tenant 'main' is in this result");
    not_found("failed{pool=acme}", 13, "no pool 'acme'");
    not_found("failed{tier=gold}", 13, "no tier 'gold'");
    not_found("utilization{tenant=acme} < 1", 1, "utilization is not kept by tenant");
    not_found("tardiness_max_s", 1, "tardiness_max_s is not in this result");
}

static enum pt_judgement_verdict judged(const char *text, double got, double base)
{
    struct pt_condition condition = parsed(text);
    struct pt_metric g = {.value = got}, b = {.value = base};
    return pt_condition_judge(&condition, &g, &b).verdict;
}

Test(condition, holds_exactly_at_its_limit_or_not)
{
    static const struct {
        const char *text;
        enum pt_judgement_verdict below, at, above;
    } cases[] = {
        {"failed > 5", PT_JUDGED_PASSED, PT_JUDGED_PASSED, PT_JUDGED_FAILED},
        {"failed >= 5", PT_JUDGED_PASSED, PT_JUDGED_FAILED, PT_JUDGED_FAILED},
        {"failed < 5", PT_JUDGED_FAILED, PT_JUDGED_PASSED, PT_JUDGED_PASSED},
        {"failed <= 5", PT_JUDGED_FAILED, PT_JUDGED_FAILED, PT_JUDGED_PASSED},
        {"failed == 5", PT_JUDGED_PASSED, PT_JUDGED_FAILED, PT_JUDGED_PASSED},
        {"failed != 5", PT_JUDGED_FAILED, PT_JUDGED_PASSED, PT_JUDGED_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(judged(cases[i].text, nextafter(5, 0), 0), cases[i].below, "%s",
                     cases[i].text);
        cr_expect_eq(judged(cases[i].text, 5, 0), cases[i].at, "%s", cases[i].text);
        cr_expect_eq(judged(cases[i].text, nextafter(5, 9), 0), cases[i].above, "%s",
                     cases[i].text);
        cr_expect_eq(judged(cases[i].text, NAN, 0), PT_JUDGED_UNKNOWN, "%s", cases[i].text);
    }
    cr_expect_eq(judged("sla_satisfaction < 0.95", 19. / 20, 0), PT_JUDGED_PASSED);
    cr_expect_eq(judged("failed", 0, 0), PT_JUDGED_PASSED);
    cr_expect_eq(judged("failed", 1, 0), PT_JUDGED_FAILED);
}

Test(condition, a_change_is_in_per_cent_of_the_base)
{
    cr_expect_eq(judged("jct_p95_s > +5%", 105, 100), PT_JUDGED_PASSED);
    cr_expect_eq(judged("jct_p95_s > +5%", 105.1, 100), PT_JUDGED_FAILED);
    cr_expect_eq(judged("jct_p95_s > +5%", 90, 100), PT_JUDGED_PASSED);
    cr_expect_eq(judged("jct_p95_s < -2%", 97, 100), PT_JUDGED_FAILED);
    cr_expect_eq(judged("jct_increase_mean > +5%", -90, -100), PT_JUDGED_FAILED);
    cr_expect_eq(judged("failed > +5%", 0, 0), PT_JUDGED_PASSED);
    cr_expect_eq(judged("failed > +5%", 1, 0), PT_JUDGED_FAILED);
    cr_expect_eq(judged("jct_p95_s > +5%", NAN, 100), PT_JUDGED_UNKNOWN);
    cr_expect_eq(judged("jct_p95_s > +5%", 100, NAN), PT_JUDGED_UNKNOWN);
    struct pt_condition condition = parsed("jct_p95_s > +5%");
    struct pt_judgement alone = pt_condition_judge(&condition, &all_metrics[1], NULL);
    cr_expect_eq(alone.verdict, PT_JUDGED_UNKNOWN);
}

static void says(const char *text, double got, double base, const char *wanted)
{
    char out[256], cut[8];
    struct pt_condition condition = parsed(text);
    struct pt_metric g = {.value = got}, b = {.value = base};
    struct pt_judgement judgement = pt_condition_judge(&condition, &g, &b);
    pt_judgement_text(out, sizeof out, &condition, &judgement);
    cr_expect_str_eq(out, wanted);
    pt_judgement_text(cut, sizeof cut, &condition, &judgement);
    cr_expect_eq(strlen(cut), 7);
    cr_expect_eq(memcmp(cut, wanted, 7), 0);
    pt_judgement_text(cut, 0, &condition, &judgement);
}

Test(condition, says_what_was_got_and_the_limit)
{
    says("jct_p95_s > 15min", 4012.5, 0, "got 4012.5 s, limit > 900 s");
    says("failed", 2, 0, "got 2, limit > 0");
    says("cost > 5", NAN, 0, "got null, limit > 5: it can't be judged");
    says("jct_p95_s > +5%", 110, 100, "got 110 s, base 100 s, change +10 %, limit > +5 %");
    says("failed > +5%", 1, 0, "got 1, base 0, change infinite, limit > +5 %");
    says("jct_p95_s < -2 %", 1, NAN,
         "got 1 s, base null, change null, limit < -2 %: it can't be judged");
}
