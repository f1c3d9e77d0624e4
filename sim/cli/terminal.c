#include "sim/cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wanted(const char *when, bool automatic)
{
    if (when && strcmp(when, "always") == 0) return true;
    if (when && strcmp(when, "never") == 0) return false;
    return automatic;
}

void pt__terminal_init(struct pt__terminal *terminal, const struct pt__args *args)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool plain = (no_color && no_color[0]) || (term && strcmp(term, "dumb") == 0);
    const char *color = pt__args_value(args, "color");
    terminal->quiet = pt__args_has(args, "quiet");
    terminal->verbose = pt__args_has(args, "verbose");
    terminal->color_out = wanted(color, !plain && isatty(STDOUT_FILENO));
    terminal->color_err = wanted(color, !plain && isatty(STDERR_FILENO));
    terminal->progress =
        wanted(pt__args_value(args, "progress"), !terminal->quiet && isatty(STDERR_FILENO));
}

const char *pt__style(bool color, enum pt__style style)
{
    static const char *const sequences[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                            "\033[32m", "\033[33m", "\033[36m"};
    return color ? sequences[style] : "";
}

/* Files and arguments are quoted in messages: what they hold must not steer the terminal. */
static void say(const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stderr);
}

int pt__complain(const struct pt__terminal *terminal, const struct pt_error *error)
{
    bool color = terminal->color_err;
    fputs(pt__style(color, PT__BOLD), stderr);
    say(error->file[0] ? error->file : "partita");
    if (error->file[0] && error->line > 0) fprintf(stderr, ":%u", error->line);
    if (error->file[0] && error->line > 0 && error->column > 0)
        fprintf(stderr, ":%u", error->column);
    fprintf(stderr, ": %s", pt__style(color, PT__PLAIN));
    say(error->message);
    fputc('\n', stderr);
    return pt_status_exit_code(error->status);
}

int pt__finish_stdout(const struct pt__terminal *terminal, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    struct pt_error error;
    (void)pt_fail(&error, PT_ERR_IO, "can't write to standard output: %s", strerror(errno));
    return pt__complain(terminal, &error);
}
