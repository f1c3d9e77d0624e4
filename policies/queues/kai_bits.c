#include "policies/queues/kai_bits.h"

#include <stdlib.h>

bool pt__kai_bits_init(struct pt_kai_bits *bits, uint32_t count)
{
    size_t words[PT_KAI_LEVELS], all = 0;
    size_t n = (size_t)count / 64 + 1;
    bits->levels = 0;
    do {
        words[bits->levels] = n + 1; /* one more: the search upwards may look behind the end */
        all += n + 1;
        bits->levels++;
        n = n / 64 + 1;
    } while (words[bits->levels - 1] > 2 && bits->levels < PT_KAI_LEVELS);
    uint64_t *word = calloc(all, sizeof *word);
    bits->level[0] = word;
    if (word == NULL) return false;
    for (uint32_t l = 0; l < bits->levels; l++) {
        bits->level[l] = word;
        word += words[l];
    }
    return true;
}

void pt__kai_bits_fini(struct pt_kai_bits *bits)
{
    free(bits->level[0]);
    *bits = (struct pt_kai_bits){0};
}

void pt__kai_bits_add(struct pt_kai_bits *bits, uint32_t number)
{
    for (uint32_t l = 0; l < bits->levels; l++, number /= 64)
        bits->level[l][number / 64] |= UINT64_C(1) << number % 64;
}

void pt__kai_bits_remove(struct pt_kai_bits *bits, uint32_t number)
{
    for (uint32_t l = 0; l < bits->levels; l++, number /= 64) {
        bits->level[l][number / 64] &= ~(UINT64_C(1) << number % 64);
        if (bits->level[l][number / 64] != 0) return;
    }
}

/* The least number in the set below bit `number` of this level. */
static uint32_t descend_first(const struct pt_kai_bits *bits, uint32_t level, uint32_t number)
{
    while (level-- > 0)
        number = number * 64 + (uint32_t)__builtin_ctzll(bits->level[level][number]);
    return number;
}

static uint32_t descend_last(const struct pt_kai_bits *bits, uint32_t level, uint32_t number)
{
    while (level-- > 0)
        number = number * 64 + 63 - (uint32_t)__builtin_clzll(bits->level[level][number]);
    return number;
}

uint32_t pt__kai_bits_next(const struct pt_kai_bits *bits, uint32_t from, uint32_t end)
{
    uint32_t number = from;
    if (from >= end) return PT_NONE;
    for (uint32_t l = 0; l < bits->levels; l++) {
        uint64_t word = bits->level[l][number / 64] >> number % 64;
        if (word != 0) {
            number = descend_first(bits, l, number + (uint32_t)__builtin_ctzll(word));
            return number < end ? number : PT_NONE;
        }
        number = number / 64 + 1;
    }
    return PT_NONE;
}

uint32_t pt__kai_bits_last(const struct pt_kai_bits *bits, uint32_t first, uint32_t end)
{
    if (first >= end) return PT_NONE;
    uint32_t number = end - 1;
    for (uint32_t l = 0; l < bits->levels; l++) {
        uint64_t word = bits->level[l][number / 64] << (63 - number % 64);
        if (word != 0) {
            number = descend_last(bits, l, number - (uint32_t)__builtin_clzll(word));
            return number >= first ? number : PT_NONE;
        }
        if (number / 64 == 0) return PT_NONE;
        number = number / 64 - 1;
    }
    return PT_NONE;
}
