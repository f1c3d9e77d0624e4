#include "partita/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MAX = 24,     /* significant digits kept; what follows only says "a little more" */
    EXPONENT_MAX = 9999, /* clamps 1e99999999999 long before int overflows */
    POWER_MAX = 38,      /* 10^38 < 2^127 */
    NUMBER_TEXT_MAX = 1024
};

/* A decimal literal: mantissa x 10^exponent, exactly when `more` is false; else between that and
 * (mantissa + 1) x 10^exponent, both excluded. */
struct decimal {
    pt_u128 mantissa;
    int exponent;
    bool negative, more;
};

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Takes one digit into the mantissa, or remembers that digits were left out. */
static void take_digit(struct decimal *decimal, int *digits, unsigned digit, bool behind_dot)
{
    if (*digits < DIGITS_MAX) {
        decimal->mantissa = decimal->mantissa * 10 + digit;
        if (decimal->mantissa != 0) ++*digits;
        if (behind_dot && decimal->exponent > -EXPONENT_MAX) decimal->exponent--;
    } else {
        decimal->more = decimal->more || digit != 0;
        if (!behind_dot && decimal->exponent < EXPONENT_MAX) decimal->exponent++;
    }
}

/* "e5", "E-3": adds to the exponent and returns the place behind it, NULL if it is none. */
static const char *take_exponent(struct decimal *decimal, const char *p, const char *end)
{
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return NULL;
    int exponent = 0;
    for (; p < end && is_digit(*p); p++)
        if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (*p - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return p;
}

/* Reads the longest decimal at the start of text; returns the place behind it, NULL if there is
 * none. */
static const char *scan_decimal(struct decimal *decimal, const char *text, const char *end)
{
    *decimal = (struct decimal){0};
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+')) decimal->negative = *p++ == '-';
    int digits = 0;
    const char *first = p;
    for (; p < end && is_digit(*p); p++)
        take_digit(decimal, &digits, (unsigned)(*p - '0'), false);
    bool any = p > first;
    if (p < end && *p == '.') {
        first = ++p;
        for (; p < end && is_digit(*p); p++)
            take_digit(decimal, &digits, (unsigned)(*p - '0'), true);
        any = any || p > first;
    }
    if (!any) return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) return take_exponent(decimal, p, end);
    return p;
}

/* The decimal at the start of a text, and where it ends; `what` says what it should have been. */
static enum pt_status parse_prefix(struct decimal *decimal, const char **rest, const char *text,
                                   size_t length, const char *what, struct pt_error *error)
{
    if (length == 0) return pt_fail(error, PT_ERR_INPUT, "is empty");
    if (length >= NUMBER_TEXT_MAX) return pt_fail(error, PT_ERR_INPUT, "is too long for a number");
    *rest = scan_decimal(decimal, text, text + length);
    if (*rest == NULL) return pt_fail(error, PT_ERR_INPUT, "is not %s", what);
    return PT_OK;
}

static enum pt_status parse_decimal(struct decimal *decimal, const char *text, size_t length,
                                    struct pt_error *error)
{
    const char *rest = NULL;
    PT_TRY(parse_prefix(decimal, &rest, text, length, "a number", error));
    if (rest != text + length) return pt_fail(error, PT_ERR_INPUT, "is not a number");
    return PT_OK;
}

