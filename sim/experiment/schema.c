#include "sim/experiment/schema.h"

#include <string.h>

#include "sim/experiment/group.h"
#include "sim/experiment/schema_parts.h"

const struct pt_row *pt_schema_row(const struct pt_schema *schema, const char *key)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        if (strcmp(row->param.name, key) == 0) return row;
    return NULL;
}

const struct pt_param *pt_schema_param(const struct pt_param *params, const char *key)
{
    for (; params && params->name; params++)
        if (pt_group_key(params) ? pt_group_has(params, key) : strcmp(params->name, key) == 0)
            return params;
    return NULL;
}

size_t pt__schema_find_pick(const struct pt_pick *pick, const char *name)
{
    size_t index = 0;
    while (pick->name(index) && strcmp(pick->name(index), name) != 0)
        index++;
    return index;
}

/* What a preset that the map names gives to a key; NULL = nothing. */
const char *pt__schema_preset_value(const struct pt_schema *schema, const struct pt_yaml_node *map,
                                    const char *key)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        const struct pt_yaml_node *named = row->presets ? pt_yaml_get(map, row->param.name) : NULL;
        const char *value =
            named && named->kind == PT_YAML_SCALAR ? row->presets->value(named->text, key) : NULL;
        if (value) return value;
    }
    return NULL;
}

/* The name that the map picks by its first key, by a preset or by default, known or not; NULL =
 * none. */
const char *pt__schema_pick_name(const struct pt_schema *schema, const struct pt_yaml_node *map)
{
    const struct pt_param *first = &schema->rows[0].param;
    const struct pt_yaml_node *chosen = pt_yaml_get(map, first->name);
    if (chosen) return chosen->kind == PT_YAML_SCALAR ? chosen->text : NULL;
    const char *preset = pt__schema_preset_value(schema, map, first->name);
    return preset ? preset : first->fallback;
}

const struct pt_param *pt_schema_params(const struct pt_schema *schema,
                                        const struct pt_yaml_node *map)
{
    if (!schema->pick) return NULL;
    const char *name = pt__schema_pick_name(schema, map);
    size_t index = name ? pt__schema_find_pick(schema->pick, name) : 0;
    return name && schema->pick->name(index) ? schema->pick->params(index) : NULL;
}

enum pt_status pt_schema_open(struct pt_yaml *yaml, const struct pt_schema *schema,
                              struct pt_yaml_node *node)
{
    bool stands_alone = !pt_yaml_is_nothing(node) || schema->rows[0].flags & PT_ROW_NULLABLE;
    if (node->kind == PT_YAML_SCALAR && schema->scalar_first && stands_alone) {
        struct pt_yaml_node *first =
            pt_yaml_new_scalar(yaml, node->place, node->text, node->length);
        if (!first) return PT_ERR_MEMORY;
        first->quoted = node->quoted;
        first->key = schema->rows[0].param.name;
        node->kind = PT_YAML_MAP;
        node->text = NULL;
        node->length = 0;
        pt_yaml_append(node, first);
    }
    if (node->kind != PT_YAML_MAP) return PT_OK;
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        if (!(row->flags & PT_ROW_SHORT)) continue;
        struct pt_yaml_node *value = pt_yaml_get(node, row->param.name);
        if (!value || node->count > 1) continue; /* beside other keys it is an error */
        if (!row->expand(yaml, node, value)) return PT_ERR_MEMORY;
        pt_yaml_remove(node, value);
    }
    return PT_OK;
}

struct pt_value *pt_schema_values(struct pt_yaml *yaml, const struct pt_param *params,
                                  const struct pt_yaml_node *map)
{
    size_t count = 0;
    while (params && params[count].name)
        count++;
    struct pt_value *values = pt_arena_alloc(&yaml->arena, count, sizeof *values);
    if (!values) return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *key = pt_group_key(&params[i]), *name = params[i].name;
        const struct pt_yaml_node *inner = map;
        if (key && map) { /* of a map in the map */
            for (inner = map->first; inner && !pt_group_has(&params[i], inner->key);)
                inner = inner->next;
            name = key;
        }
        const struct pt_yaml_node *node = inner ? pt_yaml_get(inner, name) : NULL;
        if (node) values[i] = node->value;
    }
    return values;
}
