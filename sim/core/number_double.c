/* The shortest decimal that reads back as the same double.
 *
 * A double is the nearest one to every decimal within half a step of it. Between 1e-5 and 2^53 that
 * interval, in units of the 17th digit, is found exactly in 128 bits, and digits are cut off its
 * ends while a decimal is left inside (the idea of Steele and White 1990, and of Ryu, Adams 2018).
 * Outside that range the C library is asked for 15, 16 and 17 digits in turn.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"

enum { DIGITS_MAX = 17, MANTISSA_BITS = 53 };

/* digits x 10^-decimals */
struct short_decimal {
    uint64_t digits;
    int decimals;
};

static pt_u128 power_of_ten(int exponent)
{
    pt_u128 power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

/* Cuts digits off while a decimal is left in [low, high] around digits + rest, and rounds to the
 * nearest that is left, a tie to even. `rest`: 0 none, 1 below a half, 2 a half, 3 above. */
static void shorten(struct short_decimal *d, uint64_t low, uint64_t high, int rest)
{
    while (low / 10 + (low % 10 != 0) <= high / 10 && d->decimals > -DIGITS_MAX) {
        unsigned digit = (unsigned)(d->digits % 10);
        rest = digit > 5 || (digit == 5 && rest > 0) ? 3 : digit == 5 ? 2 : digit > 0 || rest > 0;
        low = low / 10 + (low % 10 != 0);
        high /= 10;
        d->digits /= 10;
        d->decimals--;
    }
    if (rest == 3 || (rest == 2 && d->digits % 2 == 1)) d->digits++;
    if (d->digits < low) d->digits = low;
    if (d->digits > high) d->digits = high;
}

/* value within [1e-5, 2^53). */
static struct short_decimal find_shortest(double value)
{
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(value, &exponent), MANTISSA_BITS);
    int shift = MANTISSA_BITS - exponent + 1; /* value = 2 m / 2^shift, 1 <= shift <= 70 */
    struct short_decimal d = {0, DIGITS_MAX};
    double power = 1;
    while (power <= value) { /* 17 digits in all */
        d.decimals--;
        power *= 10;
    }
    power = 0.1;
    while (d.decimals >= DIGITS_MAX && power > value) {
        d.decimals++;
        power /= 10;
    }
    pt_u128 ten = power_of_ten(d.decimals), middle = 2 * m * ten, unit = (pt_u128)1 << shift;
    pt_u128 below = m == UINT64_C(1) << (MANTISSA_BITS - 1) ? ten / 2 : ten;
    pt_u128 low = middle - below, high = middle + ten;
    /* a decimal just between two doubles reads as the even one */
    bool odd = m % 2 == 1;
    uint64_t least = (uint64_t)(low >> shift) + ((low & (unit - 1)) != 0 || odd);
    uint64_t most = (uint64_t)(high >> shift) - ((high & (unit - 1)) == 0 && odd);
    pt_u128 rest = middle & (unit - 1);
    d.digits = (uint64_t)(middle >> shift);
    shorten(&d, least, most, rest == 0 ? 0 : rest < unit / 2 ? 1 : rest == unit / 2 ? 2 : 3);
    return d;
}

static size_t write_decimal(char *out, struct short_decimal d, bool negative)
{
    char digits[48];
    size_t at = sizeof digits;
    int place = d.decimals;
    for (; place < 0; place++)
        digits[--at] = '0';
    for (; d.digits > 0 || place >= 0; d.digits /= 10) {
        if (place == 0 && d.decimals > 0) digits[--at] = '.';
        digits[--at] = (char)('0' + d.digits % 10);
        place--;
    }
    if (negative) digits[--at] = '-';
    size_t length = sizeof digits - at;
    memcpy(out, digits + at, length);
    out[length] = '\0';
    return length;
}

size_t pt_format_double(char out[PT_DOUBLE_TEXT_MAX], double value)
{
    double magnitude = fabs(value);
    if (magnitude >= 1e-5 && magnitude < 0x1p53)
        return write_decimal(out, find_shortest(magnitude), value < 0);
    int length = 0;
    int digits = magnitude < 1e-300 ? 1 : 15; /* what is nearly 0 may have few digits */
    for (; digits <= DIGITS_MAX; digits++) {
        length = snprintf(out, PT_DOUBLE_TEXT_MAX, "%.*g", digits, value);
        if (!isfinite(value) || strtod(out, NULL) == value) break;
    }
    return length > 0 ? (size_t)length : 0;
}