static pt_u128 power_of_ten(int exponent)
{
    pt_u128 power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* floor(x) and what is left of x after it. */
struct quotient {
    pt_u128 floor;
    bool exact, half_or_more;
};

/* |decimal| x numerator / denominator; numerator < 2^47, denominator < 2^32. False = 2^100 or
 * more, far above every range here. */
static bool scale(struct quotient *quotient, const struct decimal *decimal, uint64_t numerator,
                  uint64_t denominator)
{
    *quotient = (struct quotient){.exact = true};
    if (decimal->mantissa == 0) return true;
    pt_u128 product = decimal->mantissa * numerator; /* < 2^80 x 2^47 */
    if (decimal->exponent > 0) {
        if (decimal->exponent > POWER_MAX) return false;
        pt_u128 power = power_of_ten(decimal->exponent);
        if (product > ((pt_u128)1 << 127) / power) return false;
        product *= power;
    }
    pt_u128 rest = product % denominator;
    quotient->floor = product / denominator;
    quotient->exact = rest == 0 && !decimal->more;
    quotient->half_or_more = 2 * rest >= denominator;
    if (decimal->exponent >= 0) return (quotient->floor >> 100) == 0;

    if (-decimal->exponent > POWER_MAX) { /* below 2^127 / 10^39 < 1/2 */
        *quotient = (struct quotient){0};
        return true;
    }
    pt_u128 power = power_of_ten(-decimal->exponent);
    rest = quotient->floor % power;
    quotient->floor /= power;
    quotient->exact = quotient->exact && rest == 0;
    quotient->half_or_more = rest >= power / 2; /* powers of ten are even */
    return (quotient->floor >> 100) == 0;
}

enum rounding { ROUND_DOWN, ROUND_HALF_UP, ROUND_UP };

/* The unsigned conversions: 0 <= *value <= max, which is below 2^63. */
static enum pt_status convert(uint64_t *value, const struct decimal *decimal, uint64_t numerator,
                              uint64_t denominator, enum rounding rounding, uint64_t max,
                              struct pt_error *error)
{
    if (decimal->negative && decimal->mantissa != 0)
        return pt_fail(error, PT_ERR_INPUT, "is negative");
    struct quotient quotient;
    if (!scale(&quotient, decimal, numerator, denominator))
        return pt_fail(error, PT_ERR_INPUT, "is too large");
    bool up = (rounding == ROUND_HALF_UP && quotient.half_or_more) ||
              (rounding == ROUND_UP && !quotient.exact);
    pt_u128 rounded = quotient.floor + (up ? 1 : 0);
    if (rounded > max) return pt_fail(error, PT_ERR_INPUT, "is too large");
    *value = (uint64_t)rounded;
    return PT_OK;
}

static enum pt_status convert_time(int64_t *ns, const struct decimal *decimal, uint64_t unit_ns,
                                   struct pt_error *error)
{
    /* Beyond the digits kept, thirds (of a minute, hour, day) could round either way. */
    if (decimal->more && unit_ns % 3 == 0)
        return pt_fail(error, PT_ERR_INPUT, "has too many digits");
    if (decimal->negative && decimal->mantissa != 0)
        return pt_fail(error, PT_ERR_INPUT, "is negative");
    uint64_t value = 0;
    if (convert(&value, decimal, unit_ns, 1, ROUND_HALF_UP, (uint64_t)PT_TIME_MAX, error) != PT_OK)
        return pt_fail(error, PT_ERR_INPUT, "is longer than 292 years");
    *ns = (int64_t)value;
    return PT_OK;
}

static enum pt_status parse_seconds_slow(int64_t *ns, const char *text, size_t length,
                                         struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    return convert_time(ns, &decimal, (uint64_t)PT_NS_PER_S, error);
}

enum pt_status pt_parse_seconds(int64_t *ns, const char *text, size_t length,
                                struct pt_error *error)
{
    static const uint32_t scale_of[10] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                          10000,      1000,      100,      10,      1};
    const char *p = text, *end = text + length;
    /* Up to 20 characters: no overflow below. */
    if (length == 0 || length > 20) return parse_seconds_slow(ns, text, length, error);
    uint64_t whole = 0, fraction = 0;
    while (p < end && is_digit(*p))
        whole = whole * 10 + (unsigned)(*p++ - '0');
    size_t whole_digits = (size_t)(p - text), decimals = 0;
    if (p < end && *p == '.') {
        const char *first = ++p;
        while (p < end && is_digit(*p))
            fraction = fraction * 10 + (unsigned)(*p++ - '0');
        decimals = (size_t)(p - first);
    }
    /* 292 years are a little more than so many whole seconds. */
    if (p != end || whole_digits == 0 || whole > 9223372035u || decimals > 9)
        return parse_seconds_slow(ns, text, length, error);
    *ns = (int64_t)(whole * 1000000000u + fraction * scale_of[decimals]);
    return PT_OK;
}

struct unit {
    const char *name;
    uint64_t factor;
};

/* The unit named by the rest of a text; NULL = no such unit. */
static const struct unit *find_unit(const struct unit *units, const char *text, size_t length)
{
    for (; units->name != NULL; units++)
        if (strlen(units->name) == length && memcmp(units->name, text, length) == 0) return units;
    return NULL;
}

