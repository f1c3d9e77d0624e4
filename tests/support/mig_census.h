/* Counts of all ways to cut a GPU into MIG instances, by going through its memory slices. */
#ifndef PT_TESTS_MIG_CENSUS_H
#define PT_TESTS_MIG_CENSUS_H

#include "partita/catalog.h"

struct mig_census {
    unsigned sets;      /* placed sets, the empty one too */
    unsigned maximal;   /* those beside which no instance can be made */
    unsigned multisets; /* distinct among them if places don't count */
    uint64_t seen[256]; /* those: four bits a profile */
};

/* Over the plain profiles of the table (no +me); `doubles`: also those that have more memory than
 * another profile with as many compute slices. */
void mig_census(struct mig_census *census, const struct pt_mig *mig, bool doubles);

#endif
