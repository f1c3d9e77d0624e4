/* Writes partita(1) or the bash completion to stdout, from the tables of the commands: run once
 * when the program is built. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/help.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "man") == 0)
        pt__help_man(stdout, pt__commands, PARTITA_VERSION);
    else if (argc == 2 && strcmp(argv[1], "bash") == 0)
        pt__help_completion(stdout, pt__commands);
    else {
        fprintf(stderr, "usage: %s man|bash\n", argv[0]);
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
