#include "analysis/stats/bootstrap.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/stats/quantiles.h"
#include "partita/random.h"

/* What is drawn from: values less their mean, so that resampled means are small and exact where the
 * values are large and alike. */
struct group {
    double *values;
    size_t n;
    double sign, mean;
    double rounding; /* what is no larger than this is what rounding left */
};

/* Keeps the finite ones of add[i] - subtract[i] (subtract NULL: add[i]), about their mean. */
static bool take(struct group *group, const double *add, const double *subtract, size_t n)
{
    double sum = 0, rest = 0, largest = 0;
    group->n = 0;
    group->values = malloc((n + 1) * sizeof(*group->values));
    if (group->values == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        double x = subtract == NULL ? add[i] : add[i] - subtract[i];
        if (!isfinite(x)) continue;
        group->values[group->n++] = x;
        sum += x;
        largest = fmax(largest, fabs(add[i]));
        if (subtract != NULL) largest = fmax(largest, fabs(subtract[i]));
    }
    group->rounding = 8 * DBL_EPSILON * largest;
    if (group->n == 0) return true;
    double count = (double)group->n;
    for (size_t i = 0; i < group->n; i++)
        rest += group->values[i] - sum / count;
    group->mean = sum / count + rest / count;
    for (size_t i = 0; i < group->n; i++)
        group->values[i] -= group->mean;
    return true;
}

/* Mean of n draws with replacement, as a difference to the group's mean. Two draws to a number: 32
 * bits times n, whose shares are out by less than n / 2^32. */
static double resample(const struct group *group, gsl_rng *rng)
{
    double sum = 0;
    const uint64_t n = group->n;
    for (size_t i = 0; i < group->n; i += 2) {
        uint64_t bits = gsl_rng_get(rng);
        sum += group->values[(bits >> 32) * n >> 32];
        if (i + 1 < group->n) sum += group->values[(bits & UINT32_MAX) * n >> 32];
    }
    return sum / (double)n;
}

/* Leaving one value out moves its group's mean by its distance to it over n - 1: the jackknife's
 * sums need no second mean. With several groups each weighs by its size. */
static double acceleration(const struct group *groups, size_t group_count)
{
    double cubes = 0, squares = 0;
    for (size_t g = 0; g < group_count; g++) {
        for (size_t i = 0; i < groups[g].n; i++) {
            double influence = groups[g].sign * groups[g].values[i] / (double)groups[g].n;
            squares += influence * influence;
            cubes += influence * influence * influence;
        }
    }
    return squares > 0 ? cubes / (6 * squares * sqrt(squares)) : 0;
}

/* Half of the resamples below and half of the equal ones: 0 of them or all would be infinite. */
static double bias(const double *means, uint32_t count, double rounding)
{
    double below = 0;
    for (uint32_t i = 0; i < count; i++)
        below += means[i] < -rounding ? 1 : means[i] <= rounding ? 0.5 : 0;
    if (below < 0.5) below = 0.5;
    if (below > count - 0.5) below = count - 0.5;
    return pt_round40(gsl_cdf_ugaussian_Pinv(below / count));
}

/* Efron's (1987) equation 6.8: which quantile of the resamples is the one at `z`. */
static double corrected(const struct pt_bootstrap *b, double z)
{
    double moved = b->bias + z, shrunk = 1 - b->acceleration * moved;
    /* past the pole: the transformation has left its range, and the outermost resample is the end
     */
    if (!(shrunk > 0)) return moved > 0 ? 1 : 0;
    return pt_round40(gsl_cdf_ugaussian_P(b->bias + moved / shrunk));
}

/* Type-7 quantile. Reorders the values. */
static double quantile(double *values, uint32_t count, double share)
{
    double at = share * (double)(count - 1);
    uint32_t rank = (uint32_t)at;
    if (rank >= count - 1) rank = count - 2;
    const size_t ranks[] = {rank, rank + 1};
    pt__select_ranks(values, count, ranks, 2, 64);
    return values[rank] + (at - rank) * (values[rank + 1] - values[rank]);
}

