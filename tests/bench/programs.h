/* The whole program, as a user runs it: wall time and peak memory. Named by $PARTITA. */
#ifndef PT_TESTS_PROGRAMS_H
#define PT_TESTS_PROGRAMS_H

#include <stdint.h>

/* bench.csv of so many jobs, with and without a result file; exclusive and time-sliced. */
void programs_time(uint32_t jobs);
/* So many drawn jobs against none. */
void programs_memory(uint32_t jobs);

/* compare and plot of two results of so many jobs. Needs gnuplot. */
void programs_results(uint32_t jobs);

#endif
