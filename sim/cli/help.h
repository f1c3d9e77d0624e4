/* What the option tables are turned into: --help, the man page, the bash completion.
 *
 * Pure functions from the tables to a stream; the caller checks the stream.
 */
#ifndef PT_CLI_HELP_H
#define PT_CLI_HELP_H

#include <stdio.h>

#include "sim/cli/options.h"

/* `partita --help`: all commands, the exit codes, where to go on. */
void pt__help_program(FILE *out, const struct pt__command *const *commands);
/* `partita COMMAND --help`; `path` is how the user calls it ("trace check"). */
void pt__help_command(FILE *out, const char *path, const struct pt__command *command);
/* partita(1) in man(7) macros. */
void pt__help_man(FILE *out, const struct pt__command *const *commands, const char *version);
/* A bash completion script. */
void pt__help_completion(FILE *out, const struct pt__command *const *commands);

#endif
