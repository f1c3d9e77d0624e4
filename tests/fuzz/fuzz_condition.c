/* Conditions of gates, one a line, read, looked up in a small result and judged.
 * parses: analysis/compare/condition.c analysis/compare/condition_judge.c
 *
 * Beside not crashing: what is refused is refused with a message at a place in the text, and what
 * is accepted has a finite limit, is judged by it, and says so.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/condition.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static struct pt_metric metrics[] = {{.name = "failed", .unit = "", .value = 3},
                                     {.name = "jct_p95_s", .unit = "s", .value = 100},
                                     {.name = "cost", .unit = "", .value = NAN},
                                     {.name = "utilization", .unit = "", .value = 0.7}};
static const struct pt_metric bases[] = {
    {.value = NAN}, {.value = 0}, {.value = -100}, {.value = 3}};

static void check_error(const char *text, const struct pt_error *error)
{
    PROMISE(error->status == PT_ERR_INPUT && error->message[0] != '\0');
    PROMISE(error->line == 0 && error->column >= 1 && error->column <= strlen(text) + 1);
}

static void judge(const struct pt_condition *condition, const struct pt_metric *got)
{
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        char text[64];
        struct pt_judgement judgement = pt_condition_judge(condition, got, &bases[i]);
        bool null = isnan(got->value) || (condition->relative && isnan(bases[i].value));
        PROMISE((judgement.verdict == PT_JUDGED_UNKNOWN) == null);
        pt_judgement_text(text, sizeof text, condition, &judgement);
        PROMISE(strncmp(text, "got ", 4) == 0 && strlen(text) < sizeof text);
    }
}

static void read_one(const char *text)
{
    struct pt_metric_group groups[] = {
        {.dimension = "", .label = "", .count = 4, .metrics = metrics},
        {.dimension = "tenant", .label = "acme", .count = 2, .metrics = metrics},
        {.dimension = "pool", .label = "a, b", .count = 2, .metrics = metrics}};
    const struct pt_summary summary = {.group_count = 3, .groups = groups};
    struct pt_condition condition;
    struct pt_error error = {.status = PT_OK};
    const struct pt_metric *metric = NULL;
    if (pt_condition_parse(&condition, text, &error) != PT_OK) {
        check_error(text, &error);
        return;
    }
    PROMISE(condition.metric && isfinite(condition.limit) && condition.text == text);
    PROMISE(condition.label == NULL ||
            condition.label + condition.label_length < text + strlen(text));
    if (pt_condition_find(&metric, &condition, &summary, &error) != PT_OK) {
        check_error(text, &error);
        return;
    }
    PROMISE(strcmp(metric->name, condition.metric->name) == 0);
    judge(&condition, metric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        read_one(line);
        line = end;
    }
    free(text);
    return 0;
}
