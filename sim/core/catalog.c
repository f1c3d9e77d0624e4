#include "partita/catalog.h"

#include <math.h>
#include <string.h>

#include "partita/random.h"

uint32_t pt_mig_find(const struct pt_mig *mig, const char *name)
{
    for (uint32_t i = 0; i < mig->profile_count; i++)
        if (strcmp(mig->profiles[i].name, name) == 0) return i;
    return PT_NONE;
}

uint64_t pt_gpu_relative_speed(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                               enum pt_speed_class class_)
{
    double compute = gpu->fp16_tflops / reference->fp16_tflops;
    double bandwidth = gpu->mem_gb_per_s / reference->mem_gb_per_s;
    double speed = sqrt(compute * bandwidth);
    if (class_ == PT_CLASS_COMPUTE) speed = compute;
    if (class_ == PT_CLASS_BANDWIDTH) speed = bandwidth;
    if (class_ == PT_CLASS_LIGHT) speed = 1 + 0.3 * (speed - 1);
    return (uint64_t)(pt_round40(speed) * (double)PT_SPEED_ONE);
}
