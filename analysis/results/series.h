/* /series: time-weighted means per interval, a row where something changed. */
#ifndef PT_RESULTS_SERIES_H
#define PT_RESULTS_SERIES_H

#include "analysis/results/table.h"
#include "partita/cluster.h"
#include "partita/recorder.h"

struct pt__series;

/* Makes /series with time_s, queue_length and, for the cluster and below pool/NAME for each pool,
 * utilization, allocation and fragmentation. The cluster may be NULL: then without pools. */
PT_USE_RESULT enum pt_status pt__series_create(struct pt__series **series, hid_t file,
                                               const struct pt_cluster *cluster, int compression,
                                               struct pt_error *error);
PT_USE_RESULT enum pt_status
pt__series_add(struct pt__series *series, const struct pt_series_row *row, struct pt_error *error);
/* `end_s`: where the last interval ends. Frees either way. */
PT_USE_RESULT enum pt_status pt__series_close(struct pt__series *series, double end_s,
                                              struct pt_error *error);
/* NULL is allowed. */
void pt__series_abandon(struct pt__series *series);

#endif
