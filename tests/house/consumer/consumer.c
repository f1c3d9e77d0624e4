/* What a program of somebody else's needs: compile against the installed headers, link the library.
 * Builds as C17 and as C++17. */
#include <partita/cluster.h>
#include <partita/number.h>
#include <partita/policy.h>
#include <partita/sim.h>
#include <partita/status.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    struct pt_error error;
    enum pt_status status = pt_fail(&error, PT_ERR_INPUT, "seen: %d", 7);
    if (status != PT_ERR_INPUT || strcmp(error.message, "seen: 7") != 0) return 1;
    printf("%s: %s\n", pt_status_name(status), error.message);
    return 0;
}
