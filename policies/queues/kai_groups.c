#include <stdlib.h>
#include <string.h>

#include "policies/queues/kai_jobs.h"

/* How the jobs of a trace are sorted into groups and shapes, once. */

/* ---- groups, by first appearance ---- */

struct table {
    uint32_t *slot; /* group + 1 */
    uint32_t slots, capacity;
};

static uint64_t hash_of(const struct pt_kai_group *group)
{
    uint64_t hash = ((uint64_t)group->class_id << 1 | group->fixed) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ (uint64_t)group->priority) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static bool same(const struct pt_kai_group *a, const struct pt_kai_group *b)
{
    return a->class_id == b->class_id && a->priority == b->priority && a->fixed == b->fixed;
}

static uint32_t *find(const struct pt_kai_jobs *jobs, const struct table *table,
                      const struct pt_kai_group *group)
{
    uint32_t s = (uint32_t)hash_of(group) & (table->slots - 1);
    while (table->slot[s] != 0 && !same(&jobs->group[table->slot[s] - 1], group))
        s = (s + 1) & (table->slots - 1);
    return &table->slot[s];
}

static bool grow(struct pt_kai_jobs *jobs, struct table *table)
{
    uint32_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    struct pt_kai_group *group = realloc(jobs->group, capacity * sizeof *group);
    if (group == NULL) return false;
    jobs->group = group;
    table->capacity = capacity;
    table->slots = 4 * capacity;
    free(table->slot);
    table->slot = calloc(table->slots, sizeof *table->slot);
    if (table->slot == NULL) return false;
    for (uint32_t g = 0; g < jobs->group_count; g++)
        *find(jobs, table, &group[g]) = g + 1;
    return true;
}

/* A tenant's priority is its queue's: only a job's own can make it one that is never stopped. */
static bool collect(struct pt_kai_jobs *jobs, const struct pt_kai_tree *tree,
                    const struct pt_ctx *ctx, int64_t fixed_from)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    struct table table = {0};
    bool ok = grow(jobs, &table);
    for (pt_job job = 0; ok && job < jobs->job_count; job++) {
        bool has_own = pt_trace_u32(trace, PT_COL_PRIORITY, job) != PT_NONE;
        struct pt_rank rank = pt_view_rank(ctx, job);
        struct pt_kai_group group = {.class_id = pt_view_class_of(ctx, job),
                                     .priority = rank.value,
                                     .fixed = !rank.preemptible ||
                                              (has_own && rank.value >= fixed_from) ||
                                              pt_trace_bool(trace, PT_COL_PREEMPTIBLE, job) == 0,
                                     .leaf = tree->leaf[pt_view_tenant_of(ctx, job)],
                                     .head = PT_NONE,
                                     .first = job};
        uint32_t *slot = find(jobs, &table, &group);
        if (*slot == 0) {
            uint64_t pools = pt_view_class_pools(ctx, group.class_id);
            if (pools != 0) group.parts = pt_view_parts(ctx, (uint32_t)__builtin_ctzll(pools), job);
            *slot = jobs->group_count + 1;
            jobs->group[jobs->group_count++] = group;
        }
        jobs->group_of[job] = *slot - 1;
        jobs->group[*slot - 1].count++;
        if (jobs->group_count == table.capacity) ok = grow(jobs, &table);
    }
    free(table.slot);
    return ok;
}

/* ---- shapes ---- */

static const enum pt_column_id asked[] = {
    PT_COL_GPUS, PT_COL_GPU_FRAC,  PT_COL_GPU_MEM,   PT_COL_MIG,      PT_COL_GPU_TYPE, PT_COL_POOL,
    PT_COL_CPUS, PT_COL_NODES_MAX, PT_COL_PROCESSES, PT_COL_DISTINCT, PT_COL_MEM};
#define ASKED (sizeof asked / sizeof asked[0])

struct ask {
    uint32_t cell[ASKED];
    uint32_t group;
};

static int by_ask(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(((const struct ask *)0)->cell));
}

static bool host_matters(const struct pt_ctx *ctx)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    bool matters = false;
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        matters |= cluster->pools[p].cpus_milli_per_node != PT_NONE ||
                   cluster->pools[p].mem_mib_per_node != PT_NONE;
    return matters;
}

static bool find_shapes(struct pt_kai_jobs *jobs, const struct pt_ctx *ctx)
{
    const struct pt_trace *trace = pt_view_trace(ctx);
    struct ask *ask = calloc((size_t)jobs->group_count + 1, sizeof *ask);
    jobs->shape = calloc((size_t)jobs->group_count + 1, sizeof *jobs->shape);
    bool host = host_matters(ctx), ok = ask != NULL && jobs->shape != NULL;
    for (uint32_t g = 0; ok && g < jobs->group_count; g++) {
        ask[g].group = g;
        for (size_t c = 0; c < ASKED; c++) {
            pt_job job = jobs->group[g].first;
            if (asked[c] == PT_COL_DISTINCT)
                ask[g].cell[c] = pt_trace_bool(trace, asked[c], job);
            else if (host || (asked[c] != PT_COL_CPUS && asked[c] != PT_COL_MEM))
                ask[g].cell[c] = pt_trace_u32(trace, asked[c], job);
        }
    }
    if (ok) qsort(ask, jobs->group_count, sizeof *ask, by_ask);
    for (uint32_t i = 0; ok && i < jobs->group_count; i++) {
        struct pt_kai_group *group = &jobs->group[ask[i].group];
        if (i == 0 || by_ask(&ask[i - 1], &ask[i]) != 0)
            jobs->shape[jobs->shape_count++] =
                (struct pt_kai_shape){.job = group->first, .aside = PT_NONE};
        group->shape = jobs->shape_count - 1;
        struct pt_kai_shape *shape = &jobs->shape[group->shape];
        uint64_t pools = pt_view_class_pools(ctx, group->class_id);
        if (shape->pools == 0) shape->job = group->first; /* one that some tenant's limit allows */
        shape->pools |= pools;
    }
    free(ask);
    return ok;
}

