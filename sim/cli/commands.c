#include "sim/cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "partita/suggest.h"
#include "sim/cli/help.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/terminal.h"

const struct pt__command *const pt__commands[] = {&pt__command_run,
                                                  &pt__command_test,
                                                  &pt__command_compare,
                                                  &pt__command_plot,
                                                  &pt__command_export,
                                                  &pt__command_list,
                                                  &pt__command_schema,
                                                  &pt__command_explain,
                                                  &pt__command_trace,
                                                  &pt__command_predict,
                                                  NULL};

/* Says what is wrong before any terminal options are known. */
static int refuse(const char *path, const struct pt_error *error)
{
    struct pt__terminal plain = {0};
    int code = pt__complain(&plain, error);
    fprintf(stderr, "Try 'partita %s%s--help'.\n", path, path[0] ? " " : "");
    return code;
}

static int unknown_command(const struct pt__command *const *list, const char *path,
                           const char *word)
{
    struct pt_suggestion suggestion;
    struct pt_error error;
    pt_suggest_begin(&suggestion, word, strlen(word));
    for (; *list; list++)
        pt_suggest_offer(&suggestion, (*list)->name);
    const char *what = word[0] == '-' ? "option" : "command";
    if (suggestion.best && word[0] != '-')
        (void)pt_fail(&error, PT_ERR_INPUT, "unknown %s '%s' (did you mean '%s'?)", what, word,
                      suggestion.best);
    else
        (void)pt_fail(&error, PT_ERR_INPUT, "unknown %s '%s'", what, word);
    return refuse(path, &error);
}

static int run_command(const struct pt__command *command, const char *path, int argc, char **argv,
                       int first)
{
    struct pt__args args;
    struct pt_error error;
    int code;
    if (pt__args_parse(&args, command, path, argc, argv, first, &error) != PT_OK) {
        code = refuse(path, &error);
    } else if (args.help) {
        struct pt__terminal plain = {0};
        pt__help_command(stdout, path, command);
        code = pt__finish_stdout(&plain, 0);
    } else {
        code = command->run(&args);
    }
    pt__args_fini(&args);
    return code;
}

static int run_inner(const struct pt__command *command, int argc, char **argv)
{
    struct pt__terminal plain = {0};
    if (argc < 3 || strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
        pt__help_command(argc < 3 ? stderr : stdout, command->name, command);
        return argc < 3 ? 2 : pt__finish_stdout(&plain, 0);
    }
    const struct pt__command *inner = pt__command_find(command->inner, argv[2]);
    if (!inner) return unknown_command(command->inner, command->name, argv[2]);
    char path[64];
    snprintf(path, sizeof path, "%s %s", command->name, inner->name);
    return run_command(inner, path, argc, argv, 3);
}

/* A standard stream that was closed by the caller is opened again so that it can't be used: else
 * the next file opened would get its number, and be written into by whoever prints. */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int pt__main(int argc, char **argv)
{
    struct pt__terminal plain = {0};
    hold_standard_streams();
    gsl_set_error_handler_off();
    pt__interrupt_removes(NULL);
    if (argc < 2) {
        pt__help_program(stderr, pt__commands);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        pt__help_program(stdout, pt__commands);
        return pt__finish_stdout(&plain, 0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("partita " PARTITA_VERSION);
        return pt__finish_stdout(&plain, 0);
    }
    const struct pt__command *command = pt__command_find(pt__commands, argv[1]);
    if (!command) return unknown_command(pt__commands, "", argv[1]);
    if (command->inner) return run_inner(command, argc, argv);
    return run_command(command, command->name, argc, argv, 2);
}
