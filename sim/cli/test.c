#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/gates.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/junit.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/outfile.h"
#include "sim/experiment/scenario.h"

struct session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    const volatile sig_atomic_t *interrupt;
    const char *pattern; /* NULL = all */
    struct pt__junit *junit;
    struct pt_gates gates;
    unsigned passed, failed, broken;
};

/* -k: a part of the name, or a pattern of the shell if it has any of its signs. */
static bool wanted(const struct session *session, const char *name)
{
    if (!session->pattern) return true;
    if (strpbrk(session->pattern, "*?[")) return fnmatch(session->pattern, name, 0) == 0;
    return strstr(name, session->pattern) != NULL;
}

static void say_verdict(const struct session *session, const struct pt_scenario *scenario)
{
    static const struct {
        const char *word;
        enum pt__style style;
    } shown[] = {{"ok", PT__GREEN}, {"FAIL", PT__RED}, {"ERROR", PT__RED}};
    const struct pt__terminal *terminal = &session->terminal;
    if (terminal->quiet && scenario->verdict == PT_VERDICT_PASSED) return;
    printf("  %s%-5s%s %s%s\n", pt__style(terminal->color_out, shown[scenario->verdict].style),
           shown[scenario->verdict].word, pt__style(terminal->color_out, PT__PLAIN), scenario->name,
           scenario->expects ? "" : " (nothing expected)");
    pt_messages_print(&scenario->messages, stdout, terminal->color_out);
}

/* A gate of a scenario, in the list of verdicts: those that passed only with --verbose. */
static void say_gate(const struct session *session, const struct pt_scenario *scenario,
                     const struct pt_gate *gate)
{
    const struct pt__terminal *terminal = &session->terminal;
    bool passed = gate->judgement.verdict == PT_JUDGED_PASSED;
    if (!scenario->judged && scenario->verdict != PT_VERDICT_PASSED) return; /* it says why */
    const char *word = !scenario->judged ? "-" : passed ? "ok" : "FAIL";
    enum pt__style style = !scenario->judged ? PT__PLAIN : passed ? PT__GREEN : PT__RED;
    char text[256] = "not judged, as no world was run";
    if (terminal->quiet ? passed || !scenario->judged : passed && !terminal->verbose) return;
    if (scenario->judged) pt_judgement_text(text, sizeof text, &gate->condition, &gate->judgement);
    printf("  %s%-5s%s %s: %s: %s\n", pt__style(terminal->color_out, style), word,
           pt__style(terminal->color_out, PT__PLAIN), scenario->name, gate->name, text);
}

static enum pt_status count_gates(struct session *session, const char *file,
                                  const struct pt_scenario *scenario)
{
    for (size_t i = 0; i < session->gates.count; i++) {
        const struct pt_gate *gate = &session->gates.list[i];
        bool passed = gate->judgement.verdict == PT_JUDGED_PASSED;
        say_gate(session, scenario, gate);
        session->passed += scenario->judged && passed;
        session->failed += scenario->judged && !passed;
        if (session->junit) PT_TRY(pt__junit_add_gate(session->junit, file, scenario, gate));
    }
    return PT_OK;
}

static enum pt_status run_one(struct session *session, struct pt_yaml *yaml,
                              struct pt_yaml_node *document, uint32_t index)
{
    struct pt_scenario scenario;
    pt_scenario_init(&scenario, document, index);
    if (!wanted(session, scenario.name)) {
        if (session->terminal.verbose) printf("  -     %s\n", scenario.name);
        pt_scenario_fini(&scenario);
        return PT_OK;
    }
    scenario.gates = &session->gates;
    pt_gates_judge(&session->gates, NULL);
    enum pt_status status = pt_scenario_run(&scenario, yaml, document, NULL, session->interrupt);
    if (status == PT_OK) {
        say_verdict(session, &scenario);
        session->passed += scenario.verdict == PT_VERDICT_PASSED;
        session->failed += scenario.verdict == PT_VERDICT_FAILED;
        session->broken += scenario.verdict == PT_VERDICT_BROKEN;
        if (session->junit) status = pt__junit_add(session->junit, yaml->file, &scenario);
        if (status == PT_OK) status = count_gates(session, yaml->file, &scenario);
    }
    pt_scenario_fini(&scenario);
    return status;
}

