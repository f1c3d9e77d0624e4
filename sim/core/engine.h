/* The engine's private state. Visible inside sim/core only.
 *
 * Who owns what: a *live* record holds a job from its first start to its end (work left, speed,
 * where it runs); a *member* ties a live job to one unit of one GPU; GPUs, nodes and pools keep
 * counters and indexes over them. All arrays are allocated by pt_sim_create.
 *
 * An instant is: drain what is due (loop.c) -> policy passes (api.c) -> settle (settle.c): dirty
 * GPUs ask the mode for speeds, dirty jobs advance and take the least, dirty homes are re-keyed.
 */
#ifndef PT_CORE_ENGINE_H
#define PT_CORE_ENGINE_H

#include "partita/sim.h"
#include "sim/core/bitset.h"
#include "sim/core/heap.h"

/* A job between its first start and its end: one cache line for what a neighbour's coming and going
 * touches, one for the rest. */
struct pt_live {
    pt_u128 left;    /* work left, 2^-60 ns */
    uint64_t speed;  /* 0 while it does not run */
    int64_t last_ns; /* when `left` was true */
    int64_t end_ns;  /* PT_NEVER while it does not run */
    uint32_t job, home;
    uint32_t first_member;
    uint32_t home_prev, home_next; /* jobs at home on one GPU; CPU-only jobs of one node */
    bool running, dirty, cpu_only;
    uint8_t pool;

    int64_t start_ns, attempt_ns; /* first start, this attempt's start */
    int64_t running_ns;           /* of earlier attempts */
    int64_t due_ns;               /* end of back-off */
    uint32_t unit_count;
    uint32_t next; /* back-off queue, or free list */
    uint32_t ooms, faults;
    uint16_t attempts, preemptions; /* attempts saturate */
    uint32_t unused[3];
};
_Static_assert(offsetof(struct pt_live, start_ns) == 64, "the hot half is one cache line");
_Static_assert(sizeof(struct pt_live) == 128, "two cache lines");

/* One unit of one GPU held by a job; in a ring by GPU (order of arrival) and a list by job. */
struct pt_member {
    uint64_t speed;
    uint32_t live, gpu;
    uint32_t gpu_prev, gpu_next;
    uint32_t job_next;
    uint32_t unused;
};
_Static_assert(sizeof(struct pt_member) == 32, "half a cache line");

struct pt_gpu {
    uint32_t first;      /* member that came first, PT_NONE = idle; its gpu_prev is the last */
    uint32_t load;       /* units held */
    uint32_t home_first; /* live jobs whose home this is */
    uint32_t mem_used_mib;
    uint32_t node;
    bool dirty_speed, dirty_key;
};

struct pt_node_state {
    uint32_t open_gpus; /* up, with a free unit */
    uint32_t free_units, load, idle_gpus;
    uint32_t cpus_free_milli, mem_free_mib; /* PT_NONE stays PT_NONE: no constraint */
    uint32_t cpu_first;                     /* CPU-only live jobs running here, PT_NONE */
    bool up;
};

/* One class of jobs: those that ask for the same. */
struct pt_class {
    uint64_t pools;
    uint32_t units, nodes_max;
    uint32_t cpus_milli, mem_mib, gpu_mem_mib;
    uint8_t distinct;      /* 0, 1, PT_BOOL_ABSENT = the pool's */
    uint8_t reason;        /* why pools is empty */
    uint8_t never;         /* why it can't run on the whole cluster; PT_REASON_NONE = it can */
    uint32_t first, count; /* its places in the pending set */
    uint64_t named_pools;  /* the pools it may name, whether it fits them or not */
};

/* A tournament tree over a pool's nodes for one (search, need): winner at [1]. */
struct pt_index {
    const struct pt_search *search;
    uint64_t need; /* what tells two classes apart in this pool */
    uint32_t wanted;
    uint64_t cursor; /* how much of the pool's change log it has seen */
    uint64_t *key;   /* by local node */
    uint32_t *winner;
};
#define PT_INDEXES_PER_POOL 64

