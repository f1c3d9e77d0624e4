#include "sim/cli/help.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fruits[] = {"apple", "pear", NULL};

static const struct pt__option options[] = {
    {"fruit", 'f', "FRUIT", fruits, true, PT__COMPLETES_CHOICE,
     "which fruit to take, and a text that is long enough to be broken into two lines at least"},
    {"k", 'k', "PATTERN", NULL, false, PT__COMPLETES_NOTHING, "only those"},
    {"a-very-long-option-name", 0, "VALUE", NULL, false, PT__COMPLETES_FILE, "stands alone"},
    {0}};

static const struct pt__command eat = {.name = "eat",
                                       .operands = "FILE",
                                       .summary = "eat fruit",
                                       .details =
                                           "First paragraph.\n\n  kept as it is\n\n.Last one.",
                                       .options = options,
                                       .example = "partita eat -f pear",
                                       .example_says = "eats a pear"};
static const struct pt__command peel = {.name = "peel",
                                        .operands = "apple|pear",
                                        .operand_words = fruits,
                                        .summary = "peel it",
                                        .details = "Peels.",
                                        .example = "partita fruit peel pear",
                                        .example_says = "peels a pear"};
static const char *name_of(size_t index)
{
    return index < 2 ? fruits[index] : NULL;
}

static const struct pt__option cut_options[] = {
    {"policy", 0, "NAME", NULL, false, PT__COMPLETES_ORDER, "how"}, {0}};
static const struct pt__command cut = {.name = "cut",
                                       .operands = "fruit|bread [NAME]",
                                       .operand_words = fruits,
                                       .named_word = "fruit",
                                       .names = name_of,
                                       .summary = "cut it",
                                       .details = "Cuts.",
                                       .options = cut_options,
                                       .example = "partita fruit cut fruit pear",
                                       .example_says = "cuts a pear"};
static const struct pt__command *const inner[] = {&peel, &cut, NULL};
static const struct pt__command fruit = {.name = "fruit",
                                         .inner = inner,
                                         .summary = "handle fruit",
                                         .details = "More.",
                                         .example = "partita fruit peel pear",
                                         .example_says = "peels a pear"};
static const struct pt__command *const commands[] = {&eat, &fruit, NULL};

enum page { PROGRAM, COMMAND, INNER, MAN, COMPLETION };

static char *written(enum page page)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    cr_assert_not_null(stream);
    if (page == PROGRAM) pt__help_program(stream, commands);
    if (page == COMMAND) pt__help_command(stream, "eat", &eat);
    if (page == INNER) pt__help_command(stream, "fruit", &fruit);
    if (page == MAN) pt__help_man(stream, commands, "1.2.3");
    if (page == COMPLETION) pt__help_completion(stream, commands);
    fclose(stream);
    return text;
}

static void holds(enum page page, const char *part)
{
    char *text = written(page);
    cr_expect_not_null(strstr(text, part), "'%s' is not in:\n%s", part, text);
    free(text);
}

Test(help, shows_commands_and_exit_codes)
{
    holds(PROGRAM, "  eat        eat fruit\n");
    holds(PROGRAM, "\n  130  interrupted");
}

Test(help, shows_a_command)
{
    holds(COMMAND, "Usage: partita eat FILE [OPTION]...\n");
    holds(COMMAND, "\n  kept as it is\n");
    holds(COMMAND, "\n  -f, --fruit FRUIT         which fruit to take,");
    holds(COMMAND, "; may be repeated\n");
    holds(COMMAND, "\n  -k PATTERN                only those\n");
    holds(COMMAND, "\n      --a-very-long-option-name VALUE\n                            stands");
    holds(COMMAND, "\n  -q, --quiet ");
    holds(COMMAND, "Example:\n  partita eat -f pear\n      eats a pear\n");
    holds(INNER, "\n  peel       peel it\n");
}

Test(help, breaks_lines)
{
    char *text = written(COMMAND);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(strlen(line), 92, "%s", line);
    free(text);
}

Test(help, makes_a_man_page)
{
    holds(MAN, ".TH PARTITA 1 \"\" \"partita 1.2.3\"");
    holds(MAN, "\n.SS partita fruit peel apple|pear\n");
    holds(MAN, "\n.B \\-f, \\-\\-fruit \\fIFRUIT\\fR\n");
    holds(MAN, "\n.B \\-k \\fIPATTERN\\fR\n");
    holds(MAN, "\n\\&.Last one.\n"); /* a full stop at the head of a line is no macro */
}

Test(help, makes_a_completion)
{
    holds(COMPLETION, "_partita_words \"eat fruit --help --version\"");
    holds(COMPLETION, "--fruit|-f) _partita_words \"apple pear\"; return ;;");
    holds(COMPLETION, "-k) return ;;");
    holds(COMPLETION, " --fruit -k --a-very-long-option-name");
    holds(COMPLETION, "--a-very-long-option-name) _partita_files; return ;;");
    holds(COMPLETION, "\"fruit peel\")");
    holds(COMPLETION, "in *\" fruit \"*) _partita_words \"apple pear\"; return ;; esac\n");
    holds(COMPLETION, "--policy) _partita_words \"fifo");
}
