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

#include <gsl/gsl_rng.h>

#include "partita/sim.h"
#include "sim/core/bitset.h"
#include "sim/core/heap.h"

/* A job between its first start and its end: one cache line for what a neighbour's coming and going
 * touches, one for the rest. */
struct pt_live {
    pt_u128 left;    /* work left, 2^-60 ns */
    uint64_t speed;  /* 0 while it does not run; see pt__speed */
    int64_t last_ns; /* when `left` was true */
    int64_t end_ns;  /* PT_NEVER while it does not run */
    uint32_t job, home;
    uint32_t first_member;
    uint32_t home_prev, home_next; /* jobs at home on one GPU; CPU-only jobs of one node */
    bool running : 1;              /* from its start to its end */
    bool computing : 1;            /* and neither cold-starting nor restoring */
    bool dirty : 1, cpu_only : 1;
    bool saving : 1;  /* it was preempted and holds its units until it is saved */
    bool moves : 1;   /* its next start goes on elsewhere, at the cost of a move */
    bool resumes : 1; /* its next start goes on with the attempt it was preempted in */
    uint8_t pool, speed_bits;

    int64_t start_ns, attempt_ns; /* first start, this attempt's start */
    int64_t running_ns;           /* of earlier attempts */
    int64_t due_ns;               /* end of back-off; of a job that holds units: since when */
    double charged_s;             /* GPU seconds of earlier attempts */
    uint32_t unit_count;
    uint32_t next; /* back-off queue, or free list */
    uint32_t ooms, faults;
    uint16_t attempts, preemptions; /* attempts saturate */
    uint32_t waiting;               /* units whose instances are being made */
};
_Static_assert(offsetof(struct pt_live, start_ns) == 64, "the hot half is one cache line");
_Static_assert(sizeof(struct pt_live) == 128, "two cache lines");

/* One unit of one GPU held by a job; in a ring by GPU (order of arrival) and a list by job. */
struct pt_member {
    uint64_t speed; /* see pt__speed */
    uint32_t live, gpu;
    uint32_t gpu_prev, gpu_next;
    uint32_t job_next;
    uint8_t cell; /* the instance, on a nested GPU */
    bool waits;   /* its instance is being made */
    uint8_t speed_bits;
    bool computing; /* as its job */
};
_Static_assert(sizeof(struct pt_member) == 32, "half a cache line");

/* A speed is kept as 64 bits in multiples of 2^(bits - 60): bits are 0, and it is exact, below 16
 * times full speed; a small fraction alone on a GPU that it may use all of runs faster. */
static inline pt_u128 pt__speed(uint64_t speed, uint8_t bits)
{
    return (pt_u128)speed << bits;
}

struct pt_gpu {
    uint32_t first;      /* member that came first, PT_NONE = idle; its gpu_prev is the last */
    uint32_t load;       /* capacity held */
    uint32_t residents;  /* members */
    uint32_t computing;  /* members whose jobs compute */
    uint32_t home_first; /* live jobs whose home this is */
    uint32_t mem_used_mib;
    uint32_t node;
    uint32_t busy_ppm : 24; /* what it counts as in utilization */
    uint32_t dirty_speed : 1, dirty_key : 1;
    uint32_t closed : 1;  /* out of service */
    uint32_t fresh : 1;   /* its instances changed at this instant */
    uint32_t claimed : 1; /* jobs that are being saved leave it to others: claims.c */
};
_Static_assert(sizeof(struct pt_gpu) == 32, "half a cache line");

/* A nested GPU's changes. */
struct pt_gpu_changes {
    uint32_t begun; /* the change that began at this instant, PT_NONE */
    uint32_t count; /* so far: keys the draws */
};

/* Instances of one GPU that are being made, together. */
struct pt_change {
    uint32_t gpu, next_free;
    uint32_t cells; /* a bit each */
    bool fails;     /* all its attempts */
};

struct pt_node_state {
    uint32_t open_gpus; /* in service, with capacity left */
    uint32_t idle_gpus;
    uint64_t free_units, load;              /* capacity */
    int64_t held_from_ns;                   /* node-wide changes began then */
    uint32_t holds;                         /* node-wide changes going on */
    uint32_t cpus_free_milli, mem_free_mib; /* PT_NONE stays PT_NONE: no constraint */
    uint32_t cpu_first;                     /* CPU-only live jobs running here, PT_NONE */
    uint32_t claims; /* GPUs of it that are claimed by jobs that ask for host resources */
    bool up;
};

