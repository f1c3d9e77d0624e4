#include "policies/fair/factors.h"

#include <stdio.h>
#include <string.h>

#include "partita/suggest.h"
#include "policies/words.h"

bool pt__factors_any(const struct pt_factor_weights *weights)
{
    const struct pt_factor_weights *w = weights;
    return w->association != 0 || w->job_size != 0 || w->pool != 0 || w->qos != 0 || w->gpus != 0 ||
           w->cpus != 0 || w->memory != 0;
}

static void measure_cluster(struct pt_factors *factors, const struct pt_cluster *cluster)
{
    factors->gpus = cluster->gpu_count;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        if (pool->cpus_milli_per_node != PT_NONE)
            factors->cpus_milli += (double)pool->cpus_milli_per_node * pool->node_count;
        if (pool->mem_mib_per_node != PT_NONE)
            factors->mem_mib += (double)pool->mem_mib_per_node * pool->node_count;
    }
}

static void measure_ranks(struct pt_factors *factors, const struct pt_ctx *ctx)
{
    for (pt_job job = 0; factors->weight.qos != 0 && job < pt_view_trace(ctx)->job_count; job++) {
        int64_t value = pt_view_rank(ctx, job).value;
        if (value < factors->least_rank) factors->least_rank = value;
        if (value > factors->most_rank) factors->most_rank = value;
    }
    for (uint32_t t = 0; t < pt_view_tenant_count(ctx); t++) {
        int64_t value = pt_view_tenant(ctx, t)->priority;
        if (value < factors->least_tenant) factors->least_tenant = value;
        if (value > factors->most_tenant) factors->most_tenant = value;
    }
}

static enum pt_status no_pool(const struct pt__words *words, const struct pt_cluster *cluster,
                              struct pt_error *error)
{
    struct pt_suggestion near;
    char what[128] = "is no pool of the cluster";
    pt_suggest_begin(&near, words->word, words->length);
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        pt_suggest_offer(&near, cluster->pools[p].name);
    if (near.best)
        snprintf(what, sizeof what, "is no pool of the cluster (did you mean '%s'?)", near.best);
    return pt__words_fail(words, error, what);
}

/* The n pools that are named count (n - i) / n, the others 0. */
static enum pt_status order_pools(struct pt_factors *factors, const struct pt_cluster *cluster,
                                  const char *names, struct pt_error *error)
{
    struct pt__words words = {.key = "pool_order", .rest = names};
    const double count = pt__words_count(names);
    while (pt__words_next(&words)) {
        uint32_t p = 0;
        while (p < cluster->pool_count &&
               (strlen(cluster->pools[p].name) != words.length ||
                memcmp(cluster->pools[p].name, words.word, words.length) != 0))
            p++;
        if (p == cluster->pool_count) return no_pool(&words, cluster, error);
        if (factors->pool_factor[p] > 0) return pt__words_fail(&words, error, "is there twice");
        factors->pool_factor[p] = (count - (words.count - 1)) / count;
    }
    return PT_OK;
}

enum pt_status pt__factors_init(struct pt_factors *factors, const struct pt_ctx *ctx,
                                const struct pt_factor_weights *weights, struct pt_error *error)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    *factors = (struct pt_factors){.weight = *weights};
    measure_cluster(factors, cluster);
    measure_ranks(factors, ctx);
    return order_pools(factors, cluster, weights->pool_order, error);
}

/* Where a value lies between the least and the most, as Slurm divides by the most of all. */
static double part_of(int64_t value, int64_t least, int64_t most)
{
    return most == least ? 0 : ((double)value - (double)least) / ((double)most - (double)least);
}

/* GPUs that the job takes, as quota counts them, of all there are. */
static double gpus_of(const struct pt_factors *factors, const struct pt_ctx *ctx, pt_job job)
{
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    if (pools == 0) return 0;
    uint64_t parts = pt_view_parts(ctx, (uint32_t)__builtin_ctzll(pools), job);
    return (double)parts / (double)pt_view_parts_per_gpu(ctx) / factors->gpus;
}

/* A job that may use several pools counts as in the best of them. */
static double pool_of(const struct pt_factors *factors, const struct pt_ctx *ctx, pt_job job)
{
    double best = 0;
    uint64_t pools = pt_view_class_pools(ctx, pt_view_class_of(ctx, job));
    for (; pools != 0; pools &= pools - 1) {
        double factor = factors->pool_factor[__builtin_ctzll(pools)];
        if (factor > best) best = factor;
    }
    return best;
}

static double host_of(const struct pt_ctx *ctx, enum pt_column_id column, pt_job job, double all)
{
    uint32_t asked = pt_trace_u32(pt_view_trace(ctx), column, job);
    return all == 0 || asked == PT_NONE ? 0 : asked / all;
}

double pt__factors_of(const struct pt_factors *factors, const struct pt_ctx *ctx, pt_job job)
{
    const struct pt_factor_weights *w = &factors->weight;
    double gpus = gpus_of(factors, ctx, job);
    int64_t tenant = pt_view_tenant(ctx, pt_view_tenant_of(ctx, job))->priority;
    int64_t rank = pt_view_rank(ctx, job).value;
    double sum = w->association * part_of(tenant, factors->least_tenant, factors->most_tenant);
    sum += w->job_size * (w->favor_small ? 1 - gpus : gpus);
    sum += w->pool * pool_of(factors, ctx, job);
    sum += w->qos * part_of(rank, factors->least_rank, factors->most_rank);
    sum += w->gpus * gpus;
    sum += w->cpus * host_of(ctx, PT_COL_CPUS, job, factors->cpus_milli);
    sum += w->memory * host_of(ctx, PT_COL_MEM, job, factors->mem_mib);
    return sum;
}
