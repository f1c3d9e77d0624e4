#include <math.h>

#include "sim/core/life.h"

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

void pt__set_state(struct pt_sim *sim, pt_job job, enum pt_job_state state)
{
    sim->state[job] = (uint8_t)((sim->state[job] & PT_STARTED_BIT) | (uint8_t)state);
}

static uint32_t place_of(const struct pt_sim *sim, pt_job job)
{
    return sim->place == NULL ? job : sim->place[job];
}

void pt__queue_enter(struct pt_sim *sim, pt_job job, enum pt_job_state state)
{
    pt__account_queue(sim);
    pt__set_state(sim, job, state);
    pt_bitset_add(&sim->pending, place_of(sim, job));
    if (++sim->pending_count > sim->stats.queue_length_max)
        sim->stats.queue_length_max = sim->pending_count;
    if (sim->world.policy->on_pending != NULL)
        sim->world.policy->on_pending(sim->policy_state, &sim->ctx, job);
}

void pt__queue_leave(struct pt_sim *sim, pt_job job)
{
    pt__account_queue(sim);
    pt_bitset_remove(&sim->pending, place_of(sim, job));
    sim->pending_count--;
}

static void hold(struct pt_sim *sim, pt_job job, enum pt_reason reason)
{
    pt__set_state(sim, job, PT_STATE_HELD);
    sim->held_count++;
    pt__emit(sim, PT_EVENT_HELD, job, PT_NONE, 0, reason);
}

/* The job reaches a state that nothing leaves; its successors are not looked at. */
static void close_job(struct pt_sim *sim, pt_job job, enum pt_job_state state,
                      enum pt_event_kind kind, enum pt_reason reason)
{
    if (pt__state(sim, job) == PT_STATE_HELD) sim->held_count--;
    uint32_t home = sim->live_of[job] == PT_NONE ? PT_NONE : sim->live[sim->live_of[job]].home;
    pt__set_state(sim, job, state);
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

void pt__close_badly(struct pt_sim *sim, pt_job job, enum pt_job_state state,
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
        pt__queue_enter(sim, next, PT_STATE_PENDING);
    }
}

void pt__life_submit(struct pt_sim *sim, pt_job job)
{
    const struct pt_class *class_ = pt__class(sim, job);
    pt__emit(sim, PT_EVENT_SUBMIT, job, PT_NONE, class_->units, PT_REASON_NONE);
    if (class_->pools == 0)
        pt__close_badly(sim, job, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE,
                        (enum pt_reason)class_->reason);
    else if (sim->waits_for != NULL && sim->waits_for[job] == PT_NONE)
        pt__close_badly(sim, job, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE,
                        PT_REASON_PREDECESSOR);
    else if (sim->waits_for != NULL && sim->waits_for[job] > 0)
        hold(sim, job, PT_REASON_AFTER);
    else
        pt__queue_enter(sim, job, PT_STATE_PENDING);
}

/* The list a running job hangs in: its home GPU's, or its node's when it has no GPU. */
static uint32_t *home_list(struct pt_sim *sim, const struct pt_live *live)
{
    return live->cpu_only ? &sim->nodes[sim->gpus[live->home].node].cpu_first
                          : &sim->gpus[live->home].home_first;
}

void pt__home_enter(struct pt_sim *sim, uint32_t index)
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
void pt__host_change(struct pt_sim *sim, const struct pt_live *live, bool take)
{
    if (!live->cpu_only && !sim->pools[live->pool].bound_host) return;
    const struct pt_class *class_ = pt__class(sim, live->job);
    if (live->cpu_only) {
        pt__slots_host(sim, sim->gpus[live->home].node, class_, 0, take);
        return;
    }
    if (class_->cpus_milli == 0 && class_->mem_mib == 0) return;
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

/* What the job's units have cost since this attempt began; they leave, or the world ends. */
static void charge(struct pt_sim *sim, struct pt_live *live)
{
    struct pt_pool_state *pool = &sim->pools[live->pool];
    double gpu_s = 0;
    if (sim->split == NULL) { /* nothing has a price */
        live->charged_s = pool->charged_s = NAN;
        return;
    }
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next)
        gpu_s += pt__charge_member(sim, m, live->attempt_ns, true);
    live->charged_s += gpu_s;
    pt__charge_add(sim, (uint32_t)(live - sim->live), gpu_s);
    pool->charged_s += gpu_s;
}

