/* A CSV file as a whole in memory, for files of measurements: a header, and as many cells in every
 * row. Plain or compressed by gzip or zstd. Every cell knows its place, for errors about it.
 */
#ifndef PT_TRACES_CSV_TABLE_H
#define PT_TRACES_CSV_TABLE_H

#include "partita/status.h"
#include "partita/types.h"

struct pt_csv_cell {
    const char *text; /* ends in NUL too */
    uint32_t length, line, column;
};

struct pt_csv_table {
    const char *file; /* owned */
    uint32_t column_count, row_count;
    const struct pt_csv_cell *header;
    const struct pt_csv_cell *cells; /* row by row */
};

/* Reads the file. PT_ERR_INPUT with the place: no file, no header, no name or the same name twice
 * in the header, a row of another length, broken quotes. PT_ERR_IO, PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt_csv_table_read(struct pt_csv_table **table, const char *path,
                                               struct pt_error *error);
/* The same over bytes in memory; `name` is the file that errors name. */
PT_USE_RESULT enum pt_status pt_csv_table_read_memory(struct pt_csv_table **table, const char *name,
                                                      const void *bytes, size_t length,
                                                      struct pt_error *error);
/* NULL is allowed. */
void pt_csv_table_free(struct pt_csv_table *table);

/* The column of this name, PT_NONE if there is none. */
uint32_t pt_csv_table_column(const struct pt_csv_table *table, const char *name);
const struct pt_csv_cell *pt_csv_table_cell(const struct pt_csv_table *table, uint32_t row,
                                            uint32_t column);
/* The cell's number, strictly read; *value is between min and max. Else PT_ERR_INPUT with the
 * place: "COLUMN 'text' is not a number". */
PT_USE_RESULT enum pt_status pt_csv_table_number(double *value, const struct pt_csv_table *table,
                                                 uint32_t row, uint32_t column, double min,
                                                 double max, struct pt_error *error);
/* Says what is wrong with a cell, with its place; returns PT_ERR_INPUT. */
enum pt_status pt_csv_table_fail(struct pt_error *error, const struct pt_csv_table *table,
                                 uint32_t row, uint32_t column, const char *what);

#endif
