#include "analysis/stats/paired.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "partita/random.h"

/* Of a value that is known to the nearest whole number: uniform over 1. */
#define WHOLE_VARIANCE (1.0 / 12)

/* Values that are walked twice: those of one array, or differences of two. */
struct values {
    const double *add, *subtract; /* subtract == NULL: add alone */
    size_t n;
};

struct moments {
    uint64_t count, left_out;
    double mean, variance; /* NaN without values, without two values */
    double min, max;
};

static inline double value_at(const struct values *v, size_t i)
{
    return v->subtract == NULL ? v->add[i] : v->add[i] - v->subtract[i];
}

/* A difference of finite values may overflow: then its pair can't be used either. */
static inline bool is_used(const struct values *v, size_t i)
{
    return isfinite(value_at(v, i));
}

/* Twice over the values: the second time takes back what the first one rounded. */
static struct moments moments_of(const struct values *v)
{
    struct moments m = {0, 0, NAN, NAN, INFINITY, -INFINITY};
    double sum = 0, rest = 0, squares = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!is_used(v, i)) {
            m.left_out++;
            continue;
        }
        double x = value_at(v, i);
        m.count++;
        sum += x;
        m.min = x < m.min ? x : m.min;
        m.max = x > m.max ? x : m.max;
    }
    if (m.count == 0) return m;
    double count = (double)m.count, about = sum / count;
    for (size_t i = 0; i < v->n; i++) {
        if (!is_used(v, i)) continue;
        double x = value_at(v, i) - about;
        rest += x;
        squares += x * x;
    }
    m.mean = m.min == m.max ? m.min : about + rest / count;
    if (m.count < 2) return m;
    double variance = (squares - rest * rest / count) / (count - 1);
    m.variance = m.min == m.max || variance < 0 ? 0 : variance;
    return m;
}

/* Mean of one side over the pairs that are used; `largest` grows to the largest magnitude. */
static double mean_of_side(double *largest, const struct values *pairs, const double *side)
{
    double sum = 0, rest = 0, count = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        if (!is_used(pairs, i)) continue;
        *largest = fabs(side[i]) > *largest ? fabs(side[i]) : *largest;
        sum += side[i];
        count++;
    }
    if (count == 0) return NAN;
    for (size_t i = 0; i < pairs->n; i++) {
        if (is_used(pairs, i)) rest += side[i] - sum / count;
    }
    return sum / count + rest / count;
}

/* `side` holds whole numbers wherever `used` is used. */
static bool are_whole(const struct values *used, const double *side)
{
    for (size_t i = 0; i < used->n; i++) {
        if (is_used(used, i) && floor(side[i]) != side[i]) return false;
    }
    return true;
}

static double magnitude(const struct moments *m)
{
    return m->count == 0 ? 0 : fmax(fabs(m->min), fabs(m->max));
}

static double relative_to(double base, double difference)
{
    if (base == 0) return difference == 0 ? 0 : NAN;
    return difference / fabs(base);
}

/* sd, error and freedom are there: the interval, p and, from the spread to compare with, effect. */
static void conclude(struct pt_difference *d, double level, double spread)
{
    double tail = (1 - level) / 2;
    double t = pt_round40(gsl_cdf_tdist_Qinv(tail, d->freedom));
    d->low = d->difference - t * d->error;
    d->high = d->difference + t * d->error;
    d->p = pt_round40(2 * gsl_cdf_tdist_Q(fabs(d->difference) / d->error, d->freedom));
    d->effect = d->difference / spread;
}

static void conclude_equal(struct pt_difference *d)
{
    d->kind = PT_DIFFERENCE_EQUAL;
    d->sd = d->error = 0;
    d->low = d->high = d->difference;
    d->p = 1;
    d->effect = 0;
}

/* All differences are the same. Of few whole numbers that may be chance: they get the spread that
 * rounding hides. */
