#include "policies/words.h"

#include <string.h>

#include "partita/number.h"

#define SHOWN_MAX 64 /* bytes of a word in a message */

bool pt__words_next(struct pt__words *words)
{
    if (words->rest == NULL || *words->rest == '\0') return false;
    words->word = words->rest;
    words->length = strcspn(words->rest, ",");
    words->rest += words->length + (words->rest[words->length] == ',');
    words->count++;
    return true;
}

uint32_t pt__words_count(const char *text)
{
    struct pt__words words = {.rest = text};
    while (pt__words_next(&words)) {
    }
    return words.count;
}

enum pt_status pt__words_fail(const struct pt__words *words, struct pt_error *error,
                              const char *what)
{
    int shown = words->length < SHOWN_MAX ? (int)words->length : SHOWN_MAX;
    return pt_fail_param(error, words->key, words->count - 1, "'%.*s' %s", shown, words->word,
                         what);
}

enum pt_status pt__words_duration(int64_t *ns, const struct pt__words *words,
                                  struct pt_error *error)
{
    struct pt_error why;
    if (pt_parse_duration(ns, words->word, words->length, &why) == PT_OK) return PT_OK;
    return pt__words_fail(words, error, why.message);
}
