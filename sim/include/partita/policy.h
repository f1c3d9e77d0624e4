/* The policy interface: an order (whose turn) and a placement (where), each a const struct of
 * functions, the same for what is built in and what is loaded.
 *
 * A policy reads through pt_view_* and acts through pt_ctx_*. It can't break a rule: an illegal
 * action is refused with PT_ERR_REFUSED and counted, and a policy that insists is stopped. It sees
 * what an operator could know, never the simulated truth about interference.
 *
 * Calls reach the engine through the table in struct pt_ctx, so a plug-in links nothing.
 *
 * "What if": pt_ctx_try_* lift running jobs and assume others in their place without anything
 * happening, until pt_ctx_try_commit does it all at once (stops, moves, starts) or pt_ctx_try_abort
 * puts everything back. Between them pt_view_* and pt_ctx_place answer for the assumed world.
 *
 * Queue order is trace order: by submit time, then by row; a job that returns after a failed
 * attempt, or was preempted, takes its old place. Jobs that ask for the same (pools, GPUs, memory,
 * CPUs, spread) share a *class*; where a tenant has a limit, or the policy wants it so, classes are
 * also by tenant; if one of a class does not fit, none does until something is released or comes
 * up.
 */
#ifndef PARTITA_POLICY_H
#define PARTITA_POLICY_H

#include "partita/cluster.h"
#include "partita/param.h"
#include "partita/status.h"
#include "partita/trace.h"
#include "partita/types.h"
#include "partita/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_POLICY_ABI 4

struct pt_ctx;
struct pt_placement_ops;

/* Where a job is to run: a complete set of units, all in one pool. A GPU appears once per unit. */
struct pt_units {
    uint32_t pool;
    uint32_t count, capacity;
    uint32_t *gpus;  /* engine-owned room for the largest job */
    uint8_t *starts; /* MIG: memory slice wanted on each, PT_CELL_ANY = the mode chooses (so it is
                        given); NULL = on all */
    uint32_t node;   /* of a job without GPUs (count = 0); else unused */
};

/* How running jobs are stopped for others: semantics.md, section 3. */
enum pt_preemption_mode {
    PT_PREEMPTION_NONE,
    PT_PREEMPTION_SUSPEND,
    PT_PREEMPTION_CHECKPOINT,
    PT_PREEMPTION_KILL
};
enum pt_victims { PT_VICTIMS_LEAST_DISRUPTION, PT_VICTIMS_YOUNGEST, PT_VICTIMS_LOWEST_PRIORITY };

struct pt_preemption {
    enum pt_preemption_mode mode;
    enum pt_victims victims;
    int64_t save_base_ns, save_per_gib_ns; /* running time on the units the victim holds */
    /* Work added to what is left at each preemption, by the victim's GPUs: one, up to eight, more
     * (as Helios' simulator counts the cost of a preemption). */
    int64_t redo_ns[3];
};

#define PT_QUOTA_NONE UINT64_MAX /* no quota, no limit */

/* A tenant as the experiment declares it; amounts in millionths of a GPU. */
struct pt_tenant_facts {
    const char *name;
    uint32_t parent;          /* PT_NONE = at the top */
    double weight;            /* > 0 */
    double over_quota_weight; /* >= 0 */
    int64_t priority;
    uint64_t quota;           /* what is guaranteed; PT_QUOTA_NONE = not said */
    uint64_t limit;           /* what can't be passed, all below it included */
    uint64_t borrowing_limit; /* beyond its quota; PT_QUOTA_NONE = no bound */
    uint64_t lending_limit;   /* of its quota, to others; PT_QUOTA_NONE = all */
};

/* What a job's priority class says. */
struct pt_rank {
    int64_t value;    /* higher first */
    bool preempts;    /* false: it goes ahead, but stops nobody */
    bool preemptible; /* false: nobody stops it */
};

