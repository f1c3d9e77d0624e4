#include "analysis/compare/side.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- experiments but for their seeds ---- */

/* The next line of an effective experiment that is not its seed; "" at the end. */
static const char *next_line(const char **text, size_t *length)
{
    const char *line;
    do {
        line = *text;
        *length = strcspn(line, "\n");
        *text = line + *length + (line[*length] == '\n');
    } while (strncmp(line, "seed:", 5) == 0);
    return line;
}

bool pt_same_but_for_seeds(const char *one, const char *two)
{
    size_t length, other;
    const char *a, *b;
    do {
        a = next_line(&one, &length);
        b = next_line(&two, &other);
        if (length != other || memcmp(a, b, length) != 0) return false;
    } while (*a && *b);
    return *a == *b;
}

/* ---- one result ---- */

static const char *text_of(struct pt_results_reader *reader, const char *name)
{
    const char *text = pt_results_manifest_text(reader, name);
    return text ? text : "";
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static enum pt_status read_run(struct pt_side_run *run, const char *path, struct pt_error *error)
{
    PT_TRY(pt_results_read(&run->reader, path, error));
    run->path = copy_of(path, strlen(path));
    run->seed = strtoull(text_of(run->reader, "seed"), NULL, 10);
    run->partial = text_of(run->reader, "partial")[0] == '1';
    run->digest = text_of(run->reader, "digest");
    run->version = text_of(run->reader, "version");
    run->experiment = text_of(run->reader, "effective_yaml");
    run->summary = pt_results_summary(run->reader);
    pt_results_reader_shut(run->reader);
    if (!run->path) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (run->summary->group_count == 0)
        return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "has an empty summary");
    return PT_OK;
}

/* "srtf" of "policy:\n  name: srtf". */
static char *policy_of(const char *experiment)
{
    const char *line = experiment;
    while (*line && strncmp(line, "policy:\n", 8) != 0) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    const char *name = *line && strncmp(line + 8, "  name: ", 8) == 0 ? line + 16 : "";
    return copy_of(name, strcspn(name, "\n"));
}

/* ---- a directory ---- */

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), wanted = strlen(ending);
    return length > wanted && strcmp(name + length - wanted, ending) == 0;
}

static enum pt_status add_run(struct pt_side *side, const char *path, struct pt_error *error)
{
    struct pt_side_run *runs = realloc(side->runs, (side->count + 1) * sizeof *runs);
    if (!runs) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    side->runs = runs;
    runs[side->count] = (struct pt_side_run){0};
    return read_run(&runs[side->count++], path, error);
}

static enum pt_status add_entries(struct pt_side *side, DIR *entries, struct pt_error *error)
{
    enum pt_status status = PT_OK;
    const struct dirent *entry;
    while (status == PT_OK && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.' || !ends_in(entry->d_name, ".h5")) continue;
        if (ends_in(entry->d_name, ".partial.h5")) {
            side->left_out++;
            continue;
        }
        size_t room = strlen(side->path) + strlen(entry->d_name) + 2;
        char *path = malloc(room);
        if (!path) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        const char *slash = ends_in(side->path, "/") ? "" : "/";
        snprintf(path, room, "%s%s%s", side->path, slash, entry->d_name);
        status = add_run(side, path, error);
        free(path);
    }
    return status;
}

static int by_seed(const void *a, const void *b)
{
    const struct pt_side_run *one = a, *two = b;
    if (one->seed != two->seed) return one->seed < two->seed ? -1 : 1;
    return strcmp(one->path, two->path);
}

static enum pt_status check_runs(const struct pt_side *side, struct pt_error *error)
{
    for (size_t i = 1; i < side->count; i++) {
        const struct pt_side_run *run = &side->runs[i], *last = run - 1;
        if (run->seed == last->seed)
            return pt_fail_at(error, PT_ERR_INPUT, run->path, 0, 0,
                              "has the seed of %s, %llu: a side has each seed once", last->path,
                              (unsigned long long)run->seed);
        if (!pt_same_but_for_seeds(side->runs[0].experiment, run->experiment))
            return pt_fail_at(error, PT_ERR_INPUT, run->path, 0, 0,
                              "is of another experiment than %s: a directory is one side when all "
                              "its results differ in their seeds alone",
                              side->runs[0].path);
    }
    return PT_OK;
}

static enum pt_status read_directory(struct pt_side *side, DIR *entries, struct pt_error *error)
{
    side->directory = true;
    PT_TRY(add_entries(side, entries, error));
    if (side->count == 0)
        return pt_fail_at(error, PT_ERR_INPUT, side->path, 0, 0,
                          side->left_out > 0 ? "holds partial results alone"
                                             : "holds no results (files NAME.h5)");
    qsort(side->runs, side->count, sizeof *side->runs, by_seed);
    return check_runs(side, error);
}

enum pt_status pt_side_read(struct pt_side *side, const char *path, struct pt_error *error)
{
    *side = (struct pt_side){.path = path};
    DIR *entries = opendir(path);
    enum pt_status status;
    if (entries) {
        status = read_directory(side, entries, error);
        closedir(entries);
    } else if (errno == ENOTDIR || errno == ENOENT) {
        status = add_run(side, path, error);
    } else {
        status = pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "can't be read: %s", strerror(errno));
    }
    if (status != PT_OK) return status;
    side->policy = policy_of(side->runs[0].experiment);
    return side->policy ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory");
}

void pt_side_fini(struct pt_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        free(side->runs[i].path);
        pt_results_reader_free(side->runs[i].reader);
    }
    free(side->runs);
    free(side->policy);
    *side = (struct pt_side){0};
}
