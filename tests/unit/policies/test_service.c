#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "policies/order/history.h"
#include "policies/order/levels.h"

/* ---- Gittins' index ---- */

#define SECOND 1000000u /* of a GPU, in a history */

static struct pt_history history_of(const uint64_t *seconds, uint32_t count)
{
    struct pt_history history;
    struct pt_error error;
    cr_assert(eq(int, (int)pt__history_init(&history, count, &error), PT_OK));
    for (uint32_t i = 0; i < count; i++)
        pt__history_add(&history, seconds[i] * SECOND);
    cr_assert(pt__history_sort(&history, true));
    return history;
}

/* 1 / G(a) by its definition, walking the samples. */
static uint64_t by_definition(const uint64_t *seconds, uint32_t count, uint64_t a, uint64_t d)
{
    uint64_t ends = 0, expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t s = seconds[i] * SECOND;
        if (s <= a) continue;
        if (s - a <= d) ends++;
        expected += s - a < d ? s - a : d;
    }
    return ends == 0 ? UINT64_MAX : expected / ends;
}

Test(service, index_is_as_defined)
{
    const uint64_t seconds[] = {30, 1, 4000, 4000, 7, 0, 90000, 3250, 3251, 12};
    const uint32_t count = sizeof seconds / sizeof seconds[0];
    struct pt_history history = history_of(seconds, count);
    for (uint64_t a = 0; a < 95000; a = a * 5 / 4 + 1)
        for (uint64_t d = 1; d < 100000; d *= 7)
            cr_assert(eq(u64, pt__history_inverse(&history, a * SECOND, d * SECOND, false),
                         by_definition(seconds, count, a * SECOND, d * SECOND)),
                      "a %llu, d %llu", (unsigned long long)a, (unsigned long long)d);
    pt__history_fini(&history);
}

Test(service, index_as_upstream)
{
    const uint64_t seconds[] = {10, 20, 50, 100};
    struct pt_history history = history_of(seconds, 4);
    /* a 10, D 30: 20 ends within; the sum has 20 for it, not 10, and 30 for each of 50 and 100. */
    cr_assert(eq(u64, pt__history_inverse(&history, 10 * SECOND, 30 * SECOND, true),
                 (20 + 2 * 30) * SECOND));
    cr_assert(eq(u64, pt__history_inverse(&history, 10 * SECOND, 30 * SECOND, false),
                 (10 + 2 * 30) * SECOND));
    /* a 10, D 90: the last sample never ends. */
    cr_assert(eq(u64, pt__history_inverse(&history, 10 * SECOND, 90 * SECOND, true),
                 (20 + 50 + 90) * (uint64_t)SECOND / 2));
    cr_assert(eq(u64, pt__history_inverse(&history, 100 * SECOND, 5 * SECOND, true), UINT64_MAX));
    pt__history_fini(&history);
}

Test(service, history_is_sorted_as_it_grows_by_a_tenth)
{
    struct pt_history history;
    struct pt_error error;
    uint32_t sorts = 0;
    cr_assert(eq(int, (int)pt__history_init(&history, 1000, &error), PT_OK));
    cr_assert(not(pt__history_sort(&history, false)));
    for (uint64_t i = 0; i < 1000; i++) {
        pt__history_add(&history, (i * 7919) % 1000);
        sorts += pt__history_sort(&history, false);
        cr_assert(ge(u32, history.sorted + history.sorted / 10 + 1, history.count));
    }
    cr_assert(le(u32, sorts, 80));
    pt__history_add(&history, 1); /* there is no room: it is left out */
    cr_assert(eq(u32, history.count, 1000));
    pt__history_fini(&history);
}

/* ---- thresholds ---- */

Test(service, thresholds)
{
    struct pt_levels levels;
    struct pt_error error;
    cr_assert(eq(int, (int)pt__levels_parse(&levels, "limits", "3250,2h", &error), PT_OK));
    cr_assert(eq(u32, levels.count, 2));
    cr_assert(eq(i64, levels.limit_ns[0], 3250 * PT_NS_PER_S));
    cr_assert(eq(i64, levels.limit_ns[1], 7200 * PT_NS_PER_S));
    static const struct {
        const char *text;
        uint32_t word;
    } wrong[] = {{"", PT_ERROR_WHOLE}, {"0", 0},
                 {"10,10", 1},         {"10,30,20", 2},
                 {"10,ten,5", 1},      {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", 16}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *text = wrong[i].text;
        enum pt_status status = pt__levels_parse(&levels, "limits", text, &error);
        cr_assert(eq(int, (int)status, PT_ERR_INPUT), "%s", text);
        cr_assert(eq(str, error.key, "limits"), "%s", text);
        cr_assert(eq(u32, error.word, wrong[i].word), "%s", text);
        cr_assert(eq(ptr, strstr(error.message, "limits: "), error.message), "%s", error.message);
    }
}
