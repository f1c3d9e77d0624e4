/* Figures of jobs: how completion times and waits are distributed, slowdown against size. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot/figure.h"
#include "analysis/results/job_numbers.h"
#include "analysis/stats/samples.h"

enum { STEPS = 400, GRID_X = 96, GRID_Y = 72, BINS = 12, BIN_JOBS_MIN = 10 };

/* ---- cumulative shares ---- */

/* At most STEPS + 1 points of the distribution of sorted values. */
static void write_steps(FILE *data, const double *values, size_t count)
{
    size_t last = 0;
    for (size_t i = 0; i <= STEPS && count > 0; i++) {
        size_t rank = (size_t)ceil((double)i * (double)count / STEPS);
        if (rank < 1) rank = 1;
        if (rank == last) continue;
        last = rank;
        fprintf(data, "%.9g\t%.9g\n", values[rank - 1], 100 * (double)rank / (double)count);
    }
}

static enum pt_status write_cdf(struct pt__canvas *canvas, const struct pt_plot_run *run,
                                const char *column, const char *state, double *longest_s,
                                struct pt_error *error)
{
    double *values;
    uint64_t rows;
    if (pt_results_job_count(run->reader) == 0) return PT_OK;
    PT_TRY(pt_results_job_numbers(&values, &rows, run->reader, column, state, error));
    double *scratch = malloc((size_t)rows * sizeof *scratch);
    if (!scratch) {
        free(values);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    size_t count = pt_samples_sort(values, scratch, (size_t)rows);
    write_steps(canvas->data, values, count);
    if (count > 0 && values[count - 1] > *longest_s) *longest_s = values[count - 1];
    if (count > 0) canvas->nothing = NULL;
    free(scratch);
    free(values);
    return PT_OK;
}

static enum pt_status draw_cdf(struct pt__canvas *canvas, const char *column, const char *state,
                               struct pt_error *error)
{
    double longest_s = 1;
    canvas->nothing = strcmp(column, "jct_s") == 0 ? "no job was done, or no jobs are kept"
                                                   : "no job started, or no jobs are kept";
    fprintf(canvas->data, "# block by result: %s [s], share of jobs [%%]\n", column);
    for (size_t i = 0; i < canvas->plot->count; i++) {
        const struct pt_plot_run *run = &canvas->plot->runs[i];
        if (i > 0) fputs("\n\n", canvas->data);
        fprintf(canvas->data, "# %s\n", run->label);
        PT_TRY(pt__of_run(run, write_cdf(canvas, run, column, state, &longest_s, error), error));
    }
    fprintf(canvas->script, "longest_s = %.9g\n", longest_s);
    return PT_OK;
}

enum pt_status pt__draw_jct(struct pt__canvas *canvas, struct pt_error *error)
{
    fputs("heading = \"jobs done within\"\n", canvas->script);
    return draw_cdf(canvas, "jct_s", "done", error);
}

enum pt_status pt__draw_wait(struct pt__canvas *canvas, struct pt_error *error)
{
    fputs("heading = \"jobs started within\"\n", canvas->script);
    return draw_cdf(canvas, "wait_s", NULL, error);
}

/* ---- slowdown against size ---- */

/* Jobs with a size (GPU time alone, s) and a slowdown, both above 0. */
struct cloud {
    double *size, *slowdown;
    size_t count;
};

static enum pt_status read_cloud(struct cloud *cloud, const struct pt_plot_run *run,
                                 struct pt_error *error)
{
    double *gpus = NULL, *jct = NULL;
    uint64_t rows = 0;
    *cloud = (struct cloud){0};
    if (pt_results_job_count(run->reader) == 0) return PT_OK;
    enum pt_status status =
        pt_results_job_numbers(&cloud->slowdown, &rows, run->reader, "slowdown", "done", error);
    if (status == PT_OK)
        status = pt_results_job_numbers(&jct, &rows, run->reader, "jct_s", "done", error);
    if (status == PT_OK)
        status = pt_results_job_numbers(&gpus, &rows, run->reader, "gpus", NULL, error);
    for (uint64_t i = 0; status == PT_OK && i < rows; i++) {
        assert(cloud->slowdown && jct && gpus); /* there are rows */
        double slowdown = cloud->slowdown[i];
        double size = jct[i] / slowdown * (gpus[i] > 0 ? gpus[i] : 1);
        if (!(slowdown > 0) || !(size > 0) || isinf(slowdown) || isinf(size)) continue;
        jct[cloud->count] = size;
        cloud->slowdown[cloud->count++] = slowdown;
    }
    if (status == PT_OK)
        cloud->size = jct; /* takes its place */
    else
        free(jct);
    free(gpus);
    return status;
}

/* Cells of a grid in logarithms, so that a million jobs become some thousand points: one for each
 * cell with jobs in it, at the first of them. */
struct grid {
    double low_x, high_x, low_y, high_y;
    uint8_t taken[GRID_X][GRID_Y];
};

static size_t cell_of(double value, double low, double high, size_t cells)
{
    if (!(high > low)) return 0;
    double at = (log(value) - log(low)) / (log(high) - log(low)) * (double)cells;
    return at < 0 ? 0 : at >= (double)cells ? cells - 1 : (size_t)at;
}

static void write_points(FILE *data, const struct cloud *cloud, const struct grid *bounds)
{
    struct grid grid = *bounds;
    for (size_t i = 0; i < cloud->count; i++) {
        size_t x = cell_of(cloud->size[i], grid.low_x, grid.high_x, GRID_X);
        size_t y = cell_of(cloud->slowdown[i], grid.low_y, grid.high_y, GRID_Y);
        if (grid.taken[x][y]) continue;
        grid.taken[x][y] = 1;
        fprintf(data, "%.6g\t%.6g\n", cloud->size[i] / 3600, cloud->slowdown[i]);
    }
}

/* The median slowdown of the jobs in each of BINS classes of size that has enough of them. */
static enum pt_status write_medians(FILE *data, const struct cloud *cloud, const struct grid *grid,
                                    struct pt_error *error)
{
    double *values = malloc((cloud->count + 1) * sizeof *values);
    double *scratch = malloc((cloud->count + 1) * sizeof *scratch);
    enum pt_status status = PT_OK;
    if (!values || !scratch) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (size_t bin = 0; status == PT_OK && bin < BINS; bin++) {
        size_t count = 0;
        for (size_t i = 0; i < cloud->count; i++)
            if (cell_of(cloud->size[i], grid->low_x, grid->high_x, BINS) == bin)
                values[count++] = cloud->slowdown[i];
        if (count < BIN_JOBS_MIN) continue;
        count = pt_samples_sort(values, scratch, count);
        double middle = ((double)bin + 0.5) / BINS;
        double size = exp(log(grid->low_x) + middle * (log(grid->high_x) - log(grid->low_x)));
        fprintf(data, "%.6g\t%.6g\t%zu\n", size / 3600, values[count / 2], count);
    }
    free(values);
    free(scratch);
    return status;
}

static void widen(struct grid *grid, const struct cloud *cloud)
{
    assert(cloud->count == 0 || cloud->size);
    for (size_t i = 0; i < cloud->count; i++) {
        if (cloud->size[i] < grid->low_x) grid->low_x = cloud->size[i];
        if (cloud->size[i] > grid->high_x) grid->high_x = cloud->size[i];
        if (cloud->slowdown[i] < grid->low_y) grid->low_y = cloud->slowdown[i];
        if (cloud->slowdown[i] > grid->high_y) grid->high_y = cloud->slowdown[i];
    }
}

enum pt_status pt__draw_slowdown(struct pt__canvas *canvas, struct pt_error *error)
{
    struct cloud clouds[PT_PLOT_RUNS_MAX] = {{0}};
    struct grid grid = {.low_x = INFINITY, .low_y = 1, .high_y = 1};
    const struct pt_plot *plot = canvas->plot;
    enum pt_status status = PT_OK;
    for (size_t i = 0; i < plot->count && status == PT_OK; i++) {
        status = pt__of_run(&plot->runs[i], read_cloud(&clouds[i], &plot->runs[i], error), error);
        widen(&grid, &clouds[i]);
    }
    if (status == PT_OK && !(grid.high_x > 0))
        canvas->nothing = "no job was done, or no jobs are kept";
    fputs(
        "# two blocks by result: GPU time alone [h], slowdown, a point a group of like jobs; then "
        "GPU time [h], median slowdown, jobs of so many\n",
        canvas->data);
    for (size_t i = 0; i < plot->count && status == PT_OK && !canvas->nothing; i++) {
        fprintf(canvas->data, "%s# %s: points\n", i > 0 ? "\n\n" : "", plot->runs[i].label);
        write_points(canvas->data, &clouds[i], &grid);
        fprintf(canvas->data, "\n\n# %s: medians\n", plot->runs[i].label);
        status = write_medians(canvas->data, &clouds[i], &grid, error);
    }
    for (size_t i = 0; i < plot->count; i++) {
        free(clouds[i].size);
        free(clouds[i].slowdown);
    }
    return status;
}
