#include "sim/experiment/catalog.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "partita/suggest.h"
#include "sim/experiment/catalog_file.h"
#include "sim/experiment/tables.h"

/* Where a GPU was read from. */
struct origin {
    struct pt__catalog_file *file;
    const struct pt_yaml_node *row; /* of the normal tree */
};

struct owner {
    struct pt_catalog catalog;             /* first: what the caller holds */
    struct pt__catalog_file built_in, own; /* `own` is empty without a user's file */
    struct pt_gpu_model *models;
    struct origin *origins; /* in the order of the models */
};

void pt__catalog_say(struct pt__catalog_file *file, struct pt_yaml_place place, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_yaml_vsay(&file->yaml, file->messages, false, place, format, arguments);
    va_end(arguments);
    file->wrong = true;
}

/* ---- one GPU ---- */

static const struct pt_yaml_node *figure(const struct pt_yaml_node *row, const char *key)
{
    return pt_yaml_get(pt_yaml_get(row, key), "value");
}

static double number(const struct pt_yaml_node *row, const char *key)
{
    const struct pt_yaml_node *node = figure(row, key);
    return node ? node->value.number : (double)NAN;
}

/* "sms: a; memory_mib: b; others: c": where each figure comes from. */
static const char *join_sources(struct pt_yaml *yaml, const struct pt_yaml_node *row)
{
    char text[2048];
    size_t used = 0;
    for (const struct pt_yaml_node *child = row->first; child; child = child->next) {
        const struct pt_yaml_node *own = pt_yaml_get(child, "source");
        if (own && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s; ", child->key,
                                     own->text);
    }
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "others: " : "",
                 pt_yaml_get(row, "source")->text);
    return pt_arena_text(&yaml->arena, text, strlen(text));
}

static void fill_price(struct pt__catalog_file *file, struct pt_gpu_model *model,
                       const struct pt_yaml_node *price)
{
    model->price_low = model->price_high = (double)NAN;
    model->price_date = NULL;
    if (!price) return;
    model->price_low = pt_yaml_get(price, "low")->value.number;
    model->price_high = pt_yaml_get(price, "high")->value.number;
    model->price_date = pt_yaml_get(price, "date")->text;
    if (model->price_low > model->price_high)
        pt__catalog_say(file, pt_yaml_get(price, "high")->place, "high: less than low");
}

static void fill(struct pt_gpu_model *model, const struct origin *origin)
{
    struct pt__catalog_file *file = origin->file;
    const struct pt_yaml_node *row = origin->row;
    *model = (struct pt_gpu_model){
        .name = pt_yaml_get(row, "name")->text,
        .family = pt_yaml_get(row, "family")->text,
        .sms = (uint32_t)figure(row, "sms")->value.integer,
        .mem_mib = (uint32_t)figure(row, "memory_mib")->value.integer,
        .fp16_tflops = number(row, "fp16_tflops"),
        .mem_gb_per_s = number(row, "mem_gb_per_s"),
        .l2_mib = number(row, "l2_mib"),
        .tdp_w = number(row, "tdp_w"),
        .idle_w = number(row, "idle_w"),
        .pcie_gb_per_s = number(row, "pcie_gb_per_s"),
        .mps_clients = (uint32_t)figure(row, "mps_clients")->value.integer,
        .source = join_sources(&file->yaml, row),
    };
    fill_price(file, model, pt_yaml_get(row, "price"));
    if (pt_yaml_get(row, "mig")) model->mig = pt__catalog_mig(file, row, model);
    if (!model->source) file->no_memory = true;
}

/* ---- all of them ---- */

/* Measured speeds against other GPUs, once all GPUs are known. */
static void fill_speed(struct owner *owner, uint32_t index)
{
    const struct origin *origin = &owner->origins[index];
    struct pt_gpu_model *model = &owner->models[index];
    const struct pt_yaml_node *speed = pt_yaml_get(origin->row, "speed");
    if (!speed) return;
    const struct pt_yaml_node *against = pt_yaml_get(speed, "against");
    const struct pt_gpu_model *other = pt_catalog_find(&owner->catalog, against->text);
    const char *near = pt_catalog_suggest(&owner->catalog, against->text, against->length, false);
    if (!other)
        pt__catalog_say(origin->file, against->place, "against: '%.64s' is no known GPU%s%s%s",
                        against->text, near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "");
    else if (other == model)
        pt__catalog_say(origin->file, against->place, "against: '%.64s' is this GPU itself",
                        against->text);
    else if (pt_yaml_get(owner->origins[other - owner->models].row, "speed"))
        pt__catalog_say(origin->file, against->place,
                        "against: '%.64s' has a speed against another GPU itself: name that one",
                        against->text);
    model->speed_against = other;
    for (int c = 0; c < PT_CLASS_COUNT; c++) {
        const struct pt_yaml_node *node =
            pt_yaml_get(speed, pt_speed_class_name((enum pt_speed_class)c));
        model->speed[c] = node ? node->value.number : 0;
    }
}

