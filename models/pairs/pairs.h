/* Tables of pairs: how fast two types of jobs were measured to run on one GPU, alone and together.
 *
 * CSV with the columns gpu (a GPU's name or family), job_a, job_b (profiles' names; job_a came
 * first), solo_a, solo_b, co_a, co_b (speeds, in any unit), fits (0: they ran out of memory
 * together); other columns are left alone. Lines that start with # are remarks.
 */
#ifndef PT_MODELS_PAIRS_PAIRS_H
#define PT_MODELS_PAIRS_PAIRS_H

#include "models/rows.h"

struct pt_pair {
    const char *gpu, *job_a, *job_b; /* valid until the next row */
    double slow_a, slow_b;           /* solo / together; 0 where it does not fit */
    bool fits;
};

/* Opens a table from its text. Errors: PT_ERR_INPUT with line and column, PT_ERR_MEMORY. Closed by
 * pt__rows_close, also after an error. */
PT_USE_RESULT enum pt_status pt_pairs_open(struct pt__rows *rows, const char *text, size_t length,
                                           const char *file, struct pt_error *error);
/* The next row; *more is false at the end. PT_ERR_INPUT. */
PT_USE_RESULT enum pt_status pt_pairs_next(struct pt_pair *pair, struct pt__rows *rows, bool *more,
                                           struct pt_error *error);

#endif
