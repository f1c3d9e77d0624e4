#include "sim/experiment/describe.h"

#include <string.h>

#include "partita/trace.h"
#include "sim/experiment/group.h"
#include "sim/experiment/scalar.h"

/* ---- JSON text ---- */

struct json {
    FILE *stream;
    unsigned depth;
    bool first;                       /* nothing yet in the innermost object or array */
    const struct pt_catalog *catalog; /* NULL = any text is a GPU */
};

static void put_string(struct json *json, const char *text)
{
    fputc('"', json->stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', json->stream);
        fputc(*text, json->stream);
    }
    fputc('"', json->stream);
}

/* The comma and the line before a member or an element; `key` NULL in arrays. */
static void begin_item(struct json *json, const char *key)
{
    fputs(json->first ? "\n" : ",\n", json->stream);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->stream);
    json->first = false;
    if (!key) return;
    put_string(json, key);
    fputs(": ", json->stream);
}

static void open(struct json *json, const char *key, char bracket)
{
    if (json->depth > 0) begin_item(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->first = true;
}

static void close(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first) {
        fputc('\n', json->stream);
        for (unsigned i = 0; i < json->depth; i++)
            fputs("  ", json->stream);
    }
    fputc(bracket, json->stream);
    json->first = false;
}

static void member(struct json *json, const char *key, const char *text)
{
    begin_item(json, key);
    put_string(json, text);
}

/* A member whose value is JSON already. */
static void raw(struct json *json, const char *key, const char *text)
{
    begin_item(json, key);
    fputs(text, json->stream);
}

/* {"KEY": VALUE} as an element, VALUE being JSON already. */
static void element(struct json *json, const char *key, const char *value)
{
    begin_item(json, NULL);
    fprintf(json->stream, "{\"%s\": %s}", key, value);
}

/* ---- scalars ---- */

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

static void number_pattern(struct json *json, const struct pt_param *param)
{
    begin_item(json, "pattern");
    fprintf(json->stream, "\"^%s" DECIMAL "%s$\"", is_signed(param) ? "" : "(?!-[0.]*[1-9])",
            unit_pattern(param->type));
}

static bool is_plain_number(const char *text)
{
    return text && text[0] && strspn(text, "-0123456789.e") == strlen(text);
}

static void number_schema(struct json *json, const struct pt_param *param)
{
    open(json, "anyOf", '[');
    open(json, NULL, '{');
    member(json, "type", param->type == PT_PARAM_INT ? "integer" : "number");
    if (param->type == PT_PARAM_FRACTION) raw(json, "exclusiveMinimum", "0");
    if (param->type == PT_PARAM_FRACTION) raw(json, "maximum", "1");
    if (is_plain_number(param->min)) raw(json, "minimum", param->min);
    if (is_plain_number(param->max)) raw(json, "maximum", param->max);
    close(json, '}');
    open(json, NULL, '{');
    member(json, "type", "string");
    number_pattern(json, param);
    close(json, '}');
    if (param->max && strcmp(param->max, "inf") == 0) element(json, "const", "\"inf\"");
    close(json, ']');
}

static void words_schema(struct json *json, const struct pt_param *param)
{
    open(json, "anyOf", '[');
    open(json, NULL, '{');
    raw(json, "type", text_types);
    if (param->min) raw(json, "minLength", "1");
    close(json, '}');
    open(json, NULL, '{');
    member(json, "type", "array");
    if (param->min) raw(json, "minItems", "1");
    open(json, "items", '{');
    raw(json, "type", text_types);
    raw(json, "minLength", "1");
    close(json, '}');
    close(json, '}');
    close(json, ']');
}

