#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "sim/experiment/catalog_file.h"

static const struct pt_value *value(const struct pt_yaml_node *map, const char *key)
{
    return &pt_yaml_get(map, key)->value;
}

/* ---- starts ---- */

/* One item of the list, `3` or `0-6`, at *text; moves behind its comma. */
static bool next_range(int64_t *from, int64_t *to, const char **text, struct pt_error *error)
{
    size_t length = strcspn(*text, ",");
    const char *item = *text + strspn(*text, " ");
    size_t size = length - (size_t)(item - *text);
    while (size > 0 && item[size - 1] == ' ')
        size--;
    const char *dash = memchr(item, '-', size);
    size_t first = dash ? (size_t)(dash - item) : size;
    if (pt_parse_int(from, item, first, 0, PT_MIG_SLICES_MAX - 1, error) != PT_OK) return false;
    *to = *from;
    if (dash &&
        pt_parse_int(to, dash + 1, size - first - 1, *from, PT_MIG_SLICES_MAX - 1, error) != PT_OK)
        return false;
    *text += length;
    if (**text == ',') (*text)++;
    return true;
}

/* A bit each; 0 when the text is wrong. *twice is one that is there twice, or -1. */
static uint16_t read_starts(const struct pt_yaml_node *node, int *twice)
{
    uint32_t starts = 0;
    struct pt_error ignored;
    const char *text = node->value.text;
    *twice = -1;
    do {
        int64_t from, to;
        if (!next_range(&from, &to, &text, &ignored)) return 0;
        for (; from <= to; from++) {
            if (starts >> from & 1) *twice = (int)from;
            starts |= 1u << from;
        }
    } while (*text);
    return (uint16_t)starts;
}

/* ---- geometries ---- */

static void check_starts(struct pt__catalog_file *file, const struct pt_yaml_node *node,
                         unsigned size, unsigned memory)
{
    int twice;
    uint32_t starts = read_starts(node, &twice);
    if (starts == 0)
        pt__catalog_say(file, node->place, "starts: '%.64s': memory slices like 0-6 or 0,2,4",
                        node->value.text);
    if (starts != 0 && twice >= 0)
        pt__catalog_say(file, node->place, "starts: %d is there twice", twice);
    for (unsigned start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(starts >> start & 1) || start + size <= memory) continue;
        pt__catalog_say(file, node->place,
                        "starts: %u memory slices from %u on, but the last of %u is %u", size,
                        start, memory, memory - 1);
        return;
    }
}

static void check_kind(struct pt__catalog_file *file, const struct pt_yaml_node *kind,
                       unsigned compute, unsigned memory)
{
    const struct pt_yaml_node *own_compute = pt_yaml_get(kind, "compute");
    const struct pt_yaml_node *slices = pt_yaml_get(kind, "slices");
    unsigned size = (unsigned)slices->value.integer;
    if ((unsigned)own_compute->value.integer > compute)
        pt__catalog_say(file, own_compute->place, "compute: %u slices, but the GPU has %u",
                        (unsigned)own_compute->value.integer, compute);
    if (size > memory)
        pt__catalog_say(file, slices->place, "slices: %u, but the GPU has %u", size, memory);
    else
        check_starts(file, pt_yaml_get(kind, "starts"), size, memory);
}

void pt__catalog_check_geometries(struct pt__catalog_file *file)
{
    const struct pt_yaml_node *geometries = pt_yaml_get(file->root, "mig_geometries");
    for (const struct pt_yaml_node *each = geometries->first; each; each = each->next) {
        unsigned compute = (unsigned)value(each, "compute")->integer;
        unsigned memory = (unsigned)value(each, "memory")->integer;
        const struct pt_yaml_node *kinds = pt_yaml_get(each, "kinds");
        for (const struct pt_yaml_node *kind = kinds->first; kind; kind = kind->next)
            check_kind(file, kind, compute, memory);
    }
}

/* The child of this name; that there is none is said at `name`. */
static const struct pt_yaml_node *find_named(struct pt__catalog_file *file,
                                             const struct pt_yaml_node *list,
                                             const struct pt_yaml_node *name, const char *noun)
{
    const struct pt_yaml_node *found = pt__catalog_named(list, name->text);
    struct pt_suggestion near;
    if (found) return found;
    pt_suggest_begin(&near, name->text, name->length);
    for (const struct pt_yaml_node *each = list->first; each; each = each->next)
        pt_suggest_offer(&near, pt_yaml_get(each, "name")->text);
    pt__catalog_say(file, name->place, "unknown %s '%.64s'%s%s%s", noun, name->text,
                    near.best ? " (did you mean '" : "", near.best ? near.best : "",
                    near.best ? "'?)" : "");
    return NULL;
}

/* ---- a table ---- */

