#include "policies/queues/kai_jobs.h"

#include <stdlib.h>

/* ---- the heap of a leaf ---- */

/* Whether group `a` is served before `b` of the same leaf. */
static bool before(const struct pt_kai_jobs *jobs, uint32_t a, uint32_t b)
{
    const struct pt_kai_group *left = &jobs->group[a], *right = &jobs->group[b];
    if (left->priority != right->priority) return left->priority > right->priority;
    return left->head < right->head;
}

static void put(struct pt_kai_jobs *jobs, uint32_t *heap, uint32_t slot, uint32_t group)
{
    heap[slot] = group;
    jobs->group[group].slot = slot;
}

/* Moves the group at `slot` to where it belongs. */
static void settle(struct pt_kai_jobs *jobs, uint32_t leaf, uint32_t slot)
{
    uint32_t *heap = jobs->heap + jobs->leaf[leaf].first_group, count = jobs->leaf[leaf].ready;
    uint32_t group = heap[slot];
    for (; slot > 0 && before(jobs, group, heap[(slot - 1) / 2]); slot = (slot - 1) / 2)
        put(jobs, heap, slot, heap[(slot - 1) / 2]);
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && before(jobs, heap[child + 1], heap[child])) child++;
        if (!before(jobs, heap[child], group)) break;
        put(jobs, heap, slot, heap[child]);
    }
    put(jobs, heap, slot, group);
}

/* Counts a group into, or out of, one of the tree's two counts along its way up. */
static void count_ready(struct pt_kai_tree *tree, uint32_t leaf, uint32_t more)
{
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent)
        tree->node[n].ready += more;
}

static void count_waiting(struct pt_kai_tree *tree, uint32_t leaf, uint32_t more)
{
    for (uint32_t n = leaf; n != PT_NONE; n = tree->node[n].parent)
        tree->node[n].waiting += more;
}

static void heap_add(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, uint32_t group)
{
    uint32_t leaf = jobs->group[group].leaf;
    uint32_t slot = jobs->leaf[leaf].ready++;
    jobs->group[group].state = PT_KAI_READY;
    put(jobs, jobs->heap + jobs->leaf[leaf].first_group, slot, group);
    settle(jobs, leaf, slot);
    count_ready(tree, leaf, 1);
}

static void heap_remove(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, uint32_t group)
{
    uint32_t leaf = jobs->group[group].leaf, slot = jobs->group[group].slot;
    uint32_t *heap = jobs->heap + jobs->leaf[leaf].first_group;
    uint32_t last = heap[--jobs->leaf[leaf].ready];
    count_ready(tree, leaf, UINT32_MAX);
    if (slot == jobs->leaf[leaf].ready) return;
    put(jobs, heap, slot, last);
    settle(jobs, leaf, slot);
}

static void aside_add(struct pt_kai_jobs *jobs, uint32_t group, bool kept)
{
    uint32_t *list = kept ? &jobs->kept : &jobs->shape[jobs->group[group].shape].aside;
    jobs->group[group].state = PT_KAI_ASIDE;
    jobs->group[group].aside_next = *list;
    *list = group;
}

/* ---- who waits ---- */

/* The place in a stretch of an array of jobs in trace order. */
static uint32_t place_of(const pt_job *at, uint32_t first, uint32_t count, pt_job job)
{
    uint32_t low = first, high = first + count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle] < job)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pt__kai_wait(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, pt_job job)
{
    uint32_t g = jobs->group_of[job];
    struct pt_kai_group *group = &jobs->group[g];
    uint32_t place = place_of(jobs->job_at, group->first, group->count, job);
    if (pt__kai_bits_has(&jobs->waiting, place)) return;
    pt__kai_bits_add(&jobs->waiting, place);
    pt__kai_tree_ask(tree, group->leaf, group->parts, true);
    pt_job old = group->head;
    if (old == PT_NONE) count_waiting(tree, group->leaf, 1);
    if (old > job) group->head = job;
    if (group->state == PT_KAI_READY) {
        if (old > job) settle(jobs, group->leaf, group->slot);
    } else if (group->state == PT_KAI_EMPTY) {
        if (jobs->shape[group->shape].blocked)
            aside_add(jobs, g, false);
        else
            heap_add(jobs, tree, g);
    }
}

