/* Private to the files of `partita compare`: what was found, and who says it how. */
#ifndef PT_CLI_COMPARE_PARTS_H
#define PT_CLI_COMPARE_PARTS_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/compare/differences.h"
#include "analysis/compare/gates.h"
#include "analysis/stats/samples.h"
#include "sim/experiment/first_difference.h"

/* How the completion times of done jobs are distributed on both sides, in one run of each. */
struct pt__jct_samples {
    bool known;
    uint64_t base_count, new_count;
    struct pt_ks ks;
    struct pt_mann_whitney mann_whitney;
};

struct pt__comparison {
    struct pt_side base, changed;
    struct pt_differences *differences;
    struct pt_gates gates;
    double alpha;
    /* One run of each side, the first pair if there are pairs, stands for all that is found by
     * looking at jobs and events. */
    const struct pt_side_run *base_run, *new_run;
    size_t same_digests; /* pairs (without pairs: both first runs) whose event logs are the same */
    struct pt__jct_samples jct;
    bool searched; /* `first` was looked for: the digests differ */
    struct pt_first_difference first;
};

/* "better", "worse", "higher", "lower"; NULL for a difference that is none or not sure. */
const char *pt__change_word(const struct pt_metric_difference *metric);
/* Of a headline metric that anyone wants to see: some value, and a count that is not 0 on both
 * sides. */
bool pt__worth_showing(const struct pt_metric_difference *metric);
/* The metric of this name in a group, or NULL. */
const struct pt_metric_difference *pt__difference_of(const struct pt_group_differences *group,
                                                     const char *name);
/* How large a difference is: "+12.3 %" of the base, "+1.2 pt" of a share, else in its unit; NaN is
 * "-". `value` is the difference or an end of its interval. */
enum { PT__CHANGE_MAX = 40 };
char *pt__format_change(char out[PT__CHANGE_MAX], const struct pt_metric_difference *metric,
                        double value);
/* "start of job 17 (2 GPUs, tenant acme) on main-0:3", "the end of the log". */
void pt__event_text(char *out, size_t size, const struct pt_world_shown *world);

/* With `all` every group and metric. */
void pt__compare_text(FILE *out, bool color, const struct pt__comparison *comparison, bool all);
void pt__compare_markdown(FILE *out, const struct pt__comparison *comparison);
/* The caller's; NULL when memory is out. */
json_t *pt__compare_json(const struct pt__comparison *comparison);

#endif
