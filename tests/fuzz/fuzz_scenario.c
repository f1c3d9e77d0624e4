/* Scenario files: experiments with expectations, several a file.
 * parses: sim/experiment/scenario.c
 *
 * Beside not crashing: every document gets a verdict, and whatever has not passed says why. Worlds
 * that are small are run to their end, with every invariant checked on the way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/scenario.h"
#include "tests/fuzz/fuzz.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define GPUS_MAX 64
#define JOBS_MAX 64
#define DOCUMENTS_MAX 8

/* A world that a fuzzer can afford to run. One that does not load is run too: it ends at once. */
static bool is_small(const struct pt_yaml *yaml, const struct pt_yaml_node *document)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    pt_messages_init(&messages);
    bool small = true;
    if (pt_config_load_document(&config, yaml, document, true, "/nonesuch", NULL, 0, &messages) ==
        PT_OK)
        small = config->cluster.gpu_count <= GPUS_MAX && config->trace.inline_jobs &&
                config->trace.inline_jobs->job_count <= JOBS_MAX;
    pt_config_free(config);
    pt_messages_fini(&messages);
    return small;
}

static void run_document(struct pt_yaml *yaml, struct pt_yaml_node *document, uint32_t index)
{
    struct pt_scenario scenario;
    pt_scenario_init(&scenario, document, index);
    PROMISE(scenario.name && scenario.name[0]);
    PROMISE(pt_scenario_run(&scenario, yaml, document, "/nonesuch", NULL) == PT_OK);
    PROMISE(pt_verdict_text(scenario.verdict)[0] != '\0');
    PROMISE((scenario.verdict == PT_VERDICT_PASSED) == (scenario.messages.error_count == 0));
    pt_scenario_fini(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pt_yaml yaml;
    struct pt_messages messages;
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    enum pt_status status = pt_yaml_parse(&yaml, "fuzz.yaml", (const char *)data, size, &messages);
    PROMISE((status == PT_OK) == (messages.error_count == 0));
    uint32_t index = 0;
    for (struct pt_yaml_node *document = status == PT_OK ? yaml.first_document : NULL;
         document && index < DOCUMENTS_MAX; document = document->next) {
        index++;
        if (is_small(&yaml, document)) run_document(&yaml, document, index);
    }
    pt_yaml_fini(&yaml);
    pt_messages_fini(&messages);
    return 0;
}
