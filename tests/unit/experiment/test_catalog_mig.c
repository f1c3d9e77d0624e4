#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/catalog.h"
#include "tests/unit/experiment/support.h"

static struct pt_catalog *catalog_of(const char *text)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status =
        text ? pt_catalog_load_text(&catalog, "c.yaml", text, strlen(text), &messages)
             : pt_catalog_load(&catalog, &messages);
    char *said = printed(&messages, false);
    cr_assert_eq(status, PT_OK, "%s", said);
    free(said);
    pt_messages_fini(&messages);
    return catalog;
}

static unsigned starts_of(const struct pt_mig_profile *profile)
{
    return profile->starts;
}

static void assert_profile(const struct pt_mig *mig, const char *name, unsigned compute,
                           unsigned size, unsigned starts, unsigned sms, unsigned mem_mib)
{
    uint32_t at = pt_mig_find(mig, name);
    cr_assert_neq(at, PT_NONE, "%s", name);
    const struct pt_mig_profile *profile = &mig->profiles[at];
    cr_assert_eq(profile->compute, compute, "%s", name);
    cr_assert_eq(profile->size, size, "%s", name);
    cr_assert_eq(starts_of(profile), starts, "%s", name);
    cr_assert_eq(profile->sms, sms, "%s", name);
    cr_assert_eq(profile->mem_mib, mem_mib, "%s", name);
}

Test(catalog_mig, has_the_tables_that_cards_print)
{
    struct pt_catalog *catalog = catalog_of(NULL);
    const struct pt_mig *a100 = pt_catalog_find(catalog, "a100-sxm4-40gb")->mig;
    cr_assert_eq(a100->compute, 7);
    cr_assert_eq(a100->memory, 8);
    cr_assert_eq(a100->profile_count, 7);
    assert_profile(a100, "1g.5gb", 1, 1, 0x7f, 14, 4864);
    assert_profile(a100, "1g.10gb", 1, 2, 0x55, 14, 9856);
    assert_profile(a100, "2g.10gb", 2, 2, 0x15, 28, 9856);
    assert_profile(a100, "3g.20gb", 3, 4, 0x11, 42, 19968);
    assert_profile(a100, "4g.20gb", 4, 4, 0x01, 56, 19968);
    assert_profile(a100, "7g.40gb", 7, 8, 0x01, 98, 40192);
    const struct pt_mig *h100 = pt_catalog_find(catalog, "h100-sxm5-80gb")->mig;
    assert_profile(h100, "1g.10gb", 1, 1, 0x7f, 16, 9984);
    assert_profile(h100, "1g.20gb", 1, 2, 0x55, 26, 20096);
    assert_profile(h100, "3g.40gb", 3, 4, 0x11, 60, 40448);
    assert_profile(h100, "7g.80gb", 7, 8, 0x01, 132, 81152);
    const struct pt_mig *a30 = pt_catalog_find(catalog, "a30")->mig;
    cr_assert_eq(a30->compute, 4);
    cr_assert_eq(a30->memory, 4);
    assert_profile(a30, "1g.6gb+me", 1, 1, 0x0f, 14, 5952);
    assert_profile(a30, "2g.12gb", 2, 2, 0x05, 28, 11968);
    assert_profile(a30, "4g.24gb", 4, 4, 0x01, 56, 24000);
    const struct pt_mig *rtx = pt_catalog_find(catalog, "rtx-pro-6000-96gb")->mig;
    cr_assert_eq(rtx->compute, 4);
    cr_assert_eq(rtx->memory, 12);
    assert_profile(rtx, "1g.24gb", 1, 3, 0x249, 46, 24192);
    assert_profile(rtx, "2g.48gb-me", 2, 6, 0x41, 94, 48512);
    assert_profile(rtx, "4g.96gb", 4, 12, 0x01, 188, 97280);
    cr_assert_eq(pt_mig_find(rtx, "1g"), PT_NONE);
    pt_catalog_free(catalog);
}

