#include "partita/suggest.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const words[] = {"replicas", "switch_loss", "policy", "seed",
                                    "gpu",      "nodes",       NULL};

static const char *nearest(const char *word)
{
    return pt_suggest(word, strlen(word), words);
}

Test(suggest, finds_a_letter_left_out_added_changed_or_swapped)
{
    cr_assert_str_eq(nearest("replcas"), "replicas");
    cr_assert_str_eq(nearest("replicass"), "replicas");
    cr_assert_str_eq(nearest("poligy"), "policy");
    cr_assert_str_eq(nearest("sede"), "seed");
    cr_assert_str_eq(nearest("gpus"), "gpu");
}

Test(suggest, ignores_case)
{
    cr_assert_str_eq(nearest("POLICY"), "policy");
}

Test(suggest, is_silent_when_nothing_is_near)
{
    cr_assert_null(nearest("interference"));
    cr_assert_null(nearest("xy"));
    cr_assert_null(nearest(""));
}

Test(suggest, is_silent_on_words_beyond_its_length)
{
    char longest[PT_SUGGEST_MAX + 2];
    memset(longest, 'a', sizeof longest);
    const char *const same[] = {longest, NULL};
    longest[PT_SUGGEST_MAX] = '\0';
    cr_assert_eq(pt_suggest(longest, PT_SUGGEST_MAX - 1, same), longest);
    longest[PT_SUGGEST_MAX] = 'a';
    longest[PT_SUGGEST_MAX + 1] = '\0';
    cr_assert_null(pt_suggest(longest, PT_SUGGEST_MAX, same));
}

Test(suggest, takes_the_first_of_equals_and_no_null)
{
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, "node", 4);
    pt_suggest_offer(&suggestion, NULL);
    pt_suggest_offer(&suggestion, "noda");
    pt_suggest_offer(&suggestion, "nodb");
    cr_assert_str_eq(suggestion.best, "noda");
    cr_assert_eq(suggestion.distance, 1);
}