enum pt_status pt_parse_duration(int64_t *ns, const char *text, size_t length,
                                 struct pt_error *error)
{
    static const struct unit units[] = {
        {"", UINT64_C(1000000000)},
        {"ns", 1},
        {"us", 1000},
        {"ms", 1000000},
        {"s", UINT64_C(1000000000)},
        {"min", UINT64_C(60000000000)},
        {"h", UINT64_C(3600000000000)},
        {"d", UINT64_C(86400000000000)},
        {NULL, 0},
    };
    struct decimal decimal;
    const char *rest = NULL;
    PT_TRY(parse_prefix(&decimal, &rest, text, length, "a duration (30, 500ms, 30s, 15min, 2h, 7d)",
                        error));
    const struct unit *unit = find_unit(units, rest, (size_t)(text + length - rest));
    if (unit == NULL)
        return pt_fail(error, PT_ERR_INPUT,
                       "has no unit of time behind its number (ns, us, ms, s, min, h, d)");
    return convert_time(ns, &decimal, unit->factor, error);
}

enum pt_status pt_parse_fraction_ppm(uint32_t *ppm, const char *text, size_t length,
                                     struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    if (decimal.negative && decimal.mantissa != 0)
        return pt_fail(error, PT_ERR_INPUT, "is negative");
    if (decimal.mantissa == 0) return pt_fail(error, PT_ERR_INPUT, "is not above 0");
    struct quotient quotient;
    if (!scale(&quotient, &decimal, PT_PPM_ONE, 1) || quotient.floor > PT_PPM_ONE ||
        (quotient.floor == PT_PPM_ONE && !quotient.exact))
        return pt_fail(error, PT_ERR_INPUT, "is above 1");
    if (!quotient.exact) return pt_fail(error, PT_ERR_INPUT, "is finer than a millionth");
    *ppm = (uint32_t)quotient.floor;
    return PT_OK;
}

enum pt_status pt_parse_unit_ppm(uint32_t *ppm, const char *text, size_t length,
                                 struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    struct quotient quotient;
    if (!(decimal.negative && decimal.mantissa != 0) &&
        (!scale(&quotient, &decimal, PT_PPM_ONE, 1) || quotient.floor > PT_PPM_ONE ||
         (quotient.floor == PT_PPM_ONE && !quotient.exact)))
        return pt_fail(error, PT_ERR_INPUT, "is above 1");
    uint64_t value = 0;
    PT_TRY(convert(&value, &decimal, PT_PPM_ONE, 1, ROUND_HALF_UP, PT_PPM_ONE, error));
    *ppm = (uint32_t)value;
    return PT_OK;
}

static enum pt_status parse_u32(uint32_t *value, const char *text, size_t length,
                                uint64_t numerator, enum rounding rounding, struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    uint64_t wide = 0;
    PT_TRY(convert(&wide, &decimal, numerator, 1, rounding, PT_NONE - 1, error));
    *value = (uint32_t)wide;
    return PT_OK;
}

enum pt_status pt_parse_gib(uint32_t *mib, const char *text, size_t length, struct pt_error *error)
{
    return parse_u32(mib, text, length, 1024, ROUND_UP, error);
}

enum pt_status pt_parse_milli(uint32_t *milli, const char *text, size_t length,
                              struct pt_error *error)
{
    return parse_u32(milli, text, length, 1000, ROUND_HALF_UP, error);
}

enum pt_status pt_parse_memory(uint32_t *mib, const char *text, size_t length, bool round_up,
                               struct pt_error *error)
{
    /* In bytes; a MiB is 2^20 of them. */
    static const struct unit units[] = {
        {"", UINT64_C(1) << 30},         {"GiB", UINT64_C(1) << 30},
        {"MiB", UINT64_C(1) << 20},      {"TiB", UINT64_C(1) << 40},
        {"GB", UINT64_C(1000000000)},    {"MB", 1000000},
        {"TB", UINT64_C(1000000000000)}, {NULL, 0},
    };
    struct decimal decimal;
    const char *rest = NULL;
    PT_TRY(parse_prefix(&decimal, &rest, text, length, "an amount of memory (80, 80GiB, 512MiB)",
                        error));
    const struct unit *unit = find_unit(units, rest, (size_t)(text + length - rest));
    if (unit == NULL)
        return pt_fail(error, PT_ERR_INPUT,
                       "has no unit of memory behind its number (GiB, MiB, TiB, GB, MB, TB)");
    uint64_t value = 0;
    PT_TRY(convert(&value, &decimal, unit->factor, UINT64_C(1) << 20,
                   round_up ? ROUND_UP : ROUND_DOWN, PT_NONE - 1, error));
    *mib = (uint32_t)value;
    return PT_OK;
}

