#include "sim/core/engine.h"

#include <gsl/gsl_sort_uint.h>
#include <stdio.h>
#include <time.h>

/* The run: from instant to instant, each in the order of semantics.md, section 2. */

#define MEASURED_PASSES 32   /* one in so many is timed: a clock costs as much as a pass */
#define IDLE_ROUNDS_MAX 1000 /* rounds at one instant in which nothing but timers happened */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the next job that has never started gives up; PT_NEVER if none can. */
static int64_t next_give_up(struct pt_sim *sim)
{
    if (sim->world.give_up_ns == PT_NEVER) return PT_NEVER;
    while (sim->next_give_up < sim->next_arrival &&
           (pt__started(sim, sim->next_give_up) ||
            pt_job_state_is_final(pt__state(sim, sim->next_give_up))))
        sim->next_give_up++;
    if (sim->next_give_up == sim->next_arrival) return PT_NEVER;
    int64_t submit_ns = sim->submit_ns[sim->next_give_up];
    return sim->world.give_up_ns > PT_NEVER - submit_ns ? PT_NEVER
                                                        : submit_ns + sim->world.give_up_ns;
}

/* When all jobs have ended, only nodes that go and come matter, and they up to a horizon. */
static int64_t next_change(const struct pt_sim *sim)
{
    bool none = sim->world.horizon_ns == PT_NEVER || sim->change_next == sim->change_count;
    return none ? PT_NEVER : sim->change[sim->change_next].time_ns;
}

static int64_t next_instant(struct pt_sim *sim)
{
    if (sim->final_count == sim->job_count) return next_change(sim);
    int64_t t = pt_heap_key_time(pt_heap_top(&sim->heap)); /* -1 when empty: all ones */
    if (sim->heap.count == 0) t = PT_NEVER;
    if (sim->cpu_heap.count > 0) t = earlier(t, pt_heap_key_time(pt_heap_top(&sim->cpu_heap)));
    if (sim->next_arrival < sim->job_count) t = earlier(t, sim->submit_ns[sim->next_arrival]);
    if (sim->change_next < sim->change_count) t = earlier(t, sim->change[sim->change_next].time_ns);
    if (sim->backoff_first != PT_NONE) t = earlier(t, sim->live[sim->backoff_first].due_ns);
    if (sim->wake_count > 0) t = earlier(t, sim->wakes[0]);
    if (sim->change_heap.count > 0)
        t = earlier(t, pt_heap_key_time(pt_heap_top(&sim->change_heap)));
    if (sim->ready_heap.count > 0) t = earlier(t, pt_heap_key_time(pt_heap_top(&sim->ready_heap)));
    if (sim->turn_heap.count > 0) t = earlier(t, pt_heap_key_time(pt_heap_top(&sim->turn_heap)));
    t = earlier(t, next_give_up(sim));
    if (sim->faulty && t != PT_NEVER)
        t = earlier(t, pt__faults_next(sim)); /* alone they end never */
    return t;
}

/* The heap's slots whose time is now: a tree's top, found without moving anything. */
static uint32_t due_slots(const struct pt_sim *sim, uint32_t *slots)
{
    const struct pt_heap *heap = &sim->heap;
    pt_u128 limit = pt_heap_key(sim->now_ns, PT_NONE, PT_NONE);
    uint32_t count = 0;
    if (heap->key[PT_HEAP_ROOT] <= limit) slots[count++] = PT_HEAP_ROOT;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = pt_heap_first_child(slots[i]);
        if (child >= PT_HEAP_ROOT + heap->count) continue;
        for (uint32_t k = child; k < child + 4; k++)
            if (heap->key[k] <= limit) slots[count++] = k;
    }
    return count;
}

