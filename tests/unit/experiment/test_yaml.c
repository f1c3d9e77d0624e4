#include "sim/experiment/yaml.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/experiment/support.h"

/* Parses a text; the messages, as printed without source lines, must be `expected`. */
static void parse(struct pt_yaml *yaml, const char *text, size_t length, const char *expected)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    pt_yaml_init(yaml);
    enum pt_status status = pt_yaml_parse(yaml, "t", text, length, &messages);
    cr_assert_eq(status, expected[0] ? PT_ERR_INPUT : PT_OK);
    for (unsigned i = 0; i < messages.count; i++) {
        free(messages.list[i].line);
        messages.list[i].line = NULL;
    }
    char *said = printed(&messages, false);
    cr_assert_str_eq(said, expected);
    free(said);
    pt_messages_fini(&messages);
}

static void assert_refused_yaml(const char *text, const char *expected)
{
    struct pt_yaml yaml;
    parse(&yaml, text, strlen(text), expected);
    pt_yaml_fini(&yaml);
}

Test(yaml, makes_a_tree_with_places)
{
    struct pt_yaml yaml;
    const char *text = "a: 1\nb: [x, 'y z',\n    {c: \"3\"}]\n";
    parse(&yaml, text, strlen(text), "");
    const struct pt_yaml_node *root = yaml.first_document;
    cr_assert_eq(root->kind, PT_YAML_MAP);
    cr_assert_eq(root->count, 2);
    const struct pt_yaml_node *b = pt_yaml_get(root, "b");
    cr_assert_eq(b->kind, PT_YAML_LIST);
    cr_assert_eq(b->key_place.line, 2);
    cr_assert_eq(b->key_place.column, 1);
    cr_assert_eq(b->place.column, 4);
    cr_assert(b->on_one_line);
    cr_assert_str_eq(b->first->text, "x");
    cr_assert_not(b->first->quoted);
    cr_assert_str_eq(b->first->next->text, "y z");
    cr_assert(b->first->next->quoted);
    const struct pt_yaml_node *c = pt_yaml_get(b->last, "c");
    cr_assert_str_eq(c->text, "3");
    cr_assert_eq(c->place.line, 3);
    cr_assert_eq(c->place.column, 9);
    cr_assert_null(pt_yaml_get(root, "d"));
    cr_assert_null(pt_yaml_get(c, "c"));
    cr_assert_null(pt_yaml_get(NULL, "c"));
    pt_yaml_fini(&yaml);
}

Test(yaml, keeps_several_documents)
{
    struct pt_yaml yaml;
    const char *text = "a: 1\n---\nb: 2\n---\n- 3\n";
    parse(&yaml, text, strlen(text), "");
    cr_assert_eq(yaml.document_count, 3);
    cr_assert_str_eq(yaml.first_document->next->first->key, "b");
    cr_assert_eq(yaml.first_document->next->next->kind, PT_YAML_LIST);
    pt_yaml_fini(&yaml);
}

Test(yaml, makes_nothing_of_nothing)
{
    const char *const texts[] = {"", "\n# a remark\n", "---\n", "~", "null", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pt_yaml yaml;
        parse(&yaml, texts[i], strlen(texts[i]), "");
        cr_assert(pt_yaml_is_nothing(yaml.first_document));
        pt_yaml_fini(&yaml);
    }
    struct pt_yaml yaml;
    parse(&yaml, "'null'", 6, "");
    cr_assert_not(pt_yaml_is_nothing(yaml.first_document));
    pt_yaml_fini(&yaml);
}

Test(yaml, skips_a_byte_order_mark)
{
    struct pt_yaml yaml;
    const char *text = "\xef\xbb\xbf"
                       "a: 1";
    parse(&yaml, text, strlen(text), "");
    cr_assert_eq(yaml.first_document->first->place.column, 4);
    pt_yaml_fini(&yaml);
}

Test(yaml, refuses_all_duplicate_keys)
{
    assert_refused_yaml("a: 1\nb: {c: 1, c: 2}\na: 3\n",
                        "t:2:11: duplicate key 'c' (first on line 2)\n"
                        "t:3:1: duplicate key 'a' (first on line 1)\n");
}

Test(yaml, tells_keys_of_different_maps_apart)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; i < 3000; i++)
        fprintf(stream, "k%d: {a: 1, b: 2}\n", i);
    fclose(stream);
    struct pt_yaml yaml;
    parse(&yaml, text, size, "");
    cr_assert_eq(yaml.first_document->count, 3000);
    pt_yaml_fini(&yaml);
    free(text);
}

Test(yaml, refuses_anchors_aliases_and_tags)
{
    assert_refused_yaml("a: &x 1\nb: *x\n", "t:1:4: anchors (&x) are not allowed\n");
    assert_refused_yaml("a: &x {b: 1}\n", "t:1:4: anchors (&x) are not allowed\n");
    assert_refused_yaml("a: &x [b]\n", "t:1:4: anchors (&x) are not allowed\n");
    assert_refused_yaml("b: *x\n", "t:1:4: aliases (*x) are not allowed\n");
    assert_refused_yaml("a: !!int 1\n", "t:1:4: tags (tag:yaml.org,2002:int) are not allowed\n");
    assert_refused_yaml("a: !x {}\n", "t:1:4: tags (!x) are not allowed\n");
    assert_refused_yaml("a: !x []\n", "t:1:4: tags (!x) are not allowed\n");
}

