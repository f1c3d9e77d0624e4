#include "sim/experiment/receivers.h"

#include <time.h>

#include "analysis/stats/outcomes.h"

double pt__wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum pt_status write_events(struct pt__receivers *all, const struct pt_event *events,
                                   size_t count, struct pt_error *error)
{
    if (!all->writer && !all->lines) return PT_OK;
    double began = pt__wall_s();
    enum pt_status status = PT_OK;
    if (all->writer) status = pt_results_on_events(all->writer, events, count, error);
    if (status == PT_OK && all->lines)
        status = pt_event_lines_write(all->lines, events, count, error);
    all->write_s += pt__wall_s() - began;
    return status;
}

static enum pt_status on_events(void *ctx, const struct pt_event *events, size_t count,
                                struct pt_error *error)
{
    struct pt__receivers *all = ctx;
    if (all->digest) PT_TRY(pt_digest_on_events(all->digest, events, count, error));
    PT_TRY(write_events(all, events, count, error));
    if (all->also && all->also->events)
        return all->also->events(all->also->ctx, events, count, error);
    return PT_OK;
}

static enum pt_status on_job(void *ctx, pt_job job, const struct pt_job_result *result,
                             struct pt_error *error)
{
    struct pt__receivers *all = ctx;
    if (all->outcomes) PT_TRY(pt_outcomes_record(all->outcomes, job, result, error));
    if (all->also && all->also->job) return all->also->job(all->also->ctx, job, result, error);
    return PT_OK;
}

static enum pt_status on_verdict(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                                 struct pt_error *error)
{
    struct pt__receivers *all = ctx;
    if (all->writer && all->verdicts) {
        double began = pt__wall_s();
        enum pt_status status = pt_results_on_verdict(all->writer, time_ns, job, reason, error);
        all->write_s += pt__wall_s() - began;
        if (status != PT_OK) return status;
    }
    if (all->also && all->also->verdict)
        return all->also->verdict(all->also->ctx, time_ns, job, reason, error);
    return PT_OK;
}

static enum pt_status on_series(void *ctx, const struct pt_series_row *row, struct pt_error *error)
{
    struct pt__receivers *all = ctx;
    if (all->writer) {
        double began = pt__wall_s();
        enum pt_status status = pt_results_on_series(all->writer, row, error);
        all->write_s += pt__wall_s() - began;
        if (status != PT_OK) return status;
    }
    if (all->also && all->also->series) return all->also->series(all->also->ctx, row, error);
    return PT_OK;
}

void pt__receivers_recorder(struct pt_recorder *recorder, struct pt__receivers *receivers)
{
    const struct pt_recorder *also = receivers->also;
    bool file = receivers->writer != NULL;
    *recorder = (struct pt_recorder){.ctx = receivers};
    if (receivers->digest || file || receivers->lines || (also && also->events))
        recorder->events = on_events;
    if (receivers->outcomes || (also && also->job)) recorder->job = on_job;
    if ((file && receivers->verdicts) || (also && also->verdict)) recorder->verdict = on_verdict;
    if (file || (also && also->series)) recorder->series = on_series;
}
