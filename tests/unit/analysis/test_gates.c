#include "analysis/compare/gates.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(gates, keep_their_texts_and_judge_them)
{
    struct pt_metric metrics[] = {{.name = "failed", .value = 3}, {.name = "cost", .value = NAN}};
    struct pt_metric_group group = {.dimension = "", .label = "", .count = 2, .metrics = metrics};
    const struct pt_summary summary = {.group_count = 1, .groups = &group};
    struct pt_gates gates = {0};
    struct pt_error error;
    char text[] = "failed > 2";
    for (int i = 0; i < 9; i++)
        cr_assert_eq(pt_gates_add(&gates, NULL, text, "--fail-on", 0, 0, &error), PT_OK);
    text[7] = '<';
    cr_assert_eq(pt_gates_add(&gates, "few", text, "g.yaml", 3, 5, &error), PT_OK);
    cr_assert_eq(pt_gates_add(&gates, NULL, "cost > 9", "g.yaml", 4, 5, &error), PT_OK);
    cr_assert_eq(gates.count, 11);
    pt_gates_judge(&gates, &summary);
    cr_expect_eq(gates.list[8].judgement.verdict, PT_JUDGED_FAILED);
    cr_expect_eq(gates.list[9].judgement.verdict, PT_JUDGED_PASSED);
    cr_expect_eq(gates.list[10].judgement.verdict, PT_JUDGED_UNKNOWN);
    cr_expect_str_eq(gates.list[8].name, "failed > 2");
    cr_expect_str_eq(gates.list[9].name, "few");
    cr_expect_eq(pt_gates_failed(&gates), 10);
    pt_gates_judge(&gates, NULL);
    cr_expect_eq(pt_gates_failed(&gates), 11, "of no result nothing is known");
    pt_gates_fini(&gates);
    cr_expect_eq(gates.count, 0);
    cr_expect_eq(pt_gates_failed(&gates), 0);
}

Test(gates, errors_have_the_place_of_the_condition)
{
    struct pt_metric_group group = {.dimension = "", .label = ""};
    const struct pt_summary summary = {.group_count = 1, .groups = &group};
    const struct pt_metric *metric;
    struct pt_gates gates = {0};
    struct pt_error error;
    cr_assert_eq(pt_gates_add(&gates, NULL, "failed > x", "g.yaml", 3, 5, &error), PT_ERR_INPUT);
    cr_expect_str_eq(error.file, "g.yaml");
    cr_expect_eq(error.line, 3);
    cr_expect_eq(error.column, 14);
    cr_assert_eq(pt_gates_add(&gates, NULL, "failed > x", "--fail-on", 0, 0, &error), PT_ERR_INPUT);
    cr_expect_str_eq(error.file, "--fail-on");
    cr_expect_eq(error.line, 0);
    cr_expect_eq(error.column, 10);
    cr_expect_eq(gates.count, 0);
    cr_assert_eq(pt_gates_add(&gates, NULL, "done{pool=x}", "g.yaml", 7, 2, &error), PT_OK);
    cr_assert_eq(pt_gate_find(&metric, &gates.list[0], &summary, &error), PT_ERR_INPUT);
    cr_expect_eq(error.line, 7);
    cr_expect_eq(error.column, 12);
    pt_gates_fini(&gates);
}
