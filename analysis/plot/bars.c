/* Figures of groups: a bar for each result in each tenant, tier and kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot/figure.h"

enum { GROUPS_MAX = 16, DIMENSION_GROUPS_MAX = 10, LABEL_MAX = 28 };

struct group {
    const char *dimension, *label;
    double largest; /* of any result: who is shown where there are too many */
};

static double value_of(const struct pt_summary *summary, const struct group *group,
                       const char *metric)
{
    for (uint32_t g = 0; g < summary->group_count; g++) {
        const struct pt_metric_group *one = &summary->groups[g];
        if (strcmp(one->dimension, group->dimension) != 0 || strcmp(one->label, group->label) != 0)
            continue;
        const struct pt_metric *found = pt_summary_find(one, metric);
        return found ? found->value : NAN;
    }
    return NAN;
}

/* The mean over the runs of a side that have the metric. */
static double mean_of(const struct pt_side *side, const struct group *group, const char *metric)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++) {
        double value = value_of(side->runs[i].summary, group, metric);
        if (isnan(value)) continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

static int by_size(const void *a, const void *b)
{
    const struct group *one = a, *two = b;
    if (one->largest < two->largest) return 1;
    if (one->largest > two->largest) return -1;
    return strcmp(one->label, two->label);
}

static bool is_listed(const struct group *groups, size_t count, const struct pt_metric_group *one)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(groups[i].label, one->label) == 0 &&
            strcmp(groups[i].dimension, one->dimension) == 0)
            return true;
    return false;
}

/* The groups of a dimension that have the metric, the largest by `rank` first, cut to `room`;
 * *left counts the others. */
static enum pt_status list_groups(struct group *out, size_t *count, size_t room, size_t *left,
                                  const struct pt_plot *plot, const char *dimension,
                                  const char *metric, const char *rank, struct pt_error *error)
{
    struct group *all = NULL;
    size_t found = 0;
    for (size_t r = 0; r < plot->count; r++) {
        const struct pt_summary *summary = plot->runs[r].side.runs[0].summary;
        for (uint32_t g = 0; g < summary->group_count; g++) {
            const struct pt_metric_group *one = &summary->groups[g];
            if (strcmp(one->dimension, dimension) != 0 || is_listed(all, found, one)) continue;
            struct group group = {one->dimension, one->label, 0};
            bool any = false;
            for (size_t k = 0; k < plot->count; k++) {
                double size = mean_of(&plot->runs[k].side, &group, rank);
                if (size > group.largest) group.largest = size;
                any |= !isnan(mean_of(&plot->runs[k].side, &group, metric));
            }
            if (!any) continue;
            struct group *more = realloc(all, (found + 1) * sizeof *all);
            if (!more) {
                free(all);
                return pt_fail(error, PT_ERR_MEMORY, "out of memory");
            }
            all = more;
            all[found++] = group;
        }
    }
    if (found > 0) qsort(all, found, sizeof *all, by_size);
    *count = found < room ? found : room;
    *left += found - *count;
    if (*count > 0) memcpy(out, all, *count * sizeof *all);
    free(all);
    return PT_OK;
}

/* A label in quotes for the data file: a quote can't stand in it, a backslash stands twice. */
static void write_label(FILE *data, const struct group *group)
{
    char text[LABEL_MAX + 4];
    size_t used = 0;
    const char *label = group->dimension[0] ? group->label : "all jobs";
    for (; *label && used < LABEL_MAX; label++)
        text[used++] = *label == '"' || (unsigned char)*label < 0x20 ? '\'' : *label;
    /* no half of a character of several bytes */
    while (*label && used > 0 && ((unsigned char)*label & 0xc0) == 0x80)
        label--, used--;
    text[used] = '\0';
    fputc('"', data);
    for (const char *at = text; *at; at++) {
        if (*at == '\\') fputc('\\', data);
        fputc(*at, data);
    }
    fprintf(data, "%s\"", *label ? "…" : "");
}

static void write_row(struct pt__canvas *canvas, const struct group *group, const char *metric,
                      double scale, double *largest)
{
    fprintf(canvas->data, "%s\t", group->dimension[0] ? group->dimension : "all");
    write_label(canvas->data, group);
    for (size_t r = 0; r < canvas->plot->count; r++) {
        double value = scale * mean_of(&canvas->plot->runs[r].side, group, metric);
        if (isnan(value))
            fputs("\tNaN", canvas->data);
        else
            fprintf(canvas->data, "\t%.9g", value);
        if (value > *largest) *largest = value;
    }
    fputc('\n', canvas->data);
}

static enum pt_status draw(struct pt__canvas *canvas, const char *const *dimensions,
                           const char *metric, const char *rank, double scale,
                           struct pt_error *error)
{
    struct group groups[GROUPS_MAX];
    size_t rows = 0, left = 0;
    double largest = 0;
    fputs("# by row: dimension, group, then a value for each result\n", canvas->data);
    for (; *dimensions; dimensions++) {
        size_t count = 0, room = GROUPS_MAX - rows;
        if (room > DIMENSION_GROUPS_MAX) room = DIMENSION_GROUPS_MAX;
        PT_TRY(list_groups(groups, &count, room, &left, canvas->plot, *dimensions, metric, rank,
                           error));
        if (count == 1 && rows > 0) continue; /* all jobs are in it */
        for (size_t i = 0; i < count; i++)
            write_row(canvas, &groups[i], metric, scale, &largest);
        rows += count;
    }
    fprintf(canvas->script, "rows = %zu\nleft_out = %zu\nlargest = %.9g\n", rows, left, largest);
    if (rows == 0) canvas->nothing = "no result has the metric";
    return PT_OK;
}

enum pt_status pt__draw_sla(struct pt__canvas *canvas, struct pt_error *error)
{
    static const char *const dimensions[] = {"", "tenant", "tier", "kind", NULL};
    fputs("heading = \"promises kept (SLA satisfaction)\"\nunit = \"% of jobs with a bound\"\n"
          "is_share = 1\n",
          canvas->script);
    PT_TRY(draw(canvas, dimensions, "sla_satisfaction", "jobs", 100, error));
    if (canvas->nothing) canvas->nothing = "no job has an SLA";
    return PT_OK;
}

enum pt_status pt__draw_cost(struct pt__canvas *canvas, struct pt_error *error)
{
    static const char *const dimensions[] = {"tenant", NULL};
    fputs("heading = \"cost by tenant\"\nunit = \"in the currency of the prices\"\n"
          "is_share = 0\n",
          canvas->script);
    PT_TRY(draw(canvas, dimensions, "cost", "cost", 1, error));
    if (canvas->nothing) canvas->nothing = "no pool has a price (price_per_gpu_hour)";
    return PT_OK;
}