/* Exact integrals since the accounting began. */
struct pt_meter {
    pt_u128 there, busy, held;
    pt_u128 idle, unusable; /* unit x ns; unit x ns x requests of the trace that can't use them */
};

struct pt_pool_state {
    const struct pt_pool *pool;
    uint32_t capacity, leaf_count; /* leaf_count: nodes rounded up to a power of two */
    struct pt_bitset open;         /* local GPUs that are up with a free unit */
    struct pt_bitset *at_load;     /* [capacity]: those with exactly that load */
    uint32_t *load_count;          /* [node][capacity] */
    uint32_t open_gpus, free_units, up_gpus, busy_gpus, held_units, nodes_for_ever;
    bool bound_host, bound_memory; /* whether CPUs/memory, or GPU memory, restrict placement */
    /* indexes over nodes, refreshed from the log of changed nodes */
    uint32_t *log;
    uint32_t log_mask;
    uint64_t log_head;
    uint32_t index_count, index_next;
    struct pt_index index[PT_INDEXES_PER_POOL];
    /* accounting */
    int64_t metered_ns;
    struct pt_meter now, at_end, at_base, at_interval;
    uint64_t frag_sum;      /* sum over nodes of idle units x requests that can't use them */
    uint64_t *frag_weight;  /* [open GPUs]: requests that want more than so many; NULL: none */
    uint64_t frag_requests; /* requests in all */
    uint32_t jobs_started;
};

/* A change of a node's state, sorted by time. */
struct pt_node_change {
    int64_t time_ns;
    uint32_t node;
    bool up, for_ever;
};

#define PT_EVENT_BUFFER 512

struct pt_sim {
    struct pt_ctx ctx; /* first: a policy's pt_ctx is the engine */
    struct pt_world world;
    uint32_t job_count;
    int64_t now_ns;
    const int64_t *submit_ns, *work_ns;
    const uint32_t *gpu_mem_mib; /* by job; NULL: nobody says */
    const uint32_t *tenant_word; /* by job; NULL: all are of tenant 0 */
    /* jobs */
    uint8_t *state;           /* enum pt_job_state, and PT_STARTED_BIT */
    uint32_t *live_of;        /* PT_NONE */
    uint32_t *class_of;       /* NULL: one class */
    uint32_t *place, *job_at; /* place of a job in the pending set and back; NULL: identity */
    struct pt_bitset pending;
    uint32_t class_count;
    struct pt_class *classes;
    uint32_t *waits_for; /* unfinished predecessors; NULL without `after` */
    pt_job next_arrival, next_give_up;
    pt_job check_from; /* check.c: all jobs before it are final */
    uint32_t pending_count, running_count, held_count, final_count, started_count;
    /* live records and members */
    struct pt_live *live;
    uint32_t live_used, live_free, live_capacity;
    uint32_t backoff_first, backoff_last;
    struct pt_member *member;
    uint32_t member_used, member_free, member_capacity;
    /* cluster */
    uint32_t pool_count;
    struct pt_pool_state *pools;
    struct pt_node_state *nodes;
    struct pt_gpu *gpus;
    struct pt_node_change *change;
    uint32_t change_count, change_next;
    /* time */
    struct pt_heap heap;     /* one completion per home GPU */
    struct pt_heap cpu_heap; /* and one per CPU-only job, by live record: a node may hold many */
    int64_t *wakes;          /* binary heap of the policy's own timers */
    uint32_t wake_count, wake_capacity;
    /* dirty lists of this instant */
    uint32_t *dirty_gpu, *dirty_live, *dirty_home;
    uint32_t *due_jobs; /* jobs that end at this instant */
    uint32_t dirty_gpu_count, dirty_live_count, dirty_home_count;
    /* placement scratch */
    struct pt_units units;
    uint32_t *gpu_mark, *node_mark, *node_units; /* marks of `mark` */
    uint32_t mark;
    uint32_t *scratch_nodes;              /* [max(nodes of a pool)] */
    uint32_t *scratch_load, *scratch_mem; /* [GPUs of a node] */
    pt_job *doomed; /* [jobs], with `after` alone: jobs whose successors can't run */
    /* policy */
    void *policy_state;
    uint32_t policy_flags;
    uint64_t released; /* pools with releases since the last on_release */
    bool acted;
    uint64_t actions_now, refused_now, idle_rounds;
    /* accounting */
    pt_u128 *tenant_held; /* [pool][tenant] */
    int64_t account_from_ns, base_ns, last_end_ns;
    bool base_taken, any_end;
    int64_t queue_metered_ns;
    pt_u128 queue_now, queue_at_end, queue_at_base, queue_at_interval;
    int64_t interval_from_ns, interval_to_ns;
    double *series_values, *series_last; /* queue, then 3 x (1 + pools) */
    bool series_any;
    struct pt_event events[PT_EVENT_BUFFER];
    uint32_t event_count;
    struct pt_sim_stats stats;
    bool ended, broken;
    struct pt_error error; /* of a receiver, or a broken rule, inside a call that can't return it */
};

