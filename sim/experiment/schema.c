#include "sim/experiment/schema.h"

#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "partita/trace.h"
#include "sim/experiment/group.h"
#include "sim/experiment/scalar.h"

struct checker {
    struct pt_yaml *yaml;
    struct pt_messages *messages;
    const struct pt_catalog *catalog;
    struct pt_trace scratch; /* one row, to try the cells of a job in */
    bool wrong, no_memory;
};

static struct pt_yaml_node *check_value(struct checker *checker, const struct pt_row *row,
                                        struct pt_yaml_node *raw);
static struct pt_yaml_node *check_map(struct checker *checker, const struct pt_schema *schema,
                                      struct pt_yaml_node *raw);

#define SAY(checker, place, ...)                                                                   \
    do {                                                                                           \
        (checker)->wrong = true;                                                                   \
        pt_yaml_say((checker)->yaml, (checker)->messages, false, (place), __VA_ARGS__);            \
    } while (0)

static const char *kind_text(const struct pt_yaml_node *node)
{
    if (pt_yaml_is_nothing(node)) return "nothing";
    return node->kind == PT_YAML_MAP    ? "a map"
           : node->kind == PT_YAML_LIST ? "a list"
                                        : "a single value";
}

/* A new node that stands where `raw` does, under the same key. NULL when memory is out. */
static struct pt_yaml_node *twin(struct checker *checker, enum pt_yaml_kind kind,
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

static size_t find_pick(const struct pt_pick *pick, const char *name)
{
    size_t index = 0;
    while (pick->name(index) && strcmp(pick->name(index), name) != 0)
        index++;
    return index;
}

/* What a preset that the map names gives to a key; NULL = nothing. */
static const char *preset_value(const struct pt_schema *schema, const struct pt_yaml_node *map,
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
static const char *pick_name(const struct pt_schema *schema, const struct pt_yaml_node *map)
{
    const struct pt_param *first = &schema->rows[0].param;
    const struct pt_yaml_node *chosen = pt_yaml_get(map, first->name);
    if (chosen) return chosen->kind == PT_YAML_SCALAR ? chosen->text : NULL;
    const char *preset = preset_value(schema, map, first->name);
    return preset ? preset : first->fallback;
}

const struct pt_param *pt_schema_params(const struct pt_schema *schema,
                                        const struct pt_yaml_node *map)
{
    if (!schema->pick) return NULL;
    const char *name = pick_name(schema, map);
    size_t index = name ? find_pick(schema->pick, name) : 0;
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

/* ---- scalars ---- */

static const char *label(const struct pt_row *row, const struct pt_yaml_node *raw)
{
    return raw->key ? raw->key : row->param.name;
}

/* Appends the words of a text with commas between them to a normal list. */
static bool split_words(struct checker *checker, const struct pt_row *row,
                        const struct pt_yaml_node *raw, struct pt_yaml_node *list)
{
    const char *at = raw->text;
    if (raw->length == 0) return true;
    for (bool more = true; more;) {
        size_t length = strcspn(at, ",");
        const char *begin = at + strspn(at, " ");
        const char *end = at + length;
        more = *end == ',';
        at = end + 1;
        while (end > begin && end[-1] == ' ')
            end--;
        if (end <= begin) {
            SAY(checker, raw->place, "%.64s: '%.64s' has an empty word", label(row, list),
                raw->text);
            return false;
        }
        struct pt_yaml_node *word =
            pt_yaml_new_scalar(checker->yaml, raw->place, begin, (size_t)(end - begin));
        if (!word) {
            checker->no_memory = true;
            return false;
        }
        word->quoted = pt_scalar_needs_quotes(word->text, word->length);
        pt_yaml_append(list, word);
    }
    return true;
}

/* The words of a normal list with commas between them; NULL when memory is out. */
static const char *join_words(struct checker *checker, const struct pt_yaml_node *list)
{
    size_t size = 1, used = 0;
    for (const struct pt_yaml_node *word = list->first; word; word = word->next)
        size += word->length + 1;
    char *text = pt_arena_alloc(&checker->yaml->arena, size, 1);
    if (!text) {
        checker->no_memory = true;
        return NULL;
    }
    text[0] = '\0';
    for (const struct pt_yaml_node *word = list->first; word; word = word->next) {
        if (used > 0) text[used++] = ',';
        memcpy(text + used, word->text, word->length + 1);
        used += word->length;
    }
    return text;
}

/* A word, or a list of none or several, of the normal tree. */
static struct pt_yaml_node *check_words(struct checker *checker, const struct pt_row *row,
                                        const struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = twin(checker, PT_YAML_LIST, raw);
    if (!list) return NULL;
    list->on_one_line = true;
    bool fine = raw->kind == PT_YAML_LIST || split_words(checker, row, raw, list);
    for (const struct pt_yaml_node *child = raw->first; fine && child; child = child->next) {
        fine = child->kind == PT_YAML_SCALAR && child->length > 0 && !pt_yaml_is_nothing(child);
        if (!fine)
            SAY(checker, child->place, "'%.64s' must hold words, not %s", label(row, raw),
                child->kind == PT_YAML_SCALAR ? "nothing" : kind_text(child));
        fine = fine && split_words(checker, row, child, list);
    }
    if (fine && list->count == 0 && row->param.min) {
        SAY(checker, raw->place, "'%.64s' is empty", label(row, raw));
        fine = false;
    }
    const char *joined = fine ? join_words(checker, list) : NULL;
    if (!joined) return NULL;
    struct pt_yaml_node *node = list;
    if (list->count == 1) {
        node = list->first;
        node->key = raw->key;
        node->key_place = raw->key_place;
    }
    node->value.text = joined;
    return node;
}

/* A scalar of the normal tree; `raw` says where it stands. */
static struct pt_yaml_node *check_scalar(struct checker *checker, const struct pt_row *row,
                                         const struct pt_yaml_node *raw)
{
    const struct pt_param *param = &row->param;
    bool nothing = pt_yaml_is_nothing(raw) && !(row->flags & PT_ROW_NULLABLE);
    bool words = param->type == PT_PARAM_WORDS && raw->kind != PT_YAML_MAP && !nothing;
    if (words) return check_words(checker, row, raw);
    if (raw->kind != PT_YAML_SCALAR || nothing) {
        SAY(checker, raw->place, "'%.64s' must be %s, not %s", label(row, raw),
            pt_scalar_type_text(param->type), kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *node = twin(checker, PT_YAML_SCALAR, raw);
    if (!node) return NULL;
    node->text = raw->text;
    node->length = raw->length;
    if (pt_yaml_is_nothing(raw)) {
        node->text = "null";
        node->length = 4;
        return node;
    }
    node->quoted = param->type == PT_PARAM_TEXT && pt_scalar_needs_quotes(raw->text, raw->length);
    struct pt_error error;
    bool fine = pt_scalar_parse(&node->value, param, raw->text, raw->length, &error) == PT_OK;
    if (fine && row->verify && checker->catalog)
        fine = row->verify(checker->catalog, raw->text, &error);
    if (fine) return node;
    if (row->explain && row->explain(raw->text, &error))
        SAY(checker, raw->place, "%s", error.message);
    else
        SAY(checker, raw->place, "%.64s: '%.64s' %s", label(row, raw), raw->text, error.message);
    return NULL;
}

/* The row's default as a node of the normal tree, at the place of the map that lacks it. */
static struct pt_yaml_node *add_default(struct checker *checker, const struct pt_row *row,
                                        const struct pt_yaml_node *map)
{
    const char *text = row->param.fallback;
    bool is_scalar = row->shape == PT_SHAPE_SCALAR || text[0] != '\0';
    enum pt_yaml_kind kind = is_scalar ? PT_YAML_SCALAR
                             : row->shape == PT_SHAPE_MAP || row->shape == PT_SHAPE_NAMED
                                 ? PT_YAML_MAP
                                 : PT_YAML_LIST;
    struct pt_yaml_node *raw = pt_yaml_new(checker->yaml, kind, map->place);
    if (!raw) {
        checker->no_memory = true;
        return NULL;
    }
    raw->key = row->param.name;
    raw->quoted = is_scalar; /* so that an empty text is a value */
    raw->text = is_scalar ? text : NULL;
    raw->length = is_scalar ? strlen(text) : 0;
    return check_value(checker, row, raw);
}

/* ---- lists ---- */

static bool count_fits(struct checker *checker, const struct pt_row *row,
                       const struct pt_yaml_node *raw)
{
    unsigned long least = row->param.min ? strtoul(row->param.min, NULL, 10) : 0;
    unsigned long most = row->param.max ? strtoul(row->param.max, NULL, 10) : UINT32_MAX;
    if (raw->count >= least && raw->count <= most) return true;
    if (raw->count < least)
        SAY(checker, raw->place, "'%.64s' has %u elements: at least %lu", label(row, raw),
            (unsigned)raw->count, least);
    else
        SAY(checker, raw->place, "'%.64s' has %u elements: at most %lu", label(row, raw),
            (unsigned)raw->count, most);
    return false;
}

static int by_text(const void *a, const void *b)
{
    const struct pt_yaml_node *left = *(struct pt_yaml_node *const *)a;
    const struct pt_yaml_node *right = *(struct pt_yaml_node *const *)b;
    int order = strcmp(left->text, right->text);
    if (order != 0) return order;
    if (left->place.line != right->place.line) return left->place.line < right->place.line ? -1 : 1;
    return (left->place.column > right->place.column) - (left->place.column < right->place.column);
}

/* Says which elements of a normal list share the value of the key that tells them apart. */
static void check_unique(struct checker *checker, const struct pt_schema *schema,
                         const struct pt_yaml_node *list)
{
    if (!schema->unique || list->count < 2) return;
    struct pt_yaml_node **names =
        pt_arena_alloc(&checker->yaml->arena, list->count, sizeof(struct pt_yaml_node *));
    size_t count = 0;
    if (!names) {
        checker->no_memory = true;
        return;
    }
    for (const struct pt_yaml_node *child = list->first; child; child = child->next) {
        struct pt_yaml_node *name = pt_yaml_get(child, schema->unique);
        if (name && name->place.line > 0) names[count++] = name;
    }
    qsort(names, count, sizeof(struct pt_yaml_node *), by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1]->text, names[i]->text) == 0)
            SAY(checker, names[i]->place, "a second %s with the %s '%.64s' (first on line %u)",
                schema->name, schema->unique, names[i]->text, (unsigned)names[i - 1]->place.line);
}

static struct pt_yaml_node *check_list(struct checker *checker, const struct pt_row *row,
                                       struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = twin(checker, PT_YAML_LIST, raw);
    if (!list || !count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal = check_map(checker, row->child, child);
        if (normal) pt_yaml_append(list, normal);
    }
    check_unique(checker, row->child, list);
    return list;
}

/* One pair: the rows of the child, in order. */
static struct pt_yaml_node *check_pair(struct checker *checker, const struct pt_schema *schema,
                                       struct pt_yaml_node *raw)
{
    uint32_t wanted = 0;
    while (schema->rows[wanted].param.name)
        wanted++;
    if (raw->kind != PT_YAML_LIST || raw->count != wanted) {
        SAY(checker, raw->place, "a %s must be a list of %u values: [%s, %s]", schema->name,
            (unsigned)wanted, schema->rows[0].param.name, schema->rows[1].param.name);
        return NULL;
    }
    struct pt_yaml_node *pair = twin(checker, PT_YAML_LIST, raw);
    if (!pair) return NULL;
    pair->on_one_line = true;
    const struct pt_row *row = schema->rows;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next, row++) {
        struct pt_yaml_node *normal = check_scalar(checker, row, child);
        if (normal) pt_yaml_append(pair, normal);
    }
    return pair;
}

static struct pt_yaml_node *check_pairs(struct checker *checker, const struct pt_row *row,
                                        struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = twin(checker, PT_YAML_LIST, raw);
    if (!list || !count_fits(checker, row, raw)) return NULL;
    list->on_one_line = true;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal = check_pair(checker, row->child, child);
        if (normal) pt_yaml_append(list, normal);
    }
    return list;
}

/* ---- jobs in the file ---- */

static void unknown_column(struct checker *checker, const struct pt_yaml_node *cell)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, cell->key, strlen(cell->key));
    for (int i = 0; i < PT_COLUMN_COUNT_; i++)
        pt_suggest_offer(&near, pt_columns[i].name);
    if (near.best)
        SAY(checker, cell->key_place, "unknown key '%.64s' (did you mean '%s'?)", cell->key,
            near.best);
    else
        SAY(checker, cell->key_place,
            "unknown key '%.64s': no column of a trace (one of your own begins with x_)",
            cell->key);
}

