/* A directory with one result a seed: DIR/seed-0001.h5, DIR/seed-0002.h5, ...
 *
 * A file's name depends on its seed alone: four digits, more only where the seed has more. Files
 * of other names are nobody's business here.
 */
#ifndef PT_REPLICATE_DIRECTORY_H
#define PT_REPLICATE_DIRECTORY_H

#include "sim/replicate/seeds.h"

/* The path of a seed's result; the caller's, NULL when memory is out. */
char *pt_seed_path(const char *directory, uint64_t seed);

/* PT_ERR_INPUT when results can't go there: a file is in the way, nothing may be written, or a
 * result of a seed that is not among `seeds` would stay beside theirs though it is of another
 * experiment, so that the directory would mix two. `effective_yaml` is the experiment's; seeds
 * differ. What can't be read as a result is left alone. A directory that is not there is fine if
 * the one above it is. Reads the manifest of every result that would stay. */
PT_USE_RESULT enum pt_status pt_seed_directory_check(const char *directory,
                                                     const struct pt_seeds *seeds,
                                                     const char *effective_yaml,
                                                     struct pt_error *error);
/* Makes the directory unless it is there. PT_ERR_INPUT when it can't be made. */
PT_USE_RESULT enum pt_status pt_seed_directory_make(const char *directory, struct pt_error *error);

#endif
