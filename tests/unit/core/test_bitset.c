#include "sim/core/bitset.h"

#include <criterion/criterion.h>

#include "partita/random.h"

static void compare_with_array(uint32_t size, gsl_rng *rng)
{
    struct pt_bitset set;
    bool *member = calloc(size, sizeof *member);
    cr_assert(pt_bitset_init(&set, size));
    for (int i = 0; i < 4000; i++) {
        uint32_t e = (uint32_t)gsl_rng_uniform_int(rng, size);
        member[e] = gsl_rng_uniform_int(rng, 4) == 0;
        if (member[e])
            pt_bitset_add(&set, e);
        else
            pt_bitset_remove(&set, e);
        uint32_t from = (uint32_t)gsl_rng_uniform_int(rng, size), next = from;
        while (next < size && !member[next])
            next++;
        cr_assert_eq(pt_bitset_next(&set, from), next == size ? PT_NONE : next, "size %u from %u",
                     size, from);
        cr_assert_eq(pt_bitset_has(&set, from), member[from]);
    }
    pt_bitset_fini(&set);
    free(member);
}

Test(bitset, agrees_with_an_array)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 2, PT_PURPOSE_TEST, 0);
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 70000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_with_array(sizes[i], rng);
    gsl_rng_free(rng);
}

Test(bitset, empty_and_out_of_range)
{
    struct pt_bitset set;
    cr_assert(pt_bitset_init(&set, 0));
    cr_assert_eq(pt_bitset_next(&set, 0), PT_NONE);
    pt_bitset_fini(&set);
    cr_assert(pt_bitset_init(&set, 100));
    pt_bitset_add(&set, 99);
    cr_assert_eq(pt_bitset_next(&set, 99), 99);
    cr_assert_eq(pt_bitset_next(&set, 100), PT_NONE);
    pt_bitset_fini(&set);
}
