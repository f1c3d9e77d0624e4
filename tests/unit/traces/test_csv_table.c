#include "traces/csv_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct pt_csv_table *table_of(const char *text)
{
    struct pt_csv_table *table = NULL;
    struct pt_error error;
    cr_assert_eq(pt_csv_table_read_memory(&table, "m.csv", text, strlen(text), &error), PT_OK, "%s",
                 error.message);
    return table;
}

Test(csv_table, cells_know_their_texts_and_places)
{
    struct pt_csv_table *table = table_of("\xef\xbb\xbf"
                                          "a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n,2.5");
    cr_assert_eq(table->column_count, 2);
    cr_assert_eq(table->row_count, 2);
    cr_expect_str_eq(table->file, "m.csv");
    cr_expect_str_eq(table->header[0].text, "a");
    cr_expect_eq(pt_csv_table_column(table, "b"), 1);
    cr_expect_eq(pt_csv_table_column(table, "c"), PT_NONE);
    const struct pt_csv_cell *cell = pt_csv_table_cell(table, 0, 1);
    cr_expect_str_eq(cell->text, "x, \"y\"\nz");
    cr_expect_eq(cell->length, 8);
    cr_expect_eq(cell->line, 2);
    cr_expect_eq(cell->column, 3);
    cell = pt_csv_table_cell(table, 1, 0);
    cr_expect_str_eq(cell->text, "");
    cr_expect_eq(cell->line, 5);
    cr_expect_eq(pt_csv_table_cell(table, 1, 1)->column, 2);
    pt_csv_table_free(table);
    pt_csv_table_free(NULL);
}

Test(csv_table, many_rows_are_kept)
{
    enum { ROWS = 5000 };
    static char text[ROWS * 16 + 16];
    size_t length = (size_t)sprintf(text, "n,m\n");
    for (int k = 0; k < ROWS; k++)
        length += (size_t)sprintf(text + length, "%d,%d\n", k, 2 * k);
    struct pt_csv_table *table = table_of(text);
    struct pt_error error;
    cr_assert_eq(table->row_count, ROWS);
    for (uint32_t k = 0; k < ROWS; k++) {
        double value;
        cr_assert_eq(pt_csv_table_number(&value, table, k, 1, 0, 1e9, &error), PT_OK);
        cr_assert_eq(value, 2.0 * k);
        cr_assert_eq(pt_csv_table_cell(table, k, 0)->line, k + 2);
    }
    pt_csv_table_free(table);
}

static void expect_refused(const char *text, uint32_t line, uint32_t column, const char *says)
{
    struct pt_csv_table *table = (struct pt_csv_table *)1;
    struct pt_error error;
    cr_assert_eq(pt_csv_table_read_memory(&table, "m.csv", text, strlen(text), &error),
                 PT_ERR_INPUT, "%s", text);
    cr_expect_null(table);
    cr_expect_str_eq(error.file, "m.csv");
    cr_expect_eq(error.line, line, "%s: line %u", text, error.line);
    cr_expect_eq(error.column, column, "%s: column %u", text, error.column);
    cr_expect(strstr(error.message, says), "%s: %s", text, error.message);
}

Test(csv_table, what_is_no_table_is_refused_with_its_place)
{
    expect_refused("", 1, 0, "no header");
    expect_refused("a,,b\n", 1, 3, "column 2 of the header has no name");
    expect_refused("a,b,a\n", 1, 5, "named twice: 'a'");
    expect_refused("a,b\n1,2\n1\n", 3, 1, "has 1 cell, the header 2");
    expect_refused("a,b\n1,2,3\n", 2, 1, "has 3 cells, the header 2");
    expect_refused("a,b\n1,\"2\n", 2, 0, "never closed");
    expect_refused("a,b\n1,x\"2\"\n", 2, 3, "quote");
    struct pt_csv_table *table = NULL;
    struct pt_error error;
    cr_expect_eq(pt_csv_table_read(&table, "/nowhere/at/all.csv", &error), PT_ERR_INPUT);
    cr_expect_null(table);
    cr_expect_str_eq(error.file, "/nowhere/at/all.csv");
}

Test(csv_table, numbers_out_of_range_are_refused_with_their_place)
{
    static const struct {
        const char *cell, *says;
    } cases[] = {{"", "x '' is empty"},    {"7z", "x '7z' "},         {"nan", "x 'nan' "},
                 {"-1", "is less than 0"}, {"11", "is more than 10"}, {"0x1", "x '0x1' "}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[32];
        double value;
        struct pt_error error;
        snprintf(text, sizeof text, "a,x\n1,%s\n", cases[k].cell);
        struct pt_csv_table *table = table_of(text);
        cr_expect_eq(pt_csv_table_number(&value, table, 0, 1, 0, 10, &error), PT_ERR_INPUT);
        cr_expect(strstr(error.message, cases[k].says), "%s", error.message);
        cr_expect_eq(error.line, 2);
        cr_expect_eq(error.column, 3);
        pt_csv_table_free(table);
    }
}
