/* Bytes of a trace: a file, or memory, plain or compressed by gzip or zstd, in chunks.
 *
 * What the bytes are is told by their first four, never by the file's name. Several gzip members or
 * zstd frames one behind the other are one input. An archive that ends in its middle, fails its
 * checksum or is followed by something else is an error: nothing is ever read short in silence.
 */
#ifndef PT_TRACES_INPUT_H
#define PT_TRACES_INPUT_H

#include <stddef.h>

#include "partita/status.h"

struct pt__input;

/* PT_ERR_INPUT if the file can't be opened (missing, a folder, not permitted). */
PT_USE_RESULT enum pt_status pt__input_open(struct pt__input **input, const char *path,
                                            struct pt_error *error);
/* The same over bytes in memory (borrowed); `name` is the file that errors name. */
PT_USE_RESULT enum pt_status pt__input_open_memory(struct pt__input **input, const char *name,
                                                   const void *bytes, size_t length,
                                                   struct pt_error *error);
/* NULL is allowed. */
void pt__input_close(struct pt__input *input);

/* Reads up to `capacity` (> 0) bytes; *got = 0 only at the end. PT_ERR_IO if the system fails to
 * read, PT_ERR_INPUT if the archive is broken. */
PT_USE_RESULT enum pt_status pt__input_read(size_t *got, struct pt__input *input, void *buffer,
                                            size_t capacity, struct pt_error *error);

#endif