Test(yaml, refuses_keys_that_are_no_words)
{
    assert_refused_yaml("? [a]\n: 1\n", "t:1:3: a key must be a plain word\n");
    assert_refused_yaml("? {a: 1}\n: 1\n", "t:1:3: a key must be a plain word\n");
}

Test(yaml, says_the_first_syntax_error_with_its_place)
{
    assert_refused_yaml("a: [1, 2\nb: 3\n",
                        "t:2:2: YAML: did not find expected ',' or ']' (while parsing a flow "
                        "sequence that begins on line 1)\n");
    assert_refused_yaml(
        "a: 1\n\tb: 2\n",
        "t:2:1: YAML: found a tab character that violates indentation (while scanning "
        "a plain scalar that begins on line 1)\n");
}

Test(yaml, refuses_what_is_no_text)
{
    struct pt_yaml yaml;
    parse(&yaml, "a: 1\nb: \x01", 9, "t:2:4: not YAML text: control characters are not allowed\n");
    pt_yaml_fini(&yaml);
    parse(&yaml, "a\0b", 3, "t:1:2: not YAML text: control characters are not allowed\n");
    pt_yaml_fini(&yaml);
    parse(&yaml, "a: \xff\xfe", 5, "t:1:4: not YAML text: invalid leading UTF-8 octet\n");
    pt_yaml_fini(&yaml);
    assert_refused_yaml("a: \"\\0\"", "t:1:4: a text with a NUL character\n");
}

Test(yaml, nests_64_deep_and_no_deeper)
{
    char text[2 * PT_YAML_DEPTH_MAX + 3];
    memset(text, '[', PT_YAML_DEPTH_MAX);
    memset(text + PT_YAML_DEPTH_MAX, ']', PT_YAML_DEPTH_MAX);
    struct pt_yaml yaml;
    parse(&yaml, text, 2 * PT_YAML_DEPTH_MAX, "");
    pt_yaml_fini(&yaml);
    memset(text, '[', sizeof text);
    parse(&yaml, text, sizeof text, "t:1:65: nested deeper than 64\n");
    pt_yaml_fini(&yaml);
}

Test(yaml, refuses_200000_brackets_at_once, .timeout = 60)
{
    static char text[200000];
    memset(text, '[', sizeof text);
    struct pt_yaml yaml;
    parse(&yaml, text, sizeof text, "t:1:65: nested deeper than 64\n");
    cr_assert_lt(yaml.node_count, 100);
    pt_yaml_fini(&yaml);
}

Test(yaml, refuses_more_text_and_more_values_than_people_write, .timeout = 60)
{
    size_t length = PT_YAML_BYTES_MAX + 1;
    char *text = malloc(length);
    memset(text, ' ', length);
    struct pt_yaml yaml;
    parse(&yaml, text, length, "t: larger than 16 MiB (many jobs belong in a trace file)\n");
    pt_yaml_fini(&yaml);
    length = 2 * (size_t)PT_YAML_NODES_MAX + 4;
    for (size_t i = 0; i < length; i += 2)
        memcpy(text + i, "a,", 2);
    text[0] = '[';
    text[1] = '\n'; /* lines are short, places are cheap */
    for (size_t i = 1000; i < length; i += 1000)
        text[i + 1] = '\n', text[i] = ',';
    text[length - 1] = ']';
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_yaml_parse(&yaml, "t", text, length, &messages), PT_ERR_INPUT);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
    free(text);
}

Test(yaml, loads_files_and_says_why_not)
{
    struct pt_yaml yaml = {0};
    struct pt_messages messages;
    pt_messages_init(&messages);
    cr_assert_eq(pt_yaml_load(&yaml, "/nonesuch/a.yaml", &messages), PT_ERR_INPUT);
    cr_assert_eq(pt_yaml_load(&yaml, "/", &messages), PT_ERR_INPUT);
    char *said = printed(&messages, false);
    cr_assert_str_eq(said, "/nonesuch/a.yaml: can't be opened: No such file or directory\n"
                           "/: can't be read: Is a directory\n");
    free(said);
    pt_messages_fini(&messages);
    char path[] = "/tmp/partita-yaml-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    char *text = malloc(70000); /* more than one read */
    memset(text, '#', 70000);
    memcpy(text, "a: 1\n", 5);
    cr_assert_eq(write(file, text, 70000), 70000);
    close(file);
    free(text);
    cr_assert_eq(pt_yaml_load(&yaml, path, &messages), PT_OK);
    cr_assert_str_eq(yaml.first_document->first->text, "1");
    cr_assert_eq(yaml.length, 70000);
    unlink(path);
    pt_yaml_fini(&yaml);
    pt_messages_fini(&messages);
}

