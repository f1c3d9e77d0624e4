/* Lists of maps and of pairs. */
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/schema_parts.h"

bool pt__schema_count_fits(struct pt__checker *checker, const struct pt_row *row,
                           const struct pt_yaml_node *raw)
{
    unsigned long least = row->param.min ? strtoul(row->param.min, NULL, 10) : 0;
    unsigned long most = row->param.max ? strtoul(row->param.max, NULL, 10) : UINT32_MAX;
    if (raw->count >= least && raw->count <= most) return true;
    if (raw->count < least)
        PT__SAY(checker, raw->place, "'%.64s' has %u elements: at least %lu",
                pt__schema_label(row, raw), (unsigned)raw->count, least);
    else
        PT__SAY(checker, raw->place, "'%.64s' has %u elements: at most %lu",
                pt__schema_label(row, raw), (unsigned)raw->count, most);
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
static void check_unique(struct pt__checker *checker, const struct pt_schema *schema,
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
            PT__SAY(checker, names[i]->place, "a second %s with the %s '%.64s' (first on line %u)",
                    schema->name, schema->unique, names[i]->text,
                    (unsigned)names[i - 1]->place.line);
}

struct pt_yaml_node *pt__schema_check_list(struct pt__checker *checker, const struct pt_row *row,
                                           struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = pt__schema_twin(checker, PT_YAML_LIST, raw);
    if (!list || !pt__schema_count_fits(checker, row, raw)) return NULL;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal = pt__schema_check_map(checker, row->child, child);
        if (normal) pt_yaml_append(list, normal);
    }
    check_unique(checker, row->child, list);
    return list;
}

/* One pair: the rows of the child, in order. */
static struct pt_yaml_node *check_pair(struct pt__checker *checker, const struct pt_schema *schema,
                                       struct pt_yaml_node *raw)
{
    uint32_t wanted = 0;
    while (schema->rows[wanted].param.name)
        wanted++;
    if (raw->kind != PT_YAML_LIST || raw->count != wanted) {
        PT__SAY(checker, raw->place, "a %s must be a list of %u values: [%s, %s]", schema->name,
                (unsigned)wanted, schema->rows[0].param.name, schema->rows[1].param.name);
        return NULL;
    }
    struct pt_yaml_node *pair = pt__schema_twin(checker, PT_YAML_LIST, raw);
    if (!pair) return NULL;
    pair->on_one_line = true;
    const struct pt_row *row = schema->rows;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next, row++) {
        struct pt_yaml_node *normal = pt__schema_check_scalar(checker, row, child);
        if (normal) pt_yaml_append(pair, normal);
    }
    return pair;
}

struct pt_yaml_node *pt__schema_check_pairs(struct pt__checker *checker, const struct pt_row *row,
                                            struct pt_yaml_node *raw)
{
    struct pt_yaml_node *list = pt__schema_twin(checker, PT_YAML_LIST, raw);
    if (!list || !pt__schema_count_fits(checker, row, raw)) return NULL;
    list->on_one_line = true;
    for (struct pt_yaml_node *child = raw->first; child; child = child->next) {
        struct pt_yaml_node *normal = check_pair(checker, row->child, child);
        if (normal) pt_yaml_append(list, normal);
    }
    return list;
}
