/* How the values of metrics are written in a terminal. */
#ifndef PT_CLI_HEADLINE_H
#define PT_CLI_HEADLINE_H

#include <stdbool.h>

#include "sim/cli/format.h"

/* A share in 0..1 (or a load), shown in per cent. */
bool pt__is_share(const char *metric);
/* "12.3 s", "72.3 %", "1.40"; NaN is "-". */
char *pt__format_metric(char out[PT__TEXT_MAX], const char *metric, const char *unit, double value);

#endif
