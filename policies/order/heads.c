#include "policies/order/heads.h"

size_t pt__heads_size(uint32_t class_count)
{
    return ((size_t)class_count + 1) * (4 * sizeof(uint32_t) + sizeof(uint8_t));
}

void pt__heads_init(struct pt_heads *heads, void *memory, uint32_t class_count)
{
    size_t n = (size_t)class_count + 1;
    uint32_t *words = memory;
    heads->count = heads->aside_count = 0;
    heads->head = words;
    heads->heap = words + n;
    heads->place = words + 2 * n;
    heads->aside = words + 3 * n;
    heads->is_aside = (uint8_t *)(words + 4 * n);
    for (uint32_t c = 0; c < class_count; c++)
        heads->head[c] = PT_NONE;
}

static void put(struct pt_heads *heads, uint32_t slot, uint32_t class_id)
{
    heads->heap[slot] = class_id;
    heads->place[class_id] = slot;
}

/* Moves the class at `slot` up or down to where its head belongs. */
static void settle(struct pt_heads *heads, uint32_t slot)
{
    uint32_t class_id = heads->heap[slot];
    pt_job job = heads->head[class_id];
    for (; slot > 0 && heads->head[heads->heap[(slot - 1) / 2]] > job; slot = (slot - 1) / 2)
        put(heads, slot, heads->heap[(slot - 1) / 2]);
    for (uint32_t child; (child = 2 * slot + 1) < heads->count; slot = child) {
        if (child + 1 < heads->count &&
            heads->head[heads->heap[child + 1]] < heads->head[heads->heap[child]])
            child++;
        if (heads->head[heads->heap[child]] > job) break;
        put(heads, slot, heads->heap[child]);
    }
    put(heads, slot, class_id);
}

static void heap_add(struct pt_heads *heads, uint32_t class_id)
{
    put(heads, heads->count, class_id);
    settle(heads, heads->count++);
}

static void heap_remove(struct pt_heads *heads, uint32_t class_id)
{
    uint32_t slot = heads->place[class_id], last = heads->heap[--heads->count];
    if (slot == heads->count) return;
    put(heads, slot, last);
    settle(heads, slot);
}

static void aside_remove(struct pt_heads *heads, uint32_t class_id)
{
    uint32_t slot = heads->place[class_id], last = heads->aside[--heads->aside_count];
    heads->aside[slot] = last;
    heads->place[last] = slot;
    heads->is_aside[class_id] = 0;
}

void pt__heads_refresh(struct pt_heads *heads, const struct pt_ctx *ctx, uint32_t class_id)
{
    pt_job before = heads->head[class_id];
    pt_job now = pt_view_class_next_pending(ctx, class_id, PT_NONE);
    heads->head[class_id] = now;
    if (heads->is_aside[class_id]) {
        if (now == PT_NONE) aside_remove(heads, class_id);
    } else if (before == PT_NONE && now != PT_NONE) {
        heap_add(heads, class_id);
    } else if (before != PT_NONE && now == PT_NONE) {
        heap_remove(heads, class_id);
    } else if (before != now) {
        settle(heads, heads->place[class_id]);
    }
}

void pt__heads_arrived(struct pt_heads *heads, uint32_t class_id, pt_job job)
{
    pt_job before = heads->head[class_id];
    if (before < job) return; /* PT_NONE is above every job */
    heads->head[class_id] = job;
    if (before == PT_NONE)
        heap_add(heads, class_id);
    else if (!heads->is_aside[class_id])
        settle(heads, heads->place[class_id]);
}

uint32_t pt__heads_first(const struct pt_heads *heads)
{
    return heads->count == 0 ? PT_NONE : heads->heap[0];
}

void pt__heads_set_aside(struct pt_heads *heads, uint32_t class_id)
{
    heap_remove(heads, class_id);
    heads->place[class_id] = heads->aside_count;
    heads->aside[heads->aside_count++] = class_id;
    heads->is_aside[class_id] = 1;
}

void pt__heads_bring_back(struct pt_heads *heads, const struct pt_ctx *ctx, uint64_t pools)
{
    for (uint32_t i = heads->aside_count; i-- > 0;) {
        uint32_t class_id = heads->aside[i];
        if ((pt_view_class_pools(ctx, class_id) & pools) == 0) continue;
        aside_remove(heads, class_id);
        heap_add(heads, class_id);
    }
}