/* Tries the cell in the scratch row, so that what is wrong is said with everything else. */
static bool try_cell(struct checker *checker, enum pt_column_id column,
                     const struct pt_yaml_node *cell)
{
    struct pt_error error;
    enum pt_status status =
        pt_trace_set(&checker->scratch, 0, column, cell->text, cell->length, &error);
    if (status == PT_ERR_MEMORY) checker->no_memory = true;
    if (status == PT_ERR_INPUT) SAY(checker, cell->place, "%s", error.message);
    return status == PT_OK;
}

static struct pt_yaml_node *check_cell(struct checker *checker, const struct pt_yaml_node *raw)
{
    enum pt_column_id column = pt_column_find(raw->key, strlen(raw->key));
    if (column == PT_COLUMN_COUNT_ && strncmp(raw->key, "x_", 2) != 0) {
        unknown_column(checker, raw);
        return NULL;
    }
    if (raw->kind != PT_YAML_SCALAR) {
        SAY(checker, raw->place, "'%.64s' must be a single value, not %s", raw->key,
            kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *cell = twin(checker, PT_YAML_SCALAR, raw);
    if (!cell) return NULL;
    bool empty = pt_yaml_is_nothing(raw); /* as an empty field of a CSV file: the default */
    cell->text = empty ? "" : raw->text;
    cell->length = empty ? 0 : raw->length;
    bool is_text = column == PT_COLUMN_COUNT_ || pt_columns[column].type == PT_COLUMN_WORD ||
                   pt_columns[column].type == PT_COLUMN_TEXT;
    cell->quoted = is_text && pt_scalar_needs_quotes(cell->text, cell->length);
    return column == PT_COLUMN_COUNT_ || try_cell(checker, column, cell) ? cell : NULL;
}

/* What only the whole row tells, once its cells are fine. */
static void try_row(struct checker *checker, const struct pt_yaml_node *job)
{
    struct pt_error error;
    enum pt_column_id column = PT_COLUMN_COUNT_;
    if (pt_trace_check_row(&checker->scratch, 0, &column, &error) == PT_OK) return;
    const char *name = column < PT_COLUMN_COUNT_ ? pt_columns[column].name : "";
    const struct pt_yaml_node *cell = pt_yaml_get(job, name);
    SAY(checker, cell ? cell->place : job->place, "%s", error.message);
}

static struct pt_yaml_node *check_job(struct checker *checker, const struct pt_yaml_node *job)
{
    struct pt_error error;
    pt_job row;
    if (job->kind != PT_YAML_MAP) {
        SAY(checker, job->place, "a job must be a map (id: a, submit_s: 0, ...), not %s",
            kind_text(job));
        return NULL;
    }
    struct pt_yaml_node *normal = twin(checker, PT_YAML_MAP, job);
    if (!normal || pt_trace_add(&checker->scratch, &row, &error) != PT_OK) {
        checker->no_memory = true;
        return NULL;
    }
    normal->on_one_line = true;
    for (struct pt_yaml_node *child = job->first; child; child = child->next) {
        struct pt_yaml_node *cell = check_cell(checker, child);
        if (cell) pt_yaml_append(normal, cell);
    }
    if (normal->count == job->count) try_row(checker, job);
    pt_trace_drop_last(&checker->scratch);
    return normal;
}

static struct pt_yaml_node *check_jobs(struct checker *checker, const struct pt_row *row,
                                       struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = twin(checker, PT_YAML_LIST, raw);
    if (!list || !count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *job = raw->first; job; job = job->next) {
        struct pt_yaml_node *normal = check_job(checker, job);
        if (normal) pt_yaml_append(list, normal);
    }
    return list;
}

/* ---- maps ---- */

static struct pt_yaml_node *check_named(struct checker *checker, const struct pt_row *row,
                                        struct pt_yaml_node *raw)
{
    struct pt_yaml_node *map = twin(checker, PT_YAML_MAP, raw);
    if (!map || !count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal =
            row->child ? check_map(checker, row->child, child) : check_scalar(checker, row, child);
        if (normal) pt_yaml_append(map, normal);
    }
    return map;
}

/* The names of a pick that have this key, as text: "'a', 'b' and 'c'"; "" = none has it. */
static unsigned owners(const struct pt_pick *pick, const char *key, char *text, size_t size)
{
    unsigned count = 0, told = 0;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; pick && pick->name(i); i++)
        if (pt_schema_param(pick->params(i), key)) count++;
    for (size_t i = 0; pick && pick->name(i) && used < size; i++) {
        if (!pt_schema_param(pick->params(i), key)) continue;
        const char *gap = told == 0 ? "" : told + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", gap, pick->name(i));
        told++;
    }
    return count;
}

/* Offers the keys of a table of parameters. */
static void offer_params(struct pt_suggestion *near, struct pt_yaml *yaml,
                         const struct pt_param *params)
{
    for (const struct pt_param *param = params; param && param->name;
         param = pt_group_next(param)) {
        const char *key = param->name;
        if (pt_group_key(param))
            key = pt_arena_text(&yaml->arena, key, (size_t)(pt_group_key(param) - 1 - key));
        pt_suggest_offer(near, key);
    }
}

static const char *nearest_key(struct pt_yaml *yaml, const struct pt_schema *schema,
                               const struct pt_param *params, const char *key)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, key, strlen(key));
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        pt_suggest_offer(&near, row->param.name);
    offer_params(&near, yaml, params);
    if (near.best) return near.best;
    for (; params && params->name; params++) /* a key of a map of parameters, but not in it */
        if (pt_group_key(params) && strcmp(pt_group_key(params), key) == 0) return params->name;
    return NULL;
}

