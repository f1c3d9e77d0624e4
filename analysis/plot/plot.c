#include "analysis/plot/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot/figure.h"

const char *const pt_plot_formats[] = {"svg", "png", "pdf", NULL};

/* ---- labels and colours ---- */

static char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* "whole" of "runs/whole.h5", "runs" of "runs/". */
static char *stem_of(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (end - begin > 3 && strncmp(path + end - 3, ".h5", 3) == 0) end -= 3;
    return copy_of(path + begin, end - begin);
}

static bool policies_differ(const struct pt_plot *plot)
{
    for (size_t i = 0; i < plot->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(plot->runs[i].side.policy, plot->runs[j].side.policy) == 0) return false;
    return plot->runs[0].side.policy[0] != '\0';
}

/* Colours in the order in which policies are named first. */
static void choose_colours(struct pt_plot *plot)
{
    unsigned colours = 0;
    for (size_t i = 0; i < plot->count; i++) {
        struct pt_plot_run *run = &plot->runs[i];
        run->colour = 0;
        for (size_t j = 0; j < i; j++)
            if (strcmp(run->side.policy, plot->runs[j].side.policy) == 0)
                run->colour = plot->runs[j].colour;
        if (run->colour == 0) run->colour = ++colours;
    }
    for (size_t i = 0; colours == 1 && i < plot->count; i++)
        plot->runs[i].colour = (unsigned)i + 1; /* nothing to tell policies apart by */
}

static enum pt_status read_run(struct pt_plot_run *run, const char *path, struct pt_error *error)
{
    PT_TRY(pt_side_read(&run->side, path, error));
    return pt_results_read(&run->reader, run->side.runs[0].path, error);
}

enum pt_status pt_plot_read(struct pt_plot *plot, const char *const *paths, size_t count,
                            struct pt_error *error)
{
    *plot = (struct pt_plot){0};
    if (count > PT_PLOT_RUNS_MAX)
        return pt_fail(error, PT_ERR_INPUT, "%zu results: a figure holds %d at most", count,
                       PT_PLOT_RUNS_MAX);
    for (size_t i = 0; i < count; i++) {
        plot->count++;
        PT_TRY(read_run(&plot->runs[i], paths[i], error));
    }
    bool by_policy = plot->count > 1 && policies_differ(plot);
    for (size_t i = 0; i < plot->count; i++) {
        struct pt_plot_run *run = &plot->runs[i];
        const char *policy = run->side.policy;
        run->label = by_policy ? copy_of(policy, strlen(policy)) : stem_of(run->side.path);
        if (!run->label) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    choose_colours(plot);
    return PT_OK;
}

void pt_plot_fini(struct pt_plot *plot)
{
    for (size_t i = 0; i < plot->count; i++) {
        pt_results_reader_free(plot->runs[i].reader);
        pt_side_fini(&plot->runs[i].side);
        free(plot->runs[i].label);
    }
    *plot = (struct pt_plot){0};
}

/* ---- scripts ---- */

void pt__script_text(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', script);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, script);
    }
    fputc('"', script);
}

double pt__script_time_unit(FILE *script, double span_s)
{
    static const struct {
        double from, seconds;
        const char *name;
    } units[] = {{3 * 86400, 86400, "days"}, {3 * 3600, 3600, "hours"}, {180, 60, "minutes"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (span_s > units[i].from) {
            fprintf(script, "time_unit = \"%s\"\n", units[i].name);
            return units[i].seconds;
        }
    fputs("time_unit = \"seconds\"\n", script);
    return 1;
}

enum pt_status pt__of_run(const struct pt_plot_run *run, enum pt_status status,
                          struct pt_error *error)
{
    if (status != PT_OK && error && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", run->side.runs[0].path);
    return status;
}
