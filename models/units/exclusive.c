#include "models/units/units.h"

/* A whole GPU for one job. */

static enum pt_status configure(struct pt_unit_shape *shape, const struct pt_gpu_model *gpu,
                                const struct pt_value *params, struct pt_error *error)
{
    (void)params;
    (void)error;
    *shape = (struct pt_unit_shape){.gpu = gpu,
                                    .capacity = 1,
                                    .residents_max = 1,
                                    .levels = true,
                                    .uniform = true,
                                    .distinct = true,
                                    .memory_admits = true,
                                    .fault_spreads = true,
                                    .slots = 1};
    return PT_OK;
}

static enum pt_reason need(struct pt_need *need, const struct pt_unit_shape *shape,
                           const struct pt_ask *ask)
{
    return pt__need_slot(need, shape, ask);
}

static void shares(struct pt_ratio *out, const struct pt_unit_facts *facts)
{
    (void)facts;
    out[0] = (struct pt_ratio){1, 1};
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
    .need = need,
    .shares = shares,
};
