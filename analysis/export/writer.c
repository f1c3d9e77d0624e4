#include "analysis/export/writer.h"

#include <errno.h>
#include <math.h>

#include "partita/number.h"

void pt__writer_init(struct pt__writer *writer, FILE *out)
{
    writer->out = out;
    writer->used = 0;
    writer->failed = false;
}

static void drain(struct pt__writer *writer)
{
    if (fwrite(writer->bytes, 1, writer->used, writer->out) != writer->used) writer->failed = true;
    writer->used = 0;
}

enum pt_status pt__writer_finish(struct pt__writer *writer, struct pt_error *error)
{
    drain(writer);
    if (fflush(writer->out) != 0) writer->failed = true;
    if (!writer->failed) return PT_OK;
    return pt_fail(error, PT_ERR_IO, "can't be written: %s", strerror(errno));
}

void pt__write(struct pt__writer *writer, const char *text, size_t length)
{
    while (length > 0) {
        if (writer->used == PT__WRITER_BYTES) drain(writer);
        size_t part = PT__WRITER_BYTES - writer->used;
        if (part > length) part = length;
        memcpy(writer->bytes + writer->used, text, part);
        writer->used += part;
        text += part;
        length -= part;
    }
}

void pt__write_text(struct pt__writer *writer, const char *text)
{
    pt__write(writer, text, strlen(text));
}

void pt__write_int(struct pt__writer *writer, int64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) digits[--at] = '-';
    pt__write(writer, digits + at, sizeof(digits) - at);
}

/* Times are whole nanoseconds: up to 15 digits, the decimal is the shortest one there is. */
static bool write_as_seconds(struct pt__writer *writer, double value)
{
    char text[PT_SECONDS_TEXT_MAX];
    double ns = value * (double)PT_NS_PER_S;
    if (!(fabs(ns) < 1e15)) return false;
    int64_t whole = (int64_t)llround(ns);
    if ((double)whole / (double)PT_NS_PER_S != value || (whole == 0 && signbit(value)))
        return false;
    pt__write(writer, text, pt_format_seconds(text, whole));
    return true;
}

void pt__write_number(struct pt__writer *writer, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    if (write_as_seconds(writer, value)) return;
    pt__write(writer, text, pt_format_double(text, value));
}
