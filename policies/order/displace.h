/* A pending job that takes the place of running ones with greater keys.
 *
 * The job's pools are tried in file order. In a pool, running jobs whose rank is strictly greater
 * by key leave in thought, the greatest first, ties the later in the queue first, until the
 * placement finds a set; then, the least first, whoever can stay does. Nobody is stopped unless the
 * job then fits.
 */
#ifndef PT_ORDER_DISPLACE_H
#define PT_ORDER_DISPLACE_H

#include "policies/order/running.h"

/* Sets up a trial in which `job`, pending with key `key`, has the place of others in one of
 * `pools`: pt_ctx_try_commit does it. False, and no trial is left, if it fits in none. */
bool pt__displace(struct pt_running *running, struct pt_ctx *ctx, pt_job job, pt_u128 key,
                  uint64_t pools);

#endif
