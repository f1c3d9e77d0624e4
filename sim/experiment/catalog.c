#include "sim/experiment/catalog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "partita/suggest.h"
#include "sim/experiment/tables.h"

struct owner {
    struct pt_catalog catalog; /* first: what the caller holds */
    struct pt_yaml yaml;
};

static const struct pt_yaml_node *figure(const struct pt_yaml_node *row, const char *key)
{
    return pt_yaml_get(pt_yaml_get(row, key), "value");
}

/* "sms: a; memory_mib: b; others: c": where each figure comes from. */
static const char *join_sources(struct pt_yaml *yaml, const struct pt_yaml_node *row)
{
    char text[1024];
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

static bool fill(struct owner *owner, const struct pt_yaml_node *gpus)
{
    struct pt_gpu_model *models = pt_arena_alloc(&owner->yaml.arena, gpus->count, sizeof *models);
    if (!models) return false;
    owner->catalog.gpus = models;
    for (const struct pt_yaml_node *row = gpus->first; row; row = row->next) {
        struct pt_gpu_model *model = &models[owner->catalog.count++];
        const struct pt_yaml_node *tdp = figure(row, "tdp_w");
        model->name = pt_yaml_get(row, "name")->text;
        model->family = pt_yaml_get(row, "family")->text;
        model->sms = (uint32_t)figure(row, "sms")->value.integer;
        model->mem_mib = (uint32_t)figure(row, "memory_mib")->value.integer;
        model->fp16_tflops = figure(row, "fp16_tflops")->value.number;
        model->mem_gb_per_s = figure(row, "mem_gb_per_s")->value.number;
        model->tdp_w = tdp ? tdp->value.number : (double)NAN;
        model->source = join_sources(&owner->yaml, row);
        if (!model->source) return false;
    }
    return true;
}

static enum pt_status out_of_memory(const char *file, struct pt_messages *messages)
{
    pt_yaml_say(NULL, messages, false, (struct pt_yaml_place){file, 0, 0}, "out of memory");
    return PT_ERR_MEMORY;
}

enum pt_status pt_catalog_load_text(struct pt_catalog **catalog, const char *file, const char *text,
                                    size_t length, struct pt_messages *messages)
{
    struct pt_yaml_node *normal = NULL;
    *catalog = NULL;
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner) return out_of_memory(file, messages);
    enum pt_status status = pt_yaml_parse(&owner->yaml, file, text, length, messages);
    if (status == PT_OK)
        status = pt_schema_check(&normal, &owner->yaml, &pt_schema_catalog,
                                 owner->yaml.first_document, NULL, messages);
    if (status == PT_OK && !fill(owner, pt_yaml_get(normal, "gpus")))
        status = out_of_memory(file, messages);
    if (status == PT_OK)
        *catalog = &owner->catalog;
    else
        pt_catalog_free(&owner->catalog);
    return status;
}

enum pt_status pt_catalog_load(struct pt_catalog **catalog, struct pt_messages *messages)
{
    return pt_catalog_load_text(catalog, "models/catalog/gpus.yaml", (const char *)pt_catalog_yaml,
                                pt_catalog_yaml_length, messages);
}

void pt_catalog_free(struct pt_catalog *catalog)
{
    if (!catalog) return;
    struct owner *owner = (struct owner *)catalog;
    pt_yaml_fini(&owner->yaml);
    free(owner);
}

const struct pt_gpu_model *pt_catalog_find(const struct pt_catalog *catalog, const char *name)
{
    for (uint32_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->gpus[i].name, name) == 0) return &catalog->gpus[i];
    return NULL;
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