Test(catalog_mig, is_there_for_the_gpus_that_have_it_and_no_other)
{
    const char *const with[] = {
        "a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-40gb",   "a100-pcie-80gb", "a30",
        "h100-sxm5-80gb", "h100-pcie-80gb", "h100-nvl-94gb",    "gh200-96gb",     "h200-sxm5-141gb",
        "b200-180gb",     "gb200-186gb",    "rtx-pro-6000-96gb"};
    struct pt_catalog *catalog = catalog_of(NULL);
    uint32_t found = 0;
    for (uint32_t i = 0; i < catalog->count; i++)
        found += catalog->gpus[i].mig != NULL;
    cr_assert_eq(found, sizeof with / sizeof *with);
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        cr_assert_not_null(pt_catalog_find(catalog, with[i])->mig, "%s", with[i]);
    pt_catalog_free(catalog);
}

/* By compute slices, then memory slices, then plain before +me; one profile is the whole GPU; what
 * the profiles of a GPU have grows with their slices. */
Test(catalog_mig, is_sorted_and_holds_together)
{
    struct pt_catalog *catalog = catalog_of(NULL);
    for (uint32_t g = 0; g < catalog->count; g++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[g];
        for (unsigned i = 0; gpu->mig && i < gpu->mig->profile_count; i++) {
            const struct pt_mig_profile *one = &gpu->mig->profiles[i], *before = one - 1;
            cr_assert(one->starts && one->sms <= gpu->sms && one->mem_mib <= gpu->mem_mib);
            cr_assert_gt(strlen(one->source), 10);
            cr_assert_eq(pt_mig_find(gpu->mig, one->name), i);
            cr_assert_eq(one->media, strstr(one->name, "+me") != NULL, "%s", one->name);
            char digit = (char)('0' + one->compute);
            cr_assert_eq(one->name[0], digit, "%s", one->name);
            if (i == 0) continue;
            cr_assert(before->compute < one->compute ||
                          (before->compute == one->compute &&
                           (before->size < one->size ||
                            (before->size == one->size && before->media <= one->media))),
                      "%s: %s", gpu->name, one->name);
            cr_assert_leq(before->sms, before->compute < one->compute ? one->sms : UINT32_MAX);
        }
        if (!gpu->mig) continue;
        const struct pt_mig_profile *full = &gpu->mig->profiles[gpu->mig->full];
        cr_assert_eq(full->compute, gpu->mig->compute, "%s", gpu->name);
        cr_assert_eq(full->size, gpu->mig->memory, "%s", gpu->name);
        cr_assert_not(full->media, "%s", gpu->name);
    }
    pt_catalog_free(catalog);
}

#define GPU                                                                                        \
    "gpus:\n- {name: x, family: x, source: s, sms: 10, memory_mib: 100, fp16_tflops: 1,\n"         \
    "   mem_gb_per_s: 1, mig: {geometry: halves, profiles: ["
#define HALVES                                                                                     \
    "mig_geometries:\n- {name: halves, compute: 2, memory: 2, kinds: [\n"                          \
    "   {name: half, compute: 1, slices: 1, starts: 0-1},\n"                                       \
    "   {name: whole, compute: 2, slices: 2, starts: 0}]}\n"
#define WHOLE "{name: 2h, kind: whole, sms: 10, memory_mib: 90}"

Test(catalog_mig, takes_a_table_of_its_own)
{
    struct pt_catalog *catalog = catalog_of(
        HALVES GPU WHOLE ", {name: 1h, kind: half, sms: 5, memory_mib: 45, source: t}]}}\n");
    const struct pt_mig *mig = catalog->gpus[0].mig;
    assert_profile(mig, "1h", 1, 1, 3, 5, 45);
    assert_profile(mig, "2h", 2, 2, 1, 10, 90);
    cr_assert_eq(mig->full, 1);
    cr_assert_str_eq(mig->profiles[0].source, "t");
    cr_assert_str_eq(mig->profiles[1].source, "s");
    pt_catalog_free(catalog);
}

