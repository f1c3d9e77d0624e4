/* What intervals and gates promise, over simulated experiments.
 *
 *   intervals coverage EXPERIMENTS RESAMPLES
 *   intervals gates TRIALS
 *   intervals power TRIALS
 *   intervals time VALUES
 *
 * coverage: how often the interval at 95 % holds the true difference, Student's t on pairs, BCa on
 * the same pairs, and both on groups, for 10, 20 and 50 seeds of normal and of skewed (lognormal,
 * sigma 1) differences. Student's must come to 93-97 % of the normal ones; an interval at 90 % on
 * the same experiments must not, or the check would see nothing. The other rows are printed, within
 * wide bounds: skewed differences of few seeds are known to be covered less.
 *
 * gates: how often a family of metrics of which none has changed is called changed at level 5 %, by
 * the rule of pt_changes: at most 6.5 %; without Holm's correction that must be far more. Of two
 * that did change, by 3, the one with normal differences of sd 1.4 must be found, never the wrong
 * way; the one with skewed values, differences of sd 3, is printed.
 *
 * power: with as many pairs as pt_seeds_needed asks for, a true difference of that size is told
 * from 0 about as often as asked for: 80 %.
 *
 * time: samples of so many values are sorted and compared in under a second of CPU time (Release).
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/stats/bootstrap.h"
#include "analysis/stats/effect.h"
#include "analysis/stats/paired.h"
#include "analysis/stats/samples.h"
#include "partita/random.h"

#define SEEDS_MAX 50
#define LEVEL 0.95
#ifdef NDEBUG
#define TIME_MAX_S 1
#else
#define TIME_MAX_S 10
#endif

enum law { NORMAL, SKEWED };

static gsl_rng *rng;
static int failures;

static void expect(const char *what, double got, double low, double high)
{
    bool ok = got >= low && got <= high;
    if (!ok) printf("FAIL: %s is %.2f, not %g..%g\n", what, got, low, high);
    failures += !ok;
}

/* ---- coverage ---- */

struct covered {
    uint64_t held, above, below; /* the truth is inside, above it, below it */
    double width;
};

static void count(struct covered *c, double low, double high, double truth)
{
    c->held += low <= truth && truth <= high;
    c->above += truth > high;
    c->below += truth < low;
    c->width += high - low;
}

static double print_covered(enum law law, uint64_t seeds, const char *what, const struct covered *c,
                            double experiments)
{
    double percent = 100 * (double)c->held / experiments;
    printf("%-9s %5u  %-14s %8.1f %12.1f %12.1f %10.3f\n", law == NORMAL ? "normal" : "lognormal",
           (unsigned)seeds, what, percent, 100 * (double)c->above / experiments,
           100 * (double)c->below / experiments, c->width / experiments);
    return percent;
}

/* A seed makes both sides large or small; what the change does comes on top. Returns its mean. */
static double draw_pairs(double *base, double *after, size_t n, enum law law)
{
    for (size_t i = 0; i < n; i++) {
        base[i] = 100 + gsl_ran_gaussian(rng, 10);
        after[i] =
            base[i] + (law == NORMAL ? 1 + gsl_ran_gaussian(rng, 1) : gsl_ran_lognormal(rng, 0, 1));
    }
    return law == NORMAL ? 1 : exp(0.5);
}

/* Groups of other sizes and spreads. Returns the difference of their means. */
static double draw_groups(double *base, double *after, size_t n, enum law law)
{
    for (size_t i = 0; i < n / 2; i++)
        base[i] = law == NORMAL ? gsl_ran_gaussian(rng, 3) : 3 * gsl_ran_lognormal(rng, 0, 1);
    for (size_t i = 0; i < n; i++)
        after[i] = law == NORMAL ? 1 + gsl_ran_gaussian(rng, 1) : gsl_ran_lognormal(rng, 0, 1);
    return law == NORMAL ? 1 : -2 * exp(0.5);
}

enum kind { PAIRS_T, PAIRS_90, PAIRS_BCA, GROUPS_T, GROUPS_BCA, KINDS };
static const char *const kind_names[] = {"t", "t at 90 %", "BCa", "Welch", "BCa, groups"};

static void experiment(struct covered covered[KINDS], uint64_t number, uint64_t n, enum law law,
                       uint32_t resamples)
{
    double base[SEEDS_MAX], after[SEEDS_MAX];
    struct pt_difference d;
    struct pt_bootstrap b = {0};
    pt_rng_seed(rng, (uint64_t)law << 32 | n, PT_PURPOSE_TEST, number);
    double truth = draw_pairs(base, after, n, law);
    pt_difference_paired(&d, base, after, n, LEVEL);
    count(&covered[PAIRS_T], d.low, d.high, truth);
    pt_difference_paired(&d, base, after, n, 0.9);
    count(&covered[PAIRS_90], d.low, d.high, truth);
    failures += pt_bootstrap_paired(&b, base, after, n, LEVEL, resamples, number, NULL) != PT_OK;
    count(&covered[PAIRS_BCA], b.low, b.high, truth);
    truth = draw_groups(base, after, n, law);
    pt_difference_unpaired(&d, base, n / 2, after, n, LEVEL);
    count(&covered[GROUPS_T], d.low, d.high, truth);
    failures +=
        pt_bootstrap_unpaired(&b, base, n / 2, after, n, LEVEL, resamples, number, NULL) != PT_OK;
    count(&covered[GROUPS_BCA], b.low, b.high, truth);
}

