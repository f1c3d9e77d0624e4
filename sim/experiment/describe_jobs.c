/* Jobs in the file, in JSON Schema: the columns of a native trace. */
#include <string.h>

#include "partita/trace.h"
#include "sim/experiment/describe_parts.h"

static void column_schema(struct pt__json *json, const struct pt_column_info *column)
{
    static const char *const kinds[] = {"training", "batch", "interactive", "inference", NULL};
    bool is_kind = strcmp(column->name, pt_columns[PT_COL_KIND].name) == 0;
    static const enum pt_param_type types[] = {
        [PT_COLUMN_TIME] = PT_PARAM_NUMBER,       [PT_COLUMN_COUNT] = PT_PARAM_INT,
        [PT_COLUMN_FRACTION] = PT_PARAM_FRACTION, [PT_COLUMN_GIB] = PT_PARAM_NUMBER,
        [PT_COLUMN_MILLI] = PT_PARAM_NUMBER,      [PT_COLUMN_UNIT] = PT_PARAM_NUMBER,
        [PT_COLUMN_BOOL] = PT_PARAM_BOOL,         [PT_COLUMN_WORD] = PT_PARAM_TEXT,
        [PT_COLUMN_TEXT] = PT_PARAM_TEXT};
    bool number = types[column->type] == PT_PARAM_INT || types[column->type] == PT_PARAM_NUMBER;
    const struct pt_param param = {.name = column->name,
                                   .type = is_kind ? PT_PARAM_CHOICE : types[column->type],
                                   .choices = kinds,
                                   .unit = column->unit,
                                   .fallback = column->fallback,
                                   .min = number ? "0" : NULL,
                                   .max = strcmp(column->name, "checkpoint_s") == 0 ? "inf" : NULL,
                                   .help = column->help};
    pt__json_open(json, column->name, '{');
    pt__describe_notes(json, &param, true);
    if (!column->fallback)
        pt__describe_scalar(json, &param);
    else { /* nothing at all is the default */
        pt__json_open(json, "anyOf", '[');
        pt__json_open(json, NULL, '{');
        pt__describe_scalar(json, &param);
        pt__json_close(json, '}');
        pt__json_element(json, "enum", "[null, \"\"]");
        pt__json_close(json, ']');
    }
    pt__json_close(json, '}');
}

void pt__describe_jobs(struct pt__json *json)
{
    pt__json_member(json, "type", "array");
    pt__json_open(json, "items", '{');
    pt__json_member(json, "type", "object");
    pt__json_open(json, "properties", '{');
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        column_schema(json, &pt_columns[i]);
    pt__json_close(json, '}');
    pt__json_open(json, "required", '[');
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        if (!pt_columns[i].fallback) pt__json_member(json, NULL, pt_columns[i].name);
    pt__json_close(json, ']');
    pt__json_raw(json, "patternProperties", "{\"^x_\": {}}");
    pt__json_raw(json, "additionalProperties", "false");
    pt__json_close(json, '}');
}
