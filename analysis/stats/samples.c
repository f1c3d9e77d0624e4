#include "analysis/stats/samples.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

#include "partita/random.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define PASSES 6

/* Order of the bits as unsigned numbers = order of the values: negative ones turned round. */
static inline uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline uint32_t digit_of(double value, unsigned pass)
{
    return (uint32_t)(key_of(value) >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

/* One stable pass by one digit; false = all have the same one, and nothing was moved. */
static int sort_by_digit(double *to, const double *from, size_t n, unsigned pass)
{
    size_t start[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        start[digit_of(from[i], pass)]++;
    if (start[digit_of(from[0], pass)] == n) return 0;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[start[digit_of(from[i], pass)]++] = from[i];
    return 1;
}

static void sort_few(double *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = a[i];
        size_t j = i;
        for (; j > 0 && key_of(a[j - 1]) > key_of(x); j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

size_t pt_samples_sort(double *values, double *scratch, size_t n)
{
    size_t count = 0;
    double *from = values, *to = scratch;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) values[count++] = values[i];
    }
    if (count <= 64) {
        sort_few(values, count);
        return count;
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        if (!sort_by_digit(to, from, count, pass)) continue;
        double *moved = to;
        to = from;
        from = moved;
    }
    if (from != values) memcpy(values, from, count * sizeof(*values));
    return count;
}

/* Walks two sorted samples value by value: after each step all that is at or below `value` has been
 * passed, and `base_ties` and `new_ties` of them are equal to it. */
struct walk {
    const double *base, *new_values;
    size_t base_count, new_count;
    size_t base_at, new_at;
    size_t base_ties, new_ties;
    double value;
};

static int step(struct walk *w)
{
    size_t b = w->base_at, v = w->new_at;
    if (b == w->base_count && v == w->new_count) return 0;
    if (v == w->new_count || (b < w->base_count && w->base[b] <= w->new_values[v]))
        w->value = w->base[b];
    else
        w->value = w->new_values[v];
    while (w->base_at < w->base_count && w->base[w->base_at] == w->value)
        w->base_at++;
    while (w->new_at < w->new_count && w->new_values[w->new_at] == w->value)
        w->new_at++;
    w->base_ties = w->base_at - b;
    w->new_ties = w->new_at - v;
    return 1;
}

double pt_kolmogorov_q(double x)
{
    double sum = 0;
    if (!(x > 0)) return 1;
    if (x < 1.18) {
        /* the same law by Jacobi's theta function, whose terms die fast where the others do not:
         * Marsaglia, Tsang and Wang, Journal of Statistical Software 8(18), 2003, section 3 */
        double y = exp(-M_PI * M_PI / (8 * x * x));
        for (int k = 1; k <= 9; k += 2)
            sum += pow(y, k * k);
        return pt_round40(1 - sqrt(2 * M_PI) / x * sum);
    }
    for (int k = 1; k <= 4; k++)
        sum += (k % 2 == 1 ? 2 : -2) * exp(-2 * k * k * x * x);
    return pt_round40(sum);
}

void pt_ks_of_sorted(struct pt_ks *ks, const double *base, size_t base_count,
                     const double *new_values, size_t new_count)
{
    struct walk w = {base, new_values, base_count, new_count, 0, 0, 0, 0, 0};
    int64_t largest = 0;
    assert(base_count <= PT_SAMPLES_MAX && new_count <= PT_SAMPLES_MAX);
    *ks = (struct pt_ks){.d = NAN, .at = NAN, .sign = 0, .p = NAN};
    if (base_count == 0 || new_count == 0) return;
    const int64_t n = (int64_t)base_count, m = (int64_t)new_count;
    while (step(&w)) {
        /* distance times n m, whole */
        int64_t apart = (int64_t)w.base_at * m - (int64_t)w.new_at * n;
        int64_t distance = apart < 0 ? -apart : apart;
        if (distance <= largest) continue;
        largest = distance;
        ks->at = w.value;
        ks->sign = apart > 0 ? 1 : -1;
    }
    ks->d = (double)largest / ((double)n * (double)m);
    double root = sqrt((double)n * (double)m / ((double)n + (double)m));
    ks->p = pt_kolmogorov_q((root + 0.12 + 0.11 / root) * ks->d);
}

void pt_mann_whitney_of_sorted(struct pt_mann_whitney *mw, const double *base, size_t base_count,
                               const double *new_values, size_t new_count)
{
    struct walk w = {base, new_values, base_count, new_count, 0, 0, 0, 0, 0};
    uint64_t twice_u = 0; /* ties count half */
    double ties = 0;
    assert(base_count <= PT_SAMPLES_MAX && new_count <= PT_SAMPLES_MAX);
    *mw = (struct pt_mann_whitney){NAN, NAN, NAN, NAN, NAN};
    if (base_count == 0 || new_count == 0) return;
    while (step(&w)) {
        double tied = (double)(w.base_ties + w.new_ties);
        twice_u += (uint64_t)w.new_ties * (2 * (w.base_at - w.base_ties) + w.base_ties);
        ties += tied * (tied - 1) * (tied + 1);
    }
    double n = (double)base_count, m = (double)new_count, all = n + m;
    double off = fabs((double)twice_u - n * m) / 2 - 0.5;
    double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    mw->u = (double)twice_u / 2;
    mw->superior = (double)twice_u / (2 * n * m);
    mw->effect = ((double)twice_u - n * m) / (n * m);
    if (off < 0) off = 0;
    mw->z = variance > 0 ? off / sqrt(variance) : 0;
    if (mw->effect < 0) mw->z = -mw->z;
    mw->p = pt_round40(2 * gsl_cdf_ugaussian_Q(fabs(mw->z)));
}
