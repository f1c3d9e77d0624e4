#include "models/interference/interference.h"

#include <stdlib.h>

#include "models/interference/laws.h"

/* 4.6: SM time and DRAM bandwidth, each shared max-min fairly between jobs that ask for what they
 * use alone; a job is as slow as the scarcer of the two makes it. What it then can't use of the
 * other one is not given away (so it is on the safe side where both are short). An instance has its
 * SMs and its memory slices of either. Caps, fractions and equal shares bound the SM time alone.
 */

static double memory_share(const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu)
{
    return instance && gpu->mig ? (double)instance->size / (double)gpu->mig->memory : 1;
}

/* What resident i can use of the GPU's SM time. */
static double sm_demand(const struct pt_partition *partition, uint32_t i)
{
    double u = partition->residents[i].traits->u;
    double most = pt__cap(partition, i) * partition->share;
    if (partition->sharing == PT_SHARING_EQUAL) most = partition->share / partition->count;
    if (partition->sharing == PT_SHARING_FIXED) most = partition->share / partition->slots;
    if (u > 1) u = 1;
    return u < most ? u : most;
}

static double memory_demand(const struct pt_partition *partition, uint32_t i)
{
    return partition->residents[i].traits->membw;
}

/* The level at which `capacity` is used up when nobody gets more than level or demand; INFINITY
 * where all demands are met. Each round the level rises, so that it ends after at most one round
 * per resident. */
static double level_of(const struct pt_partition *partition, double capacity,
                       double (*demand)(const struct pt_partition *, uint32_t))
{
    for (double level = 0;;) {
        double met = 0;
        uint32_t rest = 0;
        for (uint32_t i = 0; i < partition->count; i++) {
            double wanted = demand(partition, i);
            if (wanted <= level)
                met += wanted;
            else
                rest++;
        }
        if (rest == 0) return INFINITY;
        double next = (capacity - met) / rest;
        if (next <= level) return level;
        level = next;
    }
}

/* The slow-down of needing `wanted` where one gets at most `got`; 0 / 0 is nothing wanted. */
static double stretch(double wanted, double got)
{
    return wanted > got ? wanted / got : 1;
}

static void unit(double *slow, const struct pt_partition *partition, const void *state)
{
    (void)state;
    double memory = memory_share(partition->instance, partition->gpu);
    double sm_level = level_of(partition, partition->share, sm_demand);
    double memory_level = level_of(partition, memory, memory_demand);
    for (uint32_t i = 0; i < partition->count; i++) {
        const struct pt_traits *traits = partition->residents[i].traits;
        double most = sm_demand(partition, i);
        double by_sm = stretch(traits->u < 1 ? traits->u : 1, most < sm_level ? most : sm_level);
        double by_memory = stretch(traits->membw, memory_level);
        slow[i] = by_sm > by_memory ? by_sm : by_memory;
    }
}

static double alone(const struct pt_traits *traits, double share,
                    const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                    const void *state)
{
    (void)state;
    double by_sm = stretch(traits->u < 1 ? traits->u : 1, share);
    double by_memory = stretch(traits->membw, memory_share(instance, gpu));
    return by_sm > by_memory ? by_sm : by_memory;
}

static enum pt_status prepare(void **state, const struct pt_value *values,
                              const struct pt_interference_inputs *inputs, struct pt_error *error)
{
    (void)values;
    (void)inputs;
    (void)error;
    *state = NULL;
    return PT_OK;
}

static uint32_t terms(struct pt_term *list, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const void *state)
{
    return pt__terms(list, scratch, partitions, partition_count, which, resident, &pt_roofline,
                     state, state, 0);
}

static const struct pt_param params[] = {{0}};

const struct pt_interference_ops pt_roofline = {
    .abi = PT_INTERFERENCE_ABI,
    .size = sizeof(struct pt_interference_ops),
    .name = "roofline",
    .summary = "SM time and DRAM bandwidth shared max-min fairly, the scarcer one decides",
    .source = "the roofline form that fits ParvaGPU's saturating inference on MIG within 5.8 %",
    .params = params,
    .prepare = prepare,
    .release = free,
    .unit = unit,
    .alone = alone,
    .terms = terms,
};
