#include "models/units/units.h"

/* A whole GPU for one job. */

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *params, struct pt_error *error)
{
    (void)gpu;
    (void)params;
    (void)error;
    *shape = (struct pt_unit_shape){.slots = 1, .distinct = true, .memory_admits = true};
    return PT_OK;
}

static void speeds(uint64_t *out, const struct pt_unit_facts *facts)
{
    out[0] = facts->rate;
}

static const struct pt_param no_params[] = {{0}};

const struct pt_unit_ops pt__exclusive = {
    .abi = PT_UNIT_ABI,
    .size = sizeof(struct pt_unit_ops),
    .name = "exclusive",
    .summary = "a whole GPU for one job",
    .source = "the device plugin's default: a GPU is handed to one container",
    .params = no_params,
    .configure = configure,
    .speeds = speeds,
};
