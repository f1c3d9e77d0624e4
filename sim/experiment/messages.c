#include "sim/experiment/messages.h"

#include <stdlib.h>
#include <string.h>

/* Of a long line so many characters are shown, and so many of them before the caret. */
#define SHOWN_CHARACTERS 110u
#define SHOWN_BEFORE 60u

void pt_messages_init(struct pt_messages *messages)
{
    messages->count = messages->error_count = messages->dropped = 0;
}

void pt_messages_fini(struct pt_messages *messages)
{
    for (unsigned i = 0; i < messages->count; i++)
        free(messages->list[i].line);
    pt_messages_init(messages);
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0u) == 0x80u;
}

/* The byte at which character `index` begins, or `length`. */
static size_t character_start(const char *line, size_t length, uint32_t index)
{
    size_t at = 0;
    for (uint32_t i = 0; at < length && i < index; i++) {
        at++;
        while (at < length && is_continuation(line[at]))
            at++;
    }
    return at;
}

static void keep_line(struct pt_message *message, const char *line, size_t length)
{
    message->line = NULL;
    message->caret = 0;
    if (!line || length == 0 || message->error.column == 0) return;
    uint32_t column = message->error.column - 1;
    uint32_t first = column > SHOWN_CHARACTERS - 10 ? column - SHOWN_BEFORE : 0;
    size_t from = character_start(line, length, first);
    size_t bytes = character_start(line + from, length - from, SHOWN_CHARACTERS);
    const char *before = first > 0 ? "..." : "";
    const char *after = from + bytes < length ? "..." : "";
    size_t size = strlen(before) + bytes + strlen(after) + 1;
    message->line = malloc(size);
    if (!message->line) return;
    snprintf(message->line, size, "%s%.*s%s", before, (int)bytes, line + from, after);
    message->caret = column - first + (uint32_t)strlen(before);
}

static bool is_before(const struct pt_error *a, const struct pt_error *b)
{
    if (strcmp(a->file, b->file) != 0) return false;
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

static void drop(struct pt_messages *messages, unsigned index)
{
    free(messages->list[index].line);
    for (unsigned i = index + 1; i < messages->count; i++)
        messages->list[i - 1] = messages->list[i];
    messages->count--;
    messages->dropped++;
}

/* Makes room for one more by dropping the least important one; false: that is the new one. */
static bool make_room(struct pt_messages *messages, bool warning, const struct pt_error *error)
{
    if (messages->count < PT_MESSAGES_MAX) return true;
    unsigned victim = PT_MESSAGES_MAX;
    for (unsigned i = 0; i < messages->count; i++)
        if (messages->list[i].warning) victim = i;
    if (victim == PT_MESSAGES_MAX) {
        if (warning) return false;
        victim = PT_MESSAGES_MAX - 1;
    }
    bool better = messages->list[victim].warning && !warning;
    if (!better && !is_before(error, &messages->list[victim].error)) return false;
    drop(messages, victim);
    return true;
}

void pt_messages_add(struct pt_messages *messages, bool warning, const struct pt_error *error,
                     const char *line, size_t line_length)
{
    if (!warning) messages->error_count++;
    if (!make_room(messages, warning, error)) {
        messages->dropped++;
        return;
    }
    unsigned at = messages->count;
    while (at > 0 && is_before(error, &messages->list[at - 1].error))
        at--;
    for (unsigned i = messages->count; i > at; i--)
        messages->list[i] = messages->list[i - 1];
    messages->count++;
    struct pt_message *message = &messages->list[at];
    message->error = *error;
    message->warning = warning;
    keep_line(message, line, line_length);
}

static void put_text(FILE *stream, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        fputc(byte == '\t' ? ' ' : byte < 0x20 || byte == 0x7f ? '?' : byte, stream);
    }
}

static void print_one(const struct pt_message *message, FILE *stream, bool color)
{
    const struct pt_error *error = &message->error;
    const char *bold = color ? "\x1b[1m" : "", *off = color ? "\x1b[0m" : "";
    const char *mark = !color ? "" : message->warning ? "\x1b[1;33m" : "\x1b[1;31m";
    fputs(bold, stream);
    put_text(stream, error->file);
    if (error->line > 0) fprintf(stream, ":%u", (unsigned)error->line);
    if (error->line > 0 && error->column > 0) fprintf(stream, ":%u", (unsigned)error->column);
    if (error->file[0]) fputs(": ", stream);
    fputs(off, stream);
    if (message->warning) fprintf(stream, "%swarning: %s", mark, off);
    put_text(stream, error->message);
    fputc('\n', stream);
    if (!message->line) return;
    fputs("  ", stream);
    put_text(stream, message->line);
    fprintf(stream, "\n  %*s%s^%s\n", (int)message->caret, "", mark, off);
}

void pt_messages_print(const struct pt_messages *messages, FILE *stream, bool color)
{
    for (unsigned i = 0; i < messages->count; i++)
        print_one(&messages->list[i], stream, color);
    if (messages->dropped > 0) fprintf(stream, "... and %u more\n", messages->dropped);
}
