#include "tests/property/worlds_parts.h"

#include <string.h>

typedef bool fails_function(const struct world *world, void *ctx);

/* Faults of what is there no more go; what follows from replicas does. */
static void tidy(struct world *world)
{
    for (uint32_t p = 0; p < world->pool_count; p++)
        if (world->pools[p].mode == REF_MIG)
            world->pools[p].distinct = world->pools[p].replicas > 1;
    uint32_t nodes = world->pools[world->pool_count - 1].end_node, kept = 0;
    for (uint32_t f = 0; f < world->fault_count; f++) {
        const struct ref_fault *fault = &world->faults[f];
        bool there = fault->node != REF_NONE ? fault->node < nodes
                                             : fault->gpu < world->nodes[nodes - 1].end_gpu;
        if (there) world->faults[kept++] = *fault;
    }
    for (uint32_t f = kept; f < WORLD_FAULTS; f++)
        world->faults[f] = (struct ref_fault){0};
    world->fault_count = kept;
}

static bool keep_if_fails(struct world *world, struct world *smaller, fails_function *fails,
                          void *ctx)
{
    tidy(smaller);
    if (memcmp(world, smaller, sizeof *world) == 0 || !fails(smaller, ctx)) return false;
    *world = *smaller;
    return true;
}

static void drop_job(struct world *world, uint32_t row)
{
    memmove(&world->jobs[row], &world->jobs[row + 1],
            (world->job_count - row - 1) * sizeof world->jobs[0]);
    world->job_count--;
    memset(&world->jobs[world->job_count], 0, sizeof world->jobs[0]);
    for (uint32_t j = 0; j < world->job_count; j++) {
        uint32_t *after = world->jobs[j].after;
        for (uint32_t i = 0; i < REF_AFTER_MAX; i++)
            if (after[i] == row)
                after[i] = REF_NONE;
            else if (after[i] != REF_NONE && after[i] > row)
                after[i]--;
        if (after[0] == REF_NONE) after[0] = after[1], after[1] = REF_NONE;
    }
}

static void drop_last_pool(struct world *world)
{
    uint32_t last = --world->pool_count;
    memset(&world->pools[last], 0, sizeof world->pools[0]);
    for (uint32_t n = world->pools[last - 1].end_node; n < WORLD_GPUS; n++)
        world->nodes[n] = (struct ref_node){0};
    for (uint32_t j = 0; j < world->job_count; j++)
        if (world->jobs[j].pool == last) world->jobs[j].pool = REF_NONE;
}

/* The i-th way to make one job plainer; false when there is none left. */
static bool simplify_job(struct ref_job *job, uint32_t i)
{
    switch (i) {
    case 0:
        job->gpu_mem_mib = 0;
        return true;
    case 1:
        job->models = 0;
        return true;
    case 2:
        job->pool = REF_NONE;
        return true;
    case 3:
        job->nodes_max = REF_NONE;
        return true;
    case 4:
        job->cpus_milli = 0;
        return true;
    case 5:
        job->mem_mib = 0;
        return true;
    case 6:
        job->checkpoint_ns = REF_ABSENT;
        return true;
    case 7:
        job->distinct = 2;
        return true;
    case 8:
        job->after[0] = job->after[1], job->after[1] = REF_NONE;
        return true;
    case 9:
        job->gpus = job->gpus > 1 ? job->gpus - 1 : job->gpus;
        return true;
    case 10:
        job->work_ns = (job->work_ns + S / 2) / S * S;
        return true;
    case 11:
        job->submit_ns = (job->submit_ns + S / 2) / S * S;
        return true;
    case 12:
        job->work_ns = 10 * S;
        return true;
    case 13:
        job->submit_ns = 0;
        return true;
    case 14:
        job->frac_ppm = 0;
        return true;
    case 15:
        job->processes = 1;
        return true;
    case 16:
        job->mig = NULL;
        return true;
    case 17:
        job->cold = false;
        return true;
    default:
        return false;
    }
}

/* One instance less of the i-th profile; a static layout keeps one. */
static bool simplify_layout(struct ref_pool *pool, uint32_t i)
{
    uint32_t instances = 0;
    for (uint32_t p = 0; p < REF_PROFILES; p++)
        instances += pool->layout[p];
    if (pool->layout[i] > 0 && (instances > 1 || pool->change != REF_STATIC)) pool->layout[i]--;
    return true;
}

