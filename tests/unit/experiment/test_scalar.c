#include "sim/experiment/scalar.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char *const choices[] = {"strict", "skip", NULL};

static struct pt_value parse(const struct pt_param *param, const char *text)
{
    struct pt_value value;
    struct pt_error error = {.message = ""};
    cr_assert_eq(pt_scalar_parse(&value, param, text, strlen(text), &error), PT_OK, "%s: %s", text,
                 error.message);
    cr_assert_eq(value.text, text);
    return value;
}

static void assert_wrong(const struct pt_param *param, const char *text, const char *message)
{
    struct pt_value value;
    struct pt_error error;
    cr_assert_eq(pt_scalar_parse(&value, param, text, strlen(text), &error), PT_ERR_INPUT, "%s",
                 text);
    cr_assert_str_eq(error.message, message);
}

Test(scalar, takes_true_and_false_alone_for_a_bool)
{
    const struct pt_param param = {.type = PT_PARAM_BOOL};
    cr_assert_eq(parse(&param, "true").integer, 1);
    cr_assert_eq(parse(&param, "false").integer, 0);
    assert_wrong(&param, "yes", "is neither true nor false");
    assert_wrong(&param, "True", "is neither true nor false");
    assert_wrong(&param, "1", "is neither true nor false");
}

Test(scalar, takes_decimal_integers_within_bounds)
{
    const struct pt_param param = {.type = PT_PARAM_INT, .min = "1", .max = "100", .unit = "GPUs"};
    cr_assert_eq(parse(&param, "42").integer, 42);
    cr_assert_eq(parse(&param, "1e2").integer, 100);
    cr_assert_eq(parse(&param, "010").integer, 10); /* no octal */
    assert_wrong(&param, "0", "is too small: at least 1 GPUs");
    assert_wrong(&param, "-3", "is too small: at least 1 GPUs");
    assert_wrong(&param, "101", "is too large: at most 100 GPUs");
    assert_wrong(&param, "1.5", "is not a whole number");
    assert_wrong(&param, "0x10", "is not a number");
    assert_wrong(&param, "1:30", "is not a number");
    assert_wrong(&param, "inf", "is not a number");
}

Test(scalar, takes_inf_where_the_row_has_no_upper_end)
{
    struct pt_param param = {.type = PT_PARAM_INT, .min = "0", .max = "inf"};
    cr_assert_eq(parse(&param, "inf").integer, INT64_MAX);
    cr_assert_eq(parse(&param, "7").integer, 7);
    param.type = PT_PARAM_NUMBER;
    cr_assert(isinf(parse(&param, "inf").number));
    param.type = PT_PARAM_DURATION;
    cr_assert_eq(parse(&param, "inf").integer, PT_NEVER);
    assert_wrong(&param, "-inf", "is not a duration (30, 500ms, 30s, 15min, 2h, 7d)");
}

Test(scalar, takes_numbers_and_their_millionths)
{
    struct pt_param param = {.type = PT_PARAM_NUMBER, .min = "-1", .max = "1e12"};
    cr_assert_eq(parse(&param, "0.11").number, 0.11);
    cr_assert_eq(parse(&param, "0.11").ppm, 110000);
    cr_assert_eq(parse(&param, "1.5e3").ppm, 1500000000);
    assert_wrong(&param, ".nan", "is not a number");
    assert_wrong(&param, "1e400", "is too large");
    assert_wrong(&param, "1e13", "is too large: at most 1e12");
    assert_wrong(&param, "-1.5", "is too small: at least -1");
    param.max = NULL; /* beyond what has millionths, the nearest that has */
    cr_assert_eq(parse(&param, "1e13").ppm, INT64_C(9000000000000000000));
}

Test(scalar, takes_durations_memory_and_fractions)
{
    struct pt_param duration = {.type = PT_PARAM_DURATION, .min = "1ms", .max = "1h"};
    cr_assert_eq(parse(&duration, "15min").integer, 900 * PT_NS_PER_S);
    cr_assert_eq(parse(&duration, "0.5").integer, PT_NS_PER_S / 2);
    assert_wrong(&duration, "61min", "is too large: at most 1h");
    assert_wrong(&duration, "1us", "is too small: at least 1ms");
    /* a bound has its own unit, or gets the row's */
    duration.unit = "s";
    assert_wrong(&duration, "61min", "is too large: at most 1h");
    assert_wrong(&duration, "1us", "is too small: at least 1ms");
    duration.min = "2";
    assert_wrong(&duration, "1", "is too small: at least 2 s");
    const struct pt_param memory = {.type = PT_PARAM_MEMORY};
    cr_assert_eq(parse(&memory, "1024GiB").integer, 1048576);
    cr_assert_eq(parse(&memory, "1").integer, 1024);
    const struct pt_param fraction = {.type = PT_PARAM_FRACTION};
    cr_assert_eq(parse(&fraction, "0.25").ppm, 250000);
    cr_assert_eq(parse(&fraction, "0.25").integer, 250000);
}

Test(scalar, suggests_a_choice_or_lists_them)
{
    const struct pt_param param = {.type = PT_PARAM_CHOICE, .choices = choices};
    cr_assert_eq(parse(&param, "skip").integer, 1);
    assert_wrong(&param, "strct", "is unknown (did you mean 'strict'?)");
    assert_wrong(&param, "wait for it", "is unknown (known: strict, skip)");
}

Test(scalar, refuses_an_empty_text_where_one_is_needed)
{
    struct pt_param param = {.type = PT_PARAM_TEXT, .min = "1"};
    assert_wrong(&param, "", "is empty");
    parse(&param, "x");
    param.min = NULL;
    parse(&param, "");
}

Test(scalar, names_every_type)
{
    for (int type = PT_PARAM_BOOL; type <= PT_PARAM_TEXT; type++)
        cr_assert_str_neq(pt_scalar_type_text((enum pt_param_type)type), "a value");
    cr_assert_str_eq(pt_scalar_type_text((enum pt_param_type)99), "a value");
    const struct pt_param param = {.type = (enum pt_param_type)99};
    struct pt_value value;
    struct pt_error error;
    cr_assert_eq(pt_scalar_parse(&value, &param, "x", 1, &error), PT_ERR_ARGUMENT);
}

Test(scalar, knows_texts_that_look_like_something_else)
{
    const char *const special[] = {"", "1", "-x", ".5", "true", "No", "NULL", "~", "<<", "="};
    const char *const plain[] = {"a", "main-0", "nothing", "on1", "gold"};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        cr_assert(pt_scalar_needs_quotes(special[i], strlen(special[i])), "%s", special[i]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        cr_assert_not(pt_scalar_needs_quotes(plain[i], strlen(plain[i])), "%s", plain[i]);
}
