#include "analysis/stats/effect.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "analysis/stats/holm.h"
#include "partita/random.h"

/* The least difference that n pairs, or n values a side, tell with this power. */
static double told_by(uint64_t n, double sd, double freedom_each, double tail, double power)
{
    double f = freedom_each * (double)(n - 1);
    double t = gsl_cdf_tdist_Qinv(tail, f) + (power > 0.5 ? gsl_cdf_tdist_Pinv(power, f) : 0);
    return pt_round40(t) * sd / sqrt((double)n);
}

/* Welch's degrees of freedom at n values a side are n - 1 times this, between 1 and 2. With e^2 =
 * vb/nb + vw/nw and s^2 = vb + vw, the two variances follow from what the difference keeps. */
static double freedom_each(const struct pt_difference *d)
{
    if (d->paired) return 1;
    double nb = (double)d->base_count, nw = (double)d->new_count;
    double sum = d->sd * d->sd, e = d->error * d->error;
    if (d->base_count == d->new_count && d->kind == PT_DIFFERENCE_VARIES)
        return d->freedom / (nb - 1);
    double vb = d->kind == PT_DIFFERENCE_VARIES ? (e - sum / nw) / (1 / nb - 1 / nw) : sum / 2;
    if (!(vb > 0)) vb = 0;
    if (vb > sum) vb = sum;
    double vw = sum - vb;
    return sum * sum / (vb * vb + vw * vw);
}

uint64_t pt_seeds_needed(const struct pt_difference *d, double size, double level, double power)
{
    assert(level > 0 && level < 1 && power >= 0.5 && power < 1);
    uint64_t n = d->base_count < d->new_count ? d->base_count : d->new_count;
    if (d->kind == PT_DIFFERENCE_NONE || d->kind == PT_DIFFERENCE_SINGLE) return n < 2 ? 2 - n : 0;
    if (d->sd == 0) return 0;
    if (!(size > 0)) return PT_SEEDS_NEEDED_NEVER;
    double each = freedom_each(d), tail = (1 - level) / 2;
    if (told_by(n, d->sd, each, tail, power) <= size) return 0;
    if (n >= PT_SEEDS_NEEDED_MAX || told_by(PT_SEEDS_NEEDED_MAX, d->sd, each, tail, power) > size)
        return PT_SEEDS_NEEDED_NEVER;
    uint64_t few = n, enough = PT_SEEDS_NEEDED_MAX;
    while (enough - few > 1) {
        uint64_t middle = few + (enough - few) / 2;
        if (told_by(middle, d->sd, each, tail, power) <= size)
            enough = middle;
        else
            few = middle;
    }
    return enough - n;
}

enum pt_change pt_change_of(const struct pt_difference *d, double adjusted_p, double alpha,
                            double minimum)
{
    if (d->kind == PT_DIFFERENCE_NONE) return PT_CHANGE_UNKNOWN;
    if (d->kind == PT_DIFFERENCE_EQUAL || d->difference == 0) {
        return d->kind == PT_DIFFERENCE_VARIES ? PT_CHANGE_UNSURE : PT_CHANGE_EQUAL;
    }
    if (d->kind != PT_DIFFERENCE_SINGLE && !(adjusted_p < alpha)) return PT_CHANGE_UNSURE;
    if (!(fabs(d->difference) > minimum)) return PT_CHANGE_SMALL;
    return d->difference > 0 ? PT_CHANGE_UP : PT_CHANGE_DOWN;
}

enum pt_status pt_changes(enum pt_change *changes, double *adjusted,
                          const struct pt_difference *differences, const double *minimum, size_t m,
                          double alpha, struct pt_error *error)
{
    for (size_t i = 0; i < m; i++)
        adjusted[i] = differences[i].p;
    PT_TRY(pt_holm_adjust(adjusted, m, error));
    for (size_t i = 0; i < m; i++) {
        changes[i] =
            pt_change_of(&differences[i], adjusted[i], alpha, minimum == NULL ? 0 : minimum[i]);
    }
    return PT_OK;
}
