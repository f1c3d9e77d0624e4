/* Every placement on the pools it is made for: jobs a second. */
#ifndef PT_TESTS_BENCH_PLACEMENTS_H
#define PT_TESTS_BENCH_PLACEMENTS_H

#include <stdint.h>

/* The placement of this name, NULL = all; so many jobs. */
void placements_time(const char *name, uint32_t jobs);

#endif
