#include "tests/property/reference.h"

#include <stdlib.h>
#include <string.h>

#include "tests/property/reference_parts.h"

/* The lives of jobs: semantics.md, sections 2 and 3. */

/* Work in a ns: that of the slowest of the job's members; CPUs are the same everywhere. */
static u128 speed_of(const struct run *r, uint32_t j, bool *blurred)
{
    u128 slowest = 0;
    *blurred = false;
    EACH(n, r->w->node_count)
        for (uint32_t seat = seat_of(r, r->w->nodes[n].first_gpu);
             seat < seat_of(r, r->w->nodes[n].end_gpu); seat++)
            if (r->jobs[j].on[seat] > 0) {
                const struct ref_pool *p = &r->w->pools[r->w->nodes[n].pool];
                u128 speed;
                bool blurs = exact_speed(&speed, &r->exact, p->rate, ref__share(r, j, p, seat));
                if (slowest == 0 || speed < slowest) slowest = speed, *blurred = blurs;
            }
    return slowest != 0 ? slowest : r->exact.one;
}

/* Work so little off a boundary that the engine's rounded speeds may have crossed it: true if the
 * caller is to decide the other way. */
static bool in_doubt(const struct run *r, uint32_t j, uint8_t kind, u128 off, int64_t until,
                     bool blurred)
{
    if (!r->jobs[j].blurred && !blurred) return false;
    if (off >= exact_blur(&r->exact, until - r->jobs[j].start)) return false;
    r->out[j].doubts |= kind;
    return r->flip != NULL && (r->flip[j] & kind) != 0;
}

static int64_t end_of(const struct run *r, uint32_t j)
{
    bool blurred;
    u128 speed = speed_of(r, j, &blurred), left = r->jobs[j].left, rest = left % speed * 2;
    int64_t down = r->now + (int64_t)(left / speed);
    bool up = rest >= speed;
    u128 off = up ? rest - speed : speed - rest;
    return down + (up != in_doubt(r, j, REF_DOUBT_END, off, down, blurred));
}

static void leave(struct run *r, uint32_t j, enum ref_state state, int64_t end)
{
    memset(r->jobs[j].on, 0, r->width * sizeof(uint32_t));
    r->jobs[j].state = state, r->jobs[j].end = end;
    r->jobs[j].computes = false;
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
        if (done > 0 && in_doubt(r, j, REF_DOUBT_CHECKPOINT, over, r->now, false)) done -= unit;
        if (step > 0 && in_doubt(r, j, REF_DOUBT_CHECKPOINT, unit - over, r->now, false))
            done += unit;
    }
    r->jobs[j].left = work - done;
    fail(r, j, ++r->jobs[j].faults, r->w->fault_retries);
}

/* Does the set overrun the memory of one of its GPUs? */
static bool runs_out_of_memory(const struct run *r, uint32_t j, const struct ref_pool *p)
{
    struct need need;
    if (ref__admits_memory(p) || !ref__need(&need, p, &r->w->jobs[j])) return false;
    EACH(g, r->w->gpu_count) {
        uint32_t units = units_at(r, r->take, g);
        if (units > 0 && ref__used(r, g, true) + units * need.mem_mib > p->gpu_mem_mib) return true;
    }
    return false;
}

/* From an attempt's start to its first work: kept work is restored, else it may start cold. */
static int64_t delay(const struct run *r, uint32_t j, uint32_t units, uint32_t mib)
{
    const struct ref_job *job = &r->w->jobs[j];
    if (r->jobs[j].left < (u128)(uint64_t)job->work_ns * r->exact.one)
        return r->w->restore_ns + r->w->restore_gib_ns * mib * units / 1024;
    return job->cold ? r->w->cold_ns : 0;
}

/* An attempt begins on these units. */
static void begin(struct run *r, uint32_t j, const uint32_t *on)
{
    struct live *job = &r->jobs[j];
    struct need need = {0};
    job->state = REF_RUNNING;
    if (job->start == REF_ABSENT) job->start = r->now;
    r->out[j].node = r->out[j].gpu = REF_NONE;
    for (uint32_t n = r->w->node_count; n-- > 0;) {
        if (ref__units_on(r, on, n) > 0) r->out[j].node = n;
        for (uint32_t g = r->w->nodes[n].end_gpu; g-- > r->w->nodes[n].first_gpu;)
            if (units_at(r, on, g) > 0) r->out[j].gpu = g;
    }
    if (r->w->jobs[j].gpus > 0)
        ref__need(&need, &r->w->pools[r->w->nodes[r->out[j].node].pool], &r->w->jobs[j]);
    job->ready_ns = r->now + delay(r, j, r->w->jobs[j].gpus, need.mem_mib);
    job->computes = job->ready_ns == r->now;
}

