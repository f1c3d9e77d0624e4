#include "partita/number.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAILS INT64_C(-42)

static int64_t seconds(const char *text)
{
    int64_t ns = FAILS;
    return pt_parse_seconds(&ns, text, strlen(text), NULL) == PT_OK ? ns : FAILS;
}

static const char *seconds_error(const char *text)
{
    static struct pt_error error;
    int64_t ns = 0;
    cr_assert_eq(pt_parse_seconds(&ns, text, strlen(text), &error), PT_ERR_INPUT, "%s", text);
    return error.message;
}

Test(number, seconds_are_exact)
{
    cr_assert_eq(seconds("0"), 0);
    cr_assert_eq(seconds("-0"), 0);
    cr_assert_eq(seconds("+7"), 7 * PT_NS_PER_S);
    cr_assert_eq(seconds("40"), 40 * PT_NS_PER_S);
    cr_assert_eq(seconds("0.1"), 100000000);
    cr_assert_eq(seconds(".5"), 500000000);
    cr_assert_eq(seconds("5."), 5 * PT_NS_PER_S);
    cr_assert_eq(seconds("1700000000.000001"), INT64_C(1700000000000001000));
    cr_assert_eq(seconds("123456789.123456789"), INT64_C(123456789123456789));
    cr_assert_eq(seconds("0.000000001"), 1);
    cr_assert_eq(seconds("1.5e3"), 1500 * PT_NS_PER_S);
    cr_assert_eq(seconds("15E2"), 1500 * PT_NS_PER_S);
    cr_assert_eq(seconds("1e-9"), 1);
    cr_assert_eq(seconds("0.0e99999999999999999999"), 0);
    cr_assert_eq(seconds("000000000000000000000000000000000000000000000000001"), PT_NS_PER_S);
}

Test(number, seconds_round_half_up_at_the_tenth_decimal)
{
    cr_assert_eq(seconds("0.0000000004"), 0);
    cr_assert_eq(seconds("0.0000000005"), 1);
    cr_assert_eq(seconds("0.00000000049999999999999999999999999999999999"), 0);
    cr_assert_eq(seconds("0.0000000014999999999"), 1);
    cr_assert_eq(seconds("1.9999999995"), 2 * PT_NS_PER_S);
    cr_assert_eq(seconds("1e-400"), 0);
    cr_assert_eq(seconds("9e-39"), 0);
}

Test(number, seconds_end_at_292_years)
{
    cr_assert_eq(seconds("9223372036.854775806"), PT_TIME_MAX);
    cr_assert_eq(seconds("9223372036.8547758064"), PT_TIME_MAX);
    cr_assert_str_eq(seconds_error("9223372036.854775807"), "is longer than 292 years");
    cr_assert_str_eq(seconds_error("9223372036.8547758065"), "is longer than 292 years");
    cr_assert_str_eq(seconds_error("1e400"), "is longer than 292 years");
    cr_assert_str_eq(seconds_error("1e30"), "is longer than 292 years");
    cr_assert_str_eq(seconds_error("340282366920938463463374607431768211456"),
                     "is longer than 292 years");
}

