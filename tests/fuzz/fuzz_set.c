/* Arguments of --set, one a line, on an experiment that has something of everything; behind a first
 * `~` on one that is wrong without them.
 * parses: sim/experiment/set.c
 *
 * Beside not crashing: what is refused is refused with messages that name an argument or a place in
 * the file, and what is accepted gives an experiment that loads again.
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

#define SETS_MAX 8

#define BASE                                                                                       \
    "partita: 1\n"                                                                                 \
    "cluster:\n"                                                                                   \
    "  pools:\n"                                                                                   \
    "  - {name: slice, nodes: 2, gpus_per_node: 2, gpu: l40s, sharing: {mode: time_slice, "        \
    "replicas: 4}}\n"                                                                              \
    "  - {name: whole, nodes: 1, gpus_per_node: 2, gpu: l40s}\n"                                   \
    "nodes: [{name: slice-0, down: [[1, 2]]}]\n"                                                   \
    "trace: {jobs: [{id: a, submit_s: 0, work_s: 1}, {id: b, submit_s: 0, work_s: 1}]}\n"          \
    "policy: fifo\n"                                                                               \
    "tenants: [{name: acme}]\n"

static const char good[] = BASE "sla: {tiers: {gold: {max_slowdown: 2}}}\n";
static const char broken[] = BASE "sla: {tiers: 5}\nmetrics: 5\nretries:\nqueue: [1]\n";

static void check_messages(const struct pt_messages *messages)
{
    PROMISE(messages->error_count > 0);
    for (unsigned i = 0; i < messages->count; i++) {
        const struct pt_error *error = &messages->list[i].error;
        bool names_argument = strncmp(error->file, "--set ", 6) == 0;
        PROMISE(names_argument || (strcmp(error->file, "base.yaml") == 0 && error->line > 0));
        PROMISE(error->message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *sets[SETS_MAX];
    size_t count = 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    bool wrong = text[0] == '~';
    const char *base = wrong ? broken : good;
    for (char *line = text + wrong; line && count < SETS_MAX;) {
        sets[count++] = line;
        line = strchr(line, '\n');
        if (line) *line++ = '\0';
    }
    struct pt_config *config = NULL, *again = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    enum pt_status status =
        pt_config_load_text(&config, "base.yaml", base, strlen(base), NULL, sets, count, &messages);
    if (status == PT_OK) {
        PROMISE(pt_config_load_text(&again, "again.yaml", config->effective_yaml,
                                    strlen(config->effective_yaml), "", NULL, 0,
                                    &messages) == PT_OK);
        PROMISE(strcmp(again->effective_yaml, config->effective_yaml) == 0);
    } else {
        PROMISE(status == PT_ERR_INPUT && config == NULL);
        check_messages(&messages);
    }
    pt_config_free(again);
    pt_config_free(config);
    pt_messages_fini(&messages);
    free(text);
    return 0;
}
