/* Native traces: CSV whose header names columns of pt_columns, in any order.
 *
 * Most rows are plain: no quotes, no exponents. take_plain_rows reads such rows in one pass over
 * their bytes, straight into the trace's cells, and gives up at the first thing that is out of the
 * ordinary; that row is then read again by take_row, cell by cell, which knows everything and words
 * the errors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "traces/csv.h"
#include "traces/readers.h"

enum { COLUMNS_MAX = 1024 }; /* of a file; more than pt_columns has, for the sake of x_... */
#define IGNORED PT_COLUMN_COUNT_

struct native {
    struct pt__csv csv;
    struct pt_trace *trace;
    uint32_t column_count;
    enum pt_column_id *columns;       /* what each cell of a row is; IGNORED = x_... */
    uint32_t place[PT_COLUMN_COUNT_]; /* of each column in the file; PT_CSV_NOWHERE = absent */
    struct pt__cell *cells;
    uint32_t usual_gpus;   /* the default, which needs no column */
    uint64_t file_row;     /* rows of the file so far, good and bad */
    uint32_t lines_beside; /* line - row of the last accepted row */
};

/* True if the file's header is exactly these columns, in any order. */
static bool has_header(const struct native *native, const char *const *names)
{
    uint32_t count = 0;
    for (; names[count] != NULL; count++) {
        uint32_t at = 0;
        while (at < native->column_count &&
               (native->cells[at].length != strlen(names[count]) ||
                memcmp(native->cells[at].text, names[count], native->cells[at].length) != 0))
            at++;
        if (at == native->column_count) return false;
    }
    return count == native->column_count;
}

/* The source whose file this is; NULL = none that is known. */
static const char *other_source(const struct native *native)
{
    if (has_header(native, pt__helios_columns)) return pt__reader_helios.name;
    if (has_header(native, pt__philly_columns)) return pt__reader_philly.name;
    return NULL;
}

static enum pt_status unknown_column(const struct native *native, const struct pt__cell *cell,
                                     struct pt_error *error)
{
    char hint[PT_SUGGEST_MAX + 96] = "";
    const char *source = other_source(native);
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, cell->text, cell->length);
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        pt_suggest_offer(&suggestion, pt_columns[c].name);
    if (source != NULL)
        snprintf(hint, sizeof hint,
                 " (looks like source %s: use --source %s, in an experiment trace: {source: %s})",
                 source, source, source);
    else if (suggestion.best != NULL)
        snprintf(hint, sizeof hint, " (did you mean '%s'?)", suggestion.best);
    else if (native->column_count == 1)
        snprintf(hint, sizeof hint, " (columns are separated by commas)");
    else
        snprintf(hint, sizeof hint, " (a column to be ignored begins with x_)");
    return pt__csv_fail_cell(error, &native->csv, cell, "unknown column", hint);
}

static enum pt_status take_header_cell(struct native *native, uint32_t at, struct pt_error *error)
{
    const struct pt__cell *cell = &native->cells[at];
    enum pt_column_id column = pt_column_find(cell->text, cell->length);
    native->columns[at] = column;
    if (column == PT_COLUMN_COUNT_) {
        if (cell->length >= 2 && memcmp(cell->text, "x_", 2) == 0) return PT_OK;
        return unknown_column(native, cell, error);
    }
    if (native->place[column] != PT_CSV_NOWHERE)
        return pt__csv_fail_cell(error, &native->csv, cell, "column named twice:", "");
    native->place[column] = at;
    return PT_OK;
}

