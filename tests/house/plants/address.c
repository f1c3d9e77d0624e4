/* Reads one element past the end of a heap block: for AddressSanitizer and Valgrind. */
#include <stdlib.h>

int main(void)
{
    volatile int *block = malloc(4 * sizeof *block);
    if (!block) return 2;
    for (int i = 0; i < 4; i++)
        block[i] = i;
    int beyond = block[4];
    free((void *)block);
    return beyond == 12345;
}