/* At once, or when its instances are made. */
static void serve(struct run *r, uint32_t j)
{
    r->jobs[j].state = REF_RESERVED;
    if (r->jobs[j].serves <= r->now) begin(r, j, r->jobs[j].on);
}

static void start(struct run *r, uint32_t j, const struct ref_pool *p)
{
    struct live *job = &r->jobs[j];
    bool is_mig = p->mode == REF_MIG && r->w->jobs[j].gpus > 0;
    if (runs_out_of_memory(r, j, p)) {
        begin(r, j, r->take);
        fail(r, j, ++job->ooms, r->w->oom_retries);
        return;
    }
    memcpy(job->on, r->take, r->width * sizeof *job->on);
    if (is_mig) memcpy(r->slices, r->draft, r->width * sizeof *r->slices);
    job->serves = r->now;
    EACH(s, is_mig ? seat_of(r, r->w->gpu_count) : 0)
        if (job->on[s] > 0 && r->slices[s].serves > job->serves) job->serves = r->slices[s].serves;
    serve(r, j);
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

/* Walks the queue once; true if somebody started. */
static bool fifo(struct run *r)
{
    uint64_t blocked = 0;
    bool any = false;
    EACH(j, r->w->job_count) {
        uint64_t could = r->jobs[j].state == REF_PENDING ? ref__pools_of(r, j) : 0;
        EACH(p, r->w->pool_count)
            if ((could & ~blocked) >> p & 1 && r->jobs[j].state == REF_PENDING &&
                ref__place(r, j, &r->w->pools[p]))
                start(r, j, &r->w->pools[p]), any = true;
        if (r->jobs[j].state == REF_PENDING && r->w->strict) blocked |= could;
    }
    return any;
}

/* Withdraws whoever has waited too long for a first start, one by one in trace order. */
static bool give_up(struct run *r)
{
    bool any = false;
    EACH(j, r->w->give_up_ns == REF_NEVER ? 0 : r->w->job_count) {
        const struct live *job = &r->jobs[j];
        if (job->state >= REF_HELD && job->state <= REF_RESERVED && job->start == REF_ABSENT &&
            r->now >= r->w->jobs[j].submit_ns + r->w->give_up_ns)
            leave(r, j, REF_WITHDRAWN, r->now), settle_after(r), any = true;
    }
    return any;
}

static bool find_due(struct run *r)
{
    bool any = false;
    EACH(j, r->w->job_count) {
        r->jobs[j].due = r->jobs[j].computes && end_of(r, j) <= r->now;
        any = any || r->jobs[j].due;
    }
    return any;
}

static void lose_node(struct run *r, uint32_t node)
{
    const struct ref_pool *p = &r->w->pools[r->w->nodes[node].pool];
    EACH(j, r->w->job_count) {
        if (ref__units_on(r, r->jobs[j].on, node) == 0) continue;
        if (r->jobs[j].state == REF_RUNNING)
            fault(r, j);
        else /* it has not started */
            leave(r, j, REF_PENDING, REF_ABSENT);
    }
    if (p->mode == REF_MIG)
        EACH_GPU(g, &r->w->nodes[node])
            ref__mig_reset(r, r->slices, p, g);
}

/* What is made at the seat never serves: who waits for it is back in the queue. */
static void unreserve(struct run *r, uint32_t seat)
{
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_RESERVED && r->jobs[j].on[seat] > 0)
            leave(r, j, REF_PENDING, REF_ABSENT);
}

static void strike(struct run *r, const struct ref_fault *what)
{
    EACH(j, r->w->job_count) {
        const uint32_t *on = r->jobs[j].on;
        bool struck = what->node != REF_NONE ? ref__units_on(r, on, what->node) > 0
                                             : units_at(r, on, what->gpu) > 0;
        if (struck && r->jobs[j].state == REF_RUNNING) fault(r, j);
    }
}

