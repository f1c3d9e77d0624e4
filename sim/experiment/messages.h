/* Messages about the user's input: FILE:LINE:COLUMN: what is wrong, the line, a caret.
 *
 * Columns count characters of UTF-8, from 1. Messages of one file are kept sorted by place, those
 * of equal place in order of arrival; files in order of arrival.
 */
#ifndef PT_EXPERIMENT_MESSAGES_H
#define PT_EXPERIMENT_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "partita/status.h"

#define PT_MESSAGES_MAX 20

struct pt_message {
    struct pt_error error;
    bool warning;
    char *line;     /* what is shown of the source line, NULL = nothing */
    uint32_t caret; /* characters of `line` before the caret */
};

/* Keeps the first 20 by place, errors before warnings, and counts the rest. */
struct pt_messages {
    struct pt_message list[PT_MESSAGES_MAX];
    unsigned count;       /* kept */
    unsigned error_count; /* errors in all, kept or not */
    unsigned dropped;
};

void pt_messages_init(struct pt_messages *messages);
void pt_messages_fini(struct pt_messages *messages);

/* Adds an error or a warning; of `line` (NULL allowed; without its end of line) the part around
 * the error's column is copied. Without memory for it the message stays without its line. */
void pt_messages_add(struct pt_messages *messages, bool warning, const struct pt_error *error,
                     const char *line, size_t line_length);

/* All of them, as product.md shows them. Control characters are shown as `?`. */
void pt_messages_print(const struct pt_messages *messages, FILE *stream, bool color);

#endif
