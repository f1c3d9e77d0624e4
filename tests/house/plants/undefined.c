/* Overflows a signed integer: for UBSan. */
#include <limits.h>

int main(void)
{
    volatile int most = INT_MAX;
    volatile int more = most + 1;
    return more == 12345;
}
