/* One run of an experiment, put together from its parts: trace reader, cluster, models, policy,
 * engine, and the receivers of what happens (digest, outcomes, result file, event lines).
 *
 * prepare reads and checks everything, so that offered load, duplicates and what can never fit are
 * known before anything runs, and opens the outputs, so that an unwritable one stops here; execute
 * runs; free. Without paths in the options nothing is written: tests run whole worlds in memory.
 * Several runs may live in one process and be advanced in turn.
 */
#ifndef PT_EXPERIMENT_RUN_H
#define PT_EXPERIMENT_RUN_H

#include <signal.h>

#include "analysis/results/digest.h"
#include "analysis/stats/summary.h"
#include "partita/reader.h"
#include "partita/recorder.h"
#include "sim/experiment/config.h"

struct pt_run;

struct pt_run_progress {
    uint32_t jobs_final, job_count;
    int64_t now_ns, last_submit_ns;
    uint64_t events;
    double wall_s; /* since execute began */
};

/* Zeroed: nothing written, nothing told, bad rows stop. Everything is borrowed until free. */
struct pt_run_options {
    bool skip_bad_rows;             /* count them and go on */
    bool check;                     /* every invariant after every instant */
    bool dry;                       /* prepare opens no output: nothing will be executed */
    const char *result_path;        /* NULL = no result file */
    const char *events_path;        /* JSON lines; NULL = none */
    const char *command_line;       /* NULL = the result file has no /manifest/host */
    const char *directory;          /* kept there: where relative paths of the experiment start */
    const struct pt_recorder *also; /* a further receiver, told last; NULL = none */
    /* Told of every bad row, with its place. NULL = not interested. */
    void (*bad_row)(void *ctx, const struct pt_error *error);
    /* Told about every 0.1 s of wall time, and at the end. NULL = not interested. */
    void (*progress)(void *ctx, const struct pt_run_progress *progress);
    void *ctx;
    /* Not 0 = stop as soon as possible, keep what is finished. NULL = never. */
    const volatile sig_atomic_t *interrupt;
};

/* How many jobs can never run, by reason, and the first of each. */
struct pt_never_fits {
    uint32_t count;
    uint32_t by_reason[PT_REASON_COUNT];
    pt_job first[PT_REASON_COUNT];
};

/* A file that the run was read from. */
struct pt_run_input {
    const char *path, *path_as_written;
    char digest[PT_DIGEST_TEXT_MAX];
};

/* What is known of a run; owned by it. The second part is filled in by execute. */
struct pt_run_facts {
    const struct pt_config *config;
    const struct pt_trace *trace;
    struct pt_read_report read; /* of inline jobs: their number */
    uint32_t input_count;       /* files: the trace's, if it has one, then the config's */
    const struct pt_run_input *inputs;
    const struct pt_summary_input *input;
    double offered_load; /* NaN = no span to speak of */
    struct pt_never_fits never_fits;
    uint32_t assumption_count;
    const char *const *assumptions;

    enum pt_status status; /* how the run ended; PT_OK also before */
    const struct pt_outcomes *outcomes;
    const struct pt_summary *summary; /* NULL until the world has ended or was given up */
    const char *digest;               /* "xxh3-128:..."; NULL until then */
    const char *result_file; /* what was written, FILE.partial.h5 for a part; NULL = none */
    struct pt_sim_stats stats;
    double read_s, wall_s, policy_s, write_s; /* wall time */
};

/* Reads the trace and makes everything ready. On an error messages say what is wrong; PT_ERR_INPUT
 * for whatever the user can mend, an output that can't be written included. `config` is borrowed.
 */
PT_USE_RESULT enum pt_status pt_run_prepare(struct pt_run **run, const struct pt_config *config,
                                            const struct pt_run_options *options,
                                            struct pt_messages *messages);

/* Runs to the end. After PT_ERR_INTERRUPTED and PT_ERR_DEADLOCK the facts hold what was finished
 * and a result file asked for is FILE.partial.h5; after other errors nothing was written. */
PT_USE_RESULT enum pt_status pt_run_execute(struct pt_run *run, struct pt_error *error);

/* The same in steps: at most `instants` instants; *finished once the world has ended, and then
 * pt_run_finish computes the summary and writes the outputs. */
PT_USE_RESULT enum pt_status pt_run_advance(struct pt_run *run, uint64_t instants, bool *finished,
                                            struct pt_error *error);
PT_USE_RESULT enum pt_status pt_run_finish(struct pt_run *run, struct pt_error *error);

/* After pt_run_advance failed with `why`, or to stop early: sends the events that wait, computes
 * the summary of what was finished and writes the outputs as partial. Returns `why`, whose
 * description stays in `error`, or what went wrong meanwhile. */
PT_USE_RESULT enum pt_status pt_run_keep_part(struct pt_run *run, enum pt_status why,
                                              struct pt_error *error);

/* Gives up what is not written. NULL is allowed. */
void pt_run_free(struct pt_run *run);

/* Valid until free. */
const struct pt_run_facts *pt_run_facts(const struct pt_run *run);

#endif
