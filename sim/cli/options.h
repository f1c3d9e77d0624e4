/* Commands and their options as data: one table drives parsing, --help, the man page and the bash
 * completion, so that none of them can lag behind the others.
 *
 * Invariant: an option or operand that the table doesn't hold is refused, with the nearest known
 * word. Values are checked here as far as a list of choices goes; what they mean is the command's
 * business. Everything points into argv or into constant tables.
 */
#ifndef PT_CLI_OPTIONS_H
#define PT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "partita/status.h"

/* What a shell may fill in. */
enum pt__completes {
    PT__COMPLETES_NOTHING,
    PT__COMPLETES_FILE,
    PT__COMPLETES_CHOICE,
    PT__COMPLETES_ORDER /* the name of a policy */
};

struct pt__option {
    const char *name;           /* without the dashes; NULL ends a table */
    char letter;                /* its short form, 0 = none; the only one if it is the name */
    const char *argument;       /* what it takes, in capitals; NULL = a switch */
    const char *const *choices; /* the only values allowed, NULL-terminated; NULL = any */
    bool repeatable;
    enum pt__completes completes;
    const char *help; /* a phrase or a few sentences, without a final full stop */
};

struct pt__args;

struct pt__command {
    const char *name;                       /* NULL ends a table */
    const struct pt__command *const *inner; /* subcommands, NULL-terminated; NULL = none */
    const char *operands;                   /* as the usage line shows them; NULL = none */
    unsigned operand_min, operand_max;
    const char *const *operand_words;   /* the only first operands allowed; NULL = any (files) */
    const char *named_word;             /* the one of them that names may follow; NULL = none */
    const char *(*names)(size_t index); /* those names, NULL past the end; checked by `run` */
    const char *summary;                /* one line, without a full stop */
    const char *details;                /* paragraphs, a blank line between them */
    const struct pt__option *options;
    const char *example, *example_says;
    /* Returns the process exit code. */
    int (*run)(const struct pt__args *args);
};

/* True for an option that has a letter alone. */
bool pt__option_is_letter(const struct pt__option *option);

/* Options of every command: --quiet, --verbose, --color, --progress, --help. */
extern const struct pt__option pt__common_options[];

struct pt__given {
    const struct pt__option *option;
    const char *value; /* "" for a switch */
};

struct pt__args {
    const struct pt__command *command;
    const char *path; /* how the user calls it: "run", "trace check" */
    size_t given_count, operand_count;
    struct pt__given *given;
    const char **operands;
    int argc; /* the whole command line, for the manifest */
    char **argv;
    bool help;
};

/* Reads argv[first..argc), what follows the command's name (`path`, borrowed). `args` is filled in,
 * and freed by pt__args_fini also after an error. With --help nothing else is checked. Errors:
 * PT_ERR_INPUT, PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__args_parse(struct pt__args *args,
                                            const struct pt__command *command, const char *path,
                                            int argc, char **argv, int first,
                                            struct pt_error *error);
void pt__args_fini(struct pt__args *args);

/* The value of an option of the command's table or the common one ("" for a switch that was
 * given), NULL when it was not given; of several the last. */
const char *pt__args_value(const struct pt__args *args, const char *name);
bool pt__args_has(const struct pt__args *args, const char *name);
/* All values of a repeatable option in order: fills values (room for given_count) and returns how
 * many. */
size_t pt__args_values(const struct pt__args *args, const char *name, const char **values);

/* The command or subcommand of this name in a NULL-terminated list, or NULL. */
const struct pt__command *pt__command_find(const struct pt__command *const *list, const char *name);

#endif
