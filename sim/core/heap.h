/* Indexed 4-ary min-heap of at most one pending event per item (here: one per GPU).
 *
 * Keys are unique 128-bit integers: time, then tie-breaker, then item, so their order is total.
 * Children of one parent share a cache line (the root sits at slot 3), the smallest child is found
 * without branches, and popping sinks a hole to a leaf before the last entry rises: the choices
 * measured to be fastest in the reference data on event queues. pos[item] makes re-timing and
 * removal one sift. O(log4 n) each; no allocation after init.
 */
#ifndef PT_CORE_HEAP_H
#define PT_CORE_HEAP_H

#include <stdlib.h>

#include "partita/types.h"

#define PT_HEAP_ROOT 3u /* children of i are 4 i - 8 .. 4 i - 5: aligned groups of four */

struct pt_heap {
    pt_u128 *key;  /* slots PT_HEAP_ROOT .. PT_HEAP_ROOT + count - 1; the rest are all-ones */
    uint32_t *pos; /* slot of an item, 0 = not in the heap */
    uint32_t count, capacity;
};

static inline pt_u128 pt_heap_key(int64_t time_ns, uint32_t tie, uint32_t item)
{
    return (pt_u128)(uint64_t)time_ns << 64 | (uint64_t)tie << 32 | item;
}
static inline int64_t pt_heap_key_time(pt_u128 key)
{
    return (int64_t)(uint64_t)(key >> 64);
}
static inline uint32_t pt_heap_key_tie(pt_u128 key)
{
    return (uint32_t)(key >> 32);
}
static inline uint32_t pt_heap_key_item(pt_u128 key)
{
    return (uint32_t)key;
}

/* False when memory runs out; then nothing is held. */
static inline bool pt_heap_init(struct pt_heap *heap, uint32_t capacity)
{
    size_t slots = (size_t)capacity + PT_HEAP_ROOT + 5;
    slots = (slots + 3) / 4 * 4;
    heap->count = 0;
    heap->capacity = capacity;
    heap->key = aligned_alloc(64, (slots * sizeof(pt_u128) + 63) / 64 * 64);
    heap->pos = calloc((size_t)capacity + 1, sizeof *heap->pos);
    if (heap->key == NULL || heap->pos == NULL) {
        free(heap->key);
        free(heap->pos);
        *heap = (struct pt_heap){0};
        return false;
    }
    for (size_t i = 0; i < slots; i++)
        heap->key[i] = ~(pt_u128)0;
    return true;
}

static inline void pt_heap_fini(struct pt_heap *heap)
{
    free(heap->key);
    free(heap->pos);
    *heap = (struct pt_heap){0};
}

static inline uint32_t pt_heap_parent(uint32_t slot)
{
    return slot / 4 + 2;
}
static inline uint32_t pt_heap_first_child(uint32_t slot)
{
    return 4 * slot - 8;
}

static inline void pt_heap_put(struct pt_heap *heap, uint32_t slot, pt_u128 key)
{
    heap->key[slot] = key;
    heap->pos[pt_heap_key_item(key)] = slot;
}

/* The slot of the least of the four children that start at `child`; unused ones are all-ones.
 * Two selections by arithmetic: compilers would make unpredictable branches of `?:`. */
static inline uint32_t pt_heap_least_child(const struct pt_heap *heap, uint32_t child)
{
    const pt_u128 *k = &heap->key[child];
    pt_u128 k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3];
    uint64_t a = 0 - (uint64_t)(k1 < k0), b = 0 - (uint64_t)(k3 < k2);
    pt_u128 a_mask = (pt_u128)a << 64 | a, b_mask = (pt_u128)b << 64 | b;
    pt_u128 left = k0 ^ ((k0 ^ k1) & a_mask), right = k2 ^ ((k2 ^ k3) & b_mask);
    uint32_t c = 0 - (uint32_t)(right < left);
    uint32_t i = (uint32_t)a & 1, j = 2 + ((uint32_t)b & 1);
    return child + (i ^ ((i ^ j) & c));
}

static inline void pt_heap_sift_up(struct pt_heap *heap, uint32_t slot, pt_u128 key)
{
    while (slot > PT_HEAP_ROOT) {
        uint32_t parent = pt_heap_parent(slot);
        if (heap->key[parent] < key) break;
        pt_heap_put(heap, slot, heap->key[parent]);
        slot = parent;
    }
    pt_heap_put(heap, slot, key);
}

/* The hole at `slot` sinks to a leaf by its least children, then `key` rises from there: one
 * unpredictable comparison less per level than asking on the way down whether it has arrived. */
static inline void pt_heap_refill(struct pt_heap *heap, uint32_t slot, pt_u128 key)
{
    uint32_t end = PT_HEAP_ROOT + heap->count;
    for (uint32_t child; (child = pt_heap_first_child(slot)) < end;) {
        child = pt_heap_least_child(heap, child);
        pt_heap_put(heap, slot, heap->key[child]);
        slot = child;
    }
    pt_heap_sift_up(heap, slot, key);
}

/* The least key, all-ones when empty. */
static inline pt_u128 pt_heap_top(const struct pt_heap *heap)
{
    return heap->key[PT_HEAP_ROOT];
}

/* Inserts the key's item, or moves it if it is there. */
static inline void pt_heap_set(struct pt_heap *heap, pt_u128 key)
{
    uint32_t slot = heap->pos[pt_heap_key_item(key)];
    if (slot == 0) {
        pt_heap_sift_up(heap, PT_HEAP_ROOT + heap->count++, key);
    } else if (key < heap->key[slot]) {
        pt_heap_sift_up(heap, slot, key);
    } else {
        pt_heap_refill(heap, slot, key);
    }
}

/* Removes the item if it is there: the hole sinks to a leaf, the last entry fills it. */
static inline void pt_heap_remove(struct pt_heap *heap, uint32_t item)
{
    uint32_t slot = heap->pos[item];
    if (slot == 0) return;
    heap->pos[item] = 0;
    uint32_t last = PT_HEAP_ROOT + --heap->count;
    pt_u128 moved = heap->key[last];
    heap->key[last] = ~(pt_u128)0;
    if (slot == last) return;
    pt_heap_refill(heap, slot, moved);
}

#endif
