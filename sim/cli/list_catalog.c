#include "sim/cli/list_catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/experiment/catalog.h"

/* Figures by the names that they have in JSON and in the catalogue's files. */
static const struct {
    const char *name, *key;
} figures[] = {{"sms", "sms"},
               {"mem_mib", "memory_mib"},
               {"fp16_tflops", "fp16_tflops"},
               {"mem_gb_per_s", "mem_gb_per_s"},
               {"l2_mib", "l2_mib"},
               {"tdp_w", "tdp_w"},
               {"idle_w", "idle_w"},
               {"pcie_gb_per_s", "pcie_gb_per_s"},
               {"price", "price"},
               {"mps_clients", "mps_clients"},
               {"mig", "mig"},
               {"speed", "speed"}};

/* ---- JSON ---- */

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *price_json(const struct pt_gpu_model *gpu)
{
    if (!gpu->price_date) return json_null();
    return json_pack("{s:f, s:f, s:s, s:s}", "low", gpu->price_low, "high", gpu->price_high, "date",
                     gpu->price_date, "unit", "US$ per GPU-hour");
}

static json_t *speed_json(const struct pt_gpu_model *gpu)
{
    if (!gpu->speed_against) return json_null();
    json_t *speed = json_pack("{s:s}", "against", gpu->speed_against->name);
    for (int c = 0; c < PT_CLASS_COUNT; c++)
        if (gpu->speed[c] > 0)
            json_object_set_new(speed, pt_speed_class_name((enum pt_speed_class)c),
                                json_real(gpu->speed[c]));
    return speed;
}

static json_t *mig_json(const struct pt_mig *mig)
{
    if (!mig) return json_null();
    json_t *names = json_array();
    for (uint32_t i = 0; i < mig->profile_count; i++)
        json_array_append_new(names, json_string(mig->profiles[i].name));
    return json_pack("{s:i, s:i, s:o}", "compute_slices", (int)mig->compute, "memory_slices",
                     (int)mig->memory, "profiles", names);
}

static json_t *sources_json(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu)
{
    json_t *sources = json_object();
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const char *source = pt_catalog_source(catalog, gpu, figures[i].key);
        if (source) json_object_set_new(sources, figures[i].name, json_string(source));
    }
    return sources;
}

static json_t *gpu_json(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:s, "
                     "s:o}",
                     "name", gpu->name, "family", gpu->family, "sms", (json_int_t)gpu->sms,
                     "mem_mib", (json_int_t)gpu->mem_mib, "fp16_tflops", gpu->fp16_tflops,
                     "mem_gb_per_s", gpu->mem_gb_per_s, "l2_mib", number_json(gpu->l2_mib), "tdp_w",
                     number_json(gpu->tdp_w), "idle_w", number_json(gpu->idle_w), "pcie_gb_per_s",
                     number_json(gpu->pcie_gb_per_s), "price", price_json(gpu), "mps_clients",
                     (json_int_t)gpu->mps_clients, "mig", mig_json(gpu->mig), "speed",
                     speed_json(gpu), "source", gpu->source, "sources", sources_json(catalog, gpu));
}

static json_t *gpus_json(const struct pt_catalog *catalog)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < catalog->count; i++)
        json_array_append_new(list, gpu_json(catalog, &catalog->gpus[i]));
    return list;
}

static json_t *profiles_json(const struct pt_gpu_model *gpu)
{
    json_t *list = json_array();
    for (uint32_t i = 0; gpu->mig && i < gpu->mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &gpu->mig->profiles[i];
        json_t *starts = json_array();
        for (int start = 0; start < PT_MIG_SLICES_MAX; start++)
            if (profile->starts >> start & 1) json_array_append_new(starts, json_integer(start));
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:o, s:I, s:b, s:s}", "gpu", gpu->name,
                            "name", profile->name, "compute_slices", (int)profile->compute,
                            "memory_slices", (int)profile->size, "sms", (json_int_t)profile->sms,
                            "mem_mib", (json_int_t)profile->mem_mib, "starts", starts,
                            "max_instances", (json_int_t)pt_mig_most(gpu->mig, i), "media",
                            profile->media, "source", profile->source));
    }
    return list;
}

/* ---- text ---- */

#define DOUBTFUL "? uncertain, assumed or derived: --verbose tells where each figure comes from."

/* What stands behind a figure that no datasheet, print or measurement gives. */
static char doubt(const char *source)
{
    static const char *const words[] = {"uncertain", "assumed", "derived", "stand-in"};
    for (size_t i = 0; source && i < sizeof words / sizeof *words; i++)
        if (strstr(source, words[i])) return '?';
    return ' ';
}

static void print_figure(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu,
                         const char *key, double value, int width)
{
    if (isfinite(value))
        printf(" %*.7g%c", width - 1, value, doubt(pt_catalog_source(catalog, gpu, key)));
    else
        printf(" %*s", width, "- ");
}

static void print_sources(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const char *source = pt_catalog_source(catalog, gpu, figures[i].key);
        if (source) printf("    %-13s %s\n", figures[i].key, source);
    }
}

/* Families of more than one GPU: a job may ask for them instead of a model. */
static void print_families(const struct pt_catalog *catalog)
{
    bool any = false;
    for (uint32_t i = 0; i < catalog->count; i++) {
        const char *family = catalog->gpus[i].family;
        uint32_t first = 0, members = 0;
        while (strcmp(catalog->gpus[first].family, family) != 0)
            first++;
        for (uint32_t k = first; k < catalog->count; k++)
            members += strcmp(catalog->gpus[k].family, family) == 0;
        if (first != i || members < 2) continue;
        printf("%s%s", any ? ", " : "\nFamilies that a job's gpu_type may name too: ", family);
        any = true;
    }
    if (any) putchar('\n');
}