static void conclude_constant(struct pt_difference *d, bool whole, double level)
{
    d->kind = PT_DIFFERENCE_CONSTANT;
    d->sd = whole ? sqrt(2 * WHOLE_VARIANCE) : 0;
    d->error = 0;
    d->low = d->high = d->difference;
    d->p = 0;
    if (!whole) return;
    double nb = (double)d->base_count, nw = (double)d->new_count;
    d->error = d->paired ? d->sd / sqrt(nb) : sqrt(WHOLE_VARIANCE / nb + WHOLE_VARIANCE / nw);
    conclude(d, level, d->paired ? d->sd : sqrt(WHOLE_VARIANCE));
}

static struct pt_difference nothing(bool paired)
{
    return (struct pt_difference){.kind = PT_DIFFERENCE_NONE,
                                  .paired = paired,
                                  .base_mean = NAN,
                                  .new_mean = NAN,
                                  .difference = NAN,
                                  .sd = NAN,
                                  .error = NAN,
                                  .freedom = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .p = NAN,
                                  .effect = NAN,
                                  .relative = NAN};
}

void pt_difference_paired(struct pt_difference *d, const double *base, const double *new_values,
                          size_t n, double level)
{
    assert(level > 0 && level < 1);
    const struct values pairs = {new_values, base, n};
    const struct moments m = moments_of(&pairs);
    double largest = 0;
    *d = nothing(true);
    d->base_count = d->new_count = m.count;
    d->left_out = m.left_out;
    if (m.count == 0) return;
    d->base_mean = mean_of_side(&largest, &pairs, base);
    d->new_mean = mean_of_side(&largest, &pairs, new_values);
    d->difference = m.mean;
    d->relative = relative_to(d->base_mean, d->difference);
    d->kind = PT_DIFFERENCE_SINGLE;
    if (m.count < 2) return;
    d->freedom = (double)(m.count - 1);
    double rounding = 8 * DBL_EPSILON * largest;
    if (m.max - m.min <= rounding) {
        if (fmax(fabs(m.min), fabs(m.max)) <= rounding)
            conclude_equal(d);
        else
            conclude_constant(d, are_whole(&pairs, base) && are_whole(&pairs, new_values), level);
        return;
    }
    d->kind = PT_DIFFERENCE_VARIES;
    d->sd = sqrt(m.variance);
    d->error = d->sd / sqrt((double)m.count);
    conclude(d, level, d->sd);
}

void pt_difference_unpaired(struct pt_difference *d, const double *base, size_t base_count,
                            const double *new_values, size_t new_count, double level)
{
    assert(level > 0 && level < 1);
    const struct values base_values = {base, NULL, base_count};
    const struct values others = {new_values, NULL, new_count};
    const struct moments b = moments_of(&base_values), w = moments_of(&others);
    *d = nothing(false);
    d->base_count = b.count;
    d->new_count = w.count;
    d->left_out = b.left_out + w.left_out;
    d->base_mean = b.mean;
    d->new_mean = w.mean;
    if (b.count == 0 || w.count == 0) return;
    d->difference = w.mean - b.mean;
    d->relative = relative_to(b.mean, d->difference);
    d->kind = PT_DIFFERENCE_SINGLE;
    if (b.count < 2 || w.count < 2) return;
    double rounding = 8 * DBL_EPSILON * fmax(magnitude(&b), magnitude(&w));
    if (b.max - b.min <= rounding && w.max - w.min <= rounding) {
        d->freedom = (double)(b.count + w.count - 2);
        if (fabs(d->difference) <= rounding)
            conclude_equal(d);
        else
            conclude_constant(d, are_whole(&base_values, base) && are_whole(&others, new_values),
                              level);
        return;
    }
    double nb = (double)b.count, nw = (double)w.count;
    double vb = b.variance / nb, vw = w.variance / nw;
    d->kind = PT_DIFFERENCE_VARIES;
    d->sd = sqrt(b.variance + w.variance);
    d->error = sqrt(vb + vw);
    d->freedom = (vb + vw) * (vb + vw) / (vb * vb / (nb - 1) + vw * vw / (nw - 1));
    conclude(d, level, sqrt((b.variance + w.variance) / 2));
}
