#include "policies/queues/resource_quota.h"

#include <stdlib.h>
#include <string.h>

/* The quota in parts of a GPU. */
static uint64_t parts_of(const struct pt_ctx *ctx, uint32_t tenant)
{
    uint64_t quota = pt_view_tenant(ctx, tenant)->quota;
    uint64_t scale = pt_view_parts_per_gpu(ctx) / PT_PPM_ONE;
    return quota == PT_QUOTA_NONE || quota > UINT64_MAX / scale ? UINT64_MAX : quota * scale;
}

static bool allocate(struct pt_resource_quota *quota, size_t tenants, size_t jobs)
{
    tenants++; /* room for none is room for one */
    jobs++;
    quota->quota = malloc(tenants * sizeof *quota->quota);
    quota->used = calloc(tenants, sizeof *quota->used);
    quota->first = malloc(tenants * sizeof *quota->first);
    quota->last = malloc(tenants * sizeof *quota->last);
    quota->wheel_first = malloc(tenants * PT_QUOTA_BUCKETS * sizeof *quota->wheel_first);
    quota->wheel_last = malloc(tenants * PT_QUOTA_BUCKETS * sizeof *quota->wheel_last);
    quota->due_ns = malloc(tenants * sizeof *quota->due_ns);
    quota->behind = malloc(jobs * sizeof *quota->behind);
    quota->created_ns = malloc(jobs * sizeof *quota->created_ns);
    quota->turn = calloc(jobs, sizeof *quota->turn);
    return quota->quota != NULL && quota->used != NULL && quota->first != NULL &&
           quota->last != NULL && quota->due_ns != NULL && quota->behind != NULL &&
           quota->created_ns != NULL && quota->turn != NULL && quota->wheel_first != NULL &&
           quota->wheel_last != NULL;
}

enum pt_status pt__resource_quota_init(struct pt_resource_quota *quota, const struct pt_ctx *ctx,
                                       int64_t base_ns, int64_t cap_ns, struct pt_error *error)
{
    *quota = (struct pt_resource_quota){.base_ns = base_ns,
                                        .cap_ns = cap_ns,
                                        .tenant_count = pt_view_tenant_count(ctx),
                                        .next_due_ns = PT_NEVER,
                                        .woken_ns = PT_NEVER,
                                        .watched = PT_NONE,
                                        .turn_ns = PT_NEVER};
    for (uint32_t t = 0; t < quota->tenant_count; t++)
        quota->any |= parts_of(ctx, t) != UINT64_MAX;
    if (!quota->any) return PT_OK;
    if (!allocate(quota, quota->tenant_count, (size_t)pt_view_trace(ctx)->job_count + 1)) {
        pt__resource_quota_fini(quota);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for quotas");
    }
    memset(quota->wheel_first, 0xff,
           quota->tenant_count * PT_QUOTA_BUCKETS * sizeof *quota->wheel_first);
    for (int64_t step_ns = base_ns; step_ns < cap_ns; step_ns *= 2)
        quota->growth_ns += step_ns;
    for (uint32_t t = 0; t < quota->tenant_count; t++) {
        quota->quota[t] = parts_of(ctx, t);
        quota->first[t] = quota->last[t] = PT_NONE;
        quota->due_ns[t] = PT_NEVER;
    }
    return PT_OK;
}

void pt__resource_quota_fini(struct pt_resource_quota *quota)
{
    free(quota->quota);
    free(quota->used);
    free(quota->first);
    free(quota->last);
    free(quota->wheel_first);
    free(quota->wheel_last);
    free(quota->due_ns);
    free(quota->behind);
    free(quota->created_ns);
    free(quota->turn);
    *quota = (struct pt_resource_quota){0};
}

/* What the job asks for, as in the first pool that could hold it. */
static uint64_t asked(const struct pt_ctx *ctx, pt_job job)
{
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    return pools == 0 ? 0 : pt_view_parts(ctx, (uint32_t)__builtin_ctzll(pools), job);
}

static void look_at(struct pt_resource_quota *quota, uint32_t tenant, int64_t time_ns)
{
    if (time_ns < quota->due_ns[tenant]) quota->due_ns[tenant] = time_ns;
    if (time_ns < quota->next_due_ns) quota->next_due_ns = time_ns;
}

static void append(struct pt_resource_quota *quota, pt_job *first, pt_job *last, pt_job job)
{
    quota->behind[job] = PT_NONE;
    *(*first == PT_NONE ? first : &quota->behind[*last]) = job;
    *last = job;
}

