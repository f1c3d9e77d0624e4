/* What jobs without a profile are like: (ln u, ln kappa) bivariate normal (models.md, end of
 * section 4). `heavy` has the figures of Gavel's V100 jobs, `saturated` those of its K80 jobs,
 * `light` those of Lucid's RTX 3090 jobs (figures only; that data isn't ours to give away).
 */
#ifndef PT_MODELS_PROFILES_MIX_H
#define PT_MODELS_PROFILES_MIX_H

#include <gsl/gsl_rng.h>

#include "partita/types.h"

enum pt_mix { PT_MIX_HEAVY, PT_MIX_LIGHT, PT_MIX_SATURATED };

/* Draws u, at most PT_MIX_U_MAX, and kappa for the entity (the hash of a job's id) from (seed,
 * entity) alone, both rounded to 40 bits. `rng` was made with gsl_rng_alloc(pt_rng_type) and is
 * seeded here. */
#define PT_MIX_U_MAX 1.05
void pt_mix_draw(double *u, double *kappa, enum pt_mix mix, gsl_rng *rng, uint64_t seed,
                 uint64_t entity);

#endif
