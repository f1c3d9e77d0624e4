#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"

static void writes(double value, const char *expected)
{
    char text[PT_DOUBLE_TEXT_MAX];
    cr_expect_eq(pt_format_double(text, value), strlen(expected));
    cr_expect_str_eq(text, expected);
}

Test(number_double, plain_decimals_where_people_expect_them)
{
    writes(0, "0");
    writes(1, "1");
    writes(300, "300");
    writes(-2.5, "-2.5");
    writes(0.1, "0.1");
    writes(1.0 / 3, "0.3333333333333333");
    writes(100000, "100000");
    writes(1e-5, "0.00001");
    writes(1e15, "1000000000000000");
    writes(0x1p53 - 1, "9007199254740991");
    writes(0x1p53, "9007199254740992");
    writes(123456.789, "123456.789");
}

Test(number_double, exponents_beyond)
{
    writes(1e22, "1e+22");
    writes(9.5e-6, "9.5e-06");
    writes(5e-324, "5e-324");
    writes(1.7976931348623157e308, "1.7976931348623157e+308");
    writes(INFINITY, "inf");
}

static int significant_digits(const char *text)
{
    char digits[64];
    int count = 0, first = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9') digits[count++] = *text;
    while (first < count && digits[first] == '0')
        first++;
    while (count > first && digits[count - 1] == '0')
        count--;
    return count - first;
}

/* The C library with ever more digits is slow and right: never more digits than it needs, and never
 * farther from the value. */
static void check(double value)
{
    char text[PT_DOUBLE_TEXT_MAX], reference[64];
    size_t length = pt_format_double(text, value);
    cr_assert_eq(length, strlen(text));
    cr_assert_eq(strtod(text, NULL), value, "%.17g became %s", value, text);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(reference, sizeof reference, "%.*g", digits, value);
        if (strtod(reference, NULL) == value) break;
    }
    cr_assert_eq(significant_digits(text), significant_digits(reference), "%s, not %s", text,
                 reference);
    long double off = fabsl(strtold(text, NULL) - (long double)value);
    cr_assert(off <= fabsl(strtold(reference, NULL) - (long double)value), "%s, not %s", text,
              reference);
}

Test(number_double, never_longer_than_needed)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        double unit = (double)(x >> 11) * 0x1p-53;
        check(exp(unit * 50 - 12)); /* 6e-6 .. 3e16 */
        check(1 + unit);
        check((double)(x >> 34) / 1e9);
        check((double)(x % 100000) / 1000);
        /* powers of two have a nearer neighbour below */
        double power = ldexp(1, (int)(x % 70) - 17);
        check(power);
        check(nextafter(power, 0));
        check(nextafter(power, 1e300));
    }
}
