#include "tests/peers/literal.h"

#include <stdbool.h>
#include <string.h>

#define NEVER INT64_MAX
#define GPUS_PER_NODE 8u

/* Jobs by index, in an order that is kept. */
struct list {
    uint32_t count, job[LITERAL_JOBS_MAX];
};

struct live {
    int64_t left_s, ran_s, last_s; /* last_s: when the first two were right */
    bool runs;
    uint32_t queue;
    uint32_t taken[LITERAL_NODES_MAX];
};

static void append(struct list *list, uint32_t job)
{
    list->job[list->count++] = job;
}

static void drop(struct list *list, uint32_t job)
{
    uint32_t i = 0;
    while (list->job[i] != job)
        i++;
    memmove(&list->job[i], &list->job[i + 1], (--list->count - i) * sizeof list->job[0]);
}

/* Stable, by insertion. */
static void sort(struct list *list, const int64_t *key)
{
    for (uint32_t i = 1; i < list->count; i++)
        for (uint32_t k = i; k > 0 && key[list->job[k - 1]] > key[list->job[k]]; k--) {
            uint32_t job = list->job[k];
            list->job[k] = list->job[k - 1];
            list->job[k - 1] = job;
        }
}

/* ---- Helios ---- */

struct helios {
    struct literal_job *jobs;
    uint32_t nodes, free[LITERAL_NODES_MAX];
    struct live live[LITERAL_JOBS_MAX];
    struct list waiting, running;
};

/* "consolidate"; false, and nothing is taken, if it does not fit this way. */
static bool place(struct helios *h, uint32_t job)
{
    uint32_t gpus = h->jobs[job].gpus, whole = gpus / GPUS_PER_NODE, rest = gpus % GPUS_PER_NODE;
    uint32_t taken[LITERAL_NODES_MAX] = {0}, best = LITERAL_NODES_MAX;
    bool small = gpus <= GPUS_PER_NODE;
    if (small) whole = 0, rest = gpus;
    for (uint32_t n = 0; n < h->nodes && whole > 0; n++)
        if (h->free[n] == GPUS_PER_NODE) taken[n] = GPUS_PER_NODE, whole--;
    if (whole > 0) return false;
    for (uint32_t n = 0; n < h->nodes && rest > 0; n++) {
        if (taken[n] > 0 || h->free[n] < rest) continue;
        if (best == LITERAL_NODES_MAX ||
            (small ? h->free[n] < h->free[best] : h->free[n] > h->free[best]))
            best = n;
    }
    if (rest > 0 && best == LITERAL_NODES_MAX) return false;
    if (rest > 0) taken[best] = rest;
    for (uint32_t n = 0; n < h->nodes; n++)
        h->free[n] -= taken[n];
    memcpy(h->live[job].taken, taken, sizeof taken);
    return true;
}

static void leave(struct helios *h, uint32_t job)
{
    for (uint32_t n = 0; n < h->nodes; n++)
        h->free[n] += h->live[job].taken[n];
    drop(&h->running, job);
}

static bool start(struct helios *h, uint32_t job, int64_t now_s)
{
    if (!place(h, job)) return false;
    if (h->jobs[job].start_s == NEVER) h->jobs[job].start_s = now_s;
    drop(&h->waiting, job);
    append(&h->running, job);
    return true;
}

static void walk_srtf(struct helios *h, int64_t now_s)
{
    struct list all = h->waiting, stops = {0}, starts = {0};
    int64_t key[LITERAL_JOBS_MAX];
    uint32_t quota = h->nodes * GPUS_PER_NODE;
    bool runs[LITERAL_JOBS_MAX] = {false};
    for (uint32_t i = 0; i < h->running.count; i++) {
        append(&all, h->running.job[i]);
        runs[h->running.job[i]] = true;
    }
    for (uint32_t i = 0; i < all.count; i++)
        key[all.job[i]] = h->live[all.job[i]].left_s;
    sort(&all, key);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t job = all.job[i], gpus = h->jobs[job].gpus;
        if (gpus <= quota) {
            quota -= gpus;
            if (!runs[job]) append(&starts, job);
        } else if (runs[job]) {
            append(&stops, job);
        }
    }
    for (uint32_t i = 0; i < stops.count; i++) {
        uint32_t job = stops.job[i], gpus = h->jobs[job].gpus;
        leave(h, job);
        h->live[job].left_s += gpus == 1 ? 7 : gpus <= 8 ? 30 : 60;
        h->jobs[job].preemptions++;
        append(&h->waiting, job);
    }
    for (uint32_t i = 0; i < starts.count; i++)
        (void)start(h, starts.job[i], now_s);
}

