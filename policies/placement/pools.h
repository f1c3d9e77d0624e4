/* In which order the pools that could hold a job are tried. */
#ifndef PT_PLACEMENT_POOLS_H
#define PT_PLACEMENT_POOLS_H

#include "partita/policy.h"

enum pt__pools {
    PT__POOLS_FILE,
    PT__POOLS_FASTEST,           /* by R of the job there */
    PT__POOLS_CHEAPEST,          /* by the price of a GPU hour */
    PT__POOLS_CHEAPEST_PER_WORK, /* by price / R */
    PT__POOLS_SCORE              /* by the placement's own score of the pool's best node */
};

extern const char *const pt__pools_choices[];

/* First row of a placement's table of parameters. */
#define PT__PARAM_POOLS                                                                            \
    {                                                                                              \
        "pools", PT_PARAM_CHOICE, "", "file", NULL, NULL, pt__pools_choices,                       \
            "which of the pools that hold a job is tried first: file: as in the file; fastest: "   \
            "the one "                                                                             \
            "where the job runs fastest; cheapest: the lowest price of a GPU hour; "               \
            "cheapest_per_work: "                                                                  \
            "the lowest price for the same work; pools alike in file order"                        \
    }

/* The pool's key under any order but PT__POOLS_SCORE: least first. Pools without a price are last.
 */
uint64_t pt__pools_key(enum pt__pools order, const struct pt_ctx *ctx, pt_job job, uint32_t pool);

#endif
