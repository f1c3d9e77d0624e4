#include "sim/cli/help.h"

#include <string.h>

#include "policies/registry.h"
#include "sim/cli/wrap.h"

enum { WIDTH = 92, OPTION_COLUMN = 28 };

struct exit_code {
    int code;
    const char *meaning;
};

static const struct exit_code exit_codes[] = {
    {0, "done"},
    {1, "done, but an expectation does not hold, or a condition of --fail-on does"},
    {2, "the input is wrong: unknown option, bad YAML, bad trace row, missing file. Nothing was "
        "run, nothing was overwritten"},
    {3, "the machine failed us: disk full, out of memory. An old result is untouched"},
    {4, "the simulated world can't go on: jobs are left that nothing can ever start, or a policy "
        "broke a rule"},
    {130, "interrupted by Ctrl-C or SIGTERM: what is finished is kept in FILE.partial.h5"}};

enum { EXIT_CODES = sizeof exit_codes / sizeof exit_codes[0] };

/* Paragraphs parted by a blank line; a line that begins with a blank is kept as it is. */
static void paragraphs(FILE *out, const char *text)
{
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        if (length >= sizeof line) length = sizeof line - 1;
        memcpy(line, text, length);
        line[length] = '\0';
        if (line[0] == ' ' || line[0] == '\0')
            fprintf(out, "%s\n", line);
        else
            pt__wrap(out, line, 0, 0, WIDTH);
        text += length;
        if (*text == '\n') text++;
    }
}

