#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/experiment/catalog.h"
#include "tests/unit/experiment/support.h"

/* What loading a user's file with this text says; NULL when it is fine. */
static char *load_own(struct pt_catalog **catalog, const char *text)
{
    char path[] = "/tmp/partita-catalog-XXXXXX";
    struct pt_messages messages;
    char *said = NULL;
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(close(file), 0);
    pt_messages_init(&messages);
    enum pt_status status = pt_catalog_load_file(catalog, path, &messages);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(status, messages.error_count > 0 ? PT_ERR_INPUT : PT_OK);
    cr_assert_eq(*catalog == NULL, status != PT_OK);
    if (status != PT_OK) said = printed(&messages, false);
    pt_messages_fini(&messages);
    return said;
}

static struct pt_catalog *own(const char *text)
{
    struct pt_catalog *catalog = NULL;
    char *said = load_own(&catalog, text);
    cr_assert_null(said, "%s", said);
    return catalog;
}

/* The message behind the name of the file is this. */
static void assert_own_refused(const char *text, const char *expected)
{
    struct pt_catalog *catalog = NULL;
    char *said = load_own(&catalog, text);
    cr_assert_not_null(said, "not refused: %s", text);
    const char *behind = strchr(said, ':');
    cr_assert_eq(strncmp(behind + 1, expected, strlen(expected)), 0, "%s", said);
    free(said);
}

Test(catalog_like, overrides_of_a_built_in_gpu_what_is_said)
{
    struct pt_catalog *built_in = NULL,
                      *catalog =
                          own("gpus:\n- name: h100-sxm5-80gb\n  tdp_w: 500\n"
                              "  speed: {against: a100-sxm4-80gb, compute: 2.9, bandwidth: 1.8}\n");
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load(&built_in, &messages), PT_OK);
    cr_assert_eq(catalog->count, built_in->count);
    for (uint32_t i = 0; i < catalog->count; i++)
        cr_assert_str_eq(catalog->gpus[i].name, built_in->gpus[i].name, "the order stays");
    const struct pt_gpu_model *h100 = pt_catalog_find(catalog, "h100-sxm5-80gb");
    const struct pt_gpu_model *a100 = pt_catalog_find(catalog, "a100-sxm4-80gb");
    cr_assert_eq(h100->tdp_w, 500);
    cr_assert_eq(h100->sms, 132);
    cr_assert_str_eq(h100->price_date, "May 2026");
    cr_assert_eq(h100->mig->profile_count, 7);
    cr_assert_eq(h100->speed_against, a100);
    cr_assert_eq(pt_gpu_speed_ratio(h100, a100, PT_CLASS_COMPUTE), 2.9);
    cr_assert_float_eq(pt_gpu_speed_ratio(h100, a100, PT_CLASS_MIXED), sqrt(2.9 * 1.8), 1e-12);
    /* every figure keeps its source; the row's own is its file */
    cr_assert_str_eq(pt_catalog_source(catalog, h100, "mem_gb_per_s"),
                     "NVIDIA H100 datasheet copies of hmc-tech.com, acecloud.ai and "
                     "llmbook.apartsin.com");
    cr_assert_str_eq(pt_catalog_source(catalog, h100, "memory_mib"), "nvidia-smi print");
    cr_assert_eq(strncmp(pt_catalog_source(catalog, h100, "tdp_w"), "/tmp/partita-", 13), 0);
    cr_assert_str_eq(h100->mig->profiles[0].source, "nvidia-smi mig -lgip print of H100 SXM");
    pt_catalog_free(catalog);
    pt_catalog_free(built_in);
    pt_messages_fini(&messages);
}

Test(catalog_like, adds_gpus_that_are_like_others)
{
    struct pt_catalog *catalog =
        own("gpus:\n"
            "- {name: mine, family: mine, source: me, sms: 10, memory_mib: 1000, fp16_tflops: 5,\n"
            "   mem_gb_per_s: 50, price: {low: 1, high: 2, date: today}}\n"
            "- {name: more, like: mine, source: too, sms: {value: 20, source: counted}}\n"
            "- {name: most, like: more}\n"
            "- {name: t4-32gb, like: t4, memory_mib: 32768}\n");
    const struct pt_gpu_model *most = pt_catalog_find(catalog, "most");
    cr_assert_eq(most, &catalog->gpus[catalog->count - 2], "behind those built in");
    cr_assert_str_eq(most->family, "mine");
    cr_assert_eq(most->sms, 20);
    cr_assert_eq(most->mem_mib, 1000);
    cr_assert_eq(most->price_high, 2);
    cr_assert_eq(most->mps_clients, 48);
    cr_assert(isnan(most->tdp_w) && isnan(most->idle_w) && isnan(most->l2_mib));
    cr_assert_null(most->mig);
    cr_assert_str_eq(pt_catalog_source(catalog, most, "sms"), "counted");
    cr_assert_str_eq(pt_catalog_source(catalog, most, "fp16_tflops"), "me");
    const struct pt_gpu_model *t4 = pt_catalog_find(catalog, "t4-32gb");
    cr_assert_str_eq(t4->family, "t4");
    cr_assert_eq(t4->mem_mib, 32768);
    cr_assert_eq(t4->idle_w, 10);
    pt_catalog_free(catalog);
}

