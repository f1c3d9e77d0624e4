#include "sim/core/engine.h"

#include <math.h>

#include <stdarg.h>

const char *pt_event_name(enum pt_event_kind kind)
{
    switch (kind) {
#define PT_EVENT_CASE(name, value, text)                                                           \
    case name:                                                                                     \
        return text;
        PT_EVENT_MAP(PT_EVENT_CASE)
#undef PT_EVENT_CASE
    default:
        return "unknown";
    }
}

void pt__break(struct pt_sim *sim, enum pt_status status, const char *format, ...)
{
    if (sim->error.status != PT_OK) return; /* the first one is the cause */
    va_list arguments;
    va_start(arguments, format);
    pt_vfail_at(&sim->error, status, NULL, 0, 0, format, arguments);
    va_end(arguments);
}

/* A receiver's failure stops the run; it may have filled the error in, or not. */
static void receiver_failed(struct pt_sim *sim, enum pt_status status, const struct pt_error *error)
{
    if (sim->error.status != PT_OK) return;
    sim->error = *error;
    if (sim->error.status == PT_OK)
        pt_fail(&sim->error, status, "a receiver of the run's results failed");
}

void pt__emit_flush(struct pt_sim *sim)
{
    struct pt_error error = {.status = PT_OK};
    const struct pt_recorder *recorder = &sim->world.recorder;
    if (sim->event_count == 0) return;
    enum pt_status status = recorder->events(recorder->ctx, sim->events, sim->event_count, &error);
    sim->event_count = 0;
    if (status != PT_OK) receiver_failed(sim, status, &error);
}

void pt__emit(struct pt_sim *sim, enum pt_event_kind kind, pt_job job, uint32_t gpu, uint32_t count,
              enum pt_reason reason)
{
    if (sim->world.recorder.events == NULL) return;
    sim->events[sim->event_count++] = (struct pt_event){.time_ns = sim->now_ns,
                                                        .job = job,
                                                        .gpu = gpu,
                                                        .count = count,
                                                        .kind = (uint16_t)kind,
                                                        .reason = (uint16_t)reason};
    if (sim->event_count == PT_EVENT_BUFFER) pt__emit_flush(sim);
}

void pt__emit_result(struct pt_sim *sim, pt_job job, int64_t end_ns, enum pt_reason reason)
{
    const struct pt_recorder *recorder = &sim->world.recorder;
    if (recorder->job == NULL) return;
    struct pt_job_result result = {.start_ns = PT_TIME_ABSENT,
                                   .end_ns = end_ns,
                                   .home_gpu = PT_NONE,
                                   .pool = PT_NONE,
                                   .cost = NAN,
                                   .state = (uint8_t)pt__state(sim, job),
                                   .reason = (uint8_t)reason};
    if (sim->live_of[job] != PT_NONE && pt__started(sim, job)) {
        const struct pt_live *live = &sim->live[sim->live_of[job]];
        result.start_ns = live->start_ns;
        result.running_ns = live->running_ns + (live->running ? sim->now_ns - live->attempt_ns : 0);
        result.home_gpu = live->home;
        result.attempts = live->attempts;
        result.preemptions = live->preemptions;
        result.pool = live->pool;
        result.gpu_s = live->charged_s;
        result.cost = pt__charge_cost(sim, sim->live_of[job]);
    }
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = recorder->job(recorder->ctx, job, &result, &error);
    if (status != PT_OK) receiver_failed(sim, status, &error);
}
