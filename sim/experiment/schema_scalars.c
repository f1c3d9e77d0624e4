/* Scalars and lists of words of a file against their rows. */
#include <string.h>

#include "sim/experiment/scalar.h"
#include "sim/experiment/schema_parts.h"

const char *pt__schema_label(const struct pt_row *row, const struct pt_yaml_node *raw)
{
    return raw->key ? raw->key : row->param.name;
}

/* Appends the words of a text with commas between them to a normal list. */
static bool split_words(struct pt__checker *checker, const struct pt_row *row,
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
            PT__SAY(checker, raw->place, "%.64s: '%.64s' has an empty word",
                    pt__schema_label(row, list), raw->text);
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
static const char *join_words(struct pt__checker *checker, const struct pt_yaml_node *list)
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
static struct pt_yaml_node *check_words(struct pt__checker *checker, const struct pt_row *row,
                                        const struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = pt__schema_twin(checker, PT_YAML_LIST, raw);
    if (!list) return NULL;
    list->on_one_line = true;
    bool fine = raw->kind == PT_YAML_LIST || split_words(checker, row, raw, list);
    for (const struct pt_yaml_node *child = raw->first; fine && child; child = child->next) {
        fine = child->kind == PT_YAML_SCALAR && child->length > 0 && !pt_yaml_is_nothing(child);
        if (!fine)
            PT__SAY(checker, child->place, "'%.64s' must hold words, not %s",
                    pt__schema_label(row, raw),
                    child->kind == PT_YAML_SCALAR ? "nothing" : pt__schema_kind_text(child));
        fine = fine && split_words(checker, row, child, list);
    }
    if (fine && list->count == 0 && row->param.min) {
        PT__SAY(checker, raw->place, "'%.64s' is empty", pt__schema_label(row, raw));
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
struct pt_yaml_node *pt__schema_check_scalar(struct pt__checker *checker, const struct pt_row *row,
                                             const struct pt_yaml_node *raw)
{
    const struct pt_param *param = &row->param;
    bool nothing = pt_yaml_is_nothing(raw) && !(row->flags & PT_ROW_NULLABLE);
    bool words = param->type == PT_PARAM_WORDS && raw->kind != PT_YAML_MAP && !nothing;
    if (words) return check_words(checker, row, raw);
    if (raw->kind != PT_YAML_SCALAR || nothing) {
        PT__SAY(checker, raw->place, "'%.64s' must be %s, not %s", pt__schema_label(row, raw),
                pt_scalar_type_text(param->type), pt__schema_kind_text(raw));
        return NULL;
    }
    struct pt_yaml_node *node = pt__schema_twin(checker, PT_YAML_SCALAR, raw);
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
        PT__SAY(checker, raw->place, "%s", error.message);
    else
        PT__SAY(checker, raw->place, "%.64s: '%.64s' %s", pt__schema_label(row, raw), raw->text,
                error.message);
    return NULL;
}

/* The row's default as a node of the normal tree, at the place of the map that lacks it. */
struct pt_yaml_node *pt__schema_add_default(struct pt__checker *checker, const struct pt_row *row,
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
    return pt__schema_check_value(checker, row, raw);
}
