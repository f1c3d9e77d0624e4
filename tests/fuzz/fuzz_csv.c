/* Native traces: plain, gzip, zstd, or anything else.
 * parses: traces/csv.c traces/native.c traces/input.c sim/core/trace.c sim/core/trace_finish.c
 *
 * Beside not crashing: every row is either accepted or reported with its place; stopping at the
 * first bad row and skipping them agree; and the reader's fast path and its careful one, which
 * quotes send every row to, read the same jobs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "partita/trace.h"
#include "tests/fuzz/fuzz.h"
#include "traces/csv.h"
#include "traces/readers.h"

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct outcome {
    struct pt_trace trace;
    struct pt_read_report report;
    struct pt_error error;
    enum pt_status status;
    uint64_t reported;
};

static void check_bad(void *ctx, const struct pt_error *error)
{
    struct outcome *outcome = ctx;
    outcome->reported++;
    PROMISE(error->status == PT_ERR_INPUT);
    PROMISE(error->line > 1 && error->column > 0);
    PROMISE(error->message[0] != '\0' && strcmp(error->file, "fuzz.csv") == 0);
}

static void read_bytes(struct outcome *outcome, const void *bytes, size_t size, bool skip)
{
    *outcome = (struct outcome){0};
    struct pt_read_request request = {
        .limit = PT_NONE, .skip_bad_rows = skip, .bad = check_bad, .ctx = outcome};
    outcome->status = pt__native_read_memory(&outcome->trace, &outcome->report, &request,
                                             "fuzz.csv", bytes, size, &outcome->error);
    PROMISE(outcome->report.bad_rows == outcome->reported);
    PROMISE(outcome->report.accepted == outcome->trace.job_count);
    if (outcome->status == PT_OK)
        PROMISE(outcome->report.rows == outcome->report.accepted + outcome->report.bad_rows);
    else
        PROMISE(outcome->error.message[0] != '\0');
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void expect_same_jobs(const struct pt_trace *a, const struct pt_trace *b)
{
    PROMISE(a->job_count == b->job_count);
    for (pt_job job = 0; job < a->job_count; job++)
        for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
            enum pt_column_id column = (enum pt_column_id)c;
            switch (pt_columns[c].type) {
            case PT_COLUMN_TIME:
                PROMISE(pt_trace_time(a, column, job) == pt_trace_time(b, column, job));
                break;
            case PT_COLUMN_BOOL:
                PROMISE(pt_trace_bool(a, column, job) == pt_trace_bool(b, column, job));
                break;
            case PT_COLUMN_WORD:
            case PT_COLUMN_TEXT:
                PROMISE(same_text(pt_trace_word(a, column, job), pt_trace_word(b, column, job)));
                break;
            default:
                PROMISE(pt_trace_u32(a, column, job) == pt_trace_u32(b, column, job));
            }
        }
}

static size_t quote_line(char *out, const uint8_t *line, size_t length)
{
    size_t at = 0;
    if (length == 0) return 0; /* blank lines are no rows, `""` would be one */
    out[at++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (line[i] == ',') out[at++] = '"';
        out[at++] = (char)line[i];
        if (line[i] == ',') out[at++] = '"';
    }
    out[at++] = '"';
    return at;
}

/* The same file with every cell in quotes; NULL if it has quotes already. */
static char *quote_cells(const uint8_t *data, size_t size, size_t *length)
{
    if (memchr(data, '"', size) != NULL) return NULL;
    char *out = malloc(3 * size + 8);
    PROMISE(out != NULL);
    size_t at = 0, i = 0;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        memcpy(out, data, 3);
        at = i = 3;
    }
    while (i < size) {
        const uint8_t *newline = memchr(data + i, '\n', size - i);
        size_t end = newline == NULL ? size : (size_t)(newline - data);
        size_t text_end = end > i && data[end - 1] == '\r' ? end - 1 : end;
        at += quote_line(out + at, data + i, text_end - i);
        memcpy(out + at, data + text_end, end - text_end);
        at += end - text_end;
        if (newline != NULL) out[at++] = '\n';
        i = end + 1;
    }
    *length = at;
    return out;
}

/* 1f 8b or 28 b5 2f fd: the bytes are not the text. */
static bool is_archive(const uint8_t *data, size_t size)
{
    return size >= 2 && (memcmp(data, "\x1f\x8b", 2) == 0 || memcmp(data, "\x28\xb5", 2) == 0);
}

/* The same bytes as a file: through a pipe, as far as one holds them. */
static void read_pipe(const uint8_t *data, size_t size, const struct outcome *expected)
{
    enum { PIPE_HOLDS = 4096 };
    int ends[2];
    if (size > PIPE_HOLDS || pipe(ends) != 0) return;
    PROMISE(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct pt_trace trace = {0};
    struct pt_read_report report;
    struct pt_read_request request = {.path = path, .limit = PT_NONE, .skip_bad_rows = true};
    struct pt_error error = {0};
    if (access(path, R_OK) == 0) {
        PROMISE(pt__reader_native.read(&trace, &report, &request, &error) == expected->status);
        PROMISE(strcmp(error.message, expected->error.message) == 0);
        expect_same_jobs(&trace, &expected->trace);
    }
    pt_trace_fini(&trace);
    close(ends[0]);
}

/* The header check of formats with a fixed set of columns. */
static void read_fixed_header(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"id", "submit_s", "work_s", NULL};
    struct pt__csv csv;
    struct pt_error error = {0};
    uint32_t places[3];
    if (pt__csv_open_memory(&csv, "fuzz.csv", data, size, &error) != PT_OK) return;
    if (pt__csv_header(places, &csv, names, &error) == PT_OK)
        PROMISE(places[0] + places[1] + places[2] == 3);
    else
        PROMISE(error.message[0] != '\0');
    pt__csv_close(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome stopped, skipped, quoted;
    read_bytes(&skipped, data, size, true);
    read_bytes(&stopped, data, size, false);
    PROMISE(stopped.report.bad_rows <= 1);
    if (stopped.status == PT_OK) {
        PROMISE(skipped.status == PT_OK && skipped.report.bad_rows == 0);
        expect_same_jobs(&stopped.trace, &skipped.trace);
    }
    size_t length = 0;
    char *text = size == 0 || is_archive(data, size) ? NULL : quote_cells(data, size, &length);
    if (text != NULL) {
        read_bytes(&quoted, text, length, true);
        PROMISE(quoted.status == skipped.status);
        PROMISE(quoted.report.rows == skipped.report.rows);
        expect_same_jobs(&quoted.trace, &skipped.trace);
        pt_trace_fini(&quoted.trace);
        free(text);
    }
    read_pipe(data, size, &skipped);
    pt_job bad_row = 0;
    if (skipped.status == PT_OK && pt_trace_finish(&skipped.trace, &bad_row, &skipped.error) != 0)
        PROMISE(bad_row < skipped.report.accepted && skipped.error.line > 1);
    pt_trace_fini(&stopped.trace);
    pt_trace_fini(&skipped.trace);
    read_fixed_header(data, size);
    return 0;
}
