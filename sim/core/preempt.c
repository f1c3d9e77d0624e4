#include "sim/core/life.h"
#include "sim/core/verbs.h"

/* Stopping running jobs for others, moving them, ending them (semantics.md, section 3). */

static struct pt_sim *sim_of(struct pt_ctx *ctx)
{
    return (struct pt_sim *)ctx;
}

static void stop_computing(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    if (!live->computing) return;
    live->computing = false;
    live->speed = live->speed_bits = 0;
    live->end_ns = PT_NEVER;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        struct pt_member *member = &sim->member[m];
        member->computing = false;
        member->speed = member->speed_bits = 0;
        sim->gpus[member->gpu].computing--;
        pt__settle_gpu_dirty(sim, member->gpu);
    }
    if (live->cpu_only)
        pt_heap_remove(&sim->cpu_heap, index);
    else
        pt__settle_home_dirty(sim, live->home);
}

/* What is lost by the experiment's way of stopping, and what has to be done again. */
static void lose_work(struct pt_sim *sim, struct pt_live *live)
{
    const struct pt_preemption *how = &sim->world.preemption;
    pt_u128 total = (pt_u128)(uint64_t)sim->work_ns[live->job] << 60;
    pt_u128 done = live->left < total ? total - live->left : 0;
    if (how->mode == PT_PREEMPTION_KILL) live->left = total;
    if (how->mode == PT_PREEMPTION_CHECKPOINT && done > 0)
        live->left = total - pt__checkpointed(sim, live->job, done);
    unsigned size = live->unit_count <= 1 ? 0 : live->unit_count <= 8 ? 1 : 2;
    live->left += (pt_u128)(uint64_t)how->redo_ns[size] << 60;
}

/* Stops a world in which a job is stopped again and again and never gets anywhere: it loses all its
 * work each time, or is stopped while it is still restored. Without this it would have no end. */
static void watch_progress(struct pt_sim *sim, uint32_t index)
{
    struct pt_stall *stall = &sim->stall[index];
    const struct pt_live *live = &sim->live[index];
    char id[PT_ID_BUFFER];
    stall->count = live->left >= stall->left ? stall->count + 1 : 0;
    stall->left = live->left;
    if (stall->count > PT_STALLS_MAX)
        pt__break(sim, PT_ERR_POLICY,
                  "policy %s has stopped job '%s' %u times without letting it get anywhere",
                  sim->world.policy->name, pt_trace_id(sim->world.trace, live->job, id),
                  stall->count);
}

void pt__life_saved(struct pt_sim *sim, uint32_t index)
{
    pt_job job = sim->live[index].job;
    uint32_t home = sim->live[index].home;
    /* from nothing it is another attempt */
    sim->live[index].resumes = sim->world.preemption.mode != PT_PREEMPTION_KILL;
    pt__set_state(sim, job, PT_STATE_PAUSED);
    pt__emit(sim, PT_EVENT_PAUSED, job, home, sim->live[index].preemptions, PT_REASON_PREEMPTED);
    pt__release(sim, index, PT_STOP_PREEMPTED);
    pt__queue_enter(sim, job, PT_STATE_PAUSED);
}

void pt__life_preempt(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    if (live->computing) pt__settle_advance(sim, live);
    lose_work(sim, live);
    if (live->preemptions < UINT16_MAX) live->preemptions++;
    sim->stats.preemptions++;
    pt__emit(sim, PT_EVENT_PREEMPT, live->job, live->home, live->preemptions, PT_REASON_PREEMPTED);
    watch_progress(sim, index);
    bool nothing_kept = sim->world.preemption.mode == PT_PREEMPTION_KILL;
    int64_t save_ns = nothing_kept ? 0 : pt__save_ns(sim, live);
    if (save_ns == 0) {
        pt__life_saved(sim, index);
        return;
    }
    stop_computing(sim, index);
    if (sim->limits) pt__tenants_hold(sim, live->job, live->pool, false);
    live->saving = true;
    sim->released |= PT_POOL_BIT(live->pool); /* of what its tenant may hold */
    int64_t due_ns = save_ns > PT_TIME_MAX - sim->now_ns ? PT_TIME_MAX : sim->now_ns + save_ns;
    pt_heap_set(&sim->ready_heap, pt_heap_key(due_ns, live->job, index));
}

