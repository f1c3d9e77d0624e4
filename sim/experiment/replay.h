/* A result run again, in steps: its events come out one after the other, and what the world was
 * like between two of them can be asked for.
 *
 * Nothing is written. Events wait in a buffer until they are taken, so that two replays can be
 * walked side by side, whichever is ahead.
 */
#ifndef PT_EXPERIMENT_REPLAY_H
#define PT_EXPERIMENT_REPLAY_H

#include "sim/experiment/run.h"

struct pt_replay;

/* Loads the experiment that a result holds, with the inputs of now, and makes it ready to run.
 * PT_ERR_INPUT, the message saying why: no experiment kept, an input that is not there any more or
 * has changed, an experiment that this version does not take. */
PT_USE_RESULT enum pt_status pt_replay_open(struct pt_replay **replay, const char *path,
                                            struct pt_error *error);
/* NULL is allowed. */
void pt_replay_close(struct pt_replay *replay);

/* The next event, without taking it; NULL after the last one. Borrowed until the next call. Fails
 * as pt_run_advance; a deadlock is the end of the events and no failure. */
PT_USE_RESULT enum pt_status pt_replay_peek(const struct pt_event **event, struct pt_replay *replay,
                                            struct pt_error *error);
/* Takes the event that was peeked: the world is now as it is after it. PT_ERR_MEMORY alone. */
PT_USE_RESULT enum pt_status pt_replay_take(struct pt_replay *replay, struct pt_error *error);

/* Takes what the policy said of pending jobs before an instant: pt_replay_take does so up to its
 * event, and the words of the last instant would wait for an event that nobody takes. */
void pt_replay_hear(struct pt_replay *replay, int64_t before_ns);

/* Runs to the end without keeping events; the digest of all of them, owned by the replay. */
PT_USE_RESULT enum pt_status pt_replay_finish(const char **digest, struct pt_replay *replay,
                                              struct pt_error *error);

/* The facts of the run, for names and columns. */
const struct pt_run_facts *pt_replay_facts(const struct pt_replay *replay);

/* The world after the events taken so far. */
enum pt_replayed_job { PT_REPLAYED_AWAY, PT_REPLAYED_PENDING, PT_REPLAYED_RUNNING };
enum pt_replayed_job pt_replay_job(const struct pt_replay *replay, pt_job job);
/* Why a pending job did not start when it was last looked at; PT_REASON_NONE = not known. */
enum pt_reason pt_replay_reason(const struct pt_replay *replay, pt_job job);
/* Pending jobs. */
uint32_t pt_replay_pending(const struct pt_replay *replay);
/* GPUs of a pool on which no job holds anything. */
uint32_t pt_replay_idle_gpus(const struct pt_replay *replay, uint32_t pool);

#endif
