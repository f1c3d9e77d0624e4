#include "analysis/compare/condition.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"

/* ---- finding the metric ---- */

static bool label_is(const struct pt_condition *condition, const char *label)
{
    return strlen(label) == condition->label_length &&
           memcmp(label, condition->label, condition->label_length) == 0;
}

static enum pt_status no_such_label(const struct pt_condition *condition,
                                    const struct pt_summary *summary, struct pt_error *error)
{
    int length = condition->label_length > 100 ? 100 : (int)condition->label_length;
    struct pt_suggestion suggestion;
    assert(summary != NULL && summary->groups != NULL); /* it has that of all jobs at least */
    pt_suggest_begin(&suggestion, condition->label, condition->label_length);
    for (uint32_t i = 0; i < summary->group_count; i++)
        if (strcmp(summary->groups[i].dimension, condition->dimension) == 0)
            pt_suggest_offer(&suggestion, summary->groups[i].label);
    if (suggestion.best)
        return pt_fail_at(error, PT_ERR_INPUT, NULL, 0, condition->label_column,
                          "no %s '%.*s' is in this result (did you mean '%s'?)",
                          condition->dimension, length, condition->label, suggestion.best);
    return pt_fail_at(error, PT_ERR_INPUT, NULL, 0, condition->label_column,
                      "no %s '%.*s' is in this result", condition->dimension, length,
                      condition->label);
}

enum pt_status pt_condition_find(const struct pt_metric **metric,
                                 const struct pt_condition *condition,
                                 const struct pt_summary *summary, struct pt_error *error)
{
    const struct pt_metric_group *group = NULL;
    const char *name = condition->metric->name;
    for (uint32_t i = 0; i < summary->group_count && !group; i++) {
        const struct pt_metric_group *one = &summary->groups[i];
        if (condition->label == NULL ? i == 0
                                     : strcmp(one->dimension, condition->dimension) == 0 &&
                                           label_is(condition, one->label))
            group = one;
    }
    if (group == NULL) return no_such_label(condition, summary, error);
    *metric = pt_summary_find(group, name);
    if (*metric != NULL) return PT_OK;
    if (condition->label != NULL && pt_summary_find(&summary->groups[0], name) != NULL)
        return pt_fail_at(error, PT_ERR_INPUT, NULL, 0, condition->metric_column,
                          "%s is not kept by %s", name, condition->dimension);
    return pt_fail_at(error, PT_ERR_INPUT, NULL, 0, condition->metric_column,
                      "%s is not in this result: it has no inputs for it", name);
}

/* ---- judging ---- */

static bool holds(double value, enum pt_comparison comparison, double limit)
{
    switch (comparison) {
    case PT_COMPARE_LESS:
        return value < limit;
    case PT_COMPARE_LESS_EQUAL:
        return value <= limit;
    case PT_COMPARE_GREATER:
        return value > limit;
    case PT_COMPARE_GREATER_EQUAL:
        return value >= limit;
    case PT_COMPARE_EQUAL:
        return !(value < limit) && !(value > limit);
    case PT_COMPARE_NOT_EQUAL:
        return value < limit || value > limit;
    }
    return true;
}

/* In per cent of the base's absolute value; NaN of NaN. */
static double change_of(double got, double base)
{
    double change = got - base;
    if (!(fabs(change) > 0)) return change;
    return 100 * change / fabs(base);
}

struct pt_judgement pt_condition_judge(const struct pt_condition *condition,
                                       const struct pt_metric *got, const struct pt_metric *base)
{
    bool relative = condition->relative;
    struct pt_judgement judgement = {.got = got->value, .base = NAN, .change = NAN, .p = NAN};
    if (relative && base != NULL) {
        judgement.base = base->value;
        judgement.change = change_of(got->value, base->value);
    }
    double value = relative ? judgement.change : judgement.got;
    judgement.verdict = isnan(value)                                            ? PT_JUDGED_UNKNOWN
                        : holds(value, condition->comparison, condition->limit) ? PT_JUDGED_FAILED
                                                                                : PT_JUDGED_PASSED;
    return judgement;
}

/* ---- in words ---- */

struct words {
    char *out;
    size_t size, used;
};

static void put(struct words *w, const char *text)
{
    size_t length = strlen(text);
    if (w->used + 1 >= w->size) return;
    if (length > w->size - w->used - 1) length = w->size - w->used - 1;
    memcpy(w->out + w->used, text, length);
    w->used += length;
    w->out[w->used] = '\0';
}

static void put_number(struct words *w, double value, const char *unit, bool sign)
{
    char text[PT_DOUBLE_TEXT_MAX + 1];
    if (isnan(value)) {
        put(w, "null");
        return;
    }
    if (sign && value >= 0 && !isinf(value)) put(w, "+");
    if (isinf(value)) {
        put(w, value > 0 ? "infinite" : "-infinite");
    } else {
        text[pt_format_double(text, value)] = '\0';
        put(w, text);
    }
    if (unit[0]) put(w, " ");
    put(w, unit);
}

void pt_judgement_text(char *out, size_t size, const struct pt_condition *condition,
                       const struct pt_judgement *judgement)
{
    struct words w = {.out = out, .size = size};
    const char *unit = condition->metric->unit;
    if (size == 0) return;
    out[0] = '\0';
    put(&w, "got ");
    put_number(&w, judgement->got, unit, false);
    if (condition->relative) {
        put(&w, ", base ");
        put_number(&w, judgement->base, unit, false);
        put(&w, ", change ");
        if (isfinite(judgement->change)) {
            char text[32];
            snprintf(text, sizeof text, "%+.4g %%", judgement->change);
            put(&w, text);
        } else {
            put_number(&w, judgement->change, "", true);
        }
    }
    put(&w, ", limit ");
    put(&w, pt_comparison_text(condition->comparison));
    put(&w, " ");
    put_number(&w, condition->limit, condition->relative ? "%" : unit, condition->relative);
    if (!isnan(judgement->p)) {
        char text[32];
        snprintf(text, sizeof text, ", p %.2g", judgement->p);
        put(&w, text);
    }
    if (judgement->by_chance) put(&w, ": may be chance");
    if (judgement->verdict == PT_JUDGED_UNKNOWN) put(&w, ": it can't be judged");
}
