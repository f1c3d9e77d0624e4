/* Which pools hold jobs to a cap: it decides the law where SMs are shared (models.md, 4.2). */
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/traits_parts.h"

enum { CAPPED = 1, UNCAPPED = 2 };

static struct pt_ask ask_of(const struct pt_trace *trace, pt_job job)
{
    uint32_t gpus = pt_trace_u32(trace, PT_COL_GPUS, job);
    uint32_t processes = pt_trace_u32(trace, PT_COL_PROCESSES, job);
    return (struct pt_ask){.gpu_frac_ppm = pt_trace_u32(trace, PT_COL_GPU_FRAC, job),
                           .gpu_mem_mib = pt_trace_u32(trace, PT_COL_GPU_MEM, job),
                           .processes = processes == PT_NONE ? 1 : processes,
                           .gpus = gpus == PT_NONE ? 1 : gpus};
}

static bool same(const struct pt_ask *a, const struct pt_ask *b)
{
    return a->gpu_frac_ppm == b->gpu_frac_ppm && a->gpu_mem_mib == b->gpu_mem_mib &&
           a->processes == b->processes && a->gpus == b->gpus;
}

/* Whether the job may go to the pool, as far as names say. */
static bool may_go(const struct pt_trace *trace, pt_job job, const struct pt_pool *pool)
{
    uint32_t word = pt_trace_u32(trace, PT_COL_POOL, job);
    return pt_trace_u32(trace, PT_COL_MIG, job) == PT_NONE &&
           (word == PT_NONE || strcmp(trace->words[PT_COL_POOL].words[word], pool->name) == 0);
}

static uint8_t caps_of(const struct pt_trace *trace, const struct pt_pool *pool)
{
    struct pt_ask last = {.gpus = 0};
    uint8_t seen = 0;
    for (pt_job job = 0; job < trace->job_count && seen != (CAPPED | UNCAPPED); job++) {
        struct pt_ask ask = ask_of(trace, job);
        struct pt_need need;
        if (ask.gpus == 0 || same(&ask, &last) || !may_go(trace, job, pool)) continue;
        last = ask;
        if (pool->unit->need(&need, &pool->shape, &ask) != PT_REASON_NONE) continue;
        seen |= need.capped ? CAPPED : UNCAPPED;
    }
    return seen;
}

enum pt_status pt__traits_caps(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_cluster *cluster = &model->config->cluster;
    model->caps = calloc((size_t)cluster->pool_count + 1, sizeof *model->caps);
    if (!model->caps) return pt_fail(error, PT_ERR_MEMORY, "out of memory for the laws of pools");
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        if (pool->shape.sharing != PT_SHARING_SMS) continue;
        model->caps[p] = pool->unit->nested ? CAPPED : caps_of(model->trace, pool);
    }
    return PT_OK;
}

bool pt_traits_caps(const struct pt_traits_model *model, uint32_t pool)
{
    return model->caps[pool] & CAPPED;
}

bool pt_traits_leaves_free(const struct pt_traits_model *model, uint32_t pool)
{
    return model->caps[pool] & UNCAPPED;
}

enum pt_law pt_traits_law_of_pool(const struct pt_traits_model *model, uint32_t pool,
                                  bool inference)
{
    const struct pt_pool *p = &model->config->cluster.pools[pool];
    if (model->config->interference.ops != &pt_fitted) return PT_LAW_ANY;
    return pt_law_of(p->shape.sharing, p->unit->nested != NULL, pt_traits_caps(model, pool),
                     inference, &model->options);
}
