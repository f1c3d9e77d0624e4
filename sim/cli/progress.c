#include "sim/cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/cli/format.h"

void pt__progress_init(struct pt__progress *progress, bool on)
{
    *progress = (struct pt__progress){.on = on, .redraw = on && isatty(STDERR_FILENO)};
}

void pt__progress_show(struct pt__progress *progress, const struct pt_run_progress *state)
{
    bool last = state->jobs_final == state->job_count;
    if (!progress->on) return;
    if (!progress->redraw && !last && state->wall_s - progress->last_s < 1) return;
    char jobs[PT__TEXT_MAX], all[PT__TEXT_MAX], time[PT__TEXT_MAX], rate[PT__TEXT_MAX];
    char left[PT__TEXT_MAX];
    double share = state->job_count ? (double)state->jobs_final / state->job_count : 1;
    double eta_s = share > 0 ? state->wall_s * (1 - share) / share : NAN;
    double rate_s = state->wall_s > 0 ? (double)state->events / state->wall_s : 0;
    fprintf(stderr, "%s%3.0f %%  %s of %s jobs, simulated %s, %s events/s, %s left%s",
            progress->redraw ? "\r" : "", 100 * share, pt__format_count(jobs, state->jobs_final),
            pt__format_count(all, state->job_count),
            pt__format_duration(time, pt_seconds(state->now_ns)),
            pt__format_count(rate, (uint64_t)rate_s), pt__format_duration(left, eta_s),
            progress->redraw ? "\033[K" : "\n");
    progress->last_s = state->wall_s;
    progress->drawn = progress->redraw;
}

void pt__progress_show_all(struct pt__progress *progress, const struct pt_replicate_progress *state)
{
    bool last = state->runs_ended == state->run_count;
    if (!progress->on) return;
    if (!progress->redraw && !last && state->wall_s - progress->last_s < 1) return;
    char jobs[PT__TEXT_MAX], all[PT__TEXT_MAX], rate[PT__TEXT_MAX], left[PT__TEXT_MAX];
    double share = state->job_count ? (double)state->jobs_final / (double)state->job_count : last;
    double eta_s = share > 0 ? state->wall_s * (1 - share) / share : NAN;
    double rate_s = state->wall_s > 0 ? (double)state->events / state->wall_s : 0;
    fprintf(stderr, "%s%3.0f %%  %zu of %zu runs, %s of %s jobs, %s events/s, %s left%s",
            progress->redraw ? "\r" : "", 100 * share, state->runs_ended, state->run_count,
            pt__format_count(jobs, state->jobs_final), pt__format_count(all, state->job_count),
            pt__format_count(rate, (uint64_t)rate_s), pt__format_duration(left, eta_s),
            progress->redraw ? "\033[K" : "\n");
    progress->last_s = state->wall_s;
    progress->drawn = progress->redraw;
}

void pt__progress_clear(struct pt__progress *progress)
{
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}