/* What must hold of a row. */
static void check_row(enum law law, uint64_t seeds, enum kind kind, double percent)
{
    char what[64];
    snprintf(what, sizeof what, "coverage of %s of %u seeds, %%", kind_names[kind],
             (unsigned)seeds);
    if (law == SKEWED)
        expect(what, percent, 65, 97.5);
    else if (kind == PAIRS_T || kind == GROUPS_T)
        expect(what, percent, 93, 97);
    else if (kind == PAIRS_90)
        expect(what, percent, 85, 92.9);
    else
        expect(what, percent, 80, 97);
}

static void coverage(uint64_t experiments, uint32_t resamples)
{
    static const uint64_t seeds[] = {10, 20, 50};
    printf("%u experiments, BCa of %u resamples, level 95 %% (but where it says 90)\n\n",
           (unsigned)experiments, (unsigned)resamples);
    printf("%-9s %5s  %-14s %8s %12s %12s %10s\n", "law", "seeds", "interval", "holds %",
           "too low %", "too high %", "width");
    for (enum law law = NORMAL; law <= SKEWED; law++) {
        double last[KINDS];
        for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
            struct covered covered[KINDS] = {{0}};
            for (uint64_t i = 0; i < experiments; i++)
                experiment(covered, i, seeds[s], law, resamples);
            for (enum kind kind = 0; kind < KINDS; kind++) {
                double percent = print_covered(law, seeds[s], kind_names[kind], &covered[kind],
                                               (double)experiments);
                check_row(law, seeds[s], kind, percent);
                if (kind == PAIRS_BCA && s > 0)
                    expect("gain in coverage of BCa by more seeds, %", percent - last[kind], 0, 30);
                last[kind] = percent;
            }
        }
    }
}

/* ---- gates ---- */

#define METRICS 12
#define CHANGED 2 /* the first ones, where a change is made */

struct rates {
    uint64_t corrected, beyond,
        each; /* trials with any change: Holm; with a minimum too; neither */
    uint64_t found[CHANGED], wrong_way;
};

/* Runs of two settings that are equally good: a seed's load moves both, and all metrics with it; a
 * setting's own luck is skewed in half of them. Every third is a count of few, every fourth hardly
 * ever differs at all. `shift` makes the first ones larger. */
static void draw_runs(double base[METRICS][SEEDS_MAX], double after[METRICS][SEEDS_MAX], size_t n,
                      double shift)
{
    for (size_t s = 0; s < n; s++) {
        double load = gsl_ran_gaussian(rng, 1);
        for (int side = 0; side < 2; side++) {
            double common = gsl_ran_gaussian(rng, 1);
            for (int m = 0; m < METRICS; m++) {
                double own = 0.7 * common + 0.7 * gsl_ran_gaussian(rng, 1);
                if (m % 2 == 1) own = exp(own);
                double value = 100 + 10 * load + own;
                if (side == 1 && m < CHANGED) value += shift;
                if (m >= CHANGED && m % 3 == 2) value = floor(value);
                if (m >= CHANGED && m % 4 == 3) value = own > 3 ? 0.99 : 1;
                (side == 0 ? base : after)[m][s] = value;
            }
        }
    }
}

static void trial(struct rates *rates, uint64_t number, size_t n, double shift)
{
    static double base[METRICS][SEEDS_MAX], after[METRICS][SEEDS_MAX];
    struct pt_difference d[METRICS];
    enum pt_change changes[METRICS];
    double adjusted[METRICS], minimum[METRICS];
    bool any = false, beyond = false, each = false;
    pt_rng_seed(rng, 1000 + n, PT_PURPOSE_TEST, number);
    draw_runs(base, after, n, shift);
    for (int m = 0; m < METRICS; m++) {
        pt_difference_paired(&d[m], base[m], after[m], n, LEVEL);
        minimum[m] = 0.005 * fabs(d[m].base_mean);
    }
    failures += pt_changes(changes, adjusted, d, NULL, METRICS, 0.05, NULL) != PT_OK;
    for (int m = 0; m < METRICS; m++) {
        bool changed = changes[m] == PT_CHANGE_UP || changes[m] == PT_CHANGE_DOWN;
        any |= changed;
        each |= d[m].p < 0.05;
        if (m >= CHANGED) continue;
        rates->found[m] += changes[m] == PT_CHANGE_UP;
        rates->wrong_way += changes[m] == PT_CHANGE_DOWN;
    }
    failures += pt_changes(changes, adjusted, d, minimum, METRICS, 0.05, NULL) != PT_OK;
    for (int m = 0; m < METRICS; m++)
        beyond |= changes[m] == PT_CHANGE_UP || changes[m] == PT_CHANGE_DOWN;
    rates->corrected += any;
    rates->beyond += beyond;
    rates->each += each;
}

