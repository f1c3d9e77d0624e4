/* The steps that a job's changes of state are made of. Visible to life.c, preempt.c and claims.c.
 */
#ifndef PT_CORE_LIFE_H
#define PT_CORE_LIFE_H

#include "sim/core/engine.h"

void pt__set_state(struct pt_sim *sim, pt_job job, enum pt_job_state state);
/* Into the queue, pending or paused, and out of it. */
void pt__queue_enter(struct pt_sim *sim, pt_job job, enum pt_job_state state);
void pt__queue_leave(struct pt_sim *sim, pt_job job);
/* Its live record, made if it has none. */
uint32_t pt__live_open(struct pt_sim *sim, pt_job job);
/* The lowest GPU of the set. */
uint32_t pt__home_of(const struct pt_sim *sim, const struct pt_units *units);
void pt__home_enter(struct pt_sim *sim, uint32_t index);
/* Takes or gives back each node's part of the job's CPUs and memory. */
void pt__host_change(struct pt_sim *sim, const struct pt_live *live, bool take);
/* Counts what the job has held for its tenant since it was last counted. */
void pt__held(struct pt_sim *sim, const struct pt_live *live);
/* Its units serve it: an attempt begins, or goes on after a stop or a move. */
void pt__serve(struct pt_sim *sim, uint32_t index);
/* It leaves all its units; it did not run on them. */
void pt__vacate(struct pt_sim *sim, uint32_t index);
/* The attempt ends where it stands: charged, units left; the policy is told unless it moves. */
void pt__unserve(struct pt_sim *sim, uint32_t index);
void pt__release(struct pt_sim *sim, uint32_t index, enum pt_stop why);
/* Would the newcomer's allocation on these units fail? */
bool pt__out_of_memory(struct pt_sim *sim, pt_job job, const struct pt_units *units);
/* It would not fit into the memory of its GPUs. */
void pt__fails_for_memory(struct pt_sim *sim, uint32_t index);
/* Work that survives when `done` is interrupted, by the job's checkpoints. */
pt_u128 pt__checkpointed(const struct pt_sim *sim, pt_job job, pt_u128 done);
/* Time to save what the job has on its GPUs. */
int64_t pt__save_ns(const struct pt_sim *sim, const struct pt_live *live);
/* A state that nothing leaves; its successors can't run. */
void pt__close_badly(struct pt_sim *sim, pt_job job, enum pt_job_state state,
                     enum pt_event_kind kind, enum pt_reason reason);

#endif