/* One class of jobs: those that ask for the same. */
struct pt_class {
    uint64_t pools;
    uint32_t units, nodes_max;
    uint32_t cpus_milli, mem_mib, gpu_mem_mib;
    uint32_t gpu_frac_ppm, processes, mig_word; /* as the job wrote them, where they matter */
    uint32_t tenant;                            /* PT_NONE = classes are not by tenant */
    uint8_t distinct;                           /* 0, 1, PT_BOOL_ABSENT = the pool's */
    uint8_t reason;                             /* why pools is empty */
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
    pt_u128 there, busy, held; /* GPU x ns, millionths of a GPU x ns, capacity x ns */
    pt_u128 energy;            /* uW x ns */
    pt_u128 idle, unusable; /* unit x ns; unit x ns x requests of the trace that can't use them */
};

struct pt_pool_state {
    const struct pt_pool *pool;
    uint32_t capacity, leaf_count; /* leaf_count: nodes rounded up to a power of two */
    bool plain;                    /* every unit is one slot: the capacity says who fits */
    bool one_at_a_time;            /* whole GPUs, and no model, turns or power to ask about */
    struct pt_bitset open;         /* local GPUs in service with capacity left */
    struct pt_bitset *at_load;     /* [capacity]: those with exactly that load; shape.levels */
    uint32_t *load_count;          /* [node][capacity] */
    uint32_t open_gpus, up_gpus, nodes_for_ever;
    uint64_t free_units, held_units, busy_ppm, power_uw;
    bool bound_host, bound_memory; /* whether CPUs/memory, or GPU memory, restrict placement */
    /* nested GPUs */
    const struct pt_nested_ops *nested; /* NULL = not nested */
    unsigned char *state;               /* [GPUs of the pool][stride] */
    size_t stride;
    uint32_t profiles;
    uint32_t (*masks)[PT_DISTURBS_LEVELS]; /* by local GPU: what fits there */
    struct pt_bitset *fits;                /* [level][profile]: local GPUs */
    /* GPUs that are neither plain nor nested: a tree of what is free (free.c) */
    uint64_t *free_max;     /* [2 x leaves] capacity left + 1, 0 = takes nobody */
    uint32_t *free_mem;     /* [2 x leaves] MiB left */
    uint32_t *free_clients; /* [2 x leaves] processes left; NULL: no limit */
    uint32_t free_leaves;
    /* indexes over nodes, refreshed from the log of changed nodes */
    uint32_t *log;
    uint32_t log_mask;
    uint64_t log_head, log_seen; /* written up to; up to where some index has read it */
    uint32_t index_count, index_next;
    struct pt_index index[PT_INDEXES_PER_POOL];
    /* accounting */
    int64_t metered_ns;
    struct pt_meter now, at_end, at_base, at_interval;
    pt_u128 frag_sum;      /* sum of idle units x requests that can't use them */
    uint64_t *frag_weight; /* plain: [open GPUs]: requests that want more than so many; nested: by
                              profile; else beside frag_need; NULL: none */
    uint32_t *frag_need; /* capacities wanted, ascending; weight = requests that want it or more */
    uint32_t frag_needs;
    uint64_t frag_requests; /* requests in all */
    uint32_t jobs_started;
    uint64_t reconfigurations, reconfiguration_failures;
    double charged_s;
};

/* A change of a node's state, sorted by time. */
struct pt_node_change {
    int64_t time_ns;
    uint32_t node;
    bool up, for_ever;
};

#define PT_EVENT_BUFFER 512

/* What was left of a job when it was stopped last, and how often in a row no less was. */
struct pt_stall {
    pt_u128 left;
    uint32_t count;
};
#define PT_STALLS_MAX 10000

/* A unit that a job will have when those who are being saved have left the GPU. */
struct pt_claim {
    uint32_t live, gpu;
    uint8_t start;
};

