/* How fast jobs run side by side on one GPU, and what slows each down: `partita explain speed`.
 *
 * No time passes here. Jobs are put on an empty GPU of a pool one after the other, by the pool's
 * sharing mode, and the same functions are asked that the engine asks (struct pt_unit_ops, struct
 * pt_interference_ops), so the speeds are the engine's.
 */
#ifndef PT_EXPERIMENT_SPEEDS_H
#define PT_EXPERIMENT_SPEEDS_H

#include "partita/interference.h"
#include "sim/experiment/config.h"
#include "sim/experiment/traits.h"

struct pt_job_speed {
    bool runs;                             /* else `reason` says why it never could, or: no room */
    enum pt_reason reason;                 /* PT_REASON_NONE: no room beside those before it */
    const struct pt_mig_profile *instance; /* that it runs in; NULL = the whole GPU */
    struct pt_traits traits;               /* without an interference model: its rate alone */
    double rate;                           /* R against the reference GPU */
    double asked;                          /* slow-down alone on what it asked for */
    double slow;                           /* now; both relative to the whole GPU alone */
    double speed;                          /* R asked / slow, of the reference GPU's */
    bool held;                             /* it could be faster, but not than R */
    uint32_t term_count;                   /* what `slow` is made of */
    struct pt_term terms[PT_TERMS_MAX];
};

/* The jobs of the trace, one unit each, on one GPU of the pool, in trace order. `speeds` has room
 * for all of them. PT_ERR_MEMORY alone. */
PT_USE_RESULT enum pt_status pt_speeds_ask(struct pt_job_speed *speeds,
                                           const struct pt_config *config,
                                           const struct pt_trace *trace,
                                           const struct pt_traits_model *traits, uint32_t pool,
                                           struct pt_error *error);

#endif
