#include "sim/experiment/gates.h"

#include <string.h>

static enum pt_status say(struct pt_messages *messages, enum pt_status status,
                          const struct pt_error *error, const char *text)
{
    if (status != PT_OK) pt_messages_add(messages, false, error, text, strlen(text));
    return status;
}

static enum pt_status read_one(struct pt_gates *gates, const char *option, const char *text,
                               struct pt_messages *messages)
{
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = pt_gates_add(gates, NULL, text, option, 0, 0, &error);
    if (status != PT_OK) return say(messages, status, &error, text);
    const struct pt_condition *condition = &gates->list[gates->count - 1].condition;
    if (!condition->relative) return PT_OK;
    status = pt_fail_at(&error, PT_ERR_INPUT, option, 0, condition->percent_column,
                        "a change needs a base to be compared with, and there is none here");
    return say(messages, status, &error, text);
}

enum pt_status pt_gates_read_arguments(struct pt_gates *gates, const char *option,
                                       const char *const *texts, size_t count,
                                       struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < count && worst != PT_ERR_MEMORY; i++) {
        enum pt_status status = read_one(gates, option, texts[i], messages);
        if (status != PT_OK) worst = status;
    }
    return worst;
}

enum pt_status pt_gates_check(const struct pt_gates *gates, const struct pt_summary *summary,
                              struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < gates->count; i++) {
        struct pt_error error = {.status = PT_OK};
        const struct pt_metric *metric;
        const struct pt_gate *gate = &gates->list[i];
        enum pt_status status = pt_gate_find(&metric, gate, summary, &error);
        if (say(messages, status, &error, gate->text) != PT_OK) worst = status;
    }
    return worst;
}

enum pt_status pt_gates_check_before(const struct pt_gates *gates,
                                     const struct pt_summary_input *input,
                                     struct pt_messages *messages)
{
    struct pt_summary_input before = *input;
    struct pt_outcomes *nothing = NULL;
    struct pt_summary *summary = NULL;
    struct pt_error error = {.status = PT_OK};
    if (gates->count == 0) return PT_OK;
    enum pt_status status = pt_outcomes_create(&nothing, input->trace->job_count, &error);
    before.outcomes = nothing;
    if (status == PT_OK) status = pt_summary_create(&summary, &before, &error);
    if (status == PT_OK)
        status = pt_gates_check(gates, summary, messages);
    else
        pt_messages_add(messages, false, &error, NULL, 0);
    pt_summary_destroy(summary);
    pt_outcomes_destroy(nothing);
    return status;
}