Test(number, seconds_refuse_what_is_no_decimal)
{
    const char *const wrong[] = {"12:30", "NaN", "nan", "inf", "-inf", "0x10", "1_000", "1,5",
                                 " 1",    "1 ",  "1e",  "e5",  ".",    "-",    "+-1",   "1.2.3",
                                 "1e5.0", "1s",  "--1", "1e+", "١",    "1.e",  "O.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_str_eq(seconds_error(wrong[i]), "is not a number", "%s", wrong[i]);
    cr_assert_str_eq(seconds_error(""), "is empty");
    cr_assert_str_eq(seconds_error("-1"), "is negative");
    cr_assert_str_eq(seconds_error("-1e400"), "is negative");
    cr_assert_str_eq(seconds_error("-0.0000000000001"), "is negative");
}

Test(number, a_number_of_a_megabyte_is_refused_at_once)
{
    static char digits[1 << 20];
    memset(digits, '7', sizeof digits);
    struct pt_error error;
    int64_t ns = 0;
    cr_assert_eq(pt_parse_seconds(&ns, digits, sizeof digits, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is too long for a number");
}

Test(number, text_need_not_end_in_nul)
{
    int64_t ns = 0;
    cr_assert_eq(pt_parse_seconds(&ns, "123456", 3, NULL), PT_OK);
    cr_assert_eq(ns, 123 * PT_NS_PER_S);
}

/* The fast path against the general one, and the writer against the reader. */
Test(number, seconds_written_read_back_the_same)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        int64_t ns = (int64_t)(x >> (1 + i % 62));
        if (ns > PT_TIME_MAX) ns = PT_TIME_MAX;
        char text[PT_SECONDS_TEXT_MAX], slow[64];
        size_t length = pt_format_seconds(text, ns);
        cr_assert_eq(length, strlen(text));
        cr_assert_eq(seconds(text), ns, "%s", text);
        snprintf(slow, sizeof slow, "0000000000000000000000%s", text);
        cr_assert_eq(seconds(slow), ns, "%s", slow);
        snprintf(slow, sizeof slow, "%llde-9", (long long)ns);
        cr_assert_eq(seconds(slow), ns, "%s", slow);
    }
}

Test(number, seconds_are_written_as_short_as_they_are_exact)
{
    char text[PT_SECONDS_TEXT_MAX];
    const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0"},
        {40 * PT_NS_PER_S, "40"},
        {600000000, "0.6"},
        {1, "0.000000001"},
        {-1500000000, "-1.5"},
        {INT64_C(1700000000000001000), "1700000000.000001"},
        {PT_NEVER, "inf"},
        {INT64_MIN, "-9223372036.854775808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pt_format_seconds(text, cases[i].ns), strlen(cases[i].text));
        cr_expect_str_eq(text, cases[i].text);
    }
}

static int64_t duration(const char *text)
{
    int64_t ns = FAILS;
    return pt_parse_duration(&ns, text, strlen(text), NULL) == PT_OK ? ns : FAILS;
}

Test(number, durations_know_their_units)
{
    cr_assert_eq(duration("30"), 30 * PT_NS_PER_S);
    cr_assert_eq(duration("30s"), 30 * PT_NS_PER_S);
    cr_assert_eq(duration("7ns"), 7);
    cr_assert_eq(duration("7us"), 7000);
    cr_assert_eq(duration("500ms"), 500000000);
    cr_assert_eq(duration("15min"), 900 * PT_NS_PER_S);
    cr_assert_eq(duration("1.5h"), 5400 * PT_NS_PER_S);
    cr_assert_eq(duration("7d"), 604800 * PT_NS_PER_S);
    cr_assert_eq(duration("1e3s"), 1000 * PT_NS_PER_S);
    cr_assert_eq(duration("0.00000000001min"), 1); /* 0.6 ns */
    cr_assert_eq(duration("30 s"), FAILS);
    cr_assert_eq(duration("30m"), FAILS);
    cr_assert_eq(duration("30S"), FAILS);
    cr_assert_eq(duration("s"), FAILS);
    cr_assert_eq(duration(""), FAILS);
    cr_assert_eq(duration("-1s"), FAILS);
    cr_assert_eq(duration("200000d"), FAILS);
    cr_assert_eq(duration("0.3333333333333333333333333333min"), FAILS);
    cr_assert_eq(duration("0.3333333333333333333333333333s"), 333333333);
}

Test(number, fractions_are_exact_millionths)
{
    uint32_t ppm = 7;
    struct pt_error error;
    cr_assert_eq(pt_parse_fraction_ppm(&ppm, "0.1", 3, NULL), PT_OK);
    cr_assert_eq(ppm, 100000);
    cr_assert_eq(pt_parse_fraction_ppm(&ppm, "1", 1, NULL), PT_OK);
    cr_assert_eq(ppm, PT_PPM_ONE);
    cr_assert_eq(pt_parse_fraction_ppm(&ppm, "1.000000000", 11, NULL), PT_OK);
    cr_assert_eq(pt_parse_fraction_ppm(&ppm, "1e-6", 4, NULL), PT_OK);
    cr_assert_eq(ppm, 1);
    const char *const wrong[][2] = {{"NaN", "is not a number"},
                                    {"-0.5", "is negative"},
                                    {"1e-400", "is finer than a millionth"},
                                    {"1.5", "is above 1"},
                                    {"1.0000001", "is above 1"},
                                    {"1e400", "is above 1"},
                                    {"0,5", "is not a number"},
                                    {"0", "is not above 0"},
                                    {"0.00", "is not above 0"},
                                    {"0.3333333", "is finer than a millionth"},
                                    {"", "is empty"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(pt_parse_fraction_ppm(&ppm, wrong[i][0], strlen(wrong[i][0]), &error),
                     PT_ERR_INPUT);
        cr_expect_str_eq(error.message, wrong[i][1], "%s", wrong[i][0]);
    }
    cr_assert_eq(ppm, 1, "an error leaves the value alone");
}

Test(number, utilisations_lie_in_0_to_1)
{
    uint32_t ppm = 7;
    cr_assert_eq(pt_parse_unit_ppm(&ppm, "0", 1, NULL), PT_OK);
    cr_assert_eq(ppm, 0);
    cr_assert_eq(pt_parse_unit_ppm(&ppm, "0.3333333", 9, NULL), PT_OK);
    cr_assert_eq(ppm, 333333);
    cr_assert_eq(pt_parse_unit_ppm(&ppm, "0.9999999", 9, NULL), PT_OK);
    cr_assert_eq(ppm, PT_PPM_ONE);
    cr_assert_eq(pt_parse_unit_ppm(&ppm, "1.0000001", 9, NULL), PT_ERR_INPUT);
    cr_assert_eq(pt_parse_unit_ppm(&ppm, "-0.1", 4, NULL), PT_ERR_INPUT);
}

static int64_t memory(const char *text, bool round_up)
{
    uint32_t mib = 0;
    return pt_parse_memory(&mib, text, strlen(text), round_up, NULL) == PT_OK ? mib : FAILS;
}

Test(number, memory_rounds_requests_up_and_capacities_down)
{
    uint32_t mib = 0;
    cr_assert_eq(pt_parse_gib(&mib, "0.1", 3, NULL), PT_OK);
    cr_assert_eq(mib, 103); /* 102.4 */
    cr_assert_eq(pt_parse_gib(&mib, "4", 1, NULL), PT_OK);
    cr_assert_eq(mib, 4096);
    cr_assert_eq(pt_parse_gib(&mib, "0.0009765625", 12, NULL), PT_OK);
    cr_assert_eq(mib, 1);
    cr_assert_eq(pt_parse_gib(&mib, "1e-30", 5, NULL), PT_OK);
    cr_assert_eq(mib, 1);
    cr_assert_eq(pt_parse_gib(&mib, "4194304", 7, NULL), PT_ERR_INPUT);
    cr_assert_eq(memory("80", true), 81920);
    cr_assert_eq(memory("80GiB", false), 81920);
    cr_assert_eq(memory("512MiB", false), 512);
    cr_assert_eq(memory("1TiB", false), 1048576);
    cr_assert_eq(memory("1GB", false), 953); /* 953.67 */
    cr_assert_eq(memory("1GB", true), 954);
    cr_assert_eq(memory("1MB", false), 0);
    cr_assert_eq(memory("1MB", true), 1);
    cr_assert_eq(memory("1.048576MB", true), 1);
    cr_assert_eq(memory("1TB", false), 953674);
    cr_assert_eq(memory("80G", false), FAILS);
    cr_assert_eq(memory("80 GiB", false), FAILS);
    cr_assert_eq(memory("GiB", false), FAILS);
    cr_assert_eq(memory("1e20", false), FAILS);
}

Test(number, cpus_are_thousandths)
{
    uint32_t milli = 0;
    cr_assert_eq(pt_parse_milli(&milli, "2.5", 3, NULL), PT_OK);
    cr_assert_eq(milli, 2500);
    cr_assert_eq(pt_parse_milli(&milli, "0.0005", 6, NULL), PT_OK);
    cr_assert_eq(milli, 1);
    cr_assert_eq(pt_parse_milli(&milli, "5000000", 7, NULL), PT_ERR_INPUT);
}

Test(number, whole_numbers_may_be_written_with_an_exponent)
{
    int64_t value = 0;
    struct pt_error error;
    cr_assert_eq(pt_parse_int(&value, "1e3", 3, 0, 5000, NULL), PT_OK);
    cr_assert_eq(value, 1000);
    cr_assert_eq(pt_parse_int(&value, "4.0", 3, 0, 5000, NULL), PT_OK);
    cr_assert_eq(value, 4);
    cr_assert_eq(pt_parse_int(&value, "-9223372036854775808", 20, INT64_MIN, INT64_MAX, NULL),
                 PT_OK);
    cr_assert_eq(value, INT64_MIN);
    cr_assert_eq(pt_parse_int(&value, "9223372036854775807", 19, INT64_MIN, INT64_MAX, NULL),
                 PT_OK);
    cr_assert_eq(value, INT64_MAX);
    cr_assert_eq(pt_parse_int(&value, "9223372036854775808", 19, INT64_MIN, INT64_MAX, NULL),
                 PT_ERR_INPUT);
    cr_assert_eq(pt_parse_int(&value, "4.5", 3, 0, 9, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is not a whole number");
    cr_assert_eq(pt_parse_int(&value, "10", 2, 0, 9, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is not between 0 and 9");
    cr_assert_eq(pt_parse_int(&value, "-1", 2, 0, 9, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is negative");
    cr_assert_eq(pt_parse_int(&value, "1e400", 5, 0, 9, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is not between 0 and 9");
}

Test(number, doubles_are_strtods)
{
    const char *const texts[] = {"0",      "0.1",    "1e22",   "1e23", "123456789012345678",
                                 "1e-320", "1e-400", "2.5e-3", "-7.25"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 0, expected = strtod(texts[i], NULL);
        cr_assert_eq(pt_parse_double(&value, texts[i], strlen(texts[i]), NULL), PT_OK);
        cr_expect_eq(value, expected, "%s", texts[i]);
    }
    struct pt_error error;
    double value = 0;
    cr_assert_eq(pt_parse_double(&value, "1e400", 5, &error), PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "is too large");
    cr_assert_eq(pt_parse_double(&value, "0x1p3", 5, &error), PT_ERR_INPUT);
    cr_assert_eq(pt_parse_double(&value, "inf", 3, &error), PT_ERR_INPUT);
}

Test(number, doubles_are_written_as_short_as_they_read_back)
{
    char text[PT_DOUBLE_TEXT_MAX];
    cr_assert_eq(pt_format_double(text, 0.1), 3);
    cr_assert_str_eq(text, "0.1");
    const double values[] = {0.0, 1.0 / 3.0, 1e300, 5e-324, -1234.5678, 0x1p53 + 2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        pt_format_double(text, values[i]);
        cr_expect_eq(strtod(text, NULL), values[i], "%s", text);
    }
}

Test(number, seconds_as_double_are_rounded_once)
{
    cr_assert_eq(pt_seconds(1500000000), 1.5);
    cr_assert_eq(pt_seconds(-1500000000), -1.5);
    /* strtod rounds the exact decimal once. */
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        int64_t ns = (int64_t)(x >> (1 + i % 12));
        char text[PT_SECONDS_TEXT_MAX];
        pt_format_seconds(text, ns == PT_NEVER ? 0 : ns);
        cr_assert_eq(pt_seconds(ns == PT_NEVER ? 0 : ns), strtod(text, NULL), "%s", text);
    }
}
