/* Records of a CSV file (RFC 4180): commas, optional double quotes, quotes inside doubled, LF or
 * CRLF, a byte-order mark and a missing last line end allowed. Blank lines are no records.
 *
 * Read in chunks; the file is never in memory as a whole, and a record longer than
 * PT_CSV_RECORD_MAX or a NUL byte (the file is no text) ends the read at once.
 * Every cell knows its line and column, in bytes from 1.
 */
#ifndef PT_TRACES_CSV_H
#define PT_TRACES_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/input.h"

#define PT_CSV_RECORD_MAX (16u << 20)
#define PT_CSV_NOWHERE UINT32_MAX
#define PT_CSV_PADDING 16

struct pt__csv {
    const char *file; /* borrowed: what errors name */
    struct pt__input *input;
    char *buffer;
    size_t capacity, at, end;
    size_t plain_end; /* up to here: whole lines without quotes */
    bool at_end;      /* the input has no more */
    uint32_t line;    /* of the next record */
    uint64_t bytes;   /* read so far, uncompressed */
};

/* One record, without its line end; text[length] may be read and is '\n' or '\r'. Valid until the
 * next call. */
struct pt__record {
    char *text; /* NULL: the file has ended */
    size_t length;
    uint32_t line;
    bool quoted; /* holds a quote: split it before use */
};

struct pt__cell {
    const char *text;
    size_t length;
    uint32_t line, column;
};

/* `path` and `name` are borrowed until pt__csv_close. */
PT_USE_RESULT enum pt_status pt__csv_open(struct pt__csv *csv, const char *path,
                                          struct pt_error *error);
PT_USE_RESULT enum pt_status pt__csv_open_memory(struct pt__csv *csv, const char *name,
                                                 const void *bytes, size_t length,
                                                 struct pt_error *error);
/* A zeroed or a closed one is allowed. */
void pt__csv_close(struct pt__csv *csv);

/* The next record. Errors end the read: none can be skipped. */
PT_USE_RESULT enum pt_status pt__csv_next(struct pt__csv *csv, struct pt__record *record,
                                          struct pt_error *error);

/* The whole lines without quotes that come next and are in memory already, [*text, *end), for
 * readers that need no splitting; empty when there are none. PT_CSV_PADDING bytes behind *end may
 * be read. */
void pt__csv_plain_lines(struct pt__csv *csv, const char **text, const char **end);
/* Moves on over the first `lines` of them, `length` bytes. */
void pt__csv_skip(struct pt__csv *csv, size_t length, uint32_t lines);

/* Splits a record, in place, into at most `capacity` cells; *count tells how many there are, also
 * beyond. An error (a stray quote) is about this record alone. */
PT_USE_RESULT enum pt_status pt__csv_split(struct pt__cell *cells, uint32_t *count,
                                           uint32_t capacity, const struct pt__csv *csv,
                                           const struct pt__record *record, struct pt_error *error);

/* The same for a row that must have exactly `count` cells. */
PT_USE_RESULT enum pt_status pt__csv_split_row(struct pt__cell *cells, uint32_t count,
                                               const struct pt__csv *csv,
                                               const struct pt__record *record,
                                               struct pt_error *error);

/* Adds the place of a cell to an error that has none; returns its status. */
enum pt_status pt__csv_at_cell(struct pt_error *error, const struct pt__csv *csv,
                               const struct pt__cell *cell);

/* An error about a cell: WHAT 'the cell'HINT, with its place. */
enum pt_status pt__csv_fail_cell(struct pt_error *error, const struct pt__csv *csv,
                                 const struct pt__cell *cell, const char *what, const char *hint);

/* Reads the header: the place of each of `names` (NULL-terminated) in *places, each of which must
 * be there once and nothing else beside them. */
PT_USE_RESULT enum pt_status pt__csv_header(uint32_t *places, struct pt__csv *csv,
                                            const char *const *names, struct pt_error *error);

#endif
