#include "analysis/results/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E_TIME_NS, E_TIME_S, E_KIND, E_JOB, E_GPU, E_COUNT, E_REASON, E_COLUMNS };
enum { I_JOB, I_GPU, I_START_NS, I_END_NS, I_START_S, I_END_S, I_COLUMNS };

/* A unit that a job holds: a list per job, in the order in which it took them. */
struct held {
    int64_t start_ns;
    uint32_t gpu, next; /* PT_NONE = last */
};

struct list {
    uint32_t first, last; /* PT_NONE = holds nothing */
};

struct pt__events {
    struct pt__column event_columns[E_COLUMNS], interval_columns[I_COLUMNS];
    struct pt__table *events, *intervals;
    struct list *lists; /* by job */
    uint32_t list_count;
    struct held *held;
    uint32_t held_count, held_capacity, held_free; /* free ones are chained */
    int64_t now_ns;
};

static const struct pt__column event_columns[E_COLUMNS] = {
    [E_TIME_NS] = {"time_ns", "ns", PT__I64, 0, 0}, [E_TIME_S] = {"time_s", "s", PT__NUMBER, 0, 0},
    [E_KIND] = {"kind", "", PT__TEXT, 1, 0},        [E_JOB] = {"job", "", PT__I32, 0, 0},
    [E_GPU] = {"gpu", "", PT__I32, 0, 0},           [E_COUNT] = {"count", "", PT__I32, 0, 0},
    [E_REASON] = {"reason", "", PT__I8, 0, 0}};

static const struct pt__column interval_columns[I_COLUMNS] = {
    [I_JOB] = {"job", "", PT__I32, 0, 0},
    [I_GPU] = {"gpu", "", PT__I32, 0, 0},
    [I_START_NS] = {"start_ns", "ns", PT__I64, 0, 0},
    [I_END_NS] = {"end_ns", "ns", PT__I64, 0, 0},
    [I_START_S] = {"start_s", "s", PT__NUMBER, 0, 0},
    [I_END_S] = {"end_s", "s", PT__NUMBER, 0, 0}};

static uint32_t longest_kind(void)
{
    size_t longest = 1;
    for (int kind = 1; kind < PT_EVENT_KIND_COUNT; kind++) {
        size_t length = strlen(pt_event_name((enum pt_event_kind)kind));
        if (length > longest) longest = length;
    }
    return (uint32_t)longest;
}