/* A GPU as an operator sees it. */
struct pt_gpu_facts {
    uint32_t node, pool;
    uint32_t load, capacity; /* held, offered (the mode's units) */
    uint32_t residents;
    uint32_t mem_used_mib, mem_mib;
    bool in_service; /* up, not closed, not held for somebody */
};

/* What a placement may weigh about a node. Loads count units held. */
struct pt_node_facts {
    const struct pt_ctx *ctx;
    const void *data;  /* of the search */
    uint32_t class_id; /* a class with the need that is asked about */
    uint32_t node;     /* index in the cluster */
    uint32_t pool, first_gpu;
    uint32_t cpus_free_milli, mem_free_mib; /* PT_NONE = no constraint */
    uint32_t room;                          /* units of this job that the node could hold now */
    uint32_t load;                          /* units held on it */
    uint32_t units;                         /* units it offers in all */
    uint32_t gpus;                          /* GPUs it has */
    uint32_t idle_gpus;                     /* GPUs without any resident */
    uint64_t chosen_load; /* sum of the loads of the GPUs that `gpu_order` would choose for the
                             wanted units; 0 for PT_GPUS_LOWEST and OWN */
};

/* PT_GPUS_OWN: the placement chooses the GPUs itself and writes them into the set; `key` alone
 * ranks nodes, how much instances of MIG GPUs are disturbed included, and pt_view_take is as for
 * LOWEST. */
enum pt_gpu_order { PT_GPUS_LOWEST, PT_GPUS_FULLEST, PT_GPUS_EMPTIEST, PT_GPUS_OWN };

#define PT_KEY_NONE UINT64_MAX
#define PT_KEY_MAX ((UINT64_C(1) << 62) - 1)

/* How to choose among the nodes of a pool: the least key wins, ties the lowest node. The engine
 * keeps an index per (search, need), found by the search's address, so `key` must depend on the
 * node's state, on what the class needs and on what never changes, alone. */
struct pt_search {
    enum pt_gpu_order gpu_order; /* which GPUs on the node: ties the lowest index */
    bool needs_room; /* `key` looks at facts->room, else it may be counted up to `wanted` only; it
                        then goes before what is disturbed, and is at most PT_KEY_MAX / 4 */
    /* `wanted` = units wanted of one node; PT_KEY_NONE = not this node, else at most PT_KEY_MAX.
     * Among MIG nodes, those that need disturb fewer instances come first whatever the key. Asked
     * only where facts->room >= wanted. NULL: no preference, the lowest node that has the room. */
    uint64_t (*key)(const struct pt_node_facts *facts, uint32_t wanted);
    const void *data; /* the placement's own, for `key`: facts->data */
};

