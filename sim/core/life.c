#include "sim/core/engine.h"

/* A job's way through its states (semantics.md, section 3). Nothing here asks what a policy wants:
 * by the time a job starts, api.c has checked that it may. */

static uint32_t live_take(struct pt_sim *sim)
{
    uint32_t index = sim->live_free;
    if (index != PT_NONE)
        sim->live_free = sim->live[index].next;
    else
        index = sim->live_used++;
    return index;
}

static void live_give(struct pt_sim *sim, pt_job job)
{
    uint32_t index = sim->live_of[job];
    if (index == PT_NONE) return;
    sim->live[index].next = sim->live_free;
    sim->live[index].job = PT_NONE;
    sim->live_free = index;
    sim->live_of[job] = PT_NONE;
}

static void set_state(struct pt_sim *sim, pt_job job, enum pt_job_state state)
{
    sim->state[job] = (uint8_t)((sim->state[job] & PT_STARTED_BIT) | (uint8_t)state);
}

static uint32_t place_of(const struct pt_sim *sim, pt_job job)
{
    return sim->place == NULL ? job : sim->place[job];
}

static void queue_enter(struct pt_sim *sim, pt_job job)
{
    pt__account_queue(sim);
    set_state(sim, job, PT_STATE_PENDING);
    pt_bitset_add(&sim->pending, place_of(sim, job));
    if (++sim->pending_count > sim->stats.queue_length_max)
        sim->stats.queue_length_max = sim->pending_count;
    if (sim->world.policy->on_pending != NULL)
        sim->world.policy->on_pending(sim->policy_state, &sim->ctx, job);
}

static void queue_leave(struct pt_sim *sim, pt_job job)
{
    pt__account_queue(sim);
    pt_bitset_remove(&sim->pending, place_of(sim, job));
    sim->pending_count--;
}

static void hold(struct pt_sim *sim, pt_job job, enum pt_reason reason)
{
    set_state(sim, job, PT_STATE_HELD);
    sim->held_count++;
    pt__emit(sim, PT_EVENT_HELD, job, PT_NONE, 0, reason);
}

/* The job reaches a state that nothing leaves; its successors are not looked at. */
static void close_job(struct pt_sim *sim, pt_job job, enum pt_job_state state,
                      enum pt_event_kind kind, enum pt_reason reason)
{
    if (pt__state(sim, job) == PT_STATE_HELD) sim->held_count--;
    uint32_t home = sim->live_of[job] == PT_NONE ? PT_NONE : sim->live[sim->live_of[job]].home;
    set_state(sim, job, state);
    sim->final_count++;
    pt__emit(sim, kind, job, home, 0, reason);
    pt__emit_result(sim, job, state == PT_STATE_UNSCHEDULABLE ? PT_TIME_ABSENT : sim->now_ns,
                    reason);
    live_give(sim, job);
}

/* A job did not end well: who comes after it can't run, nor who comes after those. */
static void doom_successors(struct pt_sim *sim, pt_job job)
{
    const struct pt_trace *trace = sim->world.trace;
    if (trace->successor_first == NULL) return;
    uint32_t count = 0;
    sim->doomed[count++] = job;
    while (count > 0) {
        pt_job from = sim->doomed[--count];
        for (uint32_t i = trace->successor_first[from]; i < trace->successor_first[from + 1]; i++) {
            pt_job next = trace->successor[i];
            if (sim->waits_for[next] == PT_NONE) continue; /* doomed before */
            sim->waits_for[next] = PT_NONE;
            if (pt__state(sim, next) != PT_STATE_HELD) continue; /* said when it is submitted */
            close_job(sim, next, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE,
                      PT_REASON_PREDECESSOR);
            sim->doomed[count++] = next;
        }
    }
}

static void close_badly(struct pt_sim *sim, pt_job job, enum pt_job_state state,
                        enum pt_event_kind kind, enum pt_reason reason)
{
    close_job(sim, job, state, kind, reason);
    doom_successors(sim, job);
}