enum pt_status pt__events_create(struct pt__events **events, hid_t file, int compression,
                                 struct pt_error *error)
{
    struct pt__events *e = calloc(1, sizeof(*e));
    if (e == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for the event table");
    memcpy(e->event_columns, event_columns, sizeof(event_columns));
    memcpy(e->interval_columns, interval_columns, sizeof(interval_columns));
    e->event_columns[E_KIND].width = longest_kind();
    e->held_free = PT_NONE;
    struct pt__table_spec spec = {
        .name = "events",
        .title = "what happened, in order; job is the row of /jobs, gpu the row of /gpus",
        .columns = e->event_columns,
        .column_count = E_COLUMNS,
        .compression = compression};
    enum pt_status status = pt__table_create(&e->events, file, &spec, error);
    spec.name = "intervals";
    spec.title = "which job held which GPU; one still held at the end of the world ends there";
    spec.columns = e->interval_columns;
    spec.column_count = I_COLUMNS;
    if (status == PT_OK) status = pt__table_create(&e->intervals, file, &spec, error);
    if (status != PT_OK) {
        pt__events_abandon(e);
        e = NULL;
    }
    *events = e;
    return status;
}

static int32_t index_cell(uint32_t index)
{
    return index == PT_NONE ? -1 : (int32_t)index;
}

static enum pt_status add_event(struct pt__events *e, const struct pt_event *event,
                                struct pt_error *error)
{
    const struct pt__column *c = e->event_columns;
    uint32_t room, row_size;
    uint8_t *row;
    PT_TRY(pt__table_reserve(e->events, &row, &room, &row_size, error));
    pt__put_i64(row, &c[E_TIME_NS], event->time_ns);
    pt__put_number(row, &c[E_TIME_S], (double)event->time_ns / (double)PT_NS_PER_S);
    pt__put_text(row, &c[E_KIND], pt_event_name((enum pt_event_kind)event->kind));
    pt__put_i32(row, &c[E_JOB], index_cell(event->job));
    pt__put_i32(row, &c[E_GPU], index_cell(event->gpu));
    pt__put_i32(row, &c[E_COUNT], (int32_t)event->count);
    row[c[E_REASON].offset] = (uint8_t)event->reason;
    pt__table_commit(e->events, 1);
    return PT_OK;
}

static enum pt_status add_interval(struct pt__events *e, uint32_t job, const struct held *held,
                                   int64_t end_ns, struct pt_error *error)
{
    const struct pt__column *c = e->interval_columns;
    uint32_t room, row_size;
    uint8_t *row;
    PT_TRY(pt__table_reserve(e->intervals, &row, &room, &row_size, error));
    pt__put_i32(row, &c[I_JOB], index_cell(job));
    pt__put_i32(row, &c[I_GPU], index_cell(held->gpu));
    pt__put_i64(row, &c[I_START_NS], held->start_ns);
    pt__put_i64(row, &c[I_END_NS], end_ns);
    pt__put_number(row, &c[I_START_S], (double)held->start_ns / (double)PT_NS_PER_S);
    pt__put_number(row, &c[I_END_S], (double)end_ns / (double)PT_NS_PER_S);
    pt__table_commit(e->intervals, 1);
    return PT_OK;
}

static enum pt_status reach_job(struct pt__events *e, uint32_t job, struct pt_error *error)
{
    if (job < e->list_count) return PT_OK;
    size_t count = (size_t)job + job / 2 + 64;
    struct list *lists = realloc(e->lists, count * sizeof(*lists));
    if (lists == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for open intervals");
    for (size_t i = e->list_count; i < count; i++)
        lists[i] = (struct list){PT_NONE, PT_NONE};
    e->lists = lists;
    e->list_count = (uint32_t)count;
    return PT_OK;
}

static enum pt_status take(struct pt__events *e, uint32_t job, uint32_t gpu, int64_t start_ns,
                           struct pt_error *error)
{
    uint32_t slot = e->held_free;
    PT_TRY(reach_job(e, job, error));
    if (slot != PT_NONE) {
        e->held_free = e->held[slot].next;
    } else {
        if (e->held_count == e->held_capacity) {
            uint32_t capacity = e->held_capacity * 2 + 64;
            struct held *held = realloc(e->held, capacity * sizeof(*held));
            if (held == NULL) return pt_fail(error, PT_ERR_MEMORY, "no memory for open intervals");
            e->held = held;
            e->held_capacity = capacity;
        }
        slot = e->held_count++;
    }
    struct list *list = &e->lists[job];
    e->held[slot] = (struct held){start_ns, gpu, PT_NONE};
    if (list->first == PT_NONE) {
        list->first = slot;
    } else {
        e->held[list->last].next = slot;
    }
    list->last = slot;
    return PT_OK;
}

/* Writes the intervals of what the job holds, and it holds nothing any more. */
static enum pt_status release(struct pt__events *e, uint32_t job, int64_t end_ns,
                              struct pt_error *error)
{
    if (job >= e->list_count) return PT_OK;
    struct list *list = &e->lists[job];
    if (list->first == PT_NONE) return PT_OK;
    for (uint32_t slot = list->first; slot != PT_NONE; slot = e->held[slot].next) {
        PT_TRY(add_interval(e, job, &e->held[slot], end_ns, error));
    }
    e->held[list->last].next = e->held_free;
    e->held_free = list->first;
    *list = (struct list){PT_NONE, PT_NONE};
    return PT_OK;
}

enum pt_status pt__events_add(struct pt__events *events, const struct pt_event *batch, size_t count,
                              struct pt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct pt_event *event = &batch[i];
        PT_TRY(add_event(events, event, error));
        events->now_ns = event->time_ns;
        switch (event->kind) {
        case PT_EVENT_START:
        case PT_EVENT_UNIT:
            if (event->count == 0) break; /* CPUs only: gpu names the node */
            PT_TRY(take(events, event->job, event->gpu, event->time_ns, error));
            break;
        case PT_EVENT_DONE:
        case PT_EVENT_OOM:
        case PT_EVENT_FAULT:
        case PT_EVENT_FAILED:
        case PT_EVENT_PAUSED:
        case PT_EVENT_MIGRATE:
        case PT_EVENT_KILLED:
            PT_TRY(release(events, event->job, event->time_ns, error));
            break;
        default:
            break;
        }
    }
    return PT_OK;
}

static enum pt_status name_reasons(struct pt__events *e, struct pt_error *error)
{
    hid_t dataset;
    char name[24];
    PT_TRY(pt__table_dataset(&dataset, e->events, error));
    for (int reason = 0; reason < PT_REASON_COUNT; reason++) {
        snprintf(name, sizeof(name), "reason_%d", reason);
        PT_TRY(pt__h5_text(dataset, name, pt_reason_text((enum pt_reason)reason), error));
    }
    return PT_OK;
}

enum pt_status pt__events_close(struct pt__events *events, struct pt_error *error)
{
    enum pt_status status = PT_OK;
    for (uint32_t job = 0; status == PT_OK && job < events->list_count; job++) {
        status = release(events, job, events->now_ns, error);
    }
    if (status == PT_OK) status = name_reasons(events, error);
    if (status == PT_OK) {
        status = pt__table_close(events->events, error);
        events->events = NULL;
    }
    if (status == PT_OK) {
        status = pt__table_close(events->intervals, error);
        events->intervals = NULL;
    }
    pt__events_abandon(events);
    return status;
}

void pt__events_abandon(struct pt__events *events)
{
    if (events == NULL) return;
    pt__table_abandon(events->events);
    pt__table_abandon(events->intervals);
    free(events->lists);
    free(events->held);
    free(events);
}
