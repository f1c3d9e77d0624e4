/* Middle-sized worlds that use what the engine has, for tests of sameness. */
#ifndef PT_TESTS_SCENES_H
#define PT_TESTS_SCENES_H

#include "tests/property/worlds.h"

enum scene {
    SCENE_EXCLUSIVE, /* gangs, strict, consolidate */
    SCENE_SHARED,    /* time-slicing with loss, OOM and retries, skip, spread */
    SCENE_BROKEN,    /* two pools, node failures, checkpoints, give-up, pack */
    SCENE_MODES, /* every other sharing mode under the fitted laws, faults, cold starts, prices */
    SCENE_COUNT
};

const char *scene_name(enum scene scene);
/* Initialises and fills the rig; the caller finishes it. */
void scene_build(struct rig *rig, enum scene scene, uint32_t jobs, uint64_t seed);

#endif
