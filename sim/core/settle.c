#include "sim/core/engine.h"

/* The end of an instant, in three sweeps over what it touched, each item once: GPUs whose residents
 * changed ask their mode for speeds; jobs with a changed member are advanced to now and take the
 * least of their members' speeds; homes of jobs whose end moved are re-keyed. */

void pt__settle_gpu_dirty(struct pt_sim *sim, uint32_t gpu)
{
    if (sim->gpus[gpu].dirty_speed) return;
    sim->gpus[gpu].dirty_speed = true;
    sim->dirty_gpu[sim->dirty_gpu_count++] = gpu;
}

void pt__settle_live_dirty(struct pt_sim *sim, uint32_t live)
{
    if (sim->live[live].dirty) return;
    sim->live[live].dirty = true;
    sim->dirty_live[sim->dirty_live_count++] = live;
}

void pt__settle_home_dirty(struct pt_sim *sim, uint32_t gpu)
{
    if (sim->gpus[gpu].dirty_key) return;
    sim->gpus[gpu].dirty_key = true;
    sim->dirty_home[sim->dirty_home_count++] = gpu;
}

void pt__settle_advance(struct pt_sim *sim, struct pt_live *live)
{
    pt_u128 done =
        pt__speed(live->speed, live->speed_bits) * (uint64_t)(sim->now_ns - live->last_ns);
    live->left = done < live->left ? live->left - done : 0; /* an end rounds to the nearest ns */
    live->last_ns = sim->now_ns;
}

/* now + left / speed, to the nearest ns, half up; PT_NEVER beyond the representable. */
static int64_t end_of(int64_t now_ns, pt_u128 left, pt_u128 speed)
{
    if (speed == 0) return PT_NEVER; /* not its turn */
    pt_u128 dt =
        speed == PT_SPEED_ONE ? (left + PT_SPEED_ONE / 2) >> 60 : (2 * left + speed) / (speed * 2);
    return dt >= (pt_u128)(uint64_t)(PT_NEVER - now_ns) ? PT_NEVER : now_ns + (int64_t)dt;
}

static void take_speed(struct pt_sim *sim, uint32_t index)
{
    struct pt_live *live = &sim->live[index];
    live->dirty = false;
    if (!live->computing) return;
    uint64_t speed = live->cpu_only ? PT_SPEED_ONE : UINT64_MAX;
    uint8_t bits = live->cpu_only ? 0 : UINT8_MAX;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next) {
        const struct pt_member *member = &sim->member[m];
        if (member->speed_bits > bits || (member->speed_bits == bits && member->speed >= speed))
            continue;
        speed = member->speed;
        bits = member->speed_bits;
    }
    if (speed == live->speed && bits == live->speed_bits) return;
    pt__settle_advance(sim, live);
    live->speed = speed;
    live->speed_bits = bits;
    live->end_ns = end_of(sim->now_ns, live->left, pt__speed(speed, bits));
    if (live->cpu_only)
        pt_heap_set(&sim->cpu_heap, pt_heap_key(live->end_ns, live->job, index));
    else
        pt__settle_home_dirty(sim, live->home);
}

/* A GPU's key is the earliest end among the jobs at home there. Ends of one instant are taken out
 * together and put in trace order (loop.c), so ties may go by live record. */
static void rekey(struct pt_sim *sim, uint32_t gpu)
{
    int64_t end_ns = PT_NEVER;
    uint32_t first = PT_NONE;
    for (uint32_t l = sim->gpus[gpu].home_first; l != PT_NONE; l = sim->live[l].home_next) {
        if (sim->live[l].end_ns >= end_ns) continue;
        end_ns = sim->live[l].end_ns;
        first = l;
    }
    if (end_ns == PT_NEVER)
        pt_heap_remove(&sim->heap, gpu);
    else
        pt_heap_set(&sim->heap, pt_heap_key(end_ns, first, gpu));
}

/* What the next ends will touch is spread over megabytes: ask for it ahead. The entries under the
 * least one are candidates for the end after the next. */
static void prefetch_next(const struct pt_sim *sim)
{
    if (sim->heap.count < 2) return;
    const pt_u128 *key = sim->heap.key;
    const struct pt_live *next = &sim->live[pt_heap_key_tie(key[PT_HEAP_ROOT])];
    __builtin_prefetch(&sim->live_of[next->job], 1);
    if (next->first_member != PT_NONE) __builtin_prefetch(&sim->member[next->first_member], 1);
    uint32_t child = pt_heap_first_child(PT_HEAP_ROOT), end = PT_HEAP_ROOT + sim->heap.count;
    for (uint32_t k = child; k < child + 4 && k < end; k++) {
        const char *live = (const char *)&sim->live[pt_heap_key_tie(key[k])];
        __builtin_prefetch(live, 1);
        __builtin_prefetch(live + 64, 1);
        __builtin_prefetch(&sim->gpus[pt_heap_key_item(key[k])], 1);
    }
}

void pt__settle(struct pt_sim *sim)
{
    for (uint32_t i = 0; i < sim->dirty_gpu_count; i++) {
        sim->gpus[sim->dirty_gpu[i]].dirty_speed = false;
        pt__settle_gpu_ask(sim, sim->dirty_gpu[i]);
    }
    sim->dirty_gpu_count = 0;
    for (uint32_t i = 0; i < sim->dirty_live_count; i++)
        take_speed(sim, sim->dirty_live[i]);
    sim->dirty_live_count = 0;
    for (uint32_t i = 0; i < sim->dirty_home_count; i++) {
        sim->gpus[sim->dirty_home[i]].dirty_key = false;
        rekey(sim, sim->dirty_home[i]);
    }
    sim->dirty_home_count = 0;
    prefetch_next(sim);
}
