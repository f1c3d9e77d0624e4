/* The Gantt chart: which job held which GPU when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot/figure.h"
#include "analysis/plot/lanes.h"

enum { GPUS_SHOWN = 32, COLUMNS = 1500, TENANTS_SHOWN = 7, BARS_LABELLED = 60 };

struct chart {
    struct pt_bar *bars;
    size_t count;
    uint32_t *lanes;
    char **nodes;
    size_t gpu_count;
    double end_s;
    char *tenants[TENANTS_SHOWN]; /* those named first; the others share a colour */
    size_t tenant_count;
    bool other_tenants;
};

static void release(struct chart *chart)
{
    for (size_t i = 0; i < chart->gpu_count; i++)
        free(chart->nodes[i]);
    for (size_t i = 0; i < chart->tenant_count; i++)
        free(chart->tenants[i]);
    free(chart->nodes);
    free(chart->bars);
    free(chart->lanes);
}

static enum pt_status read_chart(struct chart *chart, struct pt_results_reader *reader,
                                 struct pt_error *error)
{
    struct pt_interval *list;
    size_t count;
    PT_TRY(pt_results_gpu_nodes(&chart->nodes, &chart->gpu_count, reader, error));
    PT_TRY(pt_results_intervals(&list, &count, reader, error));
    chart->bars = malloc((count + 1) * sizeof *chart->bars);
    chart->lanes = calloc(chart->gpu_count + 1, sizeof *chart->lanes);
    for (size_t i = 0; chart->bars && i < count; i++) {
        chart->bars[i] = (struct pt_bar){.interval = list[i]};
        if (list[i].end_s > chart->end_s) chart->end_s = list[i].end_s;
    }
    free(list);
    if (!chart->bars || !chart->lanes) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    chart->count = count;
    return pt_lanes(chart->bars, count, chart->lanes, (uint32_t)chart->gpu_count, error);
}

static uint32_t column_of(struct pt_results_reader *reader, const char *name)
{
    const struct pt_field *fields;
    uint32_t count = pt_results_job_fields(reader, &fields), i = 0;
    while (i < count && strcmp(fields[i].name, name) != 0)
        i++;
    return i;
}

/* The colour of a job's tenant, from 1; TENANTS_SHOWN + 1 for those beyond the legend. */
static enum pt_status colour_of(size_t *colour, struct chart *chart,
                                struct pt_results_reader *reader, uint32_t job, uint32_t column,
                                struct pt_error *error)
{
    struct pt_cell cell = {.text = ""};
    const struct pt_field *fields;
    *colour = 1;
    if (column >= pt_results_job_fields(reader, &fields) || job >= pt_results_job_count(reader))
        return PT_OK;
    PT_TRY(pt_results_job_cell(reader, job, column, &cell, error));
    const char *tenant = cell.text ? cell.text : "";
    for (size_t i = 0; i < chart->tenant_count; i++)
        if (strcmp(chart->tenants[i], tenant) == 0) {
            *colour = i + 1;
            return PT_OK;
        }
    if (chart->tenant_count == TENANTS_SHOWN) {
        chart->other_tenants = true;
        *colour = TENANTS_SHOWN + 1;
        return PT_OK;
    }
    chart->tenants[chart->tenant_count] = strdup(tenant);
    if (!chart->tenants[chart->tenant_count]) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    *colour = ++chart->tenant_count;
    return PT_OK;
}

/* Rows of the bars on the first GPUs that anyone held; what is thinner than a column of the picture
 * is drawn once a column and lane. */
