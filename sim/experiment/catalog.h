/* The GPU catalogue: models/catalog/gpus.yaml as compiled in, read through its schema, and what a
 * user's file of the same form adds to it and overrides.
 *
 * A model's name and its family may both stand for it in a job's gpu_type. Lookups are linear: a
 * catalogue has some dozen rows.
 */
#ifndef PT_EXPERIMENT_CATALOG_H
#define PT_EXPERIMENT_CATALOG_H

#include "partita/catalog.h"
#include "partita/status.h"
#include "sim/experiment/messages.h"

struct pt_catalog {
    uint32_t count;
    const struct pt_gpu_model *gpus; /* in file order; what a user adds comes behind */
};

/* Reads the catalogue that is compiled in. PT_ERR_INPUT with messages if that is broken. */
PT_USE_RESULT enum pt_status pt_catalog_load(struct pt_catalog **catalog,
                                             struct pt_messages *messages);
/* The same, and over it the user's file `path`: a GPU called as one that is built in gets what the
 * file says of it, others are added. PT_ERR_INPUT with messages at their places. */
PT_USE_RESULT enum pt_status pt_catalog_load_file(struct pt_catalog **catalog, const char *path,
                                                  struct pt_messages *messages);
/* A catalogue of this text alone; `file` is the name that messages show. */
PT_USE_RESULT enum pt_status pt_catalog_load_text(struct pt_catalog **catalog, const char *file,
                                                  const char *text, size_t length,
                                                  struct pt_messages *messages);
/* NULL is allowed. */
void pt_catalog_free(struct pt_catalog *catalog);

/* The model of this name, or NULL. */
const struct pt_gpu_model *pt_catalog_find(const struct pt_catalog *catalog, const char *name);
/* Where the figure `key` (as the file calls it) of one of the catalogue's models comes from; NULL
 * where it has no such figure. */
const char *pt_catalog_source(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu,
                              const char *key);
/* PT_ERR_INPUT if no model has this name, with a message to put behind it: "is a family, name one
 * of it: a, b", "is no known GPU (did you mean 'c'?)". */
PT_USE_RESULT enum pt_status pt_catalog_check_name(const struct pt_catalog *catalog,
                                                   const char *name, struct pt_error *error);
/* True if a model or a family has this name; it need not end in NUL. */
bool pt_catalog_knows(const struct pt_catalog *catalog, const char *word, size_t length);
/* True if `word` is the model's name or its family's. */
bool pt_gpu_answers_to(const struct pt_gpu_model *gpu, const char *word, size_t length);
/* The model, or with `families` also the family, whose name is nearest to a mistyped one; NULL. */
const char *pt_catalog_suggest(const struct pt_catalog *catalog, const char *word, size_t length,
                               bool families);

#endif
