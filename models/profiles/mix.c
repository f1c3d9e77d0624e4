#include "models/profiles/mix.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "partita/random.h"

struct mix {
    double mean_ln_u, sd_ln_u, sd_ln_kappa, correlation;
};

/* Fits of 1 + u_i u_j kappa_j / kappa_i to the pairs of each set. The median kappa is 1. */
static const struct mix mixes[] = {
    [PT_MIX_HEAVY] = {-0.40, 0.33, 0.58, 0.47},
    [PT_MIX_LIGHT] = {-1.4, 0.8, 0.44, -0.54},
    [PT_MIX_SATURATED] = {-0.05, 0.15, 0.30, 0.08},
};

void pt_mix_draw(double *u, double *kappa, enum pt_mix mix, gsl_rng *rng, uint64_t seed,
                 uint64_t entity)
{
    const struct mix *of = &mixes[mix];
    double ln_u, ln_kappa;
    pt_rng_seed(rng, seed, PT_PURPOSE_PROFILE, entity);
    gsl_ran_bivariate_gaussian(rng, of->sd_ln_u, of->sd_ln_kappa, of->correlation, &ln_u,
                               &ln_kappa);
    double drawn = pt_round40(exp(pt_round40(of->mean_ln_u + ln_u)));
    *u = drawn < PT_MIX_U_MAX ? drawn : PT_MIX_U_MAX;
    *kappa = pt_round40(exp(pt_round40(ln_kappa)));
}
