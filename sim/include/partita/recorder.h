/* What a run tells the world: batches of events, finished jobs, time series.
 *
 * The engine keeps a small fixed buffer of events and hands it over when it is full and at the end,
 * so that nothing is allocated or written per event. Digest, event table, JSON lines and outcomes
 * are all built by receivers. A receiver's error stops the run with that status.
 */
#ifndef PARTITA_RECORDER_H
#define PARTITA_RECORDER_H

#include "partita/status.h"
#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values and words are part of the result file. */
#define PT_EVENT_MAP(X)                                                                            \
    X(PT_EVENT_SUBMIT, 1, "submit") /* the job arrives */                                          \
    X(PT_EVENT_START, 2, "start")   /* gpu = home, count = units held */                           \
    X(PT_EVENT_UNIT, 3, "unit")     /* a further GPU of the job just started */                    \
    X(PT_EVENT_DONE, 4, "done")     /* gpu = home */                                               \
    X(PT_EVENT_OOM, 5, "oom")       /* attempt failed at its start */                              \
    X(PT_EVENT_FAULT, 6, "fault")   /* attempt ended by a failing node */                          \
    X(PT_EVENT_FAILED, 7, "failed") /* no attempts left */                                         \
    X(PT_EVENT_WITHDRAWN, 8, "withdrawn")                                                          \
    X(PT_EVENT_UNSCHEDULABLE, 9, "unschedulable")                                                  \
    X(PT_EVENT_HELD, 10, "held")                                                                   \
    X(PT_EVENT_PENDING, 11, "pending")     /* back in the queue */                                 \
    X(PT_EVENT_NODE_DOWN, 12, "node_down") /* gpu = the node's first, job = PT_NONE */             \
    X(PT_EVENT_NODE_UP, 13, "node_up")                                                             \
    X(PT_EVENT_HORIZON, 14, "horizon")                                                             \
    X(PT_EVENT_RESERVED, 15, "reserved") /* waits for MIG instances; gpu = home, count = units */  \
    X(PT_EVENT_RECONFIGURE, 16, "reconfigure") /* gpu's instances change; count = attempts */      \
    X(PT_EVENT_RECONFIGURED, 17, "reconfigured")                                                   \
    X(PT_EVENT_MIG_FAILED, 18, "mig_failed") /* gpu is out of service */                           \
    X(PT_EVENT_READY, 19, "ready")           /* cold start or restore is over: work begins */      \
    X(PT_EVENT_GPU_FAULT, 20, "gpu_fault")   /* job = PT_NONE */                                   \
    X(PT_EVENT_PREEMPT, 21,                                                                        \
      "preempt")                     /* its work stops; gpu = home, count = preemptions so far */  \
    X(PT_EVENT_PAUSED, 22, "paused") /* and it is saved: its units are free, it is pending */      \
    X(PT_EVENT_MIGRATE, 23, "migrate") /* it leaves its units; a start elsewhere follows */        \
    X(PT_EVENT_KILLED, 24, "killed")

enum pt_event_kind {
#define PT_EVENT_ENUM(name, value, text) name = (value),
    PT_EVENT_MAP(PT_EVENT_ENUM)
#undef PT_EVENT_ENUM
        PT_EVENT_KIND_COUNT
};
const char *pt_event_name(enum pt_event_kind kind);

/* 24 bytes, no padding: the digest is taken over these bytes (little-endian hosts). */
struct pt_event {
    int64_t time_ns;
    uint32_t job, gpu;
    uint32_t count;
    uint16_t kind, reason;
};

/* What became of a job; sent once, when its state is final, or at the end of the world. Times are
 * PT_TIME_ABSENT where nothing happened. */
struct pt_job_result {
    int64_t start_ns; /* first start */
    int64_t end_ns;   /* final states that ran or gave up alone; absent while running */
    int64_t running_ns;
    uint32_t home_gpu; /* of the last attempt; PT_NONE */
    uint8_t state, reason;
    uint16_t attempts; /* saturates */
    uint16_t preemptions;
    uint32_t pool; /* of the last attempt; PT_NONE */
    double gpu_s;  /* GPU seconds charged, all attempts, by share held (semantics.md, 7) */
    double cost; /* the same at the price of each attempt's pool; NaN = it never ran, or no price */
};

/* One interval of the series, closed: time-weighted means. Intervals equal to the one before are
 * not sent. Arrays have pool_count entries; the cluster's own value comes first (index 0), pool p
 * at index p + 1. Borrowed for the call. */
struct pt_series_row {
    int64_t time_ns;     /* start of the interval */
    double queue_length; /* pending jobs */
    const double *utilization, *allocation, *fragmentation;
};

struct pt_recorder {
    void *ctx;
    /* Each may be NULL: not wanted, and then not computed. */
    enum pt_status (*events)(void *ctx, const struct pt_event *events, size_t count,
                             struct pt_error *error);
    enum pt_status (*job)(void *ctx, pt_job job, const struct pt_job_result *result,
                          struct pt_error *error);
    /* Why a pending job does not start, from now on; only when it has changed. */
    enum pt_status (*verdict)(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                              struct pt_error *error);
    enum pt_status (*series)(void *ctx, const struct pt_series_row *row, struct pt_error *error);
};

#ifdef __cplusplus
}
#endif
#endif
