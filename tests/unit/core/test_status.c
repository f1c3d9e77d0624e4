#include "partita/status.h"

#include <criterion/criterion.h>
#include <string.h>

Test(status, fail_fills_the_error_and_returns_the_status)
{
    struct pt_error error;
    cr_assert_eq(pt_fail(&error, PT_ERR_IO, "disk %d is %s", 7, "full"), PT_ERR_IO);
    cr_assert_eq(error.status, PT_ERR_IO);
    cr_assert_str_eq(error.message, "disk 7 is full");
    cr_assert_str_eq(error.file, "");
    cr_assert_eq(error.line, 0);
    cr_assert_eq(pt_fail(NULL, PT_ERR_INPUT, "nobody listens"), PT_ERR_INPUT);
}

Test(status, fail_at_keeps_the_place)
{
    struct pt_error error;
    cr_assert_eq(pt_fail_at(&error, PT_ERR_INPUT, "a.csv", 7, 5, "wrong"), PT_ERR_INPUT);
    cr_assert_str_eq(error.file, "a.csv");
    cr_assert_eq(error.line, 7);
    cr_assert_eq(error.column, 5);
    /* The file may be the error's own. */
    cr_assert_eq(pt_fail_at(&error, PT_ERR_INPUT, error.file, 8, 1, "again"), PT_ERR_INPUT);
    cr_assert_str_eq(error.file, "a.csv");
}

Test(status, an_error_about_a_parameter_names_it)
{
    struct pt_error error;
    cr_assert_eq(pt_fail_param(&error, "defragment.moves", 2, "'%d' is wrong", 7), PT_ERR_INPUT);
    cr_assert_eq(error.status, PT_ERR_INPUT);
    cr_assert_str_eq(error.message, "defragment.moves: '7' is wrong");
    cr_assert_str_eq(error.key, "defragment.moves");
    cr_assert_eq(error.word, 2);
    pt_error_in(&error, "placement");
    cr_assert_str_eq(error.key, "placement.defragment.moves");
    cr_assert_eq(pt_fail(&error, PT_ERR_INPUT, "of none"), PT_ERR_INPUT);
    cr_assert_str_eq(error.key, "");
    cr_assert_eq(error.word, PT_ERROR_WHOLE);
    pt_error_in(&error, "placement");
    cr_assert_str_eq(error.key, "");
    cr_assert_eq(pt_fail_param(NULL, "key", 0, "nobody listens"), PT_ERR_INPUT);
    pt_error_in(NULL, "placement");
}

Test(status, long_texts_are_cut)
{
    char text[2 * PT_ERROR_MESSAGE_MAX];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct pt_error error;
    cr_assert_eq(pt_fail_at(&error, PT_ERR_INPUT, text, 1, 1, "%s", text), PT_ERR_INPUT);
    cr_assert_eq(strlen(error.message), PT_ERROR_MESSAGE_MAX - 1);
    cr_assert_eq(strlen(error.file), PT_ERROR_FILE_MAX - 1);
}

Test(status, every_status_has_a_name_a_text_and_an_exit_code)
{
    cr_assert_str_eq(pt_status_name(PT_ERR_DEADLOCK), "PT_ERR_DEADLOCK");
    cr_assert_str_eq(pt_status_name((enum pt_status) - 99), "PT_ERR_UNKNOWN");
    cr_assert_str_eq(pt_status_text(PT_OK), "done");
    cr_assert_str_eq(pt_status_text((enum pt_status) - 99), "unknown error");
    cr_assert_eq(pt_status_exit_code(PT_OK), 0);
    cr_assert_eq(pt_status_exit_code(PT_ERR_INPUT), 2);
    cr_assert_eq(pt_status_exit_code(PT_ERR_IO), 3);
    cr_assert_eq(pt_status_exit_code(PT_ERR_POLICY), 4);
    cr_assert_eq(pt_status_exit_code(PT_ERR_INTERRUPTED), 130);
    cr_assert_eq(pt_status_exit_code((enum pt_status) - 99), 3);
}