/* The members that say what a scalar may be. */
static void scalar_schema(struct json *json, const struct pt_param *param)
{
    switch (param->type) {
    case PT_PARAM_BOOL:
        raw(json, "enum", "[true, false, \"true\", \"false\"]");
        break;
    case PT_PARAM_CHOICE:
        open(json, "enum", '[');
        for (size_t i = 0; param->choices[i]; i++)
            member(json, NULL, param->choices[i]);
        close(json, ']');
        break;
    case PT_PARAM_TEXT:
        raw(json, "type", text_types);
        if (param->min) raw(json, "minLength", "1");
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

static void names_schema(struct json *json, const struct pt_pick *pick)
{
    open(json, "enum", '[');
    for (size_t i = 0; pick->name(i); i++)
        if (stands_alone(pick->params(i))) member(json, NULL, pick->name(i));
    close(json, ']');
}

static void notes(struct json *json, const struct pt_param *param, bool with_default)
{
    char text[512];
    const char *unit = param->unit ? param->unit : "";
    snprintf(text, sizeof text, "%s%s%s%s", param->help, unit[0] ? " (" : "", unit,
             unit[0] ? ")" : "");
    member(json, "description", text);
    if (with_default && param->fallback && param->fallback[0])
        member(json, "default", param->fallback);
}

/* ---- shapes ---- */

static void map_schema(struct json *json, const struct pt_schema *schema);

static void column_schema(struct json *json, const struct pt_column_info *column)
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
    open(json, column->name, '{');
    notes(json, &param, true);
    if (!column->fallback)
        scalar_schema(json, &param);
    else { /* nothing at all is the default */
        open(json, "anyOf", '[');
        open(json, NULL, '{');
        scalar_schema(json, &param);
        close(json, '}');
        element(json, "enum", "[null, \"\"]");
        close(json, ']');
    }
    close(json, '}');
}

static void jobs_schema(struct json *json)
{
    member(json, "type", "array");
    open(json, "items", '{');
    member(json, "type", "object");
    open(json, "properties", '{');
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        column_schema(json, &pt_columns[i]);
    close(json, '}');
    open(json, "required", '[');
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        if (!pt_columns[i].fallback) member(json, NULL, pt_columns[i].name);
    close(json, ']');
    raw(json, "patternProperties", "{\"^x_\": {}}");
    raw(json, "additionalProperties", "false");
    close(json, '}');
}

static void list_bounds(struct json *json, const struct pt_row *row)
{
    if (row->param.min) raw(json, "minItems", row->param.min);
    if (row->param.max) raw(json, "maxItems", row->param.max);
}

static void pairs_schema(struct json *json, const struct pt_schema *schema)
{
    unsigned count = 0;
    char number[16];
    member(json, "type", "array");
    open(json, "items", '{');
    member(json, "type", "array");
    open(json, "prefixItems", '[');
    for (const struct pt_row *row = schema->rows; row->param.name; row++, count++) {
        open(json, NULL, '{');
        notes(json, &row->param, false);
        scalar_schema(json, &row->param);
        close(json, '}');
    }
    close(json, ']');
    snprintf(number, sizeof number, "%u", count);
    raw(json, "minItems", number);
    raw(json, "maxItems", number);
    close(json, '}');
}

/* Those built in, for editors to offer; a catalogue of the user's may have more. */
static void gpu_names_schema(struct json *json)
{
    open(json, "anyOf", '[');
    open(json, NULL, '{');
    open(json, "enum", '[');
    for (uint32_t i = 0; i < json->catalog->count; i++)
        member(json, NULL, json->catalog->gpus[i].name);
    close(json, ']');
    close(json, '}');
    element(json, "type", "\"string\"");
    close(json, ']');
}

static void scalar_row_schema(struct json *json, const struct pt_row *row)
{
    if (row->verify && json->catalog) { /* what is verified is a GPU */
        gpu_names_schema(json);
        return;
    }
    if (!(row->flags & PT_ROW_NULLABLE)) {
        scalar_schema(json, &row->param);
        return;
    }
    open(json, "anyOf", '[');
    open(json, NULL, '{');
    scalar_schema(json, &row->param);
    close(json, '}');
    element(json, "type", "\"null\"");
    close(json, ']');
}

/* The members that describe a row's value. */
static void row_schema(struct json *json, const struct pt_row *row)
{
    switch (row->shape) {
    case PT_SHAPE_SCALAR:
        scalar_row_schema(json, row);
        break;
    case PT_SHAPE_MAP:
        map_schema(json, row->child);
        break;
    case PT_SHAPE_LIST:
        member(json, "type", "array");
        list_bounds(json, row);
        open(json, "items", '{');
        map_schema(json, row->child);
        close(json, '}');
        break;
    case PT_SHAPE_PAIRS:
        pairs_schema(json, row->child);
        break;
    case PT_SHAPE_NAMED:
        member(json, "type", "object");
        open(json, "additionalProperties", '{');
        if (row->child)
            map_schema(json, row->child);
        else
            scalar_schema(json, &row->param);
        close(json, '}');
        break;
    case PT_SHAPE_JOBS:
        jobs_schema(json);
        break;
    }
}

static void property(struct json *json, const struct pt_row *row)
{
    open(json, row->param.name, '{');
    notes(json, &row->param, true);
    row_schema(json, row);
    close(json, '}');
}

static void param_property(struct json *json, const struct pt_param *param)
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

static void required_param(struct json *json, const struct branch *branch,
                           const struct pt_param *param)
{
    struct pt_group group = {.name = ""};
    if (pt_group_key(param)) {
        pt_group_make(&group, param);
        param = &group.row.param;
    }
    bool given = branch->preset && branch->preset_row->presets->value(branch->preset, param->name);
    if (!param->fallback && !given) member(json, NULL, param->name);
}

static void const_property(struct json *json, const struct pt_row *row, const char *value)
{
    open(json, row->param.name, '{');
    notes(json, &row->param, true);
    begin_item(json, "const");
    put_string(json, value);
    close(json, '}');
}

/* The presets that are of the name that is picked. */
static void presets_property(struct json *json, const struct branch *branch,
                             const struct pt_row *row)
{
    const char *first = branch->schema->rows[0].param.name;
    bool any = false;
    for (size_t i = 0; row->presets->name(i); i++) {
        const char *name = row->presets->name(i);
        if (strcmp(row->presets->value(name, first), branch->chosen) != 0) continue;
        if (!any) {
            open(json, row->param.name, '{');
            notes(json, &row->param, true);
            open(json, "enum", '[');
        }
        any = true;
        member(json, NULL, name);
    }
    if (any) close(json, ']');
    if (any) close(json, '}');
}

static void branch_property(struct json *json, const struct branch *branch,
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

static void object_schema(struct json *json, const struct branch *branch)
{
    const struct pt_row *rows = branch->schema->rows;
    const char *fallback = rows[0].param.fallback;
    bool told =
        branch->preset || !branch->chosen || (fallback && !strcmp(fallback, branch->chosen));
    member(json, "type", "object");
    open(json, "properties", '{');
    for (const struct pt_row *row = rows; row->param.name; row++)
        branch_property(json, branch, row);
    for (const struct pt_param *param = branch->params; param && param->name;
         param = pt_group_next(param))
        param_property(json, param);
    close(json, '}');
    open(json, "required", '[');
    for (const struct pt_row *row = rows; row->param.name; row++)
        if (!row->param.fallback && !(row->flags & PT_ROW_OPTIONAL))
            member(json, NULL, row->param.name);
    if (!told) member(json, NULL, rows[0].param.name);
    if (branch->preset) member(json, NULL, branch->preset_row->param.name);
    for (const struct pt_param *param = branch->params; param && param->name;
         param = pt_group_next(param))
        required_param(json, branch, param);
    close(json, ']');
    raw(json, "additionalProperties", "false");
}

static bool has_short_form(const struct pt_schema *schema)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        if (row->flags & PT_ROW_SHORT) return true;
    return schema->scalar_first;
}

/* The branches that stand for a map without being one, or with another key. */
static void short_forms(struct json *json, const struct pt_schema *schema)
{
    if (schema->scalar_first) {
        open(json, NULL, '{');
        if (schema->pick)
            names_schema(json, schema->pick);
        else
            scalar_row_schema(json, &schema->rows[0]);
        close(json, '}');
    }
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        if (!(row->flags & PT_ROW_SHORT)) continue;
        open(json, NULL, '{');
        member(json, "type", "object");
        open(json, "properties", '{');
        property(json, row);
        close(json, '}');
        open(json, "required", '[');
        member(json, NULL, row->param.name);
        close(json, ']');
        raw(json, "additionalProperties", "false");
        close(json, '}');
    }
}

