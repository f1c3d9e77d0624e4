/* A slow scheduler that answers what the engine should answer, written from semantics.md alone.
 *
 * It shares no code and no algorithm with the engine: no event queue, no index, no rate that is
 * kept. At every instant it looks at every job and every GPU again, and counts work much finer than
 * the engine does (exact.h), so that the only rounding that matters is the one to nanoseconds at a
 * job's end. Worlds are plain data; O(jobs x GPUs) an instant and worse.
 * Four files of less than 400 lines each: reference_parts.h says which.
 */
#ifndef PT_TESTS_REFERENCE_H
#define PT_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define REF_NONE UINT32_MAX
#define REF_NEVER INT64_MAX
#define REF_ABSENT INT64_MIN
#define REF_AFTER_MAX 2
#define REF_DOWN_MAX 2

enum ref_placement {
    REF_FIRST_FIT,
    REF_BEST_FIT,
    REF_WORST_FIT,
    REF_PACK,
    REF_SPREAD,
    REF_CONSOLIDATE
};

enum ref_state {
    REF_FUTURE,
    REF_HELD,
    REF_PENDING,
    REF_RESERVED, /* its MIG instances are being made */
    REF_RUNNING,
    REF_DONE,
    REF_FAILED,
    REF_WITHDRAWN,
    REF_UNSCHEDULABLE
};

enum ref_mode { REF_EXCLUSIVE, REF_TIME_SLICE, REF_MPS, REF_FRACTIONAL, REF_VGPU, REF_MIG };

/* How residents share what they share: of fractional, vgpu, and inside a MIG instance. */
enum ref_how {
    REF_BOOKS, /* turns; of a MIG instance: one job */
    REF_TURNS, /* by fractions; best effort; turns */
    REF_SMS,   /* by fractions; equal shares; MPS */
    REF_FIXED  /* shares of the most there may be */
};

enum ref_change { REF_STATIC, REF_PARTIAL, REF_WHEN_IDLE };
enum ref_start { REF_BEST, REF_FIRST, REF_DRIVER };
#define REF_PROFILES 8

struct ref_pool {
    uint32_t first_node, end_node, gpus_per_node;
    uint32_t model;               /* bit number in ref_job.models */
    uint64_t rate;                /* multiple of 2^-60, a multiple of 2^18 of them */
    uint32_t gpu_mem_mib;         /* of one GPU */
    uint32_t cpus_milli, mem_mib; /* of one node; REF_NONE = no limit */
    enum ref_mode mode;
    enum ref_how how;
    bool distinct, strict;
    bool admit;        /* of time_slice: memory is looked at before the start */
    uint32_t replicas; /* jobs on a GPU, clients, slots; jobs in a MIG instance; else 1 */
    uint32_t loss_ppm; /* switch_loss */
    uint32_t slot_mib; /* vgpu: memory of a slot */
    enum ref_change change;
    enum ref_start start;
    int64_t change_ns;
    bool node_wide;               /* a change keeps its whole node from starting others */
    uint32_t attempts;            /* all of which fail; 0 = changes don't */
    int64_t failed_ns, retry_ns;  /* length of one, time between two */
    uint8_t layout[REF_PROFILES]; /* instances of each profile of the GPU's table */
};

struct ref_node {
    uint32_t pool, first_gpu, end_gpu; /* its GPUs: first <= gpu < end */
    int64_t boot_ns;
    uint32_t down_count;
    int64_t from_ns[REF_DOWN_MAX], to_ns[REF_DOWN_MAX];
};

struct ref_job {
    int64_t submit_ns, work_ns;
    uint32_t gpus, gpu_mem_mib; /* 0 = none asked for */
    uint32_t frac_ppm;          /* 0 = absent */
    uint32_t processes;         /* >= 1 */
    const char *mig;            /* NULL, "auto", or a profile's name */
    uint32_t models;            /* bit set of GPU models it may use; 0 = any */
    uint32_t pool, nodes_max;
    uint32_t cpus_milli, mem_mib; /* of the whole job */
    int64_t checkpoint_ns;        /* REF_ABSENT, 0, a time, REF_NEVER = nothing is lost */
    int distinct;                 /* 0, 1, or 2 = the pool's */
    bool cold;                    /* its first work comes cold_ns after its start */
    uint32_t after[REF_AFTER_MAX];
};

/* Residents of a node fail, or all of a GPU whose mode makes them fail together; it stays up. */
struct ref_fault {
    int64_t time_ns;
    uint32_t node, gpu; /* one of them REF_NONE */
};

/* Jobs come sorted by submit time, faults by time. */
struct ref_world {
    uint32_t pool_count, node_count, gpu_count, job_count;
    const struct ref_pool *pools;
    const struct ref_node *nodes;
    const struct ref_job *jobs;
    bool strict;
    enum ref_placement placement;
    uint32_t fault_retries, oom_retries; /* REF_NONE = for ever */
    int64_t backoff_ns, give_up_ns, horizon_ns;
    uint32_t fault_count;
    const struct ref_fault *faults;
    int64_t cold_ns;
    int64_t restore_ns, restore_gib_ns; /* before kept work goes on: base, and for each GiB */
};

struct ref_outcome {
    enum ref_state state;
    int64_t start_ns, end_ns; /* REF_ABSENT */
    uint32_t node, gpu;       /* the first of its GPUs, of the last attempt; REF_NONE */
    /* The engine rounds speeds to 2^-60. Here that may have decided (REF_DOUBT_...) a rounding to
     * ns, or which checkpoint was the last: either answer is right. */
    uint8_t doubts;
};

#define REF_DOUBT_END 1u
#define REF_DOUBT_CHECKPOINT 2u

enum ref_verdict {
    REF_OK,
    REF_STUCK,  /* jobs are left that nothing can start */
    REF_OUTSIDE /* the world does not fit exact 128-bit fractions */
};

/* Runs the world. `outcomes` has job_count entries. `flip` (NULL = none) has for each job
 * the doubts that are to be decided the other way. */
enum ref_verdict ref_run(struct ref_outcome *outcomes, const struct ref_world *world,
                         const uint8_t *flip);

/* Whether the instances of a MIG pool's layout fit on its GPUs. */
bool ref_layout_is_legal(const struct ref_pool *pool);
/* The i-th MIG profile of a GPU model, NULL behind the last. */
const char *ref_profile_name(uint32_t model, uint32_t i);

#endif
