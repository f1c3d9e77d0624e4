#include "policies/backfill/fronts.h"

size_t pt__fronts_size(uint32_t class_count)
{
    return ((size_t)class_count + 1) * (4 * sizeof(uint32_t) + sizeof(uint8_t));
}

void pt__fronts_init(struct pt_fronts *fronts, void *memory, uint32_t class_count)
{
    size_t n = (size_t)class_count + 1;
    uint32_t *words = memory;
    fronts->count = fronts->busy_count = 0;
    fronts->front = words;
    fronts->heap = words + n;
    fronts->place = words + 2 * n;
    fronts->busy = words + 3 * n;
    fronts->is_busy = (uint8_t *)(words + 4 * n);
    for (uint32_t c = 0; c < class_count; c++)
        fronts->front[c] = PT_NONE;
}

static void put(struct pt_fronts *fronts, uint32_t slot, uint32_t class_id)
{
    fronts->heap[slot] = class_id;
    fronts->place[class_id] = slot;
}

/* Moves the class at `slot` up or down to where its job belongs. */
static void settle(struct pt_fronts *fronts, uint32_t slot)
{
    uint32_t class_id = fronts->heap[slot];
    pt_job job = fronts->front[class_id];
    for (; slot > 0 && fronts->front[fronts->heap[(slot - 1) / 2]] > job; slot = (slot - 1) / 2)
        put(fronts, slot, fronts->heap[(slot - 1) / 2]);
    for (uint32_t child; (child = 2 * slot + 1) < fronts->count; slot = child) {
        if (child + 1 < fronts->count &&
            fronts->front[fronts->heap[child + 1]] < fronts->front[fronts->heap[child]])
            child++;
        if (fronts->front[fronts->heap[child]] > job) break;
        put(fronts, slot, fronts->heap[child]);
    }
    put(fronts, slot, class_id);
}

void pt__fronts_set(struct pt_fronts *fronts, uint32_t class_id, pt_job job)
{
    pt_job before = fronts->front[class_id];
    if (before == job) return;
    fronts->front[class_id] = job;
    if (before == PT_NONE) {
        put(fronts, fronts->count, class_id);
        settle(fronts, fronts->count++);
    } else if (job == PT_NONE) {
        uint32_t slot = fronts->place[class_id], last = fronts->heap[--fronts->count];
        if (slot == fronts->count) return;
        put(fronts, slot, last);
        settle(fronts, slot);
    } else {
        settle(fronts, fronts->place[class_id]);
    }
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
