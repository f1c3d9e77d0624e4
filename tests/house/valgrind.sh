#!/bin/sh
# valgrind.sh COMMAND...: runs a command under Valgrind; exit 98 if Valgrind has an error to report,
# else the command's own exit code.
exec valgrind --quiet --error-exitcode=98 --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect --track-fds=no "$@"
