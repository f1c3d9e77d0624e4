/* What a run says: the lines before it, the summary after it, and the same as JSON. */
#ifndef PT_CLI_SUMMARY_H
#define PT_CLI_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "sim/experiment/run.h"

/* What is known before the run: trace, cluster, policy, offered load, what can never fit and why.
 */
void pt__summary_head(FILE *out, bool color, const struct pt_run_facts *facts);
/* The rest, once the run has ended. */
void pt__summary_text(FILE *out, bool color, const struct pt_run_facts *facts);
/* The assumptions in force, one a line. */
void pt__summary_assumptions(FILE *out, bool color, const struct pt_run_facts *facts);
/* One object, keys in a fixed order; the caller's. NULL when memory is out. */
json_t *pt__summary_json(const struct pt_run_facts *facts);

#endif
