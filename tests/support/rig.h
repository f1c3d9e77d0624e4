/* A test's own world: a cluster and a trace put together by hand, run by the engine in memory.
 *
 * Nothing here goes through YAML or files, so that a test of the engine tests the engine. What
 * can't fail in a sound test (memory, a bad name) ends the process with a message.
 */
#ifndef PT_TESTS_RIG_H
#define PT_TESTS_RIG_H

#include "partita/cluster.h"
#include "partita/policy.h"
#include "partita/sim.h"
#include "partita/trace.h"

#define RIG_POOLS_MAX PT_POOLS_MAX
#define RIG_VALUES_MAX 48
#define RIG_DOWN_NODES 32
#define RIG_DOWN_MAX 2
#define RIG_FAULTS_MAX 4

struct rig {
    struct pt_world world; /* set what a test needs; rig_init fills in the rest */
    struct pt_cluster cluster;
    struct pt_pool pools[RIG_POOLS_MAX];
    struct pt_value unit_values[RIG_POOLS_MAX][RIG_VALUES_MAX];
    struct pt_value policy_values[RIG_VALUES_MAX], placement_values[RIG_VALUES_MAX];
    char names[RIG_POOLS_MAX][16];
    struct pt_node *nodes;
    struct pt_down_window down[RIG_DOWN_NODES][RIG_DOWN_MAX]; /* for a test to use */
    struct pt_fault faults[RIG_FAULTS_MAX];                   /* likewise */
    int64_t cold_ns;                                          /* likewise */
    struct pt_trace trace;

    struct pt_job_result *results; /* by job; state PT_STATE_COUNT = none came */
    uint32_t result_count;
    uint64_t event_count;
    char digest[33]; /* XXH3-128 of all events, in hex */
    void *hash;
    bool trace_finished;
    struct pt_sim *sim; /* after rig_start */
    struct pt_error error;
};

/* Fifo, strict, first_fit, no retries of OOM, no horizon, everything checked unless NDEBUG. */
void rig_init(struct rig *rig);
void rig_fini(struct rig *rig);

/* Adds a pool. `mode` is a sharing mode, `params` its parameters as "replicas=4 distinct=false";
 * cpus and memory: PT_NONE = no limit; rate 0 = against the first pool's GPU. Pools are named p0,
 * p1, ... Before any node is touched. */
struct pt_pool *rig_add_pool(struct rig *rig, const struct pt_gpu_model *gpu, uint32_t nodes,
                             uint32_t gpus_per_node, const char *mode, const char *params);
/* An order and a placement by name, and the order's parameters as text. The way to stop jobs is the
 * order's own unless world.preemption.mode says one. */
void rig_set_policy(struct rig *rig, const char *name, const char *params, const char *placement);

/* Adds a job and returns its row; times in ns. */
pt_job rig_add_job(struct rig *rig, int64_t submit_ns, int64_t work_ns, uint32_t gpus);
/* Any other cell of the last row, from text. */
void rig_set_cell(struct rig *rig, pt_job row, enum pt_column_id column, const char *text);

/* Finishes the trace, creates the engine. */
void rig_start(struct rig *rig);
/* rig_start unless that was done, then to the end of the world; the status of the run. */
enum pt_status rig_run(struct rig *rig);
/* Advances; true once the world has ended. Anything but PT_OK ends the process. */
bool rig_advance(struct rig *rig, uint64_t instants);
/* Forgets the run but keeps cluster and trace, for another. */
void rig_reset(struct rig *rig);

/* Parses "a=1 b=true" into values in table order, with the table's defaults for the rest. */
void rig_parse_values(struct pt_value *values, const struct pt_param *params, const char *text);

/* Prints to stderr and ends the process with 1. */
_Noreturn void rig_die(const char *format, ...) PT_PRINTF(1, 2);

/* A few GPUs with the figures of the catalogue, and one that has no MIG. */
extern const struct pt_gpu_model rig_h100, rig_a100_80, rig_a100_40, rig_a30, rig_l40s;

#endif
