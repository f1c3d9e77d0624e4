#include "partita/catalog.h"

#include <math.h>

#include "partita/random.h"

uint64_t pt_gpu_relative_speed(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference)
{
    double compute = gpu->fp16_tflops / reference->fp16_tflops;
    double bandwidth = gpu->mem_gb_per_s / reference->mem_gb_per_s;
    double speed = pt_round40(sqrt(compute * bandwidth));
    return (uint64_t)(speed * (double)PT_SPEED_ONE);
}
