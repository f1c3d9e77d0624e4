#include "traces/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"

enum {
    FIRST_CAPACITY = 1 << 18,
    HEADER_CELLS_MAX = 64,
    SHOWN_MAX = 60 /* bytes of a header's cell that a message shows */
};

static enum pt_status begin(struct pt__csv *csv, const char *file, enum pt_status status,
                            struct pt_error *error)
{
    csv->file = file;
    csv->line = 1;
    if (status != PT_OK) return status;
    csv->buffer = malloc(FIRST_CAPACITY + PT_CSV_PADDING);
    if (csv->buffer == NULL) {
        pt__csv_close(csv);
        return pt_fail_at(error, PT_ERR_MEMORY, file, 0, 0, "out of memory");
    }
    csv->capacity = FIRST_CAPACITY;
    return PT_OK;
}

enum pt_status pt__csv_open(struct pt__csv *csv, const char *path, struct pt_error *error)
{
    *csv = (struct pt__csv){0};
    enum pt_status status = pt__input_open(&csv->input, path, error);
    return begin(csv, path, status, error);
}

enum pt_status pt__csv_open_memory(struct pt__csv *csv, const char *name, const void *bytes,
                                   size_t length, struct pt_error *error)
{
    *csv = (struct pt__csv){0};
    enum pt_status status = pt__input_open_memory(&csv->input, name, bytes, length, error);
    return begin(csv, name, status, error);
}

void pt__csv_close(struct pt__csv *csv)
{
    pt__input_close(csv->input);
    free(csv->buffer);
    *csv = (struct pt__csv){0};
}

static uint32_t count_lines(const char *text, const char *end)
{
    uint32_t count = 0;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        text++;
        count++;
    }
    return count;
}

/* Moves the unfinished record to the front and reads behind it until the buffer is full. */
static enum pt_status refill(struct pt__csv *csv, struct pt_error *error)
{
    size_t kept = csv->end - csv->at;
    if (kept == csv->capacity) {
        if (csv->capacity >= PT_CSV_RECORD_MAX)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file, csv->line, 0,
                              "the line is longer than %u MiB, or a quote in it is never closed",
                              PT_CSV_RECORD_MAX >> 20);
        char *grown = realloc(csv->buffer, 2 * csv->capacity + PT_CSV_PADDING);
        if (grown == NULL)
            return pt_fail_at(error, PT_ERR_MEMORY, csv->file, 0, 0, "out of memory");
        csv->buffer = grown;
        csv->capacity *= 2;
    }
    memmove(csv->buffer, csv->buffer + csv->at, kept);
    csv->at = csv->plain_end = 0;
    csv->end = kept;
    while (csv->end < csv->capacity && !csv->at_end) {
        size_t got = 0;
        PT_TRY(pt__input_read(&got, csv->input, csv->buffer + csv->end, csv->capacity - csv->end,
                              error));
        const char *fresh = csv->buffer + csv->end, *nul = memchr(fresh, '\0', got);
        if (nul != NULL)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file,
                              csv->line + count_lines(csv->buffer, nul), 0,
                              "is no text file: it holds a NUL byte");
        csv->end += got;
        csv->bytes += got;
        csv->at_end = got == 0;
    }
    /* Read, but never used, by whoever takes several bytes at a time. */
    memset(csv->buffer + csv->end, 0, PT_CSV_PADDING);
    return PT_OK;
}

/* What was seen on the way to the end of a record. */
struct scan {
    bool quoted, open; /* holds a quote; one is open where the scan ended */
    uint32_t lines;    /* line ends inside quotes */
};

/* The line end that closes a record with quotes, NULL if it lies beyond the buffer. A quote opens
 * only at the start of a cell. */
static const char *quoted_end(const char *text, const char *end, struct scan *scan)
{
    bool cell_start = true, open = false;
    for (const char *p = text; p < end; p++) {
        if (open) {
            if (*p == '\n') scan->lines++;
            if (*p != '"') continue;
            if (p + 1 < end && p[1] == '"')
                p++;
            else
                open = false;
        } else if (*p == '\n') {
            return p;
        } else {
            open = cell_start && *p == '"';
            cell_start = *p == ',';
        }
    }
    scan->open = open;
    return NULL;
}

