#include "analysis/compare/gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    size_t room = strlen(text) + 1;
    char *out = malloc(room);
    return out ? memcpy(out, text, room) : NULL;
}

static void release(struct pt_gate *gate)
{
    free(gate->name);
    free(gate->text);
    free(gate->file);
    free(gate->shown);
}

/* Turns a column of the condition into a place in its file. */
static enum pt_status at_place(const struct pt_gate *gate, enum pt_status status,
                               struct pt_error *error)
{
    if (status != PT_ERR_INPUT || !error) return status;
    snprintf(error->file, sizeof error->file, "%s", gate->file);
    error->line = gate->line;
    if (gate->line > 0) error->column += gate->column - 1;
    return status;
}

enum pt_status pt_gates_add(struct pt_gates *gates, const char *name, const char *text,
                            const char *file, uint32_t line, uint32_t column,
                            struct pt_error *error)
{
    if (gates->count == gates->capacity) {
        size_t capacity = gates->capacity ? 2 * gates->capacity : 8;
        struct pt_gate *more = realloc(gates->list, capacity * sizeof *more);
        if (!more) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        gates->list = more;
        gates->capacity = capacity;
    }
    struct pt_gate *gate = &gates->list[gates->count];
    *gate = (struct pt_gate){.name = copy(name ? name : text),
                             .text = copy(text),
                             .file = copy(file),
                             .line = line,
                             .column = column};
    enum pt_status status = PT_OK;
    if (!gate->name || !gate->text || !gate->file)
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK)
        status = at_place(gate, pt_condition_parse(&gate->condition, gate->text, error), error);
    if (status == PT_OK)
        gates->count++;
    else
        release(gate);
    return status;
}

void pt_gates_fini(struct pt_gates *gates)
{
    for (size_t i = 0; i < gates->count; i++)
        release(&gates->list[i]);
    free(gates->list);
    *gates = (struct pt_gates){0};
}

enum pt_status pt_gate_find(const struct pt_metric **metric, const struct pt_gate *gate,
                            const struct pt_summary *summary, struct pt_error *error)
{
    return at_place(gate, pt_condition_find(metric, &gate->condition, summary, error), error);
}
