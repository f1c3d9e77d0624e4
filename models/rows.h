/* Small tables in memory, in CSV: for data that is compiled in and for pair tables that users give.
 * Commas, optional double quotes with quotes inside doubled, LF or CRLF; blank lines and lines that
 * start with # are skipped. The first line names the columns, in any order.
 */
#ifndef PT_MODELS_ROWS_H
#define PT_MODELS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "partita/status.h"

#define PT_ROWS_COLUMNS_MAX 24

struct pt__rows {
    const char *file;         /* borrowed; named in errors */
    const char *const *names; /* borrowed; the columns wanted, NULL-terminated */
    char *text;               /* a copy, which cells point into */
    char *at, *end;
    uint32_t line;                           /* of the row last read */
    uint32_t columns;                        /* of the file */
    uint32_t wanted[PT_ROWS_COLUMNS_MAX];    /* column of the file -> index in names, or none */
    const char *cells[PT_ROWS_COLUMNS_MAX];  /* by index in names; NUL-terminated; "" = empty */
    uint32_t at_column[PT_ROWS_COLUMNS_MAX]; /* where the cell begins, from 1 */
};

/* Copies the text and reads its first line. Columns that are not in `names` are an error unless
 * `others` are allowed; all of `names` must be there. Errors: PT_ERR_INPUT, PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__rows_open(struct pt__rows *rows, const char *text, size_t length,
                                           const char *file, const char *const *names, bool others,
                                           struct pt_error *error);
/* The next row into rows->cells; *more is false at the end. PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt__rows_next(struct pt__rows *rows, bool *more,
                                           struct pt_error *error);
/* Lets cells outlive the rows: the text, to be freed by the caller. */
char *pt__rows_take(struct pt__rows *rows);
void pt__rows_close(struct pt__rows *rows);

/* A number in a cell, `absent` where it is empty; low <= it <= high. PT_ERR_INPUT with its place.
 */
PT_USE_RESULT enum pt_status pt__rows_number(double *value, const struct pt__rows *rows,
                                             uint32_t cell, double absent, double low, double high,
                                             struct pt_error *error);
/* Fails with the place of a cell and "NAME 'TEXT' WHAT". */
enum pt_status pt__rows_fail(const struct pt__rows *rows, uint32_t cell, const char *what,
                             struct pt_error *error);

#endif
