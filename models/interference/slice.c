#include "models/interference/laws.h"

/* 4.3 additive: f_c C/c + f_m M/m + (1 - f_c - f_m), c of the GPU's C compute slices and m of its M
 * memory slices; written so that the whole GPU gives exactly 1. */
static double additive_slice(const struct pt_traits *traits, const struct pt_mig_profile *instance,
                             const struct pt_mig *mig)
{
    double compute = (double)mig->compute / (double)instance->compute - 1;
    double memory = (double)mig->memory / (double)instance->size - 1;
    return 1 + traits->f_c * compute + traits->f_m * memory;
}

double pt__slice(const struct pt_traits *traits, double share,
                 const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                 bool additive)
{
    if (share >= 1) return 1;
    if (additive && instance && gpu->mig && !isnan(traits->f_c) && !isnan(traits->f_m))
        return additive_slice(traits, instance, gpu->mig);
    return pt__pnorm(traits->u < 1 ? traits->u : 1, share, traits->p);
}

/* On x of a GPU a job needs u/x of its SMs' time per unit of work and takes `slice` of time for it;
 * the time without a kernel, 1 - b, stays what it was. */
struct pt__load pt__load(const struct pt_partition *partition, uint32_t i, bool additive)
{
    const struct pt_traits *traits = partition->residents[i].traits;
    struct pt__load load = {.slice = 1, .raw = traits->u, .busy = traits->busy};
    if (partition->share < 1) {
        load.slice =
            pt__slice(traits, partition->share, partition->instance, partition->gpu, additive);
        load.raw = traits->u / (partition->share * load.slice);
        load.busy = 1 - (1 - traits->busy) / load.slice;
    }
    load.u = load.raw < 1 ? load.raw : 1;
    if (load.busy > 1) load.busy = 1;
    if (partition->share < 1 && load.busy < load.u) load.busy = load.u;
    return load;
}

double pt__alone_under_cap(const struct pt_partition *partition, uint32_t i, bool additive)
{
    return pt__pnorm(pt__load(partition, i, additive).u, pt__cap(partition, i),
                     partition->residents[i].traits->p);
}

double pt__alone_here(const struct pt_partition *partition, uint32_t i, bool additive)
{
    struct pt_partition one = *partition;
    one.residents += i;
    one.count = 1;
    double slow;
    if (one.residents->need->weightless) return pt__load(partition, i, additive).slice;
    switch (one.sharing) {
    case PT_SHARING_SMS:
        pt__shared_sms(&slow, &one, additive);
        return slow;
    case PT_SHARING_CAPPED_TURNS:
        pt__capped_turns(&slow, &one, additive);
        return slow;
    case PT_SHARING_EQUAL:
    case PT_SHARING_FIXED:
        pt__vgpu(&slow, &one, additive);
        return slow;
    case PT_SHARING_ALONE:
    case PT_SHARING_TURNS:
        break;
    }
    return pt__load(partition, i, additive).slice;
}
