#include "sim/experiment/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "partita/trace.h"
#include "sim/experiment/group.h"

#define STEPS_MAX 16

/* One step of a path: a key behind a dot, or what stands in brackets. */
struct step {
    const char *text; /* NUL-terminated, in the arena */
    bool bracket;
};

struct setter {
    struct pt_yaml *yaml;
    struct pt_messages *messages;
    struct pt_yaml_place place; /* the argument */
    struct step steps[STEPS_MAX];
    unsigned count;
    const char *value;
};

/* Says it and answers PT_ERR_INPUT. */
#define REFUSE(setter, ...)                                                                        \
    (pt_yaml_say(NULL, (setter)->messages, false, (setter)->place, __VA_ARGS__), PT_ERR_INPUT)

static enum pt_status out_of_memory(const struct setter *setter)
{
    pt_yaml_say(NULL, setter->messages, false, setter->place, "out of memory");
    return PT_ERR_MEMORY;
}

/* ---- the argument ---- */

/* Reads one step that begins at `at`; *end is behind it. */
static enum pt_status parse_step(struct setter *setter, const char *at, const char **end)
{
    bool bracket = *at == '[';
    size_t length = bracket ? strcspn(at + 1, "]") : strcspn(at, ".[=");
    const char *text = bracket ? at + 1 : at;
    if (bracket && text[length] != ']') return REFUSE(setter, "a '[' without its ']'");
    if (length == 0) return REFUSE(setter, "an empty step in the path");
    if (setter->count == STEPS_MAX)
        return REFUSE(setter, "a path of more than %d steps", STEPS_MAX);
    struct step *step = &setter->steps[setter->count++];
    step->bracket = bracket;
    step->text = pt_arena_text(&setter->yaml->arena, text, length);
    *end = text + length + (bracket ? 1 : 0);
    return step->text ? PT_OK : out_of_memory(setter);
}

static enum pt_status parse_argument(struct setter *setter, const char *argument)
{
    const char *at = argument;
    if (*at == '[') return REFUSE(setter, "a path begins with a key");
    PT_TRY(parse_step(setter, at, &at));
    while (*at != '=') {
        if (*at == '\0') return REFUSE(setter, "must be PATH=VALUE");
        if (*at == '.')
            at++;
        else if (*at != '[')
            return REFUSE(setter, "a ']' is followed by '.', '[' or '='");
        if (*at == '[' && at[-1] == '.') return REFUSE(setter, "an empty step in the path");
        PT_TRY(parse_step(setter, at, &at));
    }
    setter->value = at + 1;
    return PT_OK;
}

/* ---- the value ---- */

/* Gives every node of a tree the argument's place. */
static void move_to_argument(const struct setter *setter, struct pt_yaml_node *node)
{
    node->place = node->key_place = setter->place;
    for (struct pt_yaml_node *child = node->first; child; child = child->next)
        move_to_argument(setter, child);
}

/* The value as YAML, for maps and lists. Errors name the argument, not a line in it. */
static enum pt_status parse_tree(struct setter *setter, struct pt_yaml_node **out)
{
    struct pt_yaml text;
    struct pt_messages messages;
    pt_yaml_init(&text);
    pt_messages_init(&messages);
    enum pt_status status =
        pt_yaml_parse(&text, "", setter->value, strlen(setter->value), &messages);
    for (unsigned i = 0; i < messages.count; i++)
        (void)REFUSE(setter, "%.200s", messages.list[i].error.message);
    if (status == PT_OK && text.first_document->next)
        status = REFUSE(setter, "the value holds several documents");
    if (status == PT_OK) {
        *out = pt_yaml_copy_node(setter->yaml, text.first_document);
        if (!*out)
            status = out_of_memory(setter);
        else
            move_to_argument(setter, *out);
    }
    pt_messages_fini(&messages);
    pt_yaml_fini(&text);
    return status;
}