/* Counts what the job has held for its tenant. */
void pt__held(struct pt_sim *sim, const struct pt_live *live)
{
    uint32_t tenant = pt__tenant(sim, live->job);
    const struct pt_need *need = pt__need_of(sim, live->job, live->pool);
    sim->tenant_held[(size_t)live->pool * sim->world.tenant_count + tenant] +=
        (pt_u128)(uint64_t)(sim->now_ns - live->due_ns) *
        ((uint64_t)(live->unit_count - pt__claims_of(sim, (uint32_t)(live - sim->live))) *
         need->capacity);
}

/* The job leaves all its units, at once. */
void pt__vacate(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    pt__held(sim, live);
    if (sim->claim_count > 0 && pt__claims_of(sim, index) > 0)
        pt__claims_drop(sim, index); /* it has taken its host resources with none of them */
    else
        pt__host_change(sim, live, false);
    if (sim->limits && !live->saving) pt__tenants_hold(sim, live->job, live->pool, false);
    home_leave(sim, live);
    if (live->cpu_only)
        pt_heap_remove(&sim->cpu_heap, index);
    else
        pt__settle_home_dirty(sim, live->home);
    if (sim->ready_heap.capacity > 0) pt_heap_remove(&sim->ready_heap, index);
    pt__members_drop(sim, live);
    live->running = live->computing = live->saving = false;
    live->speed = live->speed_bits = 0;
    live->end_ns = PT_NEVER;
    sim->released |= PT_POOL_BIT(live->pool);
}

/* The attempt ends where it stands. */
void pt__unserve(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    charge(sim, live);
    live->running_ns += sim->now_ns - live->attempt_ns;
    pt__vacate(sim, index);
    uint32_t last = sim->running[--sim->running_count];
    sim->running[sim->running_slot[index]] = last;
    sim->running_slot[last] = sim->running_slot[index];
    if (sim->claim_count > 0) pt__claims_settle(sim);
}

void pt__release(struct pt_sim *sim, uint32_t index, enum pt_stop why)
{
    pt__unserve(sim, index);
    if (sim->world.policy->on_stopped != NULL)
        sim->world.policy->on_stopped(sim->policy_state, &sim->ctx, sim->live[index].job, why);
}

/* The policy, which was not told that a job that moves has left, is told that it does not arrive.
 */
static void lost_on_the_way(struct pt_sim *sim, uint32_t index, enum pt_stop why)
{
    if (!sim->live[index].moves) return;
    sim->live[index].moves = false;
    if (sim->world.policy->on_stopped != NULL)
        sim->world.policy->on_stopped(sim->policy_state, &sim->ctx, sim->live[index].job, why);
}

void pt__life_unreserve(struct pt_sim *sim, uint32_t index)
{
    pt_job job = sim->live[index].job;
    pt__vacate(sim, index);
    lost_on_the_way(sim, index, PT_STOP_PREEMPTED);
    sim->live[index].waiting = 0;
    bool paused = sim->live[index].resumes;
    pt__emit(sim, PT_EVENT_PENDING, job, PT_NONE, 0, PT_REASON_MIG_FAILED);
    pt__queue_enter(sim, job, paused ? PT_STATE_PAUSED : PT_STATE_PENDING);
    if (sim->claim_count > 0) pt__claims_settle(sim);
}

void pt__life_stranded(struct pt_sim *sim, uint32_t index)
{
    pt_job job = sim->live[index].job;
    lost_on_the_way(sim, index, PT_STOP_PREEMPTED);
    pt__emit(sim, PT_EVENT_PENDING, job, PT_NONE, 0, PT_REASON_SAVING);
    pt__queue_enter(sim, job, PT_STATE_PAUSED);
}

/* Another attempt later, or at once where there is no back-off. */
static void back_off(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    int64_t backoff_ns = sim->world.retries.backoff_ns;
    if (backoff_ns == 0) {
        pt__emit(sim, PT_EVENT_PENDING, live->job, PT_NONE, 0, PT_REASON_NONE);
        pt__queue_enter(sim, live->job, PT_STATE_PENDING);
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
    pt__queue_enter(sim, job, PT_STATE_PENDING);
}

/* Units of one job on one GPU allocate one by one. */
bool pt__out_of_memory(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    const struct pt_pool *pool = sim->pools[units->pool].pool;
    uint32_t mib = pt__gpu_memory(sim, job, units->pool);
    bool fails = false;
    if (sim->world.interference.ops != NULL && sim->world.interference.ops->fits != NULL)
        for (uint32_t i = 0; i < units->count; i++)
            if (!pt__rate_fits(sim, job, units->pool, units->gpus[i])) return true;
    if (!pool->shape.memory_oom || mib == 0) return false;
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
        pt__close_badly(sim, job, PT_STATE_FAILED, PT_EVENT_FAILED, reason);
    } else {
        back_off(sim, index);
    }
}

