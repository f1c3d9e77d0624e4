#include "policies/order/heads.h"

size_t pt__heads_size(uint32_t class_count)
{
    return pt__class_heap_words(class_count) * sizeof(uint32_t) +
           ((size_t)class_count + 1) * (sizeof(uint32_t) + sizeof(uint8_t));
}

void pt__heads_init(struct pt_heads *heads, void *memory, uint32_t class_count)
{
    size_t n = (size_t)class_count + 1;
    uint32_t *words = memory;
    pt__class_heap_init(&heads->heap, words, class_count);
    words += pt__class_heap_words(class_count);
    heads->aside_count = 0;
    heads->aside = words;
    heads->is_aside = (uint8_t *)(words + n);
}

static void aside_remove(struct pt_heads *heads, uint32_t class_id)
{
    uint32_t slot = heads->heap.place[class_id], last = heads->aside[--heads->aside_count];
    heads->aside[slot] = last;
    heads->heap.place[last] = slot;
    heads->is_aside[class_id] = 0;
}

void pt__heads_refresh(struct pt_heads *heads, const struct pt_ctx *ctx, uint32_t class_id)
{
    pt_job before = heads->heap.job[class_id];
    pt_job now = pt_view_class_next_pending(ctx, class_id, PT_NONE);
    heads->heap.job[class_id] = now;
    if (heads->is_aside[class_id]) {
        if (now == PT_NONE) aside_remove(heads, class_id);
    } else if (before == PT_NONE && now != PT_NONE) {
        pt__class_heap_add(&heads->heap, class_id);
    } else if (before != PT_NONE && now == PT_NONE) {
        pt__class_heap_remove(&heads->heap, class_id);
    } else if (before != now) {
        pt__class_heap_settle(&heads->heap, heads->heap.place[class_id]);
    }
}

void pt__heads_arrived(struct pt_heads *heads, uint32_t class_id, pt_job job)
{
    pt_job before = heads->heap.job[class_id];
    if (before < job) return; /* PT_NONE is above every job */
    heads->heap.job[class_id] = job;
    if (before == PT_NONE)
        pt__class_heap_add(&heads->heap, class_id);
    else if (!heads->is_aside[class_id])
        pt__class_heap_settle(&heads->heap, heads->heap.place[class_id]);
}

uint32_t pt__heads_first(const struct pt_heads *heads)
{
    return heads->heap.count == 0 ? PT_NONE : heads->heap.classes[0];
}

void pt__heads_set_aside(struct pt_heads *heads, uint32_t class_id)
{
    pt__class_heap_remove(&heads->heap, class_id);
    heads->heap.place[class_id] = heads->aside_count;
    heads->aside[heads->aside_count++] = class_id;
    heads->is_aside[class_id] = 1;
}

void pt__heads_bring_back(struct pt_heads *heads, const struct pt_ctx *ctx, uint64_t pools)
{
    for (uint32_t i = heads->aside_count; i-- > 0;) {
        uint32_t class_id = heads->aside[i];
        if ((pt_view_class_pools(ctx, class_id) & pools) == 0) continue;
        aside_remove(heads, class_id);
        pt__class_heap_add(&heads->heap, class_id);
    }
}
