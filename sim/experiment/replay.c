#include "sim/experiment/replay.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/results/results.h"

enum { INSTANTS_A_STEP = 64 };

/* A GPU that a job holds, in the list of that job or of the free ones. */
struct held {
    uint32_t gpu, next;
};

struct verdict {
    int64_t time_ns;
    pt_job job;
    uint8_t reason;
};

struct pt_replay {
    struct pt_results_reader *result;
    struct pt_config *config;
    struct pt_messages messages;
    struct pt_recorder recorder;
    struct pt_run *run;
    bool ended, keeping; /* keeping: events and verdicts are wanted */

    struct pt_event *events; /* those not taken are [taken, count) */
    size_t taken, count, capacity;
    struct verdict *verdicts; /* the same */
    size_t verdicts_taken, verdict_count, verdict_capacity;

    uint8_t *state, *reason; /* by job */
    uint32_t *first;         /* by job: what it holds, PT_NONE = nothing */
    struct held *held;
    uint32_t held_count, held_capacity, held_free;
    uint32_t *holders; /* by GPU */
    uint32_t pending;
};

/* ---- what the run tells ---- */

/* Makes room for `more` behind those that wait, which move to the front. */
static enum pt_status make_room(void **list, size_t *taken, size_t *count, size_t *capacity,
                                size_t size, size_t more, struct pt_error *error)
{
    char *bytes = *list;
    if (*taken > 0) {
        memmove(bytes, bytes + *taken * size, (*count - *taken) * size);
        *count -= *taken;
        *taken = 0;
    }
    if (*count + more <= *capacity) return PT_OK;
    size_t wanted = 2 * (*count + more);
    void *longer = realloc(bytes, wanted * size);
    if (!longer) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    *list = longer;
    *capacity = wanted;
    return PT_OK;
}

static enum pt_status on_events(void *ctx, const struct pt_event *events, size_t count,
                                struct pt_error *error)
{
    struct pt_replay *replay = ctx;
    void *list = replay->events;
    if (!replay->keeping) return PT_OK;
    PT_TRY(make_room(&list, &replay->taken, &replay->count, &replay->capacity, sizeof *events,
                     count, error));
    replay->events = list;
    memcpy(replay->events + replay->count, events, count * sizeof *events);
    replay->count += count;
    return PT_OK;
}

static enum pt_status on_verdict(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                                 struct pt_error *error)
{
    struct pt_replay *replay = ctx;
    void *list = replay->verdicts;
    if (!replay->keeping) return PT_OK;
    PT_TRY(make_room(&list, &replay->verdicts_taken, &replay->verdict_count,
                     &replay->verdict_capacity, sizeof *replay->verdicts, 1, error));
    replay->verdicts = list;
    replay->verdicts[replay->verdict_count++] = (struct verdict){time_ns, job, (uint8_t)reason};
    return PT_OK;
}

/* ---- loading ---- */

/* The first error of the messages, else `status` in words. */
static enum pt_status first_message(const struct pt_messages *messages, enum pt_status status,
                                    struct pt_error *error)
{
    for (unsigned i = 0; i < messages->count; i++)
        if (!messages->list[i].warning) {
            *error = messages->list[i].error;
            return error->status;
        }
    return pt_fail(error, status, "%s", pt_status_text(status));
}

static enum pt_status load(struct pt_replay *replay, const char *path, struct pt_error *error)
{
    PT_TRY(pt_results_read(&replay->result, path, error));
    const char *yaml = pt_results_manifest_text(replay->result, "effective_yaml");
    const char *directory = pt_results_manifest_text(replay->result, "host/directory");
    if (!yaml || !yaml[0])
        return pt_fail_at(error, PT_ERR_INPUT, path, 0, 0, "holds no experiment to run again");
    enum pt_status status = pt_config_load_text(&replay->config, path, yaml, strlen(yaml),
                                                directory && directory[0] ? directory : NULL, NULL,
                                                0, &replay->messages);
    if (status != PT_OK) return first_message(&replay->messages, status, error);
    replay->recorder =
        (struct pt_recorder){.ctx = replay, .events = on_events, .verdict = on_verdict};
    struct pt_run_options options = {.skip_bad_rows = true, .also = &replay->recorder};
    status = pt_run_prepare(&replay->run, replay->config, &options, &replay->messages);
    return status == PT_OK ? PT_OK : first_message(&replay->messages, status, error);
}

