/* The files of a figure: made in a directory of their own, then moved to their place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/plot/figure.h"
#include "analysis/registry.h"

const struct pt__figure pt__figures[] = {
    {"jct_cdf", "share of jobs done within a time since their submission", pt_plot_cdf_gp,
     &pt_plot_cdf_gp_length, pt__draw_jct},
    {"wait_cdf", "share of jobs started within a time since their submission", pt_plot_cdf_gp,
     &pt_plot_cdf_gp_length, pt__draw_wait},
    {"slowdown", "slowdown of jobs against their size, with the median", pt_plot_slowdown_gp,
     &pt_plot_slowdown_gp_length, pt__draw_slowdown},
    {"sla", "share of promises kept, by tenant, tier and kind", pt_plot_bars_gp,
     &pt_plot_bars_gp_length, pt__draw_sla},
    {"cost", "cost by tenant", pt_plot_bars_gp, &pt_plot_bars_gp_length, pt__draw_cost},
    {"utilization", "utilization and allocation of the GPUs over time", pt_plot_series_gp,
     &pt_plot_series_gp_length, pt__draw_utilization},
    {"queue", "length of the queue over time", pt_plot_series_gp, &pt_plot_series_gp_length,
     pt__draw_queue},
    {"fragmentation", "idle capacity that waiting requests can't use, over time", pt_plot_series_gp,
     &pt_plot_series_gp_length, pt__draw_fragmentation},
    {"gantt", "which job held which GPU when (needs output.events)", pt_plot_gantt_gp,
     &pt_plot_gantt_gp_length, pt__draw_gantt},
    {"difference", "two results or two groups of seeds: changes with their intervals",
     pt_plot_difference_gp, &pt_plot_difference_gp_length, pt__draw_difference},
    {NULL, NULL, NULL, NULL, NULL}};

const char *pt_figure_name(size_t index)
{
    return pt__figures[index].name;
}

const char *pt_figure_about(size_t index)
{
    return pt__figures[index].about;
}

/* Where a figure is made: DIRECTORY/.plot-PID, and the names of its files. */
struct workshop {
    char *from, *to; /* room for a path in either directory */
    size_t room;
    const char *directory, *name;
};

static const char *inside(struct workshop *w, const char *ending)
{
    snprintf(w->from, w->room, "%s/.plot-%ld/%s%s%s", w->directory, (long)getpid(), w->name,
             ending[0] ? "." : "", ending);
    return w->from;
}

static const char *outside(struct workshop *w, const char *ending)
{
    snprintf(w->to, w->room, "%s/%s.%s", w->directory, w->name, ending);
    return w->to;
}

static const char *directory_of(struct workshop *w)
{
    snprintf(w->from, w->room, "%s/.plot-%ld", w->directory, (long)getpid());
    return w->from;
}

static void clear(struct workshop *w)
{
    unlink(inside(w, "tsv"));
    unlink(inside(w, "gp"));
    for (const char *const *format = pt_plot_formats; *format; format++)
        unlink(inside(w, *format));
    rmdir(directory_of(w));
}

static enum pt_status move(struct workshop *w, const char *ending, struct pt_error *error)
{
    if (rename(inside(w, ending), outside(w, ending)) == 0) return PT_OK;
    return pt_fail_at(error, PT_ERR_IO, outside(w, ending), 0, 0, "can't be written: %s",
                      strerror(errno));
}

/* ---- the script ---- */

static void write_runs(FILE *script, const struct pt_plot *plot)
{
    fprintf(script, "count = %zu\narray label[%zu]\narray colour[%zu]\n", plot->count, plot->count,
            plot->count);
    for (size_t i = 0; i < plot->count; i++) {
        fprintf(script, "label[%zu] = ", i + 1);
        pt__script_text(script, plot->runs[i].label);
        fprintf(script, "; colour[%zu] = %u\n", i + 1, plot->runs[i].colour);
    }
}