/* The line end of the record at `at`, NULL if the buffer doesn't hold it. */
static char *find_end(const struct pt__csv *csv, struct scan *scan)
{
    char *text = csv->buffer + csv->at;
    size_t left = csv->end - csv->at;
    char *end = memchr(text, '\n', left);
    *scan = (struct scan){0};
    scan->quoted = memchr(text, '"', end == NULL ? left : (size_t)(end - text)) != NULL;
    if (scan->quoted) return (char *)quoted_end(text, text + left, scan);
    return end;
}

static void skip_byte_order_mark(struct pt__csv *csv)
{
    if (csv->end >= 3 && memcmp(csv->buffer, "\xef\xbb\xbf", 3) == 0) csv->at = 3;
}

/* Finds the end of the next record, reading as much as it takes; NULL = the file has ended. */
static enum pt_status complete_record(char **end, struct scan *scan, struct pt__csv *csv,
                                      struct pt_error *error)
{
    bool first = csv->bytes == 0 && !csv->at_end;
    *end = find_end(csv, scan);
    while (*end == NULL && !csv->at_end) {
        PT_TRY(refill(csv, error));
        if (first) skip_byte_order_mark(csv);
        first = false;
        *end = find_end(csv, scan);
    }
    if (*end != NULL || csv->at == csv->end) return PT_OK;
    if (scan->open)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, csv->line, 0,
                          "a quote opened in this line is never closed");
    *end = csv->buffer + csv->end++; /* the last line has no end: lend it one */
    **end = '\n';
    return PT_OK;
}

enum pt_status pt__csv_next(struct pt__csv *csv, struct pt__record *record, struct pt_error *error)
{
    do {
        char *end = NULL;
        struct scan scan;
        record->text = NULL;
        PT_TRY(complete_record(&end, &scan, csv, error));
        if (end == NULL) return PT_OK;
        *record = (struct pt__record){.text = csv->buffer + csv->at,
                                      .length = (size_t)(end - (csv->buffer + csv->at)),
                                      .line = csv->line,
                                      .quoted = scan.quoted};
        csv->line += 1 + scan.lines;
        csv->at += record->length + 1;
        if (record->length > 0 && end[-1] == '\r') record->length--;
    } while (record->length == 0);
    return PT_OK;
}

void pt__csv_plain_lines(struct pt__csv *csv, const char **text, const char **end)
{
    if (csv->at >= csv->plain_end) {
        const char *first = csv->buffer + csv->at;
        const char *quote = memchr(first, '"', csv->end - csv->at);
        const char *stop = quote == NULL ? csv->buffer + csv->end : quote;
        while (stop > first && stop[-1] != '\n')
            stop--;
        csv->plain_end = (size_t)(stop - csv->buffer);
    }
    *text = csv->buffer + csv->at;
    *end = csv->buffer + csv->plain_end;
}

void pt__csv_skip(struct pt__csv *csv, size_t length, uint32_t lines)
{
    csv->at += length;
    csv->line += lines;
}

/* One quoted cell at *at, which is moved behind its closing quote; the text is unescaped in place.
 * False: something other than a comma follows, or nothing closes it. */
static bool take_quoted(struct pt__cell *cell, char **at, const char *end, uint32_t *line,
                        char **line_start)
{
    char *p = *at + 1, *out = p;
    cell->text = p;
    for (; p < end; p++) {
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') break;
            p++;
        } else if (*p == '\n') {
            ++*line;
            *line_start = p + 1;
        }
        *out++ = *p;
    }
    if (p == end) return false;
    cell->length = (size_t)(out - cell->text);
    *at = p + 1;
    return *at == end || **at == ',';
}