bool pt__resource_quota_arrives(struct pt_resource_quota *quota, const struct pt_ctx *ctx,
                                pt_job job)
{
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    if (!quota->any || quota->turn[job] != 0) return true;
    quota->created_ns[job] = pt_view_now_ns(ctx);
    append(quota, &quota->first[tenant], &quota->last[tenant], job);
    look_at(quota, tenant, quota->created_ns[job]);
    return false;
}

void pt__resource_quota_ends(struct pt_resource_quota *quota, const struct pt_ctx *ctx, pt_job job)
{
    uint32_t tenant = pt_view_tenant_of(ctx, job);
    if (!quota->any || quota->turn[job] == 0) return;
    quota->used[tenant] -= asked(ctx, job);
    look_at(quota, tenant, pt_view_now_ns(ctx));
}

void pt__resource_quota_watch(struct pt_resource_quota *quota, pt_job job)
{
    if (!quota->any || quota->turn[job] == 0) return;
    for (pt_job other = quota->watched; other != PT_NONE; other = quota->behind[other])
        if (other == job) return;
    quota->behind[job] = quota->watched;
    quota->watched = job;
}

/* Whether what is watched has ended; who runs or is in the queue again is watched no more. */
static void look_at_watched(struct pt_resource_quota *quota, const struct pt_ctx *ctx)
{
    pt_job *link = &quota->watched;
    while (*link != PT_NONE) {
        pt_job job = *link;
        enum pt_job_state state = pt_view_state(ctx, job);
        bool ended = pt_job_state_is_final(state);
        bool back = state == PT_STATE_PENDING || state == PT_STATE_PAUSED;
        if (!ended && !back && state != PT_STATE_RUNNING) {
            link = &quota->behind[job];
            continue;
        }
        *link = quota->behind[job];
        if (ended) pt__resource_quota_ends(quota, ctx, job);
    }
}

int64_t pt__resource_quota_retry_ns(int64_t created_ns, int64_t base_ns, int64_t cap_ns,
                                    int64_t from_ns)
{
    int64_t time_ns = created_ns, step_ns = base_ns;
    while (time_ns < from_ns && step_ns < cap_ns) {
        if (time_ns > PT_TIME_MAX - step_ns) return PT_NEVER;
        time_ns += step_ns;
        step_ns *= 2;
    }
    if (time_ns >= from_ns) return time_ns;
    int64_t steps = (from_ns - time_ns - 1) / cap_ns + 1;
    return steps > (PT_TIME_MAX - time_ns) / cap_ns ? PT_NEVER : time_ns + steps * cap_ns;
}

static int64_t retry_ns(const struct pt_resource_quota *quota, pt_job job, int64_t from_ns)
{
    return pt__resource_quota_retry_ns(quota->created_ns[job], quota->base_ns, quota->cap_ns,
                                       from_ns);
}

static void admit(struct pt_resource_quota *quota, uint32_t tenant, pt_job job, uint64_t parts,
                  int64_t now_ns)
{
    if (quota->turn_ns != now_ns) {
        quota->turns++;
        quota->turn_ns = now_ns;
    }
    quota->turn[job] = quota->turns;
    quota->used[tenant] += parts;
}

typedef void admitted_fn(void *owner, struct pt_ctx *ctx, pt_job job);

/* A refused job's turn: whether it leaves the refused, because it is admitted, or for good. */
static enum pt_status try_job(struct pt_resource_quota *quota, struct pt_ctx *ctx, uint32_t tenant,
                              pt_job job, admitted_fn *admitted, void *owner, bool *leaves)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    uint64_t parts = asked(ctx, job);
    *leaves = true;
    if (pt_view_state(ctx, job) != PT_STATE_PENDING) return PT_OK;
    if (parts > quota->quota[tenant]) {
        pt_ctx_say(ctx, job, PT_REASON_QUOTA);
        return pt_ctx_decline(ctx, job, PT_REASON_QUOTA);
    }
    *leaves = false;
    if (retry_ns(quota, job, now_ns) != now_ns) return PT_OK;
    if (parts > quota->quota[tenant] - quota->used[tenant]) {
        pt_ctx_say(ctx, job, PT_REASON_QUOTA);
        return PT_OK;
    }
    admit(quota, tenant, job, parts, now_ns);
    admitted(owner, ctx, job);
    *leaves = true;
    return PT_OK;
}

/* Where in the wheel who tries at this time is. */
static uint32_t bucket_of(const struct pt_resource_quota *quota, int64_t time_ns)
{
    int64_t phase_ns = time_ns % quota->cap_ns;
    if (phase_ns < 0) phase_ns += quota->cap_ns;
    return (uint32_t)(phase_ns / (quota->cap_ns / PT_QUOTA_BUCKETS + 1));
}

