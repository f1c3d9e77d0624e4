/* What the files of worlds.h share. */
#ifndef PT_TESTS_WORLDS_PARTS_H
#define PT_TESTS_WORLDS_PARTS_H

#include "tests/property/worlds.h"

#define S PT_NS_PER_S

extern const struct pt_gpu_model *const world_models[WORLD_MODELS];
extern const char *const world_placements[]; /* by enum ref_placement */
extern const char *const world_states[];     /* by enum ref_state */

/* The sharing mode of a pool, and its parameters as "key=value" with blanks between them. */
#define WORLD_PARAMS_MAX 512
extern const char *const world_modes[]; /* by enum ref_mode */
void world_params(char text[WORLD_PARAMS_MAX], const struct ref_pool *pool);

#endif
