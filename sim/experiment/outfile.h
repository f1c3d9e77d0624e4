/* A file of text that appears only when whole: written beside its target, then renamed. A target
 * that is a pipe or a device is written in place; stdout is written as it is.
 */
#ifndef PT_EXPERIMENT_OUTFILE_H
#define PT_EXPERIMENT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "partita/status.h"

struct pt_outfile {
    FILE *stream;
    char *target, *temporary; /* owned; NULL target = stdout, NULL temporary = in place */
};

/* PT_ERR_INPUT when writing to `path` would destroy `input`, the same file under whatever name.
 * NULL and names without a regular file behind them are fine. */
PT_USE_RESULT enum pt_status pt_outfile_spares(const char *path, const char *input,
                                               struct pt_error *error);
/* PT_ERR_INPUT when two outputs would be one file, there already or not. NULL is fine. */
PT_USE_RESULT enum pt_status pt_outfile_apart(const char *path, const char *other,
                                              struct pt_error *error);
/* path NULL = stdout. PT_ERR_INPUT when the file can't be written; then nothing is to be freed. */
PT_USE_RESULT enum pt_status pt_outfile_open(struct pt_outfile *file, const char *path,
                                             struct pt_error *error);
/* PT_ERR_IO if anything written so far was lost. */
PT_USE_RESULT enum pt_status pt_outfile_check(const struct pt_outfile *file,
                                              struct pt_error *error);
/* Flushes, renames into place (to FILE.partial when `partial`: an old whole file is never lost) and
 * frees; on an error the new file is gone. */
PT_USE_RESULT enum pt_status pt_outfile_close(struct pt_outfile *file, bool partial,
                                              struct pt_error *error);
/* Gives up: removes what was written. A zeroed one is allowed. */
void pt_outfile_abandon(struct pt_outfile *file);

#endif