static enum pt_status write_bars(struct pt__canvas *canvas, struct chart *chart,
                                 struct pt_results_reader *reader, struct pt_error *error)
{
    uint32_t tenant = column_of(reader, "tenant"), last_gpu = PT_NONE;
    size_t gpus = 0, shown = 0, thin = 0;
    double thinnest = chart->end_s / COLUMNS, drawn_to[64] = {0};
    for (size_t i = 0; i < chart->count; i++) {
        const struct pt_bar *bar = &chart->bars[i];
        const struct pt_interval *at = &bar->interval;
        if (at->gpu >= chart->gpu_count) break;
        if (at->gpu != last_gpu) {
            if (gpus++ == GPUS_SHOWN) break;
            last_gpu = at->gpu;
            for (size_t k = 0; k < 64; k++)
                drawn_to[k] = -1;
        }
        if (at->end_s - at->start_s < thinnest && bar->lane < 64) {
            if (at->end_s < drawn_to[bar->lane] + thinnest) {
                thin++;
                continue;
            }
            drawn_to[bar->lane] = at->end_s;
        }
        size_t colour;
        PT_TRY(colour_of(&colour, chart, reader, at->job, tenant, error));
        fprintf(canvas->data, "%zu\t%.9g\t%.9g\t%u\t%u\t%zu\t%u\n",
                gpus < GPUS_SHOWN ? gpus : GPUS_SHOWN, at->start_s, at->end_s, bar->lane,
                chart->lanes[at->gpu], colour, at->job);
        shown++;
    }
    if (gpus > GPUS_SHOWN) gpus = GPUS_SHOWN;
    fprintf(canvas->script, "height = %d\n", gpus < 8 ? 380 : (int)(220 + 20 * gpus));
    fprintf(canvas->script, "gpus = %zu\nbars = %zu\nthin = %zu\nnames = %d\n", gpus, shown, thin,
            shown <= BARS_LABELLED);
    return PT_OK;
}

/* "main-0:3" of each GPU shown, in the order of the rows. */
static void write_names(struct pt__canvas *canvas, const struct chart *chart)
{
    size_t gpus = 0, held = 0;
    fprintf(canvas->script, "array gpu[%d]\n", GPUS_SHOWN);
    for (size_t g = 0, first = 0; g < chart->gpu_count; g++) {
        if (g > 0 && strcmp(chart->nodes[g], chart->nodes[g - 1]) != 0) first = g;
        if (chart->lanes[g] == 0) continue;
        if (held++ >= GPUS_SHOWN) continue;
        char name[96];
        snprintf(name, sizeof name, "%.80s:%zu", chart->nodes[g], g - first);
        fprintf(canvas->script, "gpu[%zu] = ", ++gpus);
        pt__script_text(canvas->script, name);
        fputc('\n', canvas->script);
    }
    fprintf(canvas->script, "gpus_left_out = %zu\n", held - gpus);
}

static void write_tenants(struct pt__canvas *canvas, const struct chart *chart)
{
    size_t count = chart->tenant_count + (chart->other_tenants ? 1 : 0);
    fprintf(canvas->script, "tenants = %zu\narray tenant[%zu]\n", count, count > 0 ? count : 1);
    for (size_t i = 0; i < chart->tenant_count; i++) {
        fprintf(canvas->script, "tenant[%zu] = ", i + 1);
        pt__script_text(canvas->script, chart->tenants[i]);
        fputc('\n', canvas->script);
    }
    if (chart->other_tenants) fprintf(canvas->script, "tenant[%zu] = \"others\"\n", count);
}

enum pt_status pt__draw_gantt(struct pt__canvas *canvas, struct pt_error *error)
{
    const struct pt_plot_run *run = &canvas->plot->runs[0];
    struct chart chart = {0};
    fputs(
        "# row of the chart (a GPU), start [s], end [s], lane, lanes of the GPU, colour (tenant), "
        "job (row of /jobs)\n",
        canvas->data);
    enum pt_status status = read_chart(&chart, run->reader, error);
    if (status == PT_OK && chart.count == 0)
        canvas->nothing = "no intervals are kept (output.events: true), or no job held a GPU";
    if (status == PT_OK && !canvas->nothing)
        status = write_bars(canvas, &chart, run->reader, error);
    if (status == PT_OK && !canvas->nothing) {
        write_names(canvas, &chart);
        write_tenants(canvas, &chart);
        fprintf(canvas->script, "end_s = %.9g\nseconds_a_unit = %.9g\n", chart.end_s,
                pt__script_time_unit(canvas->script, chart.end_s));
    }
    release(&chart);
    return pt__of_run(run, status, error);
}
