#include "sim/replicate/spread.h"

#include <assert.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metrics of one run. */
struct sample {
    uint32_t count;
    struct pt_metric *metrics; /* NULL = not added */
};

struct pt_spread {
    size_t run_count, added;
    struct sample samples[];
};

enum pt_status pt_spread_create(struct pt_spread **spread, size_t run_count, struct pt_error *error)
{
    *spread = calloc(1, sizeof **spread + run_count * sizeof(struct sample));
    if (!*spread) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    (*spread)->run_count = run_count;
    return PT_OK;
}

void pt_spread_destroy(struct pt_spread *spread)
{
    if (!spread) return;
    for (size_t i = 0; i < spread->run_count; i++)
        free(spread->samples[i].metrics);
    free(spread);
}

enum pt_status pt_spread_add(struct pt_spread *spread, size_t index,
                             const struct pt_metric_group *group, struct pt_error *error)
{
    assert(index < spread->run_count && !spread->samples[index].metrics);
    struct sample *sample = &spread->samples[index];
    sample->metrics = calloc(group->count + 1, sizeof *sample->metrics);
    if (!sample->metrics) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    memcpy(sample->metrics, group->metrics, group->count * sizeof *sample->metrics);
    sample->count = group->count;
    spread->added++;
    return PT_OK;
}

size_t pt_spread_runs(const struct pt_spread *spread)
{
    return spread->added;
}

static const struct pt_metric *find(const struct sample *sample, const char *name)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (strcmp(sample->metrics[i].name, name) == 0) return &sample->metrics[i];
    return NULL;
}

/* Names the metrics; returns how many. `rows` has room for all. */
static size_t collect(struct pt_spread_row *rows, const struct pt_spread *spread)
{
    size_t count = 0;
    for (size_t run = 0; run < spread->run_count; run++)
        for (uint32_t i = 0; i < spread->samples[run].count; i++) {
            const struct pt_metric *metric = &spread->samples[run].metrics[i];
            size_t known = 0;
            while (known < count && strcmp(rows[known].name, metric->name) != 0)
                known++;
            if (known < count) continue;
            rows[count++] = (struct pt_spread_row){
                .name = metric->name, .unit = metric->unit, .is_count = metric->is_count};
        }
    return count;
}

static void describe(struct pt_spread_row *row, const struct pt_spread *spread, double *values)
{
    row->mean = row->sd = row->min = row->max = NAN;
    for (size_t run = 0; run < spread->run_count; run++) {
        const struct pt_metric *metric = find(&spread->samples[run], row->name);
        if (metric && !isnan(metric->value)) values[row->count++] = metric->value;
    }
    if (row->count == 0) return;
    row->mean = gsl_stats_mean(values, 1, row->count);
    gsl_stats_minmax(&row->min, &row->max, values, 1, row->count);
    /* the mean of equal values may be a digit off, and their deviation with it */
    if (!(row->min < row->max)) row->mean = row->min;
    if (row->count > 1) row->sd = gsl_stats_sd_m(values, 1, row->count, row->mean);
}

enum pt_status pt_spread_rows(struct pt_spread_row **rows, size_t *count,
                              const struct pt_spread *spread, struct pt_error *error)
{
    size_t room = 1;
    for (size_t run = 0; run < spread->run_count; run++)
        room += spread->samples[run].count;
    double *values = calloc(spread->run_count + 1, sizeof *values);
    *rows = calloc(room, sizeof **rows);
    *count = 0;
    if (!values || !*rows) {
        free(values);
        free(*rows);
        *rows = NULL;
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    *count = collect(*rows, spread);
    for (size_t i = 0; i < *count; i++)
        describe(&(*rows)[i], spread, values);
    free(values);
    return PT_OK;
}
