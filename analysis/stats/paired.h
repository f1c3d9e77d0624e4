/* Differences of means with their intervals: paired by seed, and of groups with nothing in common.
 *
 * Two runs of one seed see the same arrivals, work and faults (common random numbers), so that what
 * a change does is the mean of the differences, pair by pair, and what varies alike on both sides
 * falls out. The interval is Student's on the differences (Student, "The probable error of a mean",
 * Biometrika 6, 1908; for simulations: Law, Simulation Modeling and Analysis, 5th ed., sections
 * 10.2.1 and 11.2). Groups of other seeds are compared by Welch's ("The generalization of Student's
 * problem when several different population variances are involved", Biometrika 34, 1947; degrees
 * of freedom after Satterthwaite, Biometrics Bulletin 2, 1946).
 *
 * All functions are pure: nothing is allocated, printed or kept. Figures are in the unit of the
 * values unless said otherwise; NaN is "there is no such figure". Same bytes everywhere: what
 * comes out of libm is rounded to 40 bits.
 */
#ifndef PT_STATS_PAIRED_H
#define PT_STATS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be said about a difference. */
enum pt_difference_kind {
    PT_DIFFERENCE_NONE,     /* a side has no values: all figures are NaN */
    PT_DIFFERENCE_SINGLE,   /* too few for a spread: a difference, no interval, no p */
    PT_DIFFERENCE_EQUAL,    /* no value differs: interval [d, d] around nothing, p = 1 */
    PT_DIFFERENCE_CONSTANT, /* the same difference every time: interval [d, d] and p = 0, but for
                               whole numbers (see pt_difference_paired) */
    PT_DIFFERENCE_VARIES    /* the usual case */
};

struct pt_difference {
    enum pt_difference_kind kind;
    bool paired;
    uint64_t base_count, new_count; /* values used on each side; paired: both are the pairs */
    uint64_t left_out;              /* pairs, or values, with a NaN or an infinity in them */
    double base_mean, new_mean;
    double difference; /* new_mean - base_mean */
    double sd;         /* of the differences; unpaired: root of the sum of both variances */
    double error;      /* standard error of the difference */
    double freedom;    /* degrees of freedom of the t distribution */
    double low, high;  /* interval of the difference at the level asked for */
    double p;          /* two-sided, of "the mean difference is 0" */
    /* Standardised difference, no unit. Paired: Cohen's d_z = difference / sd (Cohen, Statistical
     * Power Analysis, 2nd ed., 1988, section 2.3.5). Unpaired: difference over the root of the mean
     * of both variances (ibid., section 2.3.2). 0 where nothing differs, NaN where the spread is 0
     * or unknown. */
    double effect;
    double relative; /* difference / |base_mean|; 0 when both are 0, NaN when only the base is */
};

/* Compares new_values[i] with base[i], i < n, pair by pair. `level` is the confidence of the
 * interval, above 0 and below 1 (0.95). Differences that vary by no more than 8 units in the last
 * place of the largest value used count as constant, and as none if they are themselves no larger:
 * what is left of rounding is no evidence.
 *
 * Student's t has no answer where all differences are the same. Of continuous values that is no
 * chance: p is 0. But two or three seeds may each well have one preemption more by chance: where
 * all values are whole, each is taken as known to the nearest whole number (variance 1/12), and
 * interval, p and effect follow from that spread, sd = sqrt(1/6): 1 more in each of two seeds is p
 * 0.18, 5 more in each of five 0.00001. */
void pt_difference_paired(struct pt_difference *d, const double *base, const double *new_values,
                          size_t n, double level);

/* Compares two groups that share no seeds (Welch). As above; each side needs two values for an
 * interval. */
void pt_difference_unpaired(struct pt_difference *d, const double *base, size_t base_count,
                            const double *new_values, size_t new_count, double level);

#endif
