#include "sim/cli/interrupt.h"

#include <string.h>

/* A signal handler can reach nothing but a static object. */
static volatile sig_atomic_t came;

static void note(int number)
{
    (void)number;
    came = 1;
}

const volatile sig_atomic_t *pt__interrupt_listen(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &came;
}