static void walk_queue(struct helios *h, int64_t now_s, uint32_t arrived, const char *policy)
{
    int64_t key[LITERAL_JOBS_MAX], then[LITERAL_JOBS_MAX];
    bool qssf = strcmp(policy, "qssf") == 0, sjf = strcmp(policy, "sjf") == 0;
    for (uint32_t i = 0; i < h->waiting.count; i++) {
        uint32_t job = h->waiting.job[i];
        const struct literal_job *j = &h->jobs[job];
        key[job] = qssf ? j->gpus : sjf ? j->work_s : j->submit_s;
        then[job] = j->estimate_s * j->gpus;
    }
    sort(&h->waiting, key);
    if (qssf && h->waiting.count > arrived) sort(&h->waiting, then);
    while (h->waiting.count > 0 && start(h, h->waiting.job[0], now_s)) {
    }
}

void literal_helios(struct literal_job *jobs, uint32_t count, uint32_t nodes, const char *policy)
{
    struct helios h = {.jobs = jobs, .nodes = nodes};
    bool srtf = strcmp(policy, "srtf") == 0;
    for (uint32_t n = 0; n < nodes; n++)
        h.free[n] = GPUS_PER_NODE;
    for (uint32_t j = 0; j < count; j++) {
        jobs[j].start_s = NEVER;
        jobs[j].preemptions = 0;
        h.live[j].left_s = jobs[j].work_s;
    }
    uint32_t next = 0, ended = 0;
    for (int64_t now_s = 0; ended < count; now_s++) {
        struct list before = h.running;
        for (uint32_t i = 0; i < before.count; i++) {
            uint32_t job = before.job[i];
            int64_t *left_s = &h.live[job].left_s;
            /* under srtf the end is noticed a tick late */
            if (srtf ? (*left_s)-- > 0 : --*left_s > 0) continue;
            jobs[job].end_s = now_s;
            leave(&h, job);
            ended++;
        }
        uint32_t first = next;
        for (; next < count && jobs[next].submit_s == now_s; next++)
            append(&h.waiting, next);
        if (srtf)
            walk_srtf(&h, now_s);
        else
            walk_queue(&h, now_s, next - first, policy);
    }
}

/* ---- Tiresias ---- */

#define QUEUES 3u

struct tiresias {
    struct literal_job *jobs;
    uint32_t count, gpus;
    struct live live[LITERAL_JOBS_MAX];
    struct list queue[QUEUES]; /* the orders that have one list use the first */
    bool by_service, by_gpus;
    int64_t jump_s;
};

static const int64_t limits_s[QUEUES] = {3250, 7200, NEVER};

static int64_t amount(const struct tiresias *t, uint32_t job, int64_t seconds)
{
    return t->by_gpus ? seconds * t->jobs[job].gpus : seconds;
}

/* Brings all that run to now; true of those that end then. */
static void advance(struct tiresias *t, int64_t now_s, bool ends[LITERAL_JOBS_MAX])
{
    for (uint32_t j = 0; j < t->count; j++) {
        struct live *live = &t->live[j];
        int64_t dt_s = live->runs ? now_s - live->last_s : 0;
        live->left_s -= dt_s;
        live->ran_s += dt_s;
        live->last_s = now_s;
        ends[j] = live->runs && live->left_s == 0;
    }
}

