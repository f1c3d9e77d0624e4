/* The sharing modes that are built in, and what several of them share. */
#ifndef PT_MODELS_UNITS_UNITS_H
#define PT_MODELS_UNITS_UNITS_H

#include "partita/unit.h"

extern const struct pt_unit_ops pt__exclusive, pt__time_slice, pt__mps, pt__mig, pt__vgpu_mode,
    pt__fractional;

/* One slot of the GPU, whatever share the job asked for; it asked for the whole GPU. Refuses what
 * the GPU's memory can't hold; memory is the job's there, however many processes it has. */
enum pt_reason pt__need_slot(struct pt_need *need, const struct pt_unit_shape *shape,
                             const struct pt_ask *ask);

/* Device memory of all processes of a job on one GPU, MiB; 0 where none is asked for. */
uint64_t pt__memory_asked(const struct pt_ask *ask);

/* Equal turns of n >= 1: 1, then 1 / ((1 + e) n) (models.md 4.1). */
struct pt_ratio pt__share_turns(const struct pt_unit_shape *shape, uint32_t n);

#define PT__DRIVER_DEFAULT "r580"
#define PT__DRIVER_HELP                                                                            \
    "release of the GPU driver: from r590 on MPS takes 60 clients a GPU instead of 48 (16 before " \
    "Volta)"

/* How many MPS clients a GPU takes under a driver ("r590"). */
enum pt_status pt__mps_clients(uint32_t *clients, const struct pt_gpu_model *gpu,
                               const char *driver, struct pt_error *error);

#endif