static enum pt_status read_header(struct native *native, struct pt_error *error)
{
    struct pt__record record;
    struct pt__csv *csv = &native->csv;
    native->cells = malloc(COLUMNS_MAX * sizeof *native->cells);
    native->columns = malloc(COLUMNS_MAX * sizeof *native->columns);
    if (native->cells == NULL || native->columns == NULL)
        return pt_fail_at(error, PT_ERR_MEMORY, csv->file, 0, 0, "out of memory");
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        native->place[c] = PT_CSV_NOWHERE;
    PT_TRY(pt__csv_next(csv, &record, error));
    if (record.text == NULL)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, 1, 0, "is empty: it has no header");
    PT_TRY(pt__csv_split(native->cells, &native->column_count, COLUMNS_MAX, csv, &record, error));
    if (native->column_count > COLUMNS_MAX)
        return pt_fail_at(error, PT_ERR_INPUT, csv->file, record.line, 0,
                          "the header has %u columns; more than %d", native->column_count,
                          COLUMNS_MAX);
    for (uint32_t at = 0; at < native->column_count; at++)
        PT_TRY(take_header_cell(native, at, error));
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++)
        if (pt_columns[c].fallback == NULL && native->place[c] == PT_CSV_NOWHERE)
            return pt_fail_at(error, PT_ERR_INPUT, csv->file, record.line, 0,
                              "the header lacks the column '%s'", pt_columns[c].name);
    return PT_OK;
}

static inline unsigned digit_at(const char *p)
{
    return (unsigned char)(*p - '0');
}

/* The run of digits at *at, of which there may be up to eight more than `value` can hold: callers
 * look at the length. */
static inline uint64_t take_digits(const char **at)
{
    const char *p = *at;
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* Eight characters at once (Lemire 2022, "Quickly parsing eight digits"). Bytes of x above 9
     * are no digits; the lowest of them ends the run. Shifting puts zeros before the first digit,
     * then neighbours are joined: pairs, then all four pairs by two multiplications. */
    uint64_t x, ends;
    memcpy(&x, p, sizeof x);
    x ^= UINT64_C(0x3030303030303030);
    ends = ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
    unsigned count = ends == 0 ? 8 : (unsigned)__builtin_ctzll(ends) / 8;
    if (count == 0) return 0;
    x <<= 8 * (8 - count);
    x = x * 10 + (x >> 8);
    const uint64_t pair = UINT64_C(0x000000ff000000ff);
    value = ((x & pair) * UINT64_C(0x000f424000000064) +
             ((x >> 16) & pair) * UINT64_C(0x0000271000000001)) >>
            32;
    p += count;
    if (count < 8) {
        *at = p;
        return value;
    }
#endif
    for (; digit_at(p) < 10; p++)
        value = value * 10 + digit_at(p);
    *at = p;
    return value;
}

/* The same one by one: quicker for short runs whose length rarely changes. */
static inline uint64_t take_few_digits(const char **at)
{
    const char *p = *at;
    uint64_t value = 0;
    for (; digit_at(p) < 10; p++)
        value = value * 10 + digit_at(p);
    *at = p;
    return value;
}

/* Plain decimal seconds at *at: digits, and at most nine decimals. */
static inline bool plain_seconds(const char **at, int64_t *ns)
{
    static const uint32_t scale_of[10] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                          10000,      1000,      100,      10,      1};
    const char *first = *at;
    uint64_t whole = take_digits(at), fraction = 0;
    size_t digits = (size_t)(*at - first), decimals = 0;
    if (**at == '.') {
        first = ++*at;
        fraction = take_few_digits(at);
        decimals = (size_t)(*at - first);
    }
    if (digits - 1 >= 10 || decimals > 9 || whole > 9223372035u) return false;
    *ns = (int64_t)(whole * 1000000000u + fraction * scale_of[decimals]);
    return true;
}

/* A whole number of up to 9 digits and no leading zero. */
static inline bool plain_count(const char **at, uint32_t *value)
{
    const char *first = *at;
    uint64_t number = take_few_digits(at);
    size_t digits = (size_t)(*at - first);
    *value = (uint32_t)number;
    return digits - 1 < 9 && (digits == 1 || *first != '0');
}

static inline bool ends_cell(char c)
{
    return c == ',' || c == '\n' || c == '\r';
}