#define PT_STARTED_BIT 0x10u

static inline enum pt_job_state pt__state(const struct pt_sim *sim, pt_job job)
{
    return (enum pt_job_state)(sim->state[job] & 0x0fu);
}
static inline bool pt__started(const struct pt_sim *sim, pt_job job)
{
    return (sim->state[job] & PT_STARTED_BIT) != 0;
}
static inline const struct pt_class *pt__class(const struct pt_sim *sim, pt_job job)
{
    return &sim->classes[sim->class_of == NULL ? 0 : sim->class_of[job]];
}
/* Device memory that the job's process allocates on each of its GPUs. */
static inline uint32_t pt__gpu_memory(const struct pt_sim *sim, pt_job job)
{
    if (sim->gpu_mem_mib == NULL || sim->gpu_mem_mib[job] == PT_NONE) return 0;
    return sim->gpu_mem_mib[job];
}
static inline uint32_t pt__tenant(const struct pt_sim *sim, pt_job job)
{
    if (sim->tenant_word == NULL || sim->tenant_word[job] == PT_NONE) return 0;
    return sim->world.tenant_of_word[sim->tenant_word[job]];
}
/* Whether the units of one job of this class sit on distinct GPUs of the pool. */
static inline bool pt__class_distinct(const struct pt_class *class_,
                                      const struct pt_pool_state *pool)
{
    if (pool->capacity == 1) return true;
    return class_->distinct == PT_BOOL_ABSENT ? pool->pool->shape.distinct : class_->distinct != 0;
}
static inline struct pt_pool_state *pt__pool_of_node(struct pt_sim *sim, uint32_t node)
{
    return &sim->pools[sim->world.cluster->nodes[node].pool];
}

/* Tells the pool's indexes that a node has changed. */
static inline void pt__node_changed(struct pt_pool_state *pool, uint32_t node)
{
    if (pool->log == NULL) return; /* while the cluster is being built */
    pool->log[pool->log_head++ & pool->log_mask] = node - pool->pool->first_node;
}

/* classes.c: what jobs ask for, and where it can ever fit */
enum pt_status pt__classes_build(struct pt_sim *sim, struct pt_error *error);
void pt__classes_refit(struct pt_sim *sim); /* capacity was lost for ever */

/* slots.c: counters and bitmaps over GPUs, kept at every change */
enum pt_status pt__slots_build(struct pt_sim *sim, struct pt_error *error);
void pt__slots_free(struct pt_sim *sim);
void pt__slots_load(struct pt_sim *sim, uint32_t gpu, uint32_t load); /* GPU takes a new load */
void pt__slots_host(struct pt_sim *sim, uint32_t node, const struct pt_class *class_,
                    uint32_t units, bool take);
