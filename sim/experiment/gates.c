#include "sim/experiment/gates.h"

#include <stdlib.h>
#include <string.h>

#include "sim/experiment/tables.h"
#include "sim/experiment/yaml.h"

static enum pt_status say(struct pt_messages *messages, enum pt_status status,
                          const struct pt_error *error, const char *line, size_t length)
{
    if (status != PT_OK) pt_messages_add(messages, false, error, line, length);
    return status;
}

/* Says that a gate is relative where nothing is there that it could be relative to. */
static enum pt_status refuse_change(const struct pt_gate *gate, struct pt_messages *messages,
                                    const char *line, size_t length)
{
    struct pt_error error;
    uint32_t column = gate->condition.percent_column;
    if (!gate->condition.relative) return PT_OK;
    if (gate->line > 0) column += gate->column - 1;
    enum pt_status status =
        pt_fail_at(&error, PT_ERR_INPUT, gate->file, gate->line, column,
                   "a change needs a base to be compared with, and there is none here");
    return say(messages, status, &error, line, length);
}

static enum pt_status read_one(struct pt_gates *gates, const char *option, const char *text,
                               bool has_base, struct pt_messages *messages)
{
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = pt_gates_add(gates, NULL, text, option, 0, 0, &error);
    if (status != PT_OK) return say(messages, status, &error, text, strlen(text));
    if (has_base) return PT_OK;
    return refuse_change(&gates->list[gates->count - 1], messages, text, strlen(text));
}

enum pt_status pt_gates_read_arguments(struct pt_gates *gates, const char *option,
                                       const char *const *texts, size_t count, bool has_base,
                                       struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < count && worst != PT_ERR_MEMORY; i++) {
        enum pt_status status = read_one(gates, option, texts[i], has_base, messages);
        if (status != PT_OK) worst = status;
    }
    return worst;
}

/* ---- a file of them ---- */

/* The line of the file, from 1; *length without its end. */
static const char *line_of(const struct pt_yaml *yaml, uint32_t number, size_t *length)
{
    const char *at = yaml->text, *end = yaml->text + yaml->length;
    for (; number > 1; number--) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        if (!feed) break;
        at = feed + 1;
    }
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((feed ? feed : end) - at);
    return at;
}

/* 1 if a quote stands at this character of the line: no plain scalar begins with one. */
static uint32_t is_quoted(const char *line, size_t length, uint32_t column)
{
    size_t at = 0;
    for (; column > 1 && at < length; column--)
        for (at++; at < length && ((unsigned char)line[at] & 0xc0u) == 0x80u;)
            at++;
    return at < length && (line[at] == '\'' || line[at] == '"');
}

static enum pt_status load_one(struct pt_gates *gates, const struct pt_yaml *yaml,
                               const struct pt_yaml_node *row, bool has_base,
                               struct pt_messages *messages)
{
    const struct pt_yaml_node *name = pt_yaml_get(row, "name"), *text = pt_yaml_get(row, "fail_on");
    struct pt_error error = {.status = PT_OK};
    size_t length;
    const char *line = line_of(yaml, text->place.line, &length);
    enum pt_status status =
        pt_gates_add(gates, name->text, text->text, yaml->file, text->place.line,
                     text->place.column + is_quoted(line, length, text->place.column), &error);
    if (status != PT_OK) return say(messages, status, &error, line, length);
    struct pt_gate *gate = &gates->list[gates->count - 1];
    gate->shown = malloc(length + 1);
    if (!gate->shown)
        return say(messages, pt_fail_at(&error, PT_ERR_MEMORY, NULL, 0, 0, "out of memory"), &error,
                   NULL, 0);
    memcpy(gate->shown, line, length);
    gate->shown[length] = '\0';
    return has_base ? PT_OK : refuse_change(gate, messages, line, length);
}

static enum pt_status load(struct pt_gates *gates, struct pt_yaml *yaml, bool has_base,
                           struct pt_messages *messages)
{
    struct pt_yaml_node *document = yaml->first_document, *root;
    enum pt_status worst = PT_OK;
    if (document->next) {
        pt_yaml_say(yaml, messages, false, document->next->place,
                    "a second document: a file of gates is one");
        return PT_ERR_INPUT;
    }
    PT_TRY(pt_schema_check(&root, yaml, &pt_schema_gates, document, NULL, messages));
    for (const struct pt_yaml_node *row = pt_yaml_get(root, "gates")->first;
         row && worst != PT_ERR_MEMORY; row = row->next) {
        enum pt_status status = load_one(gates, yaml, row, has_base, messages);
        if (status != PT_OK) worst = status;
    }
    return worst;
}

enum pt_status pt_gates_load(struct pt_gates *gates, const char *path, bool has_base,
                             struct pt_messages *messages)
{
    struct pt_yaml yaml;
    pt_yaml_init(&yaml);
    enum pt_status status = pt_yaml_load(&yaml, path, messages);
    if (status == PT_OK) status = load(gates, &yaml, has_base, messages);
    pt_yaml_fini(&yaml);
    return status;
}

/* ---- looking them up ---- */

enum pt_status pt_gates_check(const struct pt_gates *gates, const struct pt_summary *summary,
                              struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < gates->count; i++) {
        struct pt_error error = {.status = PT_OK};
        const struct pt_metric *metric;
        const struct pt_gate *gate = &gates->list[i];
        enum pt_status status = pt_gate_find(&metric, gate, summary, &error);
        const char *line = gate->shown ? gate->shown : gate->text;
        if (say(messages, status, &error, line, strlen(line)) != PT_OK) worst = status;
    }
    return worst;
}

/* Whether any run of a comparison has what a gate is about. */
static bool is_compared(const struct pt_condition *condition,
                        const struct pt_differences *differences)
{
    bool all = condition->label == NULL;
    return pt_differences_find(differences, all ? "" : condition->dimension,
                               all ? "" : condition->label, all ? 0 : condition->label_length,
                               condition->metric->name) != NULL;
}

enum pt_status pt_gates_check_differences(const struct pt_gates *gates,
                                          const struct pt_differences *differences,
                                          const struct pt_summary *changed,
                                          struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < gates->count; i++) {
        struct pt_gates one = {.count = 1, .list = &gates->list[i]};
        if (is_compared(&gates->list[i].condition, differences)) continue;
        enum pt_status status = pt_gates_check(&one, changed, messages);
        if (status != PT_OK) worst = status;
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