/* A cell of any other column. */
static bool plain_other(struct native *native, pt_job row, enum pt_column_id column,
                        const char **at)
{
    const char *text = *at;
    while (!ends_cell(**at))
        ++*at;
    if (column == IGNORED || *at == text) return true;
    return pt_trace_set(native->trace, row, column, text, (size_t)(*at - text), NULL) == PT_OK;
}

/* Moves *at to what stands behind the cell, which need not be its end yet. */
static inline bool plain_cell(struct native *native, pt_job row, enum pt_column_id column,
                              const char **at)
{
    struct pt_trace *trace = native->trace;
    const char *text = *at;
    int64_t ns = 0;
    uint32_t value = 0;
    switch (column) {
    case PT_COL_SUBMIT:
    case PT_COL_WORK:
        if (!plain_seconds(at, &ns)) return false;
        ((int64_t *)trace->column[column])[row] = ns;
        return true;
    case PT_COL_ID:
        if (plain_count(at, &value) && value == row && ends_cell(**at)) return true;
        *at = text;
        return plain_other(native, row, column, at);
    case PT_COL_GPUS:
        if (!plain_count(at, &value)) {
            *at = text;
            return plain_other(native, row, column, at);
        }
        if (trace->column[PT_COL_GPUS] != NULL) {
            ((uint32_t *)trace->column[PT_COL_GPUS])[row] = value;
            return true;
        }
        return value == native->usual_gpus ||
               pt_trace_set_u32(trace, row, column, value, NULL) == PT_OK;
    default:
        return plain_other(native, row, column, at);
    }
}

/* Takes the row at *at, which is whole and has no quotes, and moves *at behind its line end. False:
 * it is not plain; what was written of it goes with the row. */
static inline bool take_plain_row(struct native *native, pt_job row, const char **at)
{
    const char *p = *at;
    uint32_t last = native->column_count - 1;
    for (uint32_t i = 0;; i++) {
        if (!plain_cell(native, row, native->columns[i], &p)) return false;
        if (i == last) break;
        if (*p++ != ',') return false;
    }
    if (*p == '\r') p++;
    if (*p != '\n') return false;
    *at = p + 1;
    /* Both are there: plain_seconds takes no empty cell. */
    return pt_trace_work_ns(native->trace)[row] <=
           PT_TIME_MAX - pt_trace_submit_ns(native->trace)[row];
}

static enum pt_status take_row(struct native *native, pt_job row, const struct pt__record *record,
                               struct pt_error *error)
{
    PT_TRY(pt__csv_split_row(native->cells, native->column_count, &native->csv, record, error));
    for (uint32_t at = 0; at < native->column_count; at++) {
        const struct pt__cell *cell = &native->cells[at];
        if (native->columns[at] == IGNORED) continue;
        if (pt_trace_set(native->trace, row, native->columns[at], cell->text, cell->length,
                         error) != PT_OK)
            return pt__csv_at_cell(error, &native->csv, cell);
    }
    enum pt_column_id column = PT_COLUMN_COUNT_;
    if (pt_trace_check_row(native->trace, row, &column, error) != PT_OK)
        return pt__csv_at_cell(error, &native->csv, &native->cells[native->place[column]]);
    return PT_OK;
}

/* Names an accepted row and notes its line. */
static enum pt_status place_row(struct native *native, pt_job row, uint32_t line,
                                struct pt_error *error)
{
    if (native->place[PT_COL_ID] == PT_CSV_NOWHERE && native->file_row != row)
        PT_TRY(pt__keep_row_number(native->trace, row, native->file_row, error));
    if (line - row == native->lines_beside && row > 0) return PT_OK;
    native->lines_beside = line - row;
    return pt_trace_mark_line(native->trace, row, line, error);
}

