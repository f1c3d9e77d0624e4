/* Two large samples side by side: do their distributions differ, where, and by how much. All take
 * arrays sorted ascending and without NaN (pt_samples_sort), so that a sample is sorted once
 * however often it is looked at, and are linear.
 *
 * Jobs of one run wait for each other, and a trace is the same under both policies: values are not
 * independent, within a run or between two. D, the shares and the effect say how far apart the
 * samples are; p says how surprising that were of independent draws, and with a million jobs it is
 * small for differences that nobody minds. What a change does is decided over seeds (paired.h).
 */
#ifndef PT_STATS_SAMPLES_H
#define PT_STATS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* More values than this in a sample are not taken (counts of pairs stay exact in 64 bits). */
#define PT_SAMPLES_MAX (UINT64_C(1) << 31)

/* Sorts ascending and drops NaN; returns how many values are left, at the front. `scratch` has room
 * for n. A radix sort over the bits, in linear time; -0 comes before 0. */
size_t pt_samples_sort(double *values, double *scratch, size_t n);

/* Two-sample Kolmogorov-Smirnov. */
struct pt_ks {
    double d; /* largest distance of the two distribution functions, 0..1, exact with ties; NaN if a
                 sample is empty */
    double at; /* the first value where it is that large */
    int sign;  /* 1: more of base than of new is at or below `at` (new is larger there); -1 the
                  other way; 0: d = 0 */
    /* Asymptotic, two-sided: Q((sqrt(e) + 0.12 + 0.11 / sqrt(e)) d), e = n m / (n + m), with the
     * correction of Stephens (Journal of the Royal Statistical Society B 32, 1970) and Kolmogorov's
     * Q(x) = 2 sum (-1)^(k-1) exp(-2 k^2 x^2). Good from e = 4 on; with ties it is too large rather
     * than too small. */
    double p;
};
void pt_ks_of_sorted(struct pt_ks *ks, const double *base, size_t base_count,
                     const double *new_values, size_t new_count);

/* Kolmogorov's Q: the chance that the limit of sqrt(e) D is above x. */
double pt_kolmogorov_q(double x);

/* Mann and Whitney's U ("On a test of whether one of two random variables is stochastically larger
 * than the other", Annals of Mathematical Statistics 18, 1947). */
struct pt_mann_whitney {
    double u; /* pairs (base, new) with new above base, ties half; NaN if a sample is empty */
    double superior; /* u over all pairs: the chance that a value of new is above one of base, ties
                        half (McGraw and Wong's common language effect size, 1992); 0.5 = alike */
    double effect;   /* rank-biserial correlation 2 superior - 1 (Cureton, Psychometrika 21, 1956;
                        Kerby, Comprehensive Psychology 3, 2014), -1..1; above 0: new is larger */
    double z;        /* normal approximation, variance corrected for ties (Lehmann, Nonparametrics,
                        1975, section 1.4), continuity correction 1/2 towards 0 */
    double p;        /* two-sided, of z; 1 when all values are equal */
};
void pt_mann_whitney_of_sorted(struct pt_mann_whitney *mw, const double *base, size_t base_count,
                               const double *new_values, size_t new_count);

#endif
