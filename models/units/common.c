#include "models/units/units.h"

enum pt_reason pt__need_slot(struct pt_need *need, const struct pt_unit_shape *shape,
                             const struct pt_ask *ask)
{
    uint64_t mib = ask->gpu_mem_mib == PT_NONE ? 0 : ask->gpu_mem_mib;
    if (mib > shape->gpu->mem_mib) return PT_REASON_GPU_MEMORY;
    if (shape->one_unit_only && ask->gpus > 1) return PT_REASON_MORE_THAN_ONE;
    *need = (struct pt_need){.capacity = 1,
                             .mem_mib = (uint32_t)mib,
                             .clients = ask->processes,
                             .profile = PT_PROFILE_NONE,
                             .cap = {1, 1},
                             .asked = {1, 1},
                             .asked_share = 1};
    return PT_REASON_NONE;
}

struct pt_ratio pt__share_turns(const struct pt_unit_shape *shape, uint32_t n)
{
    if (n <= 1) return (struct pt_ratio){1, 1};
    return (struct pt_ratio){PT_PPM_ONE, ((uint64_t)PT_PPM_ONE + shape->switch_loss_ppm) * n};
}