struct pt_api {
    uint32_t abi, size; /* PT_POLICY_ABI, sizeof(struct pt_api) */
    /* what a policy may read */
    int64_t (*now_ns)(const struct pt_ctx *ctx);
    const struct pt_trace *(*trace)(const struct pt_ctx *ctx);
    uint32_t (*class_count)(const struct pt_ctx *ctx);
    uint32_t (*class_of)(const struct pt_ctx *ctx, pt_job job);
    uint64_t (*class_pools)(const struct pt_ctx *ctx, uint32_t class_id);
    pt_job (*class_next_pending)(const struct pt_ctx *ctx, uint32_t class_id, pt_job after);
    uint32_t (*pending_count)(const struct pt_ctx *ctx);
    uint32_t (*pool_count)(const struct pt_ctx *ctx);
    uint32_t (*units_wanted)(const struct pt_ctx *ctx, pt_job job);
    uint32_t (*nodes_allowed)(const struct pt_ctx *ctx, pt_job job);
    uint32_t (*node_size)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    uint32_t (*units_free)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    const struct pt_need *(*need)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    uint32_t (*busy_slices)(const struct pt_ctx *ctx, uint32_t gpu);
    const struct pt_cluster *(*cluster)(const struct pt_ctx *ctx);
    uint64_t (*seed)(const struct pt_ctx *ctx);
    const struct pt_preemption *(*preemption)(const struct pt_ctx *ctx);
    uint32_t (*class_size)(const struct pt_ctx *ctx, uint32_t class_id);
    uint64_t (*pools_up)(const struct pt_ctx *ctx);
    uint32_t (*units_there)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    enum pt_job_state (*state)(const struct pt_ctx *ctx, pt_job job);
    int64_t (*left_ns)(const struct pt_ctx *ctx, pt_job job);
    int64_t (*served_ns)(const struct pt_ctx *ctx, pt_job job);
    int64_t (*first_start_ns)(const struct pt_ctx *ctx, pt_job job);
    int64_t (*attempt_ns)(const struct pt_ctx *ctx, pt_job job);
    uint32_t (*held_pool)(const struct pt_ctx *ctx, pt_job job);
    uint32_t (*held_gpus)(const struct pt_ctx *ctx, pt_job job, uint32_t *gpus, uint32_t capacity);
    uint32_t (*running_count)(const struct pt_ctx *ctx);
    pt_job (*running_at)(const struct pt_ctx *ctx, uint32_t index);
    struct pt_rank (*rank)(const struct pt_ctx *ctx, pt_job job);
    bool (*preemptible)(const struct pt_ctx *ctx, pt_job job);
    uint32_t (*tenant_count)(const struct pt_ctx *ctx);
    uint32_t (*tenant_of)(const struct pt_ctx *ctx, pt_job job);
    const struct pt_tenant_facts *(*tenant)(const struct pt_ctx *ctx, uint32_t tenant);
    uint64_t (*parts_per_gpu)(const struct pt_ctx *ctx);
    uint64_t (*parts)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    bool (*within_limit)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    void (*gpu)(struct pt_gpu_facts *facts, const struct pt_ctx *ctx, uint32_t gpu);
    uint32_t (*gpu_jobs)(const struct pt_ctx *ctx, uint32_t gpu, pt_job *jobs, uint32_t capacity);
    uint64_t (*rate)(const struct pt_ctx *ctx, uint32_t pool, pt_job job);
    uint32_t (*node_room)(const struct pt_ctx *ctx, uint32_t node, pt_job job, uint32_t enough);
    void (*starts)(uint32_t masks[PT_DISTURBS_LEVELS], const struct pt_ctx *ctx, uint32_t gpu,
                   pt_job job);
    /* what a placement may do */
    uint32_t (*best_node)(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted);
    bool (*take)(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                 pt_job job, uint32_t node, uint32_t wanted);
    uint32_t (*gather)(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                       pt_job job, uint32_t wanted, uint32_t nodes_max, uint32_t per_node);
    uint32_t (*next_node)(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted, uint32_t from);
    uint64_t (*node_key)(struct pt_ctx *ctx, const struct pt_search *search, pt_job job,
                         uint32_t node, uint32_t wanted);
    /* what an order may do */
    bool (*place)(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools);
    enum pt_status (*start)(struct pt_ctx *ctx, pt_job job, const struct pt_units *units);
    enum pt_status (*wake_at)(struct pt_ctx *ctx, int64_t time_ns);
    enum pt_reason (*why)(const struct pt_ctx *ctx);
    void (*say)(struct pt_ctx *ctx, pt_job job, enum pt_reason reason);
    enum pt_status (*preempt)(struct pt_ctx *ctx, pt_job job);
    enum pt_status (*kill)(struct pt_ctx *ctx, pt_job job);
    enum pt_status (*decline)(struct pt_ctx *ctx, pt_job job, enum pt_reason reason);
    bool (*try_lift)(struct pt_ctx *ctx, pt_job job);
    bool (*try_unlift)(struct pt_ctx *ctx, pt_job job);
    bool (*try_assume)(struct pt_ctx *ctx, pt_job job, const struct pt_units *units);
    void (*try_abort)(struct pt_ctx *ctx);
    enum pt_status (*try_commit)(struct pt_ctx *ctx);
    const struct pt_placement_ops *(*placement)(const struct pt_ctx *ctx);
};