bool pt__kai_leave(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, pt_job job)
{
    uint32_t g = jobs->group_of[job];
    struct pt_kai_group *group = &jobs->group[g];
    uint32_t place = place_of(jobs->job_at, group->first, group->count, job);
    if (!pt__kai_bits_has(&jobs->waiting, place)) return false;
    pt__kai_bits_remove(&jobs->waiting, place);
    pt__kai_tree_ask(tree, group->leaf, group->parts, false);
    if (group->head != job) return true;
    place = pt__kai_bits_next(&jobs->waiting, place, group->first + group->count);
    group->head = place == PT_NONE ? PT_NONE : jobs->job_at[place];
    group->vain[0] = group->vain[1] = 0;
    group->rest[0] = group->rest[1] = 0;
    if (group->head == PT_NONE) count_waiting(tree, group->leaf, UINT32_MAX);
    if (group->state != PT_KAI_READY) return true; /* an empty one aside is found when it is back */
    if (group->head == PT_NONE) {
        heap_remove(jobs, tree, g);
        group->state = PT_KAI_EMPTY;
    } else {
        settle(jobs, group->leaf, group->slot);
    }
    return true;
}

void pt__kai_set_aside(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, uint32_t group,
                       bool kept)
{
    heap_remove(jobs, tree, group);
    aside_add(jobs, group, kept);
}

static void bring_back(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, uint32_t *list)
{
    uint32_t next;
    for (uint32_t g = *list; g != PT_NONE; g = next) {
        struct pt_kai_group *group = &jobs->group[g];
        next = group->aside_next;
        if (group->head == PT_NONE)
            group->state = PT_KAI_EMPTY;
        else
            heap_add(jobs, tree, g);
    }
    *list = PT_NONE;
}

/* Whether one of the shape may fit, by counts of units alone. */
static bool may_fit(const struct pt_ctx *ctx, const struct pt_kai_shape *shape)
{
    uint32_t wanted = pt_view_units_wanted(ctx, shape->job);
    for (uint64_t pools = shape->pools; pools != 0; pools &= pools - 1)
        if (pt_view_units_free(ctx, (uint32_t)__builtin_ctzll(pools), shape->job) >= wanted)
            return true;
    return false;
}

void pt__kai_released(struct pt_kai_jobs *jobs, struct pt_kai_tree *tree, const struct pt_ctx *ctx,
                      uint64_t pools)
{
    bring_back(jobs, tree, &jobs->kept);
    for (uint32_t s = 0; s < jobs->shape_count; s++) {
        struct pt_kai_shape *shape = &jobs->shape[s];
        if (!shape->blocked || (shape->pools & pools) == 0 || !may_fit(ctx, shape)) continue;
        shape->blocked = false;
        bring_back(jobs, tree, &shape->aside);
    }
}

void pt__kai_runs(struct pt_kai_jobs *jobs, pt_job job, bool runs)
{
    const struct pt_kai_group *group = &jobs->group[jobs->group_of[job]];
    uint32_t place = place_of(jobs->band_at, group->band_first, group->band_count, job);
    if (runs)
        pt__kai_bits_add(&jobs->running, place);
    else
        pt__kai_bits_remove(&jobs->running, place);
}

void pt__kai_jobs_fini(struct pt_kai_jobs *jobs)
{
    free(jobs->group);
    free(jobs->shape);
    free(jobs->leaf);
    free(jobs->heap);
    free(jobs->group_of);
    free(jobs->job_at);
    free(jobs->band_at);
    free(jobs->pool_of);
    pt__kai_bits_fini(&jobs->waiting);
    pt__kai_bits_fini(&jobs->running);
    *jobs = (struct pt_kai_jobs){0};
}