static void free_successors(struct pt_sim *sim, pt_job job)
{
    const struct pt_trace *trace = sim->world.trace;
    if (trace->successor_first == NULL) return;
    for (uint32_t i = trace->successor_first[job]; i < trace->successor_first[job + 1]; i++) {
        pt_job next = trace->successor[i];
        if (sim->waits_for[next] == PT_NONE || --sim->waits_for[next] > 0) continue;
        if (pt__state(sim, next) != PT_STATE_HELD) continue; /* not submitted yet */
        sim->held_count--;
        pt__emit(sim, PT_EVENT_PENDING, next, PT_NONE, 0, PT_REASON_NONE);
        queue_enter(sim, next);
    }
}

void pt__life_submit(struct pt_sim *sim, pt_job job)
{
    const struct pt_class *class_ = pt__class(sim, job);
    pt__emit(sim, PT_EVENT_SUBMIT, job, PT_NONE, class_->units, PT_REASON_NONE);
    if (class_->pools == 0)
        close_badly(sim, job, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE,
                    (enum pt_reason)class_->reason);
    else if (sim->waits_for != NULL && sim->waits_for[job] == PT_NONE)
        close_badly(sim, job, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE,
                    PT_REASON_PREDECESSOR);
    else if (sim->waits_for != NULL && sim->waits_for[job] > 0)
        hold(sim, job, PT_REASON_AFTER);
    else
        queue_enter(sim, job);
}

static void member_add(struct pt_sim *sim, uint32_t live, uint32_t gpu)
{
    uint32_t index = sim->member_free;
    if (index != PT_NONE)
        sim->member_free = sim->member[index].job_next;
    else
        index = sim->member_used++;
    struct pt_member *member = &sim->member[index];
    struct pt_gpu *g = &sim->gpus[gpu];
    *member = (struct pt_member){.live = live, .gpu = gpu};
    member->job_next = sim->live[live].first_member;
    sim->live[live].first_member = index;
    if (g->first == PT_NONE) {
        g->first = member->gpu_prev = member->gpu_next = index;
    } else {
        struct pt_member *first = &sim->member[g->first];
        member->gpu_next = g->first;
        member->gpu_prev = first->gpu_prev;
        sim->member[first->gpu_prev].gpu_next = index;
        first->gpu_prev = index;
    }
    pt__slots_load(sim, gpu, g->load + 1);
    pt__settle_gpu_dirty(sim, gpu);
}

static void member_drop(struct pt_sim *sim, uint32_t index)
{
    struct pt_member *member = &sim->member[index];
    struct pt_gpu *g = &sim->gpus[member->gpu];
    if (member->gpu_next == index) {
        g->first = PT_NONE;
    } else {
        sim->member[member->gpu_prev].gpu_next = member->gpu_next;
        sim->member[member->gpu_next].gpu_prev = member->gpu_prev;
        if (g->first == index) g->first = member->gpu_next;
    }
    pt__slots_load(sim, member->gpu, g->load - 1);
    pt__settle_gpu_dirty(sim, member->gpu);
}

/* The list a running job hangs in: its home GPU's, or its node's when it has no GPU. */
static uint32_t *home_list(struct pt_sim *sim, const struct pt_live *live)
{
    return live->cpu_only ? &sim->nodes[sim->gpus[live->home].node].cpu_first
                          : &sim->gpus[live->home].home_first;
}

static void home_enter(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    uint32_t *first = home_list(sim, live);
    live->home_prev = PT_NONE;
    live->home_next = *first;
    if (*first != PT_NONE) sim->live[*first].home_prev = index;
    *first = index;
}

