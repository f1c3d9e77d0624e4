#include "sim/cli/options.h"

#include <criterion/criterion.h>
#include <string.h>

static int nothing(const struct pt__args *args)
{
    (void)args;
    return 0;
}

static const char *const fruits[] = {"apple", "pear", NULL};

static const struct pt__option options[] = {
    {"set", 0, "PATH=VALUE", NULL, true, PT__COMPLETES_NOTHING, "override"},
    {"out", 'o', "FILE", NULL, false, PT__COMPLETES_FILE, "write here"},
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print JSON"},
    {"fruit", 0, "FRUIT", fruits, false, PT__COMPLETES_CHOICE, "which"},
    {0}};

static const struct pt__command command = {.name = "run",
                                           .operands = "EXPERIMENT.yaml",
                                           .operand_min = 1,
                                           .operand_max = 2,
                                           .options = options,
                                           .run = nothing};

enum { WORDS = 8 };

struct parsed {
    struct pt__args args;
    struct pt_error error;
    enum pt_status status;
    char *argv[WORDS + 2];
};

static void parse(struct parsed *parsed, const char *const *words)
{
    int count = 0;
    parsed->argv[count++] = (char *)"partita";
    for (size_t i = 0; words[i]; i++)
        parsed->argv[count++] = (char *)words[i];
    parsed->status =
        pt__args_parse(&parsed->args, &command, "run", count, parsed->argv, 1, &parsed->error);
}

#define PARSE(parsed, ...) parse(parsed, (const char *const[]){__VA_ARGS__, NULL})

static void refuses(const char *const *words, const char *message)
{
    struct parsed parsed;
    parse(&parsed, words);
    cr_assert_eq(parsed.status, PT_ERR_INPUT);
    cr_expect_str_eq(parsed.error.message, message);
    pt__args_fini(&parsed.args);
}

#define REFUSES(message, ...) refuses((const char *const[]){__VA_ARGS__, NULL}, message)

Test(options, takes_values_behind_a_sign_or_a_blank)
{
    struct parsed parsed;
    PARSE(&parsed, "--out=a.h5", "x.yaml", "--fruit", "pear", "--json");
    cr_assert_eq(parsed.status, PT_OK);
    cr_expect_str_eq(pt__args_value(&parsed.args, "out"), "a.h5");
    cr_expect_str_eq(pt__args_value(&parsed.args, "fruit"), "pear");
    cr_expect(pt__args_has(&parsed.args, "json"));
    cr_expect_not(pt__args_has(&parsed.args, "quiet"));
    cr_expect_eq(parsed.args.operand_count, 1);
    cr_expect_str_eq(parsed.args.operands[0], "x.yaml");
    pt__args_fini(&parsed.args);
}

Test(options, takes_letters_with_the_value_attached_or_not)
{
    struct parsed parsed;
    PARSE(&parsed, "-oa.h5", "x.yaml", "-q");
    cr_assert_eq(parsed.status, PT_OK);
    cr_expect_str_eq(pt__args_value(&parsed.args, "out"), "a.h5");
    cr_expect(pt__args_has(&parsed.args, "quiet"));
    pt__args_fini(&parsed.args);
}

Test(options, keeps_repeated_values_in_order)
{
    struct parsed parsed;
    const char *values[WORDS];
    PARSE(&parsed, "--set", "a=1", "x.yaml", "--set=b=2");
    cr_assert_eq(parsed.status, PT_OK);
    cr_assert_eq(pt__args_values(&parsed.args, "set", values), 2);
    cr_expect_str_eq(values[0], "a=1");
    cr_expect_str_eq(values[1], "b=2");
    pt__args_fini(&parsed.args);
}

Test(options, ends_options_at_two_dashes)
{
    struct parsed parsed;
    PARSE(&parsed, "--", "--json", "-");
    cr_assert_eq(parsed.status, PT_OK);
    cr_expect_not(pt__args_has(&parsed.args, "json"));
    cr_expect_eq(parsed.args.operand_count, 2);
    pt__args_fini(&parsed.args);
}

Test(options, shows_help_whatever_else_is_wrong)
{
    struct parsed parsed;
    PARSE(&parsed, "--nonsense", "--help");
    cr_assert_eq(parsed.status, PT_OK);
    cr_expect(parsed.args.help);
    pt__args_fini(&parsed.args);
}

Test(options, suggests_the_nearest_option)
{
    REFUSES("unknown option '--sed' (did you mean '--set'?)", "x.yaml", "--sed", "a=1");
    REFUSES("unknown option '--quit' (did you mean '--quiet'?)", "--quit=1");
    REFUSES("unknown option '--interference'", "--interference");
    REFUSES("unknown option '-x'", "-x");
    REFUSES("unknown option '-qx'", "-qx", "x.yaml");
}

Test(options, refuses_wrong_values)
{
    REFUSES("option '--out' needs a value: FILE", "x.yaml", "--out");
    REFUSES("option '--json' takes no value", "x.yaml", "--json=1");
    REFUSES("option '--out' is given twice", "x.yaml", "--out=a", "-o", "b");
    REFUSES("unknown --fruit 'aple' (did you mean 'apple'?)", "x.yaml", "--fruit=aple");
    REFUSES("unknown --fruit 'melon': it is one of apple, pear", "x.yaml", "--fruit=melon");
}

Test(options, refuses_too_few_and_too_many_operands)
{
    REFUSES("needs an argument: EXPERIMENT.yaml", "--json");
    REFUSES("unexpected argument 'c'", "a", "b", "c");
}
