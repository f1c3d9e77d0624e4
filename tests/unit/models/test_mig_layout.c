#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/units/mig.h"
#include "tests/support/rig.h"

static const char *refusal(const struct pt_gpu_model *gpu, const char *words)
{
    static struct pt_error error;
    struct pt__mig_layout layout;
    error.message[0] = '\0';
    if (pt__mig_parse_layout(&layout, gpu, words, &error) == PT_OK) return "legal";
    return error.message;
}

/* A layout's instances by their starts, as "3g.40gb@4". */
static const char *placed(const struct pt_gpu_model *gpu, const char *words)
{
    static char text[256];
    struct pt__mig_layout layout;
    struct pt_error error = {.message = ""};
    cr_assert_eq(pt__mig_parse_layout(&layout, gpu, words, &error), PT_OK, "%s: %s", words,
                 error.message);
    text[0] = '\0';
    for (unsigned start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(layout.starts >> start & 1)) continue;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s@%u", used > 0 ? " " : "",
                 gpu->mig->profiles[layout.profile[start]].name, start);
    }
    return text;
}

/* A multiset, whatever the order. */
Test(mig_layout, is_placed_by_search)
{
    const char *expected = "2g.20gb@0 1g.10gb@2 1g.10gb@3 3g.40gb@4";
    cr_assert_str_eq(placed(&rig_h100, "1g.10gb,1g.10gb,2g.20gb,3g.40gb"), expected);
    cr_assert_str_eq(placed(&rig_h100, "3g.40gb,2g.20gb,1g.10gb,1g.10gb"), expected);
    cr_assert_str_eq(placed(&rig_h100, "2g.20gb,3g.40gb,2g.20gb"), "2g.20gb@0 2g.20gb@2 3g.40gb@4");
    cr_assert_str_eq(placed(&rig_h100, "3g.40gb,4g.40gb"), "4g.40gb@0 3g.40gb@4");
    /* alone they stand where most others stay possible */
    cr_assert_str_eq(placed(&rig_h100, "1g.10gb"), "1g.10gb@6");
    cr_assert_str_eq(placed(&rig_h100, "3g.40gb"), "3g.40gb@4");
    cr_assert_str_eq(placed(&rig_h100, ""), "");
    cr_assert_str_eq(placed(&rig_h100, NULL), "");
    /* S-21: legal, and one more 1g stays possible */
    cr_assert_str_eq(placed(&rig_h100, "1g.20gb,1g.20gb,1g.20gb,1g.10gb"),
                     "1g.20gb@0 1g.20gb@2 1g.10gb@4 1g.20gb@6");
    /* these leave one 1g wherever they stand: then the large one stands lowest */
    cr_assert_str_eq(placed(&rig_h100, "3g.40gb,1g.20gb,1g.10gb"), "3g.40gb@0 1g.10gb@4 1g.20gb@6");
}

Test(mig_layout, has_names)
{
    cr_assert_str_eq(placed(&rig_h100, "all-balanced"), "2g.20gb@0 1g.10gb@2 1g.10gb@3 3g.40gb@4");
    cr_assert_str_eq(placed(&rig_a30, "all-balanced"), "2g.12gb@0 1g.6gb@2 1g.6gb@3");
    cr_assert_str_eq(placed(&rig_h100, "all-1g"),
                     "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6");
    cr_assert_str_eq(placed(&rig_a100_40, "all-1g.5gb"),
                     "1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6");
    cr_assert_str_eq(placed(&rig_h100, "all-1g.20gb"), "1g.20gb@0 1g.20gb@2 1g.20gb@4 1g.20gb@6");
    cr_assert_str_eq(placed(&rig_h100, "all-1g.10gb.me"), "1g.10gb+me@6");
    cr_assert_str_eq(placed(&rig_h100, "all-1g.10gb+me"), "1g.10gb+me@6");
    cr_assert_str_eq(placed(&rig_h100, "all-2g"), "2g.20gb@0 2g.20gb@2 2g.20gb@4");
    cr_assert_str_eq(placed(&rig_h100, "all-3g"), "3g.40gb@0 3g.40gb@4");
    cr_assert_str_eq(placed(&rig_h100, "all-4g.40gb"), "4g.40gb@0");
    cr_assert_str_eq(placed(&rig_h100, "all-7g"), "7g.80gb@0");
    cr_assert_str_eq(placed(&rig_h100, "all-enabled"), "");
}