/* What the models know of a live job. */
struct pt_live_model {
    struct pt_traits traits;
    double alone; /* slow-down alone on what it asked for */
    const struct pt_need *need;
};

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
    struct pt_need *needs; /* [class][pool] */
    uint32_t *need_id;     /* [class][pool]: equal where the needs are */
    uint32_t *node_room;   /* [class][pool]: units that an empty node holds */
    uint32_t *waits_for;   /* unfinished predecessors; NULL without `after` */
    pt_job next_arrival, next_give_up;
    pt_job check_from; /* check.c: all jobs before it are final */
    uint32_t pending_count, running_count, held_count, final_count, started_count;
    /* live records and members */
    struct pt_live *live;
    uint32_t live_used, live_free, live_capacity;
    uint32_t backoff_first, backoff_last;
    struct pt_member *member;
    uint32_t member_used, member_free, member_capacity;
    struct pt_live_model *model; /* beside live; NULL without traits */
    struct pt_stall *stall;      /* beside live; NULL where nobody is ever stopped */
    uint32_t *running;           /* live records of running jobs, [running_count] */
    uint32_t *running_slot;      /* by live record: where it is in `running` */
    /* cluster */
    uint32_t pool_count;
    uint64_t nested_pools; /* those whose GPUs are cut into instances */
    struct pt_pool_state *pools;
    struct pt_node_state *nodes;
    struct pt_gpu *gpus;
    uint32_t *power_uw; /* by GPU; NULL unless world.energy */
    uint32_t *clients;  /* by GPU; NULL: no pool limits them */
    struct pt_node_change *change;
    uint32_t change_count, change_next;
    /* time */
    struct pt_heap heap;        /* one completion per home GPU */
    struct pt_heap cpu_heap;    /* and one per CPU-only job, by live record: a node may hold many */
    struct pt_heap ready_heap;  /* cold starts and restores, by live record */
    struct pt_heap change_heap; /* changes of instances, by record */
    struct pt_change *change_of;
    uint32_t change_of_used, change_of_free, change_of_capacity;
    struct pt_gpu_changes *gpu_changes; /* by GPU; NULL: no pool is nested */
    uint32_t *fresh;                    /* GPUs whose instances changed at this instant */
    uint32_t fresh_count;
    struct pt_heap fault_heap; /* next fault of each GPU; faults.gpu_mtbf */
    uint32_t *fault_number;    /* by GPU: keys the draws */
    uint32_t fault_next;       /* of world.faults.events */
    bool faulty;               /* there are faults to come */
    struct pt_turn *turn;      /* [members]; NULL unless fidelity: slices */
    struct pt_turns *turns;    /* [GPUs] */
    struct pt_heap turn_heap;
    uint64_t turn_speed; /* of the turn that has just begun */
    gsl_rng *rng;
    int64_t *wakes; /* binary heap of the policy's own timers */
    uint32_t wake_count, wake_capacity;
    /* dirty lists of this instant */
    uint32_t *dirty_gpu, *dirty_live, *dirty_home;
    uint32_t *due_jobs; /* jobs that end at this instant */
    uint32_t dirty_gpu_count, dirty_live_count, dirty_home_count;
    /* placement scratch */
    struct pt_units units;
    uint32_t *gpu_mark, *node_mark, *node_units; /* marks of `mark` */
    unsigned char *trial; /* [largest job][PT_NESTED_STATE_MAX]: states of nested GPUs, tried */
    uint32_t *trial_of;   /* by GPU: which of them; NULL: no pool is nested */
    uint32_t mark;
    uint32_t *scratch_nodes; /* [max(nodes of a pool)] */
    uint32_t *scratch_load, *scratch_mem, *scratch_residents,
        *scratch_clients; /* [GPUs of a node] */
    bool *scratch_anew;
    /* what if: what_if.c */
    struct pt_trial *trial_log;
    uint32_t trial_count; /* jobs lifted or assumed now */
    /* claims on units of jobs that are being saved: claims.c */
    struct pt_claim *claim;
    uint32_t claim_count, claim_capacity;
    uint32_t *claim_gpus;         /* scratch: [largest job] */
    unsigned char *scratch_state; /* [GPUs of a node][stride] */
    /* scratch of settling: the residents of one GPU, unit by unit */
    uint32_t *resident_member;
    struct pt_resident *resident;
    struct pt_ratio *share;
    double *slow;
    pt_job *doomed; /* [jobs], with `after` alone: jobs whose successors can't run */
    /* policy */
    void *placement_state;
    void *policy_state;
    uint32_t policy_flags;
    uint64_t released; /* pools with releases since the last on_release */
    bool acted;
    uint64_t actions_now, refused_now, idle_rounds;
    enum pt_reason why; /* the last placement found nothing */
    uint8_t *verdict;   /* [jobs]: enum pt_reason said last; NULL: nobody wants to know */
    /* tenants: quota units */
    bool limits;              /* some tenant has a limit */
    uint64_t parts_per_gpu;   /* see pt_view_parts_per_gpu */
    uint64_t *tenant_parts;   /* held now, all below it included; NULL: no limits */
    uint64_t *decision_count; /* passes by wall time, see loop.c; NULL unless world.measure */
    /* accounting */
    pt_u128 *tenant_held; /* [pool][tenant] */

    pt_u128 *split;      /* [GPUs]: integral of 1 / residents that run, 2^-60 ns; NULL: no prices */
    int64_t *split_ns;   /* when it was true */
    uint32_t *split_by;  /* residents that run */
    pt_u128 *split_from; /* [members]: its GPU's when it joined */
    double *cost;        /* [live]: of GPU seconds at their price; NULL without any price */
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
/* It is in the queue. */
static inline bool pt__waits(const struct pt_sim *sim, pt_job job)
{
    enum pt_job_state state = pt__state(sim, job);
    return state == PT_STATE_PENDING || state == PT_STATE_PAUSED;
}
static inline const struct pt_class *pt__class(const struct pt_sim *sim, pt_job job)
{
    return &sim->classes[sim->class_of == NULL ? 0 : sim->class_of[job]];
}
/* What a unit of the class takes of a GPU of the pool. */
static inline const struct pt_need *pt__need(const struct pt_sim *sim,
                                             const struct pt_class *class_, uint32_t pool)
{
    return &sim->needs[(size_t)(class_ - sim->classes) * sim->pool_count + pool];
}
static inline const struct pt_need *pt__need_of(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    return pt__need(sim, pt__class(sim, job), pool);
}
/* Device memory that a unit of the job allocates on each of its GPUs. In plain pools classes leave
 * it out where it does not say where they fit. */
