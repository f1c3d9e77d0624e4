#include "tests/property/reference.h"

#include <stdlib.h>
#include <string.h>

#include "tests/property/exact.h"

#define EACH(i, count) for (uint32_t i = 0; i < (count); i++)
#define EACH_NODE(n, pool) for (uint32_t n = (pool)->first_node; n < (pool)->end_node; n++)
#define EACH_GPU(g, node) for (uint32_t g = (node)->first_gpu; g < (node)->end_gpu; g++)

struct live {
    enum ref_state state;
    u128 left; /* work in units of 1 / run.one ns */
    int64_t start, end, ready;
    uint32_t ooms, faults;
    bool backing_off, due;
    bool blurred; /* has run at a speed that is no multiple of 2^-60 */
    uint32_t *on; /* units held, by GPU; a job without GPUs holds one of gpu_count + its node */
};

struct run {
    const struct ref_world *w;
    struct ref_outcome *out;
    const uint8_t *flip;
    struct live *jobs;
    uint32_t *take; /* the set being chosen, as live.on */
    size_t width;   /* GPUs and nodes */
    struct exact exact;
    int64_t now;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- the cluster, looked at afresh each time ---- */

/* When the node's down time of now ends, REF_NEVER = never; 0 = it is up. */
static int64_t down_until(const struct run *r, uint32_t node)
{
    const struct ref_node *n = &r->w->nodes[node];
    EACH(i, n->down_count) {
        int64_t until = n->to_ns[i] == REF_NEVER ? REF_NEVER : n->to_ns[i] + n->boot_ns;
        if (r->now >= n->from_ns[i] && r->now < until) return until;
    }
    return 0;
}

/* Units held on the GPU, or the memory they take. */
static uint32_t used(const struct run *r, uint32_t gpu, bool memory)
{
    uint32_t sum = 0;
    EACH(j, r->w->job_count)
        sum += r->jobs[j].on[gpu] * (memory ? r->w->jobs[j].gpu_mem_mib : 1);
    return sum;
}

/* Units held on the node; a job without GPUs counts as 1. */
static uint32_t units_on(const struct run *r, const uint32_t *on, uint32_t node)
{
    uint32_t units = on[r->w->gpu_count + node];
    EACH_GPU(g, &r->w->nodes[node])
        units += on[g];
    return units;
}

static uint32_t node_load(const struct run *r, uint32_t node)
{
    uint32_t load = 0;
    EACH_GPU(g, &r->w->nodes[node])
        load += used(r, g, false);
    return load;
}

/* Of `whole`, what `units` of the job's `gpus` take on one node. */
static uint32_t part(uint32_t whole, uint32_t units, uint32_t gpus)
{
    return gpus == 0 ? whole : (uint32_t)(((uint64_t)whole * units + gpus - 1) / gpus);
}

static bool host_holds(const struct run *r, uint32_t j, uint32_t node, uint32_t units, bool empty)
{
    const struct ref_pool *p = &r->w->pools[r->w->nodes[node].pool];
    const struct ref_job *job = &r->w->jobs[j];
    uint64_t cpus = part(job->cpus_milli, units, job->gpus);
    uint64_t mem = part(job->mem_mib, units, job->gpus);
    EACH(i, empty ? 0 : r->w->job_count) {
        const struct ref_job *other = &r->w->jobs[i];
        uint32_t held = units_on(r, r->jobs[i].on, node);
        cpus += held == 0 ? 0 : part(other->cpus_milli, held, other->gpus);
        mem += held == 0 ? 0 : part(other->mem_mib, held, other->gpus);
    }
    return (p->cpus_milli == REF_NONE || cpus <= p->cpus_milli) &&
           (p->mem_mib == REF_NONE || mem <= p->mem_mib);
}

/* Units of the job that the GPU takes; `empty`: as if nothing ran. */
static uint32_t gpu_room(const struct run *r, uint32_t j, uint32_t pool, uint32_t gpu, bool empty)
{
    const struct ref_pool *p = &r->w->pools[pool];
    const struct ref_job *job = &r->w->jobs[j];
    uint32_t room = p->replicas - (empty ? 0 : used(r, gpu, false));
    if (p->time_slice && p->admit && job->gpu_mem_mib > 0)
        room = least(room, (p->gpu_mem_mib - (empty ? 0 : used(r, gpu, true))) / job->gpu_mem_mib);
    return (job->distinct == 2 ? p->distinct : job->distinct == 1) ? least(room, 1) : room;
}

/* Units of the job that the node takes; of a job without GPUs: 1 if it fits. `empty`: as if
 * nothing ran and nothing was down. */
static uint32_t node_room(const struct run *r, uint32_t j, uint32_t node, bool empty)
{
    uint32_t room = 0, gpus = r->w->jobs[j].gpus;
    if (!empty && down_until(r, node) > 0) return 0;
    EACH_GPU(g, &r->w->nodes[node])
        room += gpu_room(r, j, r->w->nodes[node].pool, g, empty);
    uint32_t units = gpus == 0 ? 1 : least(room, gpus);
    while (units > 0 && !host_holds(r, j, node, units, empty))
        units--;
    return units;
}

/* Could the pool hold the job if it were empty? */
static bool pool_can(const struct run *r, uint32_t j, uint32_t pool)
{
    const struct ref_job *job = &r->w->jobs[j];
    const struct ref_pool *p = &r->w->pools[pool];
    if (job->pool != REF_NONE && job->pool != pool) return false;
    if (job->models != 0 && (job->models >> p->model & 1) == 0) return false;
    if (job->gpus > 0 && job->gpu_mem_mib > p->gpu_mem_mib) return false;
    uint64_t size = node_room(r, j, p->first_node, true), nodes = 0;
    EACH_NODE(n, p)
        nodes += down_until(r, n) != REF_NEVER;
    return size > 0 && size * least((uint32_t)nodes, job->nodes_max) >= job->gpus && nodes > 0;
}

static uint64_t pools_of(const struct run *r, uint32_t j)
{
    uint64_t pools = 0;
    EACH(p, r->w->pool_count)
        pools |= (uint64_t)pool_can(r, j, p) << p;
    return pools;
}

/* ---- placement ---- */

/* Chooses `want` units of the node into r->take, one by one; returns the sum of the loads met. */
static uint32_t choose(const struct run *r, uint32_t j, uint32_t node, uint32_t want)
{
    enum ref_placement how = r->w->placement;
    bool fullest = how == REF_BEST_FIT || how == REF_PACK || how == REF_CONSOLIDATE;
    bool emptiest = how == REF_WORST_FIT || how == REF_SPREAD;
    uint32_t sum = 0;
    for (r->take[r->w->gpu_count + node] = r->w->jobs[j].gpus == 0; want > 0; want--) {
        uint32_t best = REF_NONE, best_load = 0;
        EACH_GPU(g, &r->w->nodes[node]) {
            uint32_t load = used(r, g, false) + r->take[g];
            if (r->take[g] >= gpu_room(r, j, r->w->nodes[node].pool, g, false)) continue;
            if (best == REF_NONE || (fullest && load > best_load) || (emptiest && load < best_load))
                best = g, best_load = load;
        }
        r->take[best]++;
        sum += best_load;
    }
    return sum;
}

/* Smaller is better; of equals the lowest node. Only for nodes that hold `want`. */
static uint64_t node_key(const struct run *r, uint32_t j, uint32_t node, uint32_t want)
{
    const struct ref_node *n = &r->w->nodes[node];
    uint32_t load = node_load(r, node);
    enum ref_placement how = r->w->placement;
    uint64_t sum = choose(r, j, node, want);
    memset(r->take, 0, r->width * sizeof *r->take);
    if (how == REF_BEST_FIT || how == REF_PACK)
        return (UINT32_MAX - sum) << 32 | (UINT32_MAX - load);
    if (how == REF_WORST_FIT || how == REF_SPREAD) return sum << 32 | load;
    if (how == REF_FIRST_FIT) return 0;
    return (n->end_gpu - n->first_gpu) * r->w->pools[n->pool].replicas - load;
}

/* A gang over several nodes. */
static bool spill(const struct run *r, uint32_t j, const struct ref_pool *p)
{
    const struct ref_job *job = &r->w->jobs[j];
    uint32_t want = job->gpus, nodes = job->nodes_max, size = node_room(r, j, p->first_node, true);
    bool whole = r->w->placement == REF_CONSOLIDATE;
    bool in_order = r->w->placement == REF_FIRST_FIT && nodes == REF_NONE;
    if (whole && want <= size) return false;
    if (whole) /* completely free nodes first, then the rest where most is free */
        EACH_NODE(n, p)
            if (want >= size && node_load(r, n) == 0 && node_room(r, j, n, false) >= size)
                choose(r, j, n, size), want -= size;
    if (whole && want >= size) return false;
    for (; want > 0 && nodes > 0; nodes--) {
        uint32_t best = REF_NONE, most = 0;
        EACH_NODE(n, p) {
            uint32_t room = units_on(r, r->take, n) > 0 ? 0 : node_room(r, j, n, false);
            if (whole) room = room < want ? 0 : p->gpus_per_node * p->replicas - node_load(r, n);
            if (room > most && !(in_order && best != REF_NONE)) best = n, most = room;
        }
        if (best == REF_NONE) return false;
        uint32_t units = least(want, node_room(r, j, best, false));
        choose(r, j, best, units);
        want -= units;
    }
    return want == 0;
}

/* A complete set for the job in r->take, or false. */
static bool place(const struct run *r, uint32_t j, const struct ref_pool *p)
{
    const struct ref_job *job = &r->w->jobs[j];
    uint32_t best = REF_NONE;
    uint64_t best_key = 0, key;
    memset(r->take, 0, r->width * sizeof *r->take);
    EACH_NODE(n, p)
        if (node_room(r, j, n, false) >= (job->gpus == 0 ? 1 : job->gpus) &&
            (key = node_key(r, j, n, job->gpus), best == REF_NONE || key < best_key))
            best = n, best_key = key;
    if (best != REF_NONE) choose(r, j, best, job->gpus);
    return best != REF_NONE || (job->gpus > 0 && job->nodes_max > 1 && spill(r, j, p));
}

/* ---- jobs ---- */

/* Work in a ns: that of the slowest of the job's members; CPUs are the same everywhere. */
static u128 speed_of(const struct run *r, uint32_t j)
{
    u128 slowest = 0;
    EACH(n, r->w->node_count)
        EACH_GPU(g, &r->w->nodes[n])
            if (r->jobs[j].on[g] > 0) {
                const struct ref_pool *p = &r->w->pools[r->w->nodes[n].pool];
                u128 speed = exact_speed(&r->exact, p, used(r, g, false));
                if (slowest == 0 || speed < slowest) slowest = speed;
            }
    return slowest != 0 ? slowest : r->exact.one;
}

/* Work so little off a boundary that the engine's rounded speeds may have crossed it: true if the
 * caller is to decide the other way. */
static bool in_doubt(const struct run *r, uint32_t j, uint8_t kind, u128 off, int64_t until,
                     u128 speed)
{
    if (!r->jobs[j].blurred && !exact_is_blurred(&r->exact, speed)) return false;
    if (off >= exact_blur(&r->exact, until - r->jobs[j].start)) return false;
    r->out[j].doubts |= kind;
    return r->flip != NULL && (r->flip[j] & kind) != 0;
}

static int64_t end_of(const struct run *r, uint32_t j)
{
    u128 speed = speed_of(r, j), left = r->jobs[j].left, rest = left % speed * 2;
    int64_t down = r->now + (int64_t)(left / speed);
    bool up = rest >= speed;
    u128 off = up ? rest - speed : speed - rest;
    return down + (up != in_doubt(r, j, REF_DOUBT_END, off, down, speed));
}

static void leave(struct run *r, uint32_t j, enum ref_state state, int64_t end)
{
    memset(r->jobs[j].on, 0, r->width * sizeof(uint32_t));
    r->jobs[j].state = state, r->jobs[j].end = end;
}

/* An attempt failed: back off, or that was the last. */
static void fail(struct run *r, uint32_t j, uint32_t failures, uint32_t retries)
{
    bool last = retries != REF_NONE && failures > retries;
    leave(r, j, last ? REF_FAILED : REF_HELD, last ? r->now : REF_ABSENT);
    r->jobs[j].backing_off = true;
    r->jobs[j].ready = r->now + r->w->backoff_ns;
}

static void fault(struct run *r, uint32_t j)
{
    int64_t step = r->w->jobs[j].checkpoint_ns;
    u128 work = (u128)(uint64_t)r->w->jobs[j].work_ns * r->exact.one;
    u128 unit = step > 0 ? (u128)(uint64_t)step * r->exact.one : 1, over;
    u128 done = step == REF_ABSENT || step == 0 ? 0 : work - r->jobs[j].left;
    if (step != REF_NEVER) {
        over = done % unit, done -= over;
        if (done > 0 && in_doubt(r, j, REF_DOUBT_CHECKPOINT, over, r->now, r->exact.one))
            done -= unit;
        if (step > 0 && in_doubt(r, j, REF_DOUBT_CHECKPOINT, unit - over, r->now, r->exact.one))
            done += unit;
    }
    r->jobs[j].left = work - done;
    fail(r, j, ++r->jobs[j].faults, r->w->fault_retries);
}

static void start(struct run *r, uint32_t j, const struct ref_pool *p)
{
    struct live *job = &r->jobs[j];
    bool fits = true;
    if (job->start == REF_ABSENT) job->start = r->now;
    EACH(g, r->w->gpu_count)
        fits =
            fits && (r->take[g] == 0 ||
                     used(r, g, true) + r->take[g] * r->w->jobs[j].gpu_mem_mib <= p->gpu_mem_mib);
    for (uint32_t n = r->w->node_count; n-- > 0;)
        if (units_on(r, r->take, n) > 0) r->out[j].node = n;
    if (fits) memcpy(job->on, r->take, r->width * sizeof *job->on);
    job->state = REF_RUNNING;
    if (!fits) fail(r, j, ++job->ooms, r->w->oom_retries);
}

/* Moves whoever waits for predecessors, as those have ended, until nothing changes. */
static void settle_after(struct run *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        EACH(j, r->w->job_count) {
            enum ref_state state = REF_PENDING, before = REF_DONE;
            if (r->jobs[j].state != REF_HELD || r->jobs[j].backing_off) continue;
            EACH(i, REF_AFTER_MAX) {
                uint32_t after = r->w->jobs[j].after[i];
                before = after == REF_NONE ? REF_DONE : r->jobs[after].state;
                if (before < REF_DONE && state == REF_PENDING) state = REF_HELD;
                if (before > REF_DONE) state = REF_UNSCHEDULABLE;
            }
            changed = changed || state != REF_HELD;
            r->jobs[j].state = state;
        }
    }
}

