/* Every policy on one world: jobs a second, the policy's share of the time, decisions' latency. */
#ifndef PT_TESTS_BENCH_POLICIES_H
#define PT_TESTS_BENCH_POLICIES_H

#include <stdint.h>

/* The policy of this name, NULL = all; so many jobs. */
void policies_time(const char *name, uint32_t jobs);

#endif
