/* Maps against their schemas, and what each shape is checked by. */
#include <string.h>

#include "sim/experiment/group.h"
#include "sim/experiment/schema_parts.h"

const char *pt__schema_kind_text(const struct pt_yaml_node *node)
{
    if (pt_yaml_is_nothing(node)) return "nothing";
    return node->kind == PT_YAML_MAP    ? "a map"
           : node->kind == PT_YAML_LIST ? "a list"
                                        : "a single value";
}

/* A new node that stands where `raw` does, under the same key. NULL when memory is out. */
struct pt_yaml_node *pt__schema_twin(struct pt__checker *checker, enum pt_yaml_kind kind,
                                     const struct pt_yaml_node *raw)
{
    struct pt_yaml_node *node = pt_yaml_new(checker->yaml, kind, raw->place);
    if (!node) {
        checker->no_memory = true;
        return NULL;
    }
    node->key = raw->key;
    node->key_place = raw->key_place;
    return node;
}

static struct pt_yaml_node *check_named(struct pt__checker *checker, const struct pt_row *row,
                                        struct pt_yaml_node *raw)
{
    struct pt_yaml_node *map = pt__schema_twin(checker, PT_YAML_MAP, raw);
    if (!map || !pt__schema_count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal = row->child ? pt__schema_check_map(checker, row->child, child)
                                                 : pt__schema_check_scalar(checker, row, child);
        if (normal) pt_yaml_append(map, normal);
    }
    return map;
}

/* A preset brings keys of one pick: another one beside it is a contradiction. */
static void check_preset(struct pt__checker *checker, const struct pt_schema *schema,
                         const struct pt_yaml_node *raw, const struct pt_yaml_node *chosen)
{
    const char *wants = pt__schema_preset_value(schema, raw, schema->rows[0].param.name);
    if (wants && strcmp(wants, chosen->text) != 0)
        PT__SAY(checker, chosen->place, "the preset is of %s '%s', not '%.64s'", schema->pick->noun,
                wants, chosen->text);
}

/* The parameters that the map's first key brings. *known is false where that key is wrong: what
 * other keys mean can't be told then. */
static const struct pt_param *check_pick(struct pt__checker *checker,
                                         const struct pt_schema *schema,
                                         const struct pt_yaml_node *raw, bool *known)
{
    *known = true;
    if (!schema->pick) return NULL;
    const struct pt_yaml_node *chosen = pt_yaml_get(raw, schema->rows[0].param.name);
    if (!chosen) return pt_schema_params(schema, raw);
    *known = chosen->kind == PT_YAML_SCALAR && !pt_yaml_is_nothing(chosen);
    if (!*known) return NULL; /* its row says so */
    *known = schema->pick->name(pt__schema_find_pick(schema->pick, chosen->text)) != NULL;
    if (!*known) pt__schema_unknown_pick(checker, schema, chosen);
    if (*known) check_preset(checker, schema, raw, chosen);
    return pt_schema_params(schema, raw);
}

/* A parameter that has no value unless it is given (param.h). */
static bool may_be_absent(const struct pt_row *row)
{
    const struct pt_param *param = &row->param;
    bool empty_is_a_value =
        param->type == PT_PARAM_TEXT || (param->type == PT_PARAM_WORDS && !param->min);
    return row->shape == PT_SHAPE_SCALAR && !empty_is_a_value && param->fallback &&
           param->fallback[0] == '\0';
}

static void check_row(struct pt__checker *checker, const struct pt_schema *schema,
                      struct pt_yaml_node *map, const struct pt_row *row,
                      struct pt_yaml_node *raw_map)
{
    struct pt_yaml_node *raw = pt_yaml_get(raw_map, row->param.name), *normal;
    const char *preset = raw ? NULL : pt__schema_preset_value(schema, raw_map, row->param.name);
    if (row->flags & PT_ROW_SHORT) return;
    if (raw)
        normal = pt__schema_check_value(checker, row, raw);
    else if (preset) {
        struct pt_row given = *row;
        given.param.fallback = preset;
        normal = pt__schema_add_default(checker, &given, map);
    } else if ((row->flags & PT_ROW_OPTIONAL) || may_be_absent(row))
        return;
    else if (row->param.fallback)
        normal = pt__schema_add_default(checker, row, map);
    else {
        pt__schema_missing_key(checker, schema, raw_map, row->param.name);
        return;
    }
    if (normal) pt_yaml_append(map, normal);
}

