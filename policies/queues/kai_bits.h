/* A set of small whole numbers that finds the next and the one before in O(levels): a bit each, and
 * above every 64 words of bits one word that says which of them are not empty. One allocation.
 */
#ifndef PT_QUEUES_KAI_BITS_H
#define PT_QUEUES_KAI_BITS_H

#include "partita/types.h"

#define PT_KAI_LEVELS 6 /* 64^6 > 2^32 */

struct pt_kai_bits {
    uint64_t *level[PT_KAI_LEVELS]; /* level[0]: the bits themselves */
    uint32_t levels;
};

/* The empty set of numbers below `count`; false when memory runs out. fini takes {0} too. */
bool pt__kai_bits_init(struct pt_kai_bits *bits, uint32_t count);
void pt__kai_bits_fini(struct pt_kai_bits *bits);
void pt__kai_bits_add(struct pt_kai_bits *bits, uint32_t number);
void pt__kai_bits_remove(struct pt_kai_bits *bits, uint32_t number);
static inline bool pt__kai_bits_has(const struct pt_kai_bits *bits, uint32_t number)
{
    return (bits->level[0][number / 64] >> number % 64 & 1) != 0;
}
/* The least number in [from, end), PT_NONE if there is none. */
uint32_t pt__kai_bits_next(const struct pt_kai_bits *bits, uint32_t from, uint32_t end);
/* The greatest number in [first, end), PT_NONE if there is none. */
uint32_t pt__kai_bits_last(const struct pt_kai_bits *bits, uint32_t first, uint32_t end);

#endif
