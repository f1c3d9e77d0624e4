/* Catalogues of GPUs.
 * parses: sim/experiment/catalog.c sim/experiment/catalog_like.c sim/experiment/catalog_mig.c
 *
 * Beside not crashing: what is refused is refused with a message that has a place in the file, and
 * of what is accepted every GPU has figures to reckon with and a MIG table that holds together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/experiment/catalog.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_messages(const struct pt_messages *messages)
{
    PROMISE(messages->error_count > 0 && messages->count > 0);
    for (unsigned i = 0; i < messages->count; i++) {
        const struct pt_message *message = &messages->list[i];
        PROMISE(message->error.status == PT_ERR_INPUT);
        PROMISE(message->error.message[0] != '\0');
        PROMISE(strcmp(message->error.file, "fuzz.yaml") == 0);
        PROMISE(message->error.line > 0 && message->error.column > 0);
    }
}

static void check_mig(const struct pt_mig *mig)
{
    PROMISE(mig->profile_count > 0 && mig->profile_count <= PT_MIG_PROFILES_MAX);
    PROMISE(mig->memory <= PT_MIG_SLICES_MAX && mig->full < mig->profile_count);
    for (uint32_t i = 0; i < mig->profile_count; i++) {
        const struct pt_mig_profile *profile = &mig->profiles[i];
        PROMISE(profile->compute > 0 && profile->compute <= mig->compute);
        PROMISE(profile->size > 0 && profile->size <= mig->memory && profile->starts);
        for (unsigned start = 0; start < PT_MIG_SLICES_MAX; start++)
            PROMISE(!(profile->starts >> start & 1) || start + profile->size <= mig->memory);
        PROMISE(pt_mig_find(mig, profile->name) == i && pt_mig_most(mig, i) > 0);
        PROMISE(profile->source);
    }
}

/* What an experiment may write for the GPU: its name, its family where several go by it, a slip. */
static void check_words(const struct pt_catalog *catalog, const struct pt_gpu_model *gpu)
{
    struct pt_error error;
    const char *name = gpu->name, *family = gpu->family;
    PROMISE(pt_catalog_check_name(catalog, name, &error) == PT_OK);
    PROMISE(pt_catalog_knows(catalog, name, strlen(name)));
    PROMISE(pt_catalog_knows(catalog, family, strlen(family)));
    bool has_neighbours = strlen(name) <= PT_SUGGEST_MAX;
    PROMISE((pt_catalog_suggest(catalog, name, strlen(name), true) != NULL) == has_neighbours);
    PROMISE(pt_catalog_source(catalog, gpu, "sms") != NULL);
    PROMISE(pt_catalog_source(catalog, gpu, "no such figure") == NULL);
    if (pt_catalog_find(catalog, family) == NULL)
        PROMISE(pt_catalog_check_name(catalog, family, &error) == PT_ERR_INPUT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pt_catalog *catalog = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status =
        pt_catalog_load_text(&catalog, "fuzz.yaml", (const char *)data, size, &messages);
    if (status != PT_OK) {
        PROMISE(status == PT_ERR_INPUT && !catalog);
        check_messages(&messages);
    }
    for (uint32_t i = 0; catalog && i < catalog->count; i++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[i];
        PROMISE(gpu->sms > 0 && gpu->mem_mib > 0 && gpu->source);
        PROMISE(gpu->fp16_tflops > 0 && gpu->mem_gb_per_s > 0);
        PROMISE(pt_catalog_find(catalog, gpu->name) == gpu);
        check_words(catalog, gpu);
        if (gpu->mig) check_mig(gpu->mig);
        for (int c = 0; c < PT_CLASS_COUNT; c++)
            PROMISE(pt_gpu_speed_ratio(gpu, catalog->gpus, (enum pt_speed_class)c) > 0);
    }
    pt_catalog_free(catalog);
    pt_messages_fini(&messages);
    return 0;
}