/* A parameter, or the map of parameters that begins with it. */
static void check_param(struct pt__checker *checker, const struct pt_schema *schema,
                        struct pt_yaml_node *map, const struct pt_param *param,
                        struct pt_yaml_node *raw_map)
{
    if (!pt_group_key(param)) {
        const struct pt_row row = {.param = *param, .shape = PT_SHAPE_SCALAR};
        check_row(checker, schema, map, &row, raw_map);
        return;
    }
    struct pt_group group = {.name = ""};
    pt_group_make(&group, param);
    group.row.param.name = pt_arena_text(&checker->yaml->arena, group.name, strlen(group.name));
    if (group.row.param.name)
        check_row(checker, schema, map, &group.row, raw_map);
    else
        checker->no_memory = true;
}

/* Short forms whose value is right are written out; what is wrong is said. False: one was wrong. */
static bool check_short_forms(struct pt__checker *checker, const struct pt_schema *schema,
                              struct pt_yaml_node *raw)
{
    bool fine = true;
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        struct pt_yaml_node *value =
            row->flags & PT_ROW_SHORT ? pt_yaml_get(raw, row->param.name) : NULL;
        if (value && !pt__schema_check_scalar(checker, row, value)) fine = false;
        if (value && raw->count > 1) {
            PT__SAY(checker, value->key_place,
                    "'%s' stands for the whole %s: no other keys beside it", row->param.name,
                    schema->name);
            fine = false;
        }
    }
    if (fine && pt_schema_open(checker->yaml, schema, raw) != PT_OK) checker->no_memory = true;
    return fine;
}

struct pt_yaml_node *pt__schema_check_map(struct pt__checker *checker,
                                          const struct pt_schema *schema, struct pt_yaml_node *raw)
{
    if (!check_short_forms(checker, schema, raw)) return NULL;
    if (raw->kind != PT_YAML_MAP) {
        const char *article = strchr("aeio", schema->name[0]) ? "an " : "a ";
        PT__SAY(checker, raw->place, "%s%s%s must be a map (key: value), not %s",
                raw->key ? "'" : article, raw->key ? raw->key : schema->name, raw->key ? "'" : "",
                pt__schema_kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *map = pt__schema_twin(checker, PT_YAML_MAP, raw);
    if (!map) return NULL;
    bool known;
    const struct pt_param *params = check_pick(checker, schema, raw, &known);
    for (const struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_error error;
        if (!known || pt__schema_is_known_key(schema, params, child->key)) continue;
        pt_schema_unknown_key(&error, checker->yaml, schema, raw, child->key);
        PT__SAY(checker, child->key_place, "%s", error.message);
    }
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        if (!pt_schema_param(params, row->param.name)) check_row(checker, schema, map, row, raw);
    for (const struct pt_param *param = params; param && param->name; param = pt_group_next(param))
        check_param(checker, schema, map, param, raw);
    return map;
}

struct pt_yaml_node *pt__schema_check_value(struct pt__checker *checker, const struct pt_row *row,
                                            struct pt_yaml_node *raw)
{
    bool wants_list =
        row->shape == PT_SHAPE_LIST || row->shape == PT_SHAPE_PAIRS || row->shape == PT_SHAPE_JOBS;
    if (wants_list && raw->kind != PT_YAML_LIST) {
        PT__SAY(checker, raw->place, "'%s' must be a list, not %s", row->param.name,
                pt__schema_kind_text(raw));
        return NULL;
    }
    if (row->shape == PT_SHAPE_NAMED && raw->kind != PT_YAML_MAP) {
        PT__SAY(checker, raw->place, "'%s' must be a map (name: ...), not %s", row->param.name,
                pt__schema_kind_text(raw));
        return NULL;
    }
    switch (row->shape) {
    case PT_SHAPE_SCALAR:
        return pt__schema_check_scalar(checker, row, raw);
    case PT_SHAPE_MAP:
        return pt__schema_check_map(checker, row->child, raw);
    case PT_SHAPE_LIST:
        return pt__schema_check_list(checker, row, raw);
    case PT_SHAPE_PAIRS:
        return pt__schema_check_pairs(checker, row, raw);
    case PT_SHAPE_NAMED:
        return check_named(checker, row, raw);
    case PT_SHAPE_JOBS:
        return pt__schema_check_jobs(checker, row, raw);
    }
    return NULL;
}

enum pt_status pt_schema_check(struct pt_yaml_node **normal, struct pt_yaml *yaml,
                               const struct pt_schema *schema, struct pt_yaml_node *root,
                               const struct pt_catalog *catalog, struct pt_messages *messages)
{
    struct pt__checker checker = {.yaml = yaml, .messages = messages, .catalog = catalog};
    pt_trace_init(&checker.scratch);
    *normal = pt__schema_check_map(&checker, schema, root);
    pt_trace_fini(&checker.scratch);
    if (checker.no_memory) {
        pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){yaml->file, 0, 0},
                    "out of memory");
        return PT_ERR_MEMORY;
    }
    return checker.wrong || !*normal ? PT_ERR_INPUT : PT_OK;
}