static void branch_schema(struct json *json, const char *summary, const struct branch *branch)
{
    open(json, NULL, '{');
    if (summary) member(json, "description", summary);
    object_schema(json, branch);
    close(json, '}');
}

/* A branch for every preset of a name that can be picked. */
static void preset_schemas(struct json *json, struct branch branch)
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

static void map_schema(struct json *json, const struct pt_schema *schema)
{
    struct branch branch = {.schema = schema};
    if (!schema->pick && !has_short_form(schema)) {
        object_schema(json, &branch);
        return;
    }
    open(json, "anyOf", '[');
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
    close(json, ']');
}

void pt_describe_json(FILE *stream, const struct pt_schema *schema,
                      const struct pt_catalog *catalog)
{
    struct json json = {.stream = stream, .first = true, .catalog = catalog};
    char title[64];
    snprintf(title, sizeof title, "Partita: %s file", schema->name);
    open(&json, NULL, '{');
    member(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    member(&json, "title", title);
    map_schema(&json, schema);
    close(&json, '}');
    fputc('\n', stream);
}

/* ---- the list of keys ---- */

#define PATH_MAX_LENGTH 160

struct listing {
    FILE *stream;
    enum pt_describe_format format;
    const struct pt_schema *told; /* the last value with a short form: its keys come once */
};

static void type_text(char *out, size_t size, const struct pt_row *row)
{
    const struct pt_param *param = &row->param;
    size_t used;
    switch (row->shape) {
    case PT_SHAPE_MAP:
        snprintf(out, size, "map");
        return;
    case PT_SHAPE_NAMED:
        snprintf(out, size, "map by name");
        return;
    case PT_SHAPE_PAIRS:
        snprintf(out, size, "list of [%s, %s]", row->child->rows[0].param.name,
                 row->child->rows[1].param.name);
        return;
    case PT_SHAPE_LIST:
    case PT_SHAPE_JOBS:
        snprintf(out, size, "list");
        return;
    case PT_SHAPE_SCALAR:
        break;
    }
    used = (size_t)snprintf(out, size, "%s", pt_scalar_type_text(param->type));
    for (size_t i = 0; param->type == PT_PARAM_CHOICE && param->choices[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : ": ",
                                 param->choices[i]);
    const char *min = param->min, *max = param->max;
    if (param->type == PT_PARAM_TEXT || param->type == PT_PARAM_WORDS || used >= size) return;
    if (min && max && strcmp(min, max) != 0)
        snprintf(out + used, size - used, ", %s to %s", min, max);
    else if (min || max)
        snprintf(out + used, size - used, ", %s%s",
                 !max   ? "at least "
                 : !min ? "at most "
                        : "",
                 min ? min : max);
}

static void default_text(char *out, size_t size, const struct pt_row *row)
{
    const char *fallback = row->param.fallback;
    if (row->flags & PT_ROW_SHORT)
        snprintf(out, size, "short form");
    else if (row->flags & PT_ROW_OPTIONAL)
        snprintf(out, size, "optional");
    else if (!fallback)
        snprintf(out, size, "required");
    else if (!fallback[0] && row->shape != PT_SHAPE_SCALAR)
        snprintf(out, size, "empty");
    else if (!fallback[0])
        snprintf(out, size, row->param.type == PT_PARAM_TEXT ? "\"\"" : "optional");
    else
        snprintf(out, size, "%s", fallback);
}

static void put_roff(FILE *stream, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stream);
    for (; *text; text++) {
        if (*text == '\\' || *text == '-') fputc('\\', stream);
        fputc(*text == '\\' ? 'e' : *text, stream);
    }
}

static void list_row(struct listing *listing, const char *path, const struct pt_row *row)
{
    char type[256], fallback[64];
    FILE *stream = listing->stream;
    type_text(type, sizeof type, row);
    default_text(fallback, sizeof fallback, row);
    if (listing->format == PT_DESCRIBE_MARKDOWN) {
        fprintf(stream, "| `%s` | %s | %s | %s |\n", path, type, fallback, row->param.help);
        return;
    }
    fputs(".TP\n\\fB", stream);
    put_roff(stream, path);
    fputs("\\fR (", stream);
    put_roff(stream, type);
    fputs("; ", stream);
    put_roff(stream, fallback);
    fputs(")\n", stream);
    put_roff(stream, row->param.help);
    fputc('\n', stream);
}

static void list_map(struct listing *listing, const char *prefix, const struct pt_schema *schema);

/* A row and what is inside it. */
static void list_all(struct listing *listing, const char *prefix, const struct pt_row *row)
{
    char path[PATH_MAX_LENGTH], inner[PATH_MAX_LENGTH];
    snprintf(path, sizeof path, "%s%s", prefix, row->param.name);
    list_row(listing, path, row);
    if (!row->child || row->child == listing->told) return;
    if (row->child->scalar_first) listing->told = row->child;
    const char *step = row->shape == PT_SHAPE_LIST || row->shape == PT_SHAPE_PAIRS ? "[]."
                       : row->shape == PT_SHAPE_NAMED                              ? ".NAME."
                                                                                   : ".";
    if (snprintf(inner, sizeof inner, "%s%s", path, step) < (int)sizeof inner)
        list_map(listing, inner, row->child);
}

static void list_map(struct listing *listing, const char *prefix, const struct pt_schema *schema)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        list_all(listing, prefix, row);
    for (size_t i = 0; schema->pick && schema->pick->name(i); i++) {
        const struct pt_param *params = schema->pick->params(i);
        for (const struct pt_param *param = params; param && param->name; param++) {
            char path[PATH_MAX_LENGTH];
            const struct pt_row row = {.param = *param};
            snprintf(path, sizeof path, "%s%s (%s)", prefix, param->name, schema->pick->name(i));
            list_row(listing, path, &row);
        }
    }
}

void pt_describe_keys(FILE *stream, const struct pt_schema *schema, enum pt_describe_format format)
{
    struct listing listing = {stream, format, NULL};
    if (format == PT_DESCRIBE_MARKDOWN)
        fputs("| key | value | default | meaning |\n|---|---|---|---|\n", stream);
    list_map(&listing, "", schema);
}
