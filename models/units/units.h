/* The sharing modes that are built in, and what several of them share. */
#ifndef PT_MODELS_UNITS_UNITS_H
#define PT_MODELS_UNITS_UNITS_H

#include "partita/unit.h"

extern const struct pt_unit_ops pt__exclusive, pt__time_slice, pt__mig;

/* One slot of the GPU, whatever share the job asked for; it asked for the whole GPU. Refuses what
 * the GPU's memory can't hold. */
enum pt_reason pt__need_slot(struct pt_need *need, const struct pt_unit_shape *shape,
                             const struct pt_ask *ask);

/* Equal turns of n >= 1: 1, then 1 / ((1 + e) n) (models.md 4.1). */
struct pt_ratio pt__share_turns(const struct pt_unit_shape *shape, uint32_t n);

#endif
