#include <stdlib.h>
#include <string.h>

#include "analysis/results/job_numbers.h"
#include "partita/number.h"
#include "sim/cli/commands.h"
#include "sim/cli/compare_parts.h"
#include "sim/cli/gates.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/junit.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/outfile.h"

struct session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    struct pt_messages messages;
    struct pt__comparison comparison;
};

/* ---- finding out ---- */

static enum pt_status read_alpha(struct session *session, struct pt_error *error)
{
    const char *text = pt__args_value(session->args, "significance");
    double alpha = 0.05;
    if (text && (pt_parse_double(&alpha, text, strlen(text), error) != PT_OK || !(alpha > 0) ||
                 !(alpha < 0.5)))
        return pt_fail(error, PT_ERR_INPUT,
                       "--significance: '%.64s' is not a number above 0 and below 0.5", text);
    session->comparison.alpha = alpha;
    return PT_OK;
}

static bool same_log(const struct pt_side_run *base, const struct pt_side_run *changed)
{
    return base->digest[0] && strcmp(base->digest, changed->digest) == 0;
}

/* Which run of each side is looked into, and in how many pairs nothing differs at all: the first
 * pair that does differ, if any does. */
static void choose_runs(struct pt__comparison *c)
{
    const struct pt_side *base = &c->base, *changed = &c->changed;
    size_t i = 0, j = 0;
    c->base_run = &base->runs[0];
    c->new_run = &changed->runs[0];
    bool chosen = false;
    while (c->differences->paired && i < base->count && j < changed->count) {
        const struct pt_side_run *a = &base->runs[i], *b = &changed->runs[j];
        i += a->seed <= b->seed;
        j += b->seed <= a->seed;
        if (a->seed != b->seed) continue;
        bool same = same_log(a, b);
        c->same_digests += same;
        if (chosen && (same || !same_log(c->base_run, c->new_run))) continue;
        c->base_run = a;
        c->new_run = b;
        chosen = true;
    }
    if (!c->differences->paired) c->same_digests = same_log(c->base_run, c->new_run);
}

static enum pt_status read_jct(double **values, size_t *count, const char *path,
                               struct pt_error *error)
{
    struct pt_results_reader *reader;
    uint64_t rows = 0;
    PT_TRY(pt_results_read(&reader, path, error));
    enum pt_status status = PT_OK;
    *count = 0;
    if (pt_results_job_count(reader) > 0 && pt_results_job_count(reader) <= PT_SAMPLES_MAX)
        status = pt_results_job_numbers(values, &rows, reader, "jct_s", "done", error);
    pt_results_reader_free(reader);
    if (status != PT_OK || rows == 0) return status;
    double *scratch = malloc(rows * sizeof *scratch);
    if (!scratch) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    *count = pt_samples_sort(*values, scratch, rows);
    free(scratch);
    return PT_OK;
}

/* Without a table of jobs in both there are no samples, and that is no error. */
static enum pt_status compare_jct(struct pt__comparison *c, struct pt_error *error)
{
    double *base = NULL, *changed = NULL;
    size_t n = 0, m = 0;
    enum pt_status status = read_jct(&base, &n, c->base_run->path, error);
    if (status == PT_OK) status = read_jct(&changed, &m, c->new_run->path, error);
    if (status == PT_OK && n > 0 && m > 0) {
        c->jct = (struct pt__jct_samples){.known = true, .base_count = n, .new_count = m};
        pt_ks_of_sorted(&c->jct.ks, base, n, changed, m);
        pt_mann_whitney_of_sorted(&c->jct.mann_whitney, base, n, changed, m);
    }
    free(base);
    free(changed);
    return status;
}

static enum pt_status check_gates(struct session *session, struct pt_error *error)
{
    struct pt__comparison *c = &session->comparison;
    PT_TRY(pt_gates_check_differences(&c->gates, c->differences, c->changed.runs[0].summary,
                                      &session->messages));
    return pt_gates_judge_differences(&c->gates, c->differences, c->alpha, error);
}

/* Outputs may destroy nothing that is read. */
static enum pt_status spare_inputs(const struct session *session, struct pt_error *error)
{
    static const char *const outputs[] = {"junit", "markdown"};
    const struct pt__comparison *c = &session->comparison;
    const struct pt_side *sides[] = {&c->base, &c->changed};
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        const char *path = pt__args_value(session->args, outputs[k]);
        for (size_t s = 0; s < 2; s++)
            for (size_t i = 0; i < sides[s]->count; i++)
                PT_TRY(pt_outfile_spares(path, sides[s]->runs[i].path, error));
        for (size_t i = 0; i < c->gates.count; i++)
            if (c->gates.list[i].line > 0)
                PT_TRY(pt_outfile_spares(path, c->gates.list[i].file, error));
    }
    return pt_outfile_apart(pt__args_value(session->args, outputs[0]),
                            pt__args_value(session->args, outputs[1]), error);
}

static enum pt_status find_out(struct session *session, struct pt_error *error)
{
    struct pt__comparison *c = &session->comparison;
    const char *const *paths = session->args->operands;
    PT_TRY(read_alpha(session, error));
    PT_TRY(pt__gates_read(&c->gates, session->args, true, &session->messages));
    PT_TRY(pt_side_read(&c->base, paths[0], error));
    PT_TRY(pt_side_read(&c->changed, paths[1], error));
    PT_TRY(spare_inputs(session, error));
    PT_TRY(pt_differences_create(&c->differences, &c->base, &c->changed, c->alpha, error));
    PT_TRY(check_gates(session, error));
    choose_runs(c);
    PT_TRY(compare_jct(c, error));
    if (same_log(c->base_run, c->new_run) || pt__args_has(session->args, "no-replay")) return PT_OK;
    c->searched = true;
    return pt_first_difference_find(&c->first, c->base_run->path, c->new_run->path, error);
}