/* A node of the value: the text as it is for a scalar, else YAML. Words may be either. */
static enum pt_status make_value(struct setter *setter, const struct pt_row *row, const char *key,
                                 struct pt_yaml_node **out)
{
    bool list = row && row->param.type == PT_PARAM_WORDS && setter->value[0] == '[';
    if (!row || (row->shape == PT_SHAPE_SCALAR && !list)) {
        *out =
            pt_yaml_new_scalar(setter->yaml, setter->place, setter->value, strlen(setter->value));
        if (!*out) return out_of_memory(setter);
    } else {
        PT_TRY(parse_tree(setter, out));
    }
    (*out)->key = key;
    return PT_OK;
}

static enum pt_status put(struct setter *setter, struct pt_yaml_node *map, const struct pt_row *row,
                          const char *key)
{
    struct pt_yaml_node *value, *old = pt_yaml_get(map, key);
    PT_TRY(make_value(setter, row, key, &value));
    if (old)
        pt_yaml_replace(map, old, value);
    else
        pt_yaml_append(map, value);
    return PT_OK;
}

/* ---- the path ---- */

static enum pt_status set_in_map(struct setter *setter, const struct pt_schema *schema,
                                 struct pt_yaml_node *map, unsigned at);

/* The child of this key, made as an empty map or list where it is absent; NULL: no memory. */
static struct pt_yaml_node *get_or_make(struct setter *setter, struct pt_yaml_node *map,
                                        const char *key, enum pt_yaml_kind kind)
{
    struct pt_yaml_node *child = pt_yaml_get(map, key);
    if (child) return child;
    child = pt_yaml_new(setter->yaml, kind, setter->place);
    if (!child) return NULL;
    child->key = key;
    pt_yaml_append(map, child);
    return child;
}

/* The element that a step in brackets means: an index, or the value of the list's unique key. */
static struct pt_yaml_node *find_element(const struct pt_yaml_node *list, const char *unique,
                                         const char *step)
{
    struct pt_error ignored;
    struct pt_yaml_node *child = list->first;
    int64_t index;
    if (strspn(step, "0123456789") == strlen(step)) {
        if (pt_parse_int(&index, step, strlen(step), 0, INT64_MAX, &ignored) != PT_OK) return NULL;
        while (child && index-- > 0)
            child = child->next;
        return child;
    }
    for (; child && unique; child = child->next) {
        const struct pt_yaml_node *name = pt_yaml_get(child, unique);
        if (name && name->kind == PT_YAML_SCALAR && strcmp(name->text, step) == 0) return child;
    }
    return NULL;
}

static enum pt_status unknown_element(struct setter *setter, const struct pt_yaml_node *list,
                                      const char *key, const char *unique, const char *step)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, step, strlen(step));
    for (const struct pt_yaml_node *child = list->first; child && unique; child = child->next) {
        const struct pt_yaml_node *name = pt_yaml_get(child, unique);
        if (name && name->kind == PT_YAML_SCALAR) pt_suggest_offer(&near, name->text);
    }
    if (near.best)
        return REFUSE(setter, "'%s' has no element '%.64s' (did you mean '%.64s'?)", key, step,
                      near.best);
    return REFUSE(setter, "'%s' has %u element%s, none of them '%.64s'", key, (unsigned)list->count,
                  list->count == 1 ? "" : "s", step);
}

