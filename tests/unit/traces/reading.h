/* Helpers of the reader tests: files in the working directory, and what a read reported. */
#ifndef PT_TESTS_READING_H
#define PT_TESTS_READING_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "partita/reader.h"
#include "traces/readers.h"
#include "traces/registry.h"

#define BAD_MAX 32

struct reading {
    struct pt_trace trace;
    struct pt_read_report report;
    struct pt_error error, bad[BAD_MAX];
    uint32_t bad_count;
    enum pt_status status;
    pt_job bad_row;
};

static inline void keep_bad(void *ctx, const struct pt_error *error)
{
    struct reading *reading = ctx;
    if (reading->bad_count < BAD_MAX) reading->bad[reading->bad_count] = *error;
    reading->bad_count++;
}

static inline struct pt_read_request request_for(struct reading *reading, bool skip)
{
    return (struct pt_read_request){
        .limit = PT_NONE, .skip_bad_rows = skip, .bad = keep_bad, .ctx = reading};
}

/* Reads native CSV from text and finishes the trace. */
static inline struct reading *read_text(const char *text, size_t length, bool skip)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct pt_read_request request = request_for(reading, skip);
    reading->status = pt__native_read_memory(&reading->trace, &reading->report, &request, "t.csv",
                                             text, length, &reading->error);
    if (reading->status == PT_OK)
        reading->status = pt_trace_finish(&reading->trace, &reading->bad_row, &reading->error);
    return reading;
}

static inline struct reading *read_string(const char *text, bool skip)
{
    return read_text(text, strlen(text), skip);
}

static inline void end_reading(struct reading *reading)
{
    pt_trace_fini(&reading->trace);
    free(reading);
}

/* "LINE:COLUMN: message" of an error. */
static inline const char *placed(const struct pt_error *error)
{
    static char text[PT_ERROR_MESSAGE_MAX + 32];
    snprintf(text, sizeof text, "%u:%u: %s", error->line, error->column, error->message);
    return text;
}

/* A file of this test's own, removed by remove_file. */
static inline const char *write_file(const void *bytes, size_t length)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/partita-test-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
    close(fd);
    return path;
}

static inline struct reading *read_path(const char *reader, const char *path, bool skip)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct pt_read_request request = request_for(reading, skip);
    request.path = path;
    reading->status =
        pt_reader_find(reader)->read(&reading->trace, &reading->report, &request, &reading->error);
    if (reading->status == PT_OK)
        reading->status = pt_trace_finish(&reading->trace, &reading->bad_row, &reading->error);
    return reading;
}

#endif
