#include "sim/experiment/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "partita/suggest.h"

void pt__loader_say(struct pt__loader *loader, struct pt_yaml_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_yaml_vsay(loader->yaml, loader->messages, false, place, format, arguments);
    va_end(arguments);
    loader->wrong = true;
}

void *pt__loader_alloc(struct pt__loader *loader, size_t count, size_t size)
{
    void *memory = pt_arena_alloc(&loader->yaml->arena, count, size);
    if (!memory) loader->no_memory = true;
    return memory;
}

const char *pt__loader_path(struct pt__loader *loader, const char *path)
{
    if (path[0] == '/' || loader->origin_dir[0] == '\0') return path;
    size_t size = strlen(loader->origin_dir) + strlen(path) + 2;
    char *joined = pt__loader_alloc(loader, size, 1);
    if (joined) snprintf(joined, size, "%s/%s", loader->origin_dir, path);
    return joined;
}

const char *pt__loader_input(struct pt__loader *loader, const struct pt_yaml_node *node)
{
    struct pt_config *config = loader->config;
    const char *path = pt__loader_path(loader, node->text);
    if (!path) return NULL;
    if (config->file_count == PT_INPUT_FILES_MAX) {
        pt__loader_say(loader, node->place, "more than %d input files", PT_INPUT_FILES_MAX);
        return NULL;
    }
    config->files[config->file_count++] =
        (struct pt_input_file){.path = path, .path_as_written = node->text};
    return path;
}

uint32_t pt__loader_node(struct pt__loader *loader, struct pt_yaml_place place, const char *name,
                         size_t length)
{
    const struct pt_cluster *cluster = &loader->config->cluster;
    struct pt_suggestion near;
    for (uint32_t i = 0; i < cluster->node_count; i++)
        if (strlen(cluster->nodes[i].name) == length &&
            memcmp(cluster->nodes[i].name, name, length) == 0)
            return i;
    pt_suggest_begin(&near, name, length);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        pt_suggest_offer(&near, cluster->nodes[i].name);
    pt__loader_say(loader, place, "unknown node '%.*s'%s%s%s", (int)(length < 64 ? length : 64),
                   name, near.best ? " (did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?)" : "");
    return PT_NONE;
}