/* Both budgets (S-21), the media engines, the starts; and what may have been meant. */
Test(mig_layout, says_why_it_is_impossible)
{
    cr_assert_str_eq(
        refusal(&rig_h100, "1g.20gb,1g.20gb,1g.20gb,1g.20gb,1g.10gb,1g.10gb,1g.10gb"),
        "layout 3 x 1g.10gb, 4 x 1g.20gb is impossible on h100-sxm5-80gb: 11 memory slices, the "
        "GPU has 8");
    cr_assert_str_eq(refusal(&rig_h100, "4g.40gb,4g.40gb"),
                     "layout 2 x 4g.40gb is impossible on h100-sxm5-80gb: 8 compute slices, the "
                     "GPU has 7");
    cr_assert_str_eq(refusal(&rig_h100, "3g.40gb,3g.40gb,3g.40gb"),
                     "layout 3 x 3g.40gb is impossible on h100-sxm5-80gb: 12 memory slices, the "
                     "GPU has 8; 9 compute slices, the GPU has 7");
    cr_assert_str_eq(refusal(&rig_h100, "1g.10gb+me,1g.10gb,1g.10gb+me"),
                     "layout 1 x 1g.10gb, 2 x 1g.10gb+me is impossible on h100-sxm5-80gb: 2 "
                     "instances with +me, a GPU has one at most");
    cr_assert_str_eq(refusal(&rig_h100, "1g.5gb"),
                     "layout: '1g.5gb' is no MIG profile of h100-sxm5-80gb; did you mean "
                     "'1g.10gb'? (it has: 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, "
                     "7g.80gb)");
    cr_assert_str_eq(refusal(&rig_a30, "2g.10gb+me"),
                     "layout: '2g.10gb+me' is no MIG profile of a30; did you mean '2g.12gb+me'? "
                     "(it has: 1g.6gb, 1g.6gb+me, 2g.12gb, 2g.12gb+me, 4g.24gb)");
    cr_assert_str_eq(refusal(&rig_a30, "all-3g"),
                     "layout: '3g' is no MIG profile of a30 (it has: 1g.6gb, 1g.6gb+me, 2g.12gb, "
                     "2g.12gb+me, 4g.24gb)");
    cr_assert_str_eq(refusal(&rig_a30, "1g.6gb,all-1g"),
                     "layout: 'all-1g' is a whole layout: it stands alone, not in a list");
    cr_assert_str_eq(refusal(&rig_a30, "1g.6gb,,1g.6gb"),
                     "layout: '' is no MIG profile of a30 (it has: 1g.6gb, 1g.6gb+me, 2g.12gb, "
                     "2g.12gb+me, 4g.24gb)");
    char many[64 * 7 + 1] = "";
    for (int i = 0; i < 64; i++)
        strcat(many, i > 0 ? ",1g.6gb" : "1g.6gb");
    cr_assert_str_eq(refusal(&rig_a30, many),
                     "layout 64 x 1g.6gb is impossible on a30: 64 memory slices, the GPU has 4; 64 "
                     "compute slices, the GPU has 4");
}

/* A simplified table, as some simulators have it: 3g at slice 4 alone. */
Test(mig_layout, says_that_the_starts_forbid_it)
{
    static const struct pt_mig_profile profiles[] = {{"1s", 1, 1, false, 0x7f, 14, 1, "test"},
                                                     {"3s", 3, 3, false, 0x10, 42, 3, "test"},
                                                     {"7s", 7, 7, false, 0x01, 98, 7, "test"}};
    static const struct pt_mig mig = {7, 7, 3, 2, profiles};
    const struct pt_gpu_model gpu = {.name = "sevens", .mig = &mig};
    cr_assert_str_eq(placed(&gpu, "1s,3s,1s"), "1s@0 1s@1 3s@4");
    cr_assert_str_eq(refusal(&gpu, "3s,3s"),
                     "layout 2 x 3s is impossible on sevens: the slices would do, but not where "
                     "the instances may start (memory slices; 3s takes 3 from 4)");
    cr_assert_str_eq(refusal(&gpu, "all-balanced"),
                     "layout: all-balanced is not defined for sevens; list its profiles instead");
}

/* MISO's 18 partitions of an A100: compute slices of the instances, in lists. */
Test(mig_layout, takes_misos_partitions)
{
    char path[4096], text[8192], words[128] = "";
    const char *shared = getenv("PARTITA_SHARED");
    snprintf(path, sizeof path, "%s/reference/interference/miso/a100_partitions.json",
             shared == NULL ? "../shared" : shared);
    if (access(path, R_OK) != 0) cr_skip_test("%s is not there", path);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    unsigned partitions = 0;
    for (char *list = strchr(text, '['); list != NULL; list = strchr(list, '[')) {
        struct pt__mig_room room = pt__mig_whole(rig_a100_40.mig);
        words[0] = '\0';
        for (list++; *list != ']'; list++) {
            cr_assert_neq(*list, '\0');
            if (!isdigit((unsigned char)*list)) continue;
            for (unsigned i = 0; i < rig_a100_40.mig->profile_count; i++) {
                const struct pt_mig_profile *profile = &rig_a100_40.mig->profiles[i];
                if (profile->compute != (unsigned)(*list - '0')) continue;
                if (words[0] != '\0') strcat(words, ",");
                strcat(words, profile->name);
                room.compute = (uint8_t)(room.compute - profile->compute);
                break;
            }
        }
        cr_assert_str_eq(refusal(&rig_a100_40, words), "legal", "%s", words);
        cr_assert_leq(room.compute, 1, "%s", words); /* 3g + 3g strands one */
        partitions++;
    }
    cr_assert_eq(partitions, 18);
}
