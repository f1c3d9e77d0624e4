/* YAML text to a tree with places, and a tree to YAML text. The one module that knows libyaml.
 *
 * The subset is what an experiment needs: maps, lists, scalars, several documents. Refused, with
 * FILE:LINE:COLUMN: duplicate keys, anchors, aliases, tags, keys that are no scalars, nesting
 * deeper than PT_YAML_DEPTH_MAX, text that is not UTF-8 or holds control characters, and more text
 * or nodes than a file that people write has. Scalars keep their text: what they mean is the
 * schema's business, never YAML's guess.
 *
 * Linear in the text. A tree lives in the arena of its struct pt_yaml.
 */
#ifndef PT_EXPERIMENT_YAML_H
#define PT_EXPERIMENT_YAML_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "partita/param.h"
#include "partita/status.h"
#include "sim/experiment/arena.h"
#include "sim/experiment/messages.h"

#define PT_YAML_DEPTH_MAX 64
#define PT_YAML_BYTES_MAX ((size_t)16 << 20)
#define PT_YAML_NODES_MAX 1000000u

enum pt_yaml_kind { PT_YAML_SCALAR, PT_YAML_LIST, PT_YAML_MAP };

/* Where a key or a value stands. `line` 0: nowhere in a file (a default, an argument). */
struct pt_yaml_place {
    const char *file; /* the file, or the argument of --set */
    uint32_t line, column;
};

struct pt_yaml_node {
    enum pt_yaml_kind kind;
    bool quoted;      /* scalar: in quotes */
    bool on_one_line; /* list or map: written in flow style */
    struct pt_yaml_place place, key_place;
    const char *key;  /* in a map; else NULL */
    const char *text; /* scalar; NUL-terminated, no NUL inside; else NULL */
    size_t length;
    struct pt_yaml_node *first, *last, *next; /* children in order; the next sibling */
    uint32_t count;                           /* children */
    struct pt_value value;                    /* of a scalar, once a schema has checked it */
};

struct pt_yaml {
    struct pt_arena arena;
    const char *file; /* the name that messages show */
    const char *text; /* a copy */
    size_t length;
    uint32_t node_count;
    uint32_t document_count;
    struct pt_yaml_node *first_document; /* linked by `next`; nothing at all is an empty scalar */
};

/* An empty set of documents; {0} does the same. fini frees every tree. */
void pt_yaml_init(struct pt_yaml *yaml);
void pt_yaml_fini(struct pt_yaml *yaml);

/* Reads text (copied, like `file`). Errors go to `messages`: of a syntax error the first, of
 * duplicate keys all. PT_ERR_INPUT then; `yaml` must be freed all the same. */
PT_USE_RESULT enum pt_status pt_yaml_parse(struct pt_yaml *yaml, const char *file, const char *text,
                                           size_t length, struct pt_messages *messages);
/* The same from a file: missing, a directory or too large is PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt_yaml_load(struct pt_yaml *yaml, const char *path,
                                          struct pt_messages *messages);

/* Copies one document, with its file's name and text, into an empty `copy`. False when memory is
 * out. */
PT_USE_RESULT bool pt_yaml_copy(struct pt_yaml *copy, const struct pt_yaml *yaml,
                                const struct pt_yaml_node *document);

/* Copies a tree into `yaml`, as if it stood in yaml's file. NULL when memory is out. */
struct pt_yaml_node *pt_yaml_copy_node(struct pt_yaml *yaml, const struct pt_yaml_node *node);

/* True for UTF-8 without control characters but tab and line breaks: what a file may hold. */
bool pt_yaml_is_text(const char *text, size_t length);

/* True for a value that nobody wrote: `key:`, `key: ~`, `key: null`. */
bool pt_yaml_is_nothing(const struct pt_yaml_node *node);

/* The child of a map with this key, or NULL; also of what is no map. O(children). */
struct pt_yaml_node *pt_yaml_get(const struct pt_yaml_node *map, const char *key);

/* New nodes in the arena, at `place`; the text is copied. NULL when memory is out. */
struct pt_yaml_node *pt_yaml_new(struct pt_yaml *yaml, enum pt_yaml_kind kind,
                                 struct pt_yaml_place place);
struct pt_yaml_node *pt_yaml_new_scalar(struct pt_yaml *yaml, struct pt_yaml_place place,
                                        const char *text, size_t length);
/* Appends a child that has no parent yet. */
void pt_yaml_append(struct pt_yaml_node *parent, struct pt_yaml_node *child);
/* Puts `fresh`, which has no parent yet, where `old` is among the children. */
void pt_yaml_replace(struct pt_yaml_node *parent, struct pt_yaml_node *old,
                     struct pt_yaml_node *fresh);
/* Takes a child out of its parent. */
void pt_yaml_remove(struct pt_yaml_node *parent, struct pt_yaml_node *child);

/* Adds a message at a place, with its line if it stands in `yaml`'s text (NULL: no line). */
void pt_yaml_say(const struct pt_yaml *yaml, struct pt_messages *messages, bool warning,
                 struct pt_yaml_place place, const char *format, ...) PT_PRINTF(5, 6);
void pt_yaml_vsay(const struct pt_yaml *yaml, struct pt_messages *messages, bool warning,
                  struct pt_yaml_place place, const char *format, va_list arguments)
    PT_PRINTF(5, 0);

/* Writes the tree as one document, the same bytes for the same tree: lists and maps in block style
 * but for those on_one_line, scalars plain unless quoted or in need of quotes. *text is malloc'ed,
 * NUL-terminated, and the caller's. */
PT_USE_RESULT enum pt_status pt_yaml_write(char **text, size_t *length,
                                           const struct pt_yaml_node *root, struct pt_error *error);

#endif
