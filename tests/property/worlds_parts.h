/* What the files of worlds.h share. */
#ifndef PT_TESTS_WORLDS_PARTS_H
#define PT_TESTS_WORLDS_PARTS_H

#include "tests/property/worlds.h"

#define S PT_NS_PER_S

extern const struct pt_gpu_model *const world_models[WORLD_MODELS];
extern const char *const world_placements[]; /* by enum ref_placement */
extern const char *const world_states[];     /* by enum ref_state */

#endif
