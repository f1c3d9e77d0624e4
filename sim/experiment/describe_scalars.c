/* What a scalar may be, in JSON Schema. */
#include <string.h>

#include "sim/experiment/describe_parts.h"

#define DECIMAL "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
static const char text_types[] = "[\"string\", \"number\", \"boolean\"]";

static const char *unit_pattern(enum pt_param_type type)
{
    return type == PT_PARAM_DURATION ? "(ns|us|ms|s|min|h|d)?"
           : type == PT_PARAM_MEMORY ? "(GiB|MiB|TiB|GB|MB|TB)?"
                                     : "";
}

/* Whether the value may be negative in words too, where no minimum can say so. */
static bool is_signed(const struct pt_param *param)
{
    return param->type != PT_PARAM_DURATION && param->type != PT_PARAM_MEMORY &&
           param->type != PT_PARAM_FRACTION && (!param->min || param->min[0] == '-');
}

static void number_pattern(struct pt__json *json, const struct pt_param *param)
{
    pt__json_item(json, "pattern");
    fprintf(json->stream, "\"^%s" DECIMAL "%s$\"", is_signed(param) ? "" : "(?!-[0.]*[1-9])",
            unit_pattern(param->type));
}

static bool is_plain_number(const char *text)
{
    return text && text[0] && strspn(text, "-0123456789.e") == strlen(text);
}

static void number_schema(struct pt__json *json, const struct pt_param *param)
{
    pt__json_open(json, "anyOf", '[');
    pt__json_open(json, NULL, '{');
    pt__json_member(json, "type", param->type == PT_PARAM_INT ? "integer" : "number");
    if (param->type == PT_PARAM_FRACTION) pt__json_raw(json, "exclusiveMinimum", "0");
    if (param->type == PT_PARAM_FRACTION) pt__json_raw(json, "maximum", "1");
    if (is_plain_number(param->min)) pt__json_raw(json, "minimum", param->min);
    if (is_plain_number(param->max)) pt__json_raw(json, "maximum", param->max);
    pt__json_close(json, '}');
    pt__json_open(json, NULL, '{');
    pt__json_member(json, "type", "string");
    number_pattern(json, param);
    pt__json_close(json, '}');
    if (param->max && strcmp(param->max, "inf") == 0) pt__json_element(json, "const", "\"inf\"");
    pt__json_close(json, ']');
}

static void words_schema(struct pt__json *json, const struct pt_param *param)
{
    pt__json_open(json, "anyOf", '[');
    pt__json_open(json, NULL, '{');
    pt__json_raw(json, "type", text_types);
    if (param->min) pt__json_raw(json, "minLength", "1");
    pt__json_close(json, '}');
    pt__json_open(json, NULL, '{');
    pt__json_member(json, "type", "array");
    if (param->min) pt__json_raw(json, "minItems", "1");
    pt__json_open(json, "items", '{');
    pt__json_raw(json, "type", text_types);
    pt__json_raw(json, "minLength", "1");
    pt__json_close(json, '}');
    pt__json_close(json, '}');
    pt__json_close(json, ']');
}

/* The members that say what a scalar may be. */
void pt__describe_scalar(struct pt__json *json, const struct pt_param *param)
{
    switch (param->type) {
    case PT_PARAM_BOOL:
        pt__json_raw(json, "enum", "[true, false, \"true\", \"false\"]");
        break;
    case PT_PARAM_CHOICE:
        pt__json_open(json, "enum", '[');
        for (size_t i = 0; param->choices[i]; i++)
            pt__json_member(json, NULL, param->choices[i]);
        pt__json_close(json, ']');
        break;
    case PT_PARAM_TEXT:
        pt__json_raw(json, "type", text_types);
        if (param->min) pt__json_raw(json, "minLength", "1");
        break;
    case PT_PARAM_WORDS:
        words_schema(json, param);
        break;
    default:
        number_schema(json, param);
    }
}

/* True if a name alone says all: each of its parameters has a default. */
static bool stands_alone(const struct pt_param *params)
{
    while (params && params->name && params->fallback)
        params++;
    return !params || !params->name;
}

void pt__describe_names(struct pt__json *json, const struct pt_pick *pick)
{
    pt__json_open(json, "enum", '[');
    for (size_t i = 0; pick->name(i); i++)
        if (stands_alone(pick->params(i))) pt__json_member(json, NULL, pick->name(i));
    pt__json_close(json, ']');
}

void pt__describe_notes(struct pt__json *json, const struct pt_param *param, bool with_default)
{
    char text[512];
    const char *unit = param->unit ? param->unit : "";
    snprintf(text, sizeof text, "%s%s%s%s", param->help, unit[0] ? " (" : "", unit,
             unit[0] ? ")" : "");
    pt__json_member(json, "description", text);
    if (with_default && param->fallback && param->fallback[0])
        pt__json_member(json, "default", param->fallback);
}
