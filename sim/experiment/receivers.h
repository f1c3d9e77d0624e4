/* Everybody who is told what happens in a run, one behind the other: digest, outcomes, result file,
 * event lines, and whoever the caller adds. Shared by the files of run.h alone.
 */
#ifndef PT_EXPERIMENT_RECEIVERS_H
#define PT_EXPERIMENT_RECEIVERS_H

#include "analysis/results/digest.h"
#include "analysis/results/results.h"
#include "partita/recorder.h"
#include "sim/experiment/event_lines.h"

/* NULL members are not told. Nothing is owned. */
struct pt__receivers {
    struct pt_digest *digest;
    struct pt_outcomes *outcomes;
    struct pt_results_writer *writer;
    struct pt_event_lines *lines;
    bool verdicts; /* the writer wants them: they cost a byte a job */
    const struct pt_recorder *also;
    double write_s; /* wall time in writer and lines */
};

/* A recorder that tells them all; `receivers` is borrowed by it. Callbacks that nobody wants are
 * NULL, so that the engine need not compute for them. */
void pt__receivers_recorder(struct pt_recorder *recorder, struct pt__receivers *receivers);

/* Wall time in seconds from an arbitrary origin. */
double pt__wall_s(void);

#endif
