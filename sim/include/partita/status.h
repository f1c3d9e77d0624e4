/* Status codes and the error object that every fallible call fills in.
 *
 * Invariant: PT_OK is 0, every error is negative; a function that returns an error has either
 * described it in the `struct pt_error *` passed last or was given NULL there. Nothing in the
 * library exits, aborts on bad input, prints, or keeps an error in a global.
 */
#ifndef PARTITA_STATUS_H
#define PARTITA_STATUS_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, the process exit code that belongs to it, what it means */
#define PT_STATUS_MAP(X)                                                                           \
    X(PT_OK, 0, 0, "done")                                                                         \
    X(PT_ERR_INPUT, -1, 2, "the user's input is wrong")                                            \
    X(PT_ERR_MEMORY, -2, 3, "out of memory")                                                       \
    X(PT_ERR_IO, -3, 3, "reading or writing failed")                                               \
    X(PT_ERR_DEADLOCK, -4, 4, "jobs are left that nothing can ever start")                         \
    X(PT_ERR_POLICY, -5, 4, "a policy broke a rule or acts for ever")                              \
    X(PT_ERR_INVARIANT, -6, 4, "an invariant of the simulated world is broken")                    \
    X(PT_ERR_RANGE, -7, 4, "simulated time ran past 292 years")                                    \
    X(PT_ERR_REFUSED, -8, 4, "the action is not legal now")                                        \
    X(PT_ERR_INTERRUPTED, -9, 130, "interrupted")                                                  \
    X(PT_ERR_ARGUMENT, -10, 2, "a caller passed an argument outside its documented range")

enum pt_status {
#define PT_STATUS_ENUM(name, value, exit_code, text) name = (value),
    PT_STATUS_MAP(PT_STATUS_ENUM)
#undef PT_STATUS_ENUM
};

#if defined(__GNUC__)
#define PT_USE_RESULT __attribute__((warn_unused_result))
#define PT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PT_USE_RESULT
#define PT_PRINTF(fmt, args)
#endif

#define PT_ERROR_MESSAGE_MAX 768
#define PT_ERROR_FILE_MAX 256
#define PT_ERROR_KEY_MAX 64
#define PT_ERROR_WHOLE UINT32_MAX

/* What went wrong and, if it is about a file, where. Plain data, lives on the caller's stack.
 * `line` and `column` count from 1; 0 means unknown. `file` is "" when the error is about none.
 * `key` is the parameter that it is about, "" if it is about none, and `word` the place in its list
 * of words, from 0, PT_ERROR_WHOLE = all of it: whoever has the user's file finds them there. */
struct pt_error {
    enum pt_status status;
    uint32_t line, column, word;
    char key[PT_ERROR_KEY_MAX];
    char file[PT_ERROR_FILE_MAX];
    char message[PT_ERROR_MESSAGE_MAX];
};

/* Fills `error` (NULL is allowed: nothing happens) and returns `status`, so that a caller can
 * write `return pt_fail(error, PT_ERR_INPUT, "...")`. Truncates silently at PT_ERROR_MESSAGE_MAX.
 */
enum pt_status pt_fail(struct pt_error *error, enum pt_status status, const char *format, ...)
    PT_PRINTF(3, 4);

/* As pt_fail, with the place: `file` may be NULL. */
enum pt_status pt_fail_at(struct pt_error *error, enum pt_status status, const char *file,
                          uint32_t line, uint32_t column, const char *format, ...) PT_PRINTF(6, 7);

enum pt_status pt_vfail_at(struct pt_error *error, enum pt_status status, const char *file,
                           uint32_t line, uint32_t column, const char *format, va_list arguments);

/* PT_ERR_INPUT about the value of a parameter, for the `init` of what has parameters: `key` as in
 * its table (`defragment.moves`), `word` as in struct pt_error. The message begins with the key. */
enum pt_status pt_fail_param(struct pt_error *error, const char *key, uint32_t word,
                             const char *format, ...) PT_PRINTF(4, 5);
/* An error about a parameter becomes one about that parameter inside of `owner`: its key gets the
 * prefix `owner` and a dot. Does nothing to other errors; NULL is allowed. */
void pt_error_in(struct pt_error *error, const char *owner);

/* "PT_ERR_INPUT" and the like; "PT_ERR_UNKNOWN" for a value that is none. Never NULL. */
const char *pt_status_name(enum pt_status status);
/* The sentence of the map above. Never NULL. */
const char *pt_status_text(enum pt_status status);
/* The process exit code of product.md for this status; 3 for a value that is none. */
int pt_status_exit_code(enum pt_status status);

/* Returns from the calling function with the status of `call` unless it is PT_OK. Only where
 * nothing needs freeing. */
#define PT_TRY(call)                                                                               \
    do {                                                                                           \
        enum pt_status pt_try_status = (call);                                                     \
        if (pt_try_status != PT_OK) return pt_try_status;                                          \
    } while (0)

#ifdef __clang_analyzer__
/* The static analyser does not see that the status given to these functions comes back. */
#define pt_fail(error, status, ...) (pt_fail((error), (status), __VA_ARGS__), (status))
#define pt_fail_at(error, status, ...) (pt_fail_at((error), (status), __VA_ARGS__), (status))
#define pt_fail_param(error, ...) (pt_fail_param((error), __VA_ARGS__), PT_ERR_INPUT)
#endif

#ifdef __cplusplus
}
#endif
#endif
