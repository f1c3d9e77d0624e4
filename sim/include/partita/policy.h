/* The policy interface: an order (whose turn) and a placement (where), each a const struct of
 * functions, the same for what is built in and what is loaded.
 *
 * A policy reads through pt_view_* and acts through pt_ctx_*. It can't break a rule: an illegal
 * action is refused with PT_ERR_REFUSED and counted, and a policy that insists is stopped. It sees
 * what an operator could know, never the simulated truth about interference.
 *
 * Calls reach the engine through the table in struct pt_ctx, so a plug-in links nothing.
 *
 * Queue order is trace order: by submit time, then by row; a job that returns after a failed
 * attempt takes its old place. Jobs that ask for the same (pools, GPUs, memory, CPUs, spread) share
 * a *class*; if one of a class does not fit, none does until something is released or comes up.
 */
#ifndef PARTITA_POLICY_H
#define PARTITA_POLICY_H

#include "partita/param.h"
#include "partita/status.h"
#include "partita/trace.h"
#include "partita/types.h"
#include "partita/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_POLICY_ABI 2

struct pt_ctx;

/* Where a job is to run: a complete set of units, all in one pool. A GPU appears once per unit. */
struct pt_units {
    uint32_t pool;
    uint32_t count, capacity;
    uint32_t *gpus;  /* engine-owned room for the largest job */
    uint8_t *starts; /* MIG: memory slice wanted on each, PT_CELL_ANY = the mode chooses (so it is
                        given); NULL = on all */
    uint32_t node;   /* of a job without GPUs (count = 0); else unused */
};

/* What a placement may weigh about a node. Loads count units held. */
struct pt_node_facts {
    uint32_t node;        /* index in the cluster */
    uint32_t room;        /* units of this job that the node could hold now */
    uint32_t load;        /* units held on it */
    uint32_t units;       /* units it offers in all */
    uint32_t gpus;        /* GPUs it has */
    uint32_t idle_gpus;   /* GPUs without any resident */
    uint64_t chosen_load; /* sum of the loads of the GPUs that `gpu_order` would choose for the
                             wanted units; 0 for PT_GPUS_LOWEST */
};

enum pt_gpu_order { PT_GPUS_LOWEST, PT_GPUS_FULLEST, PT_GPUS_EMPTIEST };

#define PT_KEY_NONE UINT64_MAX
#define PT_KEY_MAX ((UINT64_C(1) << 62) - 1)

/* How to choose among the nodes of a pool: the least key wins, ties the lowest node. The engine
 * keeps an index per (search, class), so `key` must depend on its arguments alone. */
struct pt_search {
    enum pt_gpu_order gpu_order; /* which GPUs on the node: ties the lowest index */
    bool needs_room; /* `key` looks at facts->room; else it may be counted up to `wanted` only */
    /* `wanted` = units wanted of one node; PT_KEY_NONE = not this node, else at most PT_KEY_MAX.
     * Among MIG nodes, those that need disturb fewer instances come first whatever the key. Asked
     * only where facts->room >= wanted. NULL: no preference, the lowest node that has the room. */
    uint64_t (*key)(const struct pt_node_facts *facts, uint32_t wanted);
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
    /* what a placement may do */
    uint32_t (*best_node)(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted);
    bool (*take)(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                 pt_job job, uint32_t node, uint32_t wanted);
    uint32_t (*gather)(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                       pt_job job, uint32_t wanted, uint32_t nodes_max, uint32_t per_node);
    /* what an order may do */
    bool (*place)(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools);
    enum pt_status (*start)(struct pt_ctx *ctx, pt_job job, const struct pt_units *units);
    enum pt_status (*wake_at)(struct pt_ctx *ctx, int64_t time_ns);
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

#define PT_POLICY_WORK_CONSERVING 1u /* leaves no job pending that its placement could start */

/* An order. All functions but schedule may be NULL, which means "not interested". */
struct pt_policy_ops {
    uint32_t abi, size;
    const char *name, *summary, *source;
    const struct pt_param *params;
    /* Flags for these parameters (blocking: skip is work-conserving, strict is not). NULL = 0. */
    uint32_t (*flags)(const struct pt_value *params);
    /* Bytes of state for so many classes; the engine allocates and zeroes it. */
    size_t (*state_size)(const struct pt_value *params, uint32_t class_count);
    enum pt_status (*init)(void *state, const struct pt_ctx *ctx, const struct pt_value *params,
                           struct pt_error *error);
    void (*fini)(void *state);
    /* The job became pending: it arrived, or came back to its place. */
    void (*on_pending)(void *state, struct pt_ctx *ctx, pt_job job);
    /* A pending job left the queue otherwise than by this policy's own start. */
    void (*on_withdrawn)(void *state, struct pt_ctx *ctx, pt_job job);
    /* Units were released in these pools, or nodes came up there: what did not fit may fit now. */
    void (*on_release)(void *state, struct pt_ctx *ctx, uint64_t pools);
    void (*on_timer)(void *state, struct pt_ctx *ctx);
    /* One pass. Called again at the same instant as long as it acted. */
    enum pt_status (*schedule)(void *state, struct pt_ctx *ctx);
};

/* A placement: answers with a complete set of units in `pool` for the job, or false. `units` comes
 * empty, with room for units_wanted. */
struct pt_placement_ops {
    uint32_t abi, size;
    const char *name, *summary, *source;
    const struct pt_param *params;
    bool (*place)(struct pt_ctx *ctx, struct pt_units *units, pt_job job, uint32_t pool);
};

#ifdef __cplusplus
}
#endif
#endif
