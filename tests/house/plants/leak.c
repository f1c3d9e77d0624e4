/* Loses a heap block: for LeakSanitizer. */
#include <stdlib.h>

int main(void)
{
    volatile char *block = malloc(100);
    if (!block) return 2;
    block[0] = 1;
    block = NULL;
    return block != NULL;
}
