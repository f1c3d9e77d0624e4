/* How far the metrics of a run lie apart over its seeds: mean, standard deviation, least and most.
 *
 * Only runs that ended well are to be added. A metric that has nothing under it in a run (NaN) is
 * left out of that run alone, and `count` says over how many runs the rest is. A run costs 16 bytes
 * a metric. Rows come out by seed, so the order in which runs end changes nothing, rounding
 * included.
 */
#ifndef PT_REPLICATE_SPREAD_H
#define PT_REPLICATE_SPREAD_H

#include "analysis/stats/summary.h"

struct pt_spread;

struct pt_spread_row {
    const char *name, *unit; /* constants of pt_metric_infos */
    bool is_count;           /* of whole numbers; their mean need not be one */
    size_t count;            /* runs that have a value */
    double mean, sd;         /* NaN: count is 0; less than 2. sd divides by count - 1 */
    double min, max;         /* NaN: count is 0 */
};

/* For at most so many runs. */
PT_USE_RESULT enum pt_status pt_spread_create(struct pt_spread **spread, size_t run_count,
                                              struct pt_error *error);
void pt_spread_destroy(struct pt_spread *spread);
/* Copies the metrics of a group as those of run `index`, once a run. */
PT_USE_RESULT enum pt_status pt_spread_add(struct pt_spread *spread, size_t index,
                                           const struct pt_metric_group *group,
                                           struct pt_error *error);
/* Runs that were added. */
size_t pt_spread_runs(const struct pt_spread *spread);
/* Every metric of the runs added, in the order of the first run that has it. The caller frees
 * *rows. O(metrics^2 x runs). */
PT_USE_RESULT enum pt_status pt_spread_rows(struct pt_spread_row **rows, size_t *count,
                                            const struct pt_spread *spread, struct pt_error *error);

#endif
