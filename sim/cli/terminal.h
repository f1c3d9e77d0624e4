/* The user's terminal: colours, and what a command may say where.
 *
 * stdout is for results, stderr for everything else. Plain data, made once in a command from its
 * options.
 */
#ifndef PT_CLI_TERMINAL_H
#define PT_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/cli/options.h"

struct pt__terminal {
    bool quiet, verbose;
    bool color_out, color_err;
    bool progress;
};

/* Reads --quiet, --verbose, --color, --progress, NO_COLOR and whether the streams are terminals. */
void pt__terminal_init(struct pt__terminal *terminal, const struct pt__args *args);

enum pt__style { PT__PLAIN, PT__BOLD, PT__DIM, PT__RED, PT__GREEN, PT__YELLOW, PT__CYAN };
/* The escape sequence that begins a style (PT__PLAIN ends all); "" without colours. */
const char *pt__style(bool color, enum pt__style style);

/* Says an error on stderr as "FILE:LINE:COLUMN: message" or "partita: message", and returns the
 * exit code of its status. */
int pt__complain(const struct pt__terminal *terminal, const struct pt_error *error);

/* Flushes stdout; says so and returns 3 if anything written there was lost, else `code`. */
int pt__finish_stdout(const struct pt__terminal *terminal, int code);

#endif
