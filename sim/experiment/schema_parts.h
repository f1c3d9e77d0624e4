/* Private to schema.c and schema_*.c: what they share while a file is checked. Functions that make
 * nodes answer NULL where something is wrong, which they have said, or memory is out, which the
 * checker remembers.
 */
#ifndef PT_EXPERIMENT_SCHEMA_PARTS_H
#define PT_EXPERIMENT_SCHEMA_PARTS_H

#include "partita/trace.h"
#include "sim/experiment/schema.h"

struct pt__checker {
    struct pt_yaml *yaml;
    struct pt_messages *messages;
    const struct pt_catalog *catalog;
    struct pt_trace scratch; /* one row, to try the cells of a job in */
    bool wrong, no_memory;
};

/* Says what is wrong at a place, and remembers that something is. */
#define PT__SAY(checker, place, ...)                                                               \
    do {                                                                                           \
        (checker)->wrong = true;                                                                   \
        pt_yaml_say((checker)->yaml, (checker)->messages, false, (place), __VA_ARGS__);            \
    } while (0)

/* ---- schema.c ---- */

/* The index of this name; that of the end where it is unknown. */
size_t pt__schema_find_pick(const struct pt_pick *pick, const char *name);
/* What a preset that the map names gives to a key; NULL = nothing. */
const char *pt__schema_preset_value(const struct pt_schema *schema, const struct pt_yaml_node *map,
                                    const char *key);
/* The name that the map picks by its first key, by a preset or by default, known or not; NULL =
 * none. */
const char *pt__schema_pick_name(const struct pt_schema *schema, const struct pt_yaml_node *map);

/* ---- schema_unknown.c ---- */

bool pt__schema_is_known_key(const struct pt_schema *schema, const struct pt_param *params,
                             const char *key);
/* Says that a key is missing, unless it is there but misspelt: that is one mistake, not two. */
void pt__schema_missing_key(struct pt__checker *checker, const struct pt_schema *schema,
                            const struct pt_yaml_node *raw, const char *key);
/* Says that what the map picks by its first key does not exist. */
void pt__schema_unknown_pick(struct pt__checker *checker, const struct pt_schema *schema,
                             const struct pt_yaml_node *chosen);

/* ---- schema_check.c ---- */

/* "a map", "nothing", ... */
const char *pt__schema_kind_text(const struct pt_yaml_node *node);
/* A new node that stands where `raw` does, under the same key. NULL when memory is out. */
struct pt_yaml_node *pt__schema_twin(struct pt__checker *checker, enum pt_yaml_kind kind,
                                     const struct pt_yaml_node *raw);
/* The normal node of a value of any shape; of a map of this schema. */
struct pt_yaml_node *pt__schema_check_value(struct pt__checker *checker, const struct pt_row *row,
                                            struct pt_yaml_node *raw);
struct pt_yaml_node *pt__schema_check_map(struct pt__checker *checker,
                                          const struct pt_schema *schema, struct pt_yaml_node *raw);

/* ---- schema_scalars.c ---- */

/* What messages call a value: its key, else the row's. */
const char *pt__schema_label(const struct pt_row *row, const struct pt_yaml_node *raw);
/* A scalar of the normal tree; `raw` says where it stands. */
struct pt_yaml_node *pt__schema_check_scalar(struct pt__checker *checker, const struct pt_row *row,
                                             const struct pt_yaml_node *raw);
/* The row's default as a node of the normal tree, at the place of the map that lacks it. */
struct pt_yaml_node *pt__schema_add_default(struct pt__checker *checker, const struct pt_row *row,
                                            const struct pt_yaml_node *map);

/* ---- schema_lists.c, schema_jobs.c ---- */

/* Whether a list or map has as many elements as the row allows; else it is said. */
bool pt__schema_count_fits(struct pt__checker *checker, const struct pt_row *row,
                           const struct pt_yaml_node *raw);
struct pt_yaml_node *pt__schema_check_list(struct pt__checker *checker, const struct pt_row *row,
                                           struct pt_yaml_node *raw);
struct pt_yaml_node *pt__schema_check_pairs(struct pt__checker *checker, const struct pt_row *row,
                                            struct pt_yaml_node *raw);
struct pt_yaml_node *pt__schema_check_jobs(struct pt__checker *checker, const struct pt_row *row,
                                           struct pt_yaml_node *raw);

#endif
