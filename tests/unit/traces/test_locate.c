#include "traces/locate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint32_t at(const char *path, uint32_t line, const char *name)
{
    return pt_locate_cell(path, line, name, strlen(name));
}

Test(locate, finds_where_a_cell_begins)
{
    char path[] = "/tmp/partita-locate-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("id,x_note,after\na,\"1\n2\",\n\nbb,,a|c\nb\n", file);
    fclose(file);
    cr_assert_eq(at(path, 5, "id"), 1);
    cr_assert_eq(at(path, 5, "after"), 5);
    cr_assert_eq(at(path, 2, "x_note"), 3);
    cr_assert_eq(at(path, 2, "after"), 0, "a cell of another line has a place there");
    cr_assert_eq(at(path, 3, "id"), 0, "no row begins in line 3");
    cr_assert_eq(at(path, 6, "after"), 0, "a row without that cell has it");
    cr_assert_eq(at(path, 9, "id"), 0);
    cr_assert_eq(at(path, 0, "id"), 0);
    cr_assert_eq(at(path, 5, "job"), 0);
    unlink(path);
    cr_assert_eq(at(path, 5, "id"), 0);
    cr_assert_eq(at(NULL, 5, "id"), 0);
}
