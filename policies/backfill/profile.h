/* How much of a pool is free from when on: a step function of time, in whole GPUs or whatever the
 * caller counts in. */
#ifndef PT_BACKFILL_PROFILE_H
#define PT_BACKFILL_PROFILE_H

#include "partita/types.h"

struct pt_step {
    int64_t from_ns; /* until the next step's, the last one for ever */
    int64_t free;    /* may be below 0 where more was promised than there is */
};

struct pt_profile {
    struct pt_step *step;
    uint32_t count, capacity;
};

/* Room for so many steps, if that is more than there is; beyond it grows by doubling. False: no
 * memory. */
bool pt__profile_reserve(struct pt_profile *profile, uint32_t capacity);
/* Frees the steps; takes a zeroed one, too. */
void pt__profile_fini(struct pt_profile *profile);
/* So much is free from `now_ns` on, for ever. False: no memory. */
bool pt__profile_reset(struct pt_profile *profile, int64_t now_ns, int64_t free);
/* From `from_ns` on there is `more`; each call's time is not before the last one's. O(1). False: no
 * memory. */
bool pt__profile_append(struct pt_profile *profile, int64_t from_ns, int64_t more);
/* The earliest time from `from_ns` on at which so much is free for `for_ns` (PT_NEVER: for ever);
 * PT_NEVER: at none. O(steps). */
int64_t pt__profile_find(const struct pt_profile *profile, int64_t from_ns, int64_t for_ns,
                         int64_t wanted);
/* The first time from `from_ns` on at which less than that is free; PT_NEVER: at none. */
int64_t pt__profile_until(const struct pt_profile *profile, int64_t from_ns, int64_t wanted);
/* The first step behind `after_ns`, PT_NEVER: none is. O(log steps). */
int64_t pt__profile_next(const struct pt_profile *profile, int64_t after_ns);
/* Takes so much from `from_ns` until `to_ns` (PT_NEVER: for ever). O(steps). False: no memory. */
bool pt__profile_take(struct pt_profile *profile, int64_t from_ns, int64_t to_ns, int64_t taken);

#endif
