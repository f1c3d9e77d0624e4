#include "sim/experiment/group.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/experiment/describe.h"
#include "sim/experiment/set.h"
#include "tests/unit/experiment/support.h"

/* A schema with maps of parameters and lists of words, which no file has. */
static const char *const kinds[] = {"none", "half", "full", NULL};
static const struct pt_param plain_params[] = {
    {"size", PT_PARAM_INT, "", "1", "1", "9", NULL, "how large it is"},
    {"layout", PT_PARAM_WORDS, "", "", NULL, NULL, NULL, "what it is made of"},
    {"inside.kind", PT_PARAM_CHOICE, "", "none", NULL, NULL, kinds, "how it is cut"},
    {"inside.count", PT_PARAM_INT, "", "2", "1", "7", NULL, "into how many"},
    {"inside.note", PT_PARAM_INT, "", "", NULL, NULL, NULL, "may be absent"},
    {"last", PT_PARAM_BOOL, "", "true", NULL, NULL, NULL, "whether it is the last"},
    {0}};
static const struct pt_param other_params[] = {
    {"table.file", PT_PARAM_TEXT, "", NULL, "1", NULL, NULL, "where it is"},
    {"table.words", PT_PARAM_WORDS, "", "a, b", "1", NULL, NULL, "at least one"},
    {"size", PT_PARAM_INT, "", "1", "1", "9", NULL, "how large it is"},
    {0}};

static const char *thing_name(size_t index)
{
    static const char *const names[] = {"plain", "other", NULL};
    return names[index];
}

static const char *thing_summary(size_t index)
{
    return thing_name(index);
}

static const struct pt_param *thing_params(size_t index)
{
    return index == 0 ? plain_params : other_params;
}

static const struct pt_pick pick = {"thing", thing_name, thing_summary, thing_params, false};
static const struct pt_row rows[] = {
    {.param = {"kind", PT_PARAM_TEXT, "", "plain", "1", NULL, NULL, "which thing"},
     .shape = PT_SHAPE_SCALAR},
    {.param = {.name = NULL}}};
static const struct pt_schema thing = {"thing", rows, true, &pick, NULL};

struct checked {
    struct pt_yaml yaml;
    struct pt_messages messages;
    struct pt_yaml_node *normal;
    enum pt_status status;
    char *text; /* the normal tree, or the messages */
};

static void check(struct checked *checked, const char *text, const char *set)
{
    *checked = (struct checked){0};
    pt_messages_init(&checked->messages);
    pt_yaml_init(&checked->yaml);
    cr_assert_eq(pt_yaml_parse(&checked->yaml, "test.yaml", text, strlen(text), &checked->messages),
                 PT_OK);
    struct pt_yaml_node *root = checked->yaml.first_document;
    checked->status =
        pt_set_apply(&checked->yaml, root, &thing, &set, set ? 1 : 0, &checked->messages);
    if (checked->status == PT_OK)
        checked->status = pt_schema_check(&checked->normal, &checked->yaml, &thing, root, NULL,
                                          &checked->messages);
    struct pt_error error;
    size_t length;
    if (checked->status == PT_OK)
        cr_assert_eq(pt_yaml_write(&checked->text, &length, checked->normal, &error), PT_OK);
    else
        checked->text = strdup(checked->messages.list[0].error.message);
}

static void done(struct checked *checked)
{
    free(checked->text);
    pt_messages_fini(&checked->messages);
    pt_yaml_fini(&checked->yaml);
}

static void assert_normal(const char *text, const char *set, const char *normal)
{
    struct checked first, second;
    check(&first, text, set);
    cr_assert_eq(first.status, PT_OK, "%s %s: %s", text, set ? set : "", first.text);
    cr_assert_str_eq(first.text, normal);
    check(&second, first.text, NULL); /* it loads to itself */
    cr_assert_eq(second.status, PT_OK, "%s: %s", first.text, second.text);
    cr_assert_str_eq(second.text, normal);
    done(&first);
    done(&second);
}

