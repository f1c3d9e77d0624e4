/* How jobs are grouped for the summary: by tenant, pool, tier and kind. */
#ifndef PT_STATS_GROUPS_H
#define PT_STATS_GROUPS_H

#include "analysis/stats/summary.h"

enum pt_dimension_id { PT_BY_NOTHING, PT_BY_TENANT, PT_BY_POOL, PT_BY_TIER, PT_BY_KIND };
#define PT_DIMENSION_COUNT 5

/* One way to split the jobs. Labels are borrowed from the input. */
struct pt__dimension {
    enum pt_dimension_id id;
    const char *name;
    uint32_t count;
    const char **labels;
    uint32_t kind_absent; /* group of a job whose cell of `kind` is empty */
};

/* Finds the groups; fini frees the list of labels. */
PT_USE_RESULT enum pt_status pt__dimension_init(struct pt__dimension *dimension,
                                                enum pt_dimension_id id,
                                                const struct pt_summary_input *input,
                                                struct pt_error *error);
void pt__dimension_fini(struct pt__dimension *dimension);

/* The group of a job, PT_NONE when it is in none (no tier; never ran in a pool). */
uint32_t pt__dimension_group(const struct pt__dimension *dimension,
                             const struct pt_summary_input *input, pt_job job);

uint32_t pt__tenant_of_job(const struct pt_summary_input *input, pt_job job);
/* The pool that a job ran in last, PT_NONE if it never held a GPU. */
uint32_t pt__pool_of_job(const struct pt_summary_input *input, pt_job job);

#endif
