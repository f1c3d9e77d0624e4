/* The orders and placements that are built in. */
#ifndef PT_POLICIES_REGISTRY_H
#define PT_POLICIES_REGISTRY_H

#include "partita/policy.h"

/* NULL-terminated, in the order in which they are listed. */
extern const struct pt_policy_ops *const pt_policies[];
extern const struct pt_placement_ops *const pt_placements[];

/* The one of this name, or NULL. */
const struct pt_policy_ops *pt_policy_find(const char *name);
const struct pt_placement_ops *pt_placement_find(const char *name);

#endif
