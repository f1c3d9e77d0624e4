#include "sim/experiment/loader.h"

#include <string.h>

#include "sim/experiment/fill.h"
#include "sim/experiment/resolve.h"
#include "sim/experiment/schema.h"
#include "traces/registry.h"

/* ---- jobs in the file ---- */

/* Sets the cells of one job, which the schema has tried; a word that means nothing is said at its
 * cell. */
static bool fill_job(struct pt__loader *loader, struct pt_trace *trace, pt_job row,
                     const struct pt_yaml_node *map)
{
    struct pt_error error;
    bool fine = true;
    for (const struct pt_yaml_node *cell = map->first; cell; cell = cell->next) {
        enum pt_column_id column = pt_column_find(cell->key, strlen(cell->key));
        if (column == PT_COLUMN_COUNT_) continue; /* x_...: the user's own */
        enum pt_status status = pt_trace_set(trace, row, column, cell->text, cell->length, &error);
        if (status == PT_OK && cell->length > 0)
            status = pt_resolve_word(loader->config, column, cell->text, &error);
        if (status == PT_ERR_MEMORY) loader->no_memory = true;
        if (status == PT_OK) continue;
        pt__loader_say(loader, cell->place, "%s", error.message);
        fine = false;
    }
    return fine;
}

/* The row-th job of the list. */
static const struct pt_yaml_node *job_at(const struct pt_yaml_node *jobs, pt_job row)
{
    const struct pt_yaml_node *map = jobs->first;
    while (map && row-- > 0)
        map = map->next;
    return map;
}

static void load_jobs(struct pt__loader *loader, const struct pt_yaml_node *jobs)
{
    struct pt_config *config = loader->config;
    struct pt_trace *trace = pt__loader_alloc(loader, 1, sizeof *trace);
    struct pt_error error;
    pt_job row, bad_row = PT_NONE;
    uint32_t taken = 0;
    bool fine = true;
    if (!trace) return;
    pt_trace_init(trace);
    config->trace.inline_jobs = trace; /* freed with the config */
    for (const struct pt_yaml_node *map = jobs->first; map; map = map->next) {
        if (taken++ >= config->trace.limit) break;
        if (pt_trace_add(trace, &row, &error) != PT_OK) {
            loader->no_memory = true;
            return;
        }
        fine &= fill_job(loader, trace, row, map);
    }
    if (!fine) return;
    enum pt_status status = pt_trace_finish(trace, &bad_row, &error);
    if (status == PT_OK) status = pt_fill_trace(trace, config, &error);
    if (status == PT_ERR_MEMORY) loader->no_memory = true;
    if (status != PT_ERR_INPUT) return;
    const struct pt_yaml_node *bad = bad_row == PT_NONE ? NULL : job_at(jobs, bad_row);
    for (const struct pt_yaml_node *cell = bad ? bad->first : NULL; cell; cell = cell->next)
        if (strlen(cell->key) == strcspn(error.message, " ") &&
            strncmp(cell->key, error.message, strlen(cell->key)) == 0)
            bad = cell; /* what is wrong with a cell begins with its column's name */
    pt__loader_say(loader, bad ? bad->place : jobs->place, "%s", error.message);
}

/* ---- a source ---- */

static void load_reader(struct pt__loader *loader, const struct pt_yaml_node *trace,
                        const struct pt_yaml_node *source)
{
    struct pt_trace_spec *spec = &loader->config->trace;
    const struct pt_yaml_node *path = pt_yaml_get(trace, "path");
    spec->reader = pt_reader_find(source->text);
    spec->params = pt_schema_values(loader->yaml, spec->reader->params, trace);
    if (!spec->params) loader->no_memory = true;
    if (spec->reader->needs_path && !path)
        pt__loader_say(loader, trace->place, "missing key 'path': source '%s' reads a file",
                       source->text);
    if (!spec->reader->needs_path && path)
        pt__loader_say(loader, path->key_place, "source '%s' reads no file: no 'path' beside it",
                       source->text);
    if (!path) return;
    spec->path_as_written = path->text;
    spec->path = pt__loader_path(loader, path->text);
}

void pt__load_source(struct pt__loader *loader)
{
    const struct pt_yaml_node *trace = pt_yaml_get(loader->root, "trace");
    const struct pt_yaml_node *source = pt_yaml_get(trace, "source");
    const struct pt_yaml_node *jobs = pt_yaml_get(trace, "jobs");
    const struct pt_yaml_node *path = pt_yaml_get(trace, "path");
    bool inside = jobs && jobs->kind == PT_YAML_LIST; /* else it is a source's own parameter */
    int64_t limit = pt__loader_value(trace, "limit")->integer;
    loader->config->trace.limit = limit >= PT_NONE ? PT_NONE : (uint32_t)limit;
    if (source && inside)
        pt__loader_say(loader, source->key_place, "'source' and 'jobs' exclude each other");
    else if (source)
        load_reader(loader, trace, source);
    else if (!inside)
        pt__loader_say(loader, trace->place, "missing key 'source' (or 'jobs')");
    else if (path)
        pt__loader_say(loader, path->key_place, "'path' belongs to a source, not to 'jobs'");
    else
        load_jobs(loader, jobs);
}