static void home_leave(struct pt_sim *sim, const struct pt_live *live)
{
    if (live->home_prev != PT_NONE)
        sim->live[live->home_prev].home_next = live->home_next;
    else
        *home_list(sim, live) = live->home_next;
    if (live->home_next != PT_NONE) sim->live[live->home_next].home_prev = live->home_prev;
}

/* Host resources go by node: takes or gives back each node's part, once per node. */
static void host_change(struct pt_sim *sim, const struct pt_live *live, bool take)
{
    const struct pt_class *class_ = pt__class(sim, live->job);
    if (live->cpu_only) {
        pt__slots_host(sim, sim->gpus[live->home].node, class_, 0, take);
        return;
    }
    if (!sim->pools[live->pool].bound_host || (class_->cpus_milli == 0 && class_->mem_mib == 0))
        return;
    pt__next_mark(sim);
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        uint32_t node = sim->gpus[sim->member[m].gpu].node;
        if (sim->node_mark[node] != sim->mark) {
            sim->node_mark[node] = sim->mark;
            sim->node_units[node] = 0;
        }
        sim->node_units[node]++;
    }
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        uint32_t node = sim->gpus[sim->member[m].gpu].node;
        if (sim->node_units[node] == 0) continue;
        pt__slots_host(sim, node, class_, sim->node_units[node], take);
        sim->node_units[node] = 0;
    }
}

/* Stops a running job where it stands: all its units are free again, at once. */
static void release(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    uint32_t mib = pt__gpu_memory(sim, live->job);
    int64_t ran_ns = sim->now_ns - live->attempt_ns;
    uint32_t tenants = sim->world.tenant_count, tenant = pt__tenant(sim, live->job);
    sim->tenant_held[(size_t)live->pool * tenants + tenant] +=
        (pt_u128)(uint64_t)ran_ns * live->unit_count;
    live->running_ns += ran_ns;
    host_change(sim, live, false);
    home_leave(sim, live);
    if (live->cpu_only)
        pt_heap_remove(&sim->cpu_heap, index);
    else
        pt__settle_home_dirty(sim, live->home);
    for (uint32_t m = live->first_member, next; m != PT_NONE; m = next) {
        next = sim->member[m].job_next;
        sim->gpus[sim->member[m].gpu].mem_used_mib -= mib;
        member_drop(sim, m);
        sim->member[m].job_next = sim->member_free;
        sim->member_free = m;
    }
    live->first_member = PT_NONE;
    live->running = false;
    live->speed = 0;
    live->end_ns = PT_NEVER;
    sim->running_count--;
    sim->released |= PT_POOL_BIT(live->pool);
}

/* Another attempt later, or at once where there is no back-off. */
static void back_off(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    int64_t backoff_ns = sim->world.retries.backoff_ns;
    if (backoff_ns == 0) {
        pt__emit(sim, PT_EVENT_PENDING, live->job, PT_NONE, 0, PT_REASON_NONE);
        queue_enter(sim, live->job);
        return;
    }
    live->due_ns = backoff_ns > PT_NEVER - sim->now_ns ? PT_NEVER : sim->now_ns + backoff_ns;
    live->next = PT_NONE; /* the back-off is the same for all: a queue keeps them in order */
    if (sim->backoff_first == PT_NONE)
        sim->backoff_first = index;
    else
        sim->live[sim->backoff_last].next = index;
    sim->backoff_last = index;
    hold(sim, live->job, PT_REASON_BACKOFF);
}

void pt__life_back(struct pt_sim *sim, uint32_t index)
{
    pt_job job = sim->live[index].job;
    sim->backoff_first = sim->live[index].next;
    sim->held_count--;
    pt__emit(sim, PT_EVENT_PENDING, job, PT_NONE, 0, PT_REASON_NONE);
    queue_enter(sim, job);
}

