/* Which seeds: "1..20", "3,7,9" or both, "1..5,9".
 *
 * A list is sorted and holds each seed once, so that no two runs write one file.
 */
#ifndef PT_REPLICATE_SEEDS_H
#define PT_REPLICATE_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "partita/status.h"

#define PT_SEEDS_MAX 100000

struct pt_seeds {
    uint64_t *list; /* ascending; owned */
    size_t count;   /* >= 1 */
};

/* PT_ERR_INPUT with a message that says what is wrong, without naming the option: not such a list,
 * a range that ends before it begins, a seed named twice, more than PT_SEEDS_MAX. On an error there
 * is nothing to free. */
PT_USE_RESULT enum pt_status pt_seeds_parse(struct pt_seeds *seeds, const char *text,
                                            struct pt_error *error);
/* A zeroed one is allowed. */
void pt_seeds_fini(struct pt_seeds *seeds);

#endif
