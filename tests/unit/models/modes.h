/* Sharing modes put together from a text, for tests of what they answer. */
#ifndef PT_TESTS_MODES_H
#define PT_TESTS_MODES_H

#include "partita/unit.h"
#include "tests/support/rig.h"

struct mode {
    const struct pt_unit_ops *ops;
    struct pt_value values[RIG_VALUES_MAX];
    struct pt_unit_shape shape;
    struct pt_error error;
};

#define MODE_RESIDENTS 64

/* A unit's residents, with their needs. */
struct company {
    struct pt_need needs[MODE_RESIDENTS];
    struct pt_resident residents[MODE_RESIDENTS];
    struct pt_ratio shares[MODE_RESIDENTS];
    uint32_t count;
};

/* Whether the parameters ("replicas=4 distinct=false") make a shape. */
bool mode_make(struct mode *mode, const char *name, const struct pt_gpu_model *gpu,
               const char *params);
/* The same, which must succeed. */
void mode_must(struct mode *mode, const char *name, const struct pt_gpu_model *gpu,
               const char *params);
/* Asserts that the parameters are refused with this message. */
void mode_refuses(const char *name, const struct pt_gpu_model *gpu, const char *params,
                  const char *message);

/* What the mode answers to one unit of this: fraction in millionths and MiB of a process, PT_NONE
 * = absent. */
enum pt_reason mode_need(struct pt_need *need, const struct mode *mode, uint32_t frac_ppm,
                         uint32_t mem_mib, uint32_t processes);
/* Adds a resident, which must not be refused. */
void mode_join(struct company *company, const struct mode *mode, uint32_t frac_ppm,
               uint32_t mem_mib, uint32_t processes);
/* Fills in the shares of all. */
void mode_share(struct company *company, const struct mode *mode);
/* Asserts that resident i has numerator / denominator, exactly. */
void mode_has(const struct company *company, uint32_t i, uint64_t numerator, uint64_t denominator);

#endif
