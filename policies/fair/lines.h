/* Who waits, by whom it is charged to: a leaf (a user, a tenant) has lines, one for each class of
 * jobs and each rank; a line is in trace order. The lines of a leaf that may be asked are a heap,
 * the greatest key first, then the earliest job.
 *
 * If one job of a class does not fit, none does until something is released: its lines are parked
 * as they come to the front of their leaf, and come back with the release. Costs by jobs started
 * and by leaves, never by jobs that wait. 9 bytes a job; no allocation after init.
 */
#ifndef PT_FAIR_LINES_H
#define PT_FAIR_LINES_H

#include "partita/policy.h"

struct pt_line {
    double key; /* static; greater first */
    uint32_t leaf, class_id;
    uint32_t first, count; /* its jobs: a heap in lines->job */
    uint32_t slot;         /* in its leaf's heap, PT_NONE = not there */
    uint32_t next;         /* of the lines parked with it */
    bool parked;           /* by its class, or for this pass */
};

struct pt_lines {
    uint32_t line_count, leaf_count, class_count;
    struct pt_line *line;
    uint32_t *line_of; /* by job */
    pt_job *job;       /* the lines' heaps */
    uint8_t *flags;    /* by job */

    uint32_t *leaf_first, *leaf_size; /* each leaf's heap in leaf_line */
    uint32_t *leaf_line;
    uint32_t *leaf_slot; /* in active, PT_NONE = none of its lines may be asked */
    uint32_t *active, active_count;
    uint32_t arrivals; /* counts leaves that became active */

    uint32_t *class_waiting; /* jobs */
    uint8_t *class_state;    /* enum pt_class_state */
    uint32_t *class_parked;  /* first of its lines that are parked, PT_NONE = none */
    uint32_t *unfit, unfit_count;
    uint32_t fit_classes; /* with jobs that wait, not known not to fit */
    uint32_t passed;      /* first of the lines parked for this pass */
};

enum pt_class_state {
    PT_CLASS_FITS,     /* as far as is known */
    PT_CLASS_UNFIT,    /* does not fit until one of its pools has a release */
    PT_CLASS_OVERLIMIT /* its tenant is at its limit: any release may help */
};

/* Which line a job is in, beside its class. */
struct pt_line_of {
    uint32_t leaf, rank;
};

/* For pt__lines_init: a leaf for each tenant, and no ranks. */
struct pt_line_of pt__line_of_tenant(void *state, const struct pt_ctx *ctx, pt_job job);
/* Builds the lines of all jobs of the trace: `ask` says each job's leaf and rank; key[] of the
 * lines is 0. `leaf_count` counts the leaves that ask names. On failure fini is still owed. */
PT_USE_RESULT enum pt_status
pt__lines_init(struct pt_lines *lines, const struct pt_ctx *ctx, uint32_t leaf_count,
               struct pt_line_of (*ask)(void *state, const struct pt_ctx *ctx, pt_job job),
               void *state, struct pt_error *error);
void pt__lines_fini(struct pt_lines *lines);

/* The job waits from now on, or waits no more. O(log n). */
void pt__lines_add(struct pt_lines *lines, pt_job job);
void pt__lines_remove(struct pt_lines *lines, pt_job job);
/* The first job of a line that has one. */
pt_job pt__lines_head(const struct pt_lines *lines, uint32_t line);
/* The line at the front of an active leaf. */
static inline uint32_t pt__lines_front(const struct pt_lines *lines, uint32_t leaf)
{
    return lines->leaf_line[lines->leaf_first[leaf]];
}
/* Parks a line with its class, whose state is not PT_CLASS_FITS. */
void pt__lines_park(struct pt_lines *lines, uint32_t line);
/* Parks a line until pt__lines_pass_over. */
void pt__lines_pass_by(struct pt_lines *lines, uint32_t line);
void pt__lines_pass_over(struct pt_lines *lines);
/* The class does not fit, or is over a limit. */
void pt__lines_unfit(struct pt_lines *lines, uint32_t class_id, enum pt_class_state state);
/* Something was released in these pools. */
void pt__lines_released(struct pt_lines *lines, const struct pt_ctx *ctx, uint64_t pools);
/* The same as the callback of a policy whose state begins with its lines. */
void pt__lines_on_release(void *state, struct pt_ctx *ctx, uint64_t pools);

#endif
