/* Messages about the user's input: FILE:LINE:COLUMN: what is wrong, the line, a caret. */
#ifndef PT_EXPERIMENT_MESSAGES_H
#define PT_EXPERIMENT_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "partita/status.h"

#define PT_MESSAGES_MAX 20

struct pt_message {
    struct pt_error error;
    bool warning;
    char *line; /* the source line for the caret, NULL = none */
};

/* Keeps the first 20 errors and counts the rest. */
struct pt_messages {
    struct pt_message list[PT_MESSAGES_MAX];
    unsigned count, error_count, dropped;
};

void pt_messages_init(struct pt_messages *messages);
void pt_messages_fini(struct pt_messages *messages);
/* Adds an error or a warning; `line` (NULL allowed) is copied. */
void pt_messages_add(struct pt_messages *messages, bool warning, const struct pt_error *error,
                     const char *line, size_t line_length);
/* All of them, as product.md shows them. */
void pt_messages_print(const struct pt_messages *messages, FILE *stream, bool color);

#endif
