/* Progress of a run on stderr: one line that is redrawn on a terminal, a line a second elsewhere.
 */
#ifndef PT_CLI_PROGRESS_H
#define PT_CLI_PROGRESS_H

#include <stdbool.h>

#include "sim/experiment/run.h"
#include "sim/replicate/replicate.h"

struct pt__progress {
    bool on, redraw, drawn;
    double last_s;
};

/* `on`: progress is wanted at all. */
void pt__progress_init(struct pt__progress *progress, bool on);
void pt__progress_show(struct pt__progress *progress, const struct pt_run_progress *state);
/* The same of many runs. */
void pt__progress_show_all(struct pt__progress *progress,
                           const struct pt_replicate_progress *state);
/* Wipes the line before anything else is said. */
void pt__progress_clear(struct pt__progress *progress);

#endif
