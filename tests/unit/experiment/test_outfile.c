#include "sim/experiment/outfile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/partita-outfile-XXXXXX";
static char path[64], partial[80];

static void enter(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(partial, sizeof partial, "%s.partial", path);
}

static void leave(void)
{
    unlink(path);
    unlink(partial);
    cr_expect_eq(rmdir(folder), 0, "something is left behind");
}

static const char *content(const char *name)
{
    static char text[64];
    FILE *file = fopen(name, "r");
    if (!file) return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void write_old(void)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("old", file);
    fclose(file);
}

TestSuite(outfile, .init = enter, .fini = leave);

Test(outfile, appears_when_whole)
{
    struct pt_outfile file;
    struct pt_error error;
    cr_assert_eq(pt_outfile_open(&file, path, &error), PT_OK);
    fputs("new", file.stream);
    cr_expect_eq(pt_outfile_check(&file, &error), PT_OK);
    cr_expect_neq(access(path, F_OK), 0);
    cr_assert_eq(pt_outfile_close(&file, false, &error), PT_OK);
    cr_expect_str_eq(content(path), "new");
}

Test(outfile, leaves_the_old_one_when_given_up)
{
    struct pt_outfile file;
    struct pt_error error;
    write_old();
    cr_assert_eq(pt_outfile_open(&file, path, &error), PT_OK);
    fputs("new", file.stream);
    pt_outfile_abandon(&file);
    cr_expect_str_eq(content(path), "old");
}

Test(outfile, puts_a_part_beside_the_whole)
{
    struct pt_outfile file;
    struct pt_error error;
    write_old();
    cr_assert_eq(pt_outfile_open(&file, path, &error), PT_OK);
    fputs("part", file.stream);
    cr_assert_eq(pt_outfile_close(&file, true, &error), PT_OK);
    cr_expect_str_eq(content(path), "old");
    cr_expect_str_eq(content(partial), "part");
}

Test(outfile, refuses_what_cannot_be_written)
{
    struct pt_outfile file;
    struct pt_error error;
    cr_expect_eq(pt_outfile_open(&file, "/no/such/folder/out", &error), PT_ERR_INPUT);
    cr_expect_str_eq(error.file, "/no/such/folder/out");
    pt_outfile_abandon(&(struct pt_outfile){0});
}

Test(outfile, notices_a_full_disk)
{
    struct pt_outfile file;
    struct pt_error error;
    if (access("/dev/full", W_OK) != 0) cr_skip_test("no /dev/full here");
    cr_assert_eq(pt_outfile_open(&file, "/dev/full", &error), PT_OK);
    fputs("new", file.stream);
    cr_expect_eq(pt_outfile_close(&file, false, &error), PT_ERR_IO);
    cr_expect_str_eq(error.file, "/dev/full");
}

Test(outfile, keeps_a_link)
{
    struct pt_outfile file;
    struct pt_error error;
    char link_path[96];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    write_old();
    cr_assert_eq(symlink("out", link_path), 0);
    cr_assert_eq(pt_outfile_open(&file, link_path, &error), PT_OK);
    fputs("new", file.stream);
    cr_assert_eq(pt_outfile_close(&file, false, &error), PT_OK);
    cr_expect_str_eq(content(path), "new");
    cr_expect_eq(unlink(link_path), 0, "the link is gone");
}

Test(outfile, tells_two_outputs_apart)
{
    struct pt_error error;
    char other[96], dotted[96];
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(dotted, sizeof dotted, "%s/./out", folder);
    cr_expect_eq(pt_outfile_apart(path, NULL, &error), PT_OK);
    cr_expect_eq(pt_outfile_apart(path, other, &error), PT_OK);
    cr_expect_eq(pt_outfile_apart("/dev/null", "/dev/null", &error), PT_OK);
    cr_expect_eq(pt_outfile_apart(path, dotted, &error), PT_ERR_INPUT, "not there yet");
    write_old();
    cr_expect_eq(pt_outfile_apart(path, dotted, &error), PT_ERR_INPUT);
    cr_expect_eq(pt_outfile_apart(path, other, &error), PT_OK);
}

Test(outfile, refuses_an_empty_name)
{
    struct pt_outfile file;
    struct pt_error error;
    cr_expect_eq(pt_outfile_open(&file, "", &error), PT_ERR_INPUT);
}
