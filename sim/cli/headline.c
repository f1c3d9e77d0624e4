#include "sim/cli/headline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

bool pt__is_share(const char *metric)
{
    static const char *const shares[] = {"sla_satisfaction", "utilization",   "allocation",
                                         "goodput",          "fragmentation", "offered_load"};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (strcmp(metric, shares[i]) == 0) return true;
    return false;
}

char *pt__format_metric(char out[PT__TEXT_MAX], const char *metric, const char *unit, double value)
{
    if (isnan(value)) return pt__format_ratio(out, value);
    if (strcmp(unit, "s") == 0) return pt__format_duration(out, value);
    if (pt__is_share(metric)) return pt__format_percent(out, value);
    return pt__format_ratio(out, value);
}
