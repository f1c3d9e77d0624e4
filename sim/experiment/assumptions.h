/* What a run takes for granted, in sentences: every summary and report lists them, so that nobody
 * mistakes a convention for a measurement. Shared by the files of run.h alone.
 */
#ifndef PT_EXPERIMENT_ASSUMPTIONS_H
#define PT_EXPERIMENT_ASSUMPTIONS_H

#include "partita/trace.h"
#include "sim/experiment/config.h"
#include "sim/experiment/resolve.h"

struct pt__assumptions {
    uint32_t count, capacity;
    char **list; /* owned */
};

/* Fills an empty list; the order is fixed. PT_ERR_MEMORY alone; fini frees also then. */
PT_USE_RESULT enum pt_status pt__assumptions_make(struct pt__assumptions *assumptions,
                                                  const struct pt_config *config,
                                                  const struct pt_trace *trace,
                                                  const struct pt_resolved *resolved,
                                                  struct pt_error *error);
void pt__assumptions_fini(struct pt__assumptions *assumptions);

#endif
