/* Verdicts as JUnit XML: a suite a file, a case a scenario and each of its gates. The file appears
 * only when whole. */
#ifndef PT_CLI_JUNIT_H
#define PT_CLI_JUNIT_H

#include "analysis/compare/gates.h"
#include "sim/experiment/scenario.h"

struct pt__junit;

PT_USE_RESULT enum pt_status pt__junit_open(struct pt__junit **junit, const char *path,
                                            struct pt_error *error);
/* Adds a case; `file` is the scenario file, copied. Cases of one file come in a row. PT_ERR_MEMORY
 * alone. */
PT_USE_RESULT enum pt_status pt__junit_add(struct pt__junit *junit, const char *file,
                                           const struct pt_scenario *scenario);
/* Adds a case for a gate of that scenario, "SCENARIO: GATE"; the message of a failure has what was
 * got and the limit. A gate that was not judged is skipped. PT_ERR_MEMORY alone. */
PT_USE_RESULT enum pt_status pt__junit_add_gate(struct pt__junit *junit, const char *file,
                                                const struct pt_scenario *scenario,
                                                const struct pt_gate *gate);
/* Adds a case for a gate of a comparison; `file` names the suite. As above. */
PT_USE_RESULT enum pt_status pt__junit_add_judged(struct pt__junit *junit, const char *file,
                                                  const struct pt_gate *gate);
/* Writes everything and frees. */
PT_USE_RESULT enum pt_status pt__junit_close(struct pt__junit *junit, struct pt_error *error);
/* Gives up. NULL is allowed. */
void pt__junit_abandon(struct pt__junit *junit);

#endif
