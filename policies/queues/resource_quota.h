/* Kubernetes' ResourceQuota: whether a job's pods are created at all.
 *
 * A tenant is a namespace; what its admitted jobs ask for, running or pending, counts against its
 * quota until they end. A job that would pass it is refused at its creation, and its controller
 * tries again on its own schedule alone, whatever becomes free in between: after 1 s, doubling to
 * 60 s (a Job), or after 5 ms, doubling to 1000 s (a ReplicaSet). One that is stopped or fails and
 * tries again stays admitted: its controller replaces its pod at once. One that asks for more than
 * the whole quota is declined.
 *
 * What a job asks for is counted as in the first pool that could hold it. Only times at which
 * somebody refused would get in are looked at, and of the refused, whose tries come round with the
 * longest back-off, those that try next: a part of them, as many as there are buckets, unless most
 * are too large for what is free. 16 bytes a job, and 2 KiB a tenant, where a tenant has a quota.
 */
#ifndef PT_QUEUES_RESOURCE_QUOTA_H
#define PT_QUEUES_RESOURCE_QUOTA_H

#include "partita/policy.h"

#define PT_QUOTA_BUCKETS 256

struct pt_resource_quota {
    bool any;                /* a tenant has a quota */
    int64_t base_ns, cap_ns; /* of the back-off */
    uint32_t tenant_count;
    uint64_t *quota, *used;           /* by tenant, in parts of a GPU */
    pt_job *first, *last;             /* by tenant: the refused whose back-off still grows */
    pt_job *wheel_first, *wheel_last; /* [tenant][PT_QUOTA_BUCKETS]: the others, by when they try in
                                         each period of the longest back-off */
    int64_t growth_ns;                /* from the creation to the first try at the longest */
    int64_t *due_ns;                  /* by tenant: when to look at them next; PT_NEVER */
    int64_t next_due_ns, woken_ns;    /* the least of those; when the next timer is due */
    pt_job watched;                   /* jobs that failed, and may be ended for good */
    /* by job */
    pt_job *behind;      /* in the list it is in */
    int64_t *created_ns; /* when its creation was first tried */
    uint32_t *turn;      /* which of the instants at which anybody was admitted; 0 = refused */
    uint32_t turns;
    int64_t turn_ns;
};

/* Nobody admitted. Errors: PT_ERR_MEMORY; then nothing is held. */
PT_USE_RESULT enum pt_status pt__resource_quota_init(struct pt_resource_quota *quota,
                                                     const struct pt_ctx *ctx, int64_t base_ns,
                                                     int64_t cap_ns, struct pt_error *error);
void pt__resource_quota_fini(struct pt_resource_quota *quota);

/* A job became pending: true if it is admitted already; else it is looked at by
 * pt__resource_quota_admit at this instant. */
bool pt__resource_quota_arrives(struct pt_resource_quota *quota, const struct pt_ctx *ctx,
                                pt_job job);
/* It ended for good; what it held may be used at the others' next try. */
void pt__resource_quota_ends(struct pt_resource_quota *quota, const struct pt_ctx *ctx, pt_job job);
/* It failed, or may have: to be looked at again, it may have ended for good. */
void pt__resource_quota_watch(struct pt_resource_quota *quota, pt_job job);
/* Admits who tries at this instant and may: calls `admitted` for each, in trace order by tenant;
 * asks to be woken for the next try that could succeed. */
PT_USE_RESULT enum pt_status
pt__resource_quota_admit(struct pt_resource_quota *quota, struct pt_ctx *ctx,
                         void (*admitted)(void *owner, struct pt_ctx *ctx, pt_job job),
                         void *owner);
/* Orders jobs by their creation: equal for those of one instant. */
static inline uint32_t pt__resource_quota_turn(const struct pt_resource_quota *quota, pt_job job)
{
    return quota->any ? quota->turn[job] : 0;
}
/* The first try at or after `from_ns` of a job created at `created_ns`; its creation is the first.
 * PT_NEVER beyond the end of time. */
int64_t pt__resource_quota_retry_ns(int64_t created_ns, int64_t base_ns, int64_t cap_ns,
                                    int64_t from_ns);

#endif
