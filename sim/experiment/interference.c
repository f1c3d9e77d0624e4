#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "sim/experiment/loader.h"
#include "sim/experiment/schema.h"

/* The largest pair table: measured pairs of a few hundred types. */
#define TABLE_MAX ((size_t)16 << 20)

/* The file's text in the loader's arena; NULL, and it is said why, on an error. */
static const char *read_table(struct pt__loader *loader, const struct pt_yaml_node *file,
                              const char *path, size_t *length)
{
    char *text = NULL;
    FILE *stream = fopen(path, "rb");
    long size = stream && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    if (size < 0 || (size_t)size > TABLE_MAX || fseek(stream, 0, SEEK_SET) != 0) {
        pt__loader_say(loader, file->place, "table.file: '%.200s' %s", path,
                       size < 0 ? "can't be read" : "is larger than 16 MiB");
        goto out;
    }
    text = pt__loader_alloc(loader, (size_t)size + 1, 1);
    if (!text) goto out;
    *length = fread(text, 1, (size_t)size, stream);
    if (*length == (size_t)size) goto out;
    pt__loader_say(loader, file->place, "table.file: '%.200s' can't be read", path);
    text = NULL;
out:
    if (stream) fclose(stream);
    return text;
}

static void load_table(struct pt__loader *loader, const struct pt_yaml_node *map)
{
    struct pt_interference_spec *spec = &loader->config->interference;
    const struct pt_yaml_node *table = pt_yaml_get(map, "table");
    const struct pt_yaml_node *file = pt_yaml_get(table, "file");
    if (!file || file->length == 0) return; /* the pairs that are built in */
    const char *path = pt__loader_input(loader, file);
    if (!path) return;
    spec->table_name = path;
    spec->table_text = read_table(loader, file, path, &spec->table_length);
}

/* Prepares the model for nobody, so that parameters that don't go together are said at once. */
static void try_model(struct pt__loader *loader, const struct pt_yaml_node *map)
{
    const struct pt_interference_spec *spec = &loader->config->interference;
    const struct pt_profiles *profiles = &loader->config->profiles;
    struct pt_interference_inputs inputs = {.type_count = profiles->type_count,
                                            .type_names = profiles->type_names,
                                            .table_name = spec->table_name,
                                            .table_text = spec->table_text,
                                            .table_length = spec->table_length};
    struct pt_error error;
    void *state = NULL;
    if (!spec->ops->prepare) return;
    enum pt_status status = spec->ops->prepare(&state, spec->params, &inputs, &error);
    if (status == PT_OK && spec->ops->release) spec->ops->release(state);
    if (status == PT_ERR_MEMORY) loader->no_memory = true;
    if (status == PT_ERR_INPUT && error.file[0])
        pt_messages_add(loader->messages, false, &error, NULL, 0);
    else if (status == PT_ERR_INPUT)
        pt__loader_say(loader, map->place, "interference: %s", error.message);
    if (status != PT_OK) loader->wrong = true;
}

void pt__load_interference(struct pt__loader *loader)
{
    struct pt_interference_spec *spec = &loader->config->interference;
    const struct pt_yaml_node *map = pt_yaml_get(loader->root, "interference");
    spec->ops = pt_interference_find(pt_yaml_get(map, "model")->text);
    if (!spec->ops) return; /* none: the sharing mode's own shares */
    spec->params = pt_schema_values(loader->yaml, spec->ops->params, map);
    if (!spec->params) loader->no_memory = true;
    if (loader->no_memory) return;
    load_table(loader, map);
    if (!loader->wrong && !loader->no_memory) try_model(loader, map);
}
