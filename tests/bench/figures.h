/* The figures of a benchmark: a line on the terminal each, and a JSON object of all. */
#ifndef PT_TESTS_FIGURES_H
#define PT_TESTS_FIGURES_H

#include <stdint.h>
#include <stdio.h>

/* CPU time of this thread, and wall time, in seconds. */
double figures_cpu_s(void);
double figures_wall_s(void);

/* Opens the JSON file; ends the process if that fails. */
void figures_open(const char *path);
void figures_close(void);
void figures_title(const char *title);
/* One figure: `key` names it in the JSON, `limit` (NULL = none) is said beside it. */
void figures_add(const char *key, double value, const char *unit, const char *limit);

#endif