/* Jobs that end now: all at home on GPUs that are due, and those without GPUs. */
static uint32_t due_jobs(struct pt_sim *sim)
{
    uint32_t gpus = due_slots(sim, sim->dirty_home), count = 0;
    for (uint32_t i = 0; i < gpus; i++) {
        uint32_t gpu = pt_heap_key_item(sim->heap.key[sim->dirty_home[i]]);
        for (uint32_t l = sim->gpus[gpu].home_first; l != PT_NONE; l = sim->live[l].home_next)
            if (sim->live[l].end_ns == sim->now_ns) sim->due_jobs[count++] = sim->live[l].job;
    }
    while (sim->cpu_heap.count > 0 &&
           pt_heap_key_time(pt_heap_top(&sim->cpu_heap)) == sim->now_ns) {
        uint32_t live = pt_heap_key_item(pt_heap_top(&sim->cpu_heap));
        sim->due_jobs[count++] = sim->live[live].job;
        pt_heap_remove(&sim->cpu_heap, live);
    }
    return count;
}

/* Work that ends now, by trace order. The GPUs' keys follow when the instant is settled. */
static uint32_t drain_ends(struct pt_sim *sim)
{
    uint32_t count = due_jobs(sim);
    if (count > 1) gsl_sort_uint(sim->due_jobs, 1, count);
    for (uint32_t i = 0; i < count; i++) {
        sim->stats.events++;
        pt__life_done(sim, sim->live_of[sim->due_jobs[i]]);
    }
    return count;
}

/* Instances, cold starts and restores that are ready now. */
static uint32_t drain_ready(struct pt_sim *sim)
{
    uint32_t count = pt__change_due(sim);
    while (sim->ready_heap.count > 0 &&
           pt_heap_key_time(pt_heap_top(&sim->ready_heap)) == sim->now_ns) {
        uint32_t live = pt_heap_key_item(pt_heap_top(&sim->ready_heap));
        pt_heap_remove(&sim->ready_heap, live);
        pt__life_ready(sim, live);
        sim->stats.events++;
        count++;
    }
    return count;
}

/* The GPUs of a node that came or went draw other power. */
static void node_dirty(struct pt_sim *sim, uint32_t node)
{
    const struct pt_pool *pool = pt__pool_of_node(sim, node)->pool;
    uint32_t first = pool->first_gpu + (node - pool->first_node) * pool->gpus_per_node;
    for (uint32_t gpu = first; sim->world.energy && gpu < first + pool->gpus_per_node; gpu++)
        pt__settle_gpu_dirty(sim, gpu);
}

static uint32_t drain_changes(struct pt_sim *sim)
{
    uint32_t changes = 0;
    for (; sim->change_next < sim->change_count; sim->change_next++, changes++) {
        const struct pt_node_change *change = &sim->change[sim->change_next];
        if (change->time_ns != sim->now_ns) break;
        struct pt_pool_state *pool = pt__pool_of_node(sim, change->node);
        sim->stats.events++;
        node_dirty(sim, change->node);
        if (change->up) {
            pt__slots_node_up(sim, change->node, true);
            pt__emit(sim, PT_EVENT_NODE_UP, PT_NONE,
                     pool->pool->first_gpu +
                         (change->node - pool->pool->first_node) * pool->pool->gpus_per_node,
                     0, PT_REASON_NONE);
            sim->released |= PT_POOL_BIT(sim->world.cluster->nodes[change->node].pool);
        } else {
            pt__faults_node_down(sim, change->node);
            pool->nodes_for_ever += change->for_ever;
            if (!change->for_ever) continue;
            pt__classes_refit(sim);
            sim->released = UINT64_MAX; /* who waits for what is lost holds nobody back any more */
        }
    }
    return changes;
}

static void wake_pop(struct pt_sim *sim)
{
    int64_t last = sim->wakes[--sim->wake_count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < sim->wake_count; i = child) {
        if (child + 1 < sim->wake_count && sim->wakes[child + 1] < sim->wakes[child]) child++;
        if (sim->wakes[child] >= last) break;
        sim->wakes[i] = sim->wakes[child];
    }
    sim->wakes[i] = last;
}