static const char *nearest_of_others(struct pt_yaml *yaml, const struct pt_pick *pick,
                                     const char *key)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, key, strlen(key));
    for (size_t i = 0; pick && pick->name(i); i++)
        offer_params(&near, yaml, pick->params(i));
    return near.best;
}

void pt_schema_unknown_key(struct pt_error *error, struct pt_yaml *yaml,
                           const struct pt_schema *schema, const struct pt_yaml_node *map,
                           const char *key)
{
    char names[120];
    const struct pt_pick *pick = schema->pick;
    const struct pt_param *params = pt_schema_params(schema, map);
    const char *chosen = pick ? pick_name(schema, map) : NULL;
    const char *near = nearest_key(yaml, schema, params, key);
    const char *others = near ? NULL : nearest_of_others(yaml, pick, key);
    unsigned count = owners(pick, key, names, sizeof names);
    for (const struct pt_param *param = params; param && param->name; param++) {
        if (strcmp(param->name, key) != 0) continue;
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s': write %.*s: {%s: ...}", key,
                      (int)strcspn(key, "."), key, pt_group_key(param));
        return;
    }
    if (count > 0 && chosen)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' of %s '%s': %s %s it", key,
                      pick->noun, chosen, names, count > 1 ? "have" : "has");
    else if (count > 0)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s': %s %s %s it", key, pick->noun,
                      names, count > 1 ? "have" : "has");
    else if (near)
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' (did you mean '%s'?)", key, near);
    else if (others && chosen) {
        count = owners(pick, others, names, sizeof names);
        (void)pt_fail(error, PT_ERR_INPUT,
                      "unknown key '%.64s' of %s '%s' (did you mean '%s'? %s %s it)", key,
                      pick->noun, chosen, others, names, count > 1 ? "have" : "has");
    } else
        (void)pt_fail(error, PT_ERR_INPUT, "unknown key '%.64s' of %s", key, schema->name);
}

