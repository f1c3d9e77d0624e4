/* What a trace leaves to the experiment, written into its empty cells before anything runs: device
 * memory by profile, work between checkpoints. So everybody reads one place, and the result keeps
 * what was in force.
 */
#ifndef PT_EXPERIMENT_FILL_H
#define PT_EXPERIMENT_FILL_H

#include "partita/trace.h"
#include "sim/experiment/config.h"

/* Fills a finished trace whose words are known to mean something; filling it again changes nothing.
 * Columns that nothing fills take no memory. PT_ERR_MEMORY alone. O(jobs). */
PT_USE_RESULT enum pt_status pt_fill_trace(struct pt_trace *trace, const struct pt_config *config,
                                           struct pt_error *error);

#endif