/* In order of arrival, one queue an event. */
static void demote(struct tiresias *t)
{
    for (uint32_t j = 0; j < t->count; j++) {
        struct live *live = &t->live[j];
        if (!live->runs || live->queue == QUEUES - 1) continue;
        if (amount(t, j, live->ran_s) < limits_s[live->queue]) continue;
        drop(&t->queue[live->queue++], j);
        append(&t->queue[live->queue], j);
    }
}

static void allocate(struct tiresias *t, int64_t now_s)
{
    uint32_t free = t->gpus;
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t i = 0; i < t->queue[q].count; i++) {
            uint32_t job = t->queue[q].job[i];
            bool fits = t->jobs[job].gpus <= free, ran = t->live[job].runs;
            if (fits) free -= t->jobs[job].gpus;
            if (fits && t->jobs[job].start_s == NEVER) t->jobs[job].start_s = now_s;
            t->jobs[job].preemptions += ran && !fits;
            t->live[job].runs = fits;
        }
}

/* Those that run to the front of each queue; and when the next demotion is looked at. */
static void reorder(struct tiresias *t, int64_t now_s)
{
    int64_t waits[LITERAL_JOBS_MAX];
    t->jump_s = NEVER;
    for (uint32_t q = 0; q < QUEUES; q++) {
        for (uint32_t i = 0; i < t->queue[q].count; i++) {
            uint32_t job = t->queue[q].job[i];
            waits[job] = !t->live[job].runs;
            if (!t->live[job].runs || q == QUEUES - 1) continue;
            int64_t wait_s = limits_s[q] - t->live[job].ran_s;
            if (t->by_gpus) wait_s /= t->jobs[job].gpus;
            if (now_s + wait_s < t->jump_s) t->jump_s = now_s + wait_s;
        }
        sort(&t->queue[q], waits);
    }
}

static int64_t next_event(const struct tiresias *t, uint32_t next)
{
    int64_t at_s = next < t->count ? t->jobs[next].submit_s : NEVER;
    for (uint32_t j = 0; j < t->count; j++) {
        const struct live *live = &t->live[j];
        if (live->runs && live->last_s + live->left_s < at_s) at_s = live->last_s + live->left_s;
    }
    return t->by_service && t->jump_s < at_s ? t->jump_s : at_s;
}

static void order(struct tiresias *t, const char *policy)
{
    int64_t key[LITERAL_JOBS_MAX];
    if (t->by_service) {
        demote(t);
        return;
    }
    for (uint32_t i = 0; i < t->queue[0].count; i++) {
        uint32_t job = t->queue[0].job[i];
        bool smallest = strcmp(policy, "sjf") == 0;
        key[job] = smallest ? t->jobs[job].gpus : amount(t, job, t->live[job].left_s);
    }
    sort(&t->queue[0], key);
}

void literal_tiresias(struct literal_job *jobs, uint32_t count, uint32_t gpus, const char *policy)
{
    struct tiresias t = {.jobs = jobs, .count = count, .gpus = gpus, .jump_s = NEVER};
    bool ends[LITERAL_JOBS_MAX];
    t.by_service = strncmp(policy, "dlas", 4) == 0;
    t.by_gpus = strstr(policy, "-gpu") != NULL;
    for (uint32_t j = 0; j < count; j++) {
        jobs[j].start_s = NEVER;
        jobs[j].preemptions = 0;
        t.live[j].left_s = jobs[j].work_s;
    }
    for (uint32_t next = 0, ended = 0; ended < count;) {
        int64_t now_s = next_event(&t, next);
        advance(&t, now_s, ends);
        for (uint32_t j = 0; j < count; j++) {
            if (!ends[j]) continue;
            t.live[j].runs = false;
            jobs[j].end_s = now_s;
            drop(&t.queue[t.live[j].queue], j);
            ended++;
        }
        for (; next < count && jobs[next].submit_s == now_s; next++)
            append(&t.queue[0], next);
        order(&t, policy);
        allocate(&t, now_s);
        if (t.by_service) reorder(&t, now_s);
    }
}
