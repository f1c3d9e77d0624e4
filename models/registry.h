/* The sharing modes, the interference models and the data that are built in. */
#ifndef PT_MODELS_REGISTRY_H
#define PT_MODELS_REGISTRY_H

#include "partita/interference.h"
#include "partita/unit.h"

/* NULL-terminated, in the order in which they are listed. */
extern const struct pt_unit_ops *const pt_units[];

/* The mode of this name, or NULL. */
const struct pt_unit_ops *pt_unit_find(const char *name);

/* The interference models, NULL-terminated, in the order in which they are listed; `none` is no
 * model. */
extern const struct pt_interference_ops *const pt_interference_models[];

/* The model of this name, or NULL. */
const struct pt_interference_ops *pt_interference_find(const char *name);

/* The text of models/catalog/gpus.yaml, compiled in; not NUL-terminated. */
extern const unsigned char pt_catalog_yaml[];
extern const size_t pt_catalog_yaml_length;

/* models/profiles/profiles.csv and models/pairs/{v100,k80}.csv, likewise. */
extern const unsigned char pt_profiles_csv[], pt_pairs_v100_csv[], pt_pairs_k80_csv[];
extern const size_t pt_profiles_csv_length, pt_pairs_v100_csv_length, pt_pairs_k80_csv_length;

#endif
