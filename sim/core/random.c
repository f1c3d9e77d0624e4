#include "partita/random.h"

#include <string.h>

struct xoshiro_state {
    uint64_t s[4];
};

static inline uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* SplitMix64: advances *state and returns its next output. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t xoshiro_next(struct xoshiro_state *state)
{
    uint64_t *s = state->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Four outputs of SplitMix64 in a row are never all zero, the one state xoshiro must not have. */
static void seed_state(struct xoshiro_state *state, uint64_t key)
{
    for (int i = 0; i < 4; i++)
        state->s[i] = splitmix_next(&key);
}

static void xoshiro_set(void *state, unsigned long seed)
{
    seed_state((struct xoshiro_state *)state, seed);
}

static unsigned long xoshiro_get(void *state)
{
    return xoshiro_next((struct xoshiro_state *)state);
}

/* The 53 high bits: a multiple of 2^-53 in [0, 1). */
static double xoshiro_get_double(void *state)
{
    return (double)(xoshiro_next((struct xoshiro_state *)state) >> 11) * 0x1p-53;
}

_Static_assert(sizeof(unsigned long) == 8, "GSL's generators return 64 bits here");

static const gsl_rng_type xoshiro_type = {
    .name = "xoshiro256++",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(struct xoshiro_state),
    .set = xoshiro_set,
    .get = xoshiro_get,
    .get_double = xoshiro_get_double,
};
const gsl_rng_type *const pt_rng_type = &xoshiro_type;

/* Each key is mixed into what the keys before it gave, so (1, 2, 3) and (1, 3, 2) differ and
 * neighbouring entities share nothing. */
void pt_rng_seed(gsl_rng *rng, uint64_t root_seed, enum pt_purpose purpose, uint64_t entity)
{
    uint64_t key = root_seed;
    key = splitmix_next(&key) ^ (uint64_t)purpose;
    key = splitmix_next(&key) ^ entity;
    seed_state((struct xoshiro_state *)rng->state, key);
}

double pt_round40(double value)
{
    enum { DROPPED = 53 - 40 };
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    if ((bits & exponent) == exponent) return value;
    /* Half away from zero: a carry out of the mantissa raises the exponent, as it should. */
    bits += UINT64_C(1) << (DROPPED - 1);
    bits &= ~((UINT64_C(1) << DROPPED) - 1);
    double rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}
