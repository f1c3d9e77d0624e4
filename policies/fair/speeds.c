#include "policies/fair/speeds.h"

#define KINDS_MAX 16 /* of jobs that differ in R; more than there are classes of work */

static uint32_t gpus_of(const struct pt_cluster *cluster, uint32_t pool)
{
    return cluster->pools[pool].node_count * cluster->pools[pool].gpus_per_node;
}

/* R of the pool's GPUs for the job by the mean of R over all GPUs. */
static double worth(const struct pt_ctx *ctx, uint32_t pool, pt_job job)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    double sum = 0;
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        sum += (double)pt_view_rate(ctx, p, job) * gpus_of(cluster, p);
    return sum == 0 ? 1 : (double)pt_view_rate(ctx, pool, job) * cluster->gpu_count / sum;
}

static bool same_kind(const struct pt_ctx *ctx, pt_job a, pt_job b)
{
    for (uint32_t p = 0; p < pt_view_pool_count(ctx); p++)
        if (pt_view_rate(ctx, p, a) != pt_view_rate(ctx, p, b)) return false;
    return true;
}

void pt__speeds_init(struct pt_speeds *speeds, const struct pt_ctx *ctx)
{
    pt_job kind[KINDS_MAX];
    uint32_t kinds = 0, pools = pt_view_pool_count(ctx);
    *speeds = (struct pt_speeds){0};
    if (pools < 2) return;
    for (pt_job job = 0; job < pt_view_trace(ctx)->job_count && kinds < KINDS_MAX; job++) {
        uint32_t k = 0;
        while (k < kinds && !same_kind(ctx, kind[k], job))
            k++;
        if (k == kinds) kind[kinds++] = job;
    }
    for (uint32_t p = 0; p < pools; p++) {
        for (uint32_t k = 0; k < kinds; k++) {
            speeds->mean[p] += worth(ctx, p, kind[k]) / kinds;
            speeds->differ |= pt_view_rate(ctx, p, kind[k]) != pt_view_rate(ctx, 0, kind[k]);
        }
    }
}

uint64_t pt__speeds_worth(const struct pt_speeds *speeds, const struct pt_ctx *ctx, uint32_t pool,
                          pt_job job)
{
    uint64_t parts = pt_view_parts(ctx, pool, job);
    if (!speeds->differ) return parts;
    return (uint64_t)((double)parts * worth(ctx, pool, job) + 0.5);
}

uint32_t pt__speeds_best(const struct pt_speeds *speeds, const struct pt_ctx *ctx, uint64_t pools,
                         pt_job job)
{
    uint32_t best = PT_NONE;
    double most = 0;
    for (; pools != 0; pools &= pools - 1) {
        uint32_t pool = (uint32_t)__builtin_ctzll(pools);
        double gain = speeds->mean[pool] > 0 ? worth(ctx, pool, job) / speeds->mean[pool] : 0;
        /* Alike but for rounding: the faster one. */
        bool more = gain > most * (1 + 1e-12), alike = !more && gain > most * (1 - 1e-12);
        if (best != PT_NONE && !more &&
            !(alike && pt_view_rate(ctx, pool, job) > pt_view_rate(ctx, best, job)))
            continue;
        best = pool;
        most = gain;
    }
    return best;
}
