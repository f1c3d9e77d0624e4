/* Classes of jobs in a heap by one job each, the earliest in the queue first. A class without a job
 * (PT_NONE) is not in it. O(log n) in the number of classes; no allocation: the caller gives the
 * memory. Inline: the orders that use it do little else.
 */
#ifndef PT_POLICIES_CLASS_HEAP_H
#define PT_POLICIES_CLASS_HEAP_H

#include "partita/policy.h"

struct pt_class_heap {
    uint32_t count;    /* classes in the heap */
    pt_job *job;       /* by class */
    uint32_t *classes; /* the heap */
    uint32_t *place;   /* by class: where it is in the heap; elsewhere the owner's to use */
};

/* Words of memory for so many classes. */
static inline size_t pt__class_heap_words(uint32_t class_count)
{
    return 3 * ((size_t)class_count + 1);
}

/* Empty, every job PT_NONE. `words` outlives the heap. */
static inline void pt__class_heap_init(struct pt_class_heap *heap, uint32_t *words,
                                       uint32_t class_count)
{
    size_t n = (size_t)class_count + 1;
    heap->count = 0;
    heap->job = words;
    heap->classes = words + n;
    heap->place = words + 2 * n;
    for (uint32_t c = 0; c < class_count; c++)
        heap->job[c] = PT_NONE;
}

static inline void pt__class_heap_put(struct pt_class_heap *heap, uint32_t slot, uint32_t class_id)
{
    heap->classes[slot] = class_id;
    heap->place[class_id] = slot;
}

/* Moves the class at `slot`, whose job has changed, up or down to where it belongs. */
static inline void pt__class_heap_settle(struct pt_class_heap *heap, uint32_t slot)
{
    uint32_t class_id = heap->classes[slot];
    pt_job job = heap->job[class_id];
    for (; slot > 0 && heap->job[heap->classes[(slot - 1) / 2]] > job; slot = (slot - 1) / 2)
        pt__class_heap_put(heap, slot, heap->classes[(slot - 1) / 2]);
    for (uint32_t child; (child = 2 * slot + 1) < heap->count; slot = child) {
        if (child + 1 < heap->count &&
            heap->job[heap->classes[child + 1]] < heap->job[heap->classes[child]])
            child++;
        if (heap->job[heap->classes[child]] > job) break;
        pt__class_heap_put(heap, slot, heap->classes[child]);
    }
    pt__class_heap_put(heap, slot, class_id);
}

/* Puts a class that is not in the heap, and has a job, into it. */
static inline void pt__class_heap_add(struct pt_class_heap *heap, uint32_t class_id)
{
    pt__class_heap_put(heap, heap->count, class_id);
    pt__class_heap_settle(heap, heap->count++);
}

/* Takes a class out of the heap; its job may have changed already. */
static inline void pt__class_heap_remove(struct pt_class_heap *heap, uint32_t class_id)
{
    uint32_t slot = heap->place[class_id], last = heap->classes[--heap->count];
    if (slot == heap->count) return;
    pt__class_heap_put(heap, slot, last);
    pt__class_heap_settle(heap, slot);
}

#endif