static void write_head(const struct pt__canvas *canvas, const struct pt__figure *figure,
                       enum pt_plot_format format)
{
    const char *ending = pt_plot_formats[format];
    fprintf(canvas->script,
            "# %s: %s.\n# Draws %s.%s from %s.tsv; written by partita plot.\n"
            "format = \"%s\"\noutput_file = \"%s.%s\"\ndata = \"%s.tsv\"\n",
            figure->name, figure->about, figure->name, ending, figure->name, ending, figure->name,
            ending, figure->name);
    write_runs(canvas->script, canvas->plot);
}

static enum pt_status write_files(struct pt__canvas *canvas, const struct pt__figure *figure,
                                  enum pt_plot_format format, struct pt_error *error)
{
    write_head(canvas, figure, format);
    fprintf(canvas->data, "# %s: %s\n", figure->name, figure->about);
    PT_TRY(figure->draw(canvas, error));
    fputc('\n', canvas->script);
    fwrite(pt_plot_style_gp, 1, pt_plot_style_gp_length, canvas->script);
    fputc('\n', canvas->script);
    fwrite(figure->script, 1, *figure->script_length, canvas->script);
    return PT_OK;
}

static enum pt_status write_both(struct workshop *w, struct pt__canvas *canvas,
                                 const struct pt__figure *figure, enum pt_plot_format format,
                                 struct pt_error *error)
{
    canvas->data = fopen(inside(w, "tsv"), "w");
    canvas->script = canvas->data ? fopen(inside(w, "gp"), "w") : NULL;
    enum pt_status status = PT_OK;
    if (!canvas->script)
        status = pt_fail_at(error, PT_ERR_IO, inside(w, "gp"), 0, 0, "can't be written: %s",
                            strerror(errno));
    if (status == PT_OK) status = write_files(canvas, figure, format, error);
    bool lost =
        (canvas->data && ferror(canvas->data)) || (canvas->script && ferror(canvas->script));
    if (canvas->data && fclose(canvas->data) != 0) lost = true;
    if (canvas->script && fclose(canvas->script) != 0) lost = true;
    if (status == PT_OK && lost)
        status = pt_fail_at(error, PT_ERR_IO, outside(w, "tsv"), 0, 0, "can't be written: %s",
                            strerror(errno));
    return status;
}

static enum pt_status make(struct workshop *w, const struct pt__figure *figure,
                           const struct pt_plot *plot, enum pt_plot_format format, const char **why,
                           struct pt_error *error)
{
    struct pt__canvas canvas = {.plot = plot};
    char script[64];
    if (mkdir(directory_of(w), 0777) != 0)
        return pt_fail_at(error, PT_ERR_INPUT, w->directory, 0, 0, "can't hold figures: %s",
                          strerror(errno));
    PT_TRY(write_both(w, &canvas, figure, format, error));
    *why = canvas.nothing;
    if (canvas.nothing) return PT_OK;
    snprintf(script, sizeof script, "%.40s.gp", figure->name);
    enum pt_status drawn = pt__gnuplot(directory_of(w), script, error);
    struct pt_error second;
    enum pt_status status = move(w, "tsv", &second);
    if (status == PT_OK) status = move(w, "gp", &second);
    if (drawn != PT_OK) return drawn;
    if (status == PT_OK) status = move(w, pt_plot_formats[format], &second);
    if (status != PT_OK) *error = second;
    return status;
}

enum pt_status pt_figure_draw(size_t index, const struct pt_plot *plot, const char *directory,
                              enum pt_plot_format format, const char **why, struct pt_error *error)
{
    struct workshop w = {.directory = directory, .name = pt__figures[index].name};
    w.room = strlen(directory) + 2 * strlen(w.name) + 64;
    w.from = malloc(w.room);
    w.to = malloc(w.room);
    *why = NULL;
    enum pt_status status = PT_OK;
    if (!w.from || !w.to) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) {
        status = make(&w, &pt__figures[index], plot, format, why, error);
        clear(&w);
    }
    free(w.from);
    free(w.to);
    return status;
}
