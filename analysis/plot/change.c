/* The figure of a comparison: the change of each headline metric with its interval. */
#include <math.h>
#include <string.h>

#include "analysis/compare/differences.h"
#include "analysis/plot/figure.h"

static const double alpha = 0.05;

/* better 1, worse 2, neither or not sure 0: how a row is drawn. */
static int kind_of(const struct pt_metric_difference *metric)
{
    enum pt_better better = pt_metric_better(metric->metric->name);
    if (better == PT_BETTER_NEITHER) return 0;
    if (metric->change == PT_CHANGE_UP) return better == PT_BETTER_HIGH ? 1 : 2;
    if (metric->change == PT_CHANGE_DOWN) return better == PT_BETTER_LOW ? 1 : 2;
    return 0;
}

/* *from_zero counts the metrics that changed but have no base to be compared with. */
static size_t write_rows(struct pt__canvas *canvas, const struct pt_differences *differences,
                         size_t *from_zero)
{
    const struct pt_group_differences *group = &differences->groups[0];
    size_t rows = 0;
    for (const char *const *name = pt_headline_metrics; *name; name++)
        for (size_t i = 0; i < group->count; i++) {
            const struct pt_metric_difference *metric = &group->metrics[i];
            const struct pt_difference *d = &metric->difference;
            double base = fabs(d->base_mean);
            if (strcmp(metric->metric->name, *name) != 0 || isinf(base) ||
                !isfinite(d->difference) || metric->change == PT_CHANGE_EQUAL)
                continue;
            if (!(base > 0)) {
                (*from_zero)++;
                continue;
            }
            double change = 100 * d->difference / base;
            bool has = isfinite(d->low) && isfinite(d->high);
            fprintf(canvas->data, "%s\t%.6g\t%.6g\t%.6g\t%d\n", *name, change,
                    has ? 100 * d->low / base : change, has ? 100 * d->high / base : change,
                    kind_of(metric));
            rows++;
        }
    return rows;
}

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum pt_status pt__draw_difference(struct pt__canvas *canvas, struct pt_error *error)
{
    const struct pt_plot *plot = canvas->plot;
    struct pt_differences *differences;
    if (plot->count != 2) {
        canvas->nothing = "it is of two results, or of two directories of them";
        return PT_OK;
    }
    PT_TRY(pt_differences_create(&differences, &plot->runs[0].side, &plot->runs[1].side, alpha,
                                 error));
    fputs("# metric, change against the first result [%], lower and upper end of the 95 % interval "
          "[%], 1 better 2 worse 0 neither or not sure\n",
          canvas->data);
    size_t from_zero = 0, rows = write_rows(canvas, differences, &from_zero);
    if (rows == 0)
        canvas->nothing =
            from_zero > 0 ? "no metric differs but some that were 0" : "no metric differs";
    fprintf(canvas->script, "from_zero = %zu\n", from_zero);
    fprintf(canvas->script, "height = %d\nrows = %zu\npairs = %zu\npaired = %d\n",
            rows < 8 ? 300 : (int)(160 + 20 * rows), rows,
            fewer(differences->base_count, differences->new_count), differences->paired);
    pt_differences_destroy(differences);
    return PT_OK;
}
