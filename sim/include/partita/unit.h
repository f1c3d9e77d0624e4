/* Sharing modes: what a GPU offers, who fits on it, and how fast its residents run.
 *
 * One mode = one const struct pt_unit_ops in one file of models/units/. Pure functions over plain
 * data: no allocation after init, no time, no randomness, no knowledge of other GPUs. The engine
 * keeps residents, indexes and accounts; a mode only answers.
 */
#ifndef PARTITA_UNIT_H
#define PARTITA_UNIT_H

#include "partita/catalog.h"
#include "partita/param.h"
#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_UNIT_ABI 1

/* How a pool's GPUs are offered; filled in by `configure`, read by the engine ever after. */
struct pt_unit_shape {
    uint32_t slots;     /* units a GPU offers at once, >= 1 (exclusive 1, replicas R) */
    bool distinct;      /* the units of one job sit on distinct GPUs by default */
    bool memory_admits; /* a unit is refused where its memory does not fit beside the others' */
    bool memory_oom;    /* nobody checks before: the newcomer fails at its start instead */
};

/* What the mode is told about the GPU whose residents it rates. */
struct pt_unit_facts {
    const struct pt_gpu_model *gpu;
    const struct pt_value *params; /* in the order of the mode's table */
    uint64_t rate;                 /* R: speed alone on a whole GPU, PT_SPEED_ONE = reference */
    uint32_t resident_count;
};

struct pt_unit_ops {
    uint32_t abi, size; /* PT_UNIT_ABI, sizeof(struct pt_unit_ops) */
    const char *name, *summary, *source;
    const struct pt_param *params; /* NULL-named row ends it */
    /* Checks the parameters together and says how GPUs are offered. */
    enum pt_status (*configure)(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *params, struct pt_error *error);
    /* Speeds of `facts->resident_count` >= 1 residents, in order of arrival, PT_SPEED_ONE = the
     * reference; each > 0 and <= rate. Rounded once, to nearest. */
    void (*speeds)(uint64_t *speeds, const struct pt_unit_facts *facts);
};

/* round(rate * numerator / denominator), half up; the one rounding of a speed. denominator > 0. */
static inline uint64_t pt_speed_scale(uint64_t rate, uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)(((pt_u128)rate * numerator + denominator / 2) / denominator);
}

#ifdef __cplusplus
}
#endif
#endif