/* Steps into a list: `at` is the bracket. */
static enum pt_status set_in_list(struct setter *setter, const struct pt_row *row,
                                  struct pt_yaml_node *list, unsigned at)
{
    const char *key = setter->steps[at - 1].text;
    bool jobs = row->shape == PT_SHAPE_JOBS;
    const char *unique = jobs ? "id" : row->child->unique;
    if (row->shape == PT_SHAPE_PAIRS) return REFUSE(setter, "'%s' can only be set as a whole", key);
    if (!setter->steps[at].bracket)
        return REFUSE(setter, "'%s' is a list: name an element, %s[0]%s", key, key,
                      unique ? " or by its name" : "");
    if (list->kind != PT_YAML_LIST) return REFUSE(setter, "'%s' has no elements to set", key);
    struct pt_yaml_node *element = find_element(list, unique, setter->steps[at].text);
    if (!element) return unknown_element(setter, list, key, unique, setter->steps[at].text);
    if (element->kind != PT_YAML_MAP || at + 1 == setter->count)
        return REFUSE(setter, "only a key of '%s[%.64s]' can be set", key, setter->steps[at].text);
    if (!jobs) return set_in_map(setter, row->child, element, at + 1);
    if (at + 2 != setter->count || setter->steps[at + 1].bracket)
        return REFUSE(setter, "a job has columns and nothing inside them");
    return put(setter, element, NULL, setter->steps[at + 1].text);
}

/* Steps into a map with free names: `at` is the name. */
static enum pt_status set_in_named(struct setter *setter, const struct pt_row *row,
                                   struct pt_yaml_node *map, unsigned at)
{
    const char *name = setter->steps[at].text;
    const struct pt_row whole = {.shape = PT_SHAPE_MAP};
    if (map->kind != PT_YAML_MAP)
        return REFUSE(setter, "'%s' is no map", setter->steps[at - 1].text);
    if (at + 1 == setter->count) return put(setter, map, row->child ? &whole : NULL, name);
    if (!row->child) return REFUSE(setter, "'%.64s' is a single value", name);
    struct pt_yaml_node *child = get_or_make(setter, map, name, PT_YAML_MAP);
    if (!child) return out_of_memory(setter);
    return set_in_map(setter, row->child, child, at + 1);
}

static enum pt_status unknown_key(struct setter *setter, const struct pt_schema *schema,
                                  const struct pt_yaml_node *map, const char *key)
{
    struct pt_error error;
    pt_schema_unknown_key(&error, setter->yaml, schema, map, key);
    return REFUSE(setter, "%s", error.message);
}

/* A parameter as a row: `own`, or of a map of parameters the group's. */
static const struct pt_row *row_of_param(struct pt_row *own, struct pt_group *group,
                                         const struct pt_param *param)
{
    if (pt_group_key(param)) {
        pt_group_make(group, param);
        return &group->row;
    }
    *own = (struct pt_row){.param = *param, .shape = PT_SHAPE_SCALAR};
    return own;
}

/* Whether a key says what the parameter's default says. */
static bool is_default(const struct pt_param *param, const struct pt_yaml_node *value)
{
    const char *rest = param->fallback;
    if (!value || !rest || value->kind == PT_YAML_MAP) return false;
    if (value->kind == PT_YAML_SCALAR) return strcmp(value->text, rest) == 0;
    for (const struct pt_yaml_node *word = value->first; word; word = word->next) {
        size_t length = strcspn(rest, ",");
        if (word->kind != PT_YAML_SCALAR || word->length != length ||
            memcmp(word->text, rest, length) != 0)
            return false;
        rest += length;
        rest += *rest == ',' && word->next;
    }
    return *rest == '\0';
}

/* Takes out of a map what says no more than the defaults of these parameters. */
static void drop_defaults(struct pt_yaml_node *map, const struct pt_param *params)
{
    for (const struct pt_param *param = params; param && param->name; param++) {
        struct pt_yaml_node *holder = map;
        const char *key = pt_group_key(param);
        if (key) /* of a map in the map */
            for (holder = map->first; holder && !pt_group_has(param, holder->key);)
                holder = holder->next;
        struct pt_yaml_node *value = holder ? pt_yaml_get(holder, key ? key : param->name) : NULL;
        if (is_default(param, value)) pt_yaml_remove(holder, value);
        if (key && holder && holder->kind == PT_YAML_MAP && holder->count == 0)
            pt_yaml_remove(map, holder);
    }
}

