/* Lanes of a Gantt chart: who shares a GPU is drawn one above the other. */
#ifndef PT_PLOT_LANES_H
#define PT_PLOT_LANES_H

#include "analysis/results/table_columns.h"

/* What a chart shows of an interval. */
struct pt_bar {
    struct pt_interval interval;
    uint32_t lane; /* on its GPU, from 0: the lowest that is free when it begins */
};

/* Gives every bar its lane, and *lanes (room for gpu_count) how many each GPU needs: 1 for one that
 * nobody shares, 0 for one that nobody holds. Bars are sorted by GPU, start, job. Bars of no GPU
 * (PT_NONE, or one that is not below gpu_count) come last and stay without a lane. O(n log n + n x
 * lanes). Fails for want of memory only. */
PT_USE_RESULT enum pt_status pt_lanes(struct pt_bar *bars, size_t count, uint32_t *lanes,
                                      uint32_t gpu_count, struct pt_error *error);

#endif
