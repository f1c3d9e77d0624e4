/* The words of a parameter of type PT_PARAM_WORDS, one by one, and what may be wrong with them. */
#ifndef PT_POLICIES_WORDS_H
#define PT_POLICIES_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "partita/param.h"
#include "partita/status.h"

/* Begins as {.key = the parameter's name, .rest = its text}; a text of NULL has no words. */
struct pt__words {
    const char *key, *rest;
    const char *word; /* the present one, not NUL-terminated */
    size_t length;
    uint32_t count; /* words seen, the present one too */
};

/* Goes on to the next word; false: there is none. */
bool pt__words_next(struct pt__words *words);
/* Words in all of a parameter's text. */
uint32_t pt__words_count(const char *text);
/* PT_ERR_INPUT: the present word, and behind it what is wrong with it. */
enum pt_status pt__words_fail(const struct pt__words *words, struct pt_error *error,
                              const char *what);
/* The present word as a duration; PT_ERR_INPUT if it is none. */
PT_USE_RESULT enum pt_status pt__words_duration(int64_t *ns, const struct pt__words *words,
                                                struct pt_error *error);

#endif