/* A file that can't be read or parsed is an error of the user's, said; the others still run. */
static enum pt_status run_file(struct session *session, const char *path)
{
    struct pt_yaml yaml;
    struct pt_messages messages;
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    enum pt_status status = pt_yaml_load(&yaml, path, &messages);
    if (status == PT_ERR_INPUT) {
        pt_messages_print(&messages, stderr, session->terminal.color_err);
        const struct pt_scenario nothing = {
            .name = path, .verdict = PT_VERDICT_BROKEN, .messages = messages};
        session->broken++;
        status = session->junit ? pt__junit_add(session->junit, path, &nothing) : PT_OK;
    } else if (status == PT_OK) {
        if (!session->terminal.quiet) printf("%s\n", path);
        uint32_t index = 1;
        for (struct pt_yaml_node *document = yaml.first_document; document && status == PT_OK;
             document = document->next)
            status = run_one(session, &yaml, document, index++);
    }
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
    return status;
}

static int conclude(const struct session *session)
{
    const struct pt__terminal *terminal = &session->terminal;
    bool good = session->failed == 0 && session->broken == 0;
    printf("%s%u passed, %u failed", pt__style(terminal->color_out, good ? PT__GREEN : PT__RED),
           session->passed, session->failed);
    if (session->broken) printf(", %u in error", session->broken);
    printf("%s\n", pt__style(terminal->color_out, PT__PLAIN));
    if (session->broken) return pt_status_exit_code(PT_ERR_INPUT);
    return session->failed ? 1 : 0;
}

static enum pt_status run_all(struct session *session, struct pt_error *error)
{
    for (size_t i = 0; i < session->args->operand_count; i++) {
        enum pt_status status = run_file(session, session->args->operands[i]);
        if (status != PT_OK) return pt_fail(error, status, "%s", pt_status_text(status));
    }
    if (session->passed + session->failed + session->broken == 0 && session->pattern)
        return pt_fail(error, PT_ERR_INPUT, "no scenario's name matches '%s'", session->pattern);
    return PT_OK;
}

static int run_and_report(struct session *session)
{
    const struct pt__args *args = session->args;
    const char *junit = pt__args_value(args, "junit");
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = PT_OK;
    for (size_t i = 0; i < args->operand_count && status == PT_OK; i++)
        status = pt_outfile_spares(junit, args->operands[i], &error);
    if (junit) pt__interrupt_keep_writing();
    if (status == PT_OK && junit) status = pt__junit_open(&session->junit, junit, &error);
    if (status == PT_OK) status = run_all(session, &error);
    int code = status == PT_OK ? conclude(session) : pt__complain(&session->terminal, &error);
    if (status != PT_OK) pt__junit_abandon(session->junit);
    if (status == PT_OK && session->junit && pt__junit_close(session->junit, &error) != PT_OK)
        code = pt__complain(&session->terminal, &error);
    return pt__finish_stdout(&session->terminal, code);
}

static int run(const struct pt__args *args)
{
    struct session session = {.args = args, .pattern = pt__args_value(args, "k")};
    struct pt_messages messages;
    pt__terminal_init(&session.terminal, args);
    pt_messages_init(&messages);
    session.interrupt = pt__interrupt_listen();
    enum pt_status status = pt__gates_read(&session.gates, args, false, &messages);
    pt_messages_print(&messages, stderr, session.terminal.color_err);
    int code = status == PT_OK ? run_and_report(&session) : pt_status_exit_code(status);
    pt_gates_fini(&session.gates);
    pt_messages_fini(&messages);
    return code;
}

static const struct pt__option options[] = {
    {"junit", 0, "FILE.xml", NULL, false, PT__COMPLETES_FILE,
     "write the verdicts for a continuous-integration system"},
    {"k", 'k', "PATTERN", NULL, false, PT__COMPLETES_NOTHING,
     "only scenarios whose name contains this, or matches it where it has * ? or ["},
    PT__OPTION_FAIL_ON,
    {0}};

const struct pt__command pt__command_test = {
    .name = "test",
    .operands = "SCENARIO.yaml...",
    .operand_min = 1,
    .operand_max = 1u << 30,
    .summary = "run scenario files and compare with what they expect",
    .details =
        "A scenario is an experiment with inline jobs and a key 'expect': what must become of "
        "jobs, "
        "what the summary must say, the exit code, a part of the error message, and invariants. A "
        "file may hold several, as YAML documents. All invariants of the simulated world are "
        "checked on the way. Exits 1 if an expectation does not hold, 2 if one is no expectation: "
        "an unknown field, job, state or metric.\n\nConditions of --fail-on are judged by the "
        "summary of every scenario that is run, and counted like scenarios. One whose world never "
        "begins has no summary, and they are not judged there, which is said.",
    .options = options,
    .example = "partita test tests/scenarios/*.yaml -k gang --junit report.xml",
    .example_says = "runs the scenarios with 'gang' in their name",
    .run = run};