/* Takes plain rows as long as they come and are in memory. */
static enum pt_status take_plain_rows(struct native *native, struct pt_read_report *report,
                                      uint32_t limit, struct pt_error *error)
{
    const char *text = NULL, *end = NULL;
    pt__csv_plain_lines(&native->csv, &text, &end);
    while (text < end && report->accepted < limit) {
        const char *at = text;
        pt_job row = PT_NONE;
        PT_TRY(pt_trace_add(native->trace, &row, error));
        if (!take_plain_row(native, row, &at)) {
            pt_trace_drop_last(native->trace);
            break;
        }
        PT_TRY(place_row(native, row, native->csv.line, error));
        pt__csv_skip(&native->csv, (size_t)(at - text), 1);
        text = at;
        report->rows++;
        report->accepted++;
        native->file_row++;
    }
    return PT_OK;
}

/* Adds a row of any kind to the trace, or leaves the trace as it was and fails. */
static enum pt_status add_row(struct native *native, const struct pt__record *record,
                              struct pt_error *error)
{
    pt_job row = PT_NONE;
    PT_TRY(pt_trace_add(native->trace, &row, error));
    enum pt_status status = take_row(native, row, record, error);
    if (status == PT_OK) status = place_row(native, row, record->line, error);
    if (status != PT_OK) pt_trace_drop_last(native->trace);
    return status;
}

static enum pt_status read_rows(struct native *native, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    struct pt_error detail;
    if (error == NULL) error = &detail; /* bad rows are reported all the same */
    PT_TRY(read_header(native, error));
    native->usual_gpus = pt_trace_u32(&(struct pt_trace){0}, PT_COL_GPUS, 0);
    for (;;) {
        struct pt__record record;
        PT_TRY(pt__read_goes_on(request, error)); /* plain rows: those in memory, a chunk */
        PT_TRY(take_plain_rows(native, report, request->limit, error));
        if (report->accepted >= request->limit) break;
        PT_TRY(pt__csv_next(&native->csv, &record, error));
        if (record.text == NULL) break;
        report->rows++;
        if (add_row(native, &record, error) == PT_OK)
            report->accepted++;
        else
            PT_TRY(pt__bad_row(report, request, error));
        native->file_row++;
    }
    return PT_OK;
}

static enum pt_status read_all(struct native *native, enum pt_status opened,
                               struct pt_read_report *report, const struct pt_read_request *request,
                               struct pt_error *error)
{
    *report = (struct pt_read_report){0};
    enum pt_status status = opened;
    if (status == PT_OK) status = read_rows(native, report, request, error);
    report->bytes = native->csv.bytes;
    free(native->cells);
    free(native->columns);
    pt__csv_close(&native->csv);
    return status;
}

static enum pt_status read_file(struct pt_trace *trace, struct pt_read_report *report,
                                const struct pt_read_request *request, struct pt_error *error)
{
    struct native native = {.trace = trace};
    enum pt_status opened = pt__csv_open(&native.csv, request->path, error);
    return read_all(&native, opened, report, request, error);
}

enum pt_status pt__native_read_memory(struct pt_trace *trace, struct pt_read_report *report,
                                      const struct pt_read_request *request, const char *name,
                                      const void *bytes, size_t length, struct pt_error *error)
{
    struct native native = {.trace = trace};
    enum pt_status opened = pt__csv_open_memory(&native.csv, name, bytes, length, error);
    return read_all(&native, opened, report, request, error);
}

const struct pt_reader_ops pt__reader_native = {
    .abi = PT_READER_ABI,
    .size = sizeof(struct pt_reader_ops),
    .name = "native",
    .summary = "CSV with a header of Partita's own column names; plain, gzip or zstd",
    .source = "the columns of partita/trace.h",
    .needs_path = true,
    .columns = "any of the native columns, in any order; submit_s and work_s are required\n"
               "x_... is ignored",
    .unmapped = "a column that is left out, and an empty cell, mean the column's default",
    .params = pt__no_params,
    .read = read_file,
};