static bool is_known_key(const struct pt_schema *schema, const struct pt_param *params,
                         const char *key)
{
    return pt_schema_param(params, key) || pt_schema_row(schema, key);
}

/* A missing key that is there but misspelt is one mistake, not two. */
static void missing_key(struct checker *checker, const struct pt_schema *schema,
                        const struct pt_yaml_node *raw, const char *key)
{
    const struct pt_param *params = pt_schema_params(schema, raw);
    for (const struct pt_yaml_node *child = raw->first; child; child = child->next) {
        if (is_known_key(schema, params, child->key)) continue;
        const char *near = nearest_key(checker->yaml, schema, params, child->key);
        if (near && strcmp(near, key) == 0) return;
    }
    SAY(checker, raw->place, "missing key '%s'", key);
}

/* The key whose presets have this name, or NULL. */
static const char *preset_key(const struct pt_schema *schema, const char *name)
{
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        for (size_t i = 0; row->presets && row->presets->name(i); i++)
            if (strcmp(row->presets->name(i), name) == 0) return row->param.name;
    return NULL;
}

static void unknown_pick(struct checker *checker, const struct pt_schema *schema,
                         const struct pt_yaml_node *chosen)
{
    const struct pt_pick *pick = schema->pick;
    const char *preset = preset_key(schema, chosen->text);
    char known[256] = "";
    size_t used = 0;
    struct pt_suggestion near;
    pt_suggest_begin(&near, chosen->text, chosen->length);
    for (size_t i = 0; pick->name(i); i++) {
        pt_suggest_offer(&near, pick->name(i));
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                     pick->name(i));
    }
    if (preset)
        SAY(checker, chosen->place, "unknown %s '%.64s' (did you mean %s: %s?)", pick->noun,
            chosen->text, preset, chosen->text);
    else if (near.best)
        SAY(checker, chosen->place, "unknown %s '%.64s' (did you mean '%s'?)", pick->noun,
            chosen->text, near.best);
    else
        SAY(checker, chosen->place, "unknown %s '%.64s' (known: %s)", pick->noun, chosen->text,
            known);
}