enum pt_status pt__csv_split(struct pt__cell *cells, uint32_t *count, uint32_t capacity,
                             const struct pt__csv *csv, const struct pt__record *record,
                             struct pt_error *error)
{
    char *p = record->text, *end = p + record->length, *line_start = p;
    uint32_t line = record->line;
    for (*count = 0;; p++) {
        struct pt__cell cell = {p, 0, line, (uint32_t)(p - line_start) + 1};
        if (p < end && *p == '"') {
            if (!take_quoted(&cell, &p, end, &line, &line_start))
                return pt_fail_at(error, PT_ERR_INPUT, csv->file, cell.line, cell.column,
                                  "the quotes of this cell don't match");
        } else {
            char *comma = memchr(p, ',', (size_t)(end - p));
            char *stop = comma == NULL ? end : comma;
            cell.length = (size_t)(stop - p);
            if (record->quoted && memchr(p, '"', cell.length) != NULL)
                return pt_fail_at(error, PT_ERR_INPUT, csv->file, cell.line, cell.column,
                                  "a quote inside a cell that doesn't begin with one");
            p = stop;
        }
        if (*count < capacity) cells[*count] = cell;
        ++*count;
        if (p == end) return PT_OK;
    }
}

enum pt_status pt__csv_split_row(struct pt__cell *cells, uint32_t count, const struct pt__csv *csv,
                                 const struct pt__record *record, struct pt_error *error)
{
    uint32_t found = 0;
    PT_TRY(pt__csv_split(cells, &found, count, csv, record, error));
    if (found == count) return PT_OK;
    return pt_fail_at(error, PT_ERR_INPUT, csv->file, record->line, 1,
                      "the row has %u cell%s, the header %u", found, found == 1 ? "" : "s", count);
}

enum pt_status pt__csv_at_cell(struct pt_error *error, const struct pt__csv *csv,
                               const struct pt__cell *cell)
{
    struct pt_error detail = *error;
    return pt_fail_at(error, detail.status, csv->file, cell->line, cell->column, "%s",
                      detail.message);
}

enum pt_status pt__csv_fail_cell(struct pt_error *error, const struct pt__csv *csv,
                                 const struct pt__cell *cell, const char *what, const char *hint)
{
    int shown = (int)(cell->length < SHOWN_MAX ? cell->length : SHOWN_MAX);
    return pt_fail_at(error, PT_ERR_INPUT, csv->file, cell->line, cell->column, "%s '%.*s'%s", what,
                      shown, cell->text, hint);
}

enum pt_status pt__csv_header(uint32_t *places, struct pt__csv *csv, const char *const *names,
                              struct pt_error *error)
{
    struct pt__record record;
    struct pt__cell cells[HEADER_CELLS_MAX];
    uint32_t count = 0;
    PT_TRY(pt__csv_next(csv, &record, error));
    if (record.text == NULL)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, 1, 0, "is empty: it has no header");
    PT_TRY(pt__csv_split(cells, &count, HEADER_CELLS_MAX, csv, &record, error));
    for (uint32_t n = 0; names[n] != NULL; n++)
        places[n] = PT_CSV_NOWHERE;
    if (count > HEADER_CELLS_MAX) count = HEADER_CELLS_MAX; /* the last ones are unknown anyway */
    for (uint32_t c = 0; c < count; c++) {
        uint32_t n = 0;
        while (names[n] != NULL && (strlen(names[n]) != cells[c].length ||
                                    memcmp(names[n], cells[c].text, cells[c].length) != 0))
            n++;
        if (names[n] == NULL) {
            char hint[PT_SUGGEST_MAX + 32] = "";
            const char *best = pt_suggest(cells[c].text, cells[c].length, names);
            if (best != NULL) snprintf(hint, sizeof hint, " (did you mean '%s'?)", best);
            return pt__csv_fail_cell(error, csv, &cells[c], "unknown column", hint);
        }
        if (places[n] != PT_CSV_NOWHERE)
            return pt__csv_fail_cell(error, csv, &cells[c], "column named twice:", "");
        places[n] = c;
    }
    for (uint32_t n = 0; names[n] != NULL; n++)
        if (places[n] == PT_CSV_NOWHERE)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file, record.line, 0,
                              "the header lacks the column '%s'", names[n]);
    return PT_OK;
}