static void assert_wrong(const char *text, const char *set, const char *message)
{
    struct checked checked;
    check(&checked, text, set);
    cr_assert_eq(checked.status, PT_ERR_INPUT, "%s %s", text, set ? set : "");
    cr_assert_str_eq(checked.text, message);
    done(&checked);
}

#define DEFAULTS(layout, inside)                                                                   \
    "kind: plain\nsize: 1\nlayout: " layout "\ninside:\n" inside "last: true\n"

Test(group, a_dot_makes_a_map)
{
    assert_normal("{}", NULL, DEFAULTS("[]", "  kind: none\n  count: 2\n"));
    assert_normal("inside: {count: 5, note: 3}", NULL,
                  DEFAULTS("[]", "  kind: none\n  count: 5\n  note: 3\n"));
    assert_normal("inside: half", NULL, DEFAULTS("[]", "  kind: half\n  count: 2\n"));
    assert_normal("{kind: other, table: x.csv}", NULL,
                  "kind: other\ntable:\n  file: x.csv\n  words: [a, b]\nsize: 1\n");
}

Test(group, set_reaches_into_the_map)
{
    assert_normal("{}", "inside.count=3", DEFAULTS("[]", "  kind: none\n  count: 3\n"));
    assert_normal("inside: half", "inside.count=3", DEFAULTS("[]", "  kind: half\n  count: 3\n"));
    assert_normal("inside: {count: 4}", "inside=full",
                  DEFAULTS("[]", "  kind: full\n  count: 2\n"));
    assert_normal("{}", "inside={kind: half}", DEFAULTS("[]", "  kind: half\n  count: 2\n"));
    assert_wrong("{}", "inside.cuont=3", "unknown key 'cuont' (did you mean 'count'?)");
    assert_wrong("{}", "inside.count.more=3", "'count' is a single value: nothing is inside it");
    assert_wrong("{}", "inside=[a]", "'inside' must be a map (key: value), not a list");
}

Test(group, says_what_is_wrong_in_the_map)
{
    assert_wrong("inside: {kind: hlaf}", NULL, "kind: 'hlaf' is unknown (did you mean 'half'?)");
    assert_wrong("inside: {count: 8}", NULL, "count: '8' is too large: at most 7");
    assert_wrong("inside: {counts: 8}", NULL, "unknown key 'counts' (did you mean 'count'?)");
    assert_wrong("inside: [half]", NULL, "'inside' must be a map (key: value), not a list");
    assert_wrong("insides: half", NULL, "unknown key 'insides' (did you mean 'inside'?)");
    assert_wrong("inside.kind: half", NULL, "unknown key 'inside.kind': write inside: {kind: ...}");
    assert_wrong("count: 3", NULL, "unknown key 'count' (did you mean 'inside.count'?)");
    assert_wrong("kind: other", NULL, "missing key 'table'");
    assert_wrong("{kind: other, table: {words: x}}", NULL, "missing key 'file'");
}

Test(group, says_whose_key_it_is)
{
    assert_wrong("table: 5", NULL, "unknown key 'table' of thing 'plain': 'other' has it");
    assert_wrong("{kind: other, table: 5, lsat: 5}", NULL,
                 "unknown key 'lsat' of thing 'other' (did you mean 'last'? 'plain' has it)");
    assert_wrong("{}", "tabel.file=5",
                 "unknown key 'tabel' of thing 'plain' (did you mean 'table'? 'other' has it)");
    assert_wrong("{kind: other, table: 5, zzz: 5}", NULL, "unknown key 'zzz' of thing");
}

