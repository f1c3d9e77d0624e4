/* The result file (product.md, "Result file"): HDF5, readable by h5py, pandas and PyTables.
 *
 * Written to FILE.tmp.PID beside the target, flushed, synced, renamed when whole, and only if every
 * call succeeded: a reader never sees half a file and an old result is never lost. Same inputs and
 * seed give the same bytes outside /manifest/host. The only place that knows HDF5.
 */
#ifndef PT_RESULTS_RESULTS_H
#define PT_RESULTS_RESULTS_H

#include "analysis/stats/summary.h"
#include "partita/recorder.h"

struct pt_results_writer;

/* Whether several threads may write and read results at a time, each its own: as HDF5 was built.
 * Called before they begin. */
bool pt_results_have_threads(void);

struct pt_results_options {
    const char *path;
    const struct pt_cluster *cluster; /* pools of the series; borrowed until close */
    const struct pt_trace *trace; /* ids in the verdicts; borrowed until close; NULL = without */
    bool jobs, events, verdicts, series;
    int compression; /* deflate level, 0 = none */
};

/* Before a run: opens the temporary file, so that an unwritable place is found at once
 * (PT_ERR_INPUT). */
PT_USE_RESULT enum pt_status pt_results_open(struct pt_results_writer **writer,
                                             const struct pt_results_options *options,
                                             struct pt_error *error);

/* Receivers for struct pt_recorder; ctx = the writer. Buffered; events also fill /intervals. */
enum pt_status pt_results_on_events(void *ctx, const struct pt_event *events, size_t count,
                                    struct pt_error *error);
enum pt_status pt_results_on_verdict(void *ctx, int64_t time_ns, pt_job job, enum pt_reason reason,
                                     struct pt_error *error);
enum pt_status pt_results_on_series(void *ctx, const struct pt_series_row *row,
                                    struct pt_error *error);

/* What goes into /manifest: deterministic facts, and those of the host apart. */
struct pt_manifest {
    const char *effective_yaml;
    uint64_t seed;
    const char *version;
    const char *digest; /* of the event log, hex */
    bool partial;
    uint32_t input_count;
    const char *const *input_paths; /* as written in the experiment */
    const char *const *input_digests;
    uint32_t assumption_count;
    const char *const *assumptions;
    /* /manifest/host; written only when host is true */
    bool host;
    const char *command_line, *directory, *machine;
    double wall_s, policy_s, io_s;
    double decision_p50_s, decision_p99_s; /* wall time of one pass of the policy */
};

/* Writes tables, summary and manifest, syncs, and renames to the target (to FILE.partial.h5 when
 * manifest->partial). On an error the temporary file is gone and the target untouched. Frees the
 * writer either way. */
PT_USE_RESULT enum pt_status pt_results_close(struct pt_results_writer *writer,
                                              const struct pt_summary_input *input,
                                              const struct pt_summary *summary,
                                              const struct pt_manifest *manifest,
                                              struct pt_error *error);
/* The name of a partial result: "out.partial.h5" for "out.h5"; a path that does not end in ".h5"
 * gets ".partial.h5" appended. Truncated at `room` bytes, NUL included. */
void pt_results_partial_path(char *out, size_t room, const char *path);
/* Gives up: removes the temporary file. NULL is allowed. */
void pt_results_abandon(struct pt_results_writer *writer);

/* A result read back, for rerun and export. */
struct pt_results_reader;
PT_USE_RESULT enum pt_status pt_results_read(struct pt_results_reader **reader, const char *path,
                                             struct pt_error *error);
void pt_results_reader_free(struct pt_results_reader *reader);
/* Closes the file. What was read before stays: the summary, texts that were asked for. So many
 * results may be looked at side by side. */
void pt_results_reader_shut(struct pt_results_reader *reader);
/* Texts of /manifest; NULL when absent. Owned by the reader. */
const char *pt_results_manifest_text(struct pt_results_reader *reader, const char *name);

/* The digest of the input file that the experiment calls `path`; NULL when the result has none.
 * Owned by the reader. */
const char *pt_results_input_digest(struct pt_results_reader *reader, const char *path);

/* The job table, column by column and a chunk of rows at a time: for export. */
enum pt_field_type { PT_FIELD_INT, PT_FIELD_NUMBER, PT_FIELD_TEXT, PT_FIELD_BOOL };
struct pt_field {
    const char *name, *unit;
    enum pt_field_type type;
};
uint32_t pt_results_job_fields(struct pt_results_reader *reader, const struct pt_field **fields);
uint64_t pt_results_job_count(struct pt_results_reader *reader);
/* A cell: at most one of the outputs is set, as the field's type says; *absent for null. Rows are
 * read in chunks, so walk them in order. Text is borrowed until the next call. */
struct pt_cell {
    bool absent;
    int64_t integer;
    double number;
    const char *text;
};
PT_USE_RESULT enum pt_status pt_results_job_cell(struct pt_results_reader *reader, uint64_t row,
                                                 uint32_t field, struct pt_cell *cell,
                                                 struct pt_error *error);
/* Metrics of /summary as they were written; owned by the reader. */
const struct pt_summary *pt_results_summary(struct pt_results_reader *reader);

#endif