/* Another name of a pick is about to be put in place. */
static void swap(const struct setter *setter, const struct pt_schema *schema,
                 struct pt_yaml_node *map)
{
    const char *first = schema->rows[0].param.name;
    const struct pt_yaml_node *old = pt_yaml_get(map, first);
    const char *name = old && old->kind == PT_YAML_SCALAR ? old->text : NULL;
    if (!name || strcmp(name, setter->value) != 0)
        drop_defaults(map, pt_schema_params(schema, map));
}

/* Sets the rest of the path, from step `at`, in a map. */
static enum pt_status set_in_map(struct setter *setter, const struct pt_schema *schema,
                                 struct pt_yaml_node *map, unsigned at)
{
    const char *key = setter->steps[at].text;
    if (pt_schema_open(setter->yaml, schema, map) != PT_OK) return out_of_memory(setter);
    if (pt_yaml_is_nothing(map)) { /* `sla:` with nothing behind it */
        map->kind = PT_YAML_MAP;
        map->text = NULL;
        map->length = 0;
    }
    if (map->kind != PT_YAML_MAP)
        return REFUSE(setter, "'%.64s' can't be set: the %s is no map", key, schema->name);
    if (setter->steps[at].bracket)
        return REFUSE(setter, "'%.64s' in brackets: %s is no list", key, schema->name);
    struct pt_group group;
    struct pt_row own;
    const struct pt_param *param = pt_schema_param(pt_schema_params(schema, map), key);
    const struct pt_row *row =
        param ? row_of_param(&own, &group, param) : pt_schema_row(schema, key);
    if (!row) return unknown_key(setter, schema, map, key);
    if (at + 1 == setter->count) {
        if (row->flags & PT_ROW_SHORT) { /* it stands for everything beside it */
            map->first = map->last = NULL;
            map->count = 0;
        }
        if (schema->pick && schema->pick->swaps && row == &schema->rows[0])
            swap(setter, schema, map);
        return put(setter, map, row, key);
    }
    if (row->shape == PT_SHAPE_SCALAR)
        return REFUSE(setter, "'%.64s' is a single value: nothing is inside it", key);
    bool is_map = row->shape == PT_SHAPE_MAP || row->shape == PT_SHAPE_NAMED;
    struct pt_yaml_node *child = get_or_make(setter, map, key, is_map ? PT_YAML_MAP : PT_YAML_LIST);
    if (!child) return out_of_memory(setter);
    if (row->shape == PT_SHAPE_MAP) return set_in_map(setter, row->child, child, at + 1);
    if (row->shape == PT_SHAPE_NAMED) return set_in_named(setter, row, child, at + 1);
    return set_in_list(setter, row, child, at + 1);
}

static enum pt_status apply(struct setter *setter, const struct pt_schema *schema,
                            struct pt_yaml_node *root, const char *argument)
{
    size_t size = strlen(argument) + sizeof "--set ";
    char *name = pt_arena_alloc(&setter->yaml->arena, size, 1);
    if (!name) return out_of_memory(setter);
    snprintf(name, size, "--set %s", argument);
    setter->place = (struct pt_yaml_place){name, 0, 0};
    if (!pt_yaml_is_text(argument, strlen(argument))) return REFUSE(setter, "is not UTF-8 text");
    PT_TRY(parse_argument(setter, argument));
    return set_in_map(setter, schema, root, 0);
}

enum pt_status pt_set_apply(struct pt_yaml *yaml, struct pt_yaml_node *root,
                            const struct pt_schema *schema, const char *const *sets, size_t count,
                            struct pt_messages *messages)
{
    enum pt_status worst = PT_OK;
    for (size_t i = 0; i < count; i++) {
        struct setter setter = {.yaml = yaml, .messages = messages, .place = {"--set", 0, 0}};
        enum pt_status status = apply(&setter, schema, root, sets[i]);
        if (status == PT_ERR_MEMORY) return status;
        if (status != PT_OK) worst = status;
    }
    return worst;
}
