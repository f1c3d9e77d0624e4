/* Private to explain.c and explain_load.c: what `partita explain speed` asks about.
 *
 * It makes an experiment of one GPU and the jobs named, or takes one from a file, and loads it as
 * any other: so defaults, checks and messages are the experiment's.
 */
#ifndef PT_CLI_EXPLAIN_PARTS_H
#define PT_CLI_EXPLAIN_PARTS_H

#include "sim/cli/options.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/speeds.h"

struct pt__speed_session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    struct pt_messages messages;
    char **sets; /* owned */
    size_t set_count;
    struct pt_config *config;
    uint32_t pool;
    struct pt_traits_model *traits;
    struct pt_job_speed *speeds;
};

/* Loads the experiment that the options describe, and finds the pool. What is wrong is in
 * `messages`. */
PT_USE_RESULT enum pt_status pt__speed_load(struct pt__speed_session *session);

#endif
