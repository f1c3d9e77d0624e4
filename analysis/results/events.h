/* /events: what happened, in order; /intervals: which job held which GPU from when to when. */
#ifndef PT_RESULTS_EVENTS_H
#define PT_RESULTS_EVENTS_H

#include "analysis/results/table.h"
#include "partita/recorder.h"

struct pt__events;

PT_USE_RESULT enum pt_status pt__events_create(struct pt__events **events, hid_t file,
                                               int compression, struct pt_error *error);
/* Memory: 4 bytes a job seen and 24 a unit held; amortised O(1) an event. */
PT_USE_RESULT enum pt_status pt__events_add(struct pt__events *events, const struct pt_event *batch,
                                            size_t count, struct pt_error *error);
/* Ends the intervals that are still open at the time of the last event; frees either way. */
PT_USE_RESULT enum pt_status pt__events_close(struct pt__events *events, struct pt_error *error);
/* NULL is allowed. */
void pt__events_abandon(struct pt__events *events);

#endif
