#include "sim/experiment/describe.h"

#include <string.h>

#include "sim/experiment/describe_parts.h"
#include "sim/experiment/group.h"

static void map_schema(struct pt__json *json, const struct pt_schema *schema);

static void list_bounds(struct pt__json *json, const struct pt_row *row)
{
    if (row->param.min) pt__json_raw(json, "minItems", row->param.min);
    if (row->param.max) pt__json_raw(json, "maxItems", row->param.max);
}

static void pairs_schema(struct pt__json *json, const struct pt_schema *schema)
{
    unsigned count = 0;
    char number[16];
    pt__json_member(json, "type", "array");
    pt__json_open(json, "items", '{');
    pt__json_member(json, "type", "array");
    pt__json_open(json, "prefixItems", '[');
    for (const struct pt_row *row = schema->rows; row->param.name; row++, count++) {
        pt__json_open(json, NULL, '{');
        pt__describe_notes(json, &row->param, false);
        pt__describe_scalar(json, &row->param);
        pt__json_close(json, '}');
    }
    pt__json_close(json, ']');
    snprintf(number, sizeof number, "%u", count);
    pt__json_raw(json, "minItems", number);
    pt__json_raw(json, "maxItems", number);
    pt__json_close(json, '}');
}

/* Those built in, for editors to offer; a catalogue of the user's may have more. */
static void gpu_names_schema(struct pt__json *json)
{
    pt__json_open(json, "anyOf", '[');
    pt__json_open(json, NULL, '{');
    pt__json_open(json, "enum", '[');
    for (uint32_t i = 0; i < json->catalog->count; i++)
        pt__json_member(json, NULL, json->catalog->gpus[i].name);
    pt__json_close(json, ']');
    pt__json_close(json, '}');
    pt__json_element(json, "type", "\"string\"");
    pt__json_close(json, ']');
}

static void scalar_row_schema(struct pt__json *json, const struct pt_row *row)
{
    if (row->verify && json->catalog) { /* what is verified is a GPU */
        gpu_names_schema(json);
        return;
    }
    if (!(row->flags & PT_ROW_NULLABLE)) {
        pt__describe_scalar(json, &row->param);
        return;
    }
    pt__json_open(json, "anyOf", '[');
    pt__json_open(json, NULL, '{');
    pt__describe_scalar(json, &row->param);
    pt__json_close(json, '}');
    pt__json_element(json, "type", "\"null\"");
    pt__json_close(json, ']');
}

/* The members that describe a row's value. */
static void row_schema(struct pt__json *json, const struct pt_row *row)
{
    switch (row->shape) {
    case PT_SHAPE_SCALAR:
        scalar_row_schema(json, row);
        break;
    case PT_SHAPE_MAP:
        map_schema(json, row->child);
        break;
    case PT_SHAPE_LIST:
        pt__json_member(json, "type", "array");
        list_bounds(json, row);
        pt__json_open(json, "items", '{');
        map_schema(json, row->child);
        pt__json_close(json, '}');
        break;
    case PT_SHAPE_PAIRS:
        pairs_schema(json, row->child);
        break;
    case PT_SHAPE_NAMED:
        pt__json_member(json, "type", "object");
        pt__json_open(json, "additionalProperties", '{');
        if (row->child)
            map_schema(json, row->child);
        else
            pt__describe_scalar(json, &row->param);
        pt__json_close(json, '}');
        break;
    case PT_SHAPE_JOBS:
        pt__describe_jobs(json);
        break;
    }
}

static void property(struct pt__json *json, const struct pt_row *row)
{
    pt__json_open(json, row->param.name, '{');
    pt__describe_notes(json, &row->param, true);
    row_schema(json, row);
    pt__json_close(json, '}');
}

static void param_property(struct pt__json *json, const struct pt_param *param)
{
    if (!pt_group_key(param)) {
        const struct pt_row row = {.param = *param};
        property(json, &row);
        return;
    }
    struct pt_group group = {.name = ""};
    pt_group_make(&group, param);
    property(json, &group.row);
}

/* One way to write a map without short forms. */
struct branch {
    const struct pt_schema *schema;
    const struct pt_param *params; /* of the name that is picked, `chosen`; both NULL = no pick */
    const char *chosen;
    const struct pt_row *preset_row; /* a preset picks it instead: its row and its name */
    const char *preset;
};

static void required_param(struct pt__json *json, const struct branch *branch,
                           const struct pt_param *param)
{
    struct pt_group group = {.name = ""};
    if (pt_group_key(param)) {
        pt_group_make(&group, param);
        param = &group.row.param;
    }
    bool given = branch->preset && branch->preset_row->presets->value(branch->preset, param->name);
    if (!param->fallback && !given) pt__json_member(json, NULL, param->name);
}

static void const_property(struct pt__json *json, const struct pt_row *row, const char *value)
{
    pt__json_open(json, row->param.name, '{');
    pt__describe_notes(json, &row->param, true);
    pt__json_item(json, "const");
    pt__json_string(json, value);
    pt__json_close(json, '}');
}