void pt__slots_node_up(struct pt_sim *sim, uint32_t node, bool up);
/* A fresh mark for gpu_mark and node_mark; starts over before it wraps. */
void pt__next_mark(struct pt_sim *sim);
uint32_t pt__slots_room(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                        const struct pt_class *class_);
/* Room of an empty node for the class. */
uint32_t pt__slots_room_empty(const struct pt_pool_state *pool, const struct pt_class *class_);
uint64_t pt__slots_chosen_load(const struct pt_sim *sim, const struct pt_pool_state *pool,
                               uint32_t node, const struct pt_class *class_,
                               enum pt_gpu_order order, uint32_t wanted);
/* Appends `wanted` GPUs of the node; the room has been checked. */
void pt__slots_pick(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                    const struct pt_class *class_, enum pt_gpu_order order, uint32_t wanted,
                    uint32_t *gpus);

/* index.c: best node of a pool */
enum pt_status pt__index_build(struct pt_sim *sim, struct pt_error *error);
void pt__index_free(struct pt_sim *sim);
uint32_t pt__index_best(struct pt_sim *sim, struct pt_pool_state *pool,
                        const struct pt_search *search, pt_job job, uint32_t wanted);
uint32_t pt__index_gather(struct pt_sim *sim, struct pt_pool_state *pool, struct pt_units *units,
                          const struct pt_search *search, pt_job job, uint32_t wanted,
                          uint32_t nodes_max, uint32_t per_node);

/* life.c: a job's states */
void pt__life_submit(struct pt_sim *sim, pt_job job);
enum pt_status pt__life_start(struct pt_sim *sim, pt_job job, const struct pt_units *units);
void pt__life_done(struct pt_sim *sim, uint32_t index);
void pt__life_node_down(struct pt_sim *sim, uint32_t node);
void pt__life_withdraw(struct pt_sim *sim, pt_job job);
void pt__life_back(struct pt_sim *sim, uint32_t index); /* back-off is over */
void pt__life_end_of_world(struct pt_sim *sim, enum pt_reason reason);

/* settle.c */
void pt__settle(struct pt_sim *sim);
void pt__settle_gpu_dirty(struct pt_sim *sim, uint32_t gpu);
void pt__settle_live_dirty(struct pt_sim *sim, uint32_t live);
void pt__settle_home_dirty(struct pt_sim *sim, uint32_t gpu);
void pt__settle_advance(struct pt_sim *sim, struct pt_live *live);

/* account.c */
enum pt_status pt__account_build(struct pt_sim *sim, struct pt_error *error);
void pt__account_free(struct pt_sim *sim);
void pt__account_pool(struct pt_sim *sim, struct pt_pool_state *pool); /* before a change */
void pt__account_queue(struct pt_sim *sim);                            /* before a change */
void pt__account_instant(struct pt_sim *sim, int64_t to_ns); /* before time moves on to to_ns */
void pt__account_finish(struct pt_sim *sim,
                        bool cut); /* cut: windows end now, not at the last end */

/* emit.c */
void pt__emit(struct pt_sim *sim, enum pt_event_kind kind, pt_job job, uint32_t gpu, uint32_t count,
              enum pt_reason reason);
void pt__emit_result(struct pt_sim *sim, pt_job job, int64_t end_ns, enum pt_reason reason);
void pt__emit_flush(struct pt_sim *sim);

/* api.c */
extern const struct pt_api pt__api;

/* check.c: every invariant of semantics.md, section 8; false = broken, sim->error says how */
bool pt__check(struct pt_sim *sim);

/* Records the first error that a call could not return; the loop stops on it. */
void pt__break(struct pt_sim *sim, enum pt_status status, const char *format, ...) PT_PRINTF(3, 4);

#endif
