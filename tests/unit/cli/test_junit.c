#include "sim/cli/junit.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

static void add(struct pt__junit *junit, const char *file, const char *name,
                enum pt_verdict verdict, const char *message)
{
    struct pt_scenario scenario = {.name = name, .verdict = verdict, .wall_s = 0.5};
    struct pt_error error = {.status = PT_ERR_INPUT, .line = 3, .column = 7};
    pt_messages_init(&scenario.messages);
    snprintf(error.file, sizeof error.file, "%s", file);
    if (message) {
        (void)pt_fail_at(&error, PT_ERR_INPUT, file, 3, 7, "%s", message);
        pt_messages_add(&scenario.messages, false, &error, NULL, 0);
    }
    cr_assert_eq(pt__junit_add(junit, file, &scenario), PT_OK);
    pt_scenario_fini(&scenario);
}

Test(junit, writes_a_suite_a_file_and_a_case_a_scenario)
{
    static const char wanted[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"partita\">\n"
        "  <testsuite name=\"a.yaml\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"1.000000\">\n"
        "    <testcase classname=\"a.yaml\" name=\"one\" time=\"0.500000\"/>\n"
        "    <testcase classname=\"a.yaml\" name=\"&lt;two&gt; &amp; &quot;x&quot;\" "
        "time=\"0.500000\">\n"
        "      <failure message=\"a.yaml:3:7: 1 &lt; 2\">a.yaml:3:7: 1 &lt; 2\n</failure>\n"
        "    </testcase>\n  </testsuite>\n"
        "  <testsuite name=\"b.yaml\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0.500000\">\n"
        "    <testcase classname=\"b.yaml\" name=\"three\" time=\"0.500000\">\n"
        "      <error message=\"b.yaml:3:7: odd\">b.yaml:3:7: odd\n</error>\n"
        "    </testcase>\n  </testsuite>\n</testsuites>\n";
    char path[64], text[2048];
    struct pt__junit *junit;
    struct pt_error error;
    snprintf(path, sizeof path, "/tmp/partita-junit-%ld.xml", (long)getpid());
    cr_assert_eq(pt__junit_open(&junit, path, &error), PT_OK);
    add(junit, "a.yaml", "one", PT_VERDICT_PASSED, NULL);
    add(junit, "a.yaml", "<two> & \"x\"\001", PT_VERDICT_FAILED, "1 < 2");
    add(junit, "b.yaml", "three", PT_VERDICT_BROKEN, "odd");
    cr_assert_eq(pt__junit_close(junit, &error), PT_OK);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    cr_expect_str_eq(text, wanted);
}

/* Gates of a scenario that was run, or not. */
static void add_gates(struct pt__junit *junit, bool judged)
{
    struct pt_metric metric = {.name = "failed", .value = 3};
    struct pt_metric_group group = {.dimension = "", .label = "", .count = 1, .metrics = &metric};
    const struct pt_summary summary = {.group_count = 1, .groups = &group};
    const struct pt_scenario scenario = {.name = "one", .judged = judged};
    struct pt_gates gates = {0};
    cr_assert_eq(pt_gates_add(&gates, NULL, "failed > 2", "--fail-on", 0, 0, NULL), PT_OK);
    cr_assert_eq(pt_gates_add(&gates, "many", "failed < 2", "--fail-on", 0, 0, NULL), PT_OK);
    pt_gates_judge(&gates, judged ? &summary : NULL);
    for (size_t i = 0; i < gates.count; i++)
        cr_assert_eq(pt__junit_add_gate(junit, "a.yaml", &scenario, &gates.list[i]), PT_OK);
    pt_gates_fini(&gates);
}

Test(junit, writes_a_case_a_gate_with_what_was_got_and_the_limit)
{
    static const char wanted[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"partita\">\n"
        "  <testsuite name=\"a.yaml\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\" "
        "time=\"0.000000\">\n"
        "    <testcase classname=\"a.yaml\" name=\"one: failed &gt; 2\" time=\"0.000000\">\n"
        "      <failure message=\"got 3, limit &gt; 2\">got 3, limit &gt; 2</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"a.yaml\" name=\"one: many\" time=\"0.000000\"/>\n"
        "    <testcase classname=\"a.yaml\" name=\"one: failed &gt; 2\" time=\"0.000000\">\n"
        "      <skipped message=\"not judged\"/>\n    </testcase>\n"
        "    <testcase classname=\"a.yaml\" name=\"one: many\" time=\"0.000000\">\n"
        "      <skipped message=\"not judged\"/>\n    </testcase>\n"
        "  </testsuite>\n</testsuites>\n";
    char path[64], text[2048];
    struct pt__junit *junit;
    struct pt_error error;
    snprintf(path, sizeof path, "/tmp/partita-junit-gates-%ld.xml", (long)getpid());
    cr_assert_eq(pt__junit_open(&junit, path, &error), PT_OK);
    add_gates(junit, true);
    add_gates(junit, false);
    cr_assert_eq(pt__junit_close(junit, &error), PT_OK);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    cr_expect_str_eq(text, wanted);
}

Test(junit, refuses_an_unwritable_place)
{
    struct pt__junit *junit;
    struct pt_error error;
    cr_expect_eq(pt__junit_open(&junit, "/no/such/folder/x.xml", &error), PT_ERR_INPUT);
    cr_expect_null(junit);
    pt__junit_abandon(NULL);
}