/* One round of an instant; true if it made something due now. */
static bool one_round(struct run *r)
{
    find_due(r);
    EACH(j, r->w->job_count)
        if (r->jobs[j].due) leave(r, j, REF_DONE, r->now);
    if (r->now == r->w->horizon_ns) return false;
    EACH(s, r->seats > 1 ? seat_of(r, r->w->gpu_count) : 0)
        if (ref__mig_fails(r, s)) unreserve(r, s);
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_RESERVED)
            serve(r, j);
        else if (r->jobs[j].state == REF_RUNNING && r->jobs[j].ready_ns <= r->now)
            r->jobs[j].computes = true;
    EACH(n, r->w->node_count)
        if (ref__down_until(r, n) > 0) lose_node(r, n);
    for (; r->faults < r->w->fault_count && r->w->faults[r->faults].time_ns <= r->now; r->faults++)
        strike(r, &r->w->faults[r->faults]);
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_HELD && r->jobs[j].backing_off && r->jobs[j].ready <= r->now)
            r->jobs[j].state = REF_PENDING, r->jobs[j].backing_off = false;
    settle_after(r);
    EACH(j, r->w->job_count)
        if (r->jobs[j].state == REF_FUTURE && r->w->jobs[j].submit_ns <= r->now)
            r->jobs[j].state = ref__pools_of(r, j) != 0 ? REF_HELD : REF_UNSCHEDULABLE;
    do {
        do {
            settle_after(r);
        } while (fifo(r));
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
        if (job->state == REF_RUNNING)
            next = sooner(r, next, job->computes ? end_of(r, j) : job->ready_ns);
        if (job->state == REF_FUTURE) next = sooner(r, next, submit);
        if (job->state == REF_RESERVED) next = sooner(r, next, job->serves);
        if (job->state == REF_HELD && job->backing_off) next = sooner(r, next, job->ready);
        if (job->state < REF_RUNNING && patience != REF_NEVER)
            next = sooner(r, next, submit + patience);
    }
    EACH(f, r->w->fault_count)
        next = sooner(r, next, r->w->faults[f].time_ns);
    EACH(s, r->seats > 1 ? seat_of(r, r->w->gpu_count) : 0)
        next = sooner(r, next, r->slices[s].serves); /* even if nobody waits for it any more */
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
        if (!job->computes) continue;
        bool blurred;
        u128 speed = speed_of(r, j, &blurred), work = speed * (uint64_t)(to - r->now);
        job->blurred = job->blurred || blurred;
        job->left = work < job->left ? job->left - work : 0; /* its end was rounded up */
    }
    r->now = to;
}

/* Seats, slices and jobs; false if there is no room for them. */
static bool set_up(struct run *r)
{
    bool mig = false, small = r->w->node_count <= REF_NODES;
    size_t jobs = r->w->job_count;
    EACH(p, r->w->pool_count) {
        mig = mig || r->w->pools[p].mode == REF_MIG;
        small = small && r->w->pools[p].gpus_per_node <= REF_NODE_GPUS;
    }
    r->seats = mig ? REF_SLICES : 1;
    r->width = r->w->gpu_count * r->seats + r->w->node_count;
    r->jobs = calloc(jobs + 1, sizeof *r->jobs);
    r->take = calloc((jobs + 1) * r->width, sizeof *r->take);
    r->slices = calloc(3 * r->width, sizeof *r->slices);
    if (!small || r->jobs == NULL || r->take == NULL || r->slices == NULL) return false;
    r->draft = r->slices + r->width;
    r->other = r->slices + 2 * r->width;
    EACH(n, mig ? r->w->node_count : 0) {
        const struct ref_pool *p = &r->w->pools[r->w->nodes[n].pool];
        EACH_GPU(g, &r->w->nodes[n])
            if (p->mode == REF_MIG) ref__mig_reset(r, r->slices, p, g);
    }
    memcpy(r->other, r->slices, r->width * sizeof *r->slices);
    EACH(j, jobs) {
        r->jobs[j] = (struct live){
            .start = REF_ABSENT, .end = REF_ABSENT, .on = r->take + (j + 1) * r->width};
        r->jobs[j].left = (u128)(uint64_t)r->w->jobs[j].work_ns * r->exact.one;
        r->out[j] = (struct ref_outcome){.node = REF_NONE, .gpu = REF_NONE};
    }
    return true;
}

enum ref_verdict ref_run(struct ref_outcome *outcomes, const struct ref_world *world,
                         const uint8_t *flip)
{
    struct run r = {.w = world, .out = outcomes, .flip = flip, .seen = world->job_count, .now = -1};
    enum ref_verdict verdict = REF_OUTSIDE;
    if (!exact_init(&r.exact, world) || !set_up(&r)) goto out;
    verdict = REF_OK;
    for (int64_t next; r.now < world->horizon_ns && (next = next_instant(&r)) != REF_NEVER;) {
        advance(&r, next);
        while (one_round(&r)) {
        }
    }
    EACH(j, world->job_count) {
        outcomes[j].state = r.jobs[j].state;
        outcomes[j].start_ns = r.jobs[j].start, outcomes[j].end_ns = r.jobs[j].end;
        if (r.jobs[j].state < REF_DONE && world->horizon_ns == REF_NEVER) verdict = REF_STUCK;
    }
out:
    free(r.jobs);
    free(r.take);
    free(r.slices);
    return verdict;
}
