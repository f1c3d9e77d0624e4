/* Private to the files of `partita run`: what one call of it is about.
 *
 * The experiment is loaded and its outputs are checked alike for one run (run.c) and for one a seed
 * (run_seeds.c).
 */
#ifndef PT_CLI_RUN_PARTS_H
#define PT_CLI_RUN_PARTS_H

#include "analysis/results/results.h"
#include "sim/cli/gates.h"
#include "sim/cli/progress.h"
#include "sim/cli/terminal.h"
#include "sim/experiment/run.h"
#include "sim/replicate/seeds.h"

/* Everything that lives as long as the command. */
struct pt__run_session {
    const struct pt__args *args;
    struct pt__terminal terminal;
    struct pt__progress progress;
    struct pt_messages messages;
    struct pt_results_reader *rerun; /* NULL = an experiment file */
    struct pt_config *config;
    struct pt_run *run;
    struct pt_gates gates;
    struct pt_seeds seeds; /* with --seeds; the first one is that of `config` */
    char **sets;           /* owned texts: --set, --policy, the seed */
    size_t set_count;
    char *directory, *command_line;
    uint64_t bad_rows;
};

/* Reads the experiment, or the one kept in a result, with the arguments' changes to it. Errors of
 * the file itself are in the session's messages; `error` holds others. */
PT_USE_RESULT enum pt_status pt__run_load(struct pt__run_session *session, struct pt_error *error);
/* PT_ERR_INPUT when writing `output` (NULL = none) would destroy an input; a result file may
 * replace the result that is run again. */
PT_USE_RESULT enum pt_status pt__run_spares(const struct pt__run_session *session,
                                            const char *output, bool is_result,
                                            struct pt_error *error);
/* What the arguments say of a run, without its outputs; begins to listen to signals. */
void pt__run_options(struct pt_run_options *run_options, struct pt__run_session *session);
/* What is known before the run: on stdout, with --json on stderr. */
void pt__run_head(const struct pt__run_session *session, const struct pt_run_facts *facts);
/* All that --dry-run says behind that; returns the exit code. */
int pt__run_dry(const struct pt__run_session *session);
/* The whole command with --seeds; returns the exit code. */
int pt__run_seeds(struct pt__run_session *session);
/* Frees what the session owns. */
void pt__run_unload(struct pt__run_session *session);

#endif
