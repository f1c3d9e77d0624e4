/* What the readers of the formats share: what they read, and problems while they grow. */
#ifndef PT_CLI_MEASURED_PARTS_H
#define PT_CLI_MEASURED_PARTS_H

#include "sim/cli/measured.h"
#include "traces/csv_table.h"

struct pt__reading {
    const struct pt__measured_request *request;
    const struct pt_csv_table *table;
    const uint32_t *columns; /* of the format's columns, in its order; PT_NONE = not there */
    struct pt__measured *measured;
    bool *exclude_used;
};

/* A set of words numbered in the order in which they come. */
struct pt__names {
    char **list; /* owned, and each word too */
    uint32_t count, capacity, last;
};
PT_USE_RESULT enum pt_status pt__names_number(uint32_t *number, struct pt__names *names,
                                              const char *word, struct pt_error *error);
void pt__names_fini(struct pt__names *names);

/* One measured slow-down, or time, before those of the same configuration are averaged. */
struct pt__observation {
    uint32_t a, b, c; /* what it is of: equal ones are averaged */
    uint32_t row, count;
    double value;
};
/* Sorts by (a, b, c), in order of rows, and makes one of equal ones: their mean. */
void pt__observations_merge(struct pt__observation *list, uint32_t *count);

/* Slow-downs that no measurement gives: a number or a unit is wrong. */
#define PT__SLOW_MIN 1e-6
#define PT__SLOW_MAX 1e6

/* Is the job left out by --exclude? */
bool pt__excluded(struct pt__reading *reading, const char *name, const char *model,
                  size_t model_length, const char *batch, size_t batch_length);

void pt__leave_out(struct pt__measured_problem *problem, const char *reason);
void pt__note(struct pt__measured *measured, const char *format, ...) PT_PRINTF(2, 3);

/* A further problem with room for `points`. */
PT_USE_RESULT enum pt_status pt__problem_add(struct pt__measured_problem **problem,
                                             struct pt_fit_point **points,
                                             struct pt__reading *reading, uint32_t point_capacity,
                                             struct pt_error *error);
/* A text that lives as long as the measurements. */
const char *pt__measured_text(struct pt__measured *measured, const char *text);

PT_USE_RESULT enum pt_status pt__measured_pairs(struct pt__reading *reading,
                                                struct pt_error *error);
PT_USE_RESULT enum pt_status pt__measured_slices(struct pt__reading *reading,
                                                 struct pt_error *error);

/* Columns of format gavel, and of miso and parvagpu, by place in pt__reading.columns. */
enum {
    PT__GAVEL_JOB_A,
    PT__GAVEL_JOB_B,
    PT__GAVEL_SOLO_A,
    PT__GAVEL_SOLO_B,
    PT__GAVEL_CO_A,
    PT__GAVEL_CO_B,
    PT__GAVEL_SLOWDOWN_A,
    PT__GAVEL_SLOWDOWN_B,
    PT__GAVEL_GPU,
    PT__GAVEL_FITS,
    PT__GAVEL_SCALE_A,
    PT__GAVEL_SCALE_B
};
enum { PT__SLICE_MODEL, PT__SLICE_SLICE, PT__SLICE_BATCH, PT__SLICE_VALUE, PT__SLICE_PROCESSES };

#endif
