#include "traces/info.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum pt_status out_of_memory(struct pt_error *error)
{
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for the trace's figures");
}

/* Sorts `values`. */
static struct pt_info_distribution describe(double *values, size_t count)
{
    struct pt_info_distribution d = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0) return d;
    d.mean = gsl_stats_mean(values, 1, count);
    if (count > 1) d.cv = gsl_stats_sd_m(values, 1, count, d.mean) / d.mean;
    gsl_sort(values, 1, count);
    d.p10 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.10);
    d.p50 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.50);
    d.p90 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.90);
    d.p99 = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.99);
    d.max = values[count - 1];
    return d;
}

static enum pt_status describe_times(struct pt_trace_info *info, const struct pt_trace *trace,
                                     struct pt_error *error)
{
    uint32_t count = trace->job_count;
    const int64_t *submit_ns = pt_trace_submit_ns(trace), *work_ns = pt_trace_work_ns(trace);
    double *values = malloc((count + 1) * sizeof *values);
    if (values == NULL) return out_of_memory(error);
    uint32_t zeros = 0;
    for (uint32_t i = 1; i < count; i++) {
        values[i - 1] = pt_seconds(submit_ns[i] - submit_ns[i - 1]);
        zeros += submit_ns[i] == submit_ns[i - 1];
    }
    info->gap = describe(values, count > 0 ? count - 1 : 0);
    info->same_instant_frac = count > 1 ? (double)zeros / (count - 1) : NAN;
    for (uint32_t i = 0; i < count; i++)
        values[i] = pt_seconds(work_ns[i]);
    info->work = describe(values, count);
    free(values);
    info->first_ns = count > 0 ? submit_ns[0] : PT_TIME_ABSENT;
    info->last_ns = count > 0 ? submit_ns[count - 1] : PT_TIME_ABSENT;
    return PT_OK;
}

static double gpu_time(const struct pt_trace *trace, pt_job job)
{
    return pt_seconds(pt_trace_work_ns(trace)[job]) * pt_trace_u32(trace, PT_COL_GPUS, job);
}

static int by_gpus(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Distinct values of a list that is sorted in place. */
static uint32_t distinct(uint32_t *values, uint32_t count)
{
    uint32_t kept = 0;
    qsort(values, count, sizeof *values, by_gpus);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
    return kept;
}

static enum pt_status count_gpus(struct pt_trace_info *info, const struct pt_trace *trace,
                                 struct pt_error *error)
{
    uint32_t count = trace->job_count;
    uint32_t *values = malloc(((size_t)count + 1) * sizeof *values);
    if (values == NULL) return out_of_memory(error);
    for (pt_job job = 0; job < count; job++)
        values[job] = pt_trace_u32(trace, PT_COL_GPUS, job);
    info->gpu_count = distinct(values, count);
    info->gpus = calloc((size_t)info->gpu_count + 1, sizeof *info->gpus);
    if (info->gpus == NULL) {
        free(values);
        return out_of_memory(error);
    }
    for (uint32_t i = 0; i < info->gpu_count; i++)
        info->gpus[i].gpus = values[i];
    for (pt_job job = 0; job < count; job++) {
        uint32_t gpus = pt_trace_u32(trace, PT_COL_GPUS, job);
        uint32_t *at = bsearch(&gpus, values, info->gpu_count, sizeof *values, by_gpus);
        struct pt_info_gpus *entry = &info->gpus[at - values];
        entry->jobs++;
        entry->gpu_time_s += gpu_time(trace, job);
        info->gpu_jobs += gpus > 0;
    }
    free(values);
    for (uint32_t i = 0; i < info->gpu_count; i++)
        info->gpu_time_s += info->gpus[i].gpu_time_s;
    return PT_OK;
}

static int by_jobs(const void *a, const void *b)
{
    const struct pt_info_tenant *x = a, *y = b;
    if (x->jobs != y->jobs) return x->jobs < y->jobs ? 1 : -1;
    return strcmp(x->name, y->name);
}

static enum pt_status count_tenants(struct pt_trace_info *info, const struct pt_trace *trace,
                                    struct pt_error *error)
{
    const struct pt_words *words = &trace->words[PT_COL_TENANT];
    uint32_t count = words->count + 1; /* the last one is the default */
    info->tenants = calloc(count, sizeof *info->tenants);
    if (info->tenants == NULL) return out_of_memory(error);
    for (uint32_t i = 0; i < words->count; i++)
        info->tenants[i].name = words->words[i];
    info->tenants[words->count].name = pt_columns[PT_COL_TENANT].fallback;
    for (pt_job job = 0; job < trace->job_count; job++) {
        uint32_t word = pt_trace_u32(trace, PT_COL_TENANT, job);
        struct pt_info_tenant *tenant = &info->tenants[word == PT_NONE ? words->count : word];
        tenant->jobs++;
        tenant->gpu_time_s += gpu_time(trace, job);
    }
    qsort(info->tenants, count, sizeof *info->tenants, by_jobs);
    while (count > 0 && info->tenants[count - 1].jobs == 0)
        count--;
    info->tenant_count = count;
    return PT_OK;
}

static enum pt_status fill(struct pt_trace_info *info, const struct pt_trace *trace,
                           struct pt_error *error)
{
    info->jobs = trace->job_count;
    info->was_sorted = trace->was_sorted;
    PT_TRY(describe_times(info, trace, error));
    PT_TRY(count_gpus(info, trace, error));
    PT_TRY(count_tenants(info, trace, error));
    info->mean_gpus_busy = NAN;
    if (info->jobs > 0 && info->last_ns > info->first_ns)
        info->mean_gpus_busy = info->gpu_time_s / pt_seconds(info->last_ns - info->first_ns);
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        info->present[c] = trace->column[c] != NULL;
    if (trace->predecessor_count != NULL)
        for (pt_job job = 0; job < trace->job_count; job++)
            info->dependent_jobs += trace->predecessor_count[job] > 0;
    return PT_OK;
}

enum pt_status pt_trace_info(struct pt_trace_info **info, const struct pt_trace *trace,
                             struct pt_error *error)
{
    *info = calloc(1, sizeof **info);
    if (*info == NULL) return out_of_memory(error);
    enum pt_status status = fill(*info, trace, error);
    if (status == PT_OK) return PT_OK;
    pt_trace_info_free(*info);
    *info = NULL;
    return status;
}

void pt_trace_info_free(struct pt_trace_info *info)
{
    if (info == NULL) return;
    free(info->gpus);
    free(info->tenants);
    free(info);
}
