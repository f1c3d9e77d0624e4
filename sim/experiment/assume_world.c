/* What is taken for granted of money, energy, starts and faults. */
#include <math.h>
#include <string.h>

#include "sim/experiment/assumptions.h"

/* Nobody rents an H100-class GPU for less than this, in US$ an hour. */
#define CHEAP_MICRO 100000

static bool is_h100_class(const struct pt_gpu_model *gpu)
{
    static const char *const families[] = {"h100", "gh200", "h200", "b200", "gb200"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(gpu->family, families[i]) == 0) return true;
    return false;
}

static void prices(struct pt__assumptions *all, const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++) {
        const struct pt_pool *pool = &cluster->pools[i];
        if (pool->price_micro_per_hour < 0 || pool->price_micro_per_hour >= CHEAP_MICRO) continue;
        if (is_h100_class(pool->gpu))
            pt__assume(all,
                       "warning: pool %.100s: %.6g an hour for %.60s: an H100 costs 1.5-5 $/h in "
                       "2026",
                       pool->name, 1e-6 * (double)pool->price_micro_per_hour, pool->gpu->name);
    }
}

static void energy(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_config *config = from->config;
    bool other = false;
    for (uint32_t i = 0; i < config->cluster.pool_count; i++)
        other |= strcmp(config->cluster.pools[i].gpu->family, "a100") != 0;
    if (!config->interference.ops) {
        if (config->electricity_price > 0)
            pt__assume(all, "warning: energy is not known under interference: none, so neither is "
                            "what electricity costs");
        return;
    }
    if (other)
        pt__assume(all, "energy: the power of a GPU by its use was fitted on A100 (other GPUs: "
                        "assumed, scaled by the power limit)");
}

/* Jobs that a fractional pool would admit by memory alone. */
static void by_memory_alone(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const uint32_t *mib = from->trace->column[PT_COL_GPU_MEM];
    const uint32_t *share = from->trace->column[PT_COL_GPU_FRAC];
    bool any = false;
    for (pt_job job = 0; mib && job < from->trace->job_count && !any; job++)
        any = mib[job] != PT_NONE && mib[job] > 0 && (!share || share[job] == PT_NONE);
    for (uint32_t i = 0; any && i < from->config->cluster.pool_count; i++) {
        const struct pt_pool *pool = &from->config->cluster.pools[i];
        if (strcmp(pool->unit->name, "fractional") == 0 && pool->shape.memory_admits)
            pt__assume(all,
                       "pool %.100s: a job with gpu_mem_gib and without gpu_frac is admitted by "
                       "memory alone: it holds no share, pays nothing and takes turns",
                       pool->name);
    }
}

static bool has_faults(const struct pt__assumed *from)
{
    const struct pt_config *config = from->config;
    if (config->faults.event_count > 0 || config->faults.gpu_mtbf_ns > 0) return true;
    for (uint32_t i = 0; i < config->cluster.node_count; i++)
        if (config->cluster.nodes[i].down_count > 0) return true;
    return false;
}

static void faults(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_config *config = from->config;
    bool kept = from->trace->column[PT_COL_CHECKPOINT] != NULL;
    if (!has_faults(from)) return;
    if (!kept)
        pt__assume(all, "a fault loses all work of its jobs: nothing is checkpointed");
    else if (config->restore.base_ns == 0 && config->restore.per_gib_ns == 0)
        pt__assume(all, "coming back after a fault with kept work costs nothing "
                        "(preemption.restore)");
}

/* How jobs are stopped where the experiment does not say; and that it costs nothing where neither
 * leaving nor coming back takes time. */
static void preemption(struct pt__assumptions *all, const struct pt_config *config)
{
    const struct pt_preemption *how = &config->preemption;
    const char *lost = how->mode == PT_PREEMPTION_KILL         ? " but for the work that is lost"
                       : how->mode == PT_PREEMPTION_CHECKPOINT ? " but for the work since the last "
                                                                 "checkpoint"
                                                               : "";
    int64_t costs = how->save_base_ns | how->save_per_gib_ns | config->restore.base_ns |
                    config->restore.per_gib_ns | how->redo_ns[0] | how->redo_ns[1] |
                    how->redo_ns[2];
    const struct pt_policy_ops *policy = config->policy;
    unsigned flags = policy->flags ? policy->flags(config->policy_params) : 0;
    if (how->mode == PT_PREEMPTION_NONE || flags & PT_POLICY_STOPS_NOBODY) return;
    if (!config->preemption_given)
        pt__assume(all, "preemption.mode is %s, as policy %.100s has it where nothing else is said",
                   pt_preemption_mode_names[how->mode], config->policy->name);
    if (costs == 0)
        pt__assume(all, "preemption is free%s (preemption.save, preemption.restore)", lost);
}

void pt__assume_world(struct pt__assumptions *all, const struct pt__assumed *from)
{
    prices(all, &from->config->cluster);
    energy(all, from);
    faults(all, from);
    preemption(all, from->config);
    by_memory_alone(all, from);
}
