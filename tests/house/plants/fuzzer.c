/* Fails on inputs that begin with "PT!": for libFuzzer, which has to find one. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 3 && data[0] == 'P' && data[1] == 'T' && data[2] == '!') abort();
    return 0;
}
