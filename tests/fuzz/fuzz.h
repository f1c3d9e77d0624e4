/* The one function of a fuzz target. */
#ifndef PT_TESTS_FUZZ_H
#define PT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Parses `size` bytes of any content. Returns 0; aborts where a promise of the parser is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
