/* Gates judged: against one summary, and against a comparison. */
#include <math.h>
#include <stdlib.h>

#include "analysis/compare/gates.h"
#include "analysis/stats/holm.h"

void pt_gates_judge(struct pt_gates *gates, const struct pt_summary *summary)
{
    for (size_t i = 0; i < gates->count; i++) {
        struct pt_gate *gate = &gates->list[i];
        const struct pt_metric nothing = {.value = NAN}, *metric = NULL;
        if (!summary || pt_gate_find(&metric, gate, summary, NULL) != PT_OK) metric = &nothing;
        gate->judgement = pt_condition_judge(&gate->condition, metric, NULL);
    }
}

static const struct pt_metric_difference *difference_of(const struct pt_gate *gate,
                                                        const struct pt_differences *differences)
{
    const struct pt_condition *condition = &gate->condition;
    bool all = condition->label == NULL;
    return pt_differences_find(differences, all ? "" : condition->dimension,
                               all ? "" : condition->label, all ? 0 : condition->label_length,
                               condition->metric->name);
}

enum pt_status pt_gates_judge_differences(struct pt_gates *gates,
                                          const struct pt_differences *differences, double alpha,
                                          struct pt_error *error)
{
    double *p = malloc((gates->count + 1) * sizeof *p);
    if (!p) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < gates->count; i++) {
        struct pt_gate *gate = &gates->list[i];
        const struct pt_metric_difference *found = difference_of(gate, differences);
        struct pt_metric got = {.value = found ? found->difference.new_mean : NAN};
        struct pt_metric base = {.value = found ? found->difference.base_mean : NAN};
        gate->judgement = pt_condition_judge(&gate->condition, &got, &base);
        p[i] = found && gate->condition.relative ? found->difference.p : NAN;
    }
    enum pt_status status = pt_holm_adjust(p, gates->count, error);
    for (size_t i = 0; status == PT_OK && i < gates->count; i++) {
        struct pt_judgement *judgement = &gates->list[i].judgement;
        judgement->p = p[i];
        judgement->by_chance = judgement->verdict == PT_JUDGED_FAILED && p[i] >= alpha;
        if (judgement->by_chance) judgement->verdict = PT_JUDGED_PASSED;
    }
    free(p);
    return status;
}

size_t pt_gates_failed(const struct pt_gates *gates)
{
    size_t failed = 0;
    for (size_t i = 0; i < gates->count; i++)
        failed += gates->list[i].judgement.verdict != PT_JUDGED_PASSED;
    return failed;
}