/* The head of the engine's context; the rest is private. */
struct pt_ctx {
    const struct pt_api *api;
};

/* Simulated time of this pass. */
static inline int64_t pt_view_now_ns(const struct pt_ctx *ctx)
{
    return ctx->api->now_ns(ctx);
}
/* The trace; jobs with submit time > now are not known to an operator yet. */
static inline const struct pt_trace *pt_view_trace(const struct pt_ctx *ctx)
{
    return ctx->api->trace(ctx);
}
/* Classes are numbered 0..count-1 by first appearance in the trace and fixed for the run. */
static inline uint32_t pt_view_class_count(const struct pt_ctx *ctx)
{
    return ctx->api->class_count(ctx);
}
static inline uint32_t pt_view_class_of(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->class_of(ctx, job);
}
/* The pools whose empty nodes could hold a job of this class. */
static inline uint64_t pt_view_class_pools(const struct pt_ctx *ctx, uint32_t class_id)
{
    return ctx->api->class_pools(ctx, class_id);
}
/* The class's first pending job in queue order behind `after` (PT_NONE = from the front), PT_NONE
 * when there is none. O(log n). */
static inline pt_job pt_view_class_next_pending(const struct pt_ctx *ctx, uint32_t class_id,
                                                pt_job after)
{
    return ctx->api->class_next_pending(ctx, class_id, after);
}
static inline uint32_t pt_view_pending_count(const struct pt_ctx *ctx)
{
    return ctx->api->pending_count(ctx);
}
static inline uint32_t pt_view_pool_count(const struct pt_ctx *ctx)
{
    return ctx->api->pool_count(ctx);
}
/* Units the job holds at once: its `gpus`; 0 for a CPU-only job. */
static inline uint32_t pt_view_units_wanted(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->units_wanted(ctx, job);
}
/* Nodes it may be spread over; PT_NONE = any number. */
static inline uint32_t pt_view_nodes_allowed(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->nodes_allowed(ctx, job);
}
/* Units of this job that an empty node of the pool holds. */
static inline uint32_t pt_view_node_size(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->node_size(ctx, pool, job);
}
/* Units of the pool that this job could take, host resources left aside; an upper bound, O(1). */
static inline uint32_t pt_view_units_free(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->units_free(ctx, pool, job);
}

/* What a unit of the job takes of a GPU of this pool; meaningless where the class can't use it. */
static inline const struct pt_need *pt_view_need(const struct pt_ctx *ctx, uint32_t pool,
                                                 pt_job job)
{
    return ctx->api->need(ctx, pool, job);
}
/* Memory slices of a MIG GPU whose instances hold a job, a bit each; 0 for other GPUs. */
static inline uint32_t pt_view_busy_slices(const struct pt_ctx *ctx, uint32_t gpu)
{
    return ctx->api->busy_slices(ctx, gpu);
}

/* The cluster: pools, nodes, racks, GPU models, prices. */
static inline const struct pt_cluster *pt_view_cluster(const struct pt_ctx *ctx)
{
    return ctx->api->cluster(ctx);
}
/* The experiment's seed; draw with pt_rng_seed(rng, seed, PT_PURPOSE_POLICY, entity). */
static inline uint64_t pt_view_seed(const struct pt_ctx *ctx)
{
    return ctx->api->seed(ctx);
}
/* The experiment's placement, for orders that depend on what it is like. */
static inline const struct pt_placement_ops *pt_view_placement(const struct pt_ctx *ctx)
{
    return ctx->api->placement(ctx);
}
/* How jobs are stopped in this experiment. */
static inline const struct pt_preemption *pt_view_preemption(const struct pt_ctx *ctx)
{
    return ctx->api->preemption(ctx);
}
/* Jobs of the trace in this class. */
static inline uint32_t pt_view_class_size(const struct pt_ctx *ctx, uint32_t class_id)
{
    return ctx->api->class_size(ctx, class_id);
}
/* The pools with a node that is up. */
static inline uint64_t pt_view_pools_up(const struct pt_ctx *ctx)
{
    return ctx->api->pools_up(ctx);
}
/* Units that the pool's nodes in service would hold for this job, all empty, hosts left aside. */
static inline uint32_t pt_view_units_there(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->units_there(ctx, pool, job);
}
/* The job's state; PT_STATE_FUTURE before its submission. PT_STATE_PENDING and PT_STATE_PAUSED (it
 * was preempted) are those that pt_ctx_start takes. */
