/* The orders that fill holes: whoever would wait for a large job may go ahead where, by what users
 * said of their times (`estimate_s`), nobody with a reservation starts later for it. Read by
 * policies/registry.c. */
#ifndef PT_BACKFILL_H
#define PT_BACKFILL_H

#include "partita/policy.h"

extern const struct pt_policy_ops pt__easy_backfill, pt__conservative_backfill;

/* What happens to a job that has run for its estimate and not ended: nothing, or it is killed. */
enum { PT_OVERRUN_EXTEND, PT_OVERRUN_KILL };
extern const char *const pt__overrun_choices[];

#define PT_BACKFILL_PARAM_OVERRUN                                                                  \
    {                                                                                              \
        "overrun", PT_PARAM_CHOICE, "", "extend", NULL, NULL, pt__overrun_choices,                 \
            "what happens to a job that runs past its estimate_s"                                  \
    }

#endif
