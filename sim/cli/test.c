#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/commands.h"
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
    enum pt_status status = pt_scenario_run(&scenario, yaml, document, NULL, session->interrupt);
    if (status == PT_OK) {
        say_verdict(session, &scenario);
        session->passed += scenario.verdict == PT_VERDICT_PASSED;
        session->failed += scenario.verdict == PT_VERDICT_FAILED;
        session->broken += scenario.verdict == PT_VERDICT_BROKEN;
        if (session->junit) status = pt__junit_add(session->junit, yaml->file, &scenario);
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

static int run(const struct pt__args *args)
{
    struct session session = {.args = args, .pattern = pt__args_value(args, "k")};
    struct pt_error error = {.status = PT_OK};
    const char *junit = pt__args_value(args, "junit");
    pt__terminal_init(&session.terminal, args);
    session.interrupt = pt__interrupt_listen();
    enum pt_status status = PT_OK;
    for (size_t i = 0; i < args->operand_count && status == PT_OK; i++)
        status = pt_outfile_spares(junit, args->operands[i], &error);
    if (junit) pt__interrupt_keep_writing();
    if (status == PT_OK && junit) status = pt__junit_open(&session.junit, junit, &error);
    if (status == PT_OK) status = run_all(&session, &error);
    int code = status == PT_OK ? conclude(&session) : pt__complain(&session.terminal, &error);
    if (status != PT_OK) pt__junit_abandon(session.junit);
    if (status == PT_OK && session.junit && pt__junit_close(session.junit, &error) != PT_OK)
        code = pt__complain(&session.terminal, &error);
    return pt__finish_stdout(&session.terminal, code);
}

static const struct pt__option options[] = {
    {"junit", 0, "FILE.xml", NULL, false, PT__COMPLETES_FILE,
     "write the verdicts for a continuous-integration system"},
    {"k", 'k', "PATTERN", NULL, false, PT__COMPLETES_NOTHING,
     "only scenarios whose name contains this, or matches it where it has * ? or ["},
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
        "an unknown field, job, state or metric.",
    .options = options,
    .example = "partita test tests/scenarios/*.yaml -k gang --junit report.xml",
    .example_says = "runs the scenarios with 'gang' in their name",
    .run = run};