static inline uint32_t pt__gpu_memory(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    if (!sim->pools[pool].plain) return pt__need_of(sim, job, pool)->mem_mib;
    if (sim->gpu_mem_mib == NULL || sim->gpu_mem_mib[job] == PT_NONE) return 0;
    return sim->gpu_mem_mib[job];
}
static inline unsigned char *pt__state_of(const struct pt_pool_state *pool, uint32_t gpu)
{
    return pool->state + (size_t)(gpu - pool->pool->first_gpu) * pool->stride;
}
/* Whether the node starts nobody for now: an operator changes its GPUs, since an earlier instant.
 */
static inline bool pt__node_held(const struct pt_sim *sim, const struct pt_node_state *node)
{
    return node->holds > 0 && node->held_from_ns != sim->now_ns;
}
/* Where the pool is in the cluster. */
static inline uint32_t pt__pool_index(const struct pt_sim *sim, const struct pt_pool_state *pool)
{
    return (uint32_t)(pool - sim->pools);
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
    if (pool->plain && pool->capacity == 1) return true;
    return class_->distinct == PT_BOOL_ABSENT ? pool->pool->shape.distinct : class_->distinct != 0;
}
static inline struct pt_pool_state *pt__pool_of_node(struct pt_sim *sim, uint32_t node)
{
    return &sim->pools[sim->world.cluster->nodes[node].pool];
}

/* Quota units of all units of the class in the pool. */
static inline uint64_t pt__parts(const struct pt_sim *sim, const struct pt_class *class_,
                                 uint32_t pool)
{
    uint32_t capacity = sim->pools[pool].capacity;
    uint64_t each = pt__need(sim, class_, pool)->capacity * (sim->parts_per_gpu / capacity);
    if (sim->parts_per_gpu % capacity != 0) /* too many kinds of shares: rounded up */
        each = (uint64_t)(((pt_u128)pt__need(sim, class_, pool)->capacity * sim->parts_per_gpu +
                           capacity - 1) /
                          capacity);
    return each * class_->units;
}

/* Tells the pool's indexes that a node has changed. */
static inline void pt__node_changed(struct pt_pool_state *pool, uint32_t node)
{
    if (pool->log == NULL) return; /* while the cluster is being built */
    uint32_t local = node - pool->pool->first_node;
    if (pool->log_head > pool->log_seen &&
        pool->log[(pool->log_head - 1) & pool->log_mask] == local)
        return; /* the units of one job, mostly; nobody has read of the first one yet */
    pool->log[pool->log_head++ & pool->log_mask] = local;
}

