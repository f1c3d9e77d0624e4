/* One side of a comparison: a result, or a directory of results of one experiment, one a seed.
 *
 * What is read is the summary and what the manifest says; files are closed again, so that a side
 * may have thousands of runs. Runs are in the order of their seeds.
 */
#ifndef PT_COMPARE_SIDE_H
#define PT_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/results/results.h"

struct pt_side_run {
    char *path;
    uint64_t seed;
    bool partial;
    const char *digest;     /* of the event log; "" = not kept */
    const char *version;    /* of the program that wrote it; "" = not kept */
    const char *experiment; /* the effective one, as YAML; "" = not kept */
    const struct pt_summary *summary;
    struct pt_results_reader *reader; /* owns the four above; its file is closed */
};

struct pt_side {
    const char *path; /* as the user wrote it; borrowed */
    bool directory;
    size_t count;             /* >= 1 */
    struct pt_side_run *runs; /* seeds ascend and differ */
    char *policy;             /* its name in the experiment; "" = not known */
    size_t left_out;          /* partial results in a directory, which are not looked at */
};

/* Reads a side. Of a directory all files NAME.h5 but those that end in .partial.h5 are read.
 * PT_ERR_INPUT, with the file's name: no result, none in the directory, two of one seed, one of
 * another experiment than the first. Free it with fini also after an error. */
PT_USE_RESULT enum pt_status pt_side_read(struct pt_side *side, const char *path,
                                          struct pt_error *error);
void pt_side_fini(struct pt_side *side);

/* Whether two effective experiments are the same but for their seeds. */
bool pt_same_but_for_seeds(const char *one, const char *two);

#endif
