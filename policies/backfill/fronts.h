/* The classes by which of their pending jobs is to be looked at next, the earliest in the queue
 * first: what a backfill walks instead of the queue. A class without such a job is not in the heap.
 * O(log n) in the number of classes; no allocation: the caller gives the memory.
 */
#ifndef PT_BACKFILL_FRONTS_H
#define PT_BACKFILL_FRONTS_H

#include "partita/policy.h"
#include "policies/class_heap.h"

struct pt_fronts {
    struct pt_class_heap heap; /* by each class's job to be looked at next */
    uint32_t busy_count;
    uint32_t *busy; /* classes with pending jobs, and some that had */
    uint8_t *is_busy;
};

/* Bytes that pt__fronts_init needs for so many classes. */
size_t pt__fronts_size(uint32_t class_count);
/* The same in whole words. */
static inline size_t pt__fronts_words(uint32_t class_count)
{
    return (pt__fronts_size(class_count) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}
/* Nobody pending. `memory` is zeroed, aligned for uint32_t, and outlives the fronts. */
void pt__fronts_init(struct pt_fronts *fronts, void *memory, uint32_t class_count);
/* The class's next job to be looked at is this one (PT_NONE: none). */
void pt__fronts_set(struct pt_fronts *fronts, uint32_t class_id, pt_job job);
/* Notes that the class has a pending job, so that a walk from the front finds it. */
void pt__fronts_note(struct pt_fronts *fronts, uint32_t class_id);
/* Starts over: every class with its first pending job. O(classes with pending jobs). */
void pt__fronts_restart(struct pt_fronts *fronts, const struct pt_ctx *ctx);
/* The class whose job is first in the queue, PT_NONE when there is none. */
static inline uint32_t pt__fronts_first(const struct pt_fronts *fronts)
{
    return fronts->heap.count == 0 ? PT_NONE : fronts->heap.classes[0];
}

#endif