static void fifo(struct run *r)
{
    uint64_t blocked = 0;
    EACH(j, r->w->job_count) {
        uint64_t could = r->jobs[j].state == REF_PENDING ? pools_of(r, j) : 0;
        EACH(p, r->w->pool_count)
            if ((could & ~blocked) >> p & 1 && r->jobs[j].state == REF_PENDING &&
                place(r, j, &r->w->pools[p]))
                start(r, j, &r->w->pools[p]);
        if (r->jobs[j].state == REF_PENDING && r->w->strict) blocked |= could;
    }
}

/* Withdraws whoever has waited too long for a first start, one by one in trace order. */
static bool give_up(struct run *r)
{
    bool any = false;
    EACH(j, r->w->give_up_ns == REF_NEVER ? 0 : r->w->job_count) {
        const struct live *job = &r->jobs[j];
        if ((job->state == REF_PENDING || job->state == REF_HELD) && job->start == REF_ABSENT &&
            r->now >= r->w->jobs[j].submit_ns + r->w->give_up_ns)
            leave(r, j, REF_WITHDRAWN, r->now), settle_after(r), any = true;
    }
    return any;
}

static bool find_due(struct run *r)
{
    bool any = false;
    EACH(j, r->w->job_count) {
        r->jobs[j].due = r->jobs[j].state == REF_RUNNING && end_of(r, j) <= r->now;
        any = any || r->jobs[j].due;
    }
    return any;
}

