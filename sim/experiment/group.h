/* Parameters whose names have a dot: `inside.mode` is key `mode` of map `inside`.
 *
 * In a table of parameters those of one map stand together. Here they become a row of shape map
 * with a schema of its own, so that everything else treats them like any map in a file. A single
 * value in the place of the map stands for its first key.
 */
#ifndef PT_EXPERIMENT_GROUP_H
#define PT_EXPERIMENT_GROUP_H

#include "sim/experiment/schema.h"

#define PT_GROUP_MAX 16

/* One such map. It points into itself: never copy it. */
struct pt_group {
    struct pt_row row; /* of shape map; its child is `schema` */
    struct pt_schema schema;
    struct pt_row rows[PT_GROUP_MAX + 1];
    char name[32], help[160];
};

/* What stands behind the dot of the name, or NULL. */
const char *pt_group_key(const struct pt_param *param);

/* Whether the parameter is of the map of this name. */
bool pt_group_has(const struct pt_param *param, const char *map);

/* Makes the map that begins with this parameter, whose name has a dot. */
void pt_group_make(struct pt_group *group, const struct pt_param *first);

/* The parameter behind this one and, if it begins a map, behind all of that map. */
const struct pt_param *pt_group_next(const struct pt_param *param);

#endif
