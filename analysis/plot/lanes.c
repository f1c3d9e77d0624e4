#include "analysis/plot/lanes.h"

#include <stdlib.h>

static int by_gpu_and_start(const void *a, const void *b)
{
    const struct pt_interval *one = &((const struct pt_bar *)a)->interval,
                             *two = &((const struct pt_bar *)b)->interval;
    if (one->gpu != two->gpu) return one->gpu < two->gpu ? -1 : 1;
    if (one->start_s < two->start_s) return -1;
    if (one->start_s > two->start_s) return 1;
    if (one->job != two->job) return one->job < two->job ? -1 : 1;
    return (one->end_s > two->end_s) - (one->end_s < two->end_s);
}

enum pt_status pt_lanes(struct pt_bar *bars, size_t count, uint32_t *lanes, uint32_t gpu_count,
                        struct pt_error *error)
{
    size_t room = 8;
    double *free_from = calloc(room, sizeof *free_from); /* by lane of the GPU at hand */
    if (!free_from) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (uint32_t gpu = 0; gpu < gpu_count; gpu++)
        lanes[gpu] = 0;
    if (count > 0) qsort(bars, count, sizeof *bars, by_gpu_and_start);
    for (size_t i = 0; i < count && bars[i].interval.gpu < gpu_count; i++) {
        uint32_t *used = &lanes[bars[i].interval.gpu], lane = 0;
        while (lane < *used && free_from[lane] > bars[i].interval.start_s)
            lane++;
        if (lane == room) {
            double *more = realloc(free_from, 2 * room * sizeof *more);
            if (!more) {
                free(free_from);
                return pt_fail(error, PT_ERR_MEMORY, "out of memory");
            }
            free_from = more;
            room *= 2;
        }
        free_from[lane] = bars[i].interval.end_s;
        if (lane == *used) (*used)++;
        bars[i].lane = lane;
    }
    free(free_from);
    return PT_OK;
}
