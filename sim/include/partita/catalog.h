/* A GPU model as the catalogue describes it (models/catalog/gpus.yaml; models.md, section 1).
 * Plain data: the loader in sim/experiment fills it from YAML, everybody else only reads.
 */
#ifndef PARTITA_CATALOG_H
#define PARTITA_CATALOG_H

#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pt_gpu_model {
    const char *name;   /* "h100-sxm5-80gb" */
    const char *family; /* "h100" */
    uint32_t sms;
    uint32_t mem_mib;
    double fp16_tflops; /* dense tensor peak */
    double mem_gb_per_s;
    double tdp_w;       /* NaN = no source */
    const char *source; /* where the figures come from, a sentence */
};

/* Relative speed of `gpu` against `reference` for a job of mixed class, in PT_SPEED_ONE units: the
 * geometric mean of the ratios of FP16 TFLOP/s and of GB/s (models.md, section 1: assumed), rounded
 * to 40 bits. PT_SPEED_ONE for the same model. Both > 0 everywhere in a loaded catalogue. */
uint64_t pt_gpu_relative_speed(const struct pt_gpu_model *gpu,
                               const struct pt_gpu_model *reference);

#ifdef __cplusplus
}
#endif
#endif
