#include "sim/replicate/seeds.h"

#include <criterion/criterion.h>
#include <string.h>

static void holds(const char *text, size_t count, const uint64_t *wanted)
{
    struct pt_seeds seeds;
    struct pt_error error;
    cr_assert_eq(pt_seeds_parse(&seeds, text, &error), PT_OK, "%s", text);
    cr_assert_eq(seeds.count, count, "%s: %zu", text, seeds.count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(seeds.list[i], wanted[i], "%s", text);
    pt_seeds_fini(&seeds);
}

Test(seeds, are_ranges_and_lists_in_ascending_order)
{
    holds("0", 1, (const uint64_t[]){0});
    holds("1..4", 4, (const uint64_t[]){1, 2, 3, 4});
    holds("7..7", 1, (const uint64_t[]){7});
    holds("9,3,7", 3, (const uint64_t[]){3, 7, 9});
    holds("9,1..3", 4, (const uint64_t[]){1, 2, 3, 9});
    holds("9223372036854775806..9223372036854775807", 2,
          (const uint64_t[]){INT64_MAX - UINT64_C(1), INT64_MAX});
}

static void refused(const char *text, const char *why)
{
    struct pt_seeds seeds;
    struct pt_error error;
    cr_assert_eq(pt_seeds_parse(&seeds, text, &error), PT_ERR_INPUT, "%s", text);
    cr_expect_not_null(strstr(error.message, why), "%s: %s", text, error.message);
    cr_expect_null(seeds.list);
}

Test(seeds, that_are_none_are_refused)
{
    static const char *const bad[] = {
        "",   ",",  "1,",  ",1",    "a",     "1..", "..3", "1...3", "1..2..3",
        "-1", "+1", "1-3", " 1..3", "1 ..3", "1.5", "1e3", "0x1",   "9223372036854775808"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(bad[i], "is no seed and no range of seeds");
    refused("5..1", "'5..1' ends before it begins");
    refused("3,1..4", "seed 3 is named twice");
    refused("1..100001", "more than 100000 seeds");
    refused("0..9223372036854775807", "more than");
}

Test(seeds, may_be_very_many)
{
    struct pt_seeds seeds;
    struct pt_error error;
    cr_assert_eq(pt_seeds_parse(&seeds, "1..100000", &error), PT_OK);
    cr_assert_eq(seeds.count, PT_SEEDS_MAX);
    cr_assert_eq(seeds.list[99999], 100000);
    pt_seeds_fini(&seeds);
    pt_seeds_fini(&seeds);
}
