/* Backfilling by the second: worlds of equal GPUs in which every time is a whole number of seconds,
 * and a scheduler that plans everything anew whenever somebody comes, ends or is expected to end,
 * from the definitions alone. */
#ifndef PT_TESTS_SLOW_BACKFILL_H
#define PT_TESTS_SLOW_BACKFILL_H

#include <stdbool.h>
#include <stdint.h>

#define FILL_JOBS 16
#define FILL_FOREVER 1000000 /* seconds */

struct fill_job {
    int submit, work, gpus;
    int estimate; /* 0 = none */
};

struct fill_world {
    int gpus, nodes; /* GPUs in all; the nodes they are on, evenly */
    int job_count;
    struct fill_job jobs[FILL_JOBS]; /* by submit time */
    bool conservative, kill;
    int depth; /* of conservative; 0 = all */
};

struct fill_fate {
    int start, end;
    bool killed;
    int promised; /* the first time it was promised when it had to wait; FILL_FOREVER = none was */
};

/* What becomes of each job. */
void fill_run(struct fill_fate fates[FILL_JOBS], const struct fill_world *world);

/* The least sum of ends, and the least last end, of all schedules that stop nobody and have all
 * jobs on whole GPUs. For a few jobs. */
void fill_optimum(int *sum_of_ends, int *last_end, const struct fill_world *world);

#endif
