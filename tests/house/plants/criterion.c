/* A Criterion test that passes and leaks: Criterion reports success, the harness must not. */
#include <criterion/criterion.h>
#include <stdlib.h>

Test(plant, leak)
{
    volatile char *block = malloc(100);
    cr_assert(block);
    block[0] = 1;
    block = NULL;
    cr_assert_not(block);
}
