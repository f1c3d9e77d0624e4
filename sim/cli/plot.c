#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/plot/plot.h"
#include "partita/suggest.h"
#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"

enum { FIGURES_MAX = 64 };

struct session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    struct pt_plot plot;
    bool wanted[FIGURES_MAX];
    bool named; /* --only: what can't be drawn is an error */
    enum pt_plot_format format;
    const char *directory;
};

static enum pt_status want(struct session *session, const char *name, size_t length,
                           struct pt_error *error)
{
    struct pt_suggestion near;
    pt_suggest_begin(&near, name, length);
    for (size_t i = 0; pt_figure_name(i); i++) {
        if (strlen(pt_figure_name(i)) == length && memcmp(pt_figure_name(i), name, length) == 0) {
            session->wanted[i] = true;
            return PT_OK;
        }
        pt_suggest_offer(&near, pt_figure_name(i));
    }
    int shown = length > 64 ? 64 : (int)length;
    if (near.best)
        return pt_fail(error, PT_ERR_INPUT, "--only: no figure '%.*s' (did you mean '%s'?)", shown,
                       name, near.best);
    return pt_fail(error, PT_ERR_INPUT,
                   "--only: no figure '%.*s'; 'partita plot --help' names them", shown, name);
}

static enum pt_status read_only(struct session *session, struct pt_error *error)
{
    const char *list = pt__args_value(session->args, "only");
    session->named = list != NULL;
    if (!list) {
        for (size_t i = 0; pt_figure_name(i); i++)
            session->wanted[i] = true;
        return PT_OK;
    }
    for (;;) {
        size_t length = strcspn(list, ",");
        PT_TRY(want(session, list, length, error));
        if (!list[length]) return PT_OK;
        list += length + 1;
    }
}

static void read_format(struct session *session)
{
    const char *format = pt__args_value(session->args, "format");
    for (unsigned k = 0; format && pt_plot_formats[k]; k++)
        if (strcmp(pt_plot_formats[k], format) == 0) session->format = (enum pt_plot_format)k;
}

static enum pt_status make_directory(const struct session *session, struct pt_error *error)
{
    struct stat info;
    if (mkdir(session->directory, 0777) == 0) return PT_OK;
    int why = errno;
    if (stat(session->directory, &info) == 0 && S_ISDIR(info.st_mode)) return PT_OK;
    return pt_fail_at(error, PT_ERR_INPUT, session->directory, 0, 0, "can't hold figures: %s",
                      strerror(why));
}

static enum pt_status draw_all(const struct session *session, size_t *drawn, struct pt_error *error)
{
    for (size_t i = 0; pt_figure_name(i); i++) {
        const char *why;
        if (!session->wanted[i]) continue;
        PT_TRY(pt_figure_draw(i, &session->plot, session->directory, session->format, &why, error));
        if (why && session->named)
            return pt_fail(error, PT_ERR_INPUT, "%s can't be drawn: %s", pt_figure_name(i), why);
        if (why && session->terminal.verbose)
            fprintf(stderr, "partita: %s is left out: %s\n", pt_figure_name(i), why);
        if (why) continue;
        printf("%s/%s.%s\n", session->directory, pt_figure_name(i),
               pt_plot_formats[session->format]);
        fflush(stdout);
        (*drawn)++;
    }
    return PT_OK;
}

static enum pt_status go(struct session *session, struct pt_error *error)
{
    const struct pt__args *args = session->args;
    size_t drawn = 0;
    const char *out = pt__args_value(args, "out");
    session->directory = out ? out : ".";
    read_format(session);
    PT_TRY(read_only(session, error));
    PT_TRY(pt_plot_read(&session->plot, args->operands, args->operand_count, error));
    PT_TRY(make_directory(session, error));
    PT_TRY(draw_all(session, &drawn, error));
    if (drawn == 0)
        return pt_fail(error, PT_ERR_INPUT,
                       "these results hold nothing to draw: --verbose says of each figure why");
    return PT_OK;
}

static int run(const struct pt__args *args)
{
    struct session session = {.args = args};
    struct pt_error error = {.status = PT_OK};
    pt__terminal_init(&session.terminal, args);
    enum pt_status status = go(&session, &error);
    pt_plot_fini(&session.plot);
    if (status != PT_OK) return pt__complain(&session.terminal, &error);
    return pt__finish_stdout(&session.terminal, 0);
}

static const struct pt__option options[] = {
    {"out", 'o', "DIR", NULL, false, PT__COMPLETES_FILE,
     "where the figures go; made if it is not there. The current directory unless set"},
    {"format", 'f', "FORMAT", pt_plot_formats, false, PT__COMPLETES_CHOICE,
     "svg (unless set), png or pdf"},
    {"only", 0, "NAME,...", NULL, false, PT__COMPLETES_NOTHING,
     "draw these figures alone; one that can't be drawn is an error then"},
    {0}};

const struct pt__command pt__command_plot = {
    .name = "plot",
    .operands = "RESULT...",
    .operand_min = 1,
    .operand_max = PT_PLOT_RUNS_MAX,
    .summary = "draw figures of results",
    .details =
        "Draws every figure that the results have the data for, up to eight results in each, with "
        "one colour for each policy in all of them. By each NAME.svg lie the numbers it shows, "
        "NAME.tsv, and NAME.gp, which draws it again: 'gnuplot NAME.gp' beside the numbers.\n\n"
        "RESULT is a result file or a directory of results of one experiment (partita run "
        "--seeds): "
        "bars and changes are then of all its runs, figures of jobs and times of that with the "
        "least seed.\n\n"
        "The figures: jct_cdf and wait_cdf, the share of jobs done and started within a time; "
        "slowdown, of jobs by their size; sla, promises kept by tenant, tier and kind; cost, by "
        "tenant; utilization, queue and fragmentation over time; gantt, which job held which GPU "
        "(first result, needs output.events); difference, the changes of metrics between two "
        "results with their intervals.",
    .options = options,
    .example = "partita plot fifo.h5 srtf.h5 --out figures",
    .example_says = "draws both results into each figure",
    .run = run};
