/* Parameters of policies, placements, sharing modes, models and readers, described as data: one
 * table drives YAML checking, defaults, `partita list`, the schema and the manual.
 */
#ifndef PARTITA_PARAM_H
#define PARTITA_PARAM_H

#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pt_param_type {
    PT_PARAM_BOOL,     /* value.integer: 0 or 1 */
    PT_PARAM_INT,      /* value.integer */
    PT_PARAM_NUMBER,   /* value.number, and value.ppm for exact use: round(number * 1e6) */
    PT_PARAM_FRACTION, /* value.integer in millionths, (0, 1] */
    PT_PARAM_DURATION, /* value.integer in ns */
    PT_PARAM_MEMORY,   /* value.integer in MiB */
    PT_PARAM_CHOICE,   /* value.integer: index into `choices` */
    PT_PARAM_TEXT,     /* value.text: borrowed */
    PT_PARAM_WORDS     /* a word or a list of words; value.text: with commas between them */
};

/* One parameter. `name` may have a dot: `inside.mode` is key `mode` of map `inside`. A table of
 * them ends with a row whose name is NULL. `fallback`, `min` and `max` are written as a user would
 * write them; NULL min or max = no bound; NULL fallback = required. Of words, `min` "1" = at least
 * one. The fallback "" of anything but a text, or words that may be none: it may be absent, and
 * then value.text is NULL. */
struct pt_param {
    const char *name;
    enum pt_param_type type;
    const char *unit; /* "" when it has none */
    const char *fallback, *min, *max;
    const char *const *choices; /* NULL-terminated; of PT_PARAM_CHOICE alone */
    const char *help;           /* one sentence without a full stop */
};

/* A parsed value, in the order of the table it belongs to. */
struct pt_value {
    int64_t integer;
    double number;
    int64_t ppm;
    const char *text;
};

#ifdef __cplusplus
}
#endif
#endif
