/* Keyed random streams: a draw depends on (root seed, purpose, entity) alone, so that changing one
 * part of an experiment leaves the draws of the others as they were (semantics.md, section 9).
 *
 * The generator is xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021) offered as a gsl_rng_type, seeded by SplitMix64 (Steele, Lea
 * and Flood, OOPSLA 2014) over the three keys. Not for cryptography.
 */
#ifndef PARTITA_RANDOM_H
#define PARTITA_RANDOM_H

#include <gsl/gsl_rng.h>

#include "partita/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who draws. Values are part of reproducibility: never renumber, only append. */
enum pt_purpose {
    PT_PURPOSE_ARRIVAL = 1,
    PT_PURPOSE_WORK = 2,
    PT_PURPOSE_GPUS = 3,
    PT_PURPOSE_POLICY = 4,
    PT_PURPOSE_TEST = 5,
    PT_PURPOSE_RECONFIGURE = 6,
    PT_PURPOSE_PROFILE = 7,
    PT_PURPOSE_RESIDUAL = 8,
    PT_PURPOSE_FAULT = 9,
    PT_PURPOSE_TURN = 10,
    PT_PURPOSE_PLACEMENT = 11,
    PT_PURPOSE_BOOTSTRAP = 12,
    PT_PURPOSE_FOLDS = 13
};

extern const gsl_rng_type *const pt_rng_type;

/* (Re)seeds a generator made with gsl_rng_alloc(pt_rng_type). Constant time, no allocation. */
void pt_rng_seed(gsl_rng *rng, uint64_t root_seed, enum pt_purpose purpose, uint64_t entity);

/* Rounds a libm result to 40 significant bits, so that two libms that differ in the last places
 * give the same draw. */
double pt_round40(double value);

#ifdef __cplusplus
}
#endif
#endif
