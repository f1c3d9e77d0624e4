/* Private to the catalogue's loader: one file of it on its way from YAML to plain data.
 *
 * catalog.c reads the files and puts them together, catalog_like.c writes out what rows take over
 * from others, catalog_mig.c builds MIG tables. Each says all that is wrong, and goes on.
 */
#ifndef PT_EXPERIMENT_CATALOG_FILE_H
#define PT_EXPERIMENT_CATALOG_FILE_H

#include "partita/catalog.h"
#include "sim/experiment/yaml.h"

struct pt__catalog_file {
    struct pt_yaml yaml;                  /* its arena holds all that is built from the file */
    struct pt_yaml_node *root;            /* the normal tree; NULL until it is checked */
    const struct pt__catalog_file *below; /* the file that this one adds to; NULL = none */
    struct pt_messages *messages;
    bool wrong, no_memory;
};

/* Says what is wrong at a place of the file. */
void pt__catalog_say(struct pt__catalog_file *file, struct pt_yaml_place place, const char *format,
                     ...) PT_PRINTF(3, 4);

/* The child of a list of maps whose `name` is this, or NULL. Raw trees are fine too. */
struct pt_yaml_node *pt__catalog_named(const struct pt_yaml_node *list, const char *name);

/* Rows with `like`, and rows that are called as one of the file below, get whatever they lack; each
 * figure that they take over keeps its source. Works on the raw tree. */
void pt__catalog_inherit(struct pt__catalog_file *file, struct pt_yaml_node *root);

/* Whether the geometries of the checked file hold together. */
void pt__catalog_check_geometries(struct pt__catalog_file *file);

/* The table of a GPU whose normal row has one; NULL, and something said, when it is wrong. */
const struct pt_mig *pt__catalog_mig(struct pt__catalog_file *file, const struct pt_yaml_node *row,
                                     const struct pt_gpu_model *model);

#endif