/* How far values are apart; 0 or less of one, or none. */
static double spread(const struct group *group)
{
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < group->n; i++) {
        if (group->values[i] < min) min = group->values[i];
        if (group->values[i] > max) max = group->values[i];
    }
    return max - min;
}

/* Fills `means` and `b`. */
static void draw(struct pt_bootstrap *b, const struct group *groups, size_t group_count,
                 double level, double *means, uint32_t resamples, gsl_rng *rng)
{
    double estimate = 0, rounding = 0;
    for (size_t g = 0; g < group_count; g++) {
        estimate += groups[g].sign * groups[g].mean;
        rounding += groups[g].rounding;
    }
    for (uint32_t i = 0; i < resamples; i++) {
        means[i] = 0;
        for (size_t g = 0; g < group_count; g++)
            means[i] += groups[g].sign * resample(&groups[g], rng);
    }
    b->bias = bias(means, resamples, rounding);
    b->acceleration = acceleration(groups, group_count);
    double z = pt_round40(gsl_cdf_ugaussian_Qinv((1 - level) / 2));
    b->low = estimate + quantile(means, resamples, corrected(b, -z));
    b->high = estimate + quantile(means, resamples, corrected(b, z));
}

static enum pt_status run(struct pt_bootstrap *b, const struct group *groups, size_t group_count,
                          double level, uint32_t resamples, uint64_t seed, struct pt_error *error)
{
    uint64_t drawn = 0;
    bool varies = false;
    double estimate = 0;
    assert(level > 0 && level < 1 && resamples >= 100);
    *b = (struct pt_bootstrap){NAN, NAN, NAN, NAN};
    for (size_t g = 0; g < group_count; g++) {
        if (groups[g].n < 2) return PT_OK;
        assert(groups[g].n <= UINT32_MAX);
        drawn = drawn << 32 | groups[g].n;
        varies |= spread(&groups[g]) > groups[g].rounding;
        estimate += groups[g].sign * groups[g].mean;
    }
    if (!varies) {
        *b = (struct pt_bootstrap){estimate, estimate, 0, 0};
        return PT_OK;
    }
    double *means = malloc(resamples * sizeof(*means));
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    if (means != NULL && rng != NULL) {
        pt_rng_seed(rng, seed, PT_PURPOSE_BOOTSTRAP, drawn);
        draw(b, groups, group_count, level, means, resamples, rng);
    }
    bool done = means != NULL && rng != NULL;
    free(means);
    if (rng != NULL) gsl_rng_free(rng);
    return done ? PT_OK
                : pt_fail(error, PT_ERR_MEMORY, "out of memory for %u resamples", resamples);
}

enum pt_status pt_bootstrap_paired(struct pt_bootstrap *b, const double *base,
                                   const double *new_values, size_t n, double level,
                                   uint32_t resamples, uint64_t seed, struct pt_error *error)
{
    struct group group = {.sign = 1};
    if (!take(&group, new_values, base, n))
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu pairs", n);
    enum pt_status status = run(b, &group, 1, level, resamples, seed, error);
    free(group.values);
    return status;
}

enum pt_status pt_bootstrap_unpaired(struct pt_bootstrap *b, const double *base, size_t base_count,
                                     const double *new_values, size_t new_count, double level,
                                     uint32_t resamples, uint64_t seed, struct pt_error *error)
{
    struct group groups[2] = {{.sign = -1}, {.sign = 1}};
    enum pt_status status;
    if (take(&groups[0], base, NULL, base_count) && take(&groups[1], new_values, NULL, new_count))
        status = run(b, groups, 2, level, resamples, seed, error);
    else
        status =
            pt_fail(error, PT_ERR_MEMORY, "out of memory for %zu values", base_count + new_count);
    free(groups[0].values);
    free(groups[1].values);
    return status;
}
