/* Conditions on the metrics of a result: what fails a run (`--fail-on`, gates).
 *
 *     metric [ { label = value } ] [ comparison number [ % ] ]
 *
 * A condition says what must NOT be: `jct_p95_s > 3600` fails a run whose 95th percentile is above
 * an hour. A bare metric means `> 0`. The label is tenant, pool, tier or kind, its value a bare
 * word or in quotes; comparisons are < <= > >= == !=, exact, without a tolerance. The number is
 * decimal, in the metric's unit; of metrics in seconds also a duration (`15min`). A number with a
 * sign and % is a change against a base, in per cent of the base's absolute value: `> +5%`, `< -2
 * %`.
 *
 * What a reader may have meant otherwise is refused, never guessed: a percentage without its sign,
 * a sign + without %, a share outside 0..1. Names are checked when the condition is read, labels'
 * values against a summary. Plain data that points into the text it was read from; O(length).
 */
#ifndef PT_COMPARE_CONDITION_H
#define PT_COMPARE_CONDITION_H

#include <stddef.h>

#include "analysis/stats/summary.h"

enum pt_comparison {
    PT_COMPARE_LESS,
    PT_COMPARE_LESS_EQUAL,
    PT_COMPARE_GREATER,
    PT_COMPARE_GREATER_EQUAL,
    PT_COMPARE_EQUAL,
    PT_COMPARE_NOT_EQUAL
};

struct pt_condition {
    const char *text; /* as written; borrowed, like all that points into it */
    const struct pt_metric_info *metric;
    const char *dimension;   /* "tenant", "pool", "tier", "kind"; "" = all jobs */
    const char *label;       /* its value, not NUL-terminated; NULL = all jobs */
    size_t label_length;     /* bytes */
    uint32_t metric_column;  /* characters from 1, for messages */
    uint32_t label_column;   /* of the value; 0 = no label */
    uint32_t percent_column; /* of a relative number; 0 = absolute */
    enum pt_comparison comparison;
    bool relative; /* against a base */
    double limit;  /* in the metric's unit; relative: per cent of the base */
};

/* Reads a NUL-terminated text, which must outlive the condition. PT_ERR_INPUT alone: the error has
 * no file, line 0 and the column of what is wrong, in characters from 1. */
PT_USE_RESULT enum pt_status pt_condition_parse(struct pt_condition *condition, const char *text,
                                                struct pt_error *error);

/* "<", "<=", ">", ">=", "==", "!=". */
const char *pt_comparison_text(enum pt_comparison comparison);

/* Finds what the condition is about. PT_ERR_INPUT, as pt_condition_parse, when the summary has no
 * such label or keeps no such metric under it. *metric is borrowed from the summary.
 *
 * Which groups and metrics a summary has depends on the inputs alone: that of a world in which
 * nothing has happened yet answers for the one that will be. */
PT_USE_RESULT enum pt_status pt_condition_find(const struct pt_metric **metric,
                                               const struct pt_condition *condition,
                                               const struct pt_summary *summary,
                                               struct pt_error *error);

enum pt_judgement_verdict {
    PT_JUDGED_PASSED,  /* the condition does not hold */
    PT_JUDGED_FAILED,  /* it holds */
    PT_JUDGED_UNKNOWN, /* it can't be judged: a metric is null. Counts as a failure */
};

/* How a condition came out. NaN where there is nothing. */
struct pt_judgement {
    enum pt_judgement_verdict verdict;
    double got;    /* in the metric's unit */
    double base;   /* of a relative condition */
    double change; /* per cent; of a base of 0 infinite, or 0 where there is no change */
    double
        p; /* over seeds, of "no change", corrected for the other gates; NaN = there is no test */
    bool by_chance; /* beyond the limit, and passed since p is not below the level */
};

/* Judges what the condition is about. `base` is the base's metric: needed by a relative condition,
 * ignored by others (NULL allowed). A null metric on either side, or a change from null: unknown.
 */
struct pt_judgement pt_condition_judge(const struct pt_condition *condition,
                                       const struct pt_metric *got, const struct pt_metric *base);

/* "got 4012.5 s, limit > 3600 s", "got 110 s, +10 % of 100 s, limit > +5 %", "got null, limit ...:
 * it can't be judged". Cut at `size`. */
void pt_judgement_text(char *out, size_t size, const struct pt_condition *condition,
                       const struct pt_judgement *judgement);

#endif