/* ---- their order ---- */

static int by_leaf(const void *left, const void *right)
{
    const struct pt_kai_group *a = left, *b = right;
    if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    return a->first < b->first ? -1 : 1; /* no two begin with one job */
}

/* Sorts the groups and says so to their jobs. */
static bool sort_groups(struct pt_kai_jobs *jobs)
{
    uint32_t *now = malloc(((size_t)jobs->group_count + 1) * sizeof *now);
    if (now == NULL) return false;
    for (uint32_t g = 0; g < jobs->group_count; g++)
        jobs->group[g].slot = g;
    qsort(jobs->group, jobs->group_count, sizeof *jobs->group, by_leaf);
    for (uint32_t g = 0; g < jobs->group_count; g++)
        now[jobs->group[g].slot] = g;
    for (pt_job job = 0; job < jobs->job_count; job++)
        jobs->group_of[job] = now[jobs->group_of[job]];
    free(now);
    return true;
}

/* Gives every group its stretch of job_at, every band its of band_at, every leaf its of both. */
static void lay_out(struct pt_kai_jobs *jobs)
{
    uint32_t place = 0;
    for (uint32_t g = 0, band = 0; g < jobs->group_count; g++) {
        struct pt_kai_group *group = &jobs->group[g];
        struct pt_kai_leaf *leaf = &jobs->leaf[group->leaf];
        bool new_leaf = g == 0 || group[-1].leaf != group->leaf;
        if (new_leaf || group[-1].priority != group->priority) band = g;
        if (new_leaf) {
            leaf->first_group = g;
            leaf->first = place;
        }
        leaf->has_priorities |= group->priority != jobs->group[leaf->first_group].priority;
        leaf->group_count++;
        leaf->count += group->count;
        group->first = place;
        group->band_first = jobs->group[band].first;
        jobs->group[band].band_count += group->count;
        place += group->count;
    }
    for (uint32_t g = 1; g < jobs->group_count; g++)
        if (jobs->group[g].band_first != jobs->group[g].first)
            jobs->group[g].band_count = jobs->group[g - 1].band_count;
}

static bool place_jobs(struct pt_kai_jobs *jobs)
{
    uint32_t *next = calloc(3 * (size_t)jobs->group_count + 1, sizeof *next);
    if (next == NULL) return false;
    uint32_t *band_of = next + jobs->group_count; /* by group: the first of its band */
    uint32_t *in_band = band_of + jobs->group_count;
    for (uint32_t g = 1; g < jobs->group_count; g++)
        band_of[g] = jobs->group[g].first == jobs->group[g].band_first ? g : band_of[g - 1];
    for (pt_job job = 0; job < jobs->job_count; job++) {
        uint32_t g = jobs->group_of[job], band = band_of[g];
        jobs->job_at[jobs->group[g].first + next[g]++] = job;
        jobs->band_at[jobs->group[band].first + in_band[band]++] = job;
    }
    free(next);
    return true;
}

static bool allocate(struct pt_kai_jobs *jobs, const struct pt_kai_tree *tree)
{
    size_t count = (size_t)jobs->job_count + 1;
    jobs->leaf = calloc((size_t)tree->count + 1, sizeof *jobs->leaf);
    jobs->group_of = malloc(count * sizeof *jobs->group_of);
    jobs->job_at = malloc(count * sizeof *jobs->job_at);
    jobs->band_at = malloc(count * sizeof *jobs->band_at);
    jobs->pool_of = calloc(count, sizeof *jobs->pool_of);
    return jobs->leaf != NULL && jobs->group_of != NULL && jobs->job_at != NULL &&
           jobs->band_at != NULL && jobs->pool_of != NULL &&
           pt__kai_bits_init(&jobs->waiting, jobs->job_count) &&
           pt__kai_bits_init(&jobs->running, jobs->job_count);
}

enum pt_status pt__kai_jobs_init(struct pt_kai_jobs *jobs, const struct pt_kai_tree *tree,
                                 const struct pt_ctx *ctx, int64_t fixed_from,
                                 struct pt_error *error)
{
    jobs->job_count = pt_view_trace(ctx)->job_count;
    jobs->kept = PT_NONE;
    bool ok = allocate(jobs, tree) && collect(jobs, tree, ctx, fixed_from) &&
              find_shapes(jobs, ctx) && sort_groups(jobs);
    if (ok) {
        lay_out(jobs);
        jobs->heap = malloc(((size_t)jobs->group_count + 1) * sizeof *jobs->heap);
        ok = jobs->heap != NULL && place_jobs(jobs);
    }
    return ok ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory for %u jobs", jobs->job_count);
}
