#include "partita/status.h"

#include <stdio.h>
#include <string.h>

enum pt_status pt_vfail_at(struct pt_error *error, enum pt_status status, const char *file,
                           uint32_t line, uint32_t column, const char *format, va_list arguments)
{
    if (error == NULL) return status;
    error->status = status;
    error->line = line;
    error->column = column;
    error->word = PT_ERROR_WHOLE;
    error->key[0] = '\0';
    size_t length = file == NULL ? 0 : strlen(file); /* may be error->file itself */
    if (length >= sizeof error->file) length = sizeof error->file - 1;
    if (length > 0) memmove(error->file, file, length);
    error->file[length] = '\0';
    int written = vsnprintf(error->message, sizeof error->message, format, arguments);
    if (written < 0) error->message[0] = '\0';
    return status;
}

/* Names in parentheses: for the static analyser they are macros, see the header. */
enum pt_status(pt_fail_at)(struct pt_error *error, enum pt_status status, const char *file,
                           uint32_t line, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_vfail_at(error, status, file, line, column, format, arguments);
    va_end(arguments);
    return status;
}

enum pt_status(pt_fail)(struct pt_error *error, enum pt_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt_vfail_at(error, status, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

enum pt_status(pt_fail_param)(struct pt_error *error, const char *key, uint32_t word,
                              const char *format, ...)
{
    char what[PT_ERROR_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    enum pt_status status =
        pt_fail(error, PT_ERR_INPUT, "%.*s: %s", PT_ERROR_KEY_MAX, key, written < 0 ? "" : what);
    if (error == NULL) return status;
    error->word = word;
    snprintf(error->key, sizeof error->key, "%s", key);
    return status;
}

void pt_error_in(struct pt_error *error, const char *owner)
{
    char key[PT_ERROR_KEY_MAX];
    if (error == NULL || error->key[0] == '\0') return;
    memcpy(key, error->key, sizeof key);
    snprintf(error->key, sizeof error->key, "%.20s.%.40s", owner, key);
}

const char *pt_status_name(enum pt_status status)
{
    switch (status) {
#define PT_STATUS_CASE(name, value, exit_code, text)                                               \
    case name:                                                                                     \
        return #name;
        PT_STATUS_MAP(PT_STATUS_CASE)
#undef PT_STATUS_CASE
    }
    return "PT_ERR_UNKNOWN";
}

const char *pt_status_text(enum pt_status status)
{
    switch (status) {
#define PT_STATUS_CASE(name, value, exit_code, text)                                               \
    case name:                                                                                     \
        return text;
        PT_STATUS_MAP(PT_STATUS_CASE)
#undef PT_STATUS_CASE
    }
    return "unknown error";
}

int pt_status_exit_code(enum pt_status status)
{
    switch (status) {
#define PT_STATUS_CASE(name, value, exit_code, text)                                               \
    case name:                                                                                     \
        return exit_code;
        PT_STATUS_MAP(PT_STATUS_CASE)
#undef PT_STATUS_CASE
    }
    return 3;
}