static uint32_t drain_timers(struct pt_sim *sim)
{
    uint32_t back = 0;
    while (sim->backoff_first != PT_NONE && sim->live[sim->backoff_first].due_ns == sim->now_ns) {
        pt__life_back(sim, sim->backoff_first);
        sim->stats.events++;
        back++;
    }
    bool woken = false;
    while (sim->wake_count > 0 && sim->wakes[0] == sim->now_ns) {
        wake_pop(sim);
        sim->stats.events++;
        woken = true;
    }
    if (woken && sim->world.policy->on_timer != NULL)
        sim->world.policy->on_timer(sim->policy_state, &sim->ctx);
    return back;
}

static uint32_t drain_arrivals(struct pt_sim *sim)
{
    uint32_t arrivals = 0;
    for (; sim->next_arrival < sim->job_count && sim->submit_ns[sim->next_arrival] == sim->now_ns;
         arrivals++) {
        sim->stats.events++;
        pt__life_submit(sim, sim->next_arrival++);
    }
    return arrivals;
}

static uint64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned bucket_of(uint64_t ns)
{
    if (ns < 8) return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return 8 * (power - 2) + (unsigned)(ns >> (power - 3) & 7);
}

/* The least time that falls into the bucket. */
static uint64_t bucket_ns(unsigned bucket)
{
    if (bucket < 8) return bucket;
    return (uint64_t)(8 + bucket % 8) << (bucket / 8 - 1);
}

uint64_t pt__decision_quantile(const struct pt_sim *sim, unsigned percent)
{
    uint64_t all = 0, seen = 0;
    for (unsigned i = 0; i < PT_DECISION_BUCKETS; i++)
        all += sim->decision_count[i];
    for (unsigned i = 0; i < PT_DECISION_BUCKETS; i++) {
        seen += sim->decision_count[i];
        if (all > 0 && seen * 100 >= all * percent) return bucket_ns(i);
    }
    return 0;
}

/* One pass: the policy is asked until it acts no more. */
static bool pass(struct pt_sim *sim)
{
    const struct pt_policy_ops *policy = sim->world.policy;
    bool measured = sim->world.measure && sim->stats.passes % MEASURED_PASSES == 0;
    uint64_t before = measured ? wall_ns() : 0;
    bool acted = false;
    do {
        if (sim->released != 0 && policy->on_release != NULL)
            policy->on_release(sim->policy_state, &sim->ctx, sim->released);
        sim->released = 0;
        sim->acted = false;
        enum pt_status status = policy->schedule(sim->policy_state, &sim->ctx);
        if (status != PT_OK)
            pt__break(sim, status == PT_ERR_REFUSED ? PT_ERR_POLICY : status,
                      "policy %s gave up: %s", policy->name, pt_status_text(status));
        acted |= sim->acted;
    } while (sim->acted && sim->pending_count > 0 && sim->error.status == PT_OK);
    sim->stats.passes++;
    if (measured) {
        uint64_t took_ns = wall_ns() - before;
        sim->stats.policy_ns += MEASURED_PASSES * took_ns;
        sim->decision_count[bucket_of(took_ns)]++;
    }
    return acted;
}

static bool give_ups(struct pt_sim *sim)
{
    bool any = false;
    while (next_give_up(sim) == sim->now_ns) {
        pt__life_withdraw(sim, sim->next_give_up);
        any = true;
    }
    return any;
}

static enum pt_status instant(struct pt_sim *sim)
{
    uint32_t happened = drain_ends(sim);
    happened += drain_ready(sim);
    happened += drain_changes(sim);
    if (sim->faulty) happened += pt__faults_due(sim);
    if (sim->turn != NULL) happened += pt__turns_due(sim);
    happened += drain_timers(sim);
    happened += drain_arrivals(sim);
    bool acted = pass(sim);
    while (sim->error.status == PT_OK && give_ups(sim)) { /* a queue that moved up may go on */
        acted = true;
        pass(sim);
    }
    pt__settle(sim);
    sim->stats.instants++;
    sim->idle_rounds = happened > 0 || acted ? 0 : sim->idle_rounds + 1;
    if (sim->idle_rounds > IDLE_ROUNDS_MAX)
        pt__break(sim, PT_ERR_POLICY,
                  "policy %s acts for ever at one instant: it only wakes itself",
                  sim->world.policy->name);
    if (sim->error.status == PT_OK && sim->world.check) pt__check(sim);
    return sim->error.status;
}