/* A preset brings keys of one pick: another one beside it is a contradiction. */
static void check_preset(struct checker *checker, const struct pt_schema *schema,
                         const struct pt_yaml_node *raw, const struct pt_yaml_node *chosen)
{
    const char *wants = preset_value(schema, raw, schema->rows[0].param.name);
    if (wants && strcmp(wants, chosen->text) != 0)
        SAY(checker, chosen->place, "the preset is of %s '%s', not '%.64s'", schema->pick->noun,
            wants, chosen->text);
}

/* The parameters that the map's first key brings. *known is false where that key is wrong: what
 * other keys mean can't be told then. */
static const struct pt_param *check_pick(struct checker *checker, const struct pt_schema *schema,
                                         const struct pt_yaml_node *raw, bool *known)
{
    *known = true;
    if (!schema->pick) return NULL;
    const struct pt_yaml_node *chosen = pt_yaml_get(raw, schema->rows[0].param.name);
    if (!chosen) return pt_schema_params(schema, raw);
    *known = chosen->kind == PT_YAML_SCALAR && !pt_yaml_is_nothing(chosen);
    if (!*known) return NULL; /* its row says so */
    *known = schema->pick->name(find_pick(schema->pick, chosen->text)) != NULL;
    if (!*known) unknown_pick(checker, schema, chosen);
    if (*known) check_preset(checker, schema, raw, chosen);
    return pt_schema_params(schema, raw);
}

