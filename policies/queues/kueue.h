/* The policy `kueue` in three parts: quotas (kueue_quota.h), the cycle (kueue.c), and whom to stop
 * (kueue_preempt.c). This is what they share.
 */
#ifndef PT_QUEUES_KUEUE_H
#define PT_QUEUES_KUEUE_H

#include "policies/order/queue.h"
#include "policies/queues/kueue_quota.h"

enum pt_kueue_switch { PT_KUEUE_NEVER, PT_KUEUE_LOWER, PT_KUEUE_LOWER_OR_NEWER, PT_KUEUE_ANY };

struct pt_kueue {
    struct pt_kueue_quota quota;
    struct pt_queue queue; /* pending jobs by class; only its classes' heaps are used */
    uint32_t class_count, tenant_count;
    uint32_t *tenant_of_class;
    uint32_t *next_class, *first_class; /* the classes of each tenant, a list */
    uint8_t *parked;                    /* by class: it does not fit until something changes */
    /* what is admitted: by job, the pool it holds + 1, 0 = none; a list by tenant */
    uint8_t *pool;
    pt_job *next, *previous, *first; /* first: by tenant */
    uint32_t *admitted;              /* by tenant: jobs */
    /* scratch of a cycle */
    struct pt_kueue_entry *entry; /* [tenants] */
    pt_job *candidate;            /* [jobs that may be admitted at once] */
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

/* Stops others so that the job can start in this pool, and starts it; false if that can't be. */
bool pt__kueue_preempt(struct pt_kueue *kueue, struct pt_ctx *ctx, pt_job job, uint32_t tenant,
                       uint32_t pool);

#endif
