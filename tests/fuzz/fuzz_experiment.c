/* Experiment files.
 * parses: sim/experiment/yaml.c sim/experiment/schema.c sim/experiment/scalar.c
 * parses: sim/experiment/schema_check.c sim/experiment/schema_lists.c sim/experiment/schema_jobs.c
 * parses: sim/experiment/schema_scalars.c sim/experiment/schema_unknown.c
 * parses: sim/experiment/tenants.c sim/experiment/preemption.c sim/experiment/topology.c
 * parses: sim/experiment/config.c sim/experiment/cluster.c sim/experiment/sla.c
 * parses: sim/experiment/source.c sim/experiment/outages.c sim/experiment/profiles.c
 * parses: sim/experiment/interference.c
 *
 * Beside not crashing: what is refused is refused with a message that has a place in the file, and
 * what is accepted says of itself something that is accepted and says the same again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/config.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Files that the experiment names have messages of their own. */
static bool names_files(const uint8_t *data, size_t size)
{
    static const char *const words[] = {"catalog", "table"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t i = 0, length = strlen(words[w]); i + length <= size; i++)
            if (memcmp(data + i, words[w], length) == 0) return true;
    return false;
}

static void check_messages(const struct pt_messages *messages, bool of_files)
{
    PROMISE(messages->error_count > 0 && messages->count > 0);
    for (unsigned i = 0; i < messages->count; i++) {
        const struct pt_message *message = &messages->list[i];
        PROMISE(message->error.status == PT_ERR_INPUT);
        PROMISE(message->error.message[0] != '\0');
        if (of_files && strcmp(message->error.file, "fuzz.yaml") != 0) continue;
        PROMISE(strcmp(message->error.file, "fuzz.yaml") == 0);
        PROMISE(message->error.line > 0 && message->error.column > 0);
    }
}

static void check_again(const char *effective_yaml)
{
    struct pt_config *again = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_config_load_text(&again, "again.yaml", effective_yaml,
                                                strlen(effective_yaml), "", NULL, 0, &messages);
    if (status != PT_OK) pt_messages_print(&messages, stderr, false);
    PROMISE(status == PT_OK);
    PROMISE(strcmp(again->effective_yaml, effective_yaml) == 0);
    pt_config_free(again);
    pt_messages_fini(&messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status = pt_config_load_text(&config, "fuzz.yaml", (const char *)data, size,
                                                NULL, NULL, 0, &messages);
    if (status == PT_OK) {
        PROMISE(messages.error_count == 0);
        check_again(config->effective_yaml);
    } else {
        PROMISE(status == PT_ERR_INPUT && config == NULL);
        check_messages(&messages, names_files(data, size));
    }
    pt_config_free(config);
    pt_messages_fini(&messages);
    return 0;
}