static bool simplify_pool(struct ref_pool *pool, uint32_t i)
{
    uint32_t nodes = pool->end_node - pool->first_node;
    switch (i) {
    case 0:
        pool->cpus_milli = REF_NONE;
        return true;
    case 1:
        pool->mem_mib = REF_NONE;
        return true;
    case 2:
        pool->loss_ppm = 0;
        return true;
    case 3:
        pool->admit = false;
        return true;
    case 4:
        pool->distinct = pool->mode != REF_MIG && pool->mode != REF_EXCLUSIVE;
        return true;
    case 5:
        pool->replicas -= pool->replicas > 1;
        return true;
    case 6:
        pool->gpus_per_node -= pool->gpus_per_node > 1;
        return true;
    case 7:
        pool->end_node = pool->first_node + nodes - (nodes > 1);
        return true;
    case 8:
        if (pool->mode != REF_MIG) pool->model = 0;
        return true;
    case 9:
        pool->mode = REF_EXCLUSIVE;
        pool->how = REF_BOOKS;
        pool->admit = pool->distinct = false;
        pool->replicas = 1;
        pool->loss_ppm = 0;
        return true;
    case 10:
        pool->how = pool->mode == REF_MIG ? REF_BOOKS : pool->how;
        pool->replicas = pool->mode == REF_MIG ? 1 : pool->replicas;
        return true;
    case 11:
        pool->change_ns = pool->change_ns != 0 ? S : 0;
        return true;
    case 12:
        pool->change_ns = 0;
        return true;
    case 13:
        pool->start = REF_FIRST;
        return true;
    case 14:
        pool->node_wide = false;
        return true;
    case 15:
        pool->attempts = 0;
        pool->failed_ns = pool->retry_ns = 0;
        return true;
    default:
        return i < 16 + REF_PROFILES && simplify_layout(pool, i - 16);
    }
}

static bool simplify_world(struct world *world, uint32_t i)
{
    switch (i) {
    case 0:
        world->horizon_ns = REF_NEVER;
        return true;
    case 1:
        world->give_up_ns = REF_NEVER;
        return true;
    case 2:
        world->placement = REF_FIRST_FIT;
        return true;
    case 3:
        world->strict = true;
        return true;
    case 4:
        world->fault_retries = REF_NONE;
        return true;
    case 5:
        world->oom_retries = 0;
        return true;
    case 6:
        world->backoff_ns = 10 * S;
        return true;
    case 7:
        if (world->pool_count > 1) drop_last_pool(world);
        return true;
    case 8:
        world->cold_ns = 0;
        return true;
    case 9:
        world->restore_ns = 0;
        return true;
    case 10:
        world->restore_gib_ns = 0;
        return true;
    case 11:
        world->fault_count -= world->fault_count > 0;
        world->faults[world->fault_count] = (struct ref_fault){0};
        return true;
    default:
        break;
    }
    struct ref_node *node = i < 12 + WORLD_GPUS ? &world->nodes[i - 12] : NULL;
    if (node == NULL) return false;
    node->down_count -= node->down_count > 0;
    if (node->down_count == 0) node->boot_ns = 0;
    return true;
}

static bool shrink_once(struct world *world, fails_function *fails, void *ctx)
{
    struct world smaller;
    bool any = false;
    for (uint32_t row = world->job_count; row-- > 0 && world->job_count > 1;) {
        smaller = *world;
        drop_job(&smaller, row);
        any = keep_if_fails(world, &smaller, fails, ctx) || any;
    }
    for (uint32_t i = 0; smaller = *world, simplify_world(&smaller, i); i++)
        any = keep_if_fails(world, &smaller, fails, ctx) || any;
    for (uint32_t p = 0; p < world->pool_count; p++)
        for (uint32_t i = 0; smaller = *world, simplify_pool(&smaller.pools[p], i); i++) {
            world_lay_out(&smaller);
            for (uint32_t n = smaller.pools[smaller.pool_count - 1].end_node; n < WORLD_GPUS; n++)
                smaller.nodes[n] = (struct ref_node){0};
            any = keep_if_fails(world, &smaller, fails, ctx) || any;
        }
    for (uint32_t j = 0; j < world->job_count; j++)
        for (uint32_t i = 0; smaller = *world, simplify_job(&smaller.jobs[j], i); i++)
            any = keep_if_fails(world, &smaller, fails, ctx) || any;
    return any;
}

void world_shrink(struct world *world, fails_function *fails, void *ctx)
{
    while (shrink_once(world, fails, ctx)) {
    }
}
