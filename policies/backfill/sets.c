#include "policies/backfill/sets.h"

#include <stdlib.h>
#include <string.h>

enum pt_status pt__set_init(struct pt_set *set, const struct pt_ctx *ctx, struct pt_error *error)
{
    uint32_t jobs = pt_view_trace(ctx)->job_count, most = 1;
    for (pt_job job = 0; job < jobs; job++) {
        uint32_t units = pt_view_units_wanted(ctx, job);
        if (units > most && pt_view_class_pools(ctx, pt_view_class_of(ctx, job)) != 0) most = units;
    }
    set->units = (struct pt_units){.capacity = most};
    set->units.gpus = malloc(most * sizeof *set->units.gpus);
    set->units.starts = malloc(most);
    if (set->units.gpus == NULL || set->units.starts == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for a job of %u units", most);
    return PT_OK;
}

void pt__set_fini(struct pt_set *set)
{
    free(set->units.gpus);
    free(set->units.starts);
}

void pt__set_copy(struct pt_set *set, const struct pt_units *units)
{
    set->units.pool = units->pool;
    set->units.node = units->node;
    set->units.count = units->count;
    memcpy(set->units.gpus, units->gpus, units->count * sizeof *units->gpus);
    if (units->starts != NULL)
        memcpy(set->units.starts, units->starts, units->count);
    else
        memset(set->units.starts, PT_CELL_ANY, units->count);
}
