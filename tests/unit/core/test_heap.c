#include "sim/core/heap.h"

#include <criterion/criterion.h>

#include "partita/random.h"

static uint32_t draw(gsl_rng *rng, uint32_t below)
{
    return (uint32_t)gsl_rng_uniform_int(rng, below);
}

/* The least key by looking at all, and every back pointer where it should be. */
static pt_u128 least_of(const struct pt_heap *heap)
{
    pt_u128 least = ~(pt_u128)0;
    for (uint32_t slot = PT_HEAP_ROOT; slot < PT_HEAP_ROOT + heap->count; slot++) {
        if (heap->key[slot] < least) least = heap->key[slot];
        cr_assert_eq(heap->pos[pt_heap_key_item(heap->key[slot])], slot);
    }
    return least;
}

Test(heap, random_moves_keep_the_least_on_top)
{
    enum { ITEMS = 300 };
    struct pt_heap heap;
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    pt_rng_seed(rng, 1, PT_PURPOSE_TEST, 0);
    cr_assert(pt_heap_init(&heap, ITEMS));
    for (int i = 0; i < 50000; i++) {
        uint32_t item = draw(rng, ITEMS);
        if (draw(rng, 3) == 0)
            pt_heap_remove(&heap, item);
        else /* few times: ties are decided by the tie-breaker, then by the item */
            pt_heap_set(&heap, pt_heap_key(draw(rng, 40), draw(rng, 3), item));
        cr_assert(pt_heap_top(&heap) == least_of(&heap));
    }
    pt_heap_fini(&heap);
    gsl_rng_free(rng);
}

Test(heap, comes_out_in_total_order)
{
    struct pt_heap heap;
    cr_assert(pt_heap_init(&heap, 4));
    pt_heap_set(&heap, pt_heap_key(5, 9, 0));
    pt_heap_set(&heap, pt_heap_key(5, 7, 3));
    pt_heap_set(&heap, pt_heap_key(PT_TIME_MAX, 0, 1));
    pt_heap_set(&heap, pt_heap_key(5, 7, 2));
    uint32_t expected[] = {2, 3, 0, 1};
    for (int i = 0; i < 4; i++) {
        uint32_t item = pt_heap_key_item(pt_heap_top(&heap));
        cr_assert_eq(item, expected[i]);
        pt_heap_remove(&heap, item);
        pt_heap_remove(&heap, item); /* twice is no harm */
    }
    cr_assert(pt_heap_top(&heap) == ~(pt_u128)0);
    pt_heap_fini(&heap);
}

Test(heap, key_keeps_what_it_was_made_of)
{
    pt_u128 key = pt_heap_key(PT_TIME_MAX, 12, 34);
    cr_assert_eq(pt_heap_key_time(key), PT_TIME_MAX);
    cr_assert_eq(pt_heap_key_item(key), 34);
}
