/* A slow scheduler for policies: whose turn it is and whom to stop, looked up anew at every instant
 * from semantics.md's rules. It shares no code with the engine or the policies. One pool of whole
 * GPUs on a few nodes, first_fit; any order that a function can tell, blocking or not, with
 * preemption by key or by priority. O(jobs^2 x GPUs) an instant and worse.
 */
#ifndef PT_TESTS_SLOW_POLICY_H
#define PT_TESTS_SLOW_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define SLOW_JOBS 16
#define SLOW_GPUS 16
#define SLOW_TENANTS 3
#define SLOW_NEVER INT64_MAX
#define SLOW_ABSENT INT64_MIN

enum slow_mode { SLOW_NONE, SLOW_SUSPEND, SLOW_CHECKPOINT, SLOW_KILL };

struct slow_job {
    int64_t submit_ns, work_ns;
    int64_t estimate_ns, deadline_ns, checkpoint_ns; /* SLOW_ABSENT */
    uint32_t gpus, nodes_max;                        /* UINT32_MAX = any number */
    uint32_t tenant;
    int64_t priority;
    bool preemptible;
};

struct slow_world {
    uint32_t nodes, gpus_per_node, job_count;
    struct slow_job jobs[SLOW_JOBS]; /* by submit time */
    double weight[SLOW_TENANTS];
    bool strict;
    enum slow_mode mode;
    int64_t restore_ns;
    uint64_t seed;
};

enum slow_state { SLOW_FUTURE, SLOW_PENDING, SLOW_RUNNING, SLOW_DONE, SLOW_UNSCHEDULABLE };

/* A job while the world runs. */
struct slow_live {
    enum slow_state state;
    int64_t left_ns, served_ns; /* when it last changed its state */
    int64_t since_ns;           /* when it started to run */
    int64_t delay_ns;           /* before the first work of this attempt */
    int64_t start_ns, end_ns;
    uint32_t preemptions;
    uint32_t gpus[SLOW_GPUS];
};

struct slow_run {
    const struct slow_world *world;
    int64_t now_ns;
    struct slow_live jobs[SLOW_JOBS];
    uint32_t holder[SLOW_GPUS]; /* job + 1, 0 = free */
};

/* What a policy is to the slow scheduler. */
struct slow_policy {
    const char *name;
    /* Whether a goes before b; both wait, or one waits and one runs. Ties go by index. */
    bool (*before)(const struct slow_run *run, uint32_t a, uint32_t b);
    /* Whether `job`, which waits, may stop `other`, which runs; NULL = by `before`, strictly. */
    bool (*may_stop)(const struct slow_run *run, uint32_t job, uint32_t other);
    /* The next instant after now at which the order may change by itself; NULL = none. */
    int64_t (*next)(const struct slow_run *run);
    bool least_disruption; /* whom to stop: a minimal set; else the last in the order first */
    bool heads_only;       /* a tenant whose first job does not fit sits out */
    const char *params;    /* under which it is as here, besides `blocking`; NULL = the defaults */
    bool stops_nobody;     /* here; the product's way of stopping others is not told */
};

/* Work left and time served now. */
int64_t slow_left_ns(const struct slow_run *run, uint32_t job);
int64_t slow_served_ns(const struct slow_run *run, uint32_t job);
/* Runs the world to its end. */
void slow_run(struct slow_run *run, const struct slow_world *world,
              const struct slow_policy *policy);

/* The policies that it knows, by the product's names; NULL-named row at the end. */
extern const struct slow_policy slow_policies[];

#endif
