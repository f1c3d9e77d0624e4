#include <stdlib.h>
#include <string.h>

#include "models/units/units.h"

/* hardware.md 3: what documents up to r580 say, and what those from r590 on say. */
#define CLIENTS_VOLTA 48
#define CLIENTS_R590 60
#define DRIVER_60 590

uint64_t pt__memory_asked(const struct pt_ask *ask)
{
    return ask->gpu_mem_mib == PT_NONE ? 0 : (uint64_t)ask->gpu_mem_mib * ask->processes;
}

enum pt_reason pt__need_slot(struct pt_need *need, const struct pt_unit_shape *shape,
                             const struct pt_ask *ask)
{
    uint32_t mib = ask->gpu_mem_mib == PT_NONE ? 0 : ask->gpu_mem_mib;
    if (mib > shape->gpu->mem_mib) return PT_REASON_GPU_MEMORY;
    if (shape->one_unit_only && ask->gpus > 1) return PT_REASON_MORE_THAN_ONE;
    *need = (struct pt_need){.capacity = 1,
                             .mem_mib = mib,
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

enum pt_status pt__mps_clients(uint32_t *clients, const struct pt_gpu_model *gpu,
                               const char *driver, struct pt_error *error)
{
    size_t digits = strspn(driver + (driver[0] == 'r'), "0123456789");
    bool is_release = driver[0] == 'r' && digits == 3 && driver[4] == '\0';
    if (!is_release)
        return pt_fail(error, PT_ERR_INPUT, "driver: '%.32s' is no release (r580, r590, r615)",
                       driver);
    *clients = gpu->mps_clients;
    if (gpu->mps_clients == CLIENTS_VOLTA && strtol(driver + 1, NULL, 10) >= DRIVER_60)
        *clients = CLIENTS_R590;
    return PT_OK;
}
