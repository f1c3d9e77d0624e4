#include "policies/placement/typical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partita/random.h"

/* A shape before it is looked at from a pool. */
struct shape {
    uint64_t pools, count;
    uint32_t cpus_milli, units;
    uint32_t share_ppm;      /* of one GPU, in the first pool that takes it */
    const char *type, *pool; /* as its jobs name them, "" = any */
    pt_job job;              /* one that has it */
};

static int compare(const void *left, const void *right)
{
    const struct shape *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    if (a->cpus_milli != b->cpus_milli) return a->cpus_milli > b->cpus_milli ? -1 : 1;
    if (a->share_ppm != b->share_ppm) return a->share_ppm > b->share_ppm ? -1 : 1;
    if (a->units != b->units) return a->units > b->units ? -1 : 1;
    int type = strcmp(a->type, b->type), pool = strcmp(a->pool, b->pool);
    if (type != 0) return type > 0 ? -1 : 1;
    if (pool != 0) return pool > 0 ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

static int by_asked(const void *left, const void *right)
{
    const struct shape *a = left, *b = right;
    struct shape x = *a, y = *b;
    x.count = y.count = 0;
    return compare(&x, &y);
}

static bool same(const struct shape *a, const struct shape *b)
{
    return a->cpus_milli == b->cpus_milli && a->units == b->units && a->share_ppm == b->share_ppm &&
           strcmp(a->type, b->type) == 0 && strcmp(a->pool, b->pool) == 0;
}

static const char *word_of(const struct pt_ctx *ctx, enum pt_column_id column, pt_job job)
{
    const char *word = pt_trace_word(pt_view_trace(ctx), column, job);
    return word == NULL ? "" : word;
}

/* The shape of a class's jobs. */
static struct shape shape_of(const struct pt__scored *scored, const struct pt_ctx *ctx,
                             uint32_t class_id)
{
    pt_job job = scored->job_of_class[class_id];
    struct shape shape = {.pools = pt_view_class_pools(ctx, class_id),
                          .count = pt_view_class_size(ctx, class_id),
                          .cpus_milli = pt__cpus_asked(ctx, job),
                          .units = pt_view_units_wanted(ctx, job),
                          .type = word_of(ctx, PT_COL_GPU_TYPE, job),
                          .pool = word_of(ctx, PT_COL_POOL, job),
                          .job = job};
    if (shape.units == 0 || shape.pools == 0) return shape;
    uint32_t pool = (uint32_t)__builtin_ctzll(shape.pools);
    uint64_t capacity = pt_view_cluster(ctx)->pools[pool].shape.capacity;
    shape.share_ppm =
        (uint32_t)(pt_view_need(ctx, pool, job)->capacity * (uint64_t)PT_PPM_ONE / capacity);
    return shape;
}

/* All shapes, the most popular first; how many of them are typical. */
static uint32_t find_shapes(struct shape *shapes, const struct pt__scored *scored,
                            const struct pt_ctx *ctx, uint32_t popularity_ppm)
{
    uint32_t classes = pt_view_class_count(ctx), count = 0, typical = 0;
    for (uint32_t c = 0; c < classes; c++)
        shapes[c] = shape_of(scored, ctx, c);
    qsort(shapes, classes, sizeof *shapes, by_asked);
    for (uint32_t c = 0; c < classes; c++) {
        if (count > 0 && same(&shapes[count - 1], &shapes[c]))
            shapes[count - 1].count += shapes[c].count;
        else
            shapes[count++] = shapes[c];
    }
    qsort(shapes, count, sizeof *shapes, compare);
    pt_u128 enough = (pt_u128)pt_view_trace(ctx)->job_count * popularity_ppm, sum = 0;
    for (; typical < count && sum < enough; typical++)
        sum += (pt_u128)shapes[typical].count * PT_PPM_ONE;
    return typical;
}

static int compare_needs(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The gain for a score s is ln(s / (100 - s)) GPUs. */
static void find_steps(struct pt__workload *work)
{
    for (uint32_t s = 1; s < PT__SCORE_MAX; s++) {
        double gpus = pt_round40(log((double)s / (PT__SCORE_MAX - s)));
        work->step[s] = (int64_t)ceil(gpus * (double)work->capacity * (double)work->jobs);
    }
}

static enum pt_status fill_pool(struct pt__workload *work, const struct shape *shapes,
                                uint32_t count, const struct pt_ctx *ctx, uint32_t pool)
{
    work->capacity = pt_view_cluster(ctx)->pools[pool].shape.capacity;
    work->shapes = calloc((size_t)count + 1, sizeof *work->shapes);
    work->needs = calloc((size_t)count + 1, sizeof *work->needs);
    if (work->shapes == NULL || work->needs == NULL) return PT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[i];
        work->jobs += shape->count;
        if (shape->units == 0 || (shape->pools & PT_POOL_BIT(pool)) == 0) {
            work->never += shape->count;
            continue;
        }
        uint32_t at = work->shape_count++, need = pt_view_need(ctx, pool, shape->job)->capacity;
        work->needs[at] = need;
        work->shapes[at] =
            (struct pt__typical){shape->units, shape->cpus_milli, need, shape->count};
    }
    qsort(work->needs, work->shape_count, sizeof *work->needs, compare_needs);
    for (uint32_t i = 0; i < work->shape_count; i++)
        if (i == 0 || work->needs[i] != work->needs[work->need_count - 1])
            work->needs[work->need_count++] = work->needs[i];
    for (uint32_t i = 0; i < work->shape_count; i++) {
        uint32_t at = 0;
        while (work->needs[at] != work->shapes[i].needs)
            at++;
        work->shapes[i].needs = at;
    }
    find_steps(work);
    return PT_OK;
}

enum pt_status pt__mix_init(struct pt__mix *mix, const struct pt__scored *scored,
                            const struct pt_ctx *ctx, uint32_t popularity_ppm,
                            struct pt_error *error)
{
    uint32_t classes = pt_view_class_count(ctx);
    struct shape *shapes = calloc((size_t)classes + 1, sizeof *shapes);
    enum pt_status status = PT_ERR_MEMORY;
    *mix = (struct pt__mix){.pool_count = pt_view_pool_count(ctx)};
    mix->pools = calloc(mix->pool_count, sizeof *mix->pools);
    mix->holding = calloc((size_t)classes + 1, sizeof *mix->holding);
    mix->unusable = calloc((size_t)classes + 1, sizeof *mix->unusable);
    if (shapes != NULL && mix->pools != NULL && mix->holding != NULL && mix->unusable != NULL) {
        uint32_t count = find_shapes(shapes, scored, ctx, popularity_ppm);
        status = PT_OK;
        for (uint32_t p = 0; p < mix->pool_count && status == PT_OK; p++)
            status = fill_pool(&mix->pools[p], shapes, count, ctx, p);
    }
    free(shapes);
    if (status == PT_OK) return PT_OK;
    pt__mix_fini(mix);
    return pt_fail(error, status, "out of memory for the shapes of %u classes of jobs", classes);
}

void pt__mix_fini(struct pt__mix *mix)
{
    for (uint32_t p = 0; mix->pools != NULL && p < mix->pool_count; p++) {
        free(mix->pools[p].shapes);
        free(mix->pools[p].needs);
    }
    free(mix->pools);
    free(mix->holding);
    free(mix->unusable);
    *mix = (struct pt__mix){0};
}

int64_t pt__mix_fragmentation(const struct pt__mix *mix, uint32_t pool, const struct pt__gpu *gpus,
                              uint32_t count, uint32_t cpus_free_milli)
{
    const struct pt__workload *work = &mix->pools[pool];
    uint64_t idle = 0, sum = 0;
    for (uint32_t d = 0; d < work->need_count; d++)
        mix->holding[d] = 0, mix->unusable[d] = 0;
    for (uint32_t g = 0; g < count; g++) {
        uint32_t left = work->capacity - gpus[g].load;
        if (!gpus[g].in_service) continue;
        idle += left;
        for (uint32_t d = 0; d < work->need_count; d++) {
            bool holds = left >= work->needs[d];
            mix->holding[d] += holds;
            mix->unusable[d] += holds ? 0 : left;
        }
    }
    for (uint32_t i = 0; i < work->shape_count; i++) {
        const struct pt__typical *shape = &work->shapes[i];
        bool usable =
            mix->holding[shape->needs] >= shape->units && cpus_free_milli >= shape->cpus_milli;
        sum += shape->count * (usable ? mix->unusable[shape->needs] : idle);
    }
    return (int64_t)(sum + work->never * idle);
}

uint32_t pt__mix_score(const struct pt__mix *mix, uint32_t pool, int64_t gain)
{
    const struct pt__workload *work = &mix->pools[pool];
    uint32_t low = 0, high = PT__SCORE_MAX - 1; /* the highest score whose step is reached */
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (gain >= work->step[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
