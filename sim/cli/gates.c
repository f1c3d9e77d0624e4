#include "sim/cli/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 256 };

static bool takes_files(const struct pt__args *args)
{
    for (const struct pt__option *option = args->command->options; option->name; option++)
        if (strcmp(option->name, "gate") == 0) return true;
    return false;
}

enum pt_status pt__gates_read(struct pt_gates *gates, const struct pt__args *args, bool has_base,
                              struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    const char **texts = calloc(args->given_count + 1, sizeof *texts);
    if (!texts) {
        struct pt_error error;
        enum pt_status status = pt_fail_at(&error, PT_ERR_MEMORY, NULL, 0, 0, "out of memory");
        pt_messages_add(messages, false, &error, NULL, 0);
        return status;
    }
    size_t count = takes_files(args) ? pt__args_values(args, "gate", texts) : 0;
    for (size_t i = 0; i < count; i++) {
        enum pt_status status = pt_gates_load(gates, texts[i], has_base, messages);
        if (status != PT_OK) worst = status;
    }
    count = pt__args_values(args, "fail-on", texts);
    enum pt_status status =
        pt_gates_read_arguments(gates, "--fail-on", texts, count, has_base, messages);
    free((void *)texts);
    return status != PT_OK ? status : worst;
}

void pt__gates_say(const struct pt__terminal *terminal, const struct pt_gates *gates)
{
    for (size_t i = 0; i < gates->count; i++) {
        const struct pt_gate *gate = &gates->list[i];
        struct pt_error error;
        char text[TEXT_MAX];
        if (gate->judgement.verdict == PT_JUDGED_PASSED) continue;
        pt_judgement_text(text, sizeof text, &gate->condition, &gate->judgement);
        (void)pt_fail(&error, PT_ERR_INPUT, "gate '%.300s' fails: %s", gate->name, text);
        (void)pt__complain(terminal, &error);
    }
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *one(const struct pt_gate *gate)
{
    static const char *const verdicts[] = {"passed", "failed", "unknown"};
    const struct pt_condition *condition = &gate->condition;
    char says[TEXT_MAX];
    pt_judgement_text(says, sizeof says, condition, &gate->judgement);
    json_t *label =
        condition->label ? json_stringn(condition->label, condition->label_length) : NULL;
    json_t *labels = json_object();
    if (label) json_object_set_new(labels, condition->dimension, label);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:s}", "name",
                     gate->name, "fail_on", gate->text, "verdict",
                     verdicts[gate->judgement.verdict], "metric", condition->metric->name, "labels",
                     labels, "comparison", pt_comparison_text(condition->comparison), "limit",
                     number(condition->limit), "relative", condition->relative, "got",
                     number(gate->judgement.got), "base", number(gate->judgement.base),
                     "change_percent", number(gate->judgement.change), "p",
                     number(gate->judgement.p), "says", says);
}

json_t *pt__gates_json(const struct pt_gates *gates)
{
    json_t *list = json_array();
    for (size_t i = 0; i < gates->count; i++)
        json_array_append_new(list, one(&gates->list[i]));
    return list;
}
