#include "policies/backfill/fronts.h"

size_t pt__fronts_size(uint32_t class_count)
{
    return pt__class_heap_words(class_count) * sizeof(uint32_t) +
           ((size_t)class_count + 1) * (sizeof(uint32_t) + sizeof(uint8_t));
}

void pt__fronts_init(struct pt_fronts *fronts, void *memory, uint32_t class_count)
{
    size_t n = (size_t)class_count + 1;
    uint32_t *words = memory;
    pt__class_heap_init(&fronts->heap, words, class_count);
    words += pt__class_heap_words(class_count);
    fronts->busy_count = 0;
    fronts->busy = words;
    fronts->is_busy = (uint8_t *)(words + n);
}

void pt__fronts_set(struct pt_fronts *fronts, uint32_t class_id, pt_job job)
{
    struct pt_class_heap *heap = &fronts->heap;
    pt_job before = heap->job[class_id];
    if (before == job) return;
    heap->job[class_id] = job;
    if (before == PT_NONE)
        pt__class_heap_add(heap, class_id);
    else if (job == PT_NONE)
        pt__class_heap_remove(heap, class_id);
    else
        pt__class_heap_settle(heap, heap->place[class_id]);
}

void pt__fronts_note(struct pt_fronts *fronts, uint32_t class_id)
{
    if (fronts->is_busy[class_id]) return;
    fronts->is_busy[class_id] = 1;
    fronts->busy[fronts->busy_count++] = class_id;
}

void pt__fronts_restart(struct pt_fronts *fronts, const struct pt_ctx *ctx)
{
    for (uint32_t i = fronts->busy_count; i-- > 0;) {
        uint32_t class_id = fronts->busy[i];
        pt_job first = pt_view_class_next_pending(ctx, class_id, PT_NONE);
        pt__fronts_set(fronts, class_id, first);
        if (first != PT_NONE) continue;
        fronts->is_busy[class_id] = 0;
        fronts->busy[i] = fronts->busy[--fronts->busy_count];
    }
}
