#include <limits.h>
#include <stdlib.h>

#include "policies/order/queue.h"
#include "policies/preemption/victims.h"
#include "policies/queues/queues.h"
#include "policies/queues/resource_quota.h"

/* What Kubernetes does by itself: quotas at creation, then kube-scheduler's queue by priority and
 * creation; a pod that doesn't fit holds back nobody, and may take a node from lower ones.
 *
 * A job that fits a node is one pod, on one node. A larger one is a gang, which Kubernetes alone
 * does not have: it starts whole or not at all, and stops nobody. */

enum { CONTROLLER_JOB, CONTROLLER_REPLICASET };
enum { PARAM_CONTROLLER };

static const char *const controllers[] = {"job", "replicaset", NULL};

static const struct pt_param params[] = {
    [PARAM_CONTROLLER] =
        {"controller", PT_PARAM_CHOICE, "", "job", NULL, NULL, controllers,
         "who creates pods again that a quota refused: after 1 s doubling to 60 s, "
         "or 5 ms doubling to 1000 s"},
    {0}};

/* Pods that stop nobody wait apart: another that asks for the same may still stop somebody. */
enum { STOPPERS, OTHERS, QUEUES };

struct k8s {
    struct pt_queue queue[QUEUES];
    struct pt_victim_state victims;
    struct pt_resource_quota quota;
};

static uint32_t flags(const struct pt_value *values)
{
    (void)values;
    return PT_POLICY_QUOTAS;
}

static size_t state_size(const struct pt_value *values, uint32_t class_count)
{
    (void)values;
    (void)class_count;
    return sizeof(struct k8s);
}

static void fini(void *state)
{
    struct k8s *k8s = state;
    for (int q = 0; q < QUEUES; q++)
        pt__queue_fini(&k8s->queue[q]);
    pt__victims_fini(&k8s->victims);
    pt__resource_quota_fini(&k8s->quota);
}

static enum pt_status init(void *state, const struct pt_ctx *ctx, const struct pt_value *values,
                           struct pt_error *error)
{
    struct k8s *k8s = state;
    bool job = values[PARAM_CONTROLLER].integer == CONTROLLER_JOB;
    int64_t base_ns = job ? PT_NS_PER_S : 5 * PT_NS_PER_S / 1000;
    int64_t cap_ns = (job ? 60 : 1000) * PT_NS_PER_S;
    enum pt_status status = pt__victims_init(&k8s->victims, ctx, error);
    for (int q = 0; q < QUEUES && status == PT_OK; q++)
        status = pt__queue_init(&k8s->queue[q], ctx, error);
    if (status == PT_OK) status = pt__resource_quota_init(&k8s->quota, ctx, base_ns, cap_ns, error);
    if (status != PT_OK) fini(state);
    return status;
}

static struct pt_queue *queue_of(struct k8s *k8s, const struct pt_ctx *ctx, pt_job job)
{
    return &k8s->queue[pt_view_rank(ctx, job).preempts ? STOPPERS : OTHERS];
}

/* Highest priority first, then by creation; of one instant, in trace order. */
static pt_u128 key_of(const struct k8s *k8s, const struct pt_ctx *ctx, pt_job job)
{
    uint64_t behind = (uint64_t)INT64_MAX - (uint64_t)pt_view_rank(ctx, job).value; /* mod 2^64 */
    return (pt_u128)behind << 32 | pt__resource_quota_turn(&k8s->quota, job);
}

static void enqueue(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct k8s *k8s = state;
    struct pt_queue *queue = queue_of(k8s, ctx, job);
    if (pt__queue_add(queue, ctx, job, key_of(k8s, ctx, job)) && k8s->victims.running.pool != NULL)
        pt__queue_bring_back(queue, pt_view_class_of(ctx, job));
}

static void on_pending(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct k8s *k8s = state;
    if (pt__resource_quota_arrives(&k8s->quota, ctx, job)) enqueue(k8s, ctx, job);
}

static void on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job)
{
    struct k8s *k8s = state;
    if (pt__queue_remove(queue_of(k8s, ctx, job), ctx, job))
        pt__resource_quota_ends(&k8s->quota, ctx, job);
}