/* classes.c: what jobs ask for, and where it can ever fit */
enum pt_status pt__classes_build(struct pt_sim *sim, struct pt_error *error);
void pt__classes_refit(struct pt_sim *sim); /* capacity was lost for ever */

/* slots.c: counters and bitmaps over GPUs, kept at every change */
enum pt_status pt__slots_build(struct pt_sim *sim, struct pt_error *error);
void pt__slots_free(struct pt_sim *sim);
/* A unit comes to or leaves the GPU. A nested GPU's own state has been changed before. */
void pt__slots_change(struct pt_sim *sim, uint32_t gpu, const struct pt_need *need, uint32_t mib,
                      bool take);
void pt__slots_nested_changed(struct pt_sim *sim, uint32_t gpu);      /* its state, but no unit */
void pt__slots_close(struct pt_sim *sim, uint32_t gpu);               /* out of service */
void pt__slots_claim(struct pt_sim *sim, uint32_t gpu, bool claimed); /* no newcomers */
/* Whether one more unit fits on the GPU, its node's and its own service left aside. */
bool pt__slots_fits(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu,
                    const struct pt_need *need, uint8_t start);
/* The GPU takes newcomers, when its node does. */
static inline bool pt__gpu_open(const struct pt_gpu *gpu)
{
    return !gpu->closed && !gpu->claimed;
}
/* Pools with GPUs out of service; *gpus = how many there are. O(GPUs). */
uint64_t pt__slots_closed(const struct pt_sim *sim, uint32_t *gpus);
/* Its idle capacity times the requests that can't use it; 0 in plain pools, where nodes count. */
pt_u128 pt__slots_gpu_fragmentation(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                    uint32_t gpu);
/* Share of utilization and power of a GPU, from now on. */
void pt__slots_meter(struct pt_sim *sim, uint32_t gpu, uint32_t busy_ppm, uint32_t power_uw);
void pt__slots_host(struct pt_sim *sim, uint32_t node, const struct pt_class *class_,
                    uint32_t units, bool take);
void pt__slots_node_up(struct pt_sim *sim, uint32_t node, bool up);
/* A fresh mark for gpu_mark and node_mark; starts over before it wraps. */
void pt__next_mark(struct pt_sim *sim);
/* Units of the class that the node could take now; no more GPUs are looked at once there is room
 * for `enough`. */
uint32_t pt__slots_room(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                        const struct pt_class *class_, uint32_t enough);
/* Room of an empty node for the class. */
uint32_t pt__slots_room_empty(const struct pt_sim *sim, const struct pt_pool_state *pool,
                              const struct pt_class *class_);
/* room.c: which GPUs a node would give */
/* What choosing `wanted` GPUs of the node would meet; the room has been checked. */
struct pt_choice {
    uint64_t load;  /* sum of the GPUs' loads */
    unsigned level; /* the most that any unit would disturb a nested GPU */
};
struct pt_choice pt__slots_choice(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                  uint32_t node, const struct pt_class *class_,
                                  enum pt_gpu_order order, uint32_t wanted);
/* Appends `wanted` GPUs of the node; the room has been checked. */
void pt__slots_pick(struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t node,
                    const struct pt_class *class_, enum pt_gpu_order order, uint32_t wanted,
                    uint32_t *gpus, uint8_t *starts);

/* index.c: best node of a pool */
enum pt_status pt__index_build(struct pt_sim *sim, struct pt_error *error);
void pt__index_free(struct pt_sim *sim);
uint32_t pt__index_best(struct pt_sim *sim, struct pt_pool_state *pool,
                        const struct pt_search *search, pt_job job, uint32_t wanted);
uint32_t pt__index_gather(struct pt_sim *sim, struct pt_pool_state *pool, struct pt_units *units,
                          const struct pt_search *search, pt_job job, uint32_t wanted,
                          uint32_t nodes_max, uint32_t per_node);

/* What the search weighs of a node, worked out now. */
uint64_t pt__index_key(const struct pt_sim *sim, const struct pt_pool_state *pool,
                       const struct pt_search *search, pt_job job, uint32_t node, uint32_t wanted);

/* The first node at or behind `from` that the search does not rule out; PT_NONE. */
uint32_t pt__index_next(struct pt_sim *sim, struct pt_pool_state *pool,
                        const struct pt_search *search, pt_job job, uint32_t wanted, uint32_t from);