/* Gives everybody in a list a try; who waits at the longest back-off by now goes to the wheel. */
static enum pt_status try_list(struct pt_resource_quota *quota, struct pt_ctx *ctx, uint32_t tenant,
                               pt_job *first, pt_job *last, admitted_fn *admitted, void *owner)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    bool grows = first == &quota->first[tenant];
    pt_job job = *first;
    *first = PT_NONE;
    while (job != PT_NONE) {
        pt_job next = quota->behind[job];
        bool leaves;
        PT_TRY(try_job(quota, ctx, tenant, job, admitted, owner, &leaves));
        if (!leaves && grows && now_ns - quota->created_ns[job] >= quota->growth_ns) {
            size_t at = (size_t)tenant * PT_QUOTA_BUCKETS +
                        bucket_of(quota, quota->created_ns[job] + quota->growth_ns);
            append(quota, &quota->wheel_first[at], &quota->wheel_last[at], job);
        } else if (!leaves) {
            append(quota, first, last, job);
        }
        job = next;
    }
    return PT_OK;
}

/* The tenant's refused jobs that try now, the oldest first. */
static enum pt_status try_tenant(struct pt_resource_quota *quota, struct pt_ctx *ctx,
                                 uint32_t tenant, admitted_fn *admitted, void *owner)
{
    size_t at = (size_t)tenant * PT_QUOTA_BUCKETS + bucket_of(quota, pt_view_now_ns(ctx));
    quota->due_ns[tenant] = PT_NEVER;
    PT_TRY(try_list(quota, ctx, tenant, &quota->wheel_first[at], &quota->wheel_last[at], admitted,
                    owner));
    return try_list(quota, ctx, tenant, &quota->first[tenant], &quota->last[tenant], admitted,
                    owner);
}

/* The next try of one in the list who would get in; PT_NEVER. */
static int64_t next_in(const struct pt_resource_quota *quota, const struct pt_ctx *ctx, pt_job job,
                       uint64_t left)
{
    int64_t next_ns = PT_NEVER;
    for (; job != PT_NONE; job = quota->behind[job]) {
        if (asked(ctx, job) > left) continue;
        int64_t time_ns = retry_ns(quota, job, pt_view_now_ns(ctx) + 1);
        if (time_ns < next_ns) next_ns = time_ns;
    }
    return next_ns;
}

/* The wheel from now on: who is in this bucket may try soon, or last of all. */
static void next_try(struct pt_resource_quota *quota, const struct pt_ctx *ctx, uint32_t tenant)
{
    uint64_t left = quota->quota[tenant] - quota->used[tenant];
    uint32_t here = bucket_of(quota, pt_view_now_ns(ctx));
    const pt_job *wheel = quota->wheel_first + (size_t)tenant * PT_QUOTA_BUCKETS;
    if (left == 0) return;
    look_at(quota, tenant, next_in(quota, ctx, quota->first[tenant], left));
    look_at(quota, tenant, next_in(quota, ctx, wheel[here], left));
    for (uint32_t i = 1; i < PT_QUOTA_BUCKETS; i++) {
        int64_t time_ns = next_in(quota, ctx, wheel[(here + i) % PT_QUOTA_BUCKETS], left);
        look_at(quota, tenant, time_ns);
        if (time_ns != PT_NEVER) return;
    }
}

enum pt_status
pt__resource_quota_admit(struct pt_resource_quota *quota, struct pt_ctx *ctx,
                         void (*admitted)(void *owner, struct pt_ctx *ctx, pt_job job), void *owner)
{
    int64_t now_ns = pt_view_now_ns(ctx);
    if (!quota->any) return PT_OK;
    look_at_watched(quota, ctx);
    if (quota->next_due_ns > now_ns) return PT_OK;
    quota->next_due_ns = PT_NEVER;
    for (uint32_t t = 0; t < quota->tenant_count; t++) {
        if (quota->due_ns[t] <= now_ns) {
            PT_TRY(try_tenant(quota, ctx, t, admitted, owner));
            next_try(quota, ctx, t);
        }
        if (quota->due_ns[t] < quota->next_due_ns) quota->next_due_ns = quota->due_ns[t];
    }
    if (quota->woken_ns <= now_ns) quota->woken_ns = PT_NEVER;
    if (quota->next_due_ns >= quota->woken_ns) return PT_OK;
    quota->woken_ns = quota->next_due_ns;
    return pt_ctx_wake_at(ctx, quota->next_due_ns);
}