/* One round of an instant; true if it made something due now. */
static bool one_round(struct run *r)
{
    find_due(r);
    EACH(j, r->w->job_count)
        if (r->jobs[j].due) leave(r, j, REF_DONE, r->now);
    if (r->now == r->w->horizon_ns) return false;
    EACH(n, r->w->node_count)
        EACH(j, r->w->job_count)
            if (down_until(r, n) > 0 && units_on(r, r->jobs[j].on, n) > 0) fault(r, j);
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_HELD && r->jobs[j].backing_off && r->jobs[j].ready <= r->now)
            r->jobs[j].state = REF_PENDING, r->jobs[j].backing_off = false;
    settle_after(r);
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_FUTURE && r->w->jobs[j].submit_ns <= r->now)
            r->jobs[j].state = pools_of(r, j) != 0 ? REF_HELD : REF_UNSCHEDULABLE;
    do {
        settle_after(r);
        fifo(r);
        settle_after(r);
    } while (give_up(r));
    return find_due(r);
}

static int64_t sooner(const struct run *r, int64_t next, int64_t time)
{
    return time > r->now && time < next ? time : next;
}

static int64_t next_instant(const struct run *r)
{
    int64_t next = sooner(r, REF_NEVER, r->w->horizon_ns), patience = r->w->give_up_ns;
    EACH(j, r->w->job_count) {
        const struct live *job = &r->jobs[j];
        int64_t submit = r->w->jobs[j].submit_ns;
        if (job->state == REF_RUNNING) next = sooner(r, next, end_of(r, j));
        if (job->state == REF_FUTURE) next = sooner(r, next, submit);
        if (job->state == REF_HELD && job->backing_off) next = sooner(r, next, job->ready);
        if (job->state < REF_RUNNING && patience != REF_NEVER)
            next = sooner(r, next, submit + patience);
    }
    EACH(n, r->w->node_count)
        EACH(i, r->w->nodes[n].down_count) {
            const struct ref_node *node = &r->w->nodes[n];
            next = sooner(r, next, node->from_ns[i]);
            if (node->to_ns[i] != REF_NEVER) next = sooner(r, next, node->to_ns[i] + node->boot_ns);
        }
    return next;
}

