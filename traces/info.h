/* Figures of a trace, as plain data: what `partita trace info` and `check` print.
 *
 * Quantiles are linear (type 7). Whatever has nothing under it is NaN.
 */
#ifndef PT_TRACES_INFO_H
#define PT_TRACES_INFO_H

#include "partita/trace.h"

struct pt_info_distribution {
    double mean, cv; /* cv = standard deviation (n - 1) / mean */
    double p10, p50, p90, p99, max;
};

/* Jobs that ask for so many GPUs. */
struct pt_info_gpus {
    uint32_t gpus, jobs;
    double gpu_time_s; /* work x gpus */
};

struct pt_info_tenant {
    const char *name; /* borrowed from the trace */
    uint32_t jobs;
    double gpu_time_s;
};

struct pt_trace_info {
    uint32_t jobs, gpu_jobs;          /* gpu_jobs ask for at least one GPU */
    int64_t first_ns, last_ns;        /* submissions; PT_TIME_ABSENT without jobs */
    struct pt_info_distribution gap;  /* between submissions, s */
    struct pt_info_distribution work; /* s */
    double same_instant_frac;         /* share of gaps that are 0 */
    double gpu_time_s;                /* sum of work x gpus */
    double mean_gpus_busy;            /* gpu_time / (last - first): what it takes to keep up */
    uint32_t gpu_count;
    struct pt_info_gpus *gpus; /* by GPUs asked for, ascending */
    uint32_t tenant_count;
    struct pt_info_tenant *tenants; /* most jobs first, then by name; those with jobs alone */
    bool present[PT_COLUMN_COUNT_]; /* columns that some job has other than at the default */
    uint32_t dependent_jobs;        /* jobs with `after` */
    bool was_sorted;
};

/* Figures of a finished trace. `info` is freed by pt_trace_info_free. O(n log n). */
PT_USE_RESULT enum pt_status pt_trace_info(struct pt_trace_info **info,
                                           const struct pt_trace *trace, struct pt_error *error);
/* NULL is allowed. */
void pt_trace_info_free(struct pt_trace_info *info);

#endif