static const char *source_of(const struct pt_yaml_node *row, const struct pt_yaml_node *table,
                             const struct pt_yaml_node *profile)
{
    const struct pt_yaml_node *source = pt_yaml_get(profile, "source");
    if (!source) source = pt_yaml_get(table, "source");
    if (!source) source = pt_yaml_get(row, "source");
    return source->text;
}

static bool fill_profile(struct pt__catalog_file *file, struct pt_mig_profile *profile,
                         const struct pt_yaml_node *map, const struct pt_yaml_node *geometry,
                         const struct pt_gpu_model *model)
{
    int twice;
    const struct pt_yaml_node *name = pt_yaml_get(map, "name");
    const struct pt_yaml_node *kind = find_named(file, pt_yaml_get(geometry, "kinds"),
                                                 pt_yaml_get(map, "kind"), "kind of instance");
    if (strpbrk(name->text, " ,:"))
        pt__catalog_say(file, name->place, "name: '%.64s' has a blank, comma or colon in it",
                        name->text);
    if (!kind) return false;
    profile->name = name->text;
    profile->compute = (uint8_t)value(kind, "compute")->integer;
    profile->size = (uint8_t)value(kind, "slices")->integer;
    profile->media = value(kind, "media")->integer != 0;
    profile->starts = read_starts(pt_yaml_get(kind, "starts"), &twice);
    profile->sms = (uint32_t)value(map, "sms")->integer;
    profile->mem_mib = (uint32_t)value(map, "memory_mib")->integer;
    if (profile->sms > model->sms)
        pt__catalog_say(file, pt_yaml_get(map, "sms")->place, "sms: %u, but the GPU has %u",
                        (unsigned)profile->sms, (unsigned)model->sms);
    if (profile->mem_mib > model->mem_mib)
        pt__catalog_say(file, pt_yaml_get(map, "memory_mib")->place,
                        "memory_mib: %u, but the GPU has %u", (unsigned)profile->mem_mib,
                        (unsigned)model->mem_mib);
    return true;
}

static bool comes_before(const struct pt_mig_profile *left, const struct pt_mig_profile *right)
{
    if (left->compute != right->compute) return left->compute < right->compute;
    if (left->size != right->size) return left->size < right->size;
    return !left->media && right->media;
}

/* By compute slices, then size, then plain before +me; equal ones keep the file's order. */
static void insert(struct pt_mig_profile *profiles, uint8_t *count,
                   const struct pt_mig_profile *profile)
{
    uint8_t at = (*count)++;
    for (; at > 0 && comes_before(profile, &profiles[at - 1]); at--)
        profiles[at] = profiles[at - 1];
    profiles[at] = *profile;
}

/* The geometry of this name: of the file itself, else of the one below. */
static const struct pt_yaml_node *find_geometry(struct pt__catalog_file *file,
                                                const struct pt_yaml_node *name)
{
    const struct pt_yaml_node *own = pt_yaml_get(file->root, "mig_geometries");
    if (!file->below || pt__catalog_named(own, name->text))
        return find_named(file, own, name, "MIG geometry");
    return find_named(file, pt_yaml_get(file->below->root, "mig_geometries"), name, "MIG geometry");
}

const struct pt_mig *pt__catalog_mig(struct pt__catalog_file *file, const struct pt_yaml_node *row,
                                     const struct pt_gpu_model *model)
{
    const struct pt_yaml_node *table = pt_yaml_get(row, "mig");
    const struct pt_yaml_node *list = pt_yaml_get(table, "profiles");
    const struct pt_yaml_node *geometry = find_geometry(file, pt_yaml_get(table, "geometry"));
    struct pt_mig *mig = pt_arena_alloc(&file->yaml.arena, 1, sizeof *mig);
    struct pt_mig_profile *profiles =
        pt_arena_alloc(&file->yaml.arena, list->count, sizeof *profiles);
    if (!mig || !profiles) file->no_memory = true;
    if (!geometry || !mig || !profiles) return NULL;
    mig->compute = (uint8_t)value(geometry, "compute")->integer;
    mig->memory = (uint8_t)value(geometry, "memory")->integer;
    mig->profiles = profiles;
    for (const struct pt_yaml_node *map = list->first; map; map = map->next) {
        struct pt_mig_profile profile = {.source = source_of(row, table, map)};
        if (fill_profile(file, &profile, map, geometry, model))
            insert(profiles, &mig->profile_count, &profile);
    }
    for (uint8_t i = mig->profile_count; i-- > 0;)
        if (profiles[i].compute == mig->compute && profiles[i].size == mig->memory) mig->full = i;
    if (profiles[mig->full].compute != mig->compute || profiles[mig->full].size != mig->memory)
        pt__catalog_say(file, list->place,
                        "no profile is the whole GPU (%u compute and %u memory slices)",
                        mig->compute, mig->memory);
    return mig;
}
