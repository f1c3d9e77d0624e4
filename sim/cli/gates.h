/* Gates on the command line: --fail-on, what is said of them, and the same as JSON. */
#ifndef PT_CLI_GATES_H
#define PT_CLI_GATES_H

#include <jansson.h>

#include "sim/cli/options.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/gates.h"

/* The row of --fail-on in a command's table of options. */
#define PT__OPTION_FAIL_ON                                                                         \
    {                                                                                              \
        "fail-on", 0, "CONDITION", NULL, true, PT__COMPLETES_NOTHING,                              \
            "exit 1 if this holds of the summary: METRIC, or METRIC{LABEL=VALUE}, then one of "    \
            "< <= > >= == != and a number; a metric alone means > 0. Labels: tenant, pool, tier, " \
            "kind"                                                                                 \
    }

/* The row of --gate. */
#define PT__OPTION_GATE                                                                            \
    {                                                                                              \
        "gate", 0, "GATES.yaml", NULL, true, PT__COMPLETES_FILE,                                   \
            "exit 1 if a condition of this file holds: 'partita schema gates' prints its keys"     \
    }

/* Adds the conditions of --gate, where the command has it, and --fail-on; `has_base`: false refuses
 * changes against a base. Errors are in `messages`. */
PT_USE_RESULT enum pt_status pt__gates_read(struct pt_gates *gates, const struct pt__args *args,
                                            bool has_base, struct pt_messages *messages);

/* Says on stderr which gates did not pass, a line each. */
void pt__gates_say(const struct pt__terminal *terminal, const struct pt_gates *gates);

/* One object a gate; the caller's. NULL when memory is out. */
json_t *pt__gates_json(const struct pt_gates *gates);

#endif