Test(group, words_are_one_or_a_list)
{
    assert_normal("layout: all", NULL, DEFAULTS("all", "  kind: none\n  count: 2\n"));
    assert_normal("layout: [all]", NULL, DEFAULTS("all", "  kind: none\n  count: 2\n"));
    assert_normal("layout: [1g.10gb, x, x]", NULL,
                  DEFAULTS("['1g.10gb', x, x]", "  kind: none\n  count: 2\n"));
    assert_normal("layout: '1g, x,x'", NULL,
                  DEFAULTS("['1g', x, x]", "  kind: none\n  count: 2\n"));
    assert_normal("layout: []", NULL, DEFAULTS("[]", "  kind: none\n  count: 2\n"));
    assert_normal("layout: x", "layout=a,b", DEFAULTS("[a, b]", "  kind: none\n  count: 2\n"));
    assert_normal("{}", "layout=[a, 'b']", DEFAULTS("[a, b]", "  kind: none\n  count: 2\n"));
    assert_wrong("layout: [a, [b]]", NULL, "'layout' must hold words, not a list");
    assert_wrong("layout: [a, '']", NULL, "'layout' must hold words, not nothing");
    assert_wrong("layout: [a, ~]", NULL, "'layout' must hold words, not nothing");
    assert_wrong("layout: 'a,,b'", NULL, "layout: 'a,,b' has an empty word");
    assert_wrong("layout: {a: b}", NULL, "'layout' must be a word or a list of words, not a map");
    assert_wrong("layout:", NULL, "'layout' must be a word or a list of words, not nothing");
    assert_wrong("{kind: other, table: {file: x, words: []}}", NULL, "'words' is empty");
}

Test(group, values_stand_in_the_order_of_the_table)
{
    struct checked checked;
    check(&checked, "{layout: [a, b], inside: {kind: full}, last: false}", NULL);
    struct pt_value *values = pt_schema_values(&checked.yaml, plain_params, checked.normal);
    cr_assert_not_null(values);
    cr_assert_eq(values[0].integer, 1);
    cr_assert_str_eq(values[1].text, "a,b");
    cr_assert_eq(values[2].integer, 2);
    cr_assert_eq(values[3].integer, 2);
    cr_assert_null(values[4].text);
    cr_assert_eq(values[5].integer, 0);
    done(&checked);
}

Test(group, the_schemas_for_readers_have_the_map)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct pt_yaml yaml;
    struct pt_messages messages;
    pt_describe_json(stream, &thing, NULL);
    fclose(stream);
    pt_messages_init(&messages);
    pt_yaml_init(&yaml);
    cr_assert_eq(pt_yaml_parse(&yaml, "schema", text, strlen(text), &messages), PT_OK);
    const struct pt_yaml_node *branch =
        pt_yaml_get(yaml.first_document, "anyOf")->first->next; /* the first is the short form */
    const struct pt_yaml_node *inside = pt_yaml_get(pt_yaml_get(branch, "properties"), "inside");
    const struct pt_yaml_node *whole = pt_yaml_get(inside, "anyOf")->first->next;
    cr_assert_not_null(pt_yaml_get(pt_yaml_get(whole, "properties"), "count"));
    cr_assert_not_null(strstr(pt_yaml_get(inside, "description")->text, "kind, count, note"));
    const struct pt_yaml_node *layout = pt_yaml_get(pt_yaml_get(branch, "properties"), "layout");
    cr_assert_str_eq(pt_yaml_get(pt_yaml_get(layout, "anyOf")->last, "type")->text, "array");
    const struct pt_yaml_node *required =
        pt_yaml_get(pt_yaml_get(yaml.first_document, "anyOf")->last, "required");
    cr_assert_str_eq(required->first->text, "kind");
    cr_assert_str_eq(required->last->text, "table");
    pt_yaml_fini(&yaml);
    pt_messages_fini(&messages);
    free(text);
    text = NULL;
    stream = open_memstream(&text, &size);
    pt_describe_keys(stream, &thing, PT_DESCRIBE_MARKDOWN);
    fclose(stream);
    cr_assert_not_null(
        strstr(text, "| `inside.count (plain)` | a whole number, 1 to 7 | 2 | into how many |\n"));
    cr_assert_not_null(
        strstr(text, "| `table.words (other)` | a word or a list of words | a, b |"));
    free(text);
}
