#include "sim/experiment/catalog.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

static struct pt_catalog *load_catalog(void)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_catalog_load(&catalog, &messages);
    char *said = printed(&messages, false);
    cr_assert_eq(status, PT_OK, "%s", said);
    free(said);
    return catalog;
}

Test(catalog, has_what_is_compiled_in)
{
    struct pt_catalog *catalog = load_catalog();
    const char *const names[] = {"a100-sxm4-40gb",
                                 "a100-sxm4-80gb",
                                 "a100-pcie-40gb",
                                 "a100-pcie-80gb",
                                 "a30",
                                 "h100-sxm5-80gb",
                                 "h100-pcie-80gb",
                                 "h100-nvl-94gb",
                                 "gh200-96gb",
                                 "h200-sxm5-141gb",
                                 "b200-180gb",
                                 "gb200-186gb",
                                 "rtx-pro-6000-96gb",
                                 "l40s",
                                 "rtx-a6000",
                                 "v100-16gb",
                                 "v100-32gb",
                                 "p100",
                                 "k80",
                                 "t4",
                                 "a10",
                                 "g2",
                                 "g3"};
    cr_assert_eq(catalog->count, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_not_null(pt_catalog_find(catalog, names[i]), "%s", names[i]);
    const struct pt_gpu_model *h100 = pt_catalog_find(catalog, "h100-sxm5-80gb");
    cr_assert_str_eq(h100->family, "h100");
    cr_assert_eq(h100->sms, 132);
    cr_assert_eq(h100->mem_mib, 81559);
    cr_assert_eq(h100->fp16_tflops, 989.4);
    cr_assert_eq(h100->mem_gb_per_s, 3350);
    cr_assert_eq(h100->l2_mib, 50);
    cr_assert_eq(h100->tdp_w, 700);
    cr_assert_eq(h100->idle_w, 70);
    cr_assert_eq(h100->pcie_gb_per_s, 50.4);
    cr_assert_eq(h100->price_low, 1.99);
    cr_assert_eq(h100->price_high, 5);
    cr_assert_str_eq(h100->price_date, "May 2026");
    cr_assert_eq(h100->mps_clients, 48);
    cr_assert_null(h100->speed_against);
    cr_assert_eq(pt_catalog_find(catalog, "p100")->mps_clients, 16);
    cr_assert_null(pt_catalog_find(catalog, "t4")->price_date);
    cr_assert(isnan(pt_catalog_find(catalog, "t4")->price_low));
    pt_catalog_free(catalog);
}

Test(catalog, says_where_every_figure_comes_from)
{
    struct pt_catalog *catalog = load_catalog();
    for (uint32_t i = 0; i < catalog->count; i++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[i];
        cr_assert_gt(strlen(gpu->source), 10, "%s", gpu->name);
        cr_assert(gpu->sms > 0 && gpu->mem_mib > 0 && gpu->fp16_tflops > 0 &&
                      gpu->mem_gb_per_s > 0 && gpu->l2_mib > 0 && gpu->tdp_w > 0 &&
                      gpu->idle_w > 0 && gpu->idle_w < gpu->tdp_w / 4 && gpu->pcie_gb_per_s > 0,
                  "%s", gpu->name);
        cr_assert_eq(strncmp(gpu->name, gpu->family, strlen(gpu->family)), 0, "%s", gpu->name);
    }
    const struct pt_gpu_model *t4 = pt_catalog_find(catalog, "t4");
    cr_assert_str_eq(t4->source,
                     "memory_mib: nvidia-smi prints; idle_w: PWR cluster simulator "
                     "(Fr4nz83/PWR-plugin-kubernetes); pcie_gb_per_s: half of what PCIe 4.0 was "
                     "measured at (derived); mps_clients: NVIDIA MPS guide; others: NVIDIA T4 "
                     "datasheet");
    cr_assert_str_eq(pt_catalog_source(catalog, t4, "memory_mib"), "nvidia-smi prints");
    cr_assert_str_eq(pt_catalog_source(catalog, t4, "sms"), "NVIDIA T4 datasheet");
    cr_assert_null(pt_catalog_source(catalog, t4, "price"));
    const struct pt_gpu_model *g2 = pt_catalog_find(catalog, "g2");
    cr_assert_not_null(strstr(g2->source, "stand-in for an undisclosed card"));
    cr_assert_not_null(strstr(pt_catalog_source(catalog, g2, "fp16_tflops"), "stand-in"));
    pt_catalog_free(catalog);
}

Test(catalog, knows_models_and_families)
{
    struct pt_catalog *catalog = load_catalog();
    const struct pt_gpu_model *a100 = pt_catalog_find(catalog, "a100-sxm4-40gb");
    cr_assert(pt_catalog_knows(catalog, "h100", 4));
    cr_assert(pt_catalog_knows(catalog, "h100|a100", 4));
    cr_assert(pt_catalog_knows(catalog, "l40s", 4));
    cr_assert_not(pt_catalog_knows(catalog, "h10", 3));
    cr_assert_not(pt_catalog_knows(catalog, "", 0));
    cr_assert(pt_gpu_answers_to(a100, "a100", 4));
    cr_assert(pt_gpu_answers_to(a100, "a100-sxm4-40gb", 14));
    cr_assert_not(pt_gpu_answers_to(a100, "a100-sxm4-80gb", 14));
    cr_assert_null(pt_catalog_find(catalog, "h100"));
    cr_assert_str_eq(pt_catalog_suggest(catalog, "h100-smx5-80gb", 14, false), "h100-sxm5-80gb");
    cr_assert_str_eq(pt_catalog_suggest(catalog, "h20", 3, true), "h200");
    cr_assert_null(pt_catalog_suggest(catalog, "h20", 3, false));
    pt_catalog_free(catalog);
}

static void assert_catalog_refused(const char *text, const char *expected)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load_text(&catalog, "c.yaml", text, strlen(text), &messages),
                 PT_ERR_INPUT);
    cr_assert_null(catalog);
    char *said = printed(&messages, false);
    cr_assert_not_null(strstr(said, expected), "%s", said);
    free(said);
    pt_messages_fini(&messages);
}

Test(catalog, refuses_a_row_that_is_wrong)
{
    assert_catalog_refused("gpus: []", "c.yaml:1:7: 'gpus' has 0 elements: at least 1\n");
    assert_catalog_refused("gpus: [", "c.yaml:2:1: YAML: ");
    assert_catalog_refused("gpus: [{name: x, family: x, source: s, sms: 0, memory_mib: 1,\n"
                           "fp16_tflops: 1, mem_gb_per_s: 1}]",
                           "c.yaml:1:45: value: '0' is too small: at least 1\n");
}

Test(catalog, leaves_an_unknown_tdp_unknown)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    const char *text = "gpus: [{name: x, family: x, source: s, sms: 1, memory_mib: 1,\n"
                       "fp16_tflops: 1, mem_gb_per_s: {value: 1}}]";
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load_text(&catalog, "c", text, strlen(text), &messages), PT_OK);
    cr_assert(isnan(catalog->gpus[0].tdp_w));
    cr_assert_str_eq(catalog->gpus[0].source, "s");
    pt_catalog_free(catalog);
    pt_catalog_free(NULL);
}
