#include "policies/order/queue.h"

#include <stdlib.h>

enum { NOT_ASIDE, ASIDE_NO_ROOM, ASIDE_LIMIT };

enum pt_status pt__queue_init(struct pt_queue *queue, const struct pt_ctx *ctx,
                              struct pt_error *error)
{
    uint32_t classes = pt_view_class_count(ctx), first = 0;
    size_t jobs = pt_view_trace(ctx)->job_count;
    *queue = (struct pt_queue){.job_count = (uint32_t)jobs};
    queue->rank = malloc((jobs + 1) * sizeof *queue->rank);
    queue->place = calloc(jobs + 1, sizeof *queue->place);
    queue->first = calloc(5 * ((size_t)classes + 1), sizeof *queue->first);
    queue->state = calloc((size_t)classes + 1, sizeof *queue->state);
    if (queue->rank == NULL || queue->place == NULL || queue->first == NULL ||
        queue->state == NULL) {
        pt__queue_fini(queue);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for a queue of %zu jobs", jobs);
    }
    queue->size = queue->first + classes + 1;
    queue->heap = queue->size + classes + 1;
    queue->slot = queue->heap + classes + 1;
    queue->aside = queue->slot + classes + 1;
    for (uint32_t c = 0; c < classes; c++) {
        queue->first[c] = first;
        first += pt_view_class_size(ctx, c);
    }
    return PT_OK;
}

void pt__queue_fini(struct pt_queue *queue)
{
    free(queue->rank);
    free(queue->place);
    free(queue->first);
    free(queue->state);
    *queue = (struct pt_queue){0};
}

/* ---- the heap of classes ---- */

static void put_class(struct pt_queue *queue, uint32_t slot, uint32_t class_id)
{
    queue->heap[slot] = class_id;
    queue->slot[class_id] = slot;
}

/* Moves the class at `slot` up or down to where its first job belongs. */
static void settle_class(struct pt_queue *queue, uint32_t slot)
{
    uint32_t class_id = queue->heap[slot];
    pt_u128 rank = pt__queue_head(queue, class_id);
    for (uint32_t up; slot > 0; slot = up) {
        up = (slot - 1) / 2;
        if (pt__queue_head(queue, queue->heap[up]) < rank) break;
        put_class(queue, slot, queue->heap[up]);
    }
    for (uint32_t child; (child = 2 * slot + 1) < queue->count; slot = child) {
        if (child + 1 < queue->count && pt__queue_head(queue, queue->heap[child + 1]) <
                                            pt__queue_head(queue, queue->heap[child]))
            child++;
        if (pt__queue_head(queue, queue->heap[child]) > rank) break;
        put_class(queue, slot, queue->heap[child]);
    }
    put_class(queue, slot, class_id);
}

static void class_enters(struct pt_queue *queue, uint32_t class_id)
{
    put_class(queue, queue->count, class_id);
    settle_class(queue, queue->count++);
}

static void class_leaves(struct pt_queue *queue, uint32_t class_id)
{
    uint32_t slot = queue->slot[class_id], last = queue->heap[--queue->count];
    if (slot == queue->count) return;
    put_class(queue, slot, last);
    settle_class(queue, slot);
}

static void aside_leaves(struct pt_queue *queue, uint32_t class_id)
{
    uint32_t slot = queue->slot[class_id], last = queue->aside[--queue->aside_count];
    queue->aside[slot] = last;
    queue->slot[last] = slot;
    queue->state[class_id] = NOT_ASIDE;
}

/* The class had this first job; now it may have another. */
static void head_changed(struct pt_queue *queue, uint32_t class_id, pt_u128 before)
{
    pt_u128 now = pt__queue_head(queue, class_id);
    if (queue->state[class_id] != NOT_ASIDE) {
        if (now == PT_QUEUE_NOBODY) aside_leaves(queue, class_id);
    } else if (before == PT_QUEUE_NOBODY && now != PT_QUEUE_NOBODY) {
        class_enters(queue, class_id);
    } else if (before != PT_QUEUE_NOBODY && now == PT_QUEUE_NOBODY) {
        class_leaves(queue, class_id);
    } else if (before != now) {
        settle_class(queue, queue->slot[class_id]);
    }
}

/* ---- the heap of a class ---- */

static void put_job(struct pt_queue *queue, pt_u128 *ranks, uint32_t at, pt_u128 rank)
{
    ranks[at] = rank;
    queue->place[pt__rank_job(rank)] = at + 1;
}

/* Puts the rank into the hole at `at`, or above or below it. */
static void settle_job(struct pt_queue *queue, uint32_t class_id, uint32_t at, pt_u128 rank)
{
    pt_u128 *ranks = queue->rank + queue->first[class_id];
    uint32_t size = queue->size[class_id];
    for (; at > 0 && ranks[(at - 1) / 2] > rank; at = (at - 1) / 2)
        put_job(queue, ranks, at, ranks[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && ranks[child + 1] < ranks[child]) child++;
        if (ranks[child] > rank) break;
        put_job(queue, ranks, at, ranks[child]);
    }
    put_job(queue, ranks, at, rank);
}

bool pt__queue_add(struct pt_queue *queue, const struct pt_ctx *ctx, pt_job job, pt_u128 key)
{
    uint32_t class_id = pt_view_class_of(ctx, job), at = queue->place[job];
    pt_u128 before = pt__queue_head(queue, class_id);
    at = at == 0 ? queue->size[class_id]++ : at - 1;
    settle_job(queue, class_id, at, pt__queue_rank(key, job));
    head_changed(queue, class_id, before);
    return pt__rank_job(pt__queue_head(queue, class_id)) == job;
}

bool pt__queue_remove(struct pt_queue *queue, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t class_id = pt_view_class_of(ctx, job), at = queue->place[job];
    if (at-- == 0) return false;
    pt_u128 before = pt__queue_head(queue, class_id);
    pt_u128 last = queue->rank[queue->first[class_id] + --queue->size[class_id]];
    queue->place[job] = 0;
    if (pt__rank_job(last) != job) settle_job(queue, class_id, at, last);
    head_changed(queue, class_id, before);
    return true;
}

/* ---- aside and back ---- */

void pt__queue_set_aside(struct pt_queue *queue, uint32_t class_id, enum pt_aside why)
{
    class_leaves(queue, class_id);
    queue->slot[class_id] = queue->aside_count;
    queue->aside[queue->aside_count++] = class_id;
    queue->state[class_id] = why == PT_ASIDE_LIMIT ? ASIDE_LIMIT : ASIDE_NO_ROOM;
}

void pt__queue_bring_back(struct pt_queue *queue, uint32_t class_id)
{
    if (queue->state[class_id] == NOT_ASIDE) return;
    aside_leaves(queue, class_id);
    class_enters(queue, class_id);
}

void pt__queue_released(struct pt_queue *queue, const struct pt_ctx *ctx, uint64_t pools)
{
    for (uint32_t i = queue->aside_count; i-- > 0;) {
        uint32_t class_id = queue->aside[i];
        if (queue->state[class_id] == ASIDE_LIMIT || (pt_view_class_pools(ctx, class_id) & pools))
            pt__queue_bring_back(queue, class_id);
    }
}
