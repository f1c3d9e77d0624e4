#include "models/registry.h"

#include <string.h>

#include "models/interference/interference.h"
#include "models/units/units.h"

const struct pt_unit_ops *const pt_units[] = {&pt__exclusive, &pt__time_slice, &pt__mps, &pt__mig,
                                              &pt__vgpu_mode, &pt__fractional, NULL};

const struct pt_unit_ops *pt_unit_find(const char *name)
{
    for (size_t i = 0; pt_units[i] != NULL; i++)
        if (strcmp(pt_units[i]->name, name) == 0) return pt_units[i];
    return NULL;
}

const struct pt_interference_ops *const pt_interference_models[] = {&pt_fitted, &pt_table,
                                                                    &pt_curve, &pt_roofline, NULL};

const struct pt_interference_ops *pt_interference_find(const char *name)
{
    for (size_t i = 0; pt_interference_models[i] != NULL; i++)
        if (strcmp(pt_interference_models[i]->name, name) == 0) return pt_interference_models[i];
    return NULL;
}
