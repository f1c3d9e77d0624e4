/* Trace readers: one source of jobs = one const struct in one file of traces/, listed in
 * traces/registry.c.
 *
 * A reader appends rows to a trace in the source's own order and closes nothing: the caller calls
 * pt_trace_finish. It reads files through pt_input (traces/input.h: plain, gzip, zstd, in chunks),
 * never whole into memory. Every bad row is reported with file, line and column.
 */
#ifndef PARTITA_READER_H
#define PARTITA_READER_H

#include <signal.h>

#include "partita/param.h"
#include "partita/status.h"
#include "partita/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PT_READER_ABI 2

/* What a read did. `bad` is called for each bad row (also for the one that stops the read). */
struct pt_read_report {
    uint64_t rows, accepted, bad_rows, dropped; /* dropped: by the window, limit or sample */
    uint64_t bytes;                             /* uncompressed */
};

/* Whether an interrupt flag is set; NULL = never. A signal may come to another thread than the one
 * that looks: hence the relaxed atomic read, and such a write in whoever sets it. */
static inline bool pt_interrupted(const volatile sig_atomic_t *flag)
{
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

struct pt_read_request {
    const char *path;              /* NULL for sources that draw their jobs */
    const struct pt_value *params; /* in the order of the reader's table */
    uint64_t seed;                 /* for sources that draw */
    uint32_t limit;                /* at most so many accepted rows; PT_NONE = all */
    bool skip_bad_rows;            /* count and report them and go on; else the first stops */
    /* Told of every bad row, with its place in `error`. NULL = not interested. */
    void (*bad)(void *ctx, const struct pt_error *error);
    void *ctx;
    /* Looked at row by row: not 0 = stop with PT_ERR_INTERRUPTED. NULL = never. */
    const volatile sig_atomic_t *interrupt;
};

struct pt_reader_ops {
    uint32_t abi, size;
    const char *name, *summary, *source;
    bool needs_path;
    const char *columns;  /* the source's columns and what they become, a line each */
    const char *unmapped; /* what can't be mapped, and defaults taken */
    const struct pt_param *params;
    enum pt_status (*read)(struct pt_trace *trace, struct pt_read_report *report,
                           const struct pt_read_request *request, struct pt_error *error);
};

#ifdef __cplusplus
}
#endif
#endif
