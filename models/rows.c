#include "models/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "partita/types.h"

/* Ends the cell that begins at *at and returns it; *at is left behind its comma, or at the line's
 * end. Quotes are taken off in place. NULL: a quote is not closed, or something follows it. */
static char *cut_cell(char **at, bool *last)
{
    char *text = *at, *to = *at, *from = *at;
    if (*from == '"') {
        bool closed = false;
        for (from++; *from != '\0' && !closed; from++) {
            closed = *from == '"' && from[1] != '"';
            if (closed) continue;
            if (*from == '"') from++;
            *to++ = *from;
        }
        if (!closed || (*from != ',' && *from != '\0')) return NULL;
    } else {
        from += strcspn(from, ",");
        to = from;
    }
    *last = *from == '\0';
    *at = *last ? from : from + 1;
    *to = '\0';
    return text;
}

/* The next line that holds something, NUL-terminated; NULL at the end. */
static char *next_line(struct pt__rows *rows)
{
    while (rows->at < rows->end) {
        char *line = rows->at;
        char *stop = memchr(line, '\n', (size_t)(rows->end - line));
        if (!stop) stop = rows->end;
        rows->at = stop < rows->end ? stop + 1 : stop;
        rows->line++;
        *stop = '\0';
        if (stop > line && stop[-1] == '\r') stop[-1] = '\0';
        if (line[0] != '\0' && line[0] != '#') return line;
    }
    return NULL;
}

static uint32_t index_of(const char *const *names, const char *name)
{
    for (uint32_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return i;
    return PT_NONE;
}

static enum pt_status read_header(struct pt__rows *rows, bool others, struct pt_error *error)
{
    uint32_t found = 0;
    char *line = next_line(rows);
    if (!line) return pt_fail_at(error, PT_ERR_INPUT, rows->file, 1, 1, "has no columns");
    char *at = line;
    for (bool last = false; !last; rows->columns++) {
        uint32_t column = (uint32_t)(at - line) + 1;
        const char *name = cut_cell(&at, &last);
        if (!name || rows->columns == PT_ROWS_COLUMNS_MAX)
            return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, column,
                              "is not a line of at most %d column names", PT_ROWS_COLUMNS_MAX);
        uint32_t index = index_of(rows->names, name);
        if ((index == PT_NONE && !others) || (index != PT_NONE && (found >> index & 1)))
            return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, column,
                              "column '%s' is %s", name, index == PT_NONE ? "unknown" : "twice");
        rows->wanted[rows->columns] = index;
        if (index != PT_NONE) found |= UINT32_C(1) << index;
    }
    for (uint32_t i = 0; rows->names[i]; i++)
        if (!(found >> i & 1))
            return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, 1,
                              "column '%s' is missing", rows->names[i]);
    return PT_OK;
}

enum pt_status pt__rows_open(struct pt__rows *rows, const char *text, size_t length,
                             const char *file, const char *const *names, bool others,
                             struct pt_error *error)
{
    *rows = (struct pt__rows){.file = file, .names = names};
    if (length > 0 && memchr(text, '\0', length))
        return pt_fail_at(error, PT_ERR_INPUT, file, 0, 0, "is not text");
    rows->text = malloc(length + 1);
    if (!rows->text) return pt_fail(error, PT_ERR_MEMORY, "no memory to read %s", file);
    if (length > 0) memcpy(rows->text, text, length);
    rows->text[length] = '\0';
    rows->at = rows->text;
    rows->end = rows->text + length;
    return read_header(rows, others, error);
}

enum pt_status pt__rows_next(struct pt__rows *rows, bool *more, struct pt_error *error)
{
    char *line = next_line(rows);
    *more = line != NULL;
    if (!line) return PT_OK;
    char *at = line;
    uint32_t count = 0;
    for (bool last = false; !last; count++) {
        uint32_t column = (uint32_t)(at - line) + 1;
        const char *cell = cut_cell(&at, &last);
        if (!cell)
            return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, column,
                              "a quote is not closed, or something follows it");
        if (count == rows->columns)
            return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, column,
                              "more cells than the %u columns", rows->columns);
        if (rows->wanted[count] == PT_NONE) continue;
        rows->cells[rows->wanted[count]] = cell;
        rows->at_column[rows->wanted[count]] = column;
    }
    if (count < rows->columns)
        return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, 1,
                          "%u cells where there are %u columns", count, rows->columns);
    return PT_OK;
}

char *pt__rows_take(struct pt__rows *rows)
{
    char *text = rows->text;
    rows->text = NULL;
    return text;
}

void pt__rows_close(struct pt__rows *rows)
{
    free(rows->text);
    rows->text = NULL;
}

enum pt_status pt__rows_fail(const struct pt__rows *rows, uint32_t cell, const char *what,
                             struct pt_error *error)
{
    return pt_fail_at(error, PT_ERR_INPUT, rows->file, rows->line, rows->at_column[cell],
                      "%s '%s' %s", rows->names[cell], rows->cells[cell], what);
}

enum pt_status pt__rows_number(double *value, const struct pt__rows *rows, uint32_t cell,
                               double absent, double low, double high, struct pt_error *error)
{
    const char *text = rows->cells[cell];
    *value = absent;
    if (text[0] == '\0') return PT_OK;
    struct pt_error why = {0};
    if (pt_parse_double(value, text, strlen(text), &why) != PT_OK)
        return pt__rows_fail(rows, cell, why.message, error);
    if (*value < low || *value > high) {
        char bounds[96], a[PT_DOUBLE_TEXT_MAX], b[PT_DOUBLE_TEXT_MAX];
        pt_format_double(a, low);
        pt_format_double(b, high);
        snprintf(bounds, sizeof bounds, "is not between %.24s and %.24s", a, b);
        return pt__rows_fail(rows, cell, bounds, error);
    }
    return PT_OK;
}
