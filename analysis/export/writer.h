/* Buffered text output for the exporters: stdio's per-call cost, once per 64 KiB. */
#ifndef PT_EXPORT_WRITER_H
#define PT_EXPORT_WRITER_H

#include <stdio.h>
#include <string.h>

#include "partita/status.h"
#include "partita/types.h"

#define PT__WRITER_BYTES 65536

struct pt__writer {
    FILE *out;
    size_t used;
    bool failed;
    char bytes[PT__WRITER_BYTES];
};

void pt__writer_init(struct pt__writer *writer, FILE *out);
/* Hands everything to the stream and flushes it. PT_ERR_IO if any write failed. */
PT_USE_RESULT enum pt_status pt__writer_finish(struct pt__writer *writer, struct pt_error *error);
void pt__write(struct pt__writer *writer, const char *text, size_t length);
void pt__write_text(struct pt__writer *writer, const char *text);
void pt__write_int(struct pt__writer *writer, int64_t value);
/* Shortest round trip; "inf" and "-inf" for infinities. */
void pt__write_number(struct pt__writer *writer, double value);

#endif