/* The rows of one file: each in the place of the GPU of its name, or behind all. */
static void add_rows(struct owner *owner, struct pt__catalog_file *file)
{
    const struct pt_yaml_node *gpus = file->root ? pt_yaml_get(file->root, "gpus") : NULL;
    uint32_t above = owner->catalog.count; /* names within a file differ */
    for (const struct pt_yaml_node *row = gpus ? gpus->first : NULL; row; row = row->next) {
        const char *name = pt_yaml_get(row, "name")->text;
        uint32_t at = 0;
        while (at < above && strcmp(owner->models[at].name, name) != 0)
            at++;
        if (at == above) at = owner->catalog.count++;
        owner->origins[at] = (struct origin){file, row};
        fill(&owner->models[at], &owner->origins[at]);
    }
}

static enum pt_status put_together(struct owner *owner)
{
    struct pt__catalog_file *last = owner->own.root ? &owner->own : &owner->built_in;
    size_t room = pt_yaml_get(owner->built_in.root, "gpus")->count;
    if (owner->own.root) room += pt_yaml_get(owner->own.root, "gpus")->count;
    owner->models = pt_arena_alloc(&last->yaml.arena, room, sizeof *owner->models);
    owner->origins = pt_arena_alloc(&last->yaml.arena, room, sizeof *owner->origins);
    if (!owner->models || !owner->origins) return PT_ERR_MEMORY;
    owner->catalog.gpus = owner->models;
    pt__catalog_check_geometries(last);
    add_rows(owner, &owner->built_in);
    add_rows(owner, &owner->own);
    for (uint32_t i = 0; i < owner->catalog.count; i++)
        fill_speed(owner, i);
    if (owner->built_in.no_memory || owner->own.no_memory) return PT_ERR_MEMORY;
    return owner->built_in.wrong || owner->own.wrong ? PT_ERR_INPUT : PT_OK;
}

/* ---- loading ---- */

/* What every GPU has: written, or taken over. */
static void check_complete(struct pt__catalog_file *file, const struct pt_yaml_node *row)
{
    static const char *const needed[] = {"family",     "source",      "sms",
                                         "memory_mib", "fp16_tflops", "mem_gb_per_s"};
    const struct pt_yaml_node *name = pt_yaml_get(row, "name");
    const struct pt_yaml_node *built_in =
        file->below ? pt_yaml_get(file->below->root, "gpus")->first : NULL;
    char missing[128] = "";
    size_t used = 0, count = 0;
    struct pt_suggestion near;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!pt_yaml_get(row, needed[i]))
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s'%s'",
                                     count++ > 0 ? ", " : "", needed[i]);
    if (count == 0) return;
    pt_suggest_begin(&near, name->text, name->length);
    for (; built_in; built_in = built_in->next)
        pt_suggest_offer(&near, pt_yaml_get(built_in, "name")->text);
    if (near.best)
        pt__catalog_say(file, row->place, "missing key%s %s of a new GPU (did you mean '%s'?)",
                        count > 1 ? "s" : "", missing, near.best);
    else
        pt__catalog_say(file, row->place, "missing key%s %s (or say which GPU it is like)",
                        count > 1 ? "s" : "", missing);
}

static enum pt_status check(struct pt__catalog_file *file)
{
    struct pt_yaml_node *document = file->yaml.first_document;
    if (document->next) {
        pt__catalog_say(file, document->next->place, "a second document: a catalogue is one");
        return PT_ERR_INPUT;
    }
    pt__catalog_inherit(file, document);
    if (file->no_memory) return PT_ERR_MEMORY;
    if (file->wrong) return PT_ERR_INPUT; /* what would be missing now is no further mistake */
    enum pt_status status = pt_schema_check(&file->root, &file->yaml, &pt_schema_catalog, document,
                                            NULL, file->messages);
    const struct pt_yaml_node *gpus = status == PT_OK ? pt_yaml_get(file->root, "gpus") : NULL;
    for (const struct pt_yaml_node *row = gpus ? gpus->first : NULL; row; row = row->next)
        check_complete(file, row);
    if (status == PT_OK && file->wrong) status = PT_ERR_INPUT;
    if (status != PT_OK) file->root = NULL;
    return status;
}

/* Hands the catalogue over, or frees everything. */
static enum pt_status finish(struct pt_catalog **catalog, struct owner *owner,
                             enum pt_status status)
{
    struct pt__catalog_file *last = owner->own.below ? &owner->own : &owner->built_in;
    if (status == PT_OK) status = put_together(owner);
    if (status == PT_ERR_MEMORY)
        pt_yaml_say(NULL, last->messages, false, (struct pt_yaml_place){last->yaml.file, 0, 0},
                    "out of memory");
    *catalog = status == PT_OK ? &owner->catalog : NULL;
    if (status != PT_OK) pt_catalog_free(&owner->catalog);
    return status;
}