/* The presets that are of the name that is picked. */
static void presets_property(struct pt__json *json, const struct branch *branch,
                             const struct pt_row *row)
{
    const char *first = branch->schema->rows[0].param.name;
    bool any = false;
    for (size_t i = 0; row->presets->name(i); i++) {
        const char *name = row->presets->name(i);
        if (strcmp(row->presets->value(name, first), branch->chosen) != 0) continue;
        if (!any) {
            pt__json_open(json, row->param.name, '{');
            pt__describe_notes(json, &row->param, true);
            pt__json_open(json, "enum", '[');
        }
        any = true;
        pt__json_member(json, NULL, name);
    }
    if (any) pt__json_close(json, ']');
    if (any) pt__json_close(json, '}');
}

static void branch_property(struct pt__json *json, const struct branch *branch,
                            const struct pt_row *row)
{
    bool picks = branch->schema->pick && row == branch->schema->rows;
    if (row->flags & PT_ROW_SHORT || pt_schema_param(branch->params, row->param.name)) return;
    if (picks && branch->chosen)
        const_property(json, row, branch->chosen);
    else if (branch->preset && row == branch->preset_row)
        const_property(json, row, branch->preset);
    else if (row->presets && branch->chosen)
        presets_property(json, branch, row);
    else if (!picks)
        property(json, row);
}

static void object_schema(struct pt__json *json, const struct branch *branch)
{
    const struct pt_row *rows = branch->schema->rows;
    const char *fallback = rows[0].param.fallback;
    bool told =
        branch->preset || !branch->chosen || (fallback && !strcmp(fallback, branch->chosen));
    pt__json_member(json, "type", "object");
    pt__json_open(json, "properties", '{');
    for (const struct pt_row *row = rows; row->param.name; row++)
        branch_property(json, branch, row);
    for (const struct pt_param *param = branch->params; param && param->name;
         param = pt_group_next(param))
        param_property(json, param);
    pt__json_close(json, '}');
    pt__json_open(json, "required", '[');
    for (const struct pt_row *row = rows; row->param.name; row++)
        if (!row->param.fallback && !(row->flags & PT_ROW_OPTIONAL))
            pt__json_member(json, NULL, row->param.name);
    if (!told) pt__json_member(json, NULL, rows[0].param.name);
    if (branch->preset) pt__json_member(json, NULL, branch->preset_row->param.name);
    for (const struct pt_param *param = branch->params; param && param->name;
         param = pt_group_next(param))
        required_param(json, branch, param);
    pt__json_close(json, ']');
    pt__json_raw(json, "additionalProperties", "false");
}

static bool has_short_form(const struct pt_schema *schema)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        if (row->flags & PT_ROW_SHORT) return true;
    return schema->scalar_first;
}

/* The branches that stand for a map without being one, or with another key. */
static void short_forms(struct pt__json *json, const struct pt_schema *schema)
{
    if (schema->scalar_first) {
        pt__json_open(json, NULL, '{');
        if (schema->pick)
            pt__describe_names(json, schema->pick);
        else
            scalar_row_schema(json, &schema->rows[0]);
        pt__json_close(json, '}');
    }
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        if (!(row->flags & PT_ROW_SHORT)) continue;
        pt__json_open(json, NULL, '{');
        pt__json_member(json, "type", "object");
        pt__json_open(json, "properties", '{');
        property(json, row);
        pt__json_close(json, '}');
        pt__json_open(json, "required", '[');
        pt__json_member(json, NULL, row->param.name);
        pt__json_close(json, ']');
        pt__json_raw(json, "additionalProperties", "false");
        pt__json_close(json, '}');
    }
}

static void branch_schema(struct pt__json *json, const char *summary, const struct branch *branch)
{
    pt__json_open(json, NULL, '{');
    if (summary) pt__json_member(json, "description", summary);
    object_schema(json, branch);
    pt__json_close(json, '}');
}

/* A branch for every preset of a name that can be picked. */
static void preset_schemas(struct pt__json *json, struct branch branch)
{
    const struct pt_row *rows = branch.schema->rows;
    for (const struct pt_row *row = rows; row->param.name; row++)
        for (size_t i = 0; row->presets && row->presets->name(i); i++) {
            branch.preset_row = row;
            branch.preset = row->presets->name(i);
            if (strcmp(row->presets->value(branch.preset, rows[0].param.name), branch.chosen) == 0)
                branch_schema(json, NULL, &branch);
        }
}

static void map_schema(struct pt__json *json, const struct pt_schema *schema)
{
    struct branch branch = {.schema = schema};
    if (!schema->pick && !has_short_form(schema)) {
        object_schema(json, &branch);
        return;
    }
    pt__json_open(json, "anyOf", '[');
    short_forms(json, schema);
    for (size_t i = 0; schema->pick && schema->pick->name(i); i++) {
        branch.params = schema->pick->params(i);
        branch.chosen = schema->pick->name(i);
        branch_schema(json, schema->pick->summary(i), &branch);
        preset_schemas(json, branch);
    }
    branch = (struct branch){.schema = schema};
    if (!schema->pick || schema->rows[0].flags & PT_ROW_OPTIONAL)
        branch_schema(json, NULL, &branch);
    pt__json_close(json, ']');
}

void pt_describe_json(FILE *stream, const struct pt_schema *schema,
                      const struct pt_catalog *catalog)
{
    struct pt__json json = {.stream = stream, .first = true, .catalog = catalog};
    char title[64];
    snprintf(title, sizeof title, "Partita: %s file", schema->name);
    pt__json_open(&json, NULL, '{');
    pt__json_member(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    pt__json_member(&json, "title", title);
    map_schema(&json, schema);
    pt__json_close(&json, '}');
    fputc('\n', stream);
}
