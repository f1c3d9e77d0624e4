#include "traces/csv_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "traces/csv.h"

enum { COLUMNS_MAX = 256, SHOWN_MAX = 60 };

/* The texts of one record. */
struct block {
    struct block *next;
    char text[];
};

struct owned {
    struct pt_csv_table table; /* first: a table is freed as what it lies in */
    struct pt_csv_cell *cells; /* the header, then the rows */
    size_t cell_count, cell_capacity;
    struct block *blocks;
    char *file;
};

static enum pt_status no_memory(const char *file, struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_MEMORY, file, 0, 0, "out of memory");
}

static enum pt_status make_room(struct owned *owned, uint32_t more, struct pt_error *error)
{
    if (owned->cell_count + more <= owned->cell_capacity) return PT_OK;
    size_t capacity = 2 * owned->cell_capacity + more;
    struct pt_csv_cell *grown = realloc(owned->cells, capacity * sizeof *grown);
    if (!grown) return no_memory(owned->file, error);
    owned->cells = grown;
    owned->cell_capacity = capacity;
    return PT_OK;
}

/* Keeps a record's cells with texts of their own. */
static enum pt_status keep(struct owned *owned, const struct pt__cell *cells, uint32_t count,
                           struct pt_error *error)
{
    size_t length = 0;
    PT_TRY(make_room(owned, count, error));
    for (uint32_t k = 0; k < count; k++)
        length += cells[k].length + 1;
    struct block *block = malloc(sizeof *block + length);
    if (!block) return no_memory(owned->file, error);
    block->next = owned->blocks;
    owned->blocks = block;
    char *at = block->text;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(at, cells[k].text, cells[k].length);
        at[cells[k].length] = '\0';
        owned->cells[owned->cell_count++] =
            (struct pt_csv_cell){at, (uint32_t)cells[k].length, cells[k].line, cells[k].column};
        at += cells[k].length + 1;
    }
    return PT_OK;
}

static enum pt_status check_header(const struct owned *owned, const struct pt__csv *csv,
                                   const struct pt__cell *cells, struct pt_error *error)
{
    for (uint32_t k = 0; k < owned->table.column_count; k++) {
        if (cells[k].length == 0)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file, cells[k].line, cells[k].column,
                              "column %u of the header has no name", k + 1);
        for (uint32_t i = 0; i < k; i++)
            if (strcmp(owned->cells[i].text, owned->cells[k].text) == 0)
                return pt__csv_fail_cell(error, csv, &cells[k], "column named twice:", "");
    }
    return PT_OK;
}

static enum pt_status read_all(struct owned *owned, struct pt__csv *csv, struct pt_error *error)
{
    struct pt__record record;
    struct pt__cell cells[COLUMNS_MAX];
    uint32_t count = 0;
    PT_TRY(pt__csv_next(csv, &record, error));
    if (!record.text)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, 1, 0, "is empty: it has no header");
    PT_TRY(pt__csv_split(cells, &count, COLUMNS_MAX, csv, &record, error));
    if (count > COLUMNS_MAX)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, record.line, 1,
                          "the header has %u cells, and may have %u", count, COLUMNS_MAX);
    owned->table.column_count = count;
    PT_TRY(keep(owned, cells, count, error));
    PT_TRY(check_header(owned, csv, cells, error));
    for (;;) {
        PT_TRY(pt__csv_next(csv, &record, error));
        if (!record.text) return PT_OK;
        PT_TRY(pt__csv_split_row(cells, count, csv, &record, error));
        if (owned->table.row_count == PT_NONE - 1)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file, record.line, 0, "has too many rows");
        PT_TRY(keep(owned, cells, count, error));
        owned->table.row_count++;
    }
}

/* Reads an opened file (or the error of opening it) and closes it. */
static enum pt_status finish(struct pt_csv_table **table, struct pt__csv *csv, const char *name,
                             enum pt_status status, struct pt_error *error)
{
    struct owned *owned = calloc(1, sizeof *owned);
    *table = NULL;
    if (status == PT_OK && (!owned || !(owned->file = malloc(strlen(name) + 1))))
        status = no_memory(name, error);
    if (status == PT_OK) {
        memcpy(owned->file, name, strlen(name) + 1);
        status = read_all(owned, csv, error);
    }
    pt__csv_close(csv);
    if (status == PT_OK) {
        owned->table.file = owned->file;
        owned->table.header = owned->cells;
        owned->table.cells = owned->cells + owned->table.column_count;
        *table = &owned->table;
    } else if (owned) {
        pt_csv_table_free(&owned->table);
    }
    return status;
}

enum pt_status pt_csv_table_read(struct pt_csv_table **table, const char *path,
                                 struct pt_error *error)
{
    struct pt__csv csv;
    enum pt_status status = pt__csv_open(&csv, path, error);
    return finish(table, &csv, path, status, error);
}

enum pt_status pt_csv_table_read_memory(struct pt_csv_table **table, const char *name,
                                        const void *bytes, size_t length, struct pt_error *error)
{
    struct pt__csv csv;
    enum pt_status status = pt__csv_open_memory(&csv, name, bytes, length, error);
    return finish(table, &csv, name, status, error);
}

void pt_csv_table_free(struct pt_csv_table *table)
{
    if (!table) return;
    struct owned *owned = (struct owned *)table;
    while (owned->blocks) {
        struct block *next = owned->blocks->next;
        free(owned->blocks);
        owned->blocks = next;
    }
    free(owned->cells);
    free(owned->file);
    free(owned);
}

uint32_t pt_csv_table_column(const struct pt_csv_table *table, const char *name)
{
    for (uint32_t k = 0; k < table->column_count; k++)
        if (strcmp(table->header[k].text, name) == 0) return k;
    return PT_NONE;
}

const struct pt_csv_cell *pt_csv_table_cell(const struct pt_csv_table *table, uint32_t row,
                                            uint32_t column)
{
    return &table->cells[(size_t)row * table->column_count + column];
}

enum pt_status pt_csv_table_fail(struct pt_error *error, const struct pt_csv_table *table,
                                 uint32_t row, uint32_t column, const char *what)
{
    const struct pt_csv_cell *cell = pt_csv_table_cell(table, row, column);
    return pt_fail_at(error, PT_ERR_INPUT, table->file, cell->line, cell->column, "%s '%.*s' %s",
                      table->header[column].text, SHOWN_MAX, cell->text, what);
}

enum pt_status pt_csv_table_number(double *value, const struct pt_csv_table *table, uint32_t row,
                                   uint32_t column, double min, double max, struct pt_error *error)
{
    const struct pt_csv_cell *cell = pt_csv_table_cell(table, row, column);
    struct pt_error why;
    char range[96];
    if (pt_parse_double(value, cell->text, cell->length, &why) != PT_OK)
        return pt_csv_table_fail(error, table, row, column,
                                 cell->length ? why.message : "is empty");
    if (*value >= min && *value <= max) return PT_OK;
    if (*value < min)
        snprintf(range, sizeof range, "is less than %g", min);
    else
        snprintf(range, sizeof range, "is more than %g", max);
    return pt_csv_table_fail(error, table, row, column, range);
}
