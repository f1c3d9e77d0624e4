/* What a difference means: a change or none, and how many more seeds would tell.
 */
#ifndef PT_STATS_EFFECT_H
#define PT_STATS_EFFECT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/stats/paired.h"
#include "partita/status.h"

/* More pairs than this are never asked for. */
#define PT_SEEDS_NEEDED_MAX UINT64_C(1000000)
/* "More than PT_SEEDS_NEEDED_MAX, if any number at all." */
#define PT_SEEDS_NEEDED_NEVER UINT64_MAX

/* How many more pairs (unpaired: values on each side) until the interval at `level` tells a true
 * difference of `size` from 0 with probability `power`: 0 = there are enough already. Unpaired, the
 * smaller side counts. That is the smallest n with
 *
 *     (t(1 - (1 - level) / 2, f) + t(power, f)) sd / sqrt(n) <= size
 *
 * (Chow, Shao and Wang, Sample Size Calculations in Clinical Research, 2nd ed., 2008, section 3.1),
 * where t(q, f) is Student's quantile; paired f = n - 1, unpaired Welch's f at n values a side with
 * the variances seen. `power` 0.5 makes the second quantile 0: n is then where the half width of
 * the interval is `size`. The usual questions:
 *     size |difference|, power 0.8: until the interval excludes 0, if the difference is as it seems
 *     size w, power 0.5: until the interval is the difference +- w
 * An estimate: sd is itself uncertain with few seeds ("about n more").
 *
 * Without a spread yet, the answer is what is missing of two; where nothing varies it is 0; a size
 * that is not above 0 gives PT_SEEDS_NEEDED_NEVER. `level` and `power` in (0, 1), power at least
 * 0.5. */
uint64_t pt_seeds_needed(const struct pt_difference *d, double size, double level, double power);

enum pt_change {
    PT_CHANGE_UNKNOWN, /* nothing to compare: a side has no values */
    PT_CHANGE_EQUAL,   /* nothing differs */
    PT_CHANGE_UNSURE,  /* not significant: more seeds may tell */
    PT_CHANGE_SMALL,   /* there, but not beyond the minimum effect */
    PT_CHANGE_UP,      /* new is higher, significantly and by more than the minimum effect */
    PT_CHANGE_DOWN
};

/* The rule of gates. A difference is a change if its p after Holm's correction is below `alpha` AND
 * it is larger than `minimum` (in the metric's unit, 0 or more). With one value on a side there is
 * no p (NaN): the effect alone decides, as it does between two deterministic runs.
 *
 * With `alpha` 0.05 and no true change, the chance that any of a family's metrics is called changed
 * is at most 5 %, whatever they have to do with each other. */
enum pt_change pt_change_of(const struct pt_difference *d, double adjusted_p, double alpha,
                            double minimum);

/* Decides m metrics as one family: Holm over their p, then pt_change_of each. `adjusted` (m values,
 * an output) are the adjusted p; `minimum` NULL = 0 for all. Fails for want of memory only. */
PT_USE_RESULT enum pt_status pt_changes(enum pt_change *changes, double *adjusted,
                                        const struct pt_difference *differences,
                                        const double *minimum, size_t m, double alpha,
                                        struct pt_error *error);

#endif
