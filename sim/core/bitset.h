/* A set of small integers as a tree of 64-bit words: insert, remove, "next member from i on" in
 * O(log64 n) steps. One bit an element and 1/63 more. No allocation after init.
 */
#ifndef PT_CORE_BITSET_H
#define PT_CORE_BITSET_H

#include <stdlib.h>

#include "partita/types.h"

#define PT_BITSET_LEVELS 6

struct pt_bitset {
    uint64_t *level[PT_BITSET_LEVELS]; /* level[0] = the elements; level[k + 1]: non-zero words */
    uint32_t levels;
    uint32_t size;
};

/* False when memory runs out. All elements absent. */
static inline bool pt_bitset_init(struct pt_bitset *set, uint32_t size)
{
    size_t words[PT_BITSET_LEVELS], total = 0;
    uint64_t n = size == 0 ? 1 : size;
    set->size = size;
    set->levels = 0;
    do {
        n = (n + 63) / 64;
        words[set->levels++] = (size_t)n;
        total += (size_t)n;
    } while (n > 1);
    uint64_t *memory = calloc(total, sizeof *memory);
    if (memory == NULL) return false;
    for (uint32_t k = 0; k < set->levels; k++) {
        set->level[k] = memory;
        memory += words[k];
    }
    return true;
}

static inline void pt_bitset_fini(struct pt_bitset *set)
{
    free(set->level[0]);
    *set = (struct pt_bitset){0};
}

static inline bool pt_bitset_has(const struct pt_bitset *set, uint32_t i)
{
    return (set->level[0][i / 64] >> (i % 64) & 1) != 0;
}

static inline void pt_bitset_add(struct pt_bitset *set, uint32_t i)
{
    for (uint32_t k = 0; k < set->levels; k++) {
        uint64_t *word = &set->level[k][i / 64];
        uint64_t before = *word;
        *word = before | UINT64_C(1) << (i % 64);
        if (before != 0) return;
        i /= 64;
    }
}

static inline void pt_bitset_remove(struct pt_bitset *set, uint32_t i)
{
    for (uint32_t k = 0; k < set->levels; k++) {
        uint64_t *word = &set->level[k][i / 64];
        *word &= ~(UINT64_C(1) << (i % 64));
        if (*word != 0) return;
        i /= 64;
    }
}

/* The least member >= i, PT_NONE if there is none. */
static inline uint32_t pt_bitset_next(const struct pt_bitset *set, uint32_t i)
{
    if (i >= set->size) return PT_NONE;
    uint32_t k = 0;
    for (;;) {
        uint64_t rest = set->level[k][i / 64] >> (i % 64);
        if (rest != 0) {
            i += (uint32_t)__builtin_ctzll(rest);
            break;
        }
        if (++k == set->levels) return PT_NONE;
        i = i / 64 + 1;
        if ((uint64_t)i >= (((uint64_t)set->size - 1) >> (6 * k)) + 1) return PT_NONE;
    }
    while (k > 0) {
        k--;
        i = i * 64 + (uint32_t)__builtin_ctzll(set->level[k][i]);
    }
    return i;
}

#endif
