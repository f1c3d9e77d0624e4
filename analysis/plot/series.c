/* Figures over time: utilization and allocation, the queue, fragmentation. */
#include <math.h>
#include <stdlib.h>

#include "analysis/plot/figure.h"
#include "analysis/results/table_columns.h"

enum { BUCKETS = 600, ROWS_AS_THEY_ARE = 2 * BUCKETS };

static void write_row(FILE *data, double time_s, double value, double scale)
{
    if (isnan(value))
        fprintf(data, "%.9g\tNaN\n", time_s);
    else
        fprintf(data, "%.9g\t%.6g\n", time_s, scale * value);
}

/* The least and the largest value of rows [first, end), in the order in which they came: peaks stay
 * where thousands of rows become one column of the picture. */
static void write_bucket(FILE *data, const double *times, const double *values, size_t first,
                         size_t end, double scale)
{
    size_t low = first, high = first;
    for (size_t i = first; i < end; i++) {
        if (values[i] < values[low] || isnan(values[low])) low = i;
        if (values[i] > values[high] || isnan(values[high])) high = i;
    }
    size_t one = low < high ? low : high, other = low < high ? high : low;
    write_row(data, times[one], values[one], scale);
    if (other != one) write_row(data, times[other], values[other], scale);
}

static void write_thinned(FILE *data, const double *times, const double *values, size_t count,
                          double scale)
{
    double span = count > 0 ? times[count - 1] - times[0] : 0;
    if (count <= ROWS_AS_THEY_ARE || !(span > 0)) {
        for (size_t i = 0; i < count; i++)
            write_row(data, times[i], values[i], scale);
        return;
    }
    for (size_t first = 0, end; first < count; first = end) {
        double bucket = floor((times[first] - times[0]) / span * BUCKETS);
        for (end = first + 1;
             end < count && floor((times[end] - times[0]) / span * BUCKETS) <= bucket;)
            end++;
        write_bucket(data, times, values, first, end, scale);
    }
}

struct panel {
    const char *series, *title;
    double scale;
};

static enum pt_status write_series(struct pt__canvas *canvas, const struct pt_plot_run *run,
                                   const struct panel *panel, double *longest_s, double *largest,
                                   struct pt_error *error)
{
    double *times = NULL, *values = NULL;
    size_t time_count = 0, count = 0;
    enum pt_status status = pt_results_series(&times, &time_count, run->reader, "time_s", error);
    if (status == PT_OK)
        status = pt_results_series(&values, &count, run->reader, panel->series, error);
    if (count > time_count) count = time_count;
    if (status == PT_OK) write_thinned(canvas->data, times, values, count, panel->scale);
    if (status == PT_OK && count > 0) {
        canvas->nothing = NULL;
        if (times[count - 1] > *longest_s) *longest_s = times[count - 1];
    }
    for (size_t i = 0; status == PT_OK && i < count; i++)
        if (panel->scale * values[i] > *largest) *largest = panel->scale * values[i];
    free(times);
    free(values);
    return status;
}

static enum pt_status draw(struct pt__canvas *canvas, const struct panel *panels, size_t count,
                           bool in_percent, struct pt_error *error)
{
    double longest_s = 0, largest = 0;
    canvas->nothing = "no series were kept (output.series), or nothing happened";
    fputs("# block by panel and result: time [s], value\n", canvas->data);
    fprintf(canvas->script, "height = %d\npanels = %zu\narray heading[%zu]\n",
            count > 1 ? 560 : 380, count, count);
    for (size_t p = 0; p < count; p++) {
        fprintf(canvas->script, "heading[%zu] = \"%s\"\n", p + 1, panels[p].title);
        for (size_t i = 0; i < canvas->plot->count; i++) {
            const struct pt_plot_run *run = &canvas->plot->runs[i];
            if (p + i > 0) fputs("\n\n", canvas->data);
            fprintf(canvas->data, "# %s, %s\n", panels[p].series, run->label);
            PT_TRY(pt__of_run(
                run, write_series(canvas, run, &panels[p], &longest_s, &largest, error), error));
        }
    }
    fprintf(canvas->script,
            "longest_s = %.9g\nseconds_a_unit = %.9g\nin_percent = %d\nlargest = %.9g\n", longest_s,
            pt__script_time_unit(canvas->script, longest_s), in_percent, largest);
    return PT_OK;
}

enum pt_status pt__draw_utilization(struct pt__canvas *canvas, struct pt_error *error)
{
    static const struct panel panels[] = {
        {"allocation", "GPUs allocated, % of those there", 100},
        {"utilization", "GPUs with a running job, % of those there", 100}};
    return draw(canvas, panels, 2, true, error);
}

enum pt_status pt__draw_queue(struct pt__canvas *canvas, struct pt_error *error)
{
    static const struct panel panels[] = {{"queue_length", "jobs waiting", 1}};
    return draw(canvas, panels, 1, false, error);
}

enum pt_status pt__draw_fragmentation(struct pt__canvas *canvas, struct pt_error *error)
{
    static const struct panel panels[] = {
        {"fragmentation", "idle capacity that requests can't use, %", 100}};
    return draw(canvas, panels, 1, true, error);
}
