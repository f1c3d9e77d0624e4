/* Bytes out to a file: plain, gzip or zstd by the ending of its name; whole or not at all. */
#ifndef PT_TRACES_OUTPUT_H
#define PT_TRACES_OUTPUT_H

#include <stddef.h>

#include "partita/status.h"

struct pt__output;

/* NULL path = standard output. PT_ERR_INPUT if the file can't be made. */
PT_USE_RESULT enum pt_status pt__output_open(struct pt__output **output, const char *path,
                                             struct pt_error *error);
/* The name of the file that is renamed to `path` when whole, malloc'ed; NULL when `path` is NULL or
 * written in place, or when memory is out. */
char *pt__output_temporary(const char *path);
PT_USE_RESULT enum pt_status pt__output_write(struct pt__output *output, const void *bytes,
                                              size_t length, struct pt_error *error);
/* Finishes the file and puts it in its place. The output is gone afterwards, whatever happened. */
PT_USE_RESULT enum pt_status pt__output_commit(struct pt__output *output, struct pt_error *error);
/* Gives up: an old file stays as it was. NULL is allowed. */
void pt__output_discard(struct pt__output *output);

#endif
