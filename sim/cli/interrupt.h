/* Ctrl-C and SIGTERM: the first sets a flag, a second one ends the process at once. */
#ifndef PT_CLI_INTERRUPT_H
#define PT_CLI_INTERRUPT_H

#include <signal.h>

/* Begins to listen; returns the flag, 0 until a signal came. */
const volatile sig_atomic_t *pt__interrupt_listen(void);

#endif