static void on_release(void *state, struct pt_ctx *ctx, uint64_t pools)
{
    struct k8s *k8s = state;
    for (int q = 0; q < QUEUES; q++)
        pt__queue_released(&k8s->queue[q], ctx, pools);
}

static void on_started(void *state, struct pt_ctx *ctx, pt_job job)
{
    pt__victims_started(&((struct k8s *)state)->victims, ctx, job);
}

static void on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why)
{
    struct k8s *k8s = state;
    pt__victims_stopped(&k8s->victims, ctx, job);
    if (why == PT_STOP_DONE || why == PT_STOP_KILLED)
        pt__resource_quota_ends(&k8s->quota, ctx, job);
    if (why == PT_STOP_FAILED_ATTEMPT) pt__resource_quota_watch(&k8s->quota, job);
}

/* ---- kube-scheduler's preemption ---- */

/* What a node's victims are compared by; less is better, each where those before are equal. */
struct price {
    int64_t highest; /* priority of a victim */
    uint64_t sum;    /* of priorities, as kube-scheduler shifts them to be positive */
    uint32_t count;
    int64_t start_ns; /* the earliest start of a victim of the highest priority; later is better */
};

static bool is_less(const struct price *a, const struct price *b)
{
    if (a->highest != b->highest) return a->highest < b->highest;
    if (a->sum != b->sum) return a->sum < b->sum;
    if (a->count != b->count) return a->count < b->count;
    return a->start_ns > b->start_ns;
}

static struct price price_of(const struct pt_victim_set *set, const struct pt_by_rank *running)
{
    struct price price = {.highest = INT64_MIN, .count = set->count, .start_ns = PT_NEVER};
    for (uint32_t i = 0; i < set->count; i++) {
        int64_t value = running->value[set->victim[i].level];
        int64_t narrow = value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
        price.sum += (uint64_t)(narrow - INT32_MIN);
        if (value > price.highest) price.start_ns = PT_NEVER;
        if (value >= price.highest) {
            price.highest = value;
            if (set->victim[i].start_ns < price.start_ns) price.start_ns = set->victim[i].start_ns;
        }
    }
    return price;
}

/* All lower pods of the node go; then as many as possible are put back, the highest priority first,
 * of equals the earliest started. True if the job then fits; the set is what is left out. */
static bool victims_of_node(struct pt_hunt *hunt, uint32_t node)
{
    struct pt_victim_state *v = hunt->victims;
    struct pt_room room = {.ctx = hunt->ctx, .job = hunt->job, .node = node};
    v->other.count = 0;
    v->other.parts = 0;
    for (uint32_t i = 0; i < v->count; i++)
        (void)pt_ctx_try_lift(hunt->ctx, v->candidate[i].job);
    bool fits = pt__there_is_room(&room);
    for (uint32_t i = v->count; i-- > 0;) {
        pt_job job = v->candidate[i].job;
        bool back = pt_ctx_try_unlift(hunt->ctx, job);
        if (!fits || (back && pt__there_is_room(&room))) continue;
        if (back) (void)pt_ctx_try_lift(hunt->ctx, job);
        pt__victim_set_add(&v->other, &v->candidate[i]);
    }
    pt_ctx_try_abort(hunt->ctx);
    return fits && v->other.count > 0;
}

static enum pt_status pick_node(struct pt_hunt *hunt)
{
    struct pt_victim_state *v = hunt->victims;
    struct price least = {0};
    v->best.count = 0;
    for (uint64_t pools = hunt->pools; pools != 0; pools &= pools - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(pools);
        const struct pt_pool *pool = &pt_view_cluster(hunt->ctx)->pools[p];
        if (hunt->wanted > pt_view_node_size(hunt->ctx, p, hunt->job)) continue;
        for (uint32_t n = pool->first_node; n < pool->first_node + pool->node_count; n++) {
            PT_TRY(pt__hunt_gather_node(hunt, p, n));
            if (v->count == 0 || !victims_of_node(hunt, n)) continue;
            struct price price = price_of(&v->other, &v->running);
            if (v->best.count > 0 && !is_less(&price, &least)) continue;
            least = price;
            pt__victim_set_copy(&v->best, &v->other);
        }
    }
    return PT_OK;
}

/* ---- a pass ---- */

