#include <stdio.h>
#include <string.h>

#include "analysis/results/results.h"
#include "sim/cli/commands.h"
#include "sim/cli/gates.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/run_parts.h"
#include "sim/cli/summary.h"
#include "sim/experiment/outfile.h"

enum { BAD_ROWS_SHOWN = 20 };

static const char *const on_bad_row_words[] = {"stop", "skip", NULL};

static const struct pt__option options[] = {
    {"set", 0, "PATH=VALUE", NULL, true, PT__COMPLETES_NOTHING,
     "override any key of the experiment, by list index or by name: "
     "cluster.pools[slice].nodes=8"},
    {"policy", 0, "NAME", NULL, false, PT__COMPLETES_ORDER,
     "use this policy; 'partita list policies' shows them. Parameters that are as the experiment's "
     "policy has them by default give way to this one's"},
    {"seed", 0, "N", NULL, false, PT__COMPLETES_NOTHING, "use this seed"},
    {"seeds", 0, "A..B", NULL, false, PT__COMPLETES_NOTHING,
     "run once with each of these seeds: 1..20, or 3,7,9. --out names a directory for the results, "
     "seed-0001.h5 and so on, and the summary tells how far the metrics lie apart"},
    {"j", 'j', "N", NULL, false, PT__COMPLETES_NOTHING,
     "with --seeds: so many runs at a time, by default one for each processor. The results are the "
     "same for any N; each run takes the memory of a run"},
    {"out", 'o', "FILE.h5|DIR", NULL, false, PT__COMPLETES_FILE,
     "write the result here, instead of output.file; with --seeds the results, in a directory that "
     "is made if need be"},
    {"json", 0, NULL, NULL, false, PT__COMPLETES_NOTHING, "print the summary as one JSON object"},
    {"events", 0, "FILE.jsonl", NULL, false, PT__COMPLETES_FILE,
     "write every event as a line of JSON"},
    {"check", 0, NULL, NULL, false, PT__COMPLETES_NOTHING,
     "check every invariant after every event (slow)"},
    {"dry-run", 0, NULL, NULL, false, PT__COMPLETES_NOTHING,
     "read and check everything, say what is known before the run, and stop"},
    {"on-bad-row", 0, "WHAT", on_bad_row_words, false, PT__COMPLETES_CHOICE,
     "what to do with a bad row of the trace: stop (the default), or skip and count it"},
    PT__OPTION_GATE,
    PT__OPTION_FAIL_ON,
    {0}};

/* ---- the run ---- */

static void on_bad_row(void *ctx, const struct pt_error *error)
{
    struct pt__run_session *session = ctx;
    if (!pt__args_value(session->args, "on-bad-row") || session->terminal.quiet) return;
    session->bad_rows++;
    if (session->bad_rows <= BAD_ROWS_SHOWN || session->terminal.verbose)
        pt__complain(&session->terminal, error);
}

static void on_progress(void *ctx, const struct pt_run_progress *state)
{
    struct pt__run_session *session = ctx;
    pt__progress_show(&session->progress, state);
}

static void print_json(const struct pt__run_session *session, const struct pt_run_facts *facts)
{
    json_t *root = pt__summary_json(facts);
    if (facts->summary) json_object_set_new(root, "gates", pt__gates_json(&session->gates));
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(root);
}

void pt__run_head(const struct pt__run_session *session, const struct pt_run_facts *facts)
{
    bool json = pt__args_has(session->args, "json");
    const struct pt__terminal *terminal = &session->terminal;
    if (session->bad_rows > BAD_ROWS_SHOWN && !terminal->verbose)
        fprintf(stderr, "partita: ... and %llu more bad rows: --verbose shows all\n",
                (unsigned long long)(session->bad_rows - BAD_ROWS_SHOWN));
    if (!json)
        pt__summary_head(stdout, terminal->color_out, facts);
    else if (!terminal->quiet)
        pt__summary_head(stderr, terminal->color_err, facts);
    fflush(stdout);
}