Test(yaml, finds_lines_after_every_kind_of_break)
{
    struct pt_yaml yaml;
    struct pt_messages messages;
    const char *text = "a: 1\r\nb: 2\rc: 3\xc2\x85"
                       "d: 4\xe2\x80\xa8"
                       "e: 5\nf: 6";
    pt_messages_init(&messages);
    pt_yaml_init(&yaml);
    cr_assert_eq(pt_yaml_parse(&yaml, "t", text, strlen(text), &messages), PT_OK);
    for (const struct pt_yaml_node *node = yaml.first_document->first; node; node = node->next) {
        pt_yaml_say(&yaml, &messages, true, node->place, "here");
        const struct pt_message *last = &messages.list[messages.count - 1];
        cr_assert_eq(last->line[0], node->key[0]);
        cr_assert_eq(strlen(last->line), 4);
        cr_assert_eq(last->caret, 3);
    }
    cr_assert_eq(messages.count, 6);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
}

static void assert_written(const char *text, const char *expected)
{
    struct pt_yaml yaml;
    struct pt_error error;
    char *out;
    size_t length;
    parse(&yaml, text, strlen(text), "");
    cr_assert_eq(pt_yaml_write(&out, &length, yaml.first_document, &error), PT_OK);
    cr_assert_str_eq(out, expected);
    cr_assert_eq(strlen(out), length);
    free(out);
    pt_yaml_fini(&yaml);
}

Test(yaml, writes_trees_as_they_were)
{
    assert_written("a:   1\nb:\n- x\n-   {c: '2', d: [3,4]}\ne: {}\n",
                   "a: 1\nb:\n- x\n- {c: '2', d: [3, 4]}\ne: {}\n");
}

Test(yaml, quotes_what_would_not_read_back)
{
    assert_written("a: ': '\nb: '# x'\nc: ''\nd: \"l\\nm\"\n",
                   "a: ': '\nb: '# x'\nc: ''\nd: 'l\n\n  m'\n");
}

Test(yaml, never_folds_a_line)
{
    char text[4000] = "a: ";
    for (size_t i = 3; i < sizeof text - 2; i++)
        text[i] = i % 7 == 6 ? ' ' : 'x';
    text[sizeof text - 2] = 'x';
    text[sizeof text - 1] = '\0';
    char expected[4100];
    snprintf(expected, sizeof expected, "%s\n", text);
    assert_written(text, expected);
}

Test(yaml, edits_children_in_their_order)
{
    struct pt_yaml yaml;
    const struct pt_yaml_place place = {"t", 1, 1};
    const char *text = "[a, b, c]";
    parse(&yaml, text, strlen(text), "");
    struct pt_yaml_node *list = yaml.first_document;
    struct pt_yaml_node *fresh = pt_yaml_new_scalar(&yaml, place, "d", 1);
    pt_yaml_replace(list, list->last, fresh);
    cr_assert_eq(list->last, fresh);
    cr_assert_eq(list->first->next->next, fresh);
    pt_yaml_remove(list, list->first);
    cr_assert_str_eq(list->first->text, "b");
    pt_yaml_remove(list, fresh);
    cr_assert_eq(list->last, list->first);
    cr_assert_eq(list->count, 1);
    pt_yaml_remove(list, fresh); /* not there any more */
    pt_yaml_replace(list, fresh, fresh);
    cr_assert_eq(list->count, 1);
    pt_yaml_append(list, fresh);
    cr_assert_eq(list->last, fresh);
    pt_yaml_fini(&yaml);
}

Test(yaml, copies_one_document_with_its_places)
{
    struct pt_yaml yaml, copy;
    const char *text = "a: 1\n---\nb: {c: ['x']}\n";
    parse(&yaml, text, strlen(text), "");
    pt_yaml_init(&copy);
    cr_assert(pt_yaml_copy(&copy, &yaml, yaml.first_document->next));
    pt_yaml_fini(&yaml);
    const struct pt_yaml_node *b = pt_yaml_get(copy.first_document, "b");
    cr_assert_eq(b->key_place.line, 3);
    cr_assert_str_eq(b->key_place.file, "t");
    cr_assert_eq(b->key_place.file, copy.file);
    cr_assert(b->on_one_line);
    cr_assert(pt_yaml_get(b, "c")->first->quoted);
    cr_assert_str_eq(pt_yaml_get(b, "c")->first->text, "x");
    cr_assert_str_eq(copy.text, text);
    pt_yaml_fini(&copy);
}

Test(yaml, knows_text_when_it_sees_it)
{
    const char *const good[] = {"", "a b\tc\nd\r", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    const char *const bad[] = {"\x01",
                               "\x7f",
                               "\xff",
                               "\x80",
                               "\xc3",
                               "\xc0\x80",
                               "\xe0\x80\x80",
                               "\xed\xa0\x80",
                               "\xf0\x80\x80\x80",
                               "\xf4\x90\x80\x80",
                               "\xe2\x82",
                               "\xf5\x80\x80\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(pt_yaml_is_text(good[i], strlen(good[i])), "%zu", i);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(pt_yaml_is_text(bad[i], strlen(bad[i])), "%zu", i);
    cr_assert_not(pt_yaml_is_text("a\0b", 3));
}
