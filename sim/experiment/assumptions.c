#include "sim/experiment/assumptions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512 };

static void add(struct pt__assumptions *all, const char *text)
{
    size_t length = strlen(text) + 1;
    if (all->count == all->capacity) {
        uint32_t capacity = all->capacity ? 2 * all->capacity : 8;
        char **longer = realloc(all->list, capacity * sizeof *longer);
        all->no_memory |= !longer;
        if (!longer) return;
        all->list = longer;
        all->capacity = capacity;
    }
    char *copy = malloc(length);
    all->no_memory |= !copy;
    if (!copy) return;
    memcpy(copy, text, length);
    all->list[all->count++] = copy;
}

void pt__assume(struct pt__assumptions *all, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(all, text);
}

static void memory(struct pt__assumptions *all, const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (cluster->pools[i].shape.memory_oom)
            pt__assume(all,
                       "pool %.100s: nobody checks GPU memory before a start (memory: unchecked); "
                       "what doesn't fit fails",
                       cluster->pools[i].name);
}

static double speed_of(uint64_t rate)
{
    return (double)rate / (double)PT_SPEED_ONE;
}

/* Jobs of other classes than mixed are only those with a profile. */
static void speed(struct pt__assumptions *all, const struct pt_cluster *cluster,
                  const struct pt_pool *pool, bool profiles)
{
    const char *reference = cluster->reference_gpu->name;
    bool measured = pool->gpu->speed_against || cluster->reference_gpu->speed_against;
    const char *how = measured ? "measured for some classes, else from" : "assumed, from";
    if (!profiles)
        pt__assume(all,
                   "%.100s runs at %.4g of %.100s's speed for every job (%s the geometric mean of "
                   "FP16 TFLOP/s and GB/s)",
                   pool->gpu->name, speed_of(pool->rate[PT_CLASS_MIXED]), reference, how);
    else
        pt__assume(all,
                   "%.100s runs at %.4g of %.100s's speed for compute-bound jobs, %.4g for "
                   "bandwidth-bound, %.4g for mixed, %.4g for light ones (%s FP16 TFLOP/s and "
                   "GB/s)",
                   pool->gpu->name, speed_of(pool->rate[PT_CLASS_COMPUTE]), reference,
                   speed_of(pool->rate[PT_CLASS_BANDWIDTH]), speed_of(pool->rate[PT_CLASS_MIXED]),
                   speed_of(pool->rate[PT_CLASS_LIGHT]), how);
}

static void speeds(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_cluster *cluster = &from->config->cluster;
    bool profiles = pt_traits_get_facts(from->traits).by_profile > 0;
    pt__assume(all, "work_s is run time on %.100s (trace.reference_gpu)",
               cluster->reference_gpu->name);
    for (uint32_t i = 0; i < cluster->pool_count; i++) {
        const struct pt_pool *pool = &cluster->pools[i];
        bool said = pool->gpu == cluster->reference_gpu;
        for (uint32_t j = 0; j < i && !said; j++)
            said = cluster->pools[j].gpu == pool->gpu;
        if (!said) speed(all, cluster, pool, profiles);
    }
}

/* Whether some pool counts processes as clients. */
static bool counts_processes(const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (cluster->pools[i].shape.sharing == PT_SHARING_SMS) return true;
    return false;
}

/* Whether the policy says that it reads the column. */
static bool reads(const struct pt_policy_ops *policy, enum pt_column_id column)
{
    size_t length = strlen(pt_columns[column].name);
    for (const char *at = policy->columns; at && *at;) {
        size_t word = strcspn(at, ", ");
        if (word == length && strncmp(at, pt_columns[column].name, length) == 0) return true;
        at += word;
        at += strspn(at, ", ");
    }
    return false;
}

/* Columns that the trace has and that nothing in this experiment looks at. */
static void unused_columns(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_policy_ops *policy = from->config->policy;
    bool model = from->config->interference.ops != NULL;
    bool stops = from->config->preemption.mode != PT_PREEMPTION_NONE, fixed = false;
    for (uint32_t i = 0; i < from->config->priority_count; i++) /* such a class says who stays */
        fixed |= !from->config->priorities[i].rank.preemptible;
    const struct {
        enum pt_column_id column;
        bool used;
    } columns[] = {{PT_COL_PRIORITY, (stops && fixed) || reads(policy, PT_COL_PRIORITY)},
                   {PT_COL_ESTIMATE, reads(policy, PT_COL_ESTIMATE)},
                   {PT_COL_SM_UTIL, model},
                   {PT_COL_MEMBW_UTIL, model},
                   {PT_COL_PCIE_UTIL, model},
                   {PT_COL_PROCESSES, counts_processes(&from->config->cluster)},
                   {PT_COL_PREEMPTIBLE, stops || reads(policy, PT_COL_PREEMPTIBLE)}};
    char text[TEXT_MAX] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (from->trace->column[columns[i].column] && !columns[i].used)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                     pt_columns[columns[i].column].name);
    if (used > 0)
        pt__assume(all, "columns kept for the result but without effect here: %.300s", text);
}

static bool is_mode(const struct pt_pool *pool, const char *name)
{
    return strcmp(pool->unit->name, name) == 0;
}

static void shares(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_cluster *cluster = &from->config->cluster;
    bool shared = false, fractions = false;
    for (uint32_t i = 0; i < cluster->pool_count; i++) {
        const struct pt_pool *pool = &cluster->pools[i];
        shared |= pool->shape.capacity > 1;
        fractions |= !is_mode(pool, "exclusive") && !is_mode(pool, "time_slice");
    }
    if (from->trace->column[PT_COL_GPU_FRAC] && !fractions)
        pt__assume(all, "gpu_frac: a share of a GPU takes a whole GPU or replica in these pools");
    if (shared && from->trace->column[PT_COL_GPUS])
        pt__assume(all, "a gang held back by a slower member keeps its full pressure on the "
                        "neighbours of the others (assumed)");
}

/* Tenants of the experiment that no job has: their weight, tier and priority do nothing. */
static void idle_tenants(struct pt__assumptions *all, const struct pt__assumed *from)
{
    for (uint32_t i = 1; i < from->config->tenant_count; i++)
        if (!from->resolved->tenant_has_jobs[i] && !from->config->tenants[i].has_children)
            pt__assume(all, "tenant '%.100s' is without effect: no job of the trace has it",
                       from->config->tenants[i].name);
}

enum pt_status pt__assumptions_make(struct pt__assumptions *assumptions,
                                    const struct pt__assumed *from, struct pt_error *error)
{
    pt__assume_models(assumptions, from);
    memory(assumptions, &from->config->cluster);
    speeds(assumptions, from);
    shares(assumptions, from);
    pt__assume_world(assumptions, from);
    unused_columns(assumptions, from);
    idle_tenants(assumptions, from);
    return assumptions->no_memory ? pt_fail(error, PT_ERR_MEMORY, "out of memory") : PT_OK;
}

void pt__assumptions_fini(struct pt__assumptions *assumptions)
{
    for (uint32_t i = 0; i < assumptions->count; i++)
        free(assumptions->list[i]);
    free(assumptions->list);
    *assumptions = (struct pt__assumptions){0};
}
