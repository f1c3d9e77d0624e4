#include "sim/cli/options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"

static const char *const when_words[] = {"auto", "always", "never", NULL};

const struct pt__option pt__common_options[] = {
    {"quiet", 'q', NULL, NULL, false, PT__COMPLETES_NOTHING,
     "on stderr nothing but errors, of scenarios only those that fail"},
    {"verbose", 'v', NULL, NULL, false, PT__COMPLETES_NOTHING,
     "say more: every bad row, every skipped scenario, timings"},
    {"color", 0, "WHEN", when_words, false, PT__COMPLETES_CHOICE,
     "colours: auto (only on a terminal), always or never"},
    {"progress", 0, "WHEN", when_words, false, PT__COMPLETES_CHOICE,
     "progress on stderr: auto (only on a terminal), always or never"},
    {"help", 'h', NULL, NULL, false, PT__COMPLETES_NOTHING, "show this help"},
    {0}};

const struct pt__command *pt__command_find(const struct pt__command *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

bool pt__option_is_letter(const struct pt__option *option)
{
    return option->letter && option->name[0] == option->letter && option->name[1] == '\0';
}

static const struct pt__option *find_in(const struct pt__option *table, const char *name,
                                        size_t length)
{
    for (; table && table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0) return table;
    return NULL;
}

static const struct pt__option *find_long(const struct pt__command *command, const char *name,
                                          size_t length)
{
    const struct pt__option *option = find_in(command->options, name, length);
    return option ? option : find_in(pt__common_options, name, length);
}

static const struct pt__option *find_letter(const struct pt__command *command, char letter)
{
    const struct pt__option *tables[] = {command->options, pt__common_options};
    for (size_t i = 0; i < 2; i++)
        for (const struct pt__option *option = tables[i]; option && option->name; option++)
            if (option->letter == letter) return option;
    return NULL;
}

static enum pt_status unknown_option(const struct pt__command *command, const char *word,
                                     struct pt_error *error)
{
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");
    int shown = (int)(length + (size_t)(name - word));
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, name, length);
    const struct pt__option *tables[] = {command->options, pt__common_options};
    for (size_t i = 0; i < 2; i++)
        for (const struct pt__option *option = tables[i]; option && option->name; option++)
            pt_suggest_offer(&suggestion, option->name);
    if (suggestion.best)
        return pt_fail(error, PT_ERR_INPUT, "unknown option '%.*s' (did you mean '--%s'?)", shown,
                       word, suggestion.best);
    return pt_fail(error, PT_ERR_INPUT, "unknown option '%.*s'", shown, word);
}

static enum pt_status check_choice(const char *what, const char *value, const char *const *choices,
                                   struct pt_error *error)
{
    size_t used = 0;
    char all[256] = "";
    assert(value);
    for (size_t i = 0; choices[i]; i++) {
        if (strcmp(choices[i], value) == 0) return PT_OK;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "",
                                     choices[i]);
    }
    const char *near = pt_suggest(value, strlen(value), choices);
    if (near)
        return pt_fail(error, PT_ERR_INPUT, "unknown %s '%s' (did you mean '%s'?)", what, value,
                       near);
    return pt_fail(error, PT_ERR_INPUT, "unknown %s '%s': it is one of %s", what, value, all);
}

static enum pt_status add_given(struct pt__args *args, const struct pt__option *option,
                                const char *value, struct pt_error *error)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option && option->argument && !option->repeatable)
            return pt_fail(error, PT_ERR_INPUT, "option '--%s' is given twice", option->name);
    if (option->choices) {
        char what[64];
        snprintf(what, sizeof what, "--%s", option->name);
        PT_TRY(check_choice(what, value, option->choices, error));
    }
    args->given[args->given_count++] = (struct pt__given){option, value};
    return PT_OK;
}

/* One option word, at argv[*at]; moves *at on over an argument of its own. */
static enum pt_status read_option(struct pt__args *args, int *at, struct pt_error *error)
{
    const char *word = args->argv[*at];
    const char *value = NULL;
    const struct pt__option *option;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_long(args->command, word + 2, length);
        if (option && pt__option_is_letter(option)) option = NULL;
        if (word[2 + length] == '=') value = word + 2 + length + 1;
    } else {
        option = find_letter(args->command, word[1]);
        if (option && word[2] && !option->argument) option = NULL;
        if (option && word[2]) value = word + 2;
    }
    if (!option) return unknown_option(args->command, word, error);
    if (!option->argument && value)
        return pt_fail(error, PT_ERR_INPUT, "option '--%s' takes no value", option->name);
    if (option->argument && !value) {
        if (*at + 1 >= args->argc)
            return pt_fail(error, PT_ERR_INPUT, "option '--%s' needs a value: %s", option->name,
                           option->argument);
        value = args->argv[++*at];
    }
    return add_given(args, option, value ? value : "", error);
}

static enum pt_status check_operands(const struct pt__args *args, struct pt_error *error)
{
    const struct pt__command *command = args->command;
    if (args->operand_count < command->operand_min)
        return pt_fail(error, PT_ERR_INPUT, "needs an argument: %s", command->operands);
    if (args->operand_count > command->operand_max)
        return pt_fail(error, PT_ERR_INPUT, "unexpected argument '%s'",
                       args->operands[command->operand_max]);
    if (command->operand_words && args->operand_count > 0)
        PT_TRY(check_choice("word", args->operands[0], command->operand_words, error));
    return PT_OK;
}

static bool asks_for_help(int argc, char **argv, int first)
{
    for (int i = first; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

enum pt_status pt__args_parse(struct pt__args *args, const struct pt__command *command,
                              const char *path, int argc, char **argv, int first,
                              struct pt_error *error)
{
    *args = (struct pt__args){.command = command, .path = path, .argc = argc, .argv = argv};
    args->help = asks_for_help(argc, argv, first);
    if (args->help) return PT_OK;
    size_t room = (size_t)argc + 1;
    args->given = calloc(room, sizeof *args->given);
    args->operands = calloc(room, sizeof *args->operands);
    if (!args->given || !args->operands) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    bool options_end = false;
    for (int i = first; i < argc; i++) {
        const char *word = argv[i];
        if (options_end || word[0] != '-' || word[1] == '\0')
            args->operands[args->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else
            PT_TRY(read_option(args, &i, error));
    }
    return check_operands(args, error);
}

void pt__args_fini(struct pt__args *args)
{
    free(args->given);
    free((void *)args->operands);
    args->given = NULL;
    args->operands = NULL;
}

const char *pt__args_value(const struct pt__args *args, const char *name)
{
    /* A name that no table holds is a slip in a command's code, not the user's. */
    assert(find_long(args->command, name, strlen(name)));
    const char *value = NULL;
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, name) == 0) value = args->given[i].value;
    return value;
}

bool pt__args_has(const struct pt__args *args, const char *name)
{
    return pt__args_value(args, name) != NULL;
}

size_t pt__args_values(const struct pt__args *args, const char *name, const char **values)
{
    assert(find_long(args->command, name, strlen(name)));
    size_t count = 0;
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, name) == 0) values[count++] = args->given[i].value;
    return count;
}
