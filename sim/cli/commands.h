/* The commands, one a file, and the table that main dispatches by. */
#ifndef PT_CLI_COMMANDS_H
#define PT_CLI_COMMANDS_H

#include "sim/cli/options.h"

extern const struct pt__command pt__command_run;
extern const struct pt__command pt__command_test;
extern const struct pt__command pt__command_compare;
extern const struct pt__command pt__command_plot;
extern const struct pt__command pt__command_export;
extern const struct pt__command pt__command_list;
extern const struct pt__command pt__command_schema;
extern const struct pt__command pt__command_predict;
extern const struct pt__command pt__command_trace;
extern const struct pt__command pt__command_explain;

/* NULL-terminated, in the order in which they are listed. */
extern const struct pt__command *const pt__commands[];

/* The whole program: argv as main gets it; returns the exit code. */
int pt__main(int argc, char **argv);

#endif
