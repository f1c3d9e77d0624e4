/* A schema held as data: tables of rows that say which keys a file may have and what they mean.
 *
 * One table drives the checking, defaults, units, messages, --set, `partita schema` and the
 * manual's list. Parameters of policies, placements, sharing modes and trace sources come from the
 * struct pt_param tables of their registries, so that a new one needs no edit here.
 *
 * Checking turns the tree of a file into a normal tree: keys in table order, short forms written
 * out, every default filled in, every scalar parsed. The experiment is built from the normal tree,
 * and the normal tree written as YAML is the effective configuration.
 */
#ifndef PT_EXPERIMENT_SCHEMA_H
#define PT_EXPERIMENT_SCHEMA_H

#include "sim/experiment/yaml.h"

enum pt_shape {
    PT_SHAPE_SCALAR,
    PT_SHAPE_MAP,   /* a map with the keys of `child` */
    PT_SHAPE_LIST,  /* a list of maps with the keys of `child` */
    PT_SHAPE_PAIRS, /* a list of lists, each with the values of `child` in order */
    PT_SHAPE_NAMED, /* a map from free names to `child`, or to scalars of this row without one */
    PT_SHAPE_JOBS   /* a list of maps with the columns of a native trace */
};

#define PT_ROW_OPTIONAL 1u /* may be absent and then has no default */
#define PT_ROW_NULLABLE 2u /* `null` is a value */
#define PT_ROW_SHORT 4u    /* a short form, written out by `expand` before anything is checked */

struct pt_catalog;
struct pt_schema;

/* Names that stand for values of the other keys of the map they are in. */
struct pt_presets {
    const char *(*name)(size_t index); /* NULL past the end */
    /* What the preset gives to a key that the map does not have; NULL = nothing. */
    const char *(*value)(const char *name, const char *key);
};

/* One key. For a scalar, `param` is its whole rule. For other shapes param.fallback NULL means
 * required, "" means empty (of a map: its own defaults), another text the scalar that stands for
 * its first key; param.min and param.max bound the number of elements. */
struct pt_row {
    struct pt_param param;
    enum pt_shape shape;
    unsigned flags;
    const struct pt_schema *child;
    /* PT_ROW_SHORT: adds to `map` what the value stands for; false when memory is out. */
    bool (*expand)(struct pt_yaml *yaml, struct pt_yaml_node *map,
                   const struct pt_yaml_node *value);
    /* A further rule for a scalar: false, and a message to put behind the value. NULL = none. */
    bool (*verify)(const struct pt_catalog *catalog, const char *text, struct pt_error *error);
    /* Rewords the error of a wrong value as a whole message; false = its own words are good. NULL =
     * they always are. */
    bool (*explain)(const char *text, struct pt_error *error);
    const struct pt_presets *presets; /* the value is a name of these; NULL = none */
};

/* What can be picked by name and brings parameters of its own; by index, NULL past the end. */
struct pt_pick {
    const char *noun; /* "policy" */
    const char *(*name)(size_t index);
    const char *(*summary)(size_t index);
    const struct pt_param *(*params)(size_t index); /* one called like a row hides the row */
    /* Where --set puts another name in place, keys that say what the old one's defaults say go: the
     * new one has its own. */
    bool swaps;
};

struct pt_schema {
    const char *name;           /* "pool": what messages and definitions call it */
    const struct pt_row *rows;  /* a row without a name ends them */
    bool scalar_first;          /* a scalar stands for the first key */
    const struct pt_pick *pick; /* the first key's value brings further keys; NULL = none */
    const char *unique;         /* in lists: elements differ in this key and are found by it */
};

/* The row of this key, or NULL; not the parameters of a pick. */
const struct pt_row *pt_schema_row(const struct pt_schema *schema, const char *key);

/* The parameters that the map's first key brings (where it is absent what a preset gives it, else
 * its default), or NULL. */
const struct pt_param *pt_schema_params(const struct pt_schema *schema,
                                        const struct pt_yaml_node *map);

/* The parameter that this key holds: itself, or of a map of parameters the first (group.h). NULL =
 * none; `params` may be NULL. */
const struct pt_param *pt_schema_param(const struct pt_param *params, const char *key);

/* Says in error->message that a map has no such key: whose it is where another one is picked, or
 * what was probably meant. `yaml` lends memory. */
void pt_schema_unknown_key(struct pt_error *error, struct pt_yaml *yaml,
                           const struct pt_schema *schema, const struct pt_yaml_node *map,
                           const char *key);

/* Writes short forms out, in place: a scalar for the first key, PT_ROW_SHORT rows. PT_ERR_MEMORY
 * alone. What is no map then never was one. */
PT_USE_RESULT enum pt_status pt_schema_open(struct pt_yaml *yaml, const struct pt_schema *schema,
                                            struct pt_yaml_node *node);

/* Checks `root` against the schema; *normal is the normal tree in yaml's arena. All that is wrong
 * goes to `messages`; then PT_ERR_INPUT. Short forms in `root` are written out. Names of GPUs are
 * looked up in `catalog`; NULL = they are not checked. */
PT_USE_RESULT enum pt_status pt_schema_check(struct pt_yaml_node **normal, struct pt_yaml *yaml,
                                             const struct pt_schema *schema,
                                             struct pt_yaml_node *root,
                                             const struct pt_catalog *catalog,
                                             struct pt_messages *messages);

/* The values of a table's parameters, from a normal map, in table order and in yaml's arena; NULL
 * when memory is out. Missing ones are zero. */
struct pt_value *pt_schema_values(struct pt_yaml *yaml, const struct pt_param *params,
                                  const struct pt_yaml_node *map);

#endif
