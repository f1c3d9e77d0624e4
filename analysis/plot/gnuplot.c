/* gnuplot as a child process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/plot/figure.h"

enum { SAID_MAX = 600 };

/* In the child: what is said goes into the pipe; 127 = there is no gnuplot. */
static void become_gnuplot(const char *directory, const char *script, int out)
{
    int null = open("/dev/null", O_RDONLY);
    if (chdir(directory) != 0 || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(out, 2) < 0)
        _exit(126);
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Keeps the beginning of what is said, and reads all of it. */
static void listen(char said[SAID_MAX], int in)
{
    size_t used = 0;
    char buffer[4096];
    ssize_t got;
    while ((got = read(in, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got && used + 1 < SAID_MAX; i++) {
            bool blank = buffer[i] == '\n' || buffer[i] == '\t' || buffer[i] == ' ';
            if (!blank)
                said[used++] = buffer[i];
            else if (used > 0 && said[used - 1] != ' ')
                said[used++] = ' ';
        }
    said[used] = '\0';
}

enum pt_status pt__gnuplot(const char *directory, const char *script, struct pt_error *error)
{
    char said[SAID_MAX];
    int ends[2], state = 0;
    if (pipe(ends) != 0)
        return pt_fail(error, PT_ERR_IO, "gnuplot can't be run: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) become_gnuplot(directory, script, ends[1]);
    int why = errno;
    close(ends[1]);
    if (child > 0) listen(said, ends[0]);
    close(ends[0]);
    if (child < 0) return pt_fail(error, PT_ERR_IO, "gnuplot can't be run: %s", strerror(why));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return PT_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return pt_fail(error, PT_ERR_IO,
                       "gnuplot is not installed: the numbers and the script are kept");
    return pt_fail(error, PT_ERR_IO, "gnuplot failed: %s", said[0] ? said : "it said nothing");
}
