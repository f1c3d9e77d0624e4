/* Scenario files: experiments with inline jobs and what must come out of them (product.md).
 *
 * A document is loaded and run in memory, every invariant checked on the way, and each expectation
 * compared: times within 2 ns, other numbers within 1e-9 relative or absolute, words exactly. What
 * does not hold, and what the file gets wrong (an unknown field, job, metric or pool), is said with
 * the place of the expectation.
 */
#ifndef PT_EXPERIMENT_SCENARIO_H
#define PT_EXPERIMENT_SCENARIO_H

#include "sim/experiment/gates.h"
#include "sim/experiment/messages.h"
#include "sim/experiment/run.h"
#include "sim/experiment/yaml.h"

enum pt_verdict {
    PT_VERDICT_PASSED,
    PT_VERDICT_FAILED, /* an expectation does not hold */
    PT_VERDICT_BROKEN  /* the expectations themselves are wrong */
};

/* "passed", "failed", "broken". */
const char *pt_verdict_text(enum pt_verdict verdict);

struct pt_scenario {
    const char
        *name; /* of the document, or "document 3"; borrowed from the tree or from `buffer` */
    char buffer[24];
    enum pt_verdict verdict;
    bool expects;                /* false: nothing is expected, but that it runs to its end */
    struct pt_messages messages; /* what does not hold, or what is wrong */
    struct pt_gates *gates;      /* of the caller, judged by the run; NULL = none */
    bool judged;                 /* false: no world was run that they could be judged by */
    double wall_s;
};

/* Fills in the name alone; `index` counts documents from 1. */
void pt_scenario_init(struct pt_scenario *scenario, struct pt_yaml_node *document, uint32_t index);
void pt_scenario_fini(struct pt_scenario *scenario);

/* Runs a document of `yaml` and fills in verdict and messages, and judges the gates, whose
 * judgements are no part of the verdict; a gate about what the summary has not is an error of the
 * verdict. `origin_dir`: where relative paths
 * start; NULL = the directory of the file. `interrupt` as in struct pt_run_options. Fails only with
 * PT_ERR_MEMORY or PT_ERR_INTERRUPTED: then there is no verdict. */
PT_USE_RESULT enum pt_status pt_scenario_run(struct pt_scenario *scenario, struct pt_yaml *yaml,
                                             struct pt_yaml_node *document, const char *origin_dir,
                                             const volatile sig_atomic_t *interrupt);

#endif