/* tenants.c: what tenants hold and may hold */
enum pt_status pt__tenants_build(struct pt_sim *sim, struct pt_error *error);
bool pt__within_limit(const struct pt_sim *sim, pt_job job, uint32_t pool);
/* The job's units come or go. */
void pt__tenants_hold(struct pt_sim *sim, pt_job job, uint32_t pool, bool take);
/* Whether jobs of this class are above a limit even alone. */
bool pt__tenants_never(const struct pt_sim *sim, const struct pt_class *class_, uint32_t pool);

/* free.c: the first GPU with enough left, of GPUs that share by fractions */
enum pt_status pt__free_build(struct pt_sim *sim, struct pt_pool_state *pool);
void pt__free_set(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t gpu);
uint32_t pt__free_first(const struct pt_pool_state *pool, const struct pt_need *need);

/* change.c: instances that are being made */
enum pt_status pt__change_build(struct pt_sim *sim, struct pt_error *error);
void pt__change_begin(struct pt_sim *sim, uint32_t gpu);
void pt__change_add(struct pt_sim *sim, uint32_t gpu, uint8_t cell);
void pt__change_touch(struct pt_sim *sim, uint32_t gpu);   /* commit it when the instant is over */
uint32_t pt__change_due(struct pt_sim *sim);               /* ends those that are due; how many */
void pt__change_commit(struct pt_sim *sim);                /* the instant is over */
void pt__change_forget(struct pt_sim *sim, uint32_t node); /* it went down */

/* charge.c: who pays for a GPU second */
enum pt_status pt__charge_build(struct pt_sim *sim, struct pt_error *error);
void pt__charge_free(struct pt_sim *sim);
void pt__charge_join(struct pt_sim *sim, uint32_t member);
/* What GPU seconds of a job in its pool cost is added to the account of its live record; which is
 * new (nothing was charged), and read: NaN = some of it had no price. */
void pt__charge_open(struct pt_sim *sim, uint32_t live);
void pt__charge_add(struct pt_sim *sim, uint32_t live, double gpu_s);
double pt__charge_cost(const struct pt_sim *sim, uint32_t live);
/* GPU seconds of a member that has run since then, until now; `leaves`: it is the last time. */
double pt__charge_member(struct pt_sim *sim, uint32_t member, int64_t since_ns, bool leaves);

/* faults.c */
enum pt_status pt__faults_build(struct pt_sim *sim, struct pt_error *error);
int64_t pt__faults_next(const struct pt_sim *sim);
uint32_t pt__faults_due(struct pt_sim *sim);
void pt__faults_node_down(struct pt_sim *sim, uint32_t node);

/* turns.c: fidelity: slices */
enum pt_status pt__turns_build(struct pt_sim *sim, struct pt_error *error);
bool pt__turns_play(const struct pt_sim *sim, const struct pt_pool *pool);
void pt__turns_join(struct pt_sim *sim, uint32_t member);
void pt__turns_leave(struct pt_sim *sim, uint32_t member);
uint32_t pt__turns_due(struct pt_sim *sim);
uint32_t pt__turns_ask(struct pt_sim *sim, uint32_t gpu); /* its busy share, millionths */

/* members.c */
void pt__members_take(struct pt_sim *sim, uint32_t live, const struct pt_units *units);
void pt__members_drop(struct pt_sim *sim, struct pt_live *live);

/* life.c: a job's states */
void pt__life_submit(struct pt_sim *sim, pt_job job);
enum pt_status pt__life_start(struct pt_sim *sim, pt_job job, const struct pt_units *units);
void pt__life_done(struct pt_sim *sim, uint32_t index);
void pt__life_withdraw(struct pt_sim *sim, pt_job job);
void pt__life_back(struct pt_sim *sim, uint32_t index);      /* back-off is over */
void pt__life_served(struct pt_sim *sim, uint32_t index);    /* all its instances are made */
void pt__life_ready(struct pt_sim *sim, uint32_t index);     /* cold start or restore is over */
void pt__life_unreserve(struct pt_sim *sim, uint32_t index); /* they won't be: back in the queue */
void pt__life_stranded(struct pt_sim *sim, uint32_t index);  /* it left to move, but can't yet */
void pt__life_fault(struct pt_sim *sim, uint32_t index, enum pt_reason reason);
void pt__life_end_of_world(struct pt_sim *sim, enum pt_reason reason);