/* Would the newcomer's allocation fail? Units of one job on one GPU allocate one by one. */
static bool out_of_memory(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    const struct pt_pool *pool = sim->pools[units->pool].pool;
    uint32_t mib = pt__gpu_memory(sim, job);
    if (!pool->shape.memory_oom || mib == 0) return false;
    bool fails = false;
    uint32_t taken = 0;
    for (; taken < units->count && !fails; taken++) {
        uint32_t *used = &sim->gpus[units->gpus[taken]].mem_used_mib;
        fails = mib > pool->gpu->mem_mib - *used;
        if (fails) break;
        *used += mib;
    }
    while (taken > 0)
        sim->gpus[units->gpus[--taken]].mem_used_mib -= mib;
    return fails;
}

static void attempt_fails(struct pt_sim *sim, uint32_t index, uint32_t *failures, uint32_t retries,
                          enum pt_event_kind kind, enum pt_reason reason)
{
    struct pt_live *live = &sim->live[index];
    pt_job job = live->job;
    if (*failures < PT_NONE) ++*failures;
    pt__emit(sim, kind, job, live->home, live->attempts, reason);
    if (retries != PT_NONE && *failures > retries) {
        sim->last_end_ns = sim->now_ns;
        sim->any_end = true;
        close_badly(sim, job, PT_STATE_FAILED, PT_EVENT_FAILED, reason);
    } else {
        back_off(sim, index);
    }
}

static uint32_t live_open(struct pt_sim *sim, pt_job job)
{
    uint32_t index = sim->live_of[job];
    if (index != PT_NONE) return index;
    index = live_take(sim);
    uint32_t units = pt__class(sim, job)->units;
    sim->live_of[job] = index;
    sim->live[index] = (struct pt_live){.left = (pt_u128)(uint64_t)sim->work_ns[job] << 60,
                                        .end_ns = PT_NEVER,
                                        .start_ns = sim->now_ns,
                                        .job = job,
                                        .first_member = PT_NONE,
                                        .unit_count = units,
                                        .cpu_only = units == 0};
    sim->state[job] |= PT_STARTED_BIT;
    sim->started_count++;
    return index;
}

static uint32_t lowest(const struct pt_sim *sim, const struct pt_units *units)
{
    if (units->count == 0) {
        const struct pt_pool *pool = sim->pools[units->pool].pool;
        return pool->first_gpu + (units->node - pool->first_node) * pool->gpus_per_node;
    }
    uint32_t gpu = units->gpus[0];
    for (uint32_t i = 1; i < units->count; i++)
        if (units->gpus[i] < gpu) gpu = units->gpus[i];
    return gpu;
}

enum pt_status pt__life_start(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    uint32_t index = live_open(sim, job);
    struct pt_live *live = &sim->live[index];
    queue_leave(sim, job);
    live->pool = (uint8_t)units->pool;
    live->home = lowest(sim, units);
    if (live->attempts < UINT16_MAX) live->attempts++;
    if (out_of_memory(sim, job, units)) {
        sim->stats.oom_events++;
        attempt_fails(sim, index, &live->ooms, sim->world.retries.oom, PT_EVENT_OOM, PT_REASON_OOM);
        return PT_OK;
    }
    set_state(sim, job, PT_STATE_RUNNING);
    live->running = true;
    live->attempt_ns = live->last_ns = sim->now_ns;
    sim->running_count++;
    sim->pools[units->pool].jobs_started++;
    pt__emit(sim, PT_EVENT_START, job, live->home, units->count, PT_REASON_NONE);
    uint32_t mib = pt__gpu_memory(sim, job);
    bool home_said = false;
    for (uint32_t i = 0; i < units->count; i++) {
        uint32_t gpu = units->gpus[i];
        sim->gpus[gpu].mem_used_mib += mib;
        member_add(sim, index, gpu);
        if (gpu == live->home && !home_said)
            home_said = true; /* the start event names it */
        else
            pt__emit(sim, PT_EVENT_UNIT, job, gpu, 1, PT_REASON_NONE);
    }
    home_enter(sim, index);
    host_change(sim, live, true);
    if (units->count == 0) pt__settle_live_dirty(sim, index);
    return PT_OK;
}

