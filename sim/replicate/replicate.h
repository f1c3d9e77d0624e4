/* One experiment under many seeds: a run a seed, a few at a time, each in a thread of its own.
 *
 * Runs share nothing but the text of the experiment: each loads it with its seed, reads or draws
 * its own trace, and writes its own result. So a result has the same bytes outside /manifest/host
 * as that of a single run with the seed, whatever the number of threads, and costs the memory of a
 * run for each thread.
 */
#ifndef PT_REPLICATE_REPLICATE_H
#define PT_REPLICATE_REPLICATE_H

#include "sim/experiment/run.h"
#include "sim/replicate/seeds.h"

/* The sum over all runs. */
struct pt_replicate_progress {
    size_t runs_ended, run_count;
    uint64_t jobs_final, job_count; /* runs that have not begun have as many jobs as the others */
    uint64_t events;                /* of the runs that are being executed or have ended */
    double wall_s;
};

/* Everything is borrowed for the call. */
struct pt_replicate_request {
    const char *file; /* the name that messages show */
    const char *text; /* the experiment */
    size_t length;
    const char *origin_dir;  /* where relative paths start; NULL = the directory of `file` */
    const char *const *sets; /* --set PATH=VALUE; the seed is set behind them */
    size_t set_count;
    const struct pt_seeds *seeds;
    const char *directory;     /* it is there; NULL = write no results */
    unsigned threads;          /* >= 1; a run for each thread at a time */
    struct pt_run_options run; /* result_path, progress and ctx are not looked at, bad_row is not
                                  called; events_path is NULL */
    /* A run has ended: that of seeds->list[index]. `facts` is NULL where nothing could be run, and
     * valid for the call; `error` is PT_OK or says why. One call at a time, in any order, from any
     * thread. Of seeds that were not begun before an interrupt nothing is told. */
    void (*ended)(void *ctx, size_t index, const struct pt_run_facts *facts,
                  const struct pt_error *error);
    /* About every 0.1 s, in the thread of the caller. NULL = not interested. */
    void (*progress)(void *ctx, const struct pt_replicate_progress *progress);
    void *ctx;
};

/* How many runs go on at a time: `asked`, no more than seeds, and one alone where HDF5 was built
 * without threads. */
unsigned pt_replicate_threads(unsigned asked, size_t seed_count);

/* Runs all seeds. A run that fails leaves the others alone; a part of it, and what an interrupt
 * left of one, is kept as pt_run_execute does. A whole result removes what was kept of an earlier
 * part of the same seed. Signals are left to the calling thread. Fails only when no thread can be
 * had (PT_ERR_MEMORY). */
PT_USE_RESULT enum pt_status pt_replicate(const struct pt_replicate_request *request,
                                          struct pt_error *error);

#endif
