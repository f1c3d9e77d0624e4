#include "partita/catalog.h"

#include <math.h>
#include <string.h>

#include "partita/random.h"

/* How much of the gain of mixed jobs light, host-bound ones have. Assumed. */
#define LIGHT_SHARE 0.3

uint32_t pt_mig_find(const struct pt_mig *mig, const char *name)
{
    for (uint32_t i = 0; i < mig->profile_count; i++)
        if (strcmp(mig->profiles[i].name, name) == 0) return i;
    return PT_NONE;
}

uint32_t pt_mig_most(const struct pt_mig *mig, uint32_t at)
{
    const struct pt_mig_profile *profile = &mig->profiles[at];
    uint32_t most = 0, free_from = 0; /* of equal intervals the leftmost leave most room */
    for (uint32_t start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(profile->starts >> start & 1) || start < free_from) continue;
        free_from = start + profile->size;
        most++;
    }
    if (profile->media && most > 1) return 1;
    uint32_t by_compute = mig->compute / profile->compute;
    return most < by_compute ? most : by_compute;
}

static bool is_measured(const struct pt_gpu_model *gpu, enum pt_speed_class class_)
{
    return gpu->speed_against && gpu->speed[class_] > 0;
}

/* What no measurement of this very class says. */
static double by_the_figures(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                             enum pt_speed_class class_)
{
    switch (class_) {
    case PT_CLASS_COMPUTE:
        return gpu->fp16_tflops / reference->fp16_tflops;
    case PT_CLASS_BANDWIDTH:
        return gpu->mem_gb_per_s / reference->mem_gb_per_s;
    case PT_CLASS_LIGHT:
        return 1 + LIGHT_SHARE * (pt_gpu_speed_ratio(gpu, reference, PT_CLASS_MIXED) - 1);
    case PT_CLASS_MIXED:
    case PT_CLASS_COUNT:
        break;
    }
    return sqrt(pt_gpu_speed_ratio(gpu, reference, PT_CLASS_COMPUTE) *
                pt_gpu_speed_ratio(gpu, reference, PT_CLASS_BANDWIDTH));
}

double pt_gpu_speed_ratio(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                          enum pt_speed_class class_)
{
    double speed = 1;
    if (gpu == reference) return speed;
    /* A measurement leads to a GPU that has none itself, so this ends after a step on each side. */
    if (is_measured(gpu, class_)) {
        speed = gpu->speed[class_];
        gpu = gpu->speed_against;
    }
    if (gpu != reference && is_measured(reference, class_)) {
        speed /= reference->speed[class_];
        reference = reference->speed_against;
    }
    return gpu == reference ? speed : speed * by_the_figures(gpu, reference, class_);
}

uint64_t pt_gpu_relative_speed(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                               enum pt_speed_class class_)
{
    double speed = pt_round40(pt_gpu_speed_ratio(gpu, reference, class_));
    return speed < PT_SPEED_RATIO_MAX ? (uint64_t)(speed * (double)PT_SPEED_ONE)
                                      : PT_SPEED_TOO_FAST;
}

const char *pt_speed_class_name(enum pt_speed_class class_)
{
    static const char *const names[PT_CLASS_COUNT] = {
        [PT_CLASS_COMPUTE] = "compute",
        [PT_CLASS_BANDWIDTH] = "bandwidth",
        [PT_CLASS_MIXED] = "mixed",
        [PT_CLASS_LIGHT] = "light",
    };
    return names[class_];
}
