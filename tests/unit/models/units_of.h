/* Units put together by hand, for the tests of the laws. */
#ifndef PT_TESTS_UNITS_OF_H
#define PT_TESTS_UNITS_OF_H

#include <gsl/gsl_rng.h>

#include "models/interference/interference.h"
#include "partita/unit.h"

#define UNIT_MAX 32

struct unit_of {
    struct pt_partition partition;
    struct pt_resident residents[UNIT_MAX];
    struct pt_need needs[UNIT_MAX];
    struct pt_traits traits[UNIT_MAX];
    double slow[UNIT_MAX];
};

/* An A100's tables: 7 compute slices, 8 of memory. */
extern const struct pt_mig_profile unit_mig_profiles[5];
extern const struct pt_gpu_model unit_gpu;

/* A unit of n jobs that keep a whole GPU busy (u = busy = kappa = 1, p = 2, no caps). */
struct unit_of *unit_of(struct unit_of *unit, enum pt_sharing sharing, uint32_t n);
/* Adds a job; returns its place. */
uint32_t unit_add(struct unit_of *unit, double u, double kappa);
void unit_cap(struct unit_of *unit, uint32_t i, uint32_t ppm);
/* The unit is this instance. */
void unit_on(struct unit_of *unit, unsigned compute);

/* Makes a model's state from its parameters as text, with no types but `type_count`; asserts. */
void *unit_state(const struct pt_interference_ops *ops, const char *params, uint64_t seed,
                 uint32_t type_count);
/* Fills unit->slow. */
void unit_ask(struct unit_of *unit, const struct pt_interference_ops *ops, const void *state);

/* A unit at random: 1 to 8 residents, with caps and fractions as the sharing has them. */
void unit_random(struct unit_of *unit, enum pt_sharing sharing, gsl_rng *rng);

/* SUM u/s of the unit, u at most 1, and the same of b. */
double unit_used(const struct unit_of *unit);
double unit_busy(const struct unit_of *unit);

#endif
