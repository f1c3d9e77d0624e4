#include <gsl/gsl_randist.h>

#include "partita/random.h"
#include "sim/core/engine.h"

/* Instances that are being made. What begins on one GPU at one instant is one change: it takes one
 * time, however many instances it makes, and may fail and be tried again, all of which is drawn
 * when it begins. Units wait for the change of their own GPU; a job is served when all have theirs.
 */

/* Changes that can go on at once: one per slice of each nested GPU. */
static uint64_t changes_max(const struct pt_sim *sim)
{
    uint64_t most = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        const struct pt_pool *pool = sim->pools[p].pool;
        if (sim->pools[p].nested == NULL || pool->gpu->mig == NULL) continue;
        most += (uint64_t)pool->node_count * pool->gpus_per_node * pool->gpu->mig->memory;
    }
    return most;
}

enum pt_status pt__change_build(struct pt_sim *sim, struct pt_error *error)
{
    sim->change_of_free = PT_NONE;
    if (sim->nested_pools == 0) return PT_OK;
    uint64_t most = changes_max(sim);
    sim->change_of_capacity = (uint32_t)most;
    sim->change_of = malloc((most + 1) * sizeof *sim->change_of);
    uint32_t gpus = sim->world.cluster->gpu_count;
    sim->fresh = malloc(((size_t)gpus + 1) * sizeof *sim->fresh);
    sim->gpu_changes = malloc(((size_t)gpus + 1) * sizeof *sim->gpu_changes);
    for (uint32_t gpu = 0; sim->gpu_changes != NULL && gpu < gpus; gpu++)
        sim->gpu_changes[gpu] = (struct pt_gpu_changes){PT_NONE, 0};
    if (sim->change_of == NULL || sim->fresh == NULL || sim->gpu_changes == NULL ||
        !pt_heap_init(&sim->change_heap, (uint32_t)most + 1))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for changes of instances");
    return PT_OK;
}

void pt__change_touch(struct pt_sim *sim, uint32_t gpu)
{
    if (sim->gpus[gpu].fresh) return;
    sim->gpus[gpu].fresh = true;
    sim->fresh[sim->fresh_count++] = gpu;
}

static int64_t later(int64_t a, int64_t b)
{
    return b > PT_TIME_MAX - a ? PT_TIME_MAX : a + b;
}

/* How long the change takes, failed attempts and back-offs included; *failures of them. */
static int64_t duration(struct pt_sim *sim, uint32_t gpu, const struct pt_reconfigure *how,
                        uint32_t *failures)
{
    *failures = 0;
    int64_t ns = 0;
    if (how->failure_ppm == 0) return how->cost_ns;
    pt_rng_seed(sim->rng, sim->world.seed, PT_PURPOSE_RECONFIGURE,
                (uint64_t)sim->gpu_changes[gpu].count << 32 | gpu);
    while (*failures < how->attempts &&
           gsl_rng_uniform_int(sim->rng, PT_PPM_ONE) < how->failure_ppm) {
        if (*failures > 0) ns = later(ns, how->backoff_ns);
        ns = later(ns, how->failed_ns);
        ++*failures;
    }
    if (*failures == how->attempts) return ns;
    if (*failures > 0) ns = later(ns, how->backoff_ns);
    return later(ns, how->cost_ns);
}

/* The node starts nobody from the next instant on. */
static void hold_node(struct pt_sim *sim, uint32_t node)
{
    struct pt_node_state *n = &sim->nodes[node];
    if (n->holds++ == 0) n->held_from_ns = sim->now_ns;
}

static void node_refresh(struct pt_sim *sim, uint32_t node)
{
    const struct pt_pool *pool = pt__pool_of_node(sim, node)->pool;
    uint32_t first = pool->first_gpu + (node - pool->first_node) * pool->gpus_per_node;
    for (uint32_t gpu = first; gpu < first + pool->gpus_per_node; gpu++)
        pt__slots_nested_changed(sim, gpu);
}

static void changed(struct pt_sim *sim, struct pt_pool_state *pool)
{
    sim->stats.reconfigurations++;
    pool->reconfigurations++;
}

void pt__change_begin(struct pt_sim *sim, uint32_t gpu)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    const struct pt_reconfigure *how = &pool->pool->shape.reconfigure;
    uint32_t failures = 0;
    int64_t ns = duration(sim, gpu, how, &failures);
    bool fails = how->failure_ppm > 0 && failures == how->attempts;
    sim->gpu_changes[gpu].count++;
    sim->stats.reconfiguration_failures += failures;
    pool->reconfiguration_failures += failures;
    pt__emit(sim, PT_EVENT_RECONFIGURE, PT_NONE, gpu, failures + !fails, PT_REASON_NONE);
    if (how->cost_ns == 0 && how->failure_ppm == 0) {
        changed(sim, pool);
        return;
    }
    uint32_t id = sim->change_of_free;
    if (id != PT_NONE)
        sim->change_of_free = sim->change_of[id].next_free;
    else
        id = sim->change_of_used++;
    sim->change_of[id] = (struct pt_change){.gpu = gpu, .fails = fails};
    pt_heap_set(&sim->change_heap, pt_heap_key(later(sim->now_ns, ns), gpu, id));
    sim->gpu_changes[gpu].begun = id;
    if (how->node_wide) hold_node(sim, g->node);
}