static void advance(struct run *r, int64_t to)
{
    EACH(j, r->w->job_count) {
        struct live *job = &r->jobs[j];
        if (job->state != REF_RUNNING) continue;
        u128 speed = speed_of(r, j), work = speed * (uint64_t)(to - r->now);
        job->blurred = job->blurred || exact_is_blurred(&r->exact, speed);
        job->left = work < job->left ? job->left - work : 0; /* its end was rounded up */
    }
    r->now = to;
}

enum ref_verdict ref_run(struct ref_outcome *outcomes, const struct ref_world *world,
                         const uint8_t *flip)
{
    size_t width = world->gpu_count + world->node_count, jobs = world->job_count;
    struct run r = {.w = world, .out = outcomes, .flip = flip, .now = -1, .width = width};
    enum ref_verdict verdict = REF_OUTSIDE;
    uint32_t *units = calloc((jobs + 1) * width, sizeof *units);
    r.jobs = calloc(jobs + 1, sizeof *r.jobs);
    if (r.jobs == NULL || units == NULL || !exact_init(&r.exact, world)) goto out;
    r.take = units + jobs * width;
    EACH(j, jobs) {
        r.jobs[j] = (struct live){.start = REF_ABSENT, .end = REF_ABSENT, .on = units + j * width};
        r.jobs[j].left = (u128)(uint64_t)world->jobs[j].work_ns * r.exact.one;
        outcomes[j] = (struct ref_outcome){.node = REF_NONE};
    }
    verdict = REF_OK;
    for (int64_t next; r.now < world->horizon_ns && (next = next_instant(&r)) != REF_NEVER;) {
        advance(&r, next);
        while (one_round(&r)) {
        }
    }
    EACH(j, jobs) {
        outcomes[j].state = r.jobs[j].state;
        outcomes[j].start_ns = r.jobs[j].start, outcomes[j].end_ns = r.jobs[j].end;
        if (r.jobs[j].state < REF_DONE && world->horizon_ns == REF_NEVER) verdict = REF_STUCK;
    }
out:
    free(r.jobs);
    free(units);
    return verdict;
}