void pt__life_done(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    pt_job job = live->job;
    pt_u128 done = (pt_u128)live->speed * (uint64_t)(sim->now_ns - live->last_ns);
    pt_u128 off = done > live->left ? done - live->left : live->left - done;
    if (off > live->speed / 2 + 1)
        pt__break(sim, PT_ERR_INVARIANT, "event %llu: job %u ends with work left or overdone",
                  (unsigned long long)sim->stats.events, job);
    live->left = 0;
    live->last_ns = sim->now_ns;
    sim->last_end_ns = sim->now_ns;
    sim->any_end = true;
    release(sim, index);
    close_job(sim, job, PT_STATE_DONE, PT_EVENT_DONE, PT_REASON_NONE);
    free_successors(sim, job);
}

/* Work that survives a fault: what was done up to the last multiple of checkpoint_s, in work. */
static pt_u128 checkpointed(const struct pt_sim *sim, pt_job job, pt_u128 done)
{
    int64_t every_ns = pt_trace_time(sim->world.trace, PT_COL_CHECKPOINT, job);
    if (every_ns == PT_NEVER) return done;
    if (every_ns == PT_TIME_ABSENT || every_ns == 0) return 0;
    return done - done % ((pt_u128)(uint64_t)every_ns << 60);
}

static void fault(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    pt_u128 total = (pt_u128)(uint64_t)sim->work_ns[live->job] << 60;
    pt__settle_advance(sim, live);
    live->left = total - checkpointed(sim, live->job, total - live->left);
    release(sim, index);
    sim->stats.faults++;
    attempt_fails(sim, index, &live->faults, sim->world.retries.fault, PT_EVENT_FAULT,
                  PT_REASON_FAULT);
}

void pt__life_node_down(struct pt_sim *sim, uint32_t node)
{
    const struct pt_pool *pool = pt__pool_of_node(sim, node)->pool;
    uint32_t first = pool->first_gpu + (node - pool->first_node) * pool->gpus_per_node;
    pt__emit(sim, PT_EVENT_NODE_DOWN, PT_NONE, first, 0, PT_REASON_NONE);
    while (sim->nodes[node].cpu_first != PT_NONE)
        fault(sim, sim->nodes[node].cpu_first);
    for (uint32_t gpu = first; gpu < first + pool->gpus_per_node; gpu++)
        while (sim->gpus[gpu].first != PT_NONE)
            fault(sim, sim->member[sim->gpus[gpu].first].live);
    pt__slots_node_up(sim, node, false);
}

void pt__life_withdraw(struct pt_sim *sim, pt_job job)
{
    if (pt__state(sim, job) == PT_STATE_PENDING) {
        queue_leave(sim, job);
        if (sim->world.policy->on_withdrawn != NULL)
            sim->world.policy->on_withdrawn(sim->policy_state, &sim->ctx, job);
    }
    close_badly(sim, job, PT_STATE_WITHDRAWN, PT_EVENT_WITHDRAWN, PT_REASON_GAVE_UP);
}

void pt__life_end_of_world(struct pt_sim *sim, enum pt_reason reason)
{
    for (pt_job job = 0; job < sim->job_count; job++) {
        if (pt_job_state_is_final(pt__state(sim, job))) continue;
        pt__emit_result(sim, job, PT_TIME_ABSENT, reason);
        if (sim->live_of[job] == PT_NONE || !sim->live[sim->live_of[job]].running) continue;
        const struct pt_live *live = &sim->live[sim->live_of[job]];
        uint32_t tenant = pt__tenant(sim, job);
        sim->tenant_held[(size_t)live->pool * sim->world.tenant_count + tenant] +=
            (pt_u128)(uint64_t)(sim->now_ns - live->attempt_ns) * live->unit_count;
    }
}
