#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats/summary.h"
#include "models/registry.h"
#include "sim/cli/commands.h"
#include "sim/cli/described.h"
#include "sim/cli/list_catalog.h"
#include "sim/cli/list_models.h"
#include "sim/cli/list_policies.h"
#include "sim/cli/terminal.h"
#include "traces/registry.h"

/* ---- the lists ---- */

static json_t *sources_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; pt_readers[i]; i++) {
        const struct pt_reader_ops *reader = pt_readers[i];
        json_t *one = pt__described_json("source", reader->name, reader->summary, reader->source,
                                         reader->params);
        json_object_set_new(one, "needs_path", json_boolean(reader->needs_path));
        json_object_set_new(one, "columns",
                            reader->columns ? json_string(reader->columns) : json_null());
        json_object_set_new(one, "unmapped",
                            reader->unmapped ? json_string(reader->unmapped) : json_null());
        json_array_append_new(list, one);
    }
    return list;
}

static void print_indented(const char *label, const char *text)
{
    if (!text || !text[0]) return;
    printf("      %s\n", label);
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("        %.*s\n", (int)length, text);
        text += length;
        if (*text) text++;
    }
}

static void sources_text(const struct pt__terminal *terminal)
{
    puts("Sources of jobs (trace: {source: ...})");
    for (size_t i = 0; pt_readers[i]; i++) {
        const struct pt_reader_ops *reader = pt_readers[i];
        pt__described_text(terminal, reader->name, reader->summary, reader->params);
        print_indented("columns:", reader->columns);
        print_indented("not mapped, and defaults taken:", reader->unmapped);
    }
}

static json_t *metrics_json(void)
{
    json_t *list = json_array();
    for (const struct pt_metric_info *info = pt_metric_infos; info->name; info++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", info->name, "unit",
                                              info->unit, "help", info->help));
    return list;
}

static void metrics_text(const struct pt__terminal *terminal)
{
    for (const struct pt_metric_info *info = pt_metric_infos; info->name; info++)
        printf("%s%-26s%s %-6s %s\n", pt__style(terminal->color_out, PT__BOLD), info->name,
               pt__style(terminal->color_out, PT__PLAIN), info->unit, info->help);
}

/* ---- the command ---- */

static const struct {
    const char *what;
    json_t *(*json)(void);
    void (*text)(const struct pt__terminal *terminal);
} lists[] = {{"sources", sources_json, sources_text},
             {"metrics", metrics_json, metrics_text},
             {"models", pt__list_models_json, pt__list_models_text},
             {"profiles", pt__list_profiles_json, pt__list_profiles_text}};

/* What follows the word that says which list. */
static struct pt__names names_of(const struct pt__args *args)
{
    return (struct pt__names){args->operands + 1, args->operand_count - 1};
}

/* Options and operands that the other lists have no use for. */
static int refuse_others(const struct pt__terminal *terminal, const struct pt__args *args)
{
    struct pt_error error = {.status = PT_OK};
    bool policies = strcmp(args->operands[0], "policies") == 0;
    struct pt__names names = names_of(args);
    enum pt_status status = PT_OK;
    if (pt__args_has(args, "gpu"))
        status = pt_fail(&error, PT_ERR_INPUT, "--gpu belongs to list profiles");
    else if (pt__args_has(args, "catalog"))
        status = pt_fail(&error, PT_ERR_INPUT, "--catalog belongs to list gpus and list profiles");
    else if (names.count > 0 && !policies)
        status = pt_fail(&error, PT_ERR_INPUT, "unexpected argument '%.64s'", names.list[0]);
    for (size_t i = 0; policies && status == PT_OK && i < names.count; i++)
        status = pt__list_policies_check(names.list[i], &error);
    return status == PT_OK ? 0 : pt__complain(terminal, &error);
}

static void list_policies(const struct pt__terminal *terminal, const struct pt__args *args,
                          json_t **json)
{
    const struct pt__names names = names_of(args);
    if (json)
        *json = pt__list_policies_json(&names);
    else
        pt__list_policies_text(terminal, &names);
}

static int run(const struct pt__args *args)
{
    struct pt__terminal terminal;
    pt__terminal_init(&terminal, args);
    const char *what = args->operands[0];
    json_t *json = NULL;
    bool wants_json = pt__args_has(args, "json");
    bool of_gpu = strcmp(what, "profiles") == 0 &&
                  (pt__args_has(args, "gpu") || pt__args_has(args, "catalog"));
    bool of_catalog = strcmp(what, "gpus") == 0 || of_gpu;
    if (!of_catalog || args->operand_count > 1) {
        int code = refuse_others(&terminal, args);
        if (code != 0) return code;
    } else {
        int code = pt__list_catalog(&terminal, args, wants_json ? &json : NULL);
        if (code != 0) return code;
    }
    if (strcmp(what, "policies") == 0) list_policies(&terminal, args, wants_json ? &json : NULL);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (of_catalog || strcmp(what, lists[i].what) != 0) continue;
        if (wants_json)
            json = lists[i].json();
        else
            lists[i].text(&terminal);
    }
    if (json) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        fputc('\n', stdout);
        json_decref(json);
    }
    return pt__finish_stdout(&terminal, 0);
}

static const char *const words[] = {"policies", "gpus",   "profiles", "sources",
                                    "metrics",  "models", NULL};

static const struct pt__option options[] = {
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print a JSON array"},
    {"gpu", 0, "NAME", NULL, false, PT__COMPLETES_NOTHING,
     "with profiles: the GPU whose MIG profiles are wanted"},
    {"catalog", 0, "FILE", NULL, false, PT__COMPLETES_FILE,
     "with gpus and profiles: GPUs of your own, as the key catalog of an experiment names them"},
    {0}};

const struct pt__command pt__command_list = {
    .name = "list",
    .operands = "policies|gpus|profiles|sources|metrics|models [NAME...]",
    .operand_min = 1,
    .operand_max = 64,
    .operand_words = words,
    .named_word = "policies",
    .names = pt__list_policies_name,
    .summary = "show what an experiment may name",
    .details =
        "Lists the policies and placements with the names of their parameters (those named, or all "
        "with --verbose, in full: what each parameter means, its default, "
        "the columns of a trace that they read, whether they are work-conserving and where they "
        "come from); the GPU catalogue, the "
        "interference profiles that jobs may name, the MIG profiles of a GPU (profiles --gpu "
        "NAME), "
        "the trace sources with what becomes of their columns, the metrics, or the models: sharing "
        "modes, presets and interference with every parameter, its default and source.\n\n"
        "With --verbose, and with --json, gpus and profiles say where each figure comes from.",
    .options = options,
    .example = "partita list policies fair_share pack",
    .example_says = "shows an order and a placement with their parameters and the defaults",
    .run = run};
