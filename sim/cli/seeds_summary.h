/* What a run with --seeds says when all have ended: the metrics over the seeds in words, and
 * everything as JSON.
 */
#ifndef PT_CLI_SEEDS_SUMMARY_H
#define PT_CLI_SEEDS_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "sim/replicate/seeds.h"
#include "sim/replicate/spread.h"

/* How the run of a seed ended. */
struct pt__replica {
    bool ended;             /* false: an interrupt came before it began */
    enum pt_status status;  /* of one that has ended */
    struct pt_error *error; /* NULL = none; owned */
    char *kept;             /* the file that holds a part of a result, NULL = none; owned */
    json_t *json;           /* its summary, only if asked for; owned */
};

struct pt__replicas {
    const struct pt_seeds *seeds;
    const char *directory;
    struct pt__replica *list; /* by index of the seed */
    const struct pt_spread_row *rows;
    size_t row_count, whole; /* `whole`: runs that ended well, which the rows are over */
    double wall_s;
};

/* The metrics that lie behind the summary of a single run, as far as there are any. */
void pt__seeds_text(FILE *out, bool color, const struct pt__replicas *replicas);
/* One object; the summaries of the runs, which it takes, by seed. NULL when memory is out. */
json_t *pt__seeds_json(struct pt__replicas *replicas);

#endif
