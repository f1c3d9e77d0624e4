/* Pending jobs by key: in each class a heap with the least key first, and a heap of the classes by
 * the key of their first job. What an order with a key per job asks instead of sorting the queue.
 *
 * A key is below 2^96 and doesn't change while the job is pending; equal keys go by queue order. A
 * class is in the heap, set aside (nobody of it fits until something is released), or has nobody
 * pending. O(log n); 20 bytes a job of the trace, touched only where the queue gets so long; all
 * allocated by pt__queue_init.
 */
#ifndef PT_ORDER_QUEUE_H
#define PT_ORDER_QUEUE_H

#include "partita/policy.h"

#define PT_QUEUE_LAST (((pt_u128)1 << 96) - 1) /* behind everybody */
#define PT_QUEUE_NOBODY (~(pt_u128)0)          /* a rank behind every rank */

/* Why a class is set aside. */
enum pt_aside {
    PT_ASIDE_NO_ROOM, /* until something is released in one of its pools */
    PT_ASIDE_LIMIT    /* until anything is: what its tenant holds may be anywhere */
};

struct pt_queue {
    uint32_t count, aside_count; /* classes in the heap, set aside */
    uint32_t job_count;          /* of the trace */
    pt_u128 *rank;               /* the classes' heaps, one region each: key << 32 | job */
    uint32_t *place;             /* by job: its place in the region of its class + 1; 0 = not in */
    uint32_t *first, *size;      /* by class: where its region begins, jobs in it */
    uint32_t *heap;              /* classes, the one whose first job is first of all in front */
    uint32_t *slot;              /* by class: where it is in `heap` or `aside` */
    uint32_t *aside;             /* classes set aside */
    uint8_t *state;              /* by class */
};

/* What orders jobs: their keys, ties in queue order. */
static inline pt_u128 pt__queue_rank(pt_u128 key, pt_job job)
{
    return key << 32 | job;
}
static inline pt_u128 pt__rank_key(pt_u128 rank)
{
    return rank >> 32;
}
static inline pt_job pt__rank_job(pt_u128 rank)
{
    return (uint32_t)rank;
}

/* Nobody pending. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__queue_init(struct pt_queue *queue, const struct pt_ctx *ctx,
                              struct pt_error *error);
void pt__queue_fini(struct pt_queue *queue);

/* The job waits with this key; one that is there already gets the key. True if it is now the first
 * of its class. A class set aside stays there. */
bool pt__queue_add(struct pt_queue *queue, const struct pt_ctx *ctx, pt_job job, pt_u128 key);
/* The job doesn't wait any more; false if it didn't. Before pt_ctx_start, which may bring it
 * back. */
bool pt__queue_remove(struct pt_queue *queue, const struct pt_ctx *ctx, pt_job job);

/* The class whose first job is first of all, PT_NONE if no class is in the heap. */
static inline uint32_t pt__queue_first(const struct pt_queue *queue)
{
    return queue->count == 0 ? PT_NONE : queue->heap[0];
}
/* The rank of a class's first job; PT_QUEUE_NOBODY = nobody of it is pending. */
static inline pt_u128 pt__queue_head(const struct pt_queue *queue, uint32_t class_id)
{
    return queue->size[class_id] == 0 ? PT_QUEUE_NOBODY : queue->rank[queue->first[class_id]];
}

/* Sets a class of the heap aside. */
void pt__queue_set_aside(struct pt_queue *queue, uint32_t class_id, enum pt_aside why);
/* Brings a class back if it is set aside. */
void pt__queue_bring_back(struct pt_queue *queue, uint32_t class_id);
/* Brings back the classes that a release in these pools may help; UINT64_MAX = all. */
void pt__queue_released(struct pt_queue *queue, const struct pt_ctx *ctx, uint64_t pools);

#endif
