/* A file that is there whole or not at all: a temporary file beside the target, synced and renamed
 * when done. Shared inside this folder. */
#ifndef PT_RESULTS_FILE_H
#define PT_RESULTS_FILE_H

#include "partita/status.h"
#include "partita/types.h"

struct pt__file {
    char *target; /* symbolic links resolved */
    char *temp;   /* beside it; NULL = nothing there */
};

/* Creates the empty temporary file. PT_ERR_INPUT if the user named a place that can't be written
 * (no such folder, no permission, not a regular file), PT_ERR_IO if the machine fails. */
PT_USE_RESULT enum pt_status pt__file_open(struct pt__file *file, const char *path,
                                           struct pt_error *error);
/* Syncs the temporary file, renames it to the target, or to the target's partial name, and syncs
 * the folder. On an error the temporary file is gone. Frees. */
PT_USE_RESULT enum pt_status pt__file_commit(struct pt__file *file, bool partial,
                                             struct pt_error *error);
/* Removes the temporary file and frees. Allowed again. */
void pt__file_abandon(struct pt__file *file);

#endif
