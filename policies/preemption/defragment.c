#include "policies/preemption/defragment.h"

#include <stdlib.h>

#define GPU_JOBS_MAX 64 /* units of one GPU that are looked at */

enum pt_status pt__defragment_init(struct pt_defragment *defragment, const struct pt_ctx *ctx,
                                   const struct pt_value *values, struct pt_error *error)
{
    *defragment = (struct pt_defragment){.on = values[PT_DEFRAGMENT_ABOVE].text != NULL,
                                         .above_ppm = (uint32_t)values[PT_DEFRAGMENT_ABOVE].ppm,
                                         .moves = (uint32_t)values[PT_DEFRAGMENT_MOVES].integer,
                                         .cooldown_ns = values[PT_DEFRAGMENT_COOLDOWN].integer};
    if (!defragment->on) return PT_OK;
    if (pt_view_preemption(ctx)->mode == PT_PREEMPTION_NONE)
        return pt_fail_param(error, "defragment.threshold", PT_ERROR_WHOLE,
                             "moves running jobs: it needs a `preemption` mode");
    size_t jobs = (size_t)pt_view_trace(ctx)->job_count + 1;
    defragment->moved_ns = calloc(jobs, sizeof *defragment->moved_ns);
    if (defragment->moved_ns == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu jobs' moves", jobs);
    return PT_OK;
}

void pt__defragment_fini(struct pt_defragment *defragment)
{
    free(defragment->moved_ns);
    *defragment = (struct pt_defragment){0};
}

/* A set of jobs that move, and at what cost. */
struct plan {
    uint32_t count;
    uint64_t parts;
    struct pt_victim move[PT_DEFRAGMENT_CANDIDATES];
};

/* One search. */
struct search {
    struct pt_defragment *how;
    struct pt_ctx *ctx;
    pt_job job;
    uint32_t pool, node, wanted;
    uint32_t trials;
    uint32_t count;
    struct pt_victim candidate[PT_DEFRAGMENT_CANDIDATES + 1]; /* the smallest first */
    struct plan best;
    uint32_t best_pool;
};

/* Whether what is free in the pool is enough, but broken into too small parts. */
static bool is_fragmented(const struct search *search)
{
    const struct pt_pool *pool = &pt_view_cluster(search->ctx)->pools[search->pool];
    uint32_t free = pt_view_units_free(search->ctx, search->pool, search->job), largest = 0;
    if (search->wanted == 0 || free < search->wanted) return false;
    if (search->wanted > pt_view_node_size(search->ctx, search->pool, search->job)) return false;
    for (uint32_t n = pool->first_node; n < pool->first_node + pool->node_count; n++) {
        uint32_t room = pt_view_node_room(search->ctx, n, search->job, search->wanted);
        if (room > largest) largest = room;
    }
    uint64_t broken = free - (largest < free ? largest : free);
    return broken * PT_PPM_ONE > (uint64_t)search->how->above_ppm * free;
}

/* ---- who may move from a node ---- */

static int by_size(const void *a, const void *b)
{
    const struct pt_victim *left = a, *right = b;
    if (left->parts != right->parts) return left->parts < right->parts ? -1 : 1;
    return pt__victim_order(a, b);
}

static bool may_move(const struct search *search, pt_job job)
{
    int64_t moved_ns = search->how->moved_ns[job];
    bool rests =
        moved_ns > 0 && pt_view_now_ns(search->ctx) - (moved_ns - 1) < search->how->cooldown_ns;
    return !rests && pt_view_preemptible(search->ctx, job);
}

static void add_unit(struct search *search, pt_job job)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (search->candidate[i].job == job) {
            search->candidate[i].gain++;
            return;
        }
    if (!may_move(search, job)) return;
    struct pt_victim victim = pt__victim(search->ctx, job, 0);
    victim.gain = 1;
    search->candidate[search->count++] = victim;
    qsort(search->candidate, search->count, sizeof victim, by_size);
    if (search->count > PT_DEFRAGMENT_CANDIDATES) search->count--;
}

