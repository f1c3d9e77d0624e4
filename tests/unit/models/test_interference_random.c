#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/interference/interference.h"
#include "partita/random.h"
#include "tests/unit/models/units_of.h"

/* What holds for every unit, on 20,000 at random for each way to share and each choice of laws. */

#define UNITS 20000
#define ROUNDING 1e-12

struct law {
    const char *params;
    enum pt_sharing sharing;
    bool counts_busy; /* SUM b/s is within the unit too */
    bool monotone;    /* a neighbour more makes nobody faster */
    bool holds_idle;  /* who does nothing still has its share */
    bool training;    /* uncapped training jobs alone */
    bool unbounded;   /* knows no capacity */
};

static const struct law laws[] = {
    {.params = "", .sharing = PT_SHARING_ALONE, .counts_busy = true},
    {.params = "", .sharing = PT_SHARING_TURNS, .counts_busy = true},
    {.params = "", .sharing = PT_SHARING_CAPPED_TURNS, .monotone = true},
    {.params = "laws.mps=pnorm", .sharing = PT_SHARING_SMS, .monotone = true},
    {.params = "", .sharing = PT_SHARING_SMS},
    {.params = "", .sharing = PT_SHARING_SMS, .training = true},
    {.params = "guard=off",
     .sharing = PT_SHARING_SMS,
     .training = true,
     .monotone = true,
     .unbounded = true},
    {.params = "", .sharing = PT_SHARING_EQUAL, .monotone = true, .holds_idle = true},
    {.params = "", .sharing = PT_SHARING_FIXED, .monotone = true},
};

static struct unit_of *random_unit(struct unit_of *unit, const struct law *law, gsl_rng *rng)
{
    unit_random(unit, law->sharing, rng);
    if (law->sharing == PT_SHARING_ALONE) unit->partition.count = 1;
    if (law->training)
        for (uint32_t i = 0; i < unit->partition.count; i++) {
            unit->traits[i].inference = false;
            unit->needs[i] = (struct pt_need){.cap = {1, 1}, .asked = {1, 1}, .asked_share = 1};
        }
    return unit;
}

/* Residents in the order of needs and traits, whatever order those of `unit` are in. */
static void copy_of(const struct unit_of *unit, struct unit_of *copy)
{
    *copy = *unit;
    copy->partition.residents = copy->residents;
    for (uint32_t i = 0; i < unit->partition.count; i++)
        copy->residents[i] = (struct pt_resident){&copy->needs[i], &copy->traits[i]};
}

static void check_capacity(const struct law *law, const struct unit_of *unit)
{
    double x = unit->partition.share;
    for (uint32_t i = 0; i < unit->partition.count; i++)
        cr_assert(unit->slow[i] >= 1 && unit->slow[i] < INFINITY, "%g", unit->slow[i]);
    if (law->unbounded) return;
    cr_assert_leq(unit_used(unit), x * (1 + ROUNDING), "%s %d: %.17g of %g", law->params,
                  law->sharing, unit_used(unit), x);
    if (law->counts_busy) cr_assert_leq(unit_busy(unit), 1 + ROUNDING);
}

/* A neighbour that uses nothing, arrived at any time, changes no bit. */
static void check_idle_neighbour(const struct law *law, const struct unit_of *unit,
                                 const void *state, gsl_rng *rng)
{
    struct unit_of more;
    copy_of(unit, &more);
    uint32_t at = (uint32_t)gsl_rng_uniform_int(rng, unit->partition.count + 1);
    uint32_t idle = unit_add(&more, 0, 1 + gsl_rng_uniform(rng));
    for (uint32_t i = idle; i > at; i--)
        more.residents[i] = more.residents[i - 1];
    more.residents[at] = (struct pt_resident){&more.needs[idle], &more.traits[idle]};
    unit_ask(&more, &pt_fitted, state);
    for (uint32_t i = 0; i < unit->partition.count; i++)
        cr_assert_eq(more.slow[i + (i >= at)], unit->slow[i], "%s %d", law->params, law->sharing);
}

/* By how much somebody gets faster when a neighbour comes, at most. */
static double gain_by_neighbour(const struct unit_of *unit, const void *state)
{
    struct unit_of fewer;
    double gain = 0;
    copy_of(unit, &fewer);
    fewer.partition.count--;
    if (fewer.partition.count == 0) return 0;
    unit_ask(&fewer, &pt_fitted, state);
    for (uint32_t i = 0; i < fewer.partition.count; i++)
        gain = fmax(gain, fewer.slow[i] / unit->slow[i] - 1);
    return gain;
}

/* Who arrived first doesn't matter, but for rounding. */
static void check_order(const struct law *law, const struct unit_of *unit, const void *state)
{
    struct unit_of turned;
    copy_of(unit, &turned);
    uint32_t n = unit->partition.count;
    for (uint32_t i = 0; i < n; i++)
        turned.residents[i] =
            (struct pt_resident){&turned.needs[n - 1 - i], &turned.traits[n - 1 - i]};
    unit_ask(&turned, &pt_fitted, state);
    for (uint32_t i = 0; i < n; i++)
        cr_assert_float_eq(turned.slow[n - 1 - i] / unit->slow[i], 1, 1e-9, "%s %d", law->params,
                           law->sharing);
}

