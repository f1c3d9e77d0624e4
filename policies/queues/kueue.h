/* The policy `kueue` in four parts: quotas (kueue_quota.h), the heads of a cycle (kueue_heads.c),
 * the cycle (kueue.c), and whom to stop (kueue_preempt.c). This is what they share.
 *
 * A cycle costs O(n log n) in the number n of tenants that have a head to show, whoever else there
 * is.
 */
#ifndef PT_QUEUES_KUEUE_H
#define PT_QUEUES_KUEUE_H

#include "policies/order/queue.h"
#include "policies/queues/kueue_quota.h"

enum pt_kueue_switch { PT_KUEUE_NEVER, PT_KUEUE_LOWER, PT_KUEUE_LOWER_OR_NEWER, PT_KUEUE_ANY };

/* One queue's head in a cycle. */
struct pt_kueue_entry {
    pt_job job;
    uint32_t tenant, class_id;
    bool borrows;
    double share;
    int64_t priority;
};

struct pt_kueue {
    struct pt_kueue_quota quota;
    struct pt_queue queue; /* pending jobs by class; only its classes' heaps are used */
    uint32_t class_count, tenant_count;
    uint32_t *tenant_of_class;
    uint32_t *next_class, *first_class; /* the classes of each tenant, a list */
    /* classes that do not fit until something changes; by class: the place there + 1, 0 = it may */
    uint32_t *parked, *parked_at, parked_count;
    /* tenants that may have a head to show, and maybe others; by tenant: it is among them */
    uint32_t *showing, showing_count;
    uint8_t *shows;
    /* what is admitted: by job, the pool it holds + 1, 0 = none; a list by tenant */
    uint8_t *pool;
    pt_job *next, *previous, *first; /* first: by tenant */
    uint32_t *admitted;              /* by tenant: jobs */
    /* scratch of a cycle */
    struct pt_kueue_entry *entry; /* [tenants]: a heap of the heads that are still to come */
    uint32_t entry_count;
    pt_job *candidate; /* [jobs that may be admitted at once] */
    uint32_t candidate_capacity;
    bool strict, fair;
    enum pt_kueue_switch within, reclaim, borrow;
    int64_t borrow_below; /* most priority of whom a borrower may stop */
};

/* Quota units of the job in the pool. */
static inline int64_t pt__kueue_parts(const struct pt_ctx *ctx, pt_job job, uint32_t pool)
{
    return (int64_t)pt_view_parts(ctx, pool, job);
}

/* The least that the job takes of its quota in any pool. */
int64_t pt__kueue_least_parts(const struct pt_ctx *ctx, pt_job job, uint32_t class_id);
/* The class has a new first job: it is not parked, and its tenant may show it. O(1). */
void pt__kueue_show(struct pt_kueue *kueue, uint32_t class_id);
/* The class does not fit until something changes. O(1). */
void pt__kueue_park(struct pt_kueue *kueue, uint32_t class_id);
/* Something has changed: nobody is parked. O(classes parked). */
void pt__kueue_unpark(struct pt_kueue *kueue);
/* A cycle begins: each tenant shows its first job whose class isn't parked (strict: its first job,
 * or nobody). pt__kueue_next_head gives them in the order in which they are looked at, as quotas
 * were when the cycle began; false: there are no more. */
void pt__kueue_heads(struct pt_kueue *kueue, const struct pt_ctx *ctx);
bool pt__kueue_next_head(struct pt_kueue_entry *head, struct pt_kueue *kueue);

/* Stops others so that the job can start in this pool, and starts it; false if that can't be. */
bool pt__kueue_preempt(struct pt_kueue *kueue, struct pt_ctx *ctx, pt_job job, uint32_t tenant,
                       uint32_t pool);

#endif
