#include "sim/cli/interrupt.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "partita/status.h"

/* A signal handler can reach nothing but static objects. */
static volatile sig_atomic_t came;
static char doomed[PATH_MAX]; /* "" = no file */

static void note(int number)
{
    (void)number;
    __atomic_store_n(&came, 1, __ATOMIC_RELAXED); /* runs in other threads look at it */
}

static void quit(int number)
{
    (void)number;
    if (doomed[0]) unlink(doomed);
    _exit(pt_status_exit_code(PT_ERR_INTERRUPTED));
}

/* A signal that the caller has ignored, as nohup and background jobs of scripts do, stays so. */
static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action, old;
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

const volatile sig_atomic_t *pt__interrupt_listen(void)
{
    handle(SIGINT, note, (int)SA_RESETHAND);
    handle(SIGTERM, note, (int)SA_RESETHAND);
    return &came;
}

void pt__interrupt_removes(const char *temporary)
{
    size_t length = temporary ? strlen(temporary) : 0;
    doomed[0] = '\0';
    if (length > 0 && length < sizeof doomed) memcpy(doomed, temporary, length + 1);
    handle(SIGINT, quit, 0);
    handle(SIGTERM, quit, 0);
}

void pt__interrupt_keep_writing(void)
{
    handle(SIGPIPE, SIG_IGN, 0);
}