static void gpus_text(const struct pt__terminal *terminal, const struct pt_catalog *catalog)
{
    printf("%s%-17s %5s %11s %9s %7s %7s %7s  MIG  US$ per GPU-hour%s\n",
           pt__style(terminal->color_out, PT__BOLD), "GPU", "SMs ", "memory MiB ", "TFLOP/s ",
           "GB/s ", "TDP W ", "idle W ", pt__style(terminal->color_out, PT__PLAIN));
    for (uint32_t i = 0; i < catalog->count; i++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[i];
        printf("%-17s", gpu->name);
        print_figure(catalog, gpu, "sms", gpu->sms, 5);
        print_figure(catalog, gpu, "memory_mib", gpu->mem_mib, 11);
        print_figure(catalog, gpu, "fp16_tflops", gpu->fp16_tflops, 9);
        print_figure(catalog, gpu, "mem_gb_per_s", gpu->mem_gb_per_s, 7);
        print_figure(catalog, gpu, "tdp_w", gpu->tdp_w, 7);
        print_figure(catalog, gpu, "idle_w", gpu->idle_w, 7);
        printf("  %-3s  ", gpu->mig ? "yes" : "no");
        if (gpu->price_date)
            printf("%.2f-%.2f (%s)\n", gpu->price_low, gpu->price_high, gpu->price_date);
        else
            puts("-");
        if (terminal->verbose) print_sources(catalog, gpu);
    }
    print_families(catalog);
    puts(DOUBTFUL);
}

static void print_starts(unsigned starts)
{
    const char *gap = "";
    for (int start = 0; start < PT_MIG_SLICES_MAX; start++) {
        if (!(starts >> start & 1)) continue;
        printf("%s%d", gap, start);
        gap = " ";
    }
    putchar('\n');
}

static void say_no_mig(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu)
{
    const char *gap = "";
    printf("%s has no MIG. GPUs that have it: ", gpu->name);
    for (uint32_t i = 0; i < catalog->count; i++) {
        if (!catalog->gpus[i].mig) continue;
        printf("%s%s", gap, catalog->gpus[i].name);
        gap = ", ";
    }
    putchar('\n');
}

static void profiles_text(const struct pt__terminal *terminal, const struct pt_catalog *catalog,
                          const struct pt_gpu_model *gpu)
{
    const struct pt_mig *mig = gpu->mig;
    if (!mig) {
        say_no_mig(catalog, gpu);
        return;
    }
    printf("MIG profiles of %s: %u compute slices, %u memory slices\n\n", gpu->name,
           (unsigned)mig->compute, (unsigned)mig->memory);
    printf("%s%-16s %7s %6s %5s %11s %7s  %s%s\n", pt__style(terminal->color_out, PT__BOLD),
           "profile", "compute", "memory", "SMs ", "memory MiB ", "at most",
           "starts at memory slice", pt__style(terminal->color_out, PT__PLAIN));
    for (uint32_t i = 0; i < mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &mig->profiles[i];
        char mark = doubt(profile->source);
        printf("%-16s %7u %6u %4u%c %10u%c %7u  ", profile->name, (unsigned)profile->compute,
               (unsigned)profile->size, (unsigned)profile->sms, mark, (unsigned)profile->mem_mib,
               mark, (unsigned)pt_mig_most(mig, i));
        print_starts(profile->starts);
        if (terminal->verbose) printf("    %s\n", profile->source);
    }
    puts("\nInstances may stand side by side where their memory slices don't overlap, their "
         "compute\n"
         "slices are no more than the GPU's, and at most one of them has media engines "
         "(+me).\n" DOUBTFUL);
}

/* ---- the command ---- */

static enum pt_status load(struct pt_catalog **catalog, const char *own,
                           const struct pt__terminal *terminal)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status =
        own ? pt_catalog_load_file(catalog, own, &messages) : pt_catalog_load(catalog, &messages);
    pt_messages_print(&messages, stderr, terminal->color_err);
    pt_messages_fini(&messages);
    return status;
}

static enum pt_status show_profiles(const struct pt__terminal *terminal,
                                    const struct pt_catalog *catalog, const char *name,
                                    json_t **json, struct pt_error *error)
{
    struct pt_error reason;
    if (pt_catalog_check_name(catalog, name, &reason) != PT_OK)
        return pt_fail(error, PT_ERR_INPUT, "--gpu %.64s: %s", name, reason.message);
    const struct pt_gpu_model *gpu = pt_catalog_find(catalog, name);
    if (json)
        *json = profiles_json(gpu);
    else
        profiles_text(terminal, catalog, gpu);
    return PT_OK;
}

int pt__list_catalog(const struct pt__terminal *terminal, const struct pt__args *args,
                     json_t **json)
{
    struct pt_catalog *catalog = NULL;
    struct pt_error error = {.status = PT_OK};
    const char *name = pt__args_value(args, "gpu");
    bool profiles = strcmp(args->operands[0], "profiles") == 0;
    enum pt_status status = load(&catalog, pt__args_value(args, "catalog"), terminal);
    if (status != PT_OK) return pt_status_exit_code(status);
    if (profiles && name)
        status = show_profiles(terminal, catalog, name, json, &error);
    else if (profiles)
        status = pt_fail(&error, PT_ERR_INPUT, "list profiles: --gpu NAME is missing: whose?");
    else if (name)
        status = pt_fail(&error, PT_ERR_INPUT, "--gpu belongs to list profiles");
    else if (json)
        *json = gpus_json(catalog);
    else
        gpus_text(terminal, catalog);
    pt_catalog_free(catalog);
    return status == PT_OK ? 0 : pt__complain(terminal, &error);
}
