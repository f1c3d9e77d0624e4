/* Orders that are a key per job: least first, ties in queue order. An order of this kind is a row
 * of a table (orders.c): a function that reads a job's key, and its parameters.
 *
 * A pass takes the pending jobs by key. Who fits starts. Who doesn't
 *   - starts where others can move out of its way, if they may (defragment.h);
 *   - stops running jobs with a strictly greater key, where the experiment has a way to stop jobs
 *     and only if that makes it fit (displace.h);
 *   - else holds back those behind it by whole pools (blocking: strict), or nobody (skip).
 * A job over its tenant's limit holds back nobody and stops nobody. A job's key is read when it
 * becomes pending, anew when it comes back after it was stopped, and now while it runs.
 */
#ifndef PT_ORDER_RANKED_H
#define PT_ORDER_RANKED_H

#include <gsl/gsl_rng.h>

#include "policies/order/queue.h"
#include "policies/order/running.h"
#include "policies/preemption/defragment.h"

struct pt_ranked;
struct pt_feasible_plan;

#define PT_RANKED_REFUSED 0 /* the key of a job that is to be declined */

/* What makes an order of this kind. */
struct pt_ranked_rule {
    /* The job's key now; below 2^96. It never rises while the job runs. */
    pt_u128 (*key)(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job);
    bool falls;   /* it may fall while the job runs */
    bool by_work; /* it looks at how much work jobs are: the order has the parameter `by` */
    /* Whether a pending job that never started is refused rather than ever started: asked when it
     * becomes pending (`arrives`) and at its turn. Keys of such an order are above
     * PT_RANKED_REFUSED. NULL = never. */
    bool (*refuses)(const struct pt_ranked *order, const struct pt_ctx *ctx, pt_job job,
                    bool arrives);
};

/* The state of an order of this kind. */
struct pt_ranked {
    const struct pt_ranked_rule *rule;
    struct pt_queue queue;
    struct pt_running running; /* those that may be stopped; only where `stops` */
    struct pt_defragment defragment;
    gsl_rng *rng;     /* of those that draw their keys */
    bool by_estimate; /* else by the true work */
    bool strict;
    bool stops;                    /* the experiment has a way to stop jobs */
    struct pt_feasible_plan *plan; /* room to plan in, of those that admit by a plan */
    uint8_t admission;             /* how, in the order's own words */
    uint64_t blocked;              /* strict: pools that a job in front waits for */
    pt_u128 last_blocker;          /* strict: the rank of the last in order that blocks */
};

/* The first parameters of every order of this kind, in this order; `by` where the rule says. */
enum {
    PT_RANKED_BLOCKING,
    PT_RANKED_DEFRAGMENT,
    PT_RANKED_BY = PT_RANKED_DEFRAGMENT + PT_DEFRAGMENT_PARAMS,
    PT_RANKED_OWN
};
enum { PT_BLOCKING_STRICT, PT_BLOCKING_SKIP };
enum { PT_BY_WORK, PT_BY_ESTIMATE };
extern const char *const pt__blocking_choices[], *const pt__by_choices[];
#define PT_RANKED_BLOCKING_PARAM(fallback)                                                         \
    {                                                                                              \
        "blocking", PT_PARAM_CHOICE, "", fallback, NULL, NULL, pt__blocking_choices,               \
            "whether a job that can't start holds back those behind it"                            \
    }
#define PT_RANKED_BY_PARAM(fallback)                                                               \
    {                                                                                              \
        "by", PT_PARAM_CHOICE, "", fallback, NULL, NULL, pt__by_choices,                           \
            "true work, or the users' estimates (absent = last)"                                   \
    }

uint32_t pt__ranked_flags(const struct pt_value *values);
size_t pt__ranked_state_size(const struct pt_value *values, uint32_t class_count);
/* Sets up the state for a rule; only PT_ERR_MEMORY fails. */
enum pt_status pt__ranked_init(struct pt_ranked *order, const struct pt_ctx *ctx,
                               const struct pt_value *values, const struct pt_ranked_rule *rule,
                               struct pt_error *error);
void pt__ranked_fini(void *state);
void pt__ranked_on_pending(void *state, struct pt_ctx *ctx, pt_job job);
void pt__ranked_on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job);
void pt__ranked_on_release(void *state, struct pt_ctx *ctx, uint64_t pools);
void pt__ranked_on_started(void *state, struct pt_ctx *ctx, pt_job job);
void pt__ranked_on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why);
enum pt_status pt__ranked_schedule(void *state, struct pt_ctx *ctx);

/* All of an order's functions but init. */
#define PT_RANKED_FUNCTIONS                                                                        \
    .abi = PT_POLICY_ABI, .size = sizeof(struct pt_policy_ops), .flags = pt__ranked_flags,         \
    .state_size = pt__ranked_state_size, .fini = pt__ranked_fini,                                  \
    .on_pending = pt__ranked_on_pending, .on_withdrawn = pt__ranked_on_withdrawn,                  \
    .on_release = pt__ranked_on_release, .on_started = pt__ranked_on_started,                      \
    .on_stopped = pt__ranked_on_stopped, .schedule = pt__ranked_schedule

#endif
