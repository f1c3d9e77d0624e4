/* What a run takes for granted, in sentences: every summary and report lists them, so that nobody
 * mistakes a convention for a measurement. Shared by the files of run.h alone.
 */
#ifndef PT_EXPERIMENT_ASSUMPTIONS_H
#define PT_EXPERIMENT_ASSUMPTIONS_H

#include "partita/trace.h"
#include "sim/experiment/config.h"
#include "sim/experiment/resolve.h"
#include "sim/experiment/traits.h"

struct pt__assumptions {
    uint32_t count, capacity;
    char **list; /* owned */
    bool no_memory;
};

/* What they are drawn from; borrowed for the call. */
struct pt__assumed {
    const struct pt_config *config;
    const struct pt_trace *trace;
    const struct pt_resolved *resolved;
    const struct pt_traits_model *traits;
};

/* Fills an empty list; the order is fixed. PT_ERR_MEMORY alone; fini frees also then. */
PT_USE_RESULT enum pt_status pt__assumptions_make(struct pt__assumptions *assumptions,
                                                  const struct pt__assumed *from,
                                                  struct pt_error *error);
void pt__assumptions_fini(struct pt__assumptions *assumptions);

/* Adds a sentence, without a full stop, of at most 511 bytes. */
void pt__assume(struct pt__assumptions *all, const char *format, ...) PT_PRINTF(2, 3);

/* Adds what the interference model assumes of pools and jobs (assume_models.c). */
void pt__assume_models(struct pt__assumptions *all, const struct pt__assumed *from);
/* Adds what is assumed of money, energy, cold starts and faults (assume_world.c). */
void pt__assume_world(struct pt__assumptions *all, const struct pt__assumed *from);

#endif