static inline enum pt_job_state pt_view_state(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->state(ctx, job);
}
/* Work left now, in ns alone on the reference GPU, rounded up. Work to be restored from a kept
 * state counts as done. */
static inline int64_t pt_view_left_ns(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->left_ns(ctx, job);
}
/* Time it has run so far, all attempts, cold starts and restores included. */
static inline int64_t pt_view_served_ns(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->served_ns(ctx, job);
}
/* When it first started; PT_NEVER = not yet. */
static inline int64_t pt_view_first_start_ns(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->first_start_ns(ctx, job);
}
/* When the attempt that runs began; PT_NEVER = it does not run. */
static inline int64_t pt_view_attempt_ns(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->attempt_ns(ctx, job);
}
/* The pool whose units it holds, PT_NONE = none. */
static inline uint32_t pt_view_held_pool(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->held_pool(ctx, job);
}
/* The GPUs of its units, one entry a unit; writes at most `capacity` of them, returns how many
 * there are. */
static inline uint32_t pt_view_held_gpus(const struct pt_ctx *ctx, pt_job job, uint32_t *gpus,
                                         uint32_t capacity)
{
    return ctx->api->held_gpus(ctx, job, gpus, capacity);
}
/* Running jobs (saving ones included), in an order that means nothing but is the same in every
 * run; index < pt_view_running_count. */
static inline uint32_t pt_view_running_count(const struct pt_ctx *ctx)
{
    return ctx->api->running_count(ctx);
}
static inline pt_job pt_view_running_at(const struct pt_ctx *ctx, uint32_t index)
{
    return ctx->api->running_at(ctx, index);
}
/* Its priority and what its class says of preemption. */
static inline struct pt_rank pt_view_rank(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->rank(ctx, job);
}
/* Whether it could be stopped now: it runs, is not saving, may be stopped, and the experiment has a
 * way to. */
static inline bool pt_view_preemptible(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->preemptible(ctx, job);
}
/* Tenants are numbered as in the experiment, then by first appearance in the trace. */
static inline uint32_t pt_view_tenant_count(const struct pt_ctx *ctx)
{
    return ctx->api->tenant_count(ctx);
}
static inline uint32_t pt_view_tenant_of(const struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->tenant_of(ctx, job);
}
static inline const struct pt_tenant_facts *pt_view_tenant(const struct pt_ctx *ctx,
                                                           uint32_t tenant)
{
    return ctx->api->tenant(ctx, tenant);
}
/* Quota units are counted in equal parts of a GPU, so many a GPU that every pool's shares are whole
 * numbers of them; at most 2^40. */
static inline uint64_t pt_view_parts_per_gpu(const struct pt_ctx *ctx)
{
    return ctx->api->parts_per_gpu(ctx);
}
/* What all units of the job take in this pool (semantics.md, section 4: quota units). */
static inline uint64_t pt_view_parts(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->parts(ctx, pool, job);
}
/* Whether it could start in this pool beside what its tenant, and those above it, hold now. */
static inline bool pt_view_within_limit(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->within_limit(ctx, pool, job);
}
static inline void pt_view_gpu(struct pt_gpu_facts *facts, const struct pt_ctx *ctx, uint32_t gpu)
{
    ctx->api->gpu(facts, ctx, gpu);
}
/* The jobs with a unit on the GPU, one entry a unit, in order of arrival; writes at most
 * `capacity`, returns how many there are. */