uint32_t pt__live_open(struct pt_sim *sim, pt_job job)
{
    uint32_t index = sim->live_of[job];
    if (index != PT_NONE) return index;
    index = live_take(sim);
    uint32_t units = pt__class(sim, job)->units;
    sim->live_of[job] = index;
    sim->live[index] = (struct pt_live){.left = (pt_u128)(uint64_t)sim->work_ns[job] << 60,
                                        .end_ns = PT_NEVER,
                                        .job = job,
                                        .first_member = PT_NONE,
                                        .unit_count = units,
                                        .cpu_only = units == 0};
    if (sim->stall != NULL) sim->stall[index] = (struct pt_stall){.left = sim->live[index].left};
    pt__charge_open(sim, index);
    return index;
}

/* An attempt begins; the first one is the job's start. */
static void attempt_begins(struct pt_sim *sim, struct pt_live *live)
{
    if (live->attempts < UINT16_MAX && !live->resumes) live->attempts++;
    live->resumes = false;
    live->attempt_ns = live->last_ns = sim->now_ns;
    if (pt__started(sim, live->job)) return;
    live->start_ns = sim->now_ns;
    sim->state[live->job] |= PT_STARTED_BIT;
    sim->started_count++;
}

uint32_t pt__home_of(const struct pt_sim *sim, const struct pt_units *units)
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

static void start_said(struct pt_sim *sim, const struct pt_live *live)
{
    pt__emit(sim, PT_EVENT_START, live->job, live->home, live->unit_count, PT_REASON_NONE);
    bool home_said = false;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        if (sim->member[m].gpu == live->home && !home_said)
            home_said = true; /* the start event names it */
        else
            pt__emit(sim, PT_EVENT_UNIT, live->job, sim->member[m].gpu, 1, PT_REASON_NONE);
    }
}

static void compute(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    live->computing = true;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        sim->member[m].computing = true;
        sim->gpus[sim->member[m].gpu].computing++;
        pt__settle_gpu_dirty(sim, sim->member[m].gpu);
    }
    if (live->cpu_only) pt__settle_live_dirty(sim, index);
}

/* base + per_gib for all the device memory that the job holds. */
static int64_t memory_time(const struct pt_sim *sim, const struct pt_live *live, int64_t base_ns,
                           int64_t per_gib_ns)
{
    pt_u128 ns = (pt_u128)(uint64_t)per_gib_ns * pt__gpu_memory(sim, live->job, live->pool) *
                 live->unit_count / 1024;
    ns += (uint64_t)base_ns;
    return ns > (uint64_t)PT_TIME_MAX ? PT_TIME_MAX : (int64_t)ns;
}

int64_t pt__save_ns(const struct pt_sim *sim, const struct pt_live *live)
{
    const struct pt_preemption *how = &sim->world.preemption;
    return memory_time(sim, live, how->save_base_ns, how->save_per_gib_ns);
}

/* Time before the first work of this attempt: a restore where progress was kept, else a cold
 * start. */
static int64_t delay_of(const struct pt_sim *sim, const struct pt_live *live)
{
    const struct pt_restore *restore = &sim->world.restore;
    if (live->left < (pt_u128)(uint64_t)sim->work_ns[live->job] << 60)
        return memory_time(sim, live, restore->base_ns, restore->per_gib_ns);
    const struct pt_jobs_model *model = &sim->world.jobs_model;
    return model->cold_start_ns == NULL ? 0 : model->cold_start_ns(model->ctx, live->job);
}

/* Slow-down of a job alone on what it asked for. Where that is what it gets, it is what the model
 * answers of it there with nobody beside it, so that it then runs at R to the bit. */