/* Its work stops and what is kept of it is saved: at once, or while it still holds its units. */
void pt__life_preempt(struct pt_sim *sim, uint32_t index);
void pt__life_saved(struct pt_sim *sim, uint32_t index);
void pt__life_kill(struct pt_sim *sim, uint32_t index, enum pt_reason reason);
void pt__life_decline(struct pt_sim *sim, pt_job job, enum pt_reason reason);
/* A running job leaves its units, to go on at others: pt__life_arrive. */
void pt__life_depart(struct pt_sim *sim, uint32_t index);
void pt__life_arrive(struct pt_sim *sim, uint32_t index, const struct pt_units *units);
/* Starts a pending job, or lets a departed one arrive, on units of which some are not free yet. */
void pt__life_claim(struct pt_sim *sim, pt_job job, const struct pt_units *units);

/* claims.c: units that pass from jobs that are being saved to those they were stopped for */
enum pt_status pt__claims_build(struct pt_sim *sim, struct pt_error *error);
void pt__claims_free(struct pt_sim *sim);
/* Takes the units of the set that are free for a live job, and claims the others. */
void pt__claims_make(struct pt_sim *sim, uint32_t live, const struct pt_units *units);
void pt__claims_settle(struct pt_sim *sim); /* somebody left: takes what can be taken */
void pt__claims_drop(struct pt_sim *sim, uint32_t live);
/* These GPUs will serve nobody: who has claims there goes back into the queue. */
void pt__claims_lost(struct pt_sim *sim, uint32_t first_gpu, uint32_t gpus);
/* Units that the job has claimed and not got yet. */
static inline uint32_t pt__claims_of(const struct pt_sim *sim, uint32_t live)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sim->claim_count; i++)
        count += sim->claim[i].live == live;
    return count;
}

/* what_if.c */
enum pt_status pt__what_if_build(struct pt_sim *sim, struct pt_error *error);
void pt__what_if_free(struct pt_sim *sim);

/* settle.c */
void pt__settle(struct pt_sim *sim);
void pt__settle_gpu_dirty(struct pt_sim *sim, uint32_t gpu);
void pt__settle_live_dirty(struct pt_sim *sim, uint32_t live);
void pt__settle_gpu_ask(struct pt_sim *sim, uint32_t gpu); /* rate.c: speeds of its residents */
/* rate.c: R of a job in a pool. */
uint64_t pt__rate_of_job(const struct pt_sim *sim, pt_job job, uint32_t pool);
/* rate.c: false where the model knows that the job does not fit beside those on the GPU. */
bool pt__rate_fits(struct pt_sim *sim, pt_job job, uint32_t pool, uint32_t gpu);
void pt__settle_home_dirty(struct pt_sim *sim, uint32_t gpu);
void pt__settle_advance(struct pt_sim *sim, struct pt_live *live);

/* account.c */
enum pt_status pt__account_build(struct pt_sim *sim, struct pt_error *error);
void pt__account_free(struct pt_sim *sim);
void pt__account_pool_now(struct pt_sim *sim, struct pt_pool_state *pool);
/* Before a change; once an instant and pool, and again when all have left. */
static inline void pt__account_pool(struct pt_sim *sim, struct pt_pool_state *pool)
{
    if (pool->metered_ns < sim->now_ns || sim->running_count == 0) pt__account_pool_now(sim, pool);
}
void pt__account_queue(struct pt_sim *sim);                  /* before a change */
void pt__account_instant(struct pt_sim *sim, int64_t to_ns); /* before time moves on to to_ns */
void pt__account_finish(struct pt_sim *sim,
                        bool cut); /* cut: windows end now, not at the last end */

/* emit.c */
void pt__emit(struct pt_sim *sim, enum pt_event_kind kind, pt_job job, uint32_t gpu, uint32_t count,
              enum pt_reason reason);
void pt__emit_result(struct pt_sim *sim, pt_job job, int64_t end_ns, enum pt_reason reason);
void pt__emit_flush(struct pt_sim *sim);

/* loop.c: wall time of a pass, in buckets an eighth of a power of two wide */
#define PT_DECISION_BUCKETS 512
uint64_t pt__decision_quantile(const struct pt_sim *sim, unsigned percent);

/* view.c */
extern const struct pt_api pt__api;

/* check.c: every invariant of semantics.md, section 8; false = broken, sim->error says how */
bool pt__check(struct pt_sim *sim);

/* Records the first error that a call could not return; the loop stops on it. */
void pt__break(struct pt_sim *sim, enum pt_status status, const char *format, ...) PT_PRINTF(3, 4);

#endif