/* Why a run of the same experiment has another digest. */
static void say_difference(const struct pt__run_session *session, const struct pt_run_facts *facts)
{
    const struct pt_run_input *changed = NULL;
    const char *then = NULL;
    const char *partial = pt_results_manifest_text(session->rerun, "partial");
    const char *version = pt_results_manifest_text(session->rerun, "version");
    for (uint32_t i = 0; i < facts->input_count && !changed; i++) {
        then = pt_results_input_digest(session->rerun, facts->inputs[i].path_as_written);
        if (then && strcmp(then, facts->inputs[i].digest) != 0) changed = &facts->inputs[i];
    }
    if (partial && strcmp(partial, "0") != 0)
        fprintf(stderr, "that result is partial\n");
    else if (changed)
        fprintf(stderr, "%s has changed (%s then, %s now)\n", changed->path, then, changed->digest);
    else if (version && strcmp(version, PARTITA_VERSION) != 0)
        fprintf(stderr, "that result is of version %s, this is " PARTITA_VERSION "\n", version);
    else
        fprintf(stderr, "version and inputs are the same, so the program itself must have "
                        "changed\n");
}

static void compare_digests(const struct pt__run_session *session, const struct pt_run_facts *facts)
{
    if (!session->rerun || session->set_count > 0 || session->terminal.quiet) return;
    const char *before = pt_results_manifest_text(session->rerun, "digest");
    if (!before || facts->status != PT_OK) return;
    if (strcmp(before, facts->digest) == 0) {
        fprintf(stderr, "partita: same digest as %s\n", session->args->operands[0]);
        return;
    }
    fprintf(stderr,
            "partita: the digest differs from that of %s (%s): ", session->args->operands[0],
            before);
    say_difference(session, facts);
}

static int execute(struct pt__run_session *session)
{
    const struct pt__terminal *terminal = &session->terminal;
    const struct pt_run_facts *facts = pt_run_facts(session->run);
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = pt_run_execute(session->run, &error);
    pt__progress_clear(&session->progress);
    /* A world that stands still has come to its end, one that was interrupted has not. */
    bool ended = status == PT_OK || status == PT_ERR_DEADLOCK;
    pt_gates_judge(&session->gates, ended ? facts->summary : NULL);
    if (facts->summary && pt__args_has(session->args, "json"))
        print_json(session, facts);
    else if (facts->summary)
        pt__summary_text(stdout, terminal->color_out, facts);
    if (facts->summary && terminal->verbose)
        fprintf(
            stderr,
            "partita: read %.3f s, run %.3f s (policy %.3f s; a decision: p50 %.3g us, p99 %.3g "
            "us), write %.3f s\n",
            facts->read_s, facts->wall_s, facts->policy_s,
            1e-3 * (double)facts->stats.decision_p50_ns,
            1e-3 * (double)facts->stats.decision_p99_ns, facts->write_s);
    if (status != PT_OK) {
        fflush(stdout);
        int code = pt__complain(terminal, &error);
        if (facts->result_file && !terminal->quiet)
            fprintf(stderr, "partita: what is finished is in %s\n", facts->result_file);
        if (facts->summary) pt__gates_say(terminal, &session->gates);
        return pt__finish_stdout(terminal, code);
    }
    compare_digests(session, facts);
    fflush(stdout);
    pt__gates_say(terminal, &session->gates);
    return pt__finish_stdout(terminal, pt_gates_failed(&session->gates) > 0 ? 1 : 0);
}

int pt__run_dry(const struct pt__run_session *session)
{
    const struct pt_run_facts *facts = pt_run_facts(session->run);
    if (pt__args_has(session->args, "json"))
        print_json(session, facts);
    else
        pt__summary_assumptions(stdout, session->terminal.color_out, facts);
    return pt__finish_stdout(&session->terminal, 0);
}

static const char *result_path(const struct pt__run_session *session)
{
    const char *out = pt__args_value(session->args, "out");
    return out ? out : session->config->output.file;
}

/* Outputs may replace old outputs, a result by its own rerun too, but no input and not each other.
 */
static enum pt_status spare_inputs(const struct pt__run_session *session, struct pt_error *error)
{
    const char *result = result_path(session), *events = pt__args_value(session->args, "events");
    PT_TRY(pt__run_spares(session, result, true, error));
    PT_TRY(pt__run_spares(session, events, false, error));
    return pt_outfile_apart(events, result, error);
}