static void option_line(FILE *out, const struct pt__option *option)
{
    int at = pt__option_is_letter(option) ? fprintf(out, "  -%c", option->letter)
             : option->letter ? fprintf(out, "  -%c, --%s", option->letter, option->name)
                              : fprintf(out, "      --%s", option->name);
    if (option->argument) at += fprintf(out, " %s", option->argument);
    if (at + 2 > OPTION_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", OPTION_COLUMN - at, "");
    char text[1024];
    snprintf(text, sizeof text, "%s%s", option->help,
             option->repeatable ? "; may be repeated" : "");
    /* pt__wrap puts a blank before what isn't first on its line: start it as if at the indent. */
    pt__wrap(out, text, OPTION_COLUMN, OPTION_COLUMN, WIDTH);
}

static void option_lines(FILE *out, const struct pt__option *table)
{
    for (; table && table->name; table++)
        option_line(out, table);
}

static void usage_line(FILE *out, const char *path, const struct pt__command *command)
{
    fprintf(out, "partita %s", path);
    if (command->inner) {
        fputs(" COMMAND ...\n", out);
        return;
    }
    if (command->operands) fprintf(out, " %s", command->operands);
    fputs(" [OPTION]...\n", out);
}

void pt__help_program(FILE *out, const struct pt__command *const *commands)
{
    fputs("Usage: partita COMMAND [ARGUMENT]... [OPTION]...\n\n"
          "Replays job traces on modelled GPU clusters under a scheduling policy, and reports job\n"
          "completion times and whether promises were kept.\n\nCommands:\n",
          out);
    for (; *commands; commands++)
        fprintf(out, "  %-10s %s\n", (*commands)->name, (*commands)->summary);
    fputs("\nOptions of every command:\n", out);
    option_lines(out, pt__common_options);
    fputs("      --version             show the version, of partita alone\n\nExit codes:\n", out);
    for (int i = 0; i < EXIT_CODES; i++) {
        int at = fprintf(out, "  %3d  ", exit_codes[i].code);
        pt__wrap(out, exit_codes[i].meaning, at, at, WIDTH);
    }
    fputs("\nExample:\n  partita run experiment.yaml\n"
          "\n'partita COMMAND --help' says more about a command.\n",
          out);
}

void pt__help_command(FILE *out, const char *path, const struct pt__command *command)
{
    fputs("Usage: ", out);
    usage_line(out, path, command);
    fputc('\n', out);
    paragraphs(out, command->details);
    if (command->inner) {
        fputs("\nCommands:\n", out);
        for (const struct pt__command *const *inner = command->inner; *inner; inner++)
            fprintf(out, "  %-10s %s\n", (*inner)->name, (*inner)->summary);
    }
    if (command->options && command->options->name) {
        fputs("\nOptions:\n", out);
        option_lines(out, command->options);
    }
    fputs("\nOptions of every command:\n", out);
    option_lines(out, pt__common_options);
    fprintf(out, "\nExample:\n  %s\n      ", command->example);
    pt__wrap(out, command->example_says, 6, 6, WIDTH);
}

/* ---- man page --------------------------------------------------------------------------- */

/* roff text: backslashes, minus signs, and a full stop or quote at the head of a line. */
static void roff(FILE *out, const char *text)
{
    bool head = true;
    for (; *text; text++) {
        if (head && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        head = *text == '\n';
    }
}

static void man_paragraphs(FILE *out, const char *text)
{
    bool literal = false;
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        if (length >= sizeof line) length = sizeof line - 1;
        memcpy(line, text, length);
        line[length] = '\0';
        bool indented = line[0] == ' ';
        if (indented != literal) fputs(indented ? ".PP\n.nf\n" : ".fi\n", out);
        literal = indented;
        if (line[0] == '\0')
            fputs(".PP\n", out);
        else {
            roff(out, line);
            fputc('\n', out);
        }
        text += length;
        if (*text == '\n') text++;
    }
    if (literal) fputs(".fi\n", out);
}

static void man_options(FILE *out, const struct pt__option *table)
{
    for (; table && table->name; table++) {
        fputs(".TP\n.B ", out);
        if (table->letter) fprintf(out, "\\-%c", table->letter);
        if (!pt__option_is_letter(table)) {
            fputs(table->letter ? ", \\-\\-" : "\\-\\-", out);
            roff(out, table->name);
        }
        if (table->argument) {
            fputs(" \\fI", out);
            roff(out, table->argument);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        roff(out, table->help);
        fputs(table->repeatable ? "; may be repeated.\n" : ".\n", out);
    }
}

static void man_command(FILE *out, const char *path, const struct pt__command *command)
{
    if (command->inner) {
        for (const struct pt__command *const *inner = command->inner; *inner; inner++) {
            char longer[64];
            snprintf(longer, sizeof longer, "%s %s", path, (*inner)->name);
            man_command(out, longer, *inner);
        }
        return;
    }
    fputs(".SS partita ", out);
    roff(out, path);
    if (command->operands) {
        fputc(' ', out);
        roff(out, command->operands);
    }
    fputc('\n', out);
    man_paragraphs(out, command->details);
    man_options(out, command->options);
    fputs(".PP\nExample:\n.PP\n.RS 4\n.nf\n", out);
    roff(out, command->example);
    fputs("\n.fi\n.RE\n.PP\n", out);
    roff(out, command->example_says);
    fputs("\n", out);
}

void pt__help_man(FILE *out, const struct pt__command *const *commands, const char *version)
{
    fprintf(out, ".TH PARTITA 1 \"\" \"partita %s\" \"User Commands\"\n", version);
    fputs(".SH NAME\npartita \\- simulate GPU\\-sharing scheduling policies on job traces\n"
          ".SH SYNOPSIS\n.B partita\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n"
          ".SH DESCRIPTION\nA discrete\\-event simulator. It replays job traces on modelled GPU "
          "clusters under interchangeable scheduling policies and reports job completion times "
          "and whether promises (SLAs) were kept.\n.SH COMMANDS\n",
          out);
    for (; *commands; commands++)
        man_command(out, (*commands)->name, *commands);
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    man_options(out, pt__common_options);
    fputs(".TP\n.B \\-\\-version\nshow the version, of partita alone.\n.SH EXIT STATUS\n", out);
    for (int i = 0; i < EXIT_CODES; i++) {
        fprintf(out, ".TP\n.B %d\n", exit_codes[i].code);
        roff(out, exit_codes[i].meaning);
        fputs(".\n", out);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset to anything but nothing: no colours unless "
          "\\-\\-color asks for them.\n",
          out);
}

/* ---- bash completion -------------------------------------------------------------------- */

static void words_of(FILE *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

static void option_words(FILE *out, const struct pt__option *table)
{
    for (; table && table->name; table++)
        fprintf(out, pt__option_is_letter(table) ? " -%s" : " --%s", table->name);
}

/* The lines of `case $previous` for options that take a value. */
static void value_cases(FILE *out, const struct pt__option *table)
{
    for (; table && table->name; table++) {
        if (!table->argument) continue;
        fputs("            ", out);
        if (!pt__option_is_letter(table)) fprintf(out, "--%s", table->name);
        if (table->letter)
            fprintf(out, "%s-%c", pt__option_is_letter(table) ? "" : "|", table->letter);
        fputs(") ", out);
        if (table->completes == PT__COMPLETES_CHOICE) {
            fputs("_partita_words \"", out);
            words_of(out, table->choices);
            fputs("\"; return ;;\n", out);
        } else if (table->completes == PT__COMPLETES_ORDER) {
            fputs("_partita_words \"", out);
            for (size_t i = 0; pt_policies[i]; i++)
                fprintf(out, "%s%s", i ? " " : "", pt_policies[i]->name);
            fputs("\"; return ;;\n", out);
        } else if (table->completes == PT__COMPLETES_FILE) {
            fputs("_partita_files; return ;;\n", out);
        } else {
            fputs("return ;;\n", out);
        }
    }
}

static void completion_command(FILE *out, const char *path, const struct pt__command *command)
{
    if (command->inner) {
        fprintf(out, "        \"%s\") _partita_words \"", path);
        for (const struct pt__command *const *inner = command->inner; *inner; inner++)
            fprintf(out, "%s ", (*inner)->name);
        fputs("--help\"; return ;;\n", out);
        for (const struct pt__command *const *inner = command->inner; *inner; inner++) {
            char longer[64];
            snprintf(longer, sizeof longer, "%s %s", path, (*inner)->name);
            completion_command(out, longer, *inner);
        }
        return;
    }
    fprintf(out, "        \"%s\")\n            case \"$previous\" in\n", path);
    value_cases(out, command->options);
    fputs("            esac\n            case \"$current\" in -*) _partita_words \"", out);
    option_words(out, command->options);
    fputs(" $common\"; return ;; esac\n            ", out);
    if (command->named_word) {
        fprintf(out, "case \" ${COMP_WORDS[*]:1:COMP_CWORD-1} \" in *\" %s \"*) _partita_words \"",
                command->named_word);
        for (size_t i = 0; command->names(i); i++)
            fprintf(out, "%s%s", i ? " " : "", command->names(i));
        fputs("\"; return ;; esac\n            ", out);
    }
    if (command->operand_words) {
        fputs("_partita_words \"", out);
        words_of(out, command->operand_words);
        fputs("\" ;;\n", out);
    } else {
        fputs("_partita_files ;;\n", out);
    }
}

void pt__help_completion(FILE *out, const struct pt__command *const *commands)
{
    fputs("# bash completion for partita, made from its option tables\n\n"
          "_partita_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$current\")); }\n"
          "_partita_files() { compopt -o filenames 2>/dev/null; "
          "COMPREPLY=($(compgen -f -- \"$current\")); }\n\n"
          "_partita() {\n"
          "    local current=\"${COMP_WORDS[COMP_CWORD]}\" "
          "previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
          "    local command=\"${COMP_WORDS[1]}\" common=\"",
          out);
    option_words(out, pt__common_options);
    fputs("\"\n    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        _partita_words \"",
          out);
    for (const struct pt__command *const *c = commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version\"\n        return\n    fi\n    case \"$command\" in\n", out);
    for (const struct pt__command *const *c = commands; *c; c++)
        if ((*c)->inner)
            fprintf(out,
                    "        %s) [ \"$COMP_CWORD\" -gt 2 ] && command=\"%s ${COMP_WORDS[2]}\" ;;\n",
                    (*c)->name, (*c)->name);
    fputs("    esac\n    case \"$previous\" in\n", out);
    value_cases(out, pt__common_options);
    fputs("    esac\n    case \"$command\" in\n", out);
    for (; *commands; commands++)
        completion_command(out, (*commands)->name, *commands);
    fputs("    esac\n}\ncomplete -F _partita partita\n", out);
}
