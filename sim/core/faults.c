#include <gsl/gsl_randist.h>

#include "partita/random.h"
#include "sim/core/engine.h"

/* Fatal faults of GPUs and nodes: those that the experiment lists, and those that come at random,
 * each GPU with its own exponential times between them. Nothing goes out of service; who was struck
 * starts again (semantics.md, section 3). */

static uint32_t first_gpu_of(const struct pt_sim *sim, uint32_t node)
{
    const struct pt_pool *pool = &sim->world.cluster->pools[sim->world.cluster->nodes[node].pool];
    return pool->first_gpu + (node - pool->first_node) * pool->gpus_per_node;
}

/* Everybody on the node fails; who only waits for instances there waits elsewhere. */
static void node_fails(struct pt_sim *sim, uint32_t node, bool down)
{
    uint32_t first = first_gpu_of(sim, node);
    uint32_t gpus = pt__pool_of_node(sim, node)->pool->gpus_per_node;
    while (sim->nodes[node].cpu_first != PT_NONE)
        pt__life_fault(sim, sim->nodes[node].cpu_first, PT_REASON_FAULT);
    for (uint32_t gpu = first; gpu < first + gpus; gpu++) {
        uint32_t m = sim->gpus[gpu].first;
        while (m != PT_NONE) {
            uint32_t index = sim->member[m].live;
            if (sim->live[index].running)
                pt__life_fault(sim, index, PT_REASON_FAULT);
            else if (down)
                pt__life_unreserve(sim, index);
            else { /* it waits on: the next one */
                m = sim->member[m].gpu_next;
                if (m == sim->gpus[gpu].first) break;
                continue;
            }
            m = sim->gpus[gpu].first;
        }
    }
}

void pt__faults_node_down(struct pt_sim *sim, uint32_t node)
{
    pt__emit(sim, PT_EVENT_NODE_DOWN, PT_NONE, first_gpu_of(sim, node), 0, PT_REASON_NONE);
    node_fails(sim, node, true);
    pt__claims_lost(sim, first_gpu_of(sim, node), pt__pool_of_node(sim, node)->pool->gpus_per_node);
    pt__change_forget(sim, node);
    pt__slots_node_up(sim, node, false);
}

static void node_fault(struct pt_sim *sim, uint32_t node)
{
    pt__emit(sim, PT_EVENT_GPU_FAULT, PT_NONE, first_gpu_of(sim, node),
             pt__pool_of_node(sim, node)->pool->gpus_per_node, PT_REASON_NONE);
    node_fails(sim, node, false);
}

/* The n-th running member of the GPU. */
static uint32_t nth_running(const struct pt_sim *sim, uint32_t gpu, uint32_t n)
{
    uint32_t m = sim->gpus[gpu].first;
    for (;; m = sim->member[m].gpu_next)
        if (sim->live[sim->member[m].live].running && n-- == 0) return m;
}

static uint32_t running_on(const struct pt_sim *sim, uint32_t gpu)
{
    uint32_t count = 0, first = sim->gpus[gpu].first;
    for (uint32_t m = first; m != PT_NONE;) {
        count += sim->live[sim->member[m].live].running;
        m = sim->member[m].gpu_next == first ? PT_NONE : sim->member[m].gpu_next;
    }
    return count;
}

/* A fatal fault: one resident is struck, drawn; where residents share a context, all that share its
 * unit go with it (semantics.md, section 4). */
static void gpu_fault(struct pt_sim *sim, uint32_t gpu)
{
    const struct pt_pool_state *pool = pt__pool_of_node(sim, sim->gpus[gpu].node);
    pt__emit(sim, PT_EVENT_GPU_FAULT, PT_NONE, gpu, 1, PT_REASON_NONE);
    uint32_t running = running_on(sim, gpu);
    if (running == 0) return;
    uint32_t number = sim->fault_number == NULL ? 0 : sim->fault_number[gpu];
    pt_rng_seed(sim->rng, sim->world.seed, PT_PURPOSE_FAULT,
                UINT64_C(1) << 63 | (uint64_t)number << 32 | gpu);
    uint32_t struck = nth_running(sim, gpu, (uint32_t)gsl_rng_uniform_int(sim->rng, running));
    uint8_t cell = sim->member[struck].cell;
    if (!pool->pool->shape.fault_spreads) {
        pt__life_fault(sim, sim->member[struck].live, PT_REASON_GPU_FAULT);
        return;
    }
    for (uint32_t n = 0; n < running_on(sim, gpu);) {
        uint32_t m = nth_running(sim, gpu, n);
        if (sim->member[m].cell == cell)
            pt__life_fault(sim, sim->member[m].live, PT_REASON_GPU_FAULT);
        else
            n++;
    }
}

static int64_t next_of(struct pt_sim *sim, uint32_t gpu)
{
    pt_rng_seed(sim->rng, sim->world.seed, PT_PURPOSE_FAULT,
                (uint64_t)sim->fault_number[gpu] << 32 | gpu);
    double ns = gsl_ran_exponential(sim->rng, (double)sim->world.faults.gpu_mtbf_ns);
    ns = pt_round40(ns);
    double left = (double)(PT_TIME_MAX - sim->now_ns);
    return ns >= left ? PT_TIME_MAX : sim->now_ns + (int64_t)ns + 1;
}

enum pt_status pt__faults_build(struct pt_sim *sim, struct pt_error *error)
{
    uint32_t gpus = sim->world.cluster->gpu_count;
    sim->rng = gsl_rng_alloc(pt_rng_type);
    if (sim->rng == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for draws");
    sim->faulty = sim->world.faults.event_count > 0 || sim->world.faults.gpu_mtbf_ns > 0;
    if (sim->world.faults.gpu_mtbf_ns <= 0) return PT_OK;
    sim->fault_number = calloc((size_t)gpus + 1, sizeof *sim->fault_number);
    if (sim->fault_number == NULL || !pt_heap_init(&sim->fault_heap, gpus))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for faults");
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
        pt_heap_set(&sim->fault_heap, pt_heap_key(next_of(sim, gpu), gpu, gpu));
    return PT_OK;
}

int64_t pt__faults_next(const struct pt_sim *sim)
{
    const struct pt_faults *faults = &sim->world.faults;
    int64_t next_ns = PT_NEVER;
    if (sim->fault_heap.count > 0) next_ns = pt_heap_key_time(pt_heap_top(&sim->fault_heap));
    if (sim->fault_next < faults->event_count && faults->events[sim->fault_next].time_ns < next_ns)
        next_ns = faults->events[sim->fault_next].time_ns;
    return next_ns;
}

uint32_t pt__faults_due(struct pt_sim *sim)
{
    const struct pt_faults *faults = &sim->world.faults;
    uint32_t count = 0;
    for (; sim->fault_next < faults->event_count; sim->fault_next++, count++) {
        const struct pt_fault *fault = &faults->events[sim->fault_next];
        if (fault->time_ns > sim->now_ns) break;
        if (fault->node != PT_NONE)
            node_fault(sim, fault->node);
        else
            gpu_fault(sim, fault->gpu);
    }
    while (sim->fault_heap.count > 0 &&
           pt_heap_key_time(pt_heap_top(&sim->fault_heap)) == sim->now_ns) {
        uint32_t gpu = pt_heap_key_item(pt_heap_top(&sim->fault_heap));
        gpu_fault(sim, gpu);
        sim->fault_number[gpu]++;
        pt_heap_set(&sim->fault_heap, pt_heap_key(next_of(sim, gpu), gpu, gpu));
        count++;
    }
    sim->stats.events += count;
    return count;
}