static enum pt_status check_inputs(const struct pt_replay *replay, struct pt_error *error)
{
    const struct pt_run_facts *facts = pt_run_facts(replay->run);
    for (uint32_t i = 0; i < facts->input_count; i++) {
        const struct pt_run_input *input = &facts->inputs[i];
        const char *then = pt_results_input_digest(replay->result, input->path_as_written);
        if (then && strcmp(then, input->digest) != 0)
            return pt_fail_at(error, PT_ERR_INPUT, input->path, 0, 0,
                              "has changed since the run (%s then, %s now)", then, input->digest);
    }
    return PT_OK;
}

static enum pt_status make_world(struct pt_replay *replay, struct pt_error *error)
{
    const struct pt_run_facts *facts = pt_run_facts(replay->run);
    size_t jobs = facts->trace->job_count, gpus = facts->input->cluster->gpu_count;
    replay->state = calloc(jobs + 1, sizeof *replay->state);
    replay->reason = calloc(jobs + 1, sizeof *replay->reason);
    replay->first = malloc((jobs + 1) * sizeof *replay->first);
    replay->holders = calloc(gpus + 1, sizeof *replay->holders);
    if (!replay->state || !replay->reason || !replay->first || !replay->holders)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    memset(replay->first, 0xff, (jobs + 1) * sizeof *replay->first); /* PT_NONE */
    return PT_OK;
}

enum pt_status pt_replay_open(struct pt_replay **replay, const char *path, struct pt_error *error)
{
    struct pt_replay *r = calloc(1, sizeof *r);
    *replay = NULL;
    if (!r) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    pt_messages_init(&r->messages);
    r->keeping = true;
    r->held_free = PT_NONE;
    enum pt_status status = load(r, path, error);
    if (status == PT_OK) status = check_inputs(r, error);
    if (status == PT_OK) status = make_world(r, error);
    if (status == PT_OK)
        *replay = r;
    else
        pt_replay_close(r);
    return status;
}

void pt_replay_close(struct pt_replay *replay)
{
    if (!replay) return;
    pt_run_free(replay->run);
    pt_config_free(replay->config);
    pt_messages_fini(&replay->messages);
    pt_results_reader_free(replay->result);
    free(replay->events);
    free(replay->verdicts);
    free(replay->state);
    free(replay->reason);
    free(replay->first);
    free(replay->held);
    free(replay->holders);
    free(replay);
}

const struct pt_run_facts *pt_replay_facts(const struct pt_replay *replay)
{
    return pt_run_facts(replay->run);
}

/* ---- the world ---- */

static enum pt_status hold(struct pt_replay *replay, pt_job job, uint32_t gpu,
                           struct pt_error *error)
{
    uint32_t slot = replay->held_free;
    if (slot == PT_NONE && replay->held_count == replay->held_capacity) {
        uint32_t capacity = 2 * replay->held_capacity + 64;
        struct held *longer = realloc(replay->held, capacity * sizeof *longer);
        if (!longer) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        replay->held = longer;
        replay->held_capacity = capacity;
    }
    if (slot == PT_NONE)
        slot = replay->held_count++;
    else
        replay->held_free = replay->held[slot].next;
    replay->held[slot] = (struct held){gpu, replay->first[job]};
    replay->first[job] = slot;
    replay->holders[gpu]++;
    return PT_OK;
}

static void release(struct pt_replay *replay, pt_job job)
{
    uint32_t slot = replay->first[job];
    while (slot != PT_NONE) {
        uint32_t next = replay->held[slot].next;
        replay->holders[replay->held[slot].gpu]--;
        replay->held[slot].next = replay->held_free;
        replay->held_free = slot;
        slot = next;
    }
    replay->first[job] = PT_NONE;
}

static void enter(struct pt_replay *replay, pt_job job, enum pt_replayed_job state)
{
    replay->pending -= replay->state[job] == PT_REPLAYED_PENDING;
    replay->pending += state == PT_REPLAYED_PENDING;
    replay->state[job] = (uint8_t)state;
    if (state != PT_REPLAYED_PENDING) replay->reason[job] = PT_REASON_NONE;
}

