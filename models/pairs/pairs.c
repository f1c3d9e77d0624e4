#include "models/pairs/pairs.h"

#include <float.h>
#include <string.h>

enum { GPU, JOB_A, JOB_B, SOLO_A, SOLO_B, CO_A, CO_B, FITS };

static const char *const names[] = {"gpu",  "job_a", "job_b", "solo_a", "solo_b",
                                    "co_a", "co_b",  "fits",  NULL};

enum pt_status pt_pairs_open(struct pt__rows *rows, const char *text, size_t length,
                             const char *file, struct pt_error *error)
{
    return pt__rows_open(rows, text, length, file, names, true, error);
}

/* solo / together of one of the two. */
static enum pt_status slow_down(double *slow, const struct pt__rows *rows, uint32_t solo,
                                uint32_t together, struct pt_error *error)
{
    double alone, beside;
    PT_TRY(pt__rows_number(&alone, rows, solo, 0, 0, DBL_MAX, error));
    PT_TRY(pt__rows_number(&beside, rows, together, 0, 0, DBL_MAX, error));
    if (!(alone > 0)) return pt__rows_fail(rows, solo, "is no speed: it is not above 0", error);
    if (!(beside > 0))
        return pt__rows_fail(rows, together, "is no speed: it is not above 0", error);
    *slow = alone / beside;
    if (!(*slow >= 0.1 && *slow <= 1e6))
        return pt__rows_fail(rows, together,
                             "is not between a millionth and 10 times the speed alone", error);
    return PT_OK;
}

enum pt_status pt_pairs_next(struct pt_pair *pair, struct pt__rows *rows, bool *more,
                             struct pt_error *error)
{
    PT_TRY(pt__rows_next(rows, more, error));
    if (!*more) return PT_OK;
    *pair = (struct pt_pair){
        .gpu = rows->cells[GPU], .job_a = rows->cells[JOB_A], .job_b = rows->cells[JOB_B]};
    for (uint32_t cell = GPU; cell <= JOB_B; cell++)
        if (rows->cells[cell][0] == '\0') return pt__rows_fail(rows, cell, "is empty", error);
    const char *fits = rows->cells[FITS];
    pair->fits = strcmp(fits, "1") == 0;
    if (!pair->fits && strcmp(fits, "0") != 0)
        return pt__rows_fail(rows, FITS, "is neither 0 nor 1", error);
    if (!pair->fits) return PT_OK;
    PT_TRY(slow_down(&pair->slow_a, rows, SOLO_A, CO_A, error));
    return slow_down(&pair->slow_b, rows, SOLO_B, CO_B, error);
}
