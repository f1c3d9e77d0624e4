#include "sim/experiment/arena.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

Test(arena, gives_zeroed_aligned_memory_of_any_size)
{
    struct pt_arena arena;
    pt_arena_init(&arena);
    for (size_t size = 0; size < 40000; size = size * 2 + 1) {
        unsigned char *memory = pt_arena_alloc(&arena, 1, size);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(memory[i], 0);
        memset(memory, 0xff, size); /* the next one must not see it */
    }
    pt_arena_fini(&arena);
    cr_assert_null(arena.blocks);
}

Test(arena, copies_texts_with_an_end)
{
    struct pt_arena arena = {0};
    cr_assert_str_eq(pt_arena_text(&arena, "pool and more", 4), "pool");
    cr_assert_str_eq(pt_arena_text(&arena, NULL, 0), "");
    pt_arena_fini(&arena);
}

Test(arena, refuses_sizes_that_overflow)
{
    struct pt_arena arena = {0};
    cr_assert_null(pt_arena_alloc(&arena, SIZE_MAX / 2, 16));
    cr_assert_null(pt_arena_text(&arena, "x", SIZE_MAX));
    pt_arena_fini(&arena);
}