enum pt_status pt_parse_int(int64_t *value, const char *text, size_t length, int64_t min,
                            int64_t max, struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    struct quotient quotient;
    bool fits = scale(&quotient, &decimal, 1, 1);
    if (fits && !quotient.exact) return pt_fail(error, PT_ERR_INPUT, "is not a whole number");
    bool negative = decimal.negative && decimal.mantissa != 0;
    if (negative && min >= 0) return pt_fail(error, PT_ERR_INPUT, "is negative");
    pt_u128 limit = negative ? (pt_u128)1 << 63 : (pt_u128)INT64_MAX;
    fits = fits && quotient.floor <= limit;
    int64_t result = 0;
    if (fits) result = negative ? (int64_t) - (uint64_t)quotient.floor : (int64_t)quotient.floor;
    if (!fits || result < min || result > max)
        return pt_fail(error, PT_ERR_INPUT, "is not between %lld and %lld", (long long)min,
                       (long long)max);
    *value = result;
    return PT_OK;
}

/* Exact powers of ten as doubles; with a mantissa below 2^53 one operation rounds correctly. */
static bool small_double(double *value, const struct decimal *decimal)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (decimal->more || (decimal->mantissa >> 53) != 0) return false;
    if (decimal->exponent < -22 || decimal->exponent > 22) return false;
    double result = (double)(uint64_t)decimal->mantissa;
    if (decimal->exponent < 0)
        result /= power[-decimal->exponent];
    else
        result *= power[decimal->exponent];
    *value = decimal->negative ? -result : result;
    return true;
}

enum pt_status pt_parse_double(double *value, const char *text, size_t length,
                               struct pt_error *error)
{
    struct decimal decimal;
    PT_TRY(parse_decimal(&decimal, text, length, error));
    if (small_double(value, &decimal)) return PT_OK;
    char copy[NUMBER_TEXT_MAX]; /* parse_decimal saw to it that the text fits */
    memcpy(copy, text, length);
    copy[length] = '\0';
    double result = strtod(copy, NULL);
    if (!isfinite(result)) return pt_fail(error, PT_ERR_INPUT, "is too large");
    *value = result;
    return PT_OK;
}

size_t pt_format_seconds(char out[PT_SECONDS_TEXT_MAX], int64_t ns)
{
    if (ns == PT_NEVER) {
        memcpy(out, "inf", 4);
        return 3;
    }
    uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char digits[PT_SECONDS_TEXT_MAX];
    size_t at = sizeof digits;
    uint64_t fraction = magnitude % 1000000000u, whole = magnitude / 1000000000u;
    if (fraction != 0) {
        int places = 9;
        for (; fraction % 10 == 0; fraction /= 10)
            places--;
        for (; places > 0; places--, fraction /= 10)
            digits[--at] = (char)('0' + fraction % 10);
        digits[--at] = '.';
    }
    do {
        digits[--at] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole != 0);
    if (ns < 0) digits[--at] = '-';
    size_t length = sizeof digits - at;
    memcpy(out, digits + at, length);
    out[length] = '\0';
    return length;
}

double pt_seconds(int64_t ns)
{
    uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    if (magnitude < UINT64_C(1) << 53) return (double)ns / 1e9; /* both exact: rounded once */
    /* 2^40 x seconds with the rest squeezed into the last bit: one rounding, by the conversion. */
    pt_u128 scaled = (pt_u128)magnitude << 40;
    pt_u128 quotient = scaled / 1000000000u;
    if (scaled % 1000000000u != 0) quotient |= 1;
    double seconds = (double)quotient * 0x1p-40;
    return ns < 0 ? -seconds : seconds;
}