static double slow_as_asked(const struct pt_sim *sim, const struct pt_live *live,
                            const struct pt_traits *traits)
{
    const struct pt_interference *law = &sim->world.interference;
    const struct pt_need *need = pt__need_of(sim, live->job, live->pool);
    const struct pt_pool *pool = sim->pools[live->pool].pool;
    const struct pt_unit_shape *shape = &pool->shape;
    if (!need->as_asked)
        return law->ops->alone(traits, need->asked_share, NULL, pool->gpu, law->state);
    bool nested = need->profile != PT_PROFILE_NONE;
    struct pt_resident resident = {.need = need, .traits = traits};
    struct pt_partition part = {.gpu = pool->gpu,
                                .instance =
                                    nested ? &pool->gpu->mig->profiles[need->profile] : NULL,
                                .share = nested ? need->asked_share : 1,
                                .sharing = shape->sharing,
                                .strict = shape->strict,
                                .slots = shape->slots,
                                .switch_loss = shape->switch_loss,
                                .cap_contention = shape->cap_contention,
                                .count = 1,
                                .residents = &resident};
    double slow;
    law->ops->unit(&slow, &part, law->state);
    return slow;
}

static void traits_take(struct pt_sim *sim, uint32_t index)
{
    const struct pt_live *live = &sim->live[index];
    const struct pt_jobs_model *jobs = &sim->world.jobs_model;
    struct pt_live_model *model = &sim->model[index];
    jobs->traits(&model->traits, jobs->ctx, live->job, live->pool);
    model->alone = 1;
    model->need = pt__need_of(sim, live->job, live->pool);
    if (sim->world.interference.ops == NULL || live->cpu_only) return;
    model->alone = slow_as_asked(sim, live, &model->traits);
}

/* Its units begin to serve the job. */
void pt__serve(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    bool moves = live->moves;
    live->moves = false;
    attempt_begins(sim, live);
    pt__set_state(sim, live->job, PT_STATE_RUNNING);
    live->running = true;
    sim->running_slot[index] = sim->running_count;
    sim->running[sim->running_count++] = index;
    sim->pools[live->pool].jobs_started++;
    start_said(sim, live);
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next)
        pt__charge_join(sim, m);
    if (sim->model != NULL) traits_take(sim, index);
    if (sim->world.policy->on_started != NULL)
        sim->world.policy->on_started(sim->policy_state, &sim->ctx, live->job);
    int64_t delay_ns = delay_of(sim, live), save_ns = moves ? pt__save_ns(sim, live) : 0;
    delay_ns = save_ns > PT_TIME_MAX - delay_ns ? PT_TIME_MAX : delay_ns + save_ns;
    if (delay_ns <= 0) {
        compute(sim, index);
        return;
    }
    int64_t due_ns = delay_ns > PT_TIME_MAX - sim->now_ns ? PT_TIME_MAX : sim->now_ns + delay_ns;
    pt_heap_set(&sim->ready_heap, pt_heap_key(due_ns, live->job, index));
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next)
        pt__settle_gpu_dirty(sim, sim->member[m].gpu); /* its power */
}

void pt__life_served(struct pt_sim *sim, uint32_t index)
{
    pt__serve(sim, index);
}

void pt__life_ready(struct pt_sim *sim, uint32_t index)
{
    if (sim->live[index].saving) {
        pt__life_saved(sim, index);
        return;
    }
    pt__emit(sim, PT_EVENT_READY, sim->live[index].job, sim->live[index].home, 0, PT_REASON_NONE);
    compute(sim, index);
}

void pt__fails_for_memory(struct pt_sim *sim, uint32_t index)
{
    lost_on_the_way(sim, index, PT_STOP_FAILED_ATTEMPT);
    attempt_begins(sim, &sim->live[index]);
    sim->stats.oom_events++;
    attempt_fails(sim, index, &sim->live[index].ooms, sim->world.retries.oom, PT_EVENT_OOM,
                  PT_REASON_OOM);
}