static inline uint32_t pt_view_gpu_jobs(const struct pt_ctx *ctx, uint32_t gpu, pt_job *jobs,
                                        uint32_t capacity)
{
    return ctx->api->gpu_jobs(ctx, gpu, jobs, capacity);
}
/* R: the relative speed of the pool's GPUs for the job's class, in 2^-60. */
static inline uint64_t pt_view_rate(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    return ctx->api->rate(ctx, pool, job);
}
/* Units of this job that the node could take now, counted up to `enough`. */
static inline uint32_t pt_view_node_room(const struct pt_ctx *ctx, uint32_t node, pt_job job,
                                         uint32_t enough)
{
    return ctx->api->node_room(ctx, node, job, enough);
}

/* The memory slices of a MIG GPU where an instance for a unit of the job could begin now, a bit
 * each, by how much it disturbs (PT_DISTURBS_LEVELS): it is there with room left; there is room for
 * one; idle ones must go. All 0 on other GPUs, and where nothing fits. */
static inline void pt_view_starts(uint32_t masks[PT_DISTURBS_LEVELS], const struct pt_ctx *ctx,
                                  uint32_t gpu, pt_job job)
{
    ctx->api->starts(masks, ctx, gpu, job);
}

/* Placement: the best node that can hold `wanted` units of the job, PT_NONE if none can. */
static inline uint32_t pt_view_best_node(struct pt_ctx *ctx, const struct pt_search *search,
                                         uint32_t pool, pt_job job, uint32_t wanted)
{
    return ctx->api->best_node(ctx, search, pool, job, wanted);
}
/* Placement: appends `wanted` units of `node` to the set in the search's GPU order. False, and
 * nothing is appended, if the node has no room for them beside those the set took there. */
static inline bool pt_view_take(struct pt_ctx *ctx, struct pt_units *units,
                                const struct pt_search *search, pt_job job, uint32_t node,
                                uint32_t wanted)
{
    return ctx->api->take(ctx, units, search, job, node, wanted);
}
/* Placement: walks nodes from the best key on, skips those the set already uses, appends from each
 * as many units as it has room for (or exactly `per_node` where that is not 0: nodes with less room
 * are passed by), until `wanted` units or `nodes_max` nodes. Returns the units appended.
 * O((nodes used) log(nodes)). */
static inline uint32_t pt_view_gather(struct pt_ctx *ctx, struct pt_units *units,
                                      const struct pt_search *search, pt_job job, uint32_t wanted,
                                      uint32_t nodes_max, uint32_t per_node)
{
    return ctx->api->gather(ctx, units, search, job, wanted, nodes_max, per_node);
}

/* Placement: the first node at or behind `from` (an index in the cluster) that the search does not
 * rule out and that has room for `wanted` units; PT_NONE if none is. O(log nodes). */
static inline uint32_t pt_view_next_node(struct pt_ctx *ctx, const struct pt_search *search,
                                         uint32_t pool, pt_job job, uint32_t wanted, uint32_t from)
{
    return ctx->api->next_node(ctx, search, pool, job, wanted, from);
}

/* Placement: what the search weighs of this node, worked out now: its key, and above it (bits 62
 * and 63) how much the units would disturb a MIG GPU; PT_KEY_NONE where they have no room. For
 * nodes of different pools to be compared. */
static inline uint64_t pt_view_node_key(struct pt_ctx *ctx, const struct pt_search *search,
                                        pt_job job, uint32_t node, uint32_t wanted)
{
    return ctx->api->node_key(ctx, search, job, node, wanted);
}

