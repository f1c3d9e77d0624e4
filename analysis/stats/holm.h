/* Holm's correction for looking at many metrics at once (Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
 */
#ifndef PT_STATS_HOLM_H
#define PT_STATS_HOLM_H

#include <stddef.h>

#include "partita/status.h"

/* Replaces m p-values by their adjusted ones: the i-th smallest (i from 1) becomes the largest of
 * (m - j + 1) p_(j) over j <= i, at most 1. Rejecting what is below a level then keeps the chance
 * of any false rejection at that level, however the metrics depend on each other; never rejects
 * less than Bonferroni. NaN = no test was made: it stays NaN and does not count in m. Equal values
 * get equal results, whatever their order. Fails for want of memory only. */
PT_USE_RESULT enum pt_status pt_holm_adjust(double *p, size_t m, struct pt_error *error);

#endif
