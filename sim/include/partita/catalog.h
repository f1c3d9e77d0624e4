/* A GPU model as the catalogue describes it (models/catalog/gpus.yaml; models.md, section 1).
 * Plain data: the loader in sim/experiment fills it from YAML, everybody else only reads.
 */
#ifndef PARTITA_CATALOG_H
#define PARTITA_CATALOG_H

#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A MIG profile of one GPU model (hardware.md 1.2). Slices are memory slices unless said. */
struct pt_mig_profile {
    const char *name; /* "1g.10gb", "1g.10gb+me" */
    uint8_t compute;  /* compute slices */
    uint8_t size;     /* memory slices, consecutive */
    bool media;       /* +me: at most one such instance on a GPU */
    uint16_t starts;  /* bit s: it may start at memory slice s */
    uint32_t sms;     /* of an instance */
    uint32_t mem_mib; /* of an instance */
    const char *source;
};

#define PT_MIG_SLICES_MAX 16
#define PT_MIG_PROFILES_MAX 16

struct pt_mig {
    uint8_t compute; /* compute slices of the GPU: 7, or 4 */
    uint8_t memory;  /* memory slices: 8, 4 or 12 */
    uint8_t profile_count;
    uint8_t full; /* the profile that is the whole GPU */
    /* By compute slices, then size, then plain before +me: "the smallest that ..." is the first. */
    const struct pt_mig_profile *profiles;
};

/* Classes of jobs by what bounds them; a job's is its profile's (default mixed). */
enum pt_speed_class {
    PT_CLASS_COMPUTE,
    PT_CLASS_BANDWIDTH,
    PT_CLASS_MIXED,
    PT_CLASS_LIGHT,
    PT_CLASS_COUNT
};

/* NaN where no source is known, unless said. */
struct pt_gpu_model {
    const char *name;   /* "h100-sxm5-80gb" */
    const char *family; /* "h100" */
    uint32_t sms;
    uint32_t mem_mib;
    double fp16_tflops;  /* dense tensor peak; always known */
    double mem_gb_per_s; /* always known */
    double l2_mib;
    double tdp_w;                 /* the board's power limit */
    double idle_w;                /* no context on it */
    double pcie_gb_per_s;         /* one direction, in practice */
    double price_low, price_high; /* US$ per GPU-hour on demand */
    const char *price_date;       /* NULL = no price known */
    uint32_t mps_clients;         /* 48; 16 before Volta */
    const struct pt_mig *mig;     /* NULL: no MIG */
    /* Measured: speed of each class of jobs against that GPU, which has none itself; 0 = not
     * measured. NULL: nothing is. */
    const struct pt_gpu_model *speed_against;
    double speed[PT_CLASS_COUNT];
    const char *source; /* where the figures come from, a sentence */
};

/* The profile of this name (as in the table), PT_NONE if there is none. */
uint32_t pt_mig_find(const struct pt_mig *mig, const char *name);

/* How many instances of profile `at`, and of no other, a GPU holds at most. */
uint32_t pt_mig_most(const struct pt_mig *mig, uint32_t at);

/* Relative speeds are below 16, as they are 64-bit multiples of 2^-60; this one says "16 or more".
 */
#define PT_SPEED_RATIO_MAX 16.0
#define PT_SPEED_TOO_FAST (UINT64_MAX - (UINT64_C(1) << 24) + 1)

/* Relative speed of `gpu` against `reference` for a job of this class (models.md, section 1):
 * measured where either has a speed of its own, else assumed to be the ratio of FP16 TFLOP/s, of
 * GB/s, the geometric mean of both, and 1 + 0.3 (mixed - 1). Exactly 1 for the same model; the
 * speeds of two GPUs against each other are each other's inverse, except for light jobs. */
double pt_gpu_speed_ratio(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                          enum pt_speed_class class_);

/* The same in PT_SPEED_ONE units, rounded to 40 bits; at most PT_SPEED_TOO_FAST. */
uint64_t pt_gpu_relative_speed(const struct pt_gpu_model *gpu, const struct pt_gpu_model *reference,
                               enum pt_speed_class class_);

/* "compute", "bandwidth", "mixed", "light". */
const char *pt_speed_class_name(enum pt_speed_class class_);

#ifdef __cplusplus
}
#endif
#endif
