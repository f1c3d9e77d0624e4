/* The classes that have a pending job, by whose first job is next in the queue: what an order asks
 * instead of walking the queue. A class is in the heap, set aside, or has nobody pending. O(log n)
 * in the number of classes; no allocation: the caller gives the memory.
 */
#ifndef PT_ORDER_HEADS_H
#define PT_ORDER_HEADS_H

#include "partita/policy.h"
#include "policies/class_heap.h"

struct pt_heads {
    struct pt_class_heap
        heap; /* by each class's first pending job; `place`: or among those aside */
    uint32_t aside_count;
    uint32_t *aside; /* classes set aside */
    uint8_t *is_aside;
};

/* Bytes that pt__heads_init needs for so many classes. */
size_t pt__heads_size(uint32_t class_count);
/* Nobody pending. `memory` is zeroed, aligned for uint32_t, and outlives the heads. */
void pt__heads_init(struct pt_heads *heads, void *memory, uint32_t class_count);
/* Reads the class's first pending job anew; a class set aside stays there while it has one. */
void pt__heads_refresh(struct pt_heads *heads, const struct pt_ctx *ctx, uint32_t class_id);
/* A job of the class became pending. */
void pt__heads_arrived(struct pt_heads *heads, uint32_t class_id, pt_job job);
/* The class whose head is first in the queue, PT_NONE when the heap is empty. */
uint32_t pt__heads_first(const struct pt_heads *heads);
/* Sets a class of the heap aside. */
void pt__heads_set_aside(struct pt_heads *heads, uint32_t class_id);
/* Brings back the classes set aside that may use one of `pools`. */
void pt__heads_bring_back(struct pt_heads *heads, const struct pt_ctx *ctx, uint64_t pools);

#endif
