/* The engine: one simulated world from its first arrival to its end (semantics.md, sections 1-3).
 *
 * No globals: everything hangs off struct pt_sim; several may live in one process and be advanced
 * in turn, each from one thread at a time. Nothing is allocated between create and the last event.
 */
#ifndef PARTITA_SIM_H
#define PARTITA_SIM_H

#include "partita/cluster.h"
#include "partita/policy.h"
#include "partita/recorder.h"
#include "partita/status.h"
#include "partita/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often a failed attempt is made again: PT_NONE = for ever. */
struct pt_retries {
    uint32_t fault, oom;
    int64_t backoff_ns;
};

/* A fault of one node or GPU that the experiment schedules: its residents fail, it stays up. */
struct pt_fault {
    int64_t time_ns;
    uint32_t node, gpu; /* one of them PT_NONE */
};

struct pt_faults {
    const struct pt_fault *events; /* by time */
    uint32_t event_count;
    int64_t gpu_mtbf_ns; /* mean time between faults of one GPU, exponential; 0 = none */
};

/* What the models know of the trace's jobs. */
struct pt_jobs_model {
    const void *ctx;
    /* Traits of a job in a pool; R for its class among them. NULL: R of class mixed, no traits. */
    void (*traits)(struct pt_traits *traits, const void *ctx, pt_job job, uint32_t pool);
    /* Time between a start and the first work: cold start of its kind. NULL: 0. */
    int64_t (*cold_start_ns)(const void *ctx, pt_job job);
};

/* Restoring a job that has progress kept: base + per GiB of device memory, before work goes on. */
struct pt_restore {
    int64_t base_ns, per_gib_ns;
};

enum pt_fidelity { PT_FIDELITY_FLUID, PT_FIDELITY_SLICES };

/* Everything a run needs, borrowed until pt_sim_destroy. */
struct pt_world {
    const struct pt_cluster *cluster;
    const struct pt_trace *trace; /* finished */
    const struct pt_policy_ops *policy;
    const struct pt_value *policy_params;
    const struct pt_placement_ops *placement;
    const struct pt_value *placement_params;
    uint64_t seed;
    struct pt_retries retries;
    int64_t give_up_ns;             /* PT_NEVER = jobs wait for ever */
    int64_t horizon_ns;             /* PT_NEVER = until nothing can happen any more */
    int64_t warmup_ns;              /* windows of rates start here */
    int64_t interval_ns;            /* of the series; > 0 */
    uint32_t tenant_count;          /* >= 1 */
    const uint32_t *tenant_of_word; /* tenant of each word of column `tenant`; NULL: all are 0 */
    struct pt_interference interference;
    struct pt_jobs_model jobs_model;
    enum pt_fidelity fidelity;
    struct pt_faults faults;
    struct pt_restore restore;
    struct pt_preemption preemption;
    const struct pt_tenant_facts *tenants; /* [tenant_count]; NULL: nothing is said of them */
    /* Ranks of each word of column `priority`, and of each tenant's jobs that have none; NULL: all
     * are 0, preempt, and may be preempted. */
    const struct pt_rank *rank_of_word, *rank_of_tenant;
    bool energy;  /* integrate power (pool totals) */
    bool check;   /* every invariant after every instant */
    bool measure; /* wall time of the policy, see pt_sim_stats */
    struct pt_recorder recorder;
};

struct pt_sim;

/* Checks nothing that the loader has checked. Errors: PT_ERR_MEMORY, or what policy->init says. */
PT_USE_RESULT enum pt_status pt_sim_create(struct pt_sim **sim, const struct pt_world *world,
                                           struct pt_error *error);
/* NULL is allowed. */
void pt_sim_destroy(struct pt_sim *sim);

/* Advances by at most `instants` instants (UINT64_MAX: to the end). *finished tells whether the
 * world has ended; then every job's result has been sent to the recorder. After an error the run
 * can't go on, and the results of jobs that are not final are sent by pt_sim_abandon. */
PT_USE_RESULT enum pt_status pt_sim_advance(struct pt_sim *sim, uint64_t instants, bool *finished,
                                            struct pt_error *error);
/* Sends what is known of the unfinished jobs (reason PT_REASON_INTERRUPTED, or PT_REASON_DEADLOCK
 * after that error) and ends the run. */
PT_USE_RESULT enum pt_status pt_sim_abandon(struct pt_sim *sim, struct pt_error *error);

/* Why a job of the trace can never run on this (empty, whole) cluster: PT_REASON_NONE = it can.
 * What `--dry-run` and the lines before the run say. O(1) after create. */
enum pt_reason pt_sim_never_fits(const struct pt_sim *sim, pt_job job);

/* The share of each of its GPUs that the job asked for, in this pool; PT_NONE: in the first that
 * could hold it. {1, 1} where none can, and for jobs without GPUs. What its work counts as, in
 * GPUs. */
struct pt_ratio pt_sim_asked(const struct pt_sim *sim, pt_job job, uint32_t pool);

/* Exact integrals over the window of rates, in units of GPU x ns or unit x ns. */
struct pt_pool_totals {
    pt_u128 there;     /* GPU x ns up */
    pt_u128 busy;      /* GPU x ns with at least one running resident */
    pt_u128 held;      /* capacity x ns held (divide by a GPU's for GPU equivalents) */
    pt_u128 energy;    /* uW x ns; 0 unless world.energy */
    pt_u128 there_run; /* GPU x ns up over the whole run, from the first submission */
    double charged;    /* GPU seconds charged to jobs over the whole run */
    uint64_t reconfigurations, reconfiguration_failures; /* changes made; attempts that failed */
    double fragmentation; /* idle GPU time that a request can't use / idle; NaN = never idle */
    uint32_t jobs_started;
};
/* pool = PT_NONE: `there` and `busy` of all; held is then 0 and fragmentation the cluster's. */
void pt_sim_pool_totals(const struct pt_sim *sim, uint32_t pool, struct pt_pool_totals *totals);
/* unit x ns that the tenant's jobs held in the pool, over the whole run. */
pt_u128 pt_sim_tenant_held(const struct pt_sim *sim, uint32_t pool, uint32_t tenant);

struct pt_sim_stats {
    uint64_t events; /* arrivals, ends, node changes, timers */
    uint64_t instants, passes, starts, refused, oom_events, faults;
    uint64_t reconfigurations, reconfiguration_failures;
    uint64_t preemptions, migrations;
    uint64_t decision_p50_ns, decision_p99_ns; /* wall time of a pass, of every 32nd; 0 unless
                                                  world.measure */
    uint64_t policy_ns; /* wall time inside the policy, estimated from every 32nd pass; 0 unless
                           world.measure */
    int64_t now_ns;
    uint32_t jobs_final, jobs_running;
    uint64_t queue_length_max;
    int64_t window_from_ns, window_to_ns; /* of the rates; equal when empty */
    pt_u128 queue_integral;               /* pending jobs x ns over the window */
};
void pt_sim_get_stats(const struct pt_sim *sim, struct pt_sim_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
