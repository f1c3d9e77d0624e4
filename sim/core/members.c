#include "sim/core/engine.h"

/* The units of live jobs on GPUs: a ring by GPU, in order of arrival, and a list by job. */

/* Hangs a new member into the GPU's ring, behind those that came before. */
static void ring_enter(struct pt_sim *sim, uint32_t index)
{
    struct pt_member *member = &sim->member[index];
    struct pt_gpu *g = &sim->gpus[member->gpu];
    if (g->first == PT_NONE) {
        g->first = member->gpu_prev = member->gpu_next = index;
        return;
    }
    struct pt_member *first = &sim->member[g->first];
    member->gpu_next = g->first;
    member->gpu_prev = first->gpu_prev;
    sim->member[first->gpu_prev].gpu_next = index;
    first->gpu_prev = index;
}

static void ring_leave(struct pt_sim *sim, uint32_t index)
{
    struct pt_member *member = &sim->member[index];
    struct pt_gpu *g = &sim->gpus[member->gpu];
    if (member->gpu_next == index) {
        g->first = PT_NONE;
        return;
    }
    sim->member[member->gpu_prev].gpu_next = member->gpu_next;
    sim->member[member->gpu_next].gpu_prev = member->gpu_prev;
    if (g->first == index) g->first = member->gpu_next;
}

/* Puts a unit on a nested GPU, whose instances may have to change for it. */
static void nested_take(struct pt_sim *sim, struct pt_member *member, const struct pt_need *need,
                        uint8_t start)
{
    struct pt_live *live = &sim->live[member->live];
    const struct pt_pool_state *pool = &sim->pools[live->pool];
    const struct pt_unit_shape *shape = &pool->pool->shape;
    struct pt_placed placed = {0};
    void *state = pt__state_of(pool, member->gpu);
    if (!pool->nested->place(&placed, state, shape, need, start))
        pt__break(sim, PT_ERR_INVARIANT, "event %llu: job %u does not fit where it was put",
                  (unsigned long long)sim->stats.events, live->job);
    member->cell = placed.cell;
    pt__change_touch(sim, member->gpu);
    if (placed.begins) pt__change_begin(sim, member->gpu);
    if (!placed.waits) return;
    if (shape->reconfigure.cost_ns == 0 && shape->reconfigure.failure_ppm == 0) {
        pool->nested->ready(state, shape, placed.cell);
        return;
    }
    member->waits = true;
    live->waiting++;
    pt__change_add(sim, member->gpu, placed.cell);
}

void pt__members_take(struct pt_sim *sim, uint32_t live, const struct pt_units *units)
{
    pt_job job = sim->live[live].job;
    uint32_t mib = pt__gpu_memory(sim, job, units->pool);
    const struct pt_need *need = pt__need_of(sim, job, units->pool);
    bool nested = sim->pools[units->pool].nested != NULL;
    uint32_t *link = &sim->live[live].first_member;
    while (*link != PT_NONE) /* what it has got of a claimed set */
        link = &sim->member[*link].job_next;
    for (uint32_t i = 0; i < units->count; i++) {
        uint32_t index = sim->member_free;
        if (index != PT_NONE)
            sim->member_free = sim->member[index].job_next;
        else
            index = sim->member_used++;
        sim->member[index] =
            (struct pt_member){.live = live, .gpu = units->gpus[i], .job_next = PT_NONE};
        *link = index;
        link = &sim->member[index].job_next;
        ring_enter(sim, index);
        pt__turns_join(sim, index);
        uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[i];
        if (nested) nested_take(sim, &sim->member[index], need, start);
        pt__slots_change(sim, units->gpus[i], need, mib, true);
    }
}

void pt__members_drop(struct pt_sim *sim, struct pt_live *live)
{
    uint32_t mib = pt__gpu_memory(sim, live->job, live->pool);
    const struct pt_need *need = pt__need_of(sim, live->job, live->pool);
    struct pt_pool_state *pool = &sim->pools[live->pool];
    for (uint32_t m = live->first_member, next; m != PT_NONE; m = next) {
        struct pt_member *member = &sim->member[m];
        next = member->job_next;
        ring_leave(sim, m);
        pt__turns_leave(sim, m);
        sim->gpus[member->gpu].computing -= live->computing;
        if (pool->nested != NULL)
            pool->nested->remove(pt__state_of(pool, member->gpu), &pool->pool->shape, need,
                                 member->cell);
        pt__slots_change(sim, member->gpu, need, mib, false);
        pt__settle_gpu_dirty(sim, member->gpu);
        member->job_next = sim->member_free;
        sim->member_free = m;
    }
    live->first_member = PT_NONE;
}
