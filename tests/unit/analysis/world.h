/* A small world for the tests of analysis/: a trace, a cluster, outcomes, and an engine that says
 * what the test tells it to (struct pt_sim of world.c stands in for the real one). */
#ifndef TEST_ANALYSIS_WORLD_H
#define TEST_ANALYSIS_WORLD_H

#include "analysis/stats/summary.h"

#define S PT_NS_PER_S
#define WORLD_JOBS 8
#define WORLD_POOLS 2

struct pt_sim {
    struct pt_pool_totals all, pools[WORLD_POOLS];
    pt_u128 tenant_held[WORLD_POOLS][4];
    struct pt_sim_stats stats;
    enum pt_reason never_fits[WORLD_JOBS];
    bool half_asked; /* every job asked for half of each of its GPUs */
};

struct world {
    struct pt_gpu_model gpu;
    struct pt_pool pools[WORLD_POOLS];
    struct pt_node nodes[3];
    struct pt_cluster cluster;
    struct pt_trace trace;
    struct pt_outcomes *outcomes;
    struct pt_sim sim;
    struct pt_summary_input input;
    int64_t submit_ns[WORLD_JOBS], work_ns[WORLD_JOBS], deadline_ns[WORLD_JOBS];
    uint32_t gpus[WORLD_JOBS];
    uint32_t tenant[WORLD_JOBS], kind[WORLD_JOBS], sla[WORLD_JOBS], user[WORLD_JOBS];
};

/* An empty world of two pools: `main`, one node of 2 GPUs, and `slice`, two nodes of 1 GPU with two
 * replicas. No jobs, one tenant `default`, no tiers. */
void world_init(struct world *w);
void world_fini(struct world *w);
/* Adds a job. Call before the outcomes exist. */
pt_job world_add(struct world *w, double submit_s, double work_s, uint32_t gpus);
/* Makes the outcomes, all future. */
void world_ready(struct world *w);
/* The job ran from start to end on `gpu`. */
void world_ran(struct world *w, pt_job job, enum pt_job_state state, double start_s, double end_s,
               double running_s, uint32_t gpu);
/* A word of a column, given to a job. */
void world_word(struct world *w, enum pt_column_id column, pt_job job, const char *word);
/* An SLA tier without bounds. */
struct pt_sla_bounds world_tier(const char *name);

#endif