void pt__life_kill(struct pt_sim *sim, uint32_t index, enum pt_reason reason)
{
    struct pt_live *live = &sim->live[index];
    pt_job job = live->job;
    if (live->computing) pt__settle_advance(sim, live);
    sim->last_end_ns = sim->now_ns;
    sim->any_end = true;
    pt__release(sim, index, PT_STOP_KILLED);
    pt__close_badly(sim, job, PT_STATE_KILLED, PT_EVENT_KILLED, reason);
}

void pt__life_depart(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    if (live->computing) pt__settle_advance(sim, live);
    pt__emit(sim, PT_EVENT_MIGRATE, live->job, live->home, live->unit_count, PT_REASON_NONE);
    sim->stats.migrations++;
    pt__unserve(sim, index);
    live->resumes = live->moves = true;
}

void pt__life_arrive(struct pt_sim *sim, uint32_t index, const struct pt_units *units)
{
    struct pt_live *live = &sim->live[index];
    live->pool = (uint8_t)units->pool;
    live->home = pt__home_of(sim, units);
    live->waiting = 0;
    if (pt__out_of_memory(sim, live->job, units)) {
        pt__fails_for_memory(sim, index);
        return;
    }
    live->due_ns = sim->now_ns;
    if (sim->limits) pt__tenants_hold(sim, live->job, live->pool, true);
    pt__members_take(sim, index, units);
    pt__home_enter(sim, index);
    pt__host_change(sim, live, true);
    if (live->waiting == 0) {
        pt__serve(sim, index);
        return;
    }
    pt__set_state(sim, live->job, PT_STATE_RESERVED);
    pt__emit(sim, PT_EVENT_RESERVED, live->job, live->home, units->count, PT_REASON_RECONFIGURING);
}

void pt__life_claim(struct pt_sim *sim, pt_job job, const struct pt_units *units)
{
    uint32_t index = pt__live_open(sim, job);
    struct pt_live *live = &sim->live[index];
    if (pt__waits(sim, job)) pt__queue_leave(sim, job);
    live->pool = (uint8_t)units->pool;
    live->home = pt__home_of(sim, units);
    live->waiting = 0;
    live->due_ns = sim->now_ns;
    if (sim->limits) pt__tenants_hold(sim, live->job, live->pool, true);
    pt__claims_make(sim, index, units);
    pt__home_enter(sim, index);
    if (pt__claims_of(sim, index) == 0) {
        pt__host_change(sim, live, true);
        if (live->waiting == 0) {
            pt__serve(sim, index);
            return;
        }
    }
    pt__set_state(sim, job, PT_STATE_RESERVED);
    pt__emit(sim, PT_EVENT_RESERVED, job, live->home, units->count, PT_REASON_SAVING);
    pt__claims_settle(sim); /* a part that is free may be too small for what it allocates */
}

void pt__life_decline(struct pt_sim *sim, pt_job job, enum pt_reason reason)
{
    pt__queue_leave(sim, job);
    if (reason == PT_REASON_QUOTA)
        pt__close_badly(sim, job, PT_STATE_UNSCHEDULABLE, PT_EVENT_UNSCHEDULABLE, reason);
    else
        pt__close_badly(sim, job, PT_STATE_WITHDRAWN, PT_EVENT_WITHDRAWN, reason);
}

enum pt_status pt__do_preempt(struct pt_ctx *ctx, pt_job job)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK) return sim->error.status;
    if (sim->trial_count > 0 || !pt_view_preemptible(ctx, job)) return pt__refuse(sim);
    pt__acted(sim, job);
    pt__life_preempt(sim, sim->live_of[job]);
    return PT_OK;
}

enum pt_status pt__do_kill(struct pt_ctx *ctx, pt_job job)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK) return sim->error.status;
    if (sim->trial_count > 0 || pt_view_state(ctx, job) != PT_STATE_RUNNING) return pt__refuse(sim);
    pt__acted(sim, job);
    pt__life_kill(sim, sim->live_of[job], PT_REASON_OVERRAN);
    return PT_OK;
}

enum pt_status pt__do_decline(struct pt_ctx *ctx, pt_job job, enum pt_reason reason)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK) return sim->error.status;
    if (sim->trial_count > 0 || pt_view_state(ctx, job) != PT_STATE_PENDING ||
        pt__started(sim, job))
        return pt__refuse(sim);
    pt__acted(sim, job);
    pt__life_decline(sim, job, reason);
    return PT_OK;
}