/* A parameter that has no value unless it is given (param.h). */
static bool may_be_absent(const struct pt_row *row)
{
    const struct pt_param *param = &row->param;
    return row->shape == PT_SHAPE_SCALAR && param->type != PT_PARAM_TEXT &&
           param->type != PT_PARAM_WORDS && param->fallback && param->fallback[0] == '\0';
}

static void check_row(struct checker *checker, const struct pt_schema *schema,
                      struct pt_yaml_node *map, const struct pt_row *row,
                      struct pt_yaml_node *raw_map)
{
    struct pt_yaml_node *raw = pt_yaml_get(raw_map, row->param.name), *normal;
    const char *preset = raw ? NULL : preset_value(schema, raw_map, row->param.name);
    if (row->flags & PT_ROW_SHORT) return;
    if (raw)
        normal = check_value(checker, row, raw);
    else if (preset) {
        struct pt_row given = *row;
        given.param.fallback = preset;
        normal = add_default(checker, &given, map);
    } else if ((row->flags & PT_ROW_OPTIONAL) || may_be_absent(row))
        return;
    else if (row->param.fallback)
        normal = add_default(checker, row, map);
    else {
        missing_key(checker, schema, raw_map, row->param.name);
        return;
    }
    if (normal) pt_yaml_append(map, normal);
}

