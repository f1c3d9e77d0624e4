/* Private to the tables of keys: how rows are written, and the tables that are in files of their
 * own.
 */
#ifndef PT_EXPERIMENT_ROWS_H
#define PT_EXPERIMENT_ROWS_H

#include "sim/experiment/schema.h"

/* Rows: a scalar; a map, list, ... with a child. A row without a name ends a table. */
#define VALUE(key, scalar_type, unit, fallback, min, max, row_flags, help)                         \
    {                                                                                              \
        .param = {key, PT_PARAM_##scalar_type, unit, fallback, min, max, NULL, help},              \
        .shape = PT_SHAPE_SCALAR, .flags = (row_flags)                                             \
    }
#define INNER(key, row_shape, fallback, min, max, row_flags, table, help)                          \
    {                                                                                              \
        .param = {key, PT_PARAM_TEXT, "", fallback, min, max, NULL, help},                         \
        .shape = PT_SHAPE_##row_shape, .flags = (row_flags), .child = (table)                      \
    }
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

/* For rows that hold a GPU: "is a family: a, b or c", or "is no known GPU (did you mean ...)". */
bool pt__verify_gpu(const struct pt_catalog *catalog, const char *text, struct pt_error *error);

/* `interference`, an element of `profiles` (tables_models.c). */
extern const struct pt_schema pt__schema_interference, pt__schema_profile;
/* `cold_start`, `preemption` at the top and inside `policy`, `faults` (tables_world.c). */
extern const struct pt_schema pt__schema_cold_start, pt__schema_preemption,
    pt__schema_policy_preemption, pt__schema_faults;
/* An element of `tenants`, a class of `priorities`, `sla` (tables_tenants.c). */
extern const struct pt_schema pt__schema_tenant, pt__schema_priority, pt__schema_sla;

#endif
