/* What signals do. Ctrl-C and SIGTERM end the process at once with the exit code of an interrupted
 * command, until a command that can keep what it has listens: then the first sets a flag and only a
 * second one ends the process.
 */
#ifndef PT_CLI_INTERRUPT_H
#define PT_CLI_INTERRUPT_H

#include <signal.h>

/* Begins to listen; returns the flag, 0 until a signal came. */
const volatile sig_atomic_t *pt__interrupt_listen(void);

/* From now on Ctrl-C and SIGTERM remove the file `temporary` (NULL or too long a name = none) and
 * end the process. */
void pt__interrupt_removes(const char *temporary);
/* A reader of stdout that goes away ends nothing any more: there are files to finish. Writing to
 * stdout fails then as on a full disk. */
void pt__interrupt_keep_writing(void);

#endif