/* A parameter, or the map of parameters that begins with it. */
static void check_param(struct checker *checker, const struct pt_schema *schema,
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
static bool check_short_forms(struct checker *checker, const struct pt_schema *schema,
                              struct pt_yaml_node *raw)
{
    bool fine = true;
    for (const struct pt_row *row = schema->rows; row->param.name; row++) {
        struct pt_yaml_node *value =
            row->flags & PT_ROW_SHORT ? pt_yaml_get(raw, row->param.name) : NULL;
        if (value && !check_scalar(checker, row, value)) fine = false;
        if (value && raw->count > 1) {
            SAY(checker, value->key_place, "'%s' stands for the whole %s: no other keys beside it",
                row->param.name, schema->name);
            fine = false;
        }
    }
    if (fine && pt_schema_open(checker->yaml, schema, raw) != PT_OK) checker->no_memory = true;
    return fine;
}

static struct pt_yaml_node *check_map(struct checker *checker, const struct pt_schema *schema,
                                      struct pt_yaml_node *raw)
{
    if (!check_short_forms(checker, schema, raw)) return NULL;
    if (raw->kind != PT_YAML_MAP) {
        const char *article = strchr("aeio", schema->name[0]) ? "an " : "a ";
        SAY(checker, raw->place, "%s%s%s must be a map (key: value), not %s",
            raw->key ? "'" : article, raw->key ? raw->key : schema->name, raw->key ? "'" : "",
            kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *map = twin(checker, PT_YAML_MAP, raw);
    if (!map) return NULL;
    bool known;
    const struct pt_param *params = check_pick(checker, schema, raw, &known);
    for (const struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_error error;
        if (!known || is_known_key(schema, params, child->key)) continue;
        pt_schema_unknown_key(&error, checker->yaml, schema, raw, child->key);
        SAY(checker, child->key_place, "%s", error.message);
    }
    for (const struct pt_row *row = schema->rows; row->param.name; row++)
        if (!pt_schema_param(params, row->param.name)) check_row(checker, schema, map, row, raw);
    for (const struct pt_param *param = params; param && param->name; param = pt_group_next(param))
        check_param(checker, schema, map, param, raw);
    return map;
}

static struct pt_yaml_node *check_value(struct checker *checker, const struct pt_row *row,
                                        struct pt_yaml_node *raw)
{
    bool wants_list =
        row->shape == PT_SHAPE_LIST || row->shape == PT_SHAPE_PAIRS || row->shape == PT_SHAPE_JOBS;
    if (wants_list && raw->kind != PT_YAML_LIST) {
        SAY(checker, raw->place, "'%s' must be a list, not %s", row->param.name, kind_text(raw));
        return NULL;
    }
    if (row->shape == PT_SHAPE_NAMED && raw->kind != PT_YAML_MAP) {
        SAY(checker, raw->place, "'%s' must be a map (name: ...), not %s", row->param.name,
            kind_text(raw));
        return NULL;
    }
    switch (row->shape) {
    case PT_SHAPE_SCALAR:
        return check_scalar(checker, row, raw);
    case PT_SHAPE_MAP:
        return check_map(checker, row->child, raw);
    case PT_SHAPE_LIST:
        return check_list(checker, row, raw);
    case PT_SHAPE_PAIRS:
        return check_pairs(checker, row, raw);
    case PT_SHAPE_NAMED:
        return check_named(checker, row, raw);
    case PT_SHAPE_JOBS:
        return check_jobs(checker, row, raw);
    }
    return NULL;
}

enum pt_status pt_schema_check(struct pt_yaml_node **normal, struct pt_yaml *yaml,
                               const struct pt_schema *schema, struct pt_yaml_node *root,
                               const struct pt_catalog *catalog, struct pt_messages *messages)
{
    struct checker checker = {.yaml = yaml, .messages = messages, .catalog = catalog};
    pt_trace_init(&checker.scratch);
    *normal = check_map(&checker, schema, root);
    pt_trace_fini(&checker.scratch);
    if (checker.no_memory) {
        pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){yaml->file, 0, 0},
                    "out of memory");
        return PT_ERR_MEMORY;
    }
    return checker.wrong || !*normal ? PT_ERR_INPUT : PT_OK;
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
