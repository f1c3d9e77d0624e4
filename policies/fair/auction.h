/* Themis' auction: of all who want GPUs, those with the worst finish-time fairness are served
 * first, greedily by what they gain, and what they leave goes to the rest. */
#ifndef PT_FAIR_AUCTION_H
#define PT_FAIR_AUCTION_H

#include "partita/types.h"

struct pt_bidder {
    double rho;     /* T_shared / (work x tenants) if it runs from now on, without the factor
                       1 / tenants, which all have in common */
    double work_ns; /* waiting for another lease raises rho by lease / work */
    pt_job job;
    bool runs;   /* it holds GPUs, whose lease is over */
    bool lifted; /* in this auction */
};

/* How many of `count` bidders are the worst fraction of 1 - f: rounded up, at least one. */
uint32_t pt__auction_worst(uint32_t count, uint64_t f_ppm);
/* Moves the `worst` bidders with the greatest rho, then the earliest, to the front. O(n) on
 * average. */
void pt__auction_split(struct pt_bidder *bidders, uint32_t count, uint32_t worst);
/* Makes a heap of the bidders: by the greatest drop of rho if a lease is given, then the greatest
 * rho, then the earliest; or by rho alone. */
void pt__auction_heap(struct pt_bidder *bidders, uint32_t count, bool by_drop);
/* Takes the first of the heap to its end; the heap is one smaller. */
void pt__auction_pop(struct pt_bidder *bidders, uint32_t count, bool by_drop);
/* Puts all in the order in which they are served. O(n log n). */
void pt__auction_order(struct pt_bidder *bidders, uint32_t count, uint32_t worst);

#endif
