/* Numbers of the simulated world: time, work, speed, and the indices that name things.
 *
 * Time is a signed count of nanoseconds since the experiment's origin (292 years). Work is an
 * unsigned 128-bit count of 2^-60 ns at full reference speed; speed is an unsigned 64-bit multiple
 * of 2^-60, so that work done in dt ns is exactly speed * dt (semantics.md, section 1).
 */
#ifndef PARTITA_TYPES_H
#define PARTITA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 pt_u128;

#define PT_NS_PER_S INT64_C(1000000000)
/* No time at all: "never", "unlimited", "not set" (each use says which). */
#define PT_NEVER INT64_MAX
/* The absent value of an optional time column. */
#define PT_TIME_ABSENT INT64_MIN
/* The longest time a user may write: what is beyond is an input error (292 years). */
#define PT_TIME_MAX (INT64_MAX - 1)

/* Full speed: alone, on what was asked for, on the reference GPU. */
#define PT_SPEED_ONE (UINT64_C(1) << 60)
/* Fractions of a GPU are exact millionths. */
#define PT_PPM_ONE UINT32_C(1000000)

/* "No such index" for every 32-bit index below, and "absent" for optional 32-bit columns. */
#define PT_NONE UINT32_MAX

/* A job is named by its place in the trace (sorted by submit time, stable), a GPU and a node by
 * their place in the cluster (pools in file order, then nodes, then GPUs), a pool by its place in
 * the file. */
typedef uint32_t pt_job;

/* More pools than this are refused by the loader: sets of pools are one 64-bit word. */
#define PT_POOLS_MAX 64
#define PT_POOL_BIT(pool) (UINT64_C(1) << (pool))

/* States of semantics.md, section 3. The values are part of the result file. */
#define PT_JOB_STATE_MAP(X)                                                                        \
    X(PT_STATE_FUTURE, 0, "pending") /* not submitted yet; reported as pending */                  \
    X(PT_STATE_HELD, 1, "pending")   /* waits for `after`, or backs off; blocks nobody */          \
    X(PT_STATE_PENDING, 2, "pending")                                                              \
    X(PT_STATE_RUNNING, 3, "running")                                                              \
    X(PT_STATE_DONE, 4, "done")                                                                    \
    X(PT_STATE_FAILED, 5, "failed")                                                                \
    X(PT_STATE_KILLED, 6, "killed")                                                                \
    X(PT_STATE_WITHDRAWN, 7, "withdrawn")                                                          \
    X(PT_STATE_UNSCHEDULABLE, 8, "unschedulable")                                                  \
    X(PT_STATE_RESERVED, 9, "pending") /* its MIG instances are being made, or its units' holders  \
                                          are being saved */                                       \
    X(PT_STATE_PAUSED, 10, "running")  /* preempted, in the queue */

enum pt_job_state {
#define PT_STATE_ENUM(name, value, text) name = (value),
    PT_JOB_STATE_MAP(PT_STATE_ENUM)
#undef PT_STATE_ENUM
        PT_STATE_COUNT
};

/* The word that users see for a state ("done", "pending", ...). Never NULL. */
const char *pt_job_state_name(enum pt_job_state state);
/* True for the states that nothing leaves. */
bool pt_job_state_is_final(enum pt_job_state state);

/* Why a job is where it is: the `reason` column. */
#define PT_REASON_MAP(X)                                                                           \
    X(PT_REASON_NONE, 0, "")                                                                       \
    X(PT_REASON_NO_POOL, 1, "no pool matches its pool, GPU type or sharing mode")                  \
    X(PT_REASON_TOO_MANY_GPUS, 2, "more GPUs than the largest pool has")                           \
    X(PT_REASON_NODE_TOO_SMALL, 3, "more GPUs than so many nodes hold")                            \
    X(PT_REASON_GPU_MEMORY, 4, "more GPU memory than its GPU or part of one has")                  \
    X(PT_REASON_HOST, 5, "more CPUs or host memory than the nodes have")                           \
    X(PT_REASON_PREDECESSOR, 6, "a job it comes after did not end well")                           \
    X(PT_REASON_OOM, 7, "out of GPU memory at its start")                                          \
    X(PT_REASON_FAULT, 8, "its node failed")                                                       \
    X(PT_REASON_GAVE_UP, 9, "never started within queue.give_up")                                  \
    X(PT_REASON_HORIZON, 10, "the world ended first")                                              \
    X(PT_REASON_BACKOFF, 11, "waits before another attempt")                                       \
    X(PT_REASON_AFTER, 12, "waits for the jobs it comes after")                                    \
    X(PT_REASON_INTERRUPTED, 13, "the run was interrupted")                                        \
    X(PT_REASON_NODES_LOST, 14, "the nodes it needs never come back")                              \
    X(PT_REASON_DEADLOCK, 15, "nothing can ever start it")                                         \
    X(PT_REASON_MIG_PROFILE, 16, "no pool offers a MIG instance that it may use")                  \
    X(PT_REASON_CLIENTS, 17, "more processes than a GPU takes clients")                            \
    X(PT_REASON_MORE_THAN_ONE, 18, "asks for more than one shared unit, which the pool refuses")   \
    X(PT_REASON_RECONFIGURING, 19, "waits for its MIG instances")                                  \
    X(PT_REASON_MIG_FAILED, 20, "GPUs it needs failed to be reconfigured")                         \
    X(PT_REASON_GPU_FAULT, 21, "a GPU failed under it")                                            \
    X(PT_REASON_LIMIT, 22, "its tenant is at its limit")                                           \
    X(PT_REASON_QUOTA, 23, "its tenant is at its quota")                                           \
    X(PT_REASON_NO_GPU, 24, "too few free GPUs or shares of them")                                 \
    X(PT_REASON_GANG, 25, "enough free GPUs, but not where it could use them together")            \
    X(PT_REASON_MIG_START, 26, "no legal start for its MIG instance")                              \
    X(PT_REASON_MEMORY_BUSY, 27, "too little free GPU memory")                                     \
    X(PT_REASON_HOST_BUSY, 28, "too few free CPUs or too little free host memory")                 \
    X(PT_REASON_RESERVATION, 29, "would delay a job that has a reservation")                       \
    X(PT_REASON_PRIORITY, 30, "waits behind a job whose turn it is")                               \
    X(PT_REASON_OVERRAN, 31, "ran past its estimate")                                              \
    X(PT_REASON_DECLINED, 32, "could not end by its deadline")                                     \
    X(PT_REASON_SAVING, 33, "waits until those it replaces are saved")                             \
    X(PT_REASON_PREEMPTED, 34, "was stopped for another job")

enum pt_reason {
#define PT_REASON_ENUM(name, value, text) name = (value),
    PT_REASON_MAP(PT_REASON_ENUM)
#undef PT_REASON_ENUM
        PT_REASON_COUNT
};
const char *pt_reason_text(enum pt_reason reason);

#ifdef __cplusplus
}
#endif
#endif
