#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/catalog_file.h"
#include "sim/experiment/tables.h"

struct pt_yaml_node *pt__catalog_named(const struct pt_yaml_node *list, const char *name)
{
    for (struct pt_yaml_node *row = list ? list->first : NULL; row; row = row->next) {
        const struct pt_yaml_node *own = pt_yaml_get(row, "name");
        if (own && own->kind == PT_YAML_SCALAR && strcmp(own->text, name) == 0) return row;
    }
    return NULL;
}

/* What was copied stands where the row does that takes it over. */
static void move(struct pt_yaml_node *node, struct pt_yaml_place place)
{
    node->place = node->key_place = place;
    for (struct pt_yaml_node *child = node->first; child; child = child->next)
        move(child, place);
}

static bool add_source(struct pt__catalog_file *file, struct pt_yaml_node *map, const char *text)
{
    struct pt_yaml_node *source = pt_yaml_new_scalar(&file->yaml, map->place, text, strlen(text));
    if (!source) return false;
    source->key = "source";
    source->quoted = true;
    pt_yaml_append(map, source);
    return true;
}

/* One key of `base` for `row`. A figure's source is written beside it, for the row has another. */
static bool take_over(struct pt__catalog_file *file, const struct pt_schema *schema,
                      struct pt_yaml_node *row, const struct pt_yaml_node *base,
                      const struct pt_yaml_node *child)
{
    const struct pt_row *rule = pt_schema_row(schema, child->key);
    const struct pt_yaml_node *said = pt_yaml_get(base, "source");
    struct pt_yaml_node *copy = pt_yaml_copy_node(&file->yaml, child);
    if (!copy) return false;
    move(copy, row->place);
    if (rule && rule->child && pt_schema_open(&file->yaml, rule->child, copy) != PT_OK)
        return false;
    bool has_source = copy->kind != PT_YAML_MAP || pt_yaml_get(copy, "source");
    if (!has_source && said && said->kind == PT_YAML_SCALAR && !add_source(file, copy, said->text))
        return false;
    pt_yaml_append(row, copy);
    return true;
}

static bool fill_row(struct pt__catalog_file *file, const struct pt_schema *schema,
                     struct pt_yaml_node *row, const struct pt_yaml_node *base)
{
    static const char *const own[] = {"name", "like", "source"};
    for (const struct pt_yaml_node *child = base->first; child; child = child->next) {
        bool is_own = pt_yaml_get(row, child->key) != NULL;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            is_own |= strcmp(child->key, own[i]) == 0;
        if (!is_own && !take_over(file, schema, row, base, child)) return false;
    }
    return pt_yaml_get(row, "source") || add_source(file, row, file->yaml.file);
}

/* Offers the names of a list, down to but without the row `end`. */
static void offer_names(struct pt_suggestion *near, const struct pt_yaml_node *list,
                        const struct pt_yaml_node *end)
{
    for (const struct pt_yaml_node *row = list ? list->first : NULL; row && row != end;
         row = row->next) {
        const struct pt_yaml_node *name = pt_yaml_get(row, "name");
        if (name && name->kind == PT_YAML_SCALAR) pt_suggest_offer(near, name->text);
    }
}

static void unknown_base(struct pt__catalog_file *file, const struct pt_yaml_node *gpus,
                         const struct pt_yaml_node *row, const struct pt_yaml_node *like)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, like->text, like->length);
    offer_names(&near, gpus, row);
    if (file->below) offer_names(&near, pt_yaml_get(file->below->root, "gpus"), NULL);
    if (near.best)
        pt__catalog_say(file, like->place, "like: '%.64s' is no GPU above (did you mean '%s'?)",
                        like->text, near.best);
    else
        pt__catalog_say(file, like->place, "like: '%.64s' is no GPU above, nor built in",
                        like->text);
}

void pt__catalog_inherit(struct pt__catalog_file *file, struct pt_yaml_node *root)
{
    const struct pt_schema *schema = pt_schema_row(&pt_schema_catalog, "gpus")->child;
    struct pt_yaml_node *gpus = pt_yaml_get(root, "gpus");
    const struct pt_yaml_node *built_in =
        file->below ? pt_yaml_get(file->below->root, "gpus") : NULL;
    if (!gpus || gpus->kind != PT_YAML_LIST) return; /* the schema says so */
    for (struct pt_yaml_node *row = gpus->first; row; row = row->next) {
        const struct pt_yaml_node *name = pt_yaml_get(row, "name");
        const struct pt_yaml_node *like = pt_yaml_get(row, "like");
        const struct pt_yaml_node *from = like ? like : name, *base = NULL;
        if (like && (like->kind != PT_YAML_SCALAR || pt_yaml_is_nothing(like)))
            pt__catalog_say(file, like->place, "like: the name of one GPU is wanted");
        if (!from || from->kind != PT_YAML_SCALAR || pt_yaml_is_nothing(from)) continue;
        for (const struct pt_yaml_node *above = gpus->first; like && above != row && !base;
             above = above->next) {
            const struct pt_yaml_node *other = pt_yaml_get(above, "name");
            if (other && other->kind == PT_YAML_SCALAR && strcmp(other->text, from->text) == 0)
                base = above;
        }
        if (!base) base = pt__catalog_named(built_in, from->text);
        if (!base && like) unknown_base(file, gpus, row, like);
        if (base && !fill_row(file, schema, row, base)) file->no_memory = true;
    }
}
