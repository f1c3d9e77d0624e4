#include "partita/suggest.h"

#include <string.h>

static unsigned lower(char letter)
{
    unsigned char byte = (unsigned char)letter;
    return byte >= 'A' && byte <= 'Z' ? byte + 32u : byte;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned near_enough(size_t length)
{
    return length <= 3 ? 1 : length <= 7 ? 2 : 3;
}

/* Both lengths are at most PT_SUGGEST_MAX. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned row[3][PT_SUGGEST_MAX + 1]; /* three rows of the table: a swap looks two back */
    unsigned *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned changed = lower(a[i - 1]) != lower(b[j - 1]);
            now[j] = smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + changed);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
        unsigned *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

void pt_suggest_begin(struct pt_suggestion *suggestion, const char *word, size_t length)
{
    suggestion->word = word;
    suggestion->length = length;
    suggestion->distance = near_enough(length) + 1;
    suggestion->best = NULL;
}

void pt_suggest_offer(struct pt_suggestion *suggestion, const char *candidate)
{
    if (!candidate || suggestion->length == 0 || suggestion->length > PT_SUGGEST_MAX) return;
    size_t length = strlen(candidate);
    if (length > PT_SUGGEST_MAX) return;
    unsigned away = distance(suggestion->word, suggestion->length, candidate, length);
    size_t longer = length > suggestion->length ? length : suggestion->length;
    if (away >= suggestion->distance || away >= longer) return;
    suggestion->distance = away;
    suggestion->best = candidate;
}

const char *pt_suggest(const char *word, size_t length, const char *const *candidates)
{
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, word, length);
    for (size_t i = 0; candidates[i]; i++)
        pt_suggest_offer(&suggestion, candidates[i]);
    return suggestion.best;
}
