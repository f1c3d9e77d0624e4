#include "sim/experiment/assumptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512 };

static bool add(struct pt__assumptions *all, const char *text)
{
    if (all->count == all->capacity) {
        uint32_t capacity = all->capacity ? 2 * all->capacity : 8;
        char **longer = realloc(all->list, capacity * sizeof *longer);
        if (!longer) return false;
        all->list = longer;
        all->capacity = capacity;
    }
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    if (!copy) return false;
    memcpy(copy, text, length);
    all->list[all->count++] = copy;
    return true;
}

static bool shared_pools(const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (cluster->pools[i].shape.capacity > 1) return true;
    return false;
}

/* What turns cost in the pool; 0 where its mode has no such parameter. */
static double switch_loss(const struct pt_pool *pool)
{
    for (const struct pt_param *param = pool->unit->params; param && param->name; param++)
        if (strcmp(param->name, "switch_loss") == 0)
            return pool->unit_params[param - pool->unit->params].number;
    return 0;
}

static bool interference(struct pt__assumptions *all, const struct pt_config *config)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "interference: none (textbook equal shares)%s",
             config->interference_given ? "" : ", as the experiment names no model");
    bool good = add(all, text);
    for (uint32_t i = 0; i < config->cluster.pool_count && good; i++) {
        const struct pt_pool *pool = &config->cluster.pools[i];
        double loss = switch_loss(pool);
        snprintf(text, sizeof text,
                 "pool %.100s: turns add %g to the time that work takes when shared (switch_loss)",
                 pool->name, loss);
        if (loss > 0) good = add(all, text);
        snprintf(text, sizeof text,
                 "pool %.100s: nobody checks GPU memory before a start (memory: unchecked); what "
                 "doesn't fit fails",
                 pool->name);
        if (good && pool->shape.memory_oom) good = add(all, text);
    }
    return good;
}

static bool speeds(struct pt__assumptions *all, const struct pt_cluster *cluster)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "work_s is run time on %.100s (trace.reference_gpu)",
             cluster->reference_gpu->name);
    bool good = add(all, text);
    for (uint32_t i = 0; i < cluster->pool_count && good; i++) {
        const struct pt_pool *pool = &cluster->pools[i];
        bool said = pool->rate[PT_CLASS_MIXED] == PT_SPEED_ONE;
        for (uint32_t j = 0; j < i && !said; j++)
            said = cluster->pools[j].gpu == pool->gpu;
        if (said) continue;
        snprintf(text, sizeof text,
                 "%.100s runs at %.4g of %.100s's speed for every job (geometric mean of FP16 "
                 "TFLOP/s and GB/s: assumed)",
                 pool->gpu->name, (double)pool->rate[PT_CLASS_MIXED] / (double)PT_SPEED_ONE,
                 cluster->reference_gpu->name);
        good = add(all, text);
    }
    return good;
}

/* Columns that the trace has and that nothing in this experiment looks at. */
static bool unused_columns(struct pt__assumptions *all, const struct pt_trace *trace)
{
    static const enum pt_column_id unused[] = {
        PT_COL_PRIORITY,   PT_COL_ESTIMATE,  PT_COL_PROFILE,   PT_COL_SM_UTIL,
        PT_COL_MEMBW_UTIL, PT_COL_PCIE_UTIL, PT_COL_PROCESSES, PT_COL_PREEMPTIBLE};
    static const char head[] = "columns kept for the result but without effect here: ";
    char text[TEXT_MAX];
    memcpy(text, head, sizeof head);
    size_t used = sizeof head - 1;
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (trace->column[unused[i]])
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used > sizeof head - 1 ? ", " : "", pt_columns[unused[i]].name);
    return used == sizeof head - 1 || add(all, text);
}

static bool shares(struct pt__assumptions *all, const struct pt_config *config,
                   const struct pt_trace *trace)
{
    bool good = true;
    if (trace->column[PT_COL_GPU_FRAC])
        good = add(all, "gpu_frac: a share of a GPU takes a whole GPU or replica in these pools");
    if (good && shared_pools(&config->cluster) && trace->column[PT_COL_GPUS])
        good = add(all, "a gang held back by a slower member keeps its full pressure on the "
                        "neighbours of the others (assumed)");
    return good;
}

/* Tenants of the experiment that no job has: their weight, tier and priority do nothing. */
static bool idle_tenants(struct pt__assumptions *all, const struct pt_config *config,
                         const struct pt_resolved *resolved)
{
    char text[TEXT_MAX];
    bool good = true;
    for (uint32_t i = 1; i < config->tenant_count && good; i++) {
        if (resolved->tenant_has_jobs[i]) continue;
        snprintf(text, sizeof text, "tenant '%.100s' is without effect: no job of the trace has it",
                 config->tenants[i].name);
        good = add(all, text);
    }
    return good;
}

enum pt_status pt__assumptions_make(struct pt__assumptions *assumptions,
                                    const struct pt_config *config, const struct pt_trace *trace,
                                    const struct pt_resolved *resolved, struct pt_error *error)
{
    bool good = interference(assumptions, config) && speeds(assumptions, &config->cluster) &&
                shares(assumptions, config, trace) && unused_columns(assumptions, trace) &&
                idle_tenants(assumptions, config, resolved);
    return good ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory");
}

void pt__assumptions_fini(struct pt__assumptions *assumptions)
{
    for (uint32_t i = 0; i < assumptions->count; i++)
        free(assumptions->list[i]);
    free(assumptions->list);
    *assumptions = (struct pt__assumptions){0};
}
