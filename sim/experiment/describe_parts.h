/* Private to describe.c and describe_*.c: a JSON writer, and the parts of JSON Schema that need no
 * other.
 */
#ifndef PT_EXPERIMENT_DESCRIBE_PARTS_H
#define PT_EXPERIMENT_DESCRIBE_PARTS_H

#include "sim/experiment/describe.h"

struct pt__json {
    FILE *stream;
    unsigned depth;
    bool first;                       /* nothing yet in the innermost object or array */
    const struct pt_catalog *catalog; /* NULL = any text is a GPU */
};

/* The text as a JSON string. */
void pt__json_string(struct pt__json *json, const char *text);
/* The comma and the line before a member or an element; `key` NULL in arrays. */
void pt__json_item(struct pt__json *json, const char *key);
void pt__json_open(struct pt__json *json, const char *key, char bracket);
void pt__json_close(struct pt__json *json, char bracket);
/* A member whose value is a string; one whose value is JSON already. */
void pt__json_member(struct pt__json *json, const char *key, const char *text);
void pt__json_raw(struct pt__json *json, const char *key, const char *text);
/* {"KEY": VALUE} as an element, VALUE being JSON already. */
void pt__json_element(struct pt__json *json, const char *key, const char *value);

/* The members that say what a scalar may be. */
void pt__describe_scalar(struct pt__json *json, const struct pt_param *param);
/* What can be picked by its name alone. */
void pt__describe_names(struct pt__json *json, const struct pt_pick *pick);
/* Meaning, unit and default. */
void pt__describe_notes(struct pt__json *json, const struct pt_param *param, bool with_default);
/* The members that describe a list of jobs. */
void pt__describe_jobs(struct pt__json *json);

#endif
