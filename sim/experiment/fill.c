#include "sim/experiment/fill.h"

#include <stdlib.h>

/* The first row's that knows it; PT_NONE = nobody does. */
static uint32_t memory_of_name(const struct pt_profiles *profiles, uint32_t name)
{
    for (uint32_t i = 0; i < profiles->count; i++)
        if (profiles->rows[i].type == name && profiles->rows[i].mem_mib != PT_NONE)
            return profiles->rows[i].mem_mib;
    return PT_NONE;
}

/* Memory of each word of column `profile`; PT_NONE where its profile says none. */
static enum pt_status memory_of_words(uint32_t **memory, bool *any, const struct pt_trace *trace,
                                      const struct pt_config *config, struct pt_error *error)
{
    const struct pt_words *words = &trace->words[PT_COL_PROFILE];
    *any = false;
    *memory = calloc((size_t)words->count + 1, sizeof **memory);
    if (!*memory) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < words->count; i++) {
        uint32_t name = pt_profiles_find(&config->profiles, words->words[i]);
        (*memory)[i] = memory_of_name(&config->profiles, name);
        *any |= (*memory)[i] != PT_NONE;
    }
    return PT_OK;
}

static enum pt_status fill_memory(struct pt_trace *trace, const struct pt_config *config,
                                  struct pt_error *error)
{
    const uint32_t *words = trace->column[PT_COL_PROFILE];
    uint32_t *memory;
    bool any;
    if (!words) return PT_OK;
    PT_TRY(memory_of_words(&memory, &any, trace, config, error));
    enum pt_status status = PT_OK;
    for (pt_job job = 0; any && job < trace->job_count && status == PT_OK; job++) {
        if (words[job] == PT_NONE || memory[words[job]] == PT_NONE) continue;
        if (pt_trace_u32(trace, PT_COL_GPU_MEM, job) != PT_NONE) continue;
        status = pt_trace_set_u32(trace, job, PT_COL_GPU_MEM, memory[words[job]], error);
    }
    free(memory);
    return status;
}

static enum pt_status fill_checkpoints(struct pt_trace *trace, int64_t checkpoint_ns,
                                       struct pt_error *error)
{
    if (checkpoint_ns == 0) return PT_OK; /* what an empty cell means */
    for (pt_job job = 0; job < trace->job_count; job++)
        if (pt_trace_time(trace, PT_COL_CHECKPOINT, job) == PT_TIME_ABSENT)
            PT_TRY(pt_trace_set_time(trace, job, PT_COL_CHECKPOINT, checkpoint_ns, error));
    return PT_OK;
}

enum pt_status pt_fill_trace(struct pt_trace *trace, const struct pt_config *config,
                             struct pt_error *error)
{
    PT_TRY(fill_memory(trace, config, error));
    return fill_checkpoints(trace, config->checkpoint_ns, error);
}
