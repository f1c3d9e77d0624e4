/* What a policy may do: the functions behind partita/policy.h, which says what each does. Placing
 * and starting are in api.c, stopping in stop.c, trials in what_if.c.
 */
#ifndef PT_CORE_VERBS_H
#define PT_CORE_VERBS_H

#include "sim/core/engine.h"

uint64_t pt__do_node_key(struct pt_ctx *ctx, const struct pt_search *search, pt_job job,
                         uint32_t node, uint32_t wanted);
uint32_t pt__do_best_node(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted);
bool pt__do_take(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                 pt_job job, uint32_t node, uint32_t wanted);
uint32_t pt__do_gather(struct pt_ctx *ctx, struct pt_units *units, const struct pt_search *search,
                       pt_job job, uint32_t wanted, uint32_t nodes_max, uint32_t per_node);
uint32_t pt__do_next_node(struct pt_ctx *ctx, const struct pt_search *search, uint32_t pool,
                          pt_job job, uint32_t wanted, uint32_t from);
bool pt__do_place(struct pt_ctx *ctx, const struct pt_units **units, pt_job job, uint64_t pools);
enum pt_status pt__do_start(struct pt_ctx *ctx, pt_job job, const struct pt_units *units);
enum pt_status pt__do_wake_at(struct pt_ctx *ctx, int64_t time_ns);
enum pt_reason pt__do_why(const struct pt_ctx *ctx);
void pt__do_say(struct pt_ctx *ctx, pt_job job, enum pt_reason reason);
enum pt_status pt__do_preempt(struct pt_ctx *ctx, pt_job job);
enum pt_status pt__do_kill(struct pt_ctx *ctx, pt_job job);
enum pt_status pt__do_decline(struct pt_ctx *ctx, pt_job job, enum pt_reason reason);
bool pt__do_try_lift(struct pt_ctx *ctx, pt_job job);
bool pt__do_try_unlift(struct pt_ctx *ctx, pt_job job);
bool pt__do_try_assume(struct pt_ctx *ctx, pt_job job, const struct pt_units *units);
void pt__do_try_abort(struct pt_ctx *ctx);
enum pt_status pt__do_try_commit(struct pt_ctx *ctx);

/* Whether the job, whatever its state, could be on these units now. */
bool pt__units_legal(struct pt_sim *sim, pt_job job, const struct pt_units *units);
/* Counts a refused action; a policy that insists is stopped. */
enum pt_status pt__refuse(struct pt_sim *sim);
/* Counts an action; a policy that acts for ever at one instant is stopped. */
void pt__acted(struct pt_sim *sim, pt_job job);

#endif
