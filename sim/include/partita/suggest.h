/* "did you mean": the known word nearest to a mistyped one.
 *
 * The measure is the optimal-string-alignment distance (insert, delete, replace, swap of two
 * neighbours; Damerau 1964), letters compared without case. Near enough is 1 for a word of up to 3
 * letters, 2 up to 7, else 3, and always less than the longer word. O(length^2) a candidate; words
 * longer than PT_SUGGEST_MAX have no neighbour.
 */
#ifndef PARTITA_SUGGEST_H
#define PARTITA_SUGGEST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PT_SUGGEST_MAX 48

struct pt_suggestion {
    const char *word; /* borrowed */
    size_t length;
    unsigned distance; /* of `best` */
    const char *best;  /* borrowed; NULL = nothing near so far */
};

/* Begins a search; `word` need not end in NUL. */
void pt_suggest_begin(struct pt_suggestion *suggestion, const char *word, size_t length);
/* Offers one known word (NULL is ignored). Of equally near ones the first wins. */
void pt_suggest_offer(struct pt_suggestion *suggestion, const char *candidate);

/* The nearest of a NULL-terminated list, or NULL. */
const char *pt_suggest(const char *word, size_t length, const char *const *candidates);

#ifdef __cplusplus
}
#endif
#endif