enum pt_status pt__life_start(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    uint32_t index = pt__live_open(sim, job);
    struct pt_live *live = &sim->live[index];
    pt__queue_leave(sim, job);
    live->pool = (uint8_t)units->pool;
    live->home = pt__home_of(sim, units);
    live->waiting = 0;
    if (pt__out_of_memory(sim, job, units)) {
        pt__fails_for_memory(sim, index);
        return PT_OK;
    }
    live->due_ns = sim->now_ns;
    if (sim->limits) {
        pt__tenants_hold(sim, live->job, live->pool, true);
        sim->released = UINT64_MAX; /* who is at its limit now holds back nobody any more */
    }
    pt__members_take(sim, index, units);
    pt__home_enter(sim, index);
    pt__host_change(sim, live, true);
    if (live->waiting > 0) {
        pt__set_state(sim, job, PT_STATE_RESERVED);
        pt__emit(sim, PT_EVENT_RESERVED, job, live->home, units->count, PT_REASON_RECONFIGURING);
    } else {
        pt__serve(sim, index);
    }
    return PT_OK;
}

void pt__life_done(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    pt_job job = live->job;
    pt_u128 speed = pt__speed(live->speed, live->speed_bits);
    pt_u128 done = speed * (uint64_t)(sim->now_ns - live->last_ns);
    pt_u128 off = done > live->left ? done - live->left : live->left - done;
    if (off > speed / 2 + 1)
        pt__break(sim, PT_ERR_INVARIANT, "event %llu: job %u ends with work left or overdone",
                  (unsigned long long)sim->stats.events, job);
    live->left = 0;
    live->last_ns = sim->now_ns;
    sim->last_end_ns = sim->now_ns;
    sim->any_end = true;
    pt__release(sim, index, PT_STOP_DONE);
    close_job(sim, job, PT_STATE_DONE, PT_EVENT_DONE, PT_REASON_NONE);
    free_successors(sim, job);
}

/* Work that survives a fault: what was done up to the last multiple of checkpoint_s, in work. */
pt_u128 pt__checkpointed(const struct pt_sim *sim, pt_job job, pt_u128 done)
{
    int64_t every_ns = pt_trace_time(sim->world.trace, PT_COL_CHECKPOINT, job);
    if (every_ns == PT_NEVER) return done;
    if (every_ns == PT_TIME_ABSENT || every_ns == 0) return 0;
    return done - done % ((pt_u128)(uint64_t)every_ns << 60);
}

void pt__life_fault(struct pt_sim *sim, uint32_t index, enum pt_reason reason)
{
    struct pt_live *live = &sim->live[index];
    pt_u128 total = (pt_u128)(uint64_t)sim->work_ns[live->job] << 60;
    pt__settle_advance(sim, live);
    live->left = total - pt__checkpointed(sim, live->job, total - live->left);
    pt__release(sim, index, PT_STOP_FAILED_ATTEMPT);
    sim->stats.faults++;
    attempt_fails(sim, index, &live->faults, sim->world.retries.fault, PT_EVENT_FAULT, reason);
}

void pt__life_withdraw(struct pt_sim *sim, pt_job job)
{
    if (pt__waits(sim, job)) {
        pt__queue_leave(sim, job);
        if (sim->world.policy->on_withdrawn != NULL)
            sim->world.policy->on_withdrawn(sim->policy_state, &sim->ctx, job);
    }
    if (pt__state(sim, job) == PT_STATE_RESERVED) {
        pt__vacate(sim, sim->live_of[job]);
        if (sim->world.policy->on_withdrawn != NULL)
            sim->world.policy->on_withdrawn(sim->policy_state, &sim->ctx, job);
        if (sim->claim_count > 0) pt__claims_settle(sim);
    }
    pt__close_badly(sim, job, PT_STATE_WITHDRAWN, PT_EVENT_WITHDRAWN, PT_REASON_GAVE_UP);
}

void pt__life_end_of_world(struct pt_sim *sim, enum pt_reason reason)
{
    uint32_t closed;
    uint64_t failed = reason == PT_REASON_DEADLOCK ? pt__slots_closed(sim, &closed) : 0;
    for (pt_job job = 0; job < sim->job_count; job++) {
        if (pt_job_state_is_final(pt__state(sim, job))) continue;
        uint32_t index = sim->live_of[job];
        bool reserved = pt__state(sim, job) == PT_STATE_RESERVED;
        if (index != PT_NONE && sim->live[index].running) charge(sim, &sim->live[index]);
        if (reserved || (index != PT_NONE && sim->live[index].running))
            pt__held(sim, &sim->live[index]);
        bool lost = (pt__class(sim, job)->pools & failed) != 0;
        pt__emit_result(sim, job, PT_TIME_ABSENT, lost ? PT_REASON_MIG_FAILED : reason);
    }
}