void pt__run_options(struct pt_run_options *run_options, struct pt__run_session *session)
{
    const struct pt__args *args = session->args;
    const char *bad_row = pt__args_value(args, "on-bad-row");
    *run_options = (struct pt_run_options){.skip_bad_rows = bad_row && strcmp(bad_row, "skip") == 0,
                                           .check = pt__args_has(args, "check"),
                                           .dry = pt__args_has(args, "dry-run"),
                                           .command_line = session->command_line,
                                           .directory = session->directory,
                                           .bad_row = on_bad_row,
                                           .progress = on_progress,
                                           .ctx = session,
                                           .interrupt = pt__interrupt_listen()};
}

static enum pt_status prepare(struct pt__run_session *session)
{
    struct pt_run_options run_options;
    pt__run_options(&run_options, session);
    run_options.result_path = result_path(session);
    run_options.events_path = pt__args_value(session->args, "events");
    if (run_options.result_path || run_options.events_path) pt__interrupt_keep_writing();
    PT_TRY(pt_run_prepare(&session->run, session->config, &run_options, &session->messages));
    return pt_gates_check_before(&session->gates, pt_run_facts(session->run)->input,
                                 &session->messages);
}

static int go(struct pt__run_session *session)
{
    struct pt_error error = {.status = PT_OK};
    enum pt_status status =
        pt__gates_read(&session->gates, session->args, false, &session->messages);
    if (status == PT_OK) status = pt__run_load(session, &error);
    if (status == PT_OK) status = spare_inputs(session, &error);
    if (status == PT_OK) status = prepare(session);
    bool errors = session->messages.error_count > 0;
    if (errors || !session->terminal.quiet)
        pt_messages_print(&session->messages, stderr, session->terminal.color_err);
    if (status != PT_OK && error.status != PT_OK) return pt__complain(&session->terminal, &error);
    if (status != PT_OK) return pt_status_exit_code(status);
    pt__run_head(session, pt_run_facts(session->run));
    return pt__args_has(session->args, "dry-run") ? pt__run_dry(session) : execute(session);
}

static int complain_of_j(const struct pt__terminal *terminal)
{
    struct pt_error error;
    (void)pt_fail(&error, PT_ERR_INPUT, "-j goes with --seeds: one run is one thread");
    return pt__complain(terminal, &error);
}

static int run(const struct pt__args *args)
{
    struct pt__run_session session = {.args = args};
    pt__terminal_init(&session.terminal, args);
    pt__progress_init(&session.progress, session.terminal.progress);
    pt_messages_init(&session.messages);
    int code;
    if (pt__args_has(args, "seeds"))
        code = pt__run_seeds(&session);
    else if (pt__args_has(args, "j"))
        code = complain_of_j(&session.terminal);
    else
        code = go(&session);
    pt__run_unload(&session);
    pt_gates_fini(&session.gates);
    return code;
}

const struct pt__command pt__command_run = {
    .name = "run",
    .operands = "EXPERIMENT.yaml|RESULT.h5",
    .operand_min = 1,
    .operand_max = 1,
    .summary = "replay a trace on a cluster under a policy",
    .details =
        "Reads the experiment and its whole trace, checks both, says the offered load and which "
        "jobs can never fit, runs the simulation, prints a summary and, if asked, writes a result "
        "file.\n\nGiven a result file, runs the experiment kept in it again: with the same version "
        "and inputs the digest of the event log is the same. Relative inputs are looked for where "
        "they were then.\n\nA condition of --fail-on says what must not be: 'jct_p95_s > 2h', "
        "'sla_satisfaction{tenant=acme} < 0.95', 'failed'. It is checked before anything runs, and "
        "judged when the result is written and the summary printed. Of a metric that is null it "
        "can't be judged, and fails.\n\n"
        "With --seeds A..B there is a run, and a result, for each seed: the same as that of a "
        "single run with --seed. A condition is then judged on the mean over the seeds that are "
        "done. A seed that fails leaves the others alone; the exit code is then "
        "that of the worst: 130 before 3 before 4 before 2. Results of the same seeds are replaced "
        "when the new ones are whole; other files stay, but a directory with other seeds' results "
        "of another experiment is refused. For example\n\n"
        "  partita run experiment.yaml --seeds 1..20 -j 4 --out runs",
    .options = options,
    .example = "partita run experiment.yaml --set policy.blocking=skip --out skip.h5",
    .example_says = "runs the experiment with one key changed and keeps the result",
    .run = run};
