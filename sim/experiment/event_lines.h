/* The event log as JSON lines: one object an event, for people with jq and for debugging policies.
 *
 * Buffered; O(1) an event. The file appears only when whole (outfile.h).
 */
#ifndef PT_EXPERIMENT_EVENT_LINES_H
#define PT_EXPERIMENT_EVENT_LINES_H

#include "partita/cluster.h"
#include "partita/recorder.h"
#include "partita/trace.h"

struct pt_event_lines;

/* `cluster` and `trace` are borrowed: names of nodes and ids of jobs. PT_ERR_INPUT when the place
 * can't be written. */
PT_USE_RESULT enum pt_status pt_event_lines_open(struct pt_event_lines **lines, const char *path,
                                                 const struct pt_cluster *cluster,
                                                 const struct pt_trace *trace,
                                                 struct pt_error *error);
/* A pt_recorder.events callback; ctx is the struct pt_event_lines. */
enum pt_status pt_event_lines_write(void *ctx, const struct pt_event *events, size_t count,
                                    struct pt_error *error);
/* Flushes, renames (to FILE.partial when `partial`: an old whole one is never lost), frees. On an
 * error the new file is gone. */
PT_USE_RESULT enum pt_status pt_event_lines_close(struct pt_event_lines *lines, bool partial,
                                                  struct pt_error *error);
/* Gives up: removes the temporary file. NULL is allowed. */
void pt_event_lines_abandon(struct pt_event_lines *lines);

#endif
