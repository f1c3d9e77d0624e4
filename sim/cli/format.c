#include "sim/cli/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *plain(char out[PT__TEXT_MAX], const char *text)
{
    snprintf(out, PT__TEXT_MAX, "%s", text);
    return out;
}

char *pt__format_count(char out[PT__TEXT_MAX], uint64_t value)
{
    char digits[PT__TEXT_MAX];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

/* "5.69e6" */
static void scientific(char out[PT__TEXT_MAX], double value)
{
    int power = (int)floor(log10(fabs(value)) + 1e-12);
    double mantissa = value / pow(10, power);
    if (fabs(mantissa) >= 9.995) {
        mantissa /= 10;
        power++;
    }
    snprintf(out, PT__TEXT_MAX, "%.2fe%d", mantissa, power);
}

char *pt__format_ratio(char out[PT__TEXT_MAX], double value)
{
    double size = fabs(value);
    if (isnan(value))
        plain(out, "-");
    else if (isinf(value))
        plain(out, value > 0 ? "inf" : "-inf");
    else if (size >= 999999.5)
        scientific(out, value);
    else if (size >= 999.5 && value > 0)
        pt__format_count(out, (uint64_t)llround(value));
    else
        snprintf(out, PT__TEXT_MAX, "%.*f", size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value);
    return out;
}

char *pt__format_duration(char out[PT__TEXT_MAX], double seconds)
{
    static const struct {
        double below, per_unit;
        const char *name;
    } units[] = {{9.995e-7, 1e-9, "ns"}, {9.995e-4, 1e-6, "us"}, {0.9995, 1e-3, "ms"},
                 {119.95, 1, "s"},       {7199.5, 60, "min"},    {172795, 3600, "h"},
                 {INFINITY, 86400, "d"}};
    if (isnan(seconds)) return plain(out, "-");
    if (seconds == 0) return plain(out, "0 s");
    size_t unit = 0;
    while (fabs(seconds) >= units[unit].below && units[unit].below < INFINITY)
        unit++;
    char number[PT__TEXT_MAX];
    pt__format_ratio(number, seconds / units[unit].per_unit);
    snprintf(out, PT__TEXT_MAX, "%.20s %s", number, units[unit].name);
    return out;
}

char *pt__format_percent(char out[PT__TEXT_MAX], double share)
{
    if (isnan(share)) return plain(out, "-");
    snprintf(out, PT__TEXT_MAX, "%.1f %%", 100 * share);
    return out;
}