void pt__change_add(struct pt_sim *sim, uint32_t gpu, uint8_t cell)
{
    sim->change_of[sim->gpu_changes[gpu].begun].cells |= 1u << cell;
}

/* Units of the GPU that wait for these instances, one by one: the instance is there, or never will
 * be. */
static void tell_waiting(struct pt_sim *sim, uint32_t gpu, const struct pt_change *change)
{
    uint32_t m = sim->gpus[gpu].first;
    while (m != PT_NONE) {
        struct pt_member *member = &sim->member[m];
        uint32_t next = member->gpu_next == sim->gpus[gpu].first ? PT_NONE : member->gpu_next;
        if (member->waits && (change->cells >> member->cell & 1) != 0) {
            if (change->fails) {
                pt__life_unreserve(sim, member->live);
                next = sim->gpus[gpu].first; /* others of the job may have gone too */
            } else {
                member->waits = false;
                if (--sim->live[member->live].waiting == 0) pt__life_served(sim, member->live);
            }
        }
        m = next;
    }
}

static void change_ends(struct pt_sim *sim, uint32_t id)
{
    struct pt_change change = sim->change_of[id];
    uint32_t gpu = change.gpu, node = sim->gpus[gpu].node;
    struct pt_pool_state *pool = pt__pool_of_node(sim, node);
    const struct pt_unit_shape *shape = &pool->pool->shape;
    sim->change_of[id].next_free = sim->change_of_free;
    sim->change_of_free = id;
    for (uint32_t cells = change.cells; cells != 0; cells &= cells - 1)
        pool->nested->ready(pt__state_of(pool, gpu), shape, (uint8_t)__builtin_ctz(cells));
    pt__emit(sim, change.fails ? PT_EVENT_MIG_FAILED : PT_EVENT_RECONFIGURED, PT_NONE, gpu, 0,
             change.fails ? PT_REASON_MIG_FAILED : PT_REASON_NONE);
    if (shape->reconfigure.node_wide && --sim->nodes[node].holds == 0) node_refresh(sim, node);
    if (change.fails)
        pt__slots_close(sim, gpu);
    else
        changed(sim, pool);
    tell_waiting(sim, gpu, &change);
    if (change.fails) pt__claims_lost(sim, gpu, 1);
    if (!change.fails) pt__slots_nested_changed(sim, gpu);
    sim->released |= PT_POOL_BIT(pt__pool_index(sim, pool));
}

uint32_t pt__change_due(struct pt_sim *sim)
{
    uint32_t count = 0;
    while (sim->change_heap.count > 0 &&
           pt_heap_key_time(pt_heap_top(&sim->change_heap)) == sim->now_ns) {
        uint32_t id = pt_heap_key_item(pt_heap_top(&sim->change_heap));
        pt_heap_remove(&sim->change_heap, id);
        change_ends(sim, id);
        sim->stats.events++;
        count++;
    }
    return count;
}

void pt__change_commit(struct pt_sim *sim)
{
    for (uint32_t i = 0; i < sim->fresh_count; i++) {
        uint32_t gpu = sim->fresh[i];
        struct pt_pool_state *pool = pt__pool_of_node(sim, sim->gpus[gpu].node);
        bool began = sim->gpu_changes[gpu].begun != PT_NONE;
        sim->gpus[gpu].fresh = false;
        sim->gpu_changes[gpu].begun = PT_NONE;
        pool->nested->commit(pt__state_of(pool, gpu));
        if (began && pool->pool->shape.reconfigure.node_wide) {
            sim->nodes[sim->gpus[gpu].node].held_from_ns = PT_TIME_ABSENT; /* from now on */
            node_refresh(sim, sim->gpus[gpu].node);
        } else
            pt__slots_nested_changed(sim, gpu);
    }
    sim->fresh_count = 0;
}

void pt__change_forget(struct pt_sim *sim, uint32_t node)
{
    for (uint32_t i = 0; i < sim->change_heap.count;) {
        uint32_t id = pt_heap_key_item(sim->change_heap.key[PT_HEAP_ROOT + i]);
        if (sim->gpus[sim->change_of[id].gpu].node != node) {
            i++;
            continue;
        }
        pt_heap_remove(&sim->change_heap, id); /* another takes its slot */
        sim->change_of[id].next_free = sim->change_of_free;
        sim->change_of_free = id;
        i = 0;
    }
    sim->nodes[node].holds = 0;
}
