/* Water-filling: what each of several tenants gets of so much, max-min fairly by weight. */
#ifndef PT_FAIR_FILLING_H
#define PT_FAIR_FILLING_H

#include <stdint.h>

struct pt_basin {
    double weight, demand; /* weight > 0 */
    double target;         /* what it gets: at most the demand */
    uint32_t who;          /* the caller's */
};

/* Progressive filling, exactly: all rise together, each by its weight, until it has what it
 * demands or nothing is left of `amount`. Sorts the basins by demand / weight. O(n log n). */
void pt__fill(struct pt_basin *basins, uint32_t count, double amount);

#endif
