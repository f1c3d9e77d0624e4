#include "sim/experiment/messages.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

static void add(struct pt_messages *messages, bool warning, const char *file, uint32_t line,
                uint32_t column, const char *text, const char *source)
{
    struct pt_error error;
    (void)pt_fail_at(&error, PT_ERR_INPUT, file, line, column, "%s", text);
    pt_messages_add(messages, warning, &error, source, source ? strlen(source) : 0);
}

static void assert_printed(struct pt_messages *messages, bool color, const char *expected)
{
    char *text = printed(messages, color);
    cr_assert_str_eq(text, expected);
    free(text);
    pt_messages_fini(messages);
}

Test(messages, show_place_line_and_caret)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "a.yaml", 7, 5, "unknown key 'replcas'", "    replcas: 4");
    assert_printed(&messages, false,
                   "a.yaml:7:5: unknown key 'replcas'\n      replcas: 4\n      ^\n");
}

Test(messages, show_what_place_there_is)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "", 0, 0, "no file", NULL);
    add(&messages, false, "a.yaml", 0, 0, "no line", NULL);
    add(&messages, false, "b.csv", 3, 0, "no column", "1,2");
    add(&messages, true, "c.yaml", 1, 1, "of no effect", "");
    assert_printed(&messages, false,
                   "no file\na.yaml: no line\nb.csv:3: no column\nc.yaml:1:1: warning: of no "
                   "effect\n");
}

Test(messages, count_characters_not_bytes)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "a", 1, 4, "x", "\xc3\xa4\xc3\xb6\tb");
    assert_printed(&messages, false, "a:1:4: x\n  \xc3\xa4\xc3\xb6 b\n     ^\n");
}

Test(messages, show_control_characters_as_question_marks)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "a\x1b[2J", 1, 2, "b\x07",
        "\x1b"
        "c\x7f");
    assert_printed(&messages, false, "a?[2J:1:2: b?\n  ?c?\n   ^\n");
}

Test(messages, colour_the_place_and_the_caret)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "a", 1, 1, "x", "y");
    add(&messages, true, "a", 2, 1, "z", "w");
    assert_printed(&messages, true,
                   "\x1b[1ma:1:1: \x1b[0mx\n  y\n  \x1b[1;31m^\x1b[0m\n"
                   "\x1b[1ma:2:1: \x1b[0m\x1b[1;33mwarning: \x1b[0mz\n  w\n"
                   "  \x1b[1;33m^\x1b[0m\n");
}

Test(messages, cut_a_long_line_around_the_caret)
{
    size_t length = (size_t)100 << 20;
    char *line = malloc(length + 1);
    cr_assert_not_null(line);
    memset(line, '.', length);
    line[length] = '\0';
    line[5000000] = 'X';
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "a", 1, 5000001, "here", line);
    cr_assert_lt(strlen(messages.list[0].line), 130);
    cr_assert_eq(messages.list[0].line[messages.list[0].caret], 'X');
    pt_messages_fini(&messages);
    add(&messages, false, "a", 1, 3, "at its start", line);
    cr_assert_eq(messages.list[0].caret, 2);
    pt_messages_fini(&messages);
    free(line);
}

Test(messages, are_sorted_by_place_within_a_file)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, false, "b", 2, 1, "3", NULL);
    add(&messages, false, "b", 1, 9, "2", NULL);
    add(&messages, false, "b", 1, 2, "1", NULL);
    add(&messages, false, "a", 1, 1, "4", NULL);
    add(&messages, false, "a", 1, 1, "5", NULL);
    assert_printed(&messages, false, "b:1:2: 1\nb:1:9: 2\nb:2:1: 3\na:1:1: 4\na:1:1: 5\n");
}

Test(messages, keep_the_first_twenty_errors_and_count_the_rest)
{
    struct pt_messages messages;
    pt_messages_init(&messages);
    add(&messages, true, "a", 1, 1, "warning", NULL);
    for (uint32_t line = 40; line > 0; line--)
        add(&messages, false, "a", line, 1, "error", NULL);
    cr_assert_eq(messages.count, PT_MESSAGES_MAX);
    cr_assert_eq(messages.error_count, 40);
    cr_assert_eq(messages.dropped, 21);
    for (unsigned i = 0; i < PT_MESSAGES_MAX; i++)
        cr_assert_eq(messages.list[i].error.line, i + 1);
    add(&messages, true, "a", 1, 1, "a warning when errors fill it", NULL);
    add(&messages, false, "a", 99, 1, "an error behind the last", NULL);
    cr_assert_eq(messages.dropped, 23);
    char *text = printed(&messages, false);
    cr_assert_not_null(strstr(text, "\n... and 23 more\n"));
    free(text);
    pt_messages_fini(&messages);
}