static enum pt_status apply(struct pt_replay *replay, const struct pt_event *event,
                            struct pt_error *error)
{
    pt_job job = event->job;
    switch (event->kind) {
    case PT_EVENT_START:
    case PT_EVENT_UNIT:
        enter(replay, job, PT_REPLAYED_RUNNING);
        return event->count > 0 ? hold(replay, job, event->gpu, error) : PT_OK;
    case PT_EVENT_SUBMIT:
    case PT_EVENT_PENDING:
        enter(replay, job, PT_REPLAYED_PENDING);
        return PT_OK;
    case PT_EVENT_PAUSED:
        release(replay, job);
        enter(replay, job, PT_REPLAYED_PENDING);
        return PT_OK;
    case PT_EVENT_MIGRATE:
        release(replay, job);
        return PT_OK;
    case PT_EVENT_DONE:
    case PT_EVENT_OOM:
    case PT_EVENT_FAULT:
    case PT_EVENT_FAILED:
    case PT_EVENT_KILLED:
        release(replay, job);
        enter(replay, job, PT_REPLAYED_AWAY);
        return PT_OK;
    case PT_EVENT_WITHDRAWN:
    case PT_EVENT_UNSCHEDULABLE:
    case PT_EVENT_HELD:
        enter(replay, job, PT_REPLAYED_AWAY);
        return PT_OK;
    default:
        return PT_OK;
    }
}

enum pt_replayed_job pt_replay_job(const struct pt_replay *replay, pt_job job)
{
    return (enum pt_replayed_job)replay->state[job];
}

enum pt_reason pt_replay_reason(const struct pt_replay *replay, pt_job job)
{
    return (enum pt_reason)replay->reason[job];
}

uint32_t pt_replay_pending(const struct pt_replay *replay)
{
    return replay->pending;
}

uint32_t pt_replay_idle_gpus(const struct pt_replay *replay, uint32_t pool)
{
    const struct pt_pool *p = &pt_run_facts(replay->run)->input->cluster->pools[pool];
    uint32_t idle = 0;
    for (uint32_t g = 0; g < p->node_count * p->gpus_per_node; g++)
        idle += replay->holders[p->first_gpu + g] == 0;
    return idle;
}

/* ---- one event after the other ---- */

static enum pt_status go_on(struct pt_replay *replay, struct pt_error *error)
{
    enum pt_status status = pt_run_advance(replay->run, INSTANTS_A_STEP, &replay->ended, error);
    if (status != PT_ERR_DEADLOCK) return status;
    replay->ended = true;
    status = pt_run_keep_part(replay->run, status, error);
    return status == PT_ERR_DEADLOCK ? PT_OK : status;
}

enum pt_status pt_replay_peek(const struct pt_event **event, struct pt_replay *replay,
                              struct pt_error *error)
{
    while (replay->taken == replay->count && !replay->ended)
        PT_TRY(go_on(replay, error));
    *event = replay->taken < replay->count ? &replay->events[replay->taken] : NULL;
    return PT_OK;
}

void pt_replay_hear(struct pt_replay *replay, int64_t before_ns)
{
    while (replay->verdicts_taken < replay->verdict_count &&
           replay->verdicts[replay->verdicts_taken].time_ns < before_ns) {
        const struct verdict *verdict = &replay->verdicts[replay->verdicts_taken++];
        if (replay->state[verdict->job] == PT_REPLAYED_PENDING)
            replay->reason[verdict->job] = verdict->reason;
    }
}

enum pt_status pt_replay_take(struct pt_replay *replay, struct pt_error *error)
{
    const struct pt_event *event = &replay->events[replay->taken];
    pt_replay_hear(replay, event->time_ns);
    PT_TRY(apply(replay, event, error));
    replay->taken++;
    return PT_OK;
}

enum pt_status pt_replay_finish(const char **digest, struct pt_replay *replay,
                                struct pt_error *error)
{
    replay->keeping = false;
    while (!replay->ended)
        PT_TRY(go_on(replay, error));
    if (!pt_run_facts(replay->run)->digest) PT_TRY(pt_run_finish(replay->run, error));
    *digest = pt_run_facts(replay->run)->digest;
    return PT_OK;
}
