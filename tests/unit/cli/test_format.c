#include "sim/cli/format.h"

#include <criterion/criterion.h>
#include <math.h>

static char text[PT__TEXT_MAX];

Test(format, gives_durations_the_unit_that_keeps_them_short)
{
    cr_expect_str_eq(pt__format_duration(text, 0), "0 s");
    cr_expect_str_eq(pt__format_duration(text, 1e-9), "1.00 ns");
    cr_expect_str_eq(pt__format_duration(text, 0.0123), "12.3 ms");
    cr_expect_str_eq(pt__format_duration(text, 1), "1.00 s");
    cr_expect_str_eq(pt__format_duration(text, 119), "119 s");
    cr_expect_str_eq(pt__format_duration(text, 120), "2.00 min");
    cr_expect_str_eq(pt__format_duration(text, 7200), "2.00 h");
    cr_expect_str_eq(pt__format_duration(text, 172800), "2.00 d");
    cr_expect_str_eq(pt__format_duration(text, 9.2e9), "106,481 d");
    cr_expect_str_eq(pt__format_duration(text, NAN), "-");
}

Test(format, never_shows_four_digits_where_three_matter)
{
    cr_expect_str_eq(pt__format_duration(text, 0.99999), "1.00 s");
    cr_expect_str_eq(pt__format_duration(text, 119.99), "2.00 min");
    cr_expect_str_eq(pt__format_ratio(text, 9.999), "10.0");
    cr_expect_str_eq(pt__format_ratio(text, 99.99), "100");
}

Test(format, groups_thousands)
{
    cr_expect_str_eq(pt__format_count(text, 0), "0");
    cr_expect_str_eq(pt__format_count(text, 999), "999");
    cr_expect_str_eq(pt__format_count(text, 77574), "77,574");
    cr_expect_str_eq(pt__format_count(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

Test(format, keeps_ratios_to_three_digits)
{
    cr_expect_str_eq(pt__format_ratio(text, 1), "1.00");
    cr_expect_str_eq(pt__format_ratio(text, 12.345), "12.3");
    cr_expect_str_eq(pt__format_ratio(text, 123.45), "123");
    cr_expect_str_eq(pt__format_ratio(text, 12345), "12,345");
    cr_expect_str_eq(pt__format_ratio(text, 999999), "999,999");
    cr_expect_str_eq(pt__format_ratio(text, 1e6), "1.00e6");
    cr_expect_str_eq(pt__format_ratio(text, 5692883), "5.69e6");
    cr_expect_str_eq(pt__format_ratio(text, 9999999), "1.00e7");
    cr_expect_str_eq(pt__format_ratio(text, -0.5), "-0.50");
    cr_expect_str_eq(pt__format_ratio(text, INFINITY), "inf");
    cr_expect_str_eq(pt__format_ratio(text, NAN), "-");
}

Test(format, writes_shares_as_per_cent)
{
    cr_expect_str_eq(pt__format_percent(text, 0.7234), "72.3 %");
    cr_expect_str_eq(pt__format_percent(text, 1), "100.0 %");
    cr_expect_str_eq(pt__format_percent(text, NAN), "-");
}