/* ---- saying it ---- */

static enum pt_status write_junit(const struct session *session, struct pt_error *error)
{
    const struct pt__comparison *c = &session->comparison;
    const char *path = pt__args_value(session->args, "junit");
    struct pt__junit *junit;
    char suite[256];
    if (!path) return PT_OK;
    snprintf(suite, sizeof suite, "%.120s against %.120s", c->changed.path, c->base.path);
    PT_TRY(pt__junit_open(&junit, path, error));
    enum pt_status status = PT_OK;
    for (size_t i = 0; i < c->gates.count && status == PT_OK; i++)
        status = pt__junit_add_judged(junit, suite, &c->gates.list[i]);
    if (status == PT_OK) return pt__junit_close(junit, error);
    pt__junit_abandon(junit);
    return pt_fail(error, PT_ERR_MEMORY, "out of memory");
}

static enum pt_status write_markdown(const struct session *session, struct pt_error *error)
{
    const char *path = pt__args_value(session->args, "markdown");
    struct pt_outfile output;
    if (!path) return PT_OK;
    PT_TRY(pt_outfile_open(&output, path, error));
    pt__interrupt_removes(output.temporary);
    pt__compare_markdown(output.stream, &session->comparison);
    enum pt_status status = pt_outfile_close(&output, false, error);
    pt__interrupt_removes(NULL);
    return status;
}

static enum pt_status say(const struct session *session, struct pt_error *error)
{
    const struct pt__comparison *c = &session->comparison;
    PT_TRY(write_junit(session, error));
    PT_TRY(write_markdown(session, error));
    if (!pt__args_has(session->args, "json")) {
        pt__compare_text(stdout, session->terminal.color_out, c,
                         pt__args_has(session->args, "all"));
        return PT_OK;
    }
    json_t *json = pt__compare_json(c);
    if (!json) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(json);
    return PT_OK;
}

static int go(struct session *session)
{
    struct pt__comparison *c = &session->comparison;
    const struct pt__terminal *terminal = &session->terminal;
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = find_out(session, &error);
    pt_messages_print(&session->messages, stderr, terminal->color_err);
    if (status != PT_OK)
        return error.status != PT_OK ? pt__complain(terminal, &error) : pt_status_exit_code(status);
    if (say(session, &error) != PT_OK) return pt__complain(terminal, &error);
    fflush(stdout);
    pt__gates_say(terminal, &c->gates);
    return pt__finish_stdout(terminal, pt_gates_failed(&c->gates) > 0 ? 1 : 0);
}

static int run(const struct pt__args *args)
{
    struct session session = {.args = args};
    struct pt__comparison *c = &session.comparison;
    pt__terminal_init(&session.terminal, args);
    pt_messages_init(&session.messages);
    int code = go(&session);
    pt_differences_destroy(c->differences);
    pt_gates_fini(&c->gates);
    pt_side_fini(&c->base);
    pt_side_fini(&c->changed);
    pt_messages_fini(&session.messages);
    return code;
}

static const struct pt__option options[] = {
    PT__OPTION_GATE,
    PT__OPTION_FAIL_ON,
    {"significance", 0, "LEVEL", NULL, false, PT__COMPLETES_NOTHING,
     "the chance of calling something changed that is not, for intervals and gates; 0.05 unless "
     "set"},
    {"all", 0, NULL, NULL, false, PT__COMPLETES_NOTHING,
     "show every metric of every group, not only what matters most"},
    {"no-replay", 0, NULL, NULL, false, PT__COMPLETES_NOTHING,
     "don't run both again to find the first decision that differs"},
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print everything as JSON"},
    {"markdown", 0, "FILE", NULL, false, PT__COMPLETES_FILE,
     "write a table for a pull request's comment too"},
    {"junit", 0, "FILE.xml", NULL, false, PT__COMPLETES_FILE,
     "write a JUnit file too, with a case for each gate"},
    {0}};

const struct pt__command pt__command_compare = {
    .name = "compare",
    .operands = "BASE NEW",
    .operand_min = 2,
    .operand_max = 2,
    .summary = "tell what differs between two results, and how sure that is",
    .details =
        "BASE and NEW are results, or directories of results of one experiment that differ in "
        "their "
        "seeds (partita run --seeds). Runs of one seed are a pair: the same jobs came to both. A "
        "change is the mean difference over the pairs; with it come its interval (Student's, in "
        "--json the bootstrap's too) and p, corrected for the number of metrics looked at (Holm). "
        "Where that does not tell, about how many more seeds would. Sides without a seed in common "
        "are compared as groups (Welch). With one run a side a difference is what it is.\n\n"
        "Where the event logs of a pair differ, both results are run again side by side, with the "
        "inputs that they were run with, until they part: the first decision that differs is shown "
        "with who waited and what was idle on both sides.\n\n"
        "A gate is a condition that must not hold: of new's metrics "
        "('sla_satisfaction{tenant=acme} "
        "< 0.95'; the mean over the runs compared), or of their change against base ('jct_p95_s > "
        "+5%'). A change fails its gate when it is beyond the limit and, with several runs a side, "
        "no chance: p, corrected for the gates, is below --significance. Exit code 1 if any gate "
        "fails.",
    .options = options,
    .example = "partita compare main.h5 branch.h5 --fail-on 'jct_p95_s > +5%'",
    .example_says = "exits with 1 if the branch makes the 95th percentile of completion times more "
                    "than 5 % longer",
    .run = run};