static bool is_on_one_node(const struct pt_ctx *ctx, const struct pt_units *units)
{
    struct pt_gpu_facts first, other;
    if (units->count > 0) pt_view_gpu(&first, ctx, units->gpus[0]);
    for (uint32_t i = 1; i < units->count; i++) {
        pt_view_gpu(&other, ctx, units->gpus[i]);
        if (other.node != first.node) return false;
    }
    return true;
}

/* Where the job could start: a pod on one node, a gang anywhere. */
static bool place(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools)
{
    if (!pt_ctx_place(ctx, units, job, pools)) return false;
    uint32_t wanted = pt_view_units_wanted(ctx, job);
    uint64_t left = pools;
    bool pod = wanted <= pt_view_node_size(ctx, (*units)->pool, job);
    while (pod && !is_on_one_node(ctx, *units)) {
        left &= ~PT_POOL_BIT((*units)->pool);
        if (left == 0 || !pt_ctx_place(ctx, units, job, left)) return false;
        pod = wanted <= pt_view_node_size(ctx, (*units)->pool, job);
    }
    return true;
}

/* Starts the job, by stopping others if need be; false in *done: it fits nowhere. */
static enum pt_status start(struct k8s *k8s, struct pt_ctx *ctx, pt_job job, uint64_t pools,
                            bool *done)
{
    const struct pt_units *units;
    struct pt_hunt hunt;
    *done = place(ctx, &units, job, pools);
    if (*done) return pt_ctx_start(ctx, job, units);
    if (!pt__hunt_begin(&hunt, &k8s->victims, ctx, job, pools)) return PT_OK;
    PT_TRY(pick_node(&hunt));
    PT_TRY(pt__hunt_carry_out(&hunt, done));
    if (*done) on_release(k8s, ctx, UINT64_MAX);
    return PT_OK;
}

static struct pt_queue *next_queue(struct k8s *k8s, uint32_t *class_id)
{
    struct pt_queue *next = NULL;
    pt_u128 least = PT_QUEUE_NOBODY;
    for (int q = 0; q < QUEUES; q++) {
        uint32_t first = pt__queue_first(&k8s->queue[q]);
        if (first == PT_NONE || pt__queue_head(&k8s->queue[q], first) >= least) continue;
        next = &k8s->queue[q];
        least = pt__queue_head(next, first);
        *class_id = first;
    }
    return next;
}

static enum pt_status schedule(void *state, struct pt_ctx *ctx)
{
    struct k8s *k8s = state;
    uint32_t class_id = 0;
    PT_TRY(pt__resource_quota_admit(&k8s->quota, ctx, enqueue, k8s));
    for (struct pt_queue *queue; (queue = next_queue(k8s, &class_id)) != NULL;) {
        pt_u128 rank = pt__queue_head(queue, class_id);
        pt_job job = pt__rank_job(rank);
        bool done;
        (void)pt__queue_remove(queue, ctx, job);
        PT_TRY(start(k8s, ctx, job, pt_view_class_pools(ctx, class_id), &done));
        if (done) {
            if (pt_view_state(ctx, job) != PT_STATE_RUNNING)
                pt__resource_quota_watch(&k8s->quota, job);
            continue;
        }
        enum pt_aside why = pt_view_why(ctx) == PT_REASON_LIMIT ? PT_ASIDE_LIMIT : PT_ASIDE_NO_ROOM;
        (void)pt__queue_add(queue, ctx, job, pt__rank_key(rank));
        pt__queue_set_aside(queue, class_id, why);
    }
    return PT_OK;
}

const struct pt_policy_ops pt__k8s = {
    .abi = PT_POLICY_ABI,
    .size = sizeof(struct pt_policy_ops),
    .name = "k8s",
    .summary = "plain Kubernetes: ResourceQuota at creation, priority, preemption node by node",
    .source = "Kubernetes: kube-scheduler's defaultpreemption, ResourceQuota, PriorityClass",
    .columns = "priority,tenant",
    .preemption = PT_PREEMPTION_KILL,
    .params = params,
    .flags = flags,
    .state_size = state_size,
    .init = init,
    .fini = fini,
    .on_pending = on_pending,
    .on_withdrawn = on_withdrawn,
    .on_release = on_release,
    .on_started = on_started,
    .on_stopped = on_stopped,
    .schedule = schedule,
};