static void gates(uint64_t trials)
{
    static const size_t seeds[] = {3, 5, 10, 20, 50};
    const double percent = 100 / (double)trials;
    printf("%u trials, %d metrics, level 5 %%\n\n", (unsigned)trials, METRICS);
    printf("%5s  %-37s %s\n", "", "no change, any metric called changed %",
           "two that did, found %");
    printf("%5s  %12s %12s %11s %8s %8s\n", "seeds", "Holm", "and 0.5 %", "neither", "normal",
           "skewed");
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
        struct rates none = {0}, some = {0};
        for (uint64_t i = 0; i < trials; i++) {
            trial(&none, i, seeds[s], 0);
            trial(&some, i, seeds[s], 3);
        }
        double found = percent * (double)some.found[0];
        printf("%5zu  %12.2f %12.2f %11.2f %8.1f %8.1f\n", seeds[s],
               percent * (double)none.corrected, percent * (double)none.beyond,
               percent * (double)none.each, found, percent * (double)some.found[1]);
        expect("false alarms, %", percent * (double)none.corrected, 0, 6.5);
        expect("false alarms beyond a minimum, %", percent * (double)none.beyond, 0,
               percent * (double)none.corrected);
        expect("alarms without Holm, %", percent * (double)none.each, 10, 60);
        expect("changes the wrong way, %", percent * (double)some.wrong_way, 0, 0.5);
        if (seeds[s] >= 10) expect("changes found, %", found, 90, 100);
    }
}

/* ---- power ---- */

static void power(uint64_t trials)
{
    static const double sizes[] = {0.5, 0.8, 1.2};
    static double base[200], after[200];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pt_difference d = {
            .kind = PT_DIFFERENCE_VARIES, .paired = true, .base_count = 2, .new_count = 2, .sd = 1};
        size_t n = 2 + pt_seeds_needed(&d, sizes[i], LEVEL, 0.8), found = 0;
        expect("pairs", (double)n, 2, 200);
        if (n > 200) continue;
        for (uint64_t t = 0; t < trials; t++) {
            pt_rng_seed(rng, 2000 + i, PT_PURPOSE_TEST, t);
            for (size_t k = 0; k < n; k++) {
                base[k] = gsl_ran_gaussian(rng, 5);
                after[k] = base[k] + sizes[i] + gsl_ran_gaussian(rng, 1);
            }
            pt_difference_paired(&d, base, after, n, LEVEL);
            found += d.low > 0;
        }
        double percent = 100 * (double)found / (double)trials;
        printf("%.1f sd: %zu pairs tell it in %.1f %%\n", sizes[i], n, percent);
        expect("power, %", percent, 77, 84);
    }
}

/* ---- time ---- */

static double seconds_since(clock_t from)
{
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static void take_time(size_t n)
{
    double *base = malloc(n * sizeof(*base)), *after = malloc(n * sizeof(*after));
    double *scratch = malloc(n * sizeof(*scratch));
    struct pt_ks ks = {0};
    struct pt_mann_whitney mw = {0};
    failures += base == NULL || after == NULL || scratch == NULL;
    if (failures == 0) {
        pt_rng_seed(rng, 1, PT_PURPOSE_TEST, n);
        for (size_t i = 0; i < n; i++) {
            base[i] = gsl_ran_lognormal(rng, 5, 2);
            after[i] = gsl_ran_lognormal(rng, 5.1, 2);
        }
        clock_t from = clock();
        pt_samples_sort(base, scratch, n);
        pt_samples_sort(after, scratch, n);
        double sorted_s = seconds_since(from);
        pt_ks_of_sorted(&ks, base, n, after, n);
        pt_mann_whitney_of_sorted(&mw, after, n, base, n);
        double all_s = seconds_since(from);
        printf("2 x %zu values: sorted in %.0f ms, compared in %.0f ms; D %.4f, superior %.4f\n", n,
               1e3 * sorted_s, 1e3 * (all_s - sorted_s), ks.d, mw.superior);
        /* of normals 0.05 sd apart: 2 Phi(0.05 / 2) - 1, and Phi(0.05 / sqrt(2)) */
        double slack = 2 / sqrt((double)n);
        expect("D", ks.d, 0.01995 - slack, 0.01995 + slack);
        expect("superior", 1 - mw.superior, 0.5141 - slack, 0.5141 + slack);
        expect("seconds", all_s, 0, TIME_MAX_S);
    }
    free(base);
    free(after);
    free(scratch);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    rng = gsl_rng_alloc(pt_rng_type);
    if (strcmp(what, "coverage") == 0 && argc == 4)
        coverage(number, (uint32_t)strtoul(argv[3], NULL, 10));
    else if (strcmp(what, "gates") == 0 && argc == 3)
        gates(number);
    else if (strcmp(what, "power") == 0 && argc == 3)
        power(number);
    else if (strcmp(what, "time") == 0 && argc == 3)
        take_time(number);
    else {
        printf("usage: intervals coverage EXPERIMENTS RESAMPLES | gates TRIALS | power TRIALS | "
               "time VALUES\n");
        return 2;
    }
    gsl_rng_free(rng);
    return failures != 0;
}