Test(catalog_like, gives_new_gpus_the_geometries_that_are_built_in)
{
    struct pt_catalog *catalog =
        own("mig_geometries:\n"
            "- {name: quarters, compute: 4, memory: 4, kinds: [{name: all, compute: 4, slices: 4,\n"
            "   starts: [0]}]}\n"
            "gpus:\n"
            "- {name: a100-64gb, like: a100-sxm4-80gb, mig: {geometry: sevenths, profiles: [\n"
            "   {name: 7g.64gb, kind: 7g, sms: 98, memory_mib: 64000}]}}\n"
            "- {name: a30-b, like: a30, mig: {geometry: quarters, profiles: [\n"
            "   {name: 4g.24gb, kind: all, sms: 56, memory_mib: 24000}]}}\n");
    const struct pt_mig *mig = pt_catalog_find(catalog, "a100-64gb")->mig;
    cr_assert_eq(mig->profile_count, 1);
    cr_assert_eq(mig->memory, 8);
    cr_assert_eq(mig->profiles[0].mem_mib, 64000);
    cr_assert_eq(pt_catalog_find(catalog, "a30-b")->mig->profile_count, 1);
    cr_assert_eq(pt_catalog_find(catalog, "a30")->mig->profile_count, 5, "built in, untouched");
    pt_catalog_free(catalog);
}

Test(catalog_like, refuses_what_it_can_not_follow)
{
    assert_own_refused("gpus: [{name: x, like: h100-sxm5-80bg}]",
                       "1:24: like: 'h100-sxm5-80bg' is no GPU above (did you mean "
                       "'h100-sxm5-80gb'?)\n");
    assert_own_refused("gpus: [{name: x, like: y}, {name: y, like: t4}]",
                       "1:24: like: 'y' is no GPU above");
    assert_own_refused("gpus: [{name: x, like: x}]", "1:24: like: 'x' is no GPU above");
    assert_own_refused("gpus: [{name: x, like: [t4]}]",
                       "1:24: like: the name of one GPU is wanted\n");
    assert_own_refused("gpus: [{name: x, family: x, source: s, fp16_tflops: 1, mem_gb_per_s: 1,\n"
                       "memory_mib: 1}]",
                       "1:8: missing key 'sms' (or say which GPU it is like)\n");
    assert_own_refused("gpus: [{name: t44}]",
                       "1:8: missing keys 'family', 'source', 'sms', 'memory_mib', "
                       "'fp16_tflops', 'mem_gb_per_s' of a new GPU (did you mean 't4'?)\n");
    assert_own_refused("gpus: [{name: t4, tpd_w: 5}]",
                       "1:19: unknown key 'tpd_w' (did you mean 'tdp_w'?)\n");
    assert_own_refused("gpus: [{name: t4, tdp_w: {value: 5, sauce: s}}]",
                       "1:37: unknown key 'sauce' (did you mean 'source'?)\n");
    assert_own_refused("gpus: [{name: t4, price: {low: 2, high: 1, date: x}}]",
                       "1:41: high: less than low\n");
    assert_own_refused("gpus: [{name: t4, sms: 1}, {name: t4, sms: 2}]",
                       "1:35: a second GPU with the name 't4' (first on line 1)\n");
    assert_own_refused("gpus: [{name: t4, sms: 1}]\n---\ngpus: []",
                       "3:1: a second document: a catalogue is one\n");
    assert_own_refused("just words", "1:1: a catalogue must be a map");
    assert_own_refused("gpus: t4", "1:7: 'gpus' must be a list");
    assert_own_refused("gpus: [t4]", "1:8: a GPU must be a map");
    assert_own_refused("gpus: [{name: a30, mig: {geometry: fifths, profiles: [{name: a, kind: a,\n"
                       "sms: 1, memory_mib: 1}]}}]",
                       "1:36: unknown MIG geometry 'fifths'");
}

Test(catalog_like, refuses_speeds_that_lead_nowhere)
{
    assert_own_refused("gpus: [{name: t4, speed: {against: a1, compute: 2}}]",
                       "1:36: against: 'a1' is no known GPU (did you mean 'a10'?)\n");
    assert_own_refused("gpus: [{name: t4, speed: {against: t4, compute: 2}}]",
                       "1:36: against: 't4' is this GPU itself\n");
    assert_own_refused("gpus: [{name: t4, speed: {against: a10, compute: 2}},\n"
                       "{name: a10, speed: {against: a30, compute: 2}}]",
                       "1:36: against: 'a10' has a speed against another GPU itself: name that "
                       "one\n");
    assert_own_refused("gpus: [{name: t4, speed: {against: a10, compute: 0}}]",
                       "1:50: compute: '0' is too small: at least 0.001\n");
}

Test(catalog_like, tells_a_file_that_is_not_there)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_catalog_load_file(&catalog, "/nowhere/c.yaml", &messages), PT_ERR_INPUT);
    cr_assert_null(catalog);
    char *said = printed(&messages, false);
    cr_assert_not_null(strstr(said, "/nowhere/c.yaml: "), "%s", said);
    free(said);
    pt_messages_fini(&messages);
}
