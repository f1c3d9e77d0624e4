#include "sim/cli/described.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/wrap.h"

static const char *const param_types[] = {[PT_PARAM_BOOL] = "true/false",
                                          [PT_PARAM_INT] = "whole number",
                                          [PT_PARAM_NUMBER] = "number",
                                          [PT_PARAM_FRACTION] = "fraction",
                                          [PT_PARAM_DURATION] = "duration",
                                          [PT_PARAM_MEMORY] = "memory",
                                          [PT_PARAM_CHOICE] = "word",
                                          [PT_PARAM_TEXT] = "text",
                                          [PT_PARAM_WORDS] = "word or list of words"};

/* ---- JSON ---- */

static json_t *choices_json(const char *const *choices)
{
    json_t *list = json_array();
    for (size_t i = 0; choices && choices[i]; i++)
        json_array_append_new(list, json_string(choices[i]));
    return list;
}

static json_t *params_json(const struct pt_param *param)
{
    json_t *list = json_array();
    for (; param && param->name; param++) {
        json_t *one =
            json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s}", "name", param->name, "type",
                      param_types[param->type], "unit", param->unit, "default", param->fallback,
                      "min", param->min, "max", param->max, "help", param->help);
        if (param->type == PT_PARAM_CHOICE)
            json_object_set_new(one, "choices", choices_json(param->choices));
        json_array_append_new(list, one);
    }
    return list;
}

json_t *pt__described_json(const char *kind, const char *name, const char *summary,
                           const char *source, const struct pt_param *params)
{
    json_t *one = json_pack("{s:s, s:s, s:s, s:s?}", "kind", kind, "name", name, "summary", summary,
                            "source", source);
    json_object_set_new(one, "parameters", params_json(params));
    return one;
}

/* ---- text ---- */

enum { WIDTH = 100, NAME_COLUMN = 17, PARAM_COLUMN = 6, HELP_COLUMN = 10 };

static void print_params(const struct pt_param *param)
{
    for (; param && param->name; param++) {
        printf("%*s%s: %s", PARAM_COLUMN, "", param->name,
               param->type == PT_PARAM_CHOICE ? "" : param_types[param->type]);
        for (size_t i = 0; param->type == PT_PARAM_CHOICE && param->choices[i]; i++)
            printf("%s%s", i ? " | " : "", param->choices[i]);
        if (param->unit[0]) printf(" (%s)", param->unit);
        if (!param->fallback)
            printf(", required");
        else if (param->fallback[0])
            printf(", default %s", param->fallback);
        printf("\n%*s", HELP_COLUMN, "");
        pt__wrap(stdout, param->help, HELP_COLUMN, HELP_COLUMN, WIDTH);
    }
}

void pt__described_line(const char *label, const char *text)
{
    int at = printf("%*s%s:", PARAM_COLUMN, "", label);
    pt__wrap(stdout, text, at, HELP_COLUMN, WIDTH);
}

static void print_summary(const struct pt__terminal *terminal, const char *name,
                          const char *summary)
{
    int at = 2 + (int)strlen(name);
    printf("  %s%s%s", pt__style(terminal->color_out, PT__BOLD), name,
           pt__style(terminal->color_out, PT__PLAIN));
    /* the blank between them is pt__wrap's where it begins behind the indent */
    if (at < NAME_COLUMN) at += printf("%*s", NAME_COLUMN - at, "");
    pt__wrap(stdout, summary, at, NAME_COLUMN, WIDTH);
}

void pt__described_text(const struct pt__terminal *terminal, const char *name, const char *summary,
                        const struct pt_param *params)
{
    print_summary(terminal, name, summary);
    print_params(params);
}

void pt__described_short(const struct pt__terminal *terminal, const char *name, const char *summary,
                         const struct pt_param *params)
{
    char text[1024] = "[";
    size_t used = 1, shown = 0;
    print_summary(terminal, name, summary);
    for (const struct pt_param *param = params; param && param->name; param++) {
        size_t length = strcspn(param->name, "."); /* of a map its name alone, once */
        bool again = shown == length && strncmp(param->name, param[-1].name, length) == 0;
        if (again || used + length + 4 > sizeof text) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used > 1 ? ", " : "",
                                 (int)length, param->name);
        shown = param->name[length] == '.' ? length : 0;
    }
    if (used == 1) return;
    snprintf(text + used, sizeof text - used, "]");
    printf("%*s", NAME_COLUMN, "");
    pt__wrap(stdout, text, NAME_COLUMN, NAME_COLUMN, WIDTH);
}
