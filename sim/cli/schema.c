#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/describe.h"
#include "sim/experiment/tables.h"

static const struct {
    const char *name;
    const struct pt_schema *schema;
} schemas[] = {{"experiment", &pt_schema_experiment},
               {"scenario", &pt_schema_scenario},
               {"catalog", &pt_schema_catalog},
               {"gates", &pt_schema_gates}};

static int run(const struct pt__args *args)
{
    struct pt__terminal terminal;
    struct pt_messages messages;
    struct pt_catalog *catalog = NULL;
    pt__terminal_init(&terminal, args);
    pt_messages_init(&messages);
    enum pt_status status = pt_catalog_load(&catalog, &messages);
    pt_messages_print(&messages, stderr, terminal.color_err);
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0] && status == PT_OK; i++)
        if (strcmp(args->operands[0], schemas[i].name) == 0)
            pt_describe_json(stdout, schemas[i].schema, catalog);
    pt_catalog_free(catalog);
    pt_messages_fini(&messages);
    return pt__finish_stdout(&terminal, pt_status_exit_code(status));
}

static const char *const words[] = {"experiment", "scenario", "catalog", "gates", NULL};

static const struct pt__option options[] = {{0}};

const struct pt__command pt__command_schema = {
    .name = "schema",
    .operands = "experiment|scenario|catalog|gates",
    .operand_min = 1,
    .operand_max = 1,
    .operand_words = words,
    .summary = "print the JSON Schema of a file",
    .details = "Every key with its type, unit, range, default and meaning, as JSON Schema (draft "
               "2020-12): editors check files against it while they are written. The same keys are "
               "listed in the manual, partita(1).",
    .options = options,
    .example = "partita schema experiment > experiment.schema.json",
    .example_says = "for an editor's YAML support",
    .run = run};
