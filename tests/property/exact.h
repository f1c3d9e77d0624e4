/* Work and speed as whole numbers of 2^-bits ns, many more bits than the engine's 60: the fractions
 * that the reference scheduler counts in. A speed that is a multiple of 2^-60 is exact here; any
 * other ("blurred") is off by less than 2^-bits, and so is decided wrongly only where the engine's
 * own rounding, at least 64 times coarser, leaves both answers right (in_doubt). From 16 times full
 * speed on the engine keeps fewer bits, so all such speeds count as blurred.
 */
#ifndef PT_TESTS_EXACT_H
#define PT_TESTS_EXACT_H

#include "tests/property/reference.h"

__extension__ typedef unsigned __int128 u128;

struct exact {
    u128 one; /* one ns of work at speed 1 */
    int bits; /* its logarithm */
};

/* numerator / denominator > 0 */
struct ratio {
    uint64_t numerator, denominator;
};

static inline uint64_t exact_gcd(uint64_t a, uint64_t b)
{
    for (uint64_t rest; b != 0; a = b, b = rest)
        rest = a % b;
    return a;
}

/* False if the world's work is too long for 128 bits. */
static inline bool exact_init(struct exact *exact, const struct ref_world *world)
{
    uint64_t longest = 1;
    for (uint32_t j = 0; j < world->job_count; j++)
        if ((uint64_t)world->jobs[j].work_ns > longest) longest = (uint64_t)world->jobs[j].work_ns;
    for (exact->bits = 88; longest > UINT64_C(1) << (124 - exact->bits);)
        exact->bits--;
    exact->one = (u128)1 << exact->bits;
    return exact->bits >= 66;
}

/* rate (of 2^-60) times ratio, rounded down; true if the engine's multiples of 2^-60 miss it. */
static inline bool exact_speed(u128 *speed, const struct exact *exact, uint64_t rate,
                               struct ratio ratio)
{
    u128 whole = (u128)rate << (exact->bits - 60), n = ratio.numerator, d = ratio.denominator;
    *speed = whole / d * n + whole % d * n / d;
    return (u128)rate % d * n % d != 0 || *speed >> 4 >= exact->one;
}

/* The work that such rounding may have cost in so many ns: 2^-61 at most each, 64 times as much at
 * the highest speeds. */
static inline u128 exact_blur(const struct exact *exact, int64_t ns)
{
    return ((u128)(uint64_t)ns << (exact->bits - 54)) + 1;
}

#endif