static void assert_refused_as(const char *text, const char *expected)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load_text(&catalog, "c.yaml", text, strlen(text), &messages),
                 PT_ERR_INPUT);
    cr_assert_null(catalog);
    char *said = printed(&messages, false);
    cr_assert_eq(strncmp(said, expected, strlen(expected)), 0, "%s", said);
    free(said);
    pt_messages_fini(&messages);
}

Test(catalog_mig, refuses_a_profile_that_is_wrong)
{
    assert_refused_as(HALVES GPU WHOLE ",\n{name: 1h, kind: hlaf, sms: 5, memory_mib: 45}]}}\n",
                      "c.yaml:8:18: unknown kind of instance 'hlaf' (did you mean 'half'?)\n");
    assert_refused_as(HALVES GPU WHOLE ",\n{name: 1h, kind: half, sms: 11, memory_mib: 45}]}}\n",
                      "c.yaml:8:29: sms: 11, but the GPU has 10\n");
    assert_refused_as(HALVES GPU WHOLE ",\n{name: 1h, kind: half, sms: 5, memory_mib: 101}]}}\n",
                      "c.yaml:8:44: memory_mib: 101, but the GPU has 100\n");
    assert_refused_as(HALVES GPU WHOLE ",\n{name: 2h, kind: half, sms: 5, memory_mib: 45}]}}\n",
                      "c.yaml:8:8: a second MIG profile with the name '2h' (first on line 7)\n");
    assert_refused_as(HALVES GPU WHOLE ",\n{name: 1 h, kind: half, sms: 5, memory_mib: 45}]}}\n",
                      "c.yaml:8:8: name: '1 h' has a blank, comma or colon in it\n");
    assert_refused_as(HALVES GPU "{name: 1h, kind: half, sms: 5, memory_mib: 45}]}}\n",
                      "c.yaml:7:55: no profile is the whole GPU (2 compute and 2 memory slices)\n");
    assert_refused_as(GPU WHOLE "]}}\n", "c.yaml:3:37: unknown MIG geometry 'halves'\n");
}

/* One geometry with a kind of these compute slices, memory slices and starts. */
static void assert_kind_refused(const char *kind, const char *expected)
{
    char text[512];
    snprintf(text, sizeof text,
             "mig_geometries:\n- name: g\n  compute: 2\n  memory: 4\n  kinds:\n"
             "  - {name: k, %s}\n"
             "gpus: [{name: x, family: x, source: s, sms: 1, memory_mib: 1, fp16_tflops: 1, "
             "mem_gb_per_s: 1}]\n",
             kind);
    assert_refused_as(text, expected);
}

Test(catalog_mig, refuses_a_geometry_that_does_not_hold_together)
{
    assert_kind_refused("compute: 3, slices: 1, starts: 0",
                        "c.yaml:6:24: compute: 3 slices, but the GPU has 2\n");
    assert_kind_refused("compute: 1, slices: 5, starts: 0",
                        "c.yaml:6:35: slices: 5, but the GPU has 4\n");
    assert_kind_refused("compute: 1, slices: 2, starts: 0-3",
                        "c.yaml:6:46: starts: 2 memory slices from 3 on, but the last of 4 is 3\n");
    assert_kind_refused("compute: 1, slices: 2, starts: [0, 2, 0]",
                        "c.yaml:6:46: starts: 0 is there twice\n");
    assert_kind_refused("compute: 1, slices: 2, starts: [0, two]",
                        "c.yaml:6:46: starts: '0,two': memory slices like 0-6 or 0,2,4\n");
    assert_kind_refused("compute: 1, slices: 2, starts: 2-0",
                        "c.yaml:6:46: starts: '2-0': memory slices like 0-6 or 0,2,4\n");
    assert_kind_refused("compute: 1, slices: 17, starts: 0",
                        "c.yaml:6:35: slices: '17' is too large: at most 16\n");
}
