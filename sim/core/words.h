/* The dictionary of a WORD column, and the hash that ids are looked up by.
 *
 * Open addressing with linear probing, at most half full; a slot holds a word's number + 1. Words
 * keep the number they got at their first appearance. O(length) a look-up.
 * The hash is for tables in memory only and never reaches a result.
 */
#ifndef PT_CORE_WORDS_H
#define PT_CORE_WORDS_H

#include "partita/trace.h"

uint64_t pt__hash_text(const char *text, size_t length);

/* The number of a word, which is added if it is new. */
PT_USE_RESULT enum pt_status pt__words_add(struct pt_words *words, uint32_t *index,
                                           const char *text, size_t length, struct pt_error *error);
void pt__words_fini(struct pt_words *words);

#endif
