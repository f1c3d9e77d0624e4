/* The schemas: every key of every file that the program reads, in one place.
 *
 * Only data. What a row means is said in schema.h; how to print them, in describe.h.
 */
#ifndef PT_EXPERIMENT_TABLES_H
#define PT_EXPERIMENT_TABLES_H

#include "sim/experiment/schema.h"

/* An experiment file. */
extern const struct pt_schema pt_schema_experiment;
/* A document of a scenario file: an experiment and the key `expect`. */
extern const struct pt_schema pt_schema_scenario;
/* The value of `expect` alone, and one expected number in it. */
extern const struct pt_schema pt_schema_expect;
/* models/catalog/gpus.yaml. */
extern const struct pt_schema pt_schema_catalog;
/* A file of gates. */
extern const struct pt_schema pt_schema_gates;

#endif