/* Order: asks the experiment's placement for a set of units in one of `pools` (a subset of the
 * class's; tried in file order). False = it fits nowhere now. The set lives until the next call. */
static inline bool pt_ctx_place(struct pt_ctx *ctx, const struct pt_units **units, pt_job job,
                                uint64_t pools)
{
    return ctx->api->place(ctx, units, job, pools);
}
/* Order: starts a pending job. PT_ERR_REFUSED if it is not pending or the set is not legal now.
 * PT_OK also where the job then fails at once for want of GPU memory (OOM). */
PT_USE_RESULT static inline enum pt_status pt_ctx_start(struct pt_ctx *ctx, pt_job job,
                                                        const struct pt_units *units)
{
    return ctx->api->start(ctx, job, units);
}
/* Order: asks for a pass at `time_ns` >= now, announced by on_timer. */
PT_USE_RESULT static inline enum pt_status pt_ctx_wake_at(struct pt_ctx *ctx, int64_t time_ns)
{
    return ctx->api->wake_at(ctx, time_ns);
}

/* Why the last pt_ctx_place that answered false did: PT_REASON_NO_GPU, GANG, MIG_START,
 * MEMORY_BUSY, HOST_BUSY or LIMIT. A job over its tenant's LIMIT holds back nobody. */
static inline enum pt_reason pt_view_why(const struct pt_ctx *ctx)
{
    return ctx->api->why(ctx);
}
/* Order: says why a pending job does not start; recorded where it differs from what was said of the
 * job last. pt_ctx_place says it by itself when it answers false outside a trial. O(1). */
static inline void pt_ctx_say(struct pt_ctx *ctx, pt_job job, enum pt_reason reason)
{
    ctx->api->say(ctx, job, reason);
}
/* Order: stops a running job in the experiment's way. Without a cost of saving its units are free
 * at once and it is pending again (PT_STATE_PAUSED); else it holds them until it is saved.
 * PT_ERR_REFUSED unless pt_view_preemptible. */
PT_USE_RESULT static inline enum pt_status pt_ctx_preempt(struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->preempt(ctx, job);
}
/* Order: ends a running job for good (it ran past its estimate): PT_STATE_KILLED. */
PT_USE_RESULT static inline enum pt_status pt_ctx_kill(struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->kill(ctx, job);
}
/* Order: refuses a pending job that has never started, for good: PT_REASON_QUOTA, its tenant could
 * never have so much even alone: PT_STATE_UNSCHEDULABLE; else PT_STATE_WITHDRAWN. */
PT_USE_RESULT static inline enum pt_status pt_ctx_decline(struct pt_ctx *ctx, pt_job job,
                                                          enum pt_reason reason)
{
    return ctx->api->decline(ctx, job, reason);
}

/* What if this running job's units were free? False, and nothing is changed, unless it runs or has
 * all its units reserved (its instances are being made), is not saving and is not lifted yet. One
 * that is not pt_view_preemptible may be lifted too (what if it had ended?), but must not be when
 * the trial is committed. O(its units). */
static inline bool pt_ctx_try_lift(struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->try_lift(ctx, job);
}
/* Puts a lifted job back where it runs; false if what was assumed since has taken its room, or is
 * on one of its MIG GPUs: that may have been cut anew because nobody was there. */
static inline bool pt_ctx_try_unlift(struct pt_ctx *ctx, pt_job job)
{
    return ctx->api->try_unlift(ctx, job);
}
/* What if this job ran there? A pending one would start, a lifted one move. The set is copied.
 * False, and nothing is changed, if the set is not legal in the assumed world, or the job has no
 * GPUs and those that are lifted have to be saved first. */