static enum pt_status world_ends(struct pt_sim *sim, enum pt_reason reason)
{
    pt__account_finish(sim, reason != PT_REASON_NONE);
    pt__life_end_of_world(sim, reason);
    pt__emit_flush(sim);
    sim->ended = true;
    return sim->error.status;
}

static enum pt_status horizon(struct pt_sim *sim)
{
    pt__account_instant(sim, sim->world.horizon_ns);
    sim->now_ns = sim->world.horizon_ns;
    drain_ends(sim);
    pt__emit(sim, PT_EVENT_HORIZON, PT_NONE, PT_NONE, sim->running_count, PT_REASON_HORIZON);
    return world_ends(sim, PT_REASON_HORIZON);
}

/* All that is left are ends that no clock can show; a neighbour's end has not changed that. */
static enum pt_status out_of_time(struct pt_sim *sim)
{
    char id[PT_ID_BUFFER];
    pt_job first = 0;
    while (pt__state(sim, first) != PT_STATE_RUNNING)
        first++;
    pt__break(sim, PT_ERR_RANGE, "job '%s' would end more than 292 years after the origin",
              pt_trace_id(sim->world.trace, first, id));
    return sim->error.status;
}

static enum pt_status deadlock(struct pt_sim *sim)
{
    char id[PT_ID_BUFFER], why[96] = "";
    pt_job first = 0;
    uint32_t left = sim->job_count - sim->final_count, closed;
    while (pt_job_state_is_final(pt__state(sim, first)))
        first++;
    if (pt__slots_closed(sim, &closed) != 0)
        snprintf(why, sizeof why, "; %u GPU%s out of service: MIG could not be reconfigured",
                 closed, closed == 1 ? " is" : "s are");
    pt__break(sim, PT_ERR_DEADLOCK,
              "%u job%s left that nothing can ever start, the first is '%s'%s", left,
              left == 1 ? " is" : "s are", pt_trace_id(sim->world.trace, first, id), why);
    return sim->error.status;
}

static enum pt_status step(struct pt_sim *sim)
{
    int64_t next_ns = next_instant(sim);
    if (next_ns >= sim->world.horizon_ns && sim->world.horizon_ns != PT_NEVER) return horizon(sim);
    if (next_ns == PT_NEVER && sim->final_count == sim->job_count)
        return world_ends(sim, PT_REASON_NONE);
    if (next_ns == PT_NEVER) return sim->running_count > 0 ? out_of_time(sim) : deadlock(sim);
    if (next_ns > sim->now_ns) {
        if (sim->fresh_count > 0) pt__change_commit(sim);
        pt__account_instant(sim, next_ns);
        sim->now_ns = next_ns;
        sim->actions_now = sim->refused_now = sim->idle_rounds = 0;
    } else if (next_ns < sim->now_ns) {
        pt__break(sim, PT_ERR_INVARIANT, "event %llu: time goes back from %lld ns to %lld ns",
                  (unsigned long long)sim->stats.events, (long long)sim->now_ns,
                  (long long)next_ns);
        return sim->error.status;
    }
    return instant(sim);
}

enum pt_status pt_sim_advance(struct pt_sim *sim, uint64_t instants, bool *finished,
                              struct pt_error *error)
{
    enum pt_status status = sim->error.status;
    for (; status == PT_OK && !sim->ended && instants > 0; instants--)
        status = step(sim);
    *finished = sim->ended;
    if (status != PT_OK && error != NULL) *error = sim->error;
    return status;
}

enum pt_status pt_sim_abandon(struct pt_sim *sim, struct pt_error *error)
{
    if (sim->ended) return PT_OK;
    enum pt_reason reason =
        sim->error.status == PT_ERR_DEADLOCK ? PT_REASON_DEADLOCK : PT_REASON_INTERRUPTED;
    sim->error = (struct pt_error){.status = PT_OK};
    enum pt_status status = world_ends(sim, reason);
    if (status != PT_OK && error != NULL) *error = sim->error;
    return status;
}
