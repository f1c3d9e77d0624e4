/* A policy's own copy of a set of units: what the engine answers lives until the next question. */
#ifndef PT_BACKFILL_SETS_H
#define PT_BACKFILL_SETS_H

#include "partita/policy.h"

struct pt_set {
    struct pt_units units;
};

/* Room for the largest job of the trace, until pt__set_fini (which takes a zeroed one, too). */
enum pt_status pt__set_init(struct pt_set *set, const struct pt_ctx *ctx, struct pt_error *error);
void pt__set_fini(struct pt_set *set);
void pt__set_copy(struct pt_set *set, const struct pt_units *units);

#endif