static inline bool pt_ctx_try_assume(struct pt_ctx *ctx, pt_job job, const struct pt_units *units)
{
    return ctx->api->try_assume(ctx, job, units);
}
/* Forgets all that was lifted and assumed. */
static inline void pt_ctx_try_abort(struct pt_ctx *ctx)
{
    ctx->api->try_abort(ctx);
}
/* Does it: lifted jobs that were assumed nowhere are preempted, the others move, pending ones
 * start, each where it was assumed and in that order. Where victims have to be saved first,
 * who was assumed in their room holds what is free and takes over the rest as they leave; a job
 * without GPUs has nothing to hold: it is in the queue instead. */
PT_USE_RESULT static inline enum pt_status pt_ctx_try_commit(struct pt_ctx *ctx)
{
    return ctx->api->try_commit(ctx);
}

#define PT_POLICY_WORK_CONSERVING 1u /* leaves no job pending that its placement could start */
#define PT_POLICY_BY_TENANT 2u       /* wants classes by tenant */
#define PT_POLICY_QUOTAS 4u          /* knows tenants' quotas; else the loader warns of them */
#define PT_POLICY_STOPS_NOBODY 8u    /* whatever `preemption` says; the loader warns of a mode */

/* How a job left its units. */
enum pt_stop { PT_STOP_DONE, PT_STOP_FAILED_ATTEMPT, PT_STOP_PREEMPTED, PT_STOP_KILLED };

/* An order. All functions but schedule may be NULL, which means "not interested". */
struct pt_policy_ops {
    uint32_t abi, size;
    const char *name, *summary, *source;
    const char *columns; /* of the trace that it reads, with commas between them; "" = none */
    enum pt_preemption_mode preemption; /* where the experiment says nothing */
    const struct pt_param *params;
    /* Flags for these parameters (blocking: skip is work-conserving, strict is not). NULL = 0. */
    uint32_t (*flags)(const struct pt_value *params);
    /* Bytes of state for so many classes; the engine allocates and zeroes it. */
    size_t (*state_size)(const struct pt_value *params, uint32_t class_count);
    /* What only it can judge of its parameters it refuses by pt_fail_param, so that the user is
     * told where the value stands. May allocate what fini frees: nothing else allocates. After an
     * error fini is not called. */
    enum pt_status (*init)(void *state, const struct pt_ctx *ctx, const struct pt_value *params,
                           struct pt_error *error);
    void (*fini)(void *state);
    /* The job became pending: it arrived, or came back to its place. */
    void (*on_pending)(void *state, struct pt_ctx *ctx, pt_job job);
    /* A pending job left the queue otherwise than by this policy's own start, or one that this
     * policy started gave up before it was served. */
    void (*on_withdrawn)(void *state, struct pt_ctx *ctx, pt_job job);
    /* Units were released in these pools, or nodes came up there: what did not fit may fit now. */
    void (*on_release)(void *state, struct pt_ctx *ctx, uint64_t pools);
    void (*on_timer)(void *state, struct pt_ctx *ctx);
    /* Its units serve the job from now on; also when it has moved. */
    void (*on_started)(void *state, struct pt_ctx *ctx, pt_job job);
    /* It left its units (a job that moves has not). If it comes back to the queue, on_pending
     * follows. */
    void (*on_stopped)(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why);
    /* One pass. Called again at the same instant as long as it acted. */
    enum pt_status (*schedule)(void *state, struct pt_ctx *ctx);
};

/* A placement: answers with a complete set of units in `pool` for the job, or false. `units` comes
 * empty, with room for units_wanted. */
struct pt_placement_ops {
    uint32_t abi, size;
    const char *name, *summary, *source;
    const struct pt_param *params;
    /* State and init as a policy's; all three may be NULL. */
    size_t (*state_size)(const struct pt_value *params);
    enum pt_status (*init)(void *state, const struct pt_ctx *ctx, const struct pt_value *params,
                           struct pt_error *error);
    void (*fini)(void *state);
    /* In which order a job's pools are tried: least first, ties in file order. NULL = file order.
     */
    uint64_t (*pool_key)(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool);
    bool (*place)(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool);
};

#ifdef __cplusplus
}
#endif
#endif
