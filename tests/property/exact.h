/* Work and speed as whole numbers over one common denominator: the fractions that the reference
 * scheduler counts in. With replicas 1..n and switch losses e, every speed R / k or R / (k (1 + e))
 * is a whole multiple of 1 / exact.one.
 */
#ifndef PT_TESTS_EXACT_H
#define PT_TESTS_EXACT_H

#include "tests/property/reference.h"

__extension__ typedef unsigned __int128 u128;
#define RATE_BITS 42 /* rates are multiples of 2^-42 */

struct exact {
    uint64_t lcm_n, lcm_loss; /* of 1..replicas, of the denominators of 1 / (1 + switch loss) */
    u128 one;                 /* the denominator: one ns of work at speed 1 */
};

static inline uint64_t exact_gcd(uint64_t a, uint64_t b)
{
    for (uint64_t rest; b != 0; a = b, b = rest)
        rest = a % b;
    return a;
}

static inline uint64_t exact_lcm(uint64_t a, uint64_t b)
{
    return a / exact_gcd(a, b) * b;
}

/* False if the world's fractions are too fine for 128 bits. */
static inline bool exact_init(struct exact *exact, const struct ref_world *world)
{
    uint64_t longest = 1;
    *exact = (struct exact){.lcm_n = 1, .lcm_loss = 1};
    for (uint32_t p = 0; p < world->pool_count; p++) {
        for (uint32_t n = 1; n <= world->pools[p].replicas; n++)
            exact->lcm_n = exact_lcm(exact->lcm_n, n);
        uint64_t loss = 1000000 + world->pools[p].loss_ppm;
        exact->lcm_loss = exact_lcm(exact->lcm_loss, loss / exact_gcd(loss, 1000000));
        if (world->pools[p].rate % (UINT64_C(1) << (60 - RATE_BITS)) != 0) return false;
    }
    for (uint32_t j = 0; j < world->job_count; j++)
        if ((uint64_t)world->jobs[j].work_ns > longest) longest = (uint64_t)world->jobs[j].work_ns;
    exact->one = ((u128)exact->lcm_n * exact->lcm_loss) << RATE_BITS;
    return exact->one <= ~(u128)0 / 8 / longest;
}

/* R for one resident, R / (n (1 + switch loss)) for each of n (models.md 4.1, `none`). */
static inline u128 exact_speed(const struct exact *exact, const struct ref_pool *pool, uint32_t n)
{
    u128 alone = (u128)(pool->rate >> (60 - RATE_BITS)) * exact->lcm_n * exact->lcm_loss;
    uint64_t loss = 1000000 + pool->loss_ppm, common = exact_gcd(loss, 1000000);
    return n == 1 ? alone : alone / n / (loss / common) * (1000000 / common);
}

/* The engine keeps speeds in multiples of 2^-60. True if this one is none. */
static inline bool exact_is_blurred(const struct exact *exact, u128 speed)
{
    return (speed << (60 - RATE_BITS)) % (exact->lcm_n * exact->lcm_loss) != 0;
}

/* The work that such rounding, 2^-61 at most each ns, may have cost in so many ns. */
static inline u128 exact_blur(const struct exact *exact, int64_t ns)
{
    return ((u128)(uint64_t)ns * exact->one >> 60) + 1;
}

#endif