static void find_candidates(struct search *search)
{
    const struct pt_pool *pool = &pt_view_cluster(search->ctx)->pools[search->pool];
    uint32_t first = pool->first_gpu + (search->node - pool->first_node) * pool->gpus_per_node;
    pt_job jobs[GPU_JOBS_MAX];
    search->count = 0;
    for (uint32_t gpu = first; gpu < first + pool->gpus_per_node; gpu++) {
        uint32_t count = pt_view_gpu_jobs(search->ctx, gpu, jobs, GPU_JOBS_MAX);
        for (uint32_t i = 0; i < count && i < GPU_JOBS_MAX; i++)
            add_unit(search, jobs[i]);
    }
}

/* ---- sets of them ---- */

/* Everything is as if the plan had been carried out; false: it can't be, and then what was tried is
 * to be given up. The largest look for a place first. */
static bool assume_all(const struct search *search, const struct plan *plan, uint32_t pool)
{
    const struct pt_units *units;
    for (uint32_t i = 0; i < plan->count; i++)
        if (!pt_ctx_try_lift(search->ctx, plan->move[i].job)) return false;
    if (!pt_ctx_place(search->ctx, &units, search->job, PT_POOL_BIT(pool)) ||
        !pt_ctx_try_assume(search->ctx, search->job, units))
        return false;
    for (uint32_t i = plan->count; i-- > 0;) {
        pt_job job = plan->move[i].job;
        if (!pt_ctx_place(search->ctx, &units, job, UINT64_MAX) ||
            !pt_ctx_try_assume(search->ctx, job, units))
            return false;
    }
    return true;
}

static bool is_cheaper(const struct plan *a, const struct plan *b)
{
    if (b->count == 0 || a->parts != b->parts) return b->count == 0 || a->parts < b->parts;
    return a->count < b->count;
}

/* Tries the sets of the candidates that could be cheaper than the best so far. */
static void try_sets(struct search *search)
{
    for (uint32_t bits = 1; bits < UINT32_C(1) << search->count; bits++) {
        if ((uint32_t)__builtin_popcount(bits) > search->how->moves) continue;
        struct plan plan = {0};
        for (uint32_t i = 0; i < search->count; i++) {
            if ((bits >> i & 1) == 0) continue;
            plan.parts += search->candidate[i].parts;
            plan.move[plan.count++] = search->candidate[i];
        }
        if (!is_cheaper(&plan, &search->best)) continue;
        if (++search->trials > PT_DEFRAGMENT_TRIALS) return;
        if (assume_all(search, &plan, search->pool)) {
            search->best = plan;
            search->best_pool = search->pool;
        }
        pt_ctx_try_abort(search->ctx);
    }
}

/* Whether the node could hold the job if all candidates left it. */
static bool could_be_cleared(const struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        (void)pt_ctx_try_lift(search->ctx, search->candidate[i].job);
    uint32_t room = pt_view_node_room(search->ctx, search->node, search->job, search->wanted);
    pt_ctx_try_abort(search->ctx);
    return room >= search->wanted;
}

static void search_pool(struct search *search)
{
    const struct pt_pool *pool = &pt_view_cluster(search->ctx)->pools[search->pool];
    for (uint32_t n = pool->first_node; n < pool->first_node + pool->node_count; n++) {
        search->node = n;
        find_candidates(search);
        if (search->count > 0 && could_be_cleared(search)) try_sets(search);
    }
}

enum pt_status pt__defragment_make_room(struct pt_defragment *defragment, struct pt_ctx *ctx,
                                        pt_job job, uint64_t pools, bool *done)
{
    *done = false;
    if (!defragment->on) return PT_OK;
    struct search search = {
        .how = defragment, .ctx = ctx, .job = job, .wanted = pt_view_units_wanted(ctx, job)};
    pools &= pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; pools != 0; pools &= pools - 1) {
        search.pool = (uint32_t)__builtin_ctzll(pools);
        if (pt_view_within_limit(ctx, search.pool, job) && is_fragmented(&search))
            search_pool(&search);
    }
    if (search.best.count == 0) return PT_OK;
    if (!assume_all(&search, &search.best, search.best_pool)) {
        pt_ctx_try_abort(ctx);
        return PT_OK;
    }
    for (uint32_t i = 0; i < search.best.count; i++)
        defragment->moved_ns[search.best.move[i].job] = pt_view_now_ns(ctx) + 1;
    PT_TRY(pt_ctx_try_commit(ctx));
    *done = true;
    return PT_OK;
}
