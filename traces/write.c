#include "traces/write.h"

#include <stdlib.h>
#include <string.h>

#include "traces/output.h"

enum {
    BUFFER = 1 << 16,
    CELL_MAX = 64 /* the longest number */
};

struct writer {
    const struct pt_trace *trace;
    struct pt__output *output;
    size_t length;
    char buffer[BUFFER];
};

static enum pt_status flush(struct writer *writer, struct pt_error *error)
{
    size_t length = writer->length;
    writer->length = 0;
    return pt__output_write(writer->output, writer->buffer, length, error);
}

static enum pt_status put(struct writer *writer, const char *text, size_t length,
                          struct pt_error *error)
{
    if (writer->length + length > BUFFER) PT_TRY(flush(writer, error));
    if (length > BUFFER) return pt__output_write(writer->output, text, length, error);
    memcpy(writer->buffer + writer->length, text, length);
    writer->length += length;
    return PT_OK;
}

static enum pt_status put_quoted(struct writer *writer, const char *text, struct pt_error *error)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') return put(writer, text, strlen(text), error);
    PT_TRY(put(writer, "\"", 1, error));
    for (;;) {
        size_t length = strcspn(text, "\"");
        PT_TRY(put(writer, text, length, error));
        if (text[length] == '\0') break;
        PT_TRY(put(writer, "\"\"", 2, error));
        text += length + 1;
    }
    return put(writer, "\"", 1, error);
}

/* value / 10^places as the shortest exact decimal. */
static size_t format_fixed(char out[CELL_MAX], uint64_t value, int places)
{
    char digits[CELL_MAX];
    size_t at = CELL_MAX;
    for (; places > 0 && value % 10 == 0; places--)
        value /= 10;
    for (int i = 0; i < places; i++, value /= 10)
        digits[--at] = (char)('0' + value % 10);
    if (places > 0) digits[--at] = '.';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    memcpy(out, digits + at, CELL_MAX - at);
    return CELL_MAX - at;
}

static size_t format_number(char out[CELL_MAX], enum pt_column_type type, uint32_t value)
{
    if (value == PT_NONE) return 0;
    switch (type) {
    case PT_COLUMN_FRACTION:
    case PT_COLUMN_UNIT:
        return format_fixed(out, value, 6);
    case PT_COLUMN_MILLI:
        return format_fixed(out, value, 3);
    case PT_COLUMN_GIB: /* 1/1024 has ten decimals: 5^10 = 9765625 */
        return format_fixed(out, (uint64_t)value * 9765625u, 10);
    default:
        return format_fixed(out, value, 0);
    }
}

static enum pt_status put_cell(struct writer *writer, enum pt_column_id column, pt_job job,
                               struct pt_error *error)
{
    const struct pt_trace *trace = writer->trace;
    char text[CELL_MAX];
    switch (pt_columns[column].type) {
    case PT_COLUMN_TIME: {
        int64_t ns = pt_trace_time(trace, column, job);
        size_t length = ns == PT_TIME_ABSENT ? 0 : pt_format_seconds(text, ns);
        return put(writer, text, length, error);
    }
    case PT_COLUMN_BOOL: {
        uint8_t value = pt_trace_bool(trace, column, job);
        if (value == PT_BOOL_ABSENT) return PT_OK;
        return value ? put(writer, "true", 4, error) : put(writer, "false", 5, error);
    }
    case PT_COLUMN_WORD:
    case PT_COLUMN_TEXT: {
        const char *word =
            column == PT_COL_ID ? pt_trace_id(trace, job, text) : pt_trace_word(trace, column, job);
        return word == NULL ? PT_OK : put_quoted(writer, word, error);
    }
    default: {
        uint32_t value = pt_trace_u32(trace, column, job);
        return put(writer, text, format_number(text, pt_columns[column].type, value), error);
    }
    }
}

static enum pt_status put_rows(struct writer *writer, struct pt_error *error)
{
    enum pt_column_id columns[PT_COLUMN_COUNT_];
    uint32_t count = 0;
    for (unsigned c = 0; c < PT_COLUMN_COUNT_; c++) {
        bool always = c == PT_COL_ID || c == PT_COL_SUBMIT || c == PT_COL_WORK || c == PT_COL_GPUS;
        if (!always && writer->trace->column[c] == NULL) continue;
        columns[count++] = (enum pt_column_id)c;
        if (count > 1) PT_TRY(put(writer, ",", 1, error));
        PT_TRY(put(writer, pt_columns[c].name, strlen(pt_columns[c].name), error));
    }
    for (pt_job job = 0; job < writer->trace->job_count; job++)
        for (uint32_t i = 0; i < count; i++) {
            PT_TRY(put(writer, i == 0 ? "\n" : ",", 1, error));
            PT_TRY(put_cell(writer, columns[i], job, error));
        }
    PT_TRY(put(writer, "\n", 1, error));
    return flush(writer, error);
}

enum pt_status pt_trace_write(const struct pt_trace *trace, const char *path,
                              struct pt_error *error)
{
    struct writer *writer = malloc(sizeof *writer);
    if (writer == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    writer->trace = trace;
    writer->length = 0;
    enum pt_status status = pt__output_open(&writer->output, path, error);
    if (status == PT_OK) {
        status = put_rows(writer, error);
        if (status == PT_OK)
            status = pt__output_commit(writer->output, error);
        else
            pt__output_discard(writer->output);
    }
    free(writer);
    return status;
}

char *pt_trace_write_temporary(const char *path)
{
    return pt__output_temporary(path);
}
