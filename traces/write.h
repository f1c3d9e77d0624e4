/* A trace written as native CSV: what `partita trace convert` makes.
 *
 * id, submit_s, work_s and gpus are always there, other columns where any job has one. Every number
 * is written in full, so that reading the file gives the same trace, cell by cell, and writing that
 * one the same bytes.
 */
#ifndef PT_TRACES_WRITE_H
#define PT_TRACES_WRITE_H

#include "partita/trace.h"

/* Writes to `path`; a name that ends in .gz or .zst is compressed so. A regular file is written
 * beside its place and renamed when whole: nobody sees half of it, and an old one survives a
 * failure. NULL = standard output. PT_ERR_INPUT if the file can't be made, PT_ERR_IO if writing
 * fails. */
PT_USE_RESULT enum pt_status pt_trace_write(const struct pt_trace *trace, const char *path,
                                            struct pt_error *error);
/* The file that writing to `path` makes before it is whole, for who wants to remove it when a
 * signal ends the process; NULL if there is none (or no memory). The caller frees it. */
char *pt_trace_write_temporary(const char *path);

#endif
