#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/describe.h"
#include "sim/experiment/tables.h"

static const struct {
    const char *name;
    const struct pt_schema *schema;
} schemas[] = {{"experiment", &pt_schema_experiment}, {"scenario", &pt_schema_scenario}};

static int run(const struct pt__args *args)
{
    struct pt__terminal terminal;
    pt__terminal_init(&terminal, args);
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++)
        if (strcmp(args->operands[0], schemas[i].name) == 0)
            pt_describe_json(stdout, schemas[i].schema);
    return pt__finish_stdout(&terminal, 0);
}

static const char *const words[] = {"experiment", "scenario", NULL};

static const struct pt__option options[] = {{0}};

const struct pt__command pt__command_schema = {
    .name = "schema",
    .operands = "experiment|scenario",
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