static struct owner *new_owner(struct pt_messages *messages)
{
    struct owner *owner = calloc(1, sizeof *owner);
    if (owner)
        owner->built_in.messages = owner->own.messages = messages;
    else
        pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){"", 0, 0}, "out of memory");
    return owner;
}

static enum pt_status load_built_in(struct owner *owner)
{
    PT_TRY(pt_yaml_parse(&owner->built_in.yaml, "models/catalog/gpus.yaml",
                         (const char *)pt_catalog_yaml, pt_catalog_yaml_length,
                         owner->built_in.messages));
    return check(&owner->built_in);
}

enum pt_status pt_catalog_load_text(struct pt_catalog **catalog, const char *file, const char *text,
                                    size_t length, struct pt_messages *messages)
{
    *catalog = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    enum pt_status status = pt_yaml_parse(&owner->built_in.yaml, file, text, length, messages);
    if (status == PT_OK) status = check(&owner->built_in);
    return finish(catalog, owner, status);
}

enum pt_status pt_catalog_load(struct pt_catalog **catalog, struct pt_messages *messages)
{
    *catalog = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    return finish(catalog, owner, load_built_in(owner));
}

enum pt_status pt_catalog_load_file(struct pt_catalog **catalog, const char *path,
                                    struct pt_messages *messages)
{
    *catalog = NULL;
    struct owner *owner = new_owner(messages);
    if (!owner) return PT_ERR_MEMORY;
    enum pt_status status = load_built_in(owner);
    owner->own.below = &owner->built_in;
    if (status == PT_OK) status = pt_yaml_load(&owner->own.yaml, path, messages);
    if (status == PT_OK) status = check(&owner->own);
    return finish(catalog, owner, status);
}

void pt_catalog_free(struct pt_catalog *catalog)
{
    if (!catalog) return;
    struct owner *owner = (struct owner *)catalog;
    pt_yaml_fini(&owner->built_in.yaml);
    pt_yaml_fini(&owner->own.yaml);
    free(owner);
}

/* ---- looking up ---- */

const char *pt_catalog_source(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu,
                              const char *key)
{
    const struct owner *owner = (const struct owner *)catalog;
    const struct pt_yaml_node *row = owner->origins[gpu - catalog->gpus].row;
    const struct pt_yaml_node *value = pt_yaml_get(row, key);
    const struct pt_yaml_node *source = pt_yaml_get(value, "source");
    if (!value) return NULL;
    return source ? source->text : pt_yaml_get(row, "source")->text;
}

const struct pt_gpu_model *pt_catalog_find(const struct pt_catalog *catalog, const char *name)
{
    for (uint32_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->gpus[i].name, name) == 0) return &catalog->gpus[i];
    return NULL;
}

enum pt_status pt_catalog_check_name(const struct pt_catalog *catalog, const char *name,
                                     struct pt_error *error)
{
    char models[256] = "";
    size_t used = 0, length = strlen(name);
    if (pt_catalog_find(catalog, name)) return PT_OK;
    for (uint32_t i = 0; i < catalog->count; i++)
        if (pt_gpu_answers_to(&catalog->gpus[i], name, length) && used < sizeof models)
            used += (size_t)snprintf(models + used, sizeof models - used, "%s%s",
                                     used > 0 ? ", " : "", catalog->gpus[i].name);
    const char *near = pt_catalog_suggest(catalog, name, length, false);
    if (used > 0) return pt_fail(error, PT_ERR_INPUT, "is a family, name one of it: %s", models);
    if (near) return pt_fail(error, PT_ERR_INPUT, "is no known GPU (did you mean '%s'?)", near);
    return pt_fail(error, PT_ERR_INPUT, "is no known GPU (see `partita list gpus`)");
}

static bool is_word(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

bool pt_gpu_answers_to(const struct pt_gpu_model *gpu, const char *word, size_t length)
{
    return is_word(gpu->name, word, length) || is_word(gpu->family, word, length);
}

bool pt_catalog_knows(const struct pt_catalog *catalog, const char *word, size_t length)
{
    for (uint32_t i = 0; i < catalog->count; i++)
        if (pt_gpu_answers_to(&catalog->gpus[i], word, length)) return true;
    return false;
}

const char *pt_catalog_suggest(const struct pt_catalog *catalog, const char *word, size_t length,
                               bool families)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, word, length);
    for (uint32_t i = 0; i < catalog->count; i++) {
        pt_suggest_offer(&near, catalog->gpus[i].name);
        if (families) pt_suggest_offer(&near, catalog->gpus[i].family);
    }
    return near.best;
}
