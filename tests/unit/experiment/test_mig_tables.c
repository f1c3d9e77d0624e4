/* The catalogue's MIG tables: the counts that are known of each geometry (models.md 2; hardware.md
 * 1.3), and the layouts that each GPU has by name. */
#include <criterion/criterion.h>
#include <string.h>

#include "models/units/mig.h"
#include "sim/experiment/catalog.h"
#include "tests/support/mig_census.h"

static struct pt_catalog *built_in_catalog(void)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load(&catalog, &messages), PT_OK);
    pt_messages_fini(&messages);
    return catalog;
}

static void expect_census(const struct pt_gpu_model *gpu, bool doubles, unsigned sets,
                          unsigned maximal, unsigned multisets)
{
    struct mig_census census;
    mig_census(&census, gpu->mig, doubles);
    cr_assert_eq(census.sets, sets, "%s: %u sets", gpu->name, census.sets);
    cr_assert_eq(census.maximal, maximal, "%s: %u maximal", gpu->name, census.maximal);
    cr_assert_eq(census.multisets, multisets, "%s: %u multisets", gpu->name, census.multisets);
}

Test(mig_tables, have_the_known_counts)
{
    struct pt_catalog *catalog = built_in_catalog();
    unsigned eights = 0, fours = 0;
    for (uint32_t i = 0; i < catalog->count; i++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[i];
        if (gpu->mig == NULL) continue;
        if (gpu->mig->compute == 7) {
            eights++;
            expect_census(gpu, false, 298, 19, 14);
            expect_census(gpu, true, 723, 78, 38);
        } else {
            fours++;
            expect_census(gpu, false, 26, 5, 4);
        }
    }
    cr_assert_eq(eights, 11);
    cr_assert_eq(fours, 2); /* A30, RTX PRO 6000 */
    pt_catalog_free(catalog);
}

/* "name x count" of a layout's instances by their places. */
static void assert_layout(const struct pt_catalog *catalog, const char *gpu_name, const char *words,
                          const char *expected)
{
    char text[256] = "";
    struct pt__mig_layout layout;
    struct pt_error error = {.message = ""};
    const struct pt_gpu_model *gpu = pt_catalog_find(catalog, gpu_name);
    cr_assert_eq(pt__mig_parse_layout(&layout, gpu, words, &error), PT_OK, "%s: %s", words,
                 error.message);
    for (unsigned start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(layout.starts >> start & 1)) continue;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s@%u", used > 0 ? " " : "",
                 gpu->mig->profiles[layout.profile[start]].name, start);
    }
    cr_assert_str_eq(text, expected, "%s of %s: %s", words, gpu_name, text);
}

Test(mig_tables, have_layouts_by_name)
{
    struct pt_catalog *catalog = built_in_catalog();
    assert_layout(catalog, "h100-sxm5-80gb", "all-balanced",
                  "2g.20gb@0 1g.10gb@2 1g.10gb@3 3g.40gb@4");
    assert_layout(catalog, "a30", "all-balanced", "2g.12gb@0 1g.6gb@2 1g.6gb@3");
    assert_layout(catalog, "rtx-pro-6000-96gb", "all-balanced", "2g.48gb@0 1g.24gb@6 1g.24gb@9");
    assert_layout(catalog, "a30", "all-1g", "1g.6gb@0 1g.6gb@1 1g.6gb@2 1g.6gb@3");
    assert_layout(catalog, "a30", "all-2g.12gb.me", "2g.12gb+me@0");
    assert_layout(catalog, "h200-sxm5-141gb", "all-3g.71gb", "3g.71gb@0 3g.71gb@4");
    assert_layout(catalog, "b200-180gb", "all-7g", "7g.180gb@0");
    assert_layout(catalog, "gb200-186gb", "all-1g.47gb", "1g.47gb@0 1g.47gb@2 1g.47gb@4 1g.47gb@6");
    pt_catalog_free(catalog);
}