Test(interference_random, capacity_idle_neighbours_and_order, .timeout = 120)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        void *state = unit_state(&pt_fitted, laws[k].params, 1, 3);
        double gain = 0;
        pt_rng_seed(rng, 3, PT_PURPOSE_TEST, k);
        for (int n = 0; n < UNITS; n++) {
            struct unit_of unit;
            random_unit(&unit, &laws[k], rng);
            unit_ask(&unit, &pt_fitted, state);
            check_capacity(&laws[k], &unit);
            if (!laws[k].holds_idle) check_idle_neighbour(&laws[k], &unit, state, rng);
            check_order(&laws[k], &unit, state);
            gain = fmax(gain, gain_by_neighbour(&unit, state));
        }
        cr_log_info("'%s' %d: a neighbour makes somebody faster by %.3g at most", laws[k].params,
                    (int)laws[k].sharing, gain);
        cr_assert(!laws[k].monotone || gain <= ROUNDING, "%s %d: %g", laws[k].params,
                  (int)laws[k].sharing, gain);
        pt_fitted.release(state);
    }
    gsl_rng_free(rng);
}

/* Alone on what was asked for: the slow-down is the one that it is measured by, to the bit. */
Test(interference_random, alone_on_what_was_asked)
{
    const struct pt_interference_ops *const models[] = {&pt_fitted, &pt_roofline};
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    for (size_t k = 0; k < 2; k++) {
        void *state = unit_state(models[k], "", 1, 3);
        pt_rng_seed(rng, 4, PT_PURPOSE_TEST, k);
        for (int n = 0; n < UNITS; n++) {
            struct unit_of unit;
            enum pt_sharing sharing = (enum pt_sharing)gsl_rng_uniform_int(rng, 5);
            unit_random(&unit, sharing, rng);
            unit.partition.count = 1;
            unit.partition.strict = true;
            if (unit.needs[0].capped) {
                unit.partition.instance = NULL;
                unit.partition.share = 1;
            }
            double asked = unit.needs[0].asked_share * unit.partition.share;
            unit_ask(&unit, models[k], state);
            cr_assert_eq(unit.slow[0], models[k]->alone(&unit.traits[0], asked,
                                                        unit.partition.instance, &unit_gpu, state));
            if (!models[k]->board) continue;
            double before = unit.slow[0];
            models[k]->board(unit.slow, &unit.partition, 1, state);
            cr_assert_eq(unit.slow[0], before);
        }
        models[k]->release(state);
    }
    gsl_rng_free(rng);
}

/* Terms multiply to the slow-down of unit and board, and the last to come is the cause. */
Test(interference_random, terms_multiply_to_the_slow_down)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 5, PT_PURPOSE_TEST, 0);
    void *state = unit_state(&pt_fitted, "residual.sd=0.18", 1, 3);
    uint32_t seen = 0;
    for (int n = 0; n < UNITS / 10; n++) {
        static struct unit_of units[3];
        struct pt_partition partitions[3];
        double slow[3 * UNIT_MAX], scratch[3 * UNIT_MAX];
        uint32_t first[3], total = 0;
        enum pt_sharing sharing = (enum pt_sharing)gsl_rng_uniform_int(rng, 6);
        uint32_t count = 1 + (uint32_t)gsl_rng_uniform_int(rng, 3);
        for (uint32_t k = 0; k < count; k++) {
            unit_random(&units[k], sharing, rng);
            if (count > 1) unit_on(&units[k], k == 0 ? 3 : 2);
            partitions[k] = units[k].partition;
            first[k] = total;
            pt_fitted.unit(slow + total, &partitions[k], state);
            total += partitions[k].count;
        }
        pt_fitted.board(slow, partitions, count, state);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t i = 0; i < partitions[k].count; i++) {
                struct pt_term terms[PT_TERMS_MAX];
                double product = 1;
                uint32_t listed = pt_fitted.terms(terms, scratch, partitions, count, k, i, state);
                cr_assert_leq(listed, PT_TERMS_MAX);
                for (uint32_t t = 0; t < listed; t++) {
                    product *= terms[t].factor;
                    cr_assert(terms[t].factor > 0 && terms[t].name);
                    if (strcmp(terms[t].name, "residual") != 0)
                        cr_assert_geq(terms[t].factor, 1 - ROUNDING, "%s", terms[t].name);
                }
                cr_assert_float_eq(product / slow[first[k] + i], 1, ROUNDING);
                seen = listed > seen ? listed : seen;
            }
    }
    cr_assert_geq(seen, 5);
    pt_fitted.release(state);
    gsl_rng_free(rng);
}
