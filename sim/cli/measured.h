/* Files of measured slow-downs: what `partita predict fit-profiles` fits.
 *
 * Three formats, told apart by the columns of the header; columns that none of them uses are
 * ignored and said. Each file gives one or more problems to fit: a problem per GPU of a file of
 * pairs, three of a file of slices and processes.
 *
 *   gavel     gpu,job_a,job_b,solo_a,solo_b,co_a,co_b,slowdown_a,slowdown_b,fits: speeds of two
 *             jobs alone and on one GPU together. gpu, fits, scale_a, scale_b may be missing, and
 *             either the speeds or the slow-downs. A slow-down where it is given is preferred to
 *             the ratio of the speeds. Measurements of the same job beside the same neighbour are
 *             averaged: of the row (a, b) slowdown_a and of the row (b, a) slowdown_b, and both of
 *             the row (a, a).
 *   miso      slice,model,batch,median_s: time of a step on a MIG slice.
 *   parvagpu  model,mig_g,batch,nproc,throughput_per_proc: speed of each of nproc equal processes
 *             on a MIG slice. The per-model files too: Mig instance,Batch size,Workload
 *             Number,Throughput, where the model is the file's name.
 *
 * A speed or time of 0 means that it does not fit. Rows of what slow-downs are relative to (the
 * whole GPU; one process) are no points themselves.
 */
#ifndef PT_CLI_MEASURED_H
#define PT_CLI_MEASURED_H

#include "models/predictor/fit.h"
#include "sim/experiment/catalog.h"

#define PT__REASONS_MAX 8
#define PT__PROBLEMS_MAX 64
#define PT__NOTES_MAX 8

enum pt__format { PT__FORMAT_GAVEL, PT__FORMAT_MISO, PT__FORMAT_PARVAGPU, PT__FORMAT_COUNT };
extern const char *const pt__format_words[]; /* by enum pt__format, NULL-terminated */

/* What the points of a problem are. */
enum pt__about {
    PT__ABOUT_PAIRS,
    PT__ABOUT_SLICES,    /* one process on a slice, relative to the whole GPU */
    PT__ABOUT_PROCESSES, /* several on a slice, relative to one on it */
    PT__ABOUT_BOTH       /* any number on any slice, relative to one on the whole GPU */
};

struct pt__reason {
    const char *text;
    uint32_t rows;
};

struct pt__measured_problem {
    enum pt__about about;
    const char *gpu; /* as the file or --gpu has it; "" = not known */
    struct pt_fit_problem fit;
    char **names; /* of the jobs */
    struct pt__reason left_out[PT__REASONS_MAX];
    uint32_t left_out_count, references;
    uint32_t *rows; /* a row of each point, for showing where it comes from */
};

struct pt__measured {
    enum pt__format format;
    uint32_t row_count;
    uint32_t problem_count;
    struct pt__measured_problem problems[PT__PROBLEMS_MAX];
    uint32_t note_count;
    char notes[PT__NOTES_MAX][256]; /* what was assumed or ignored, a sentence each */
    void *owner;
};

struct pt__measured_request {
    const char *path;
    const void *bytes; /* read these instead of the file, `length` of them; NULL = the file */
    size_t length;
    int format;      /* enum pt__format; -1 = by the header */
    int law;         /* enum pt_fit_law; -1 = rank1 for pairs, pnorm else */
    uint8_t p;       /* 0 = 2, of files of format parvagpu 4 */
    int about;       /* enum pt__about; -1 = all that the file tells */
    bool by_model;   /* one u for all batch sizes of a model */
    const char *gpu; /* pairs: only rows of this GPU; slices: whose they are; NULL = none said */
    const char **exclude; /* MODEL or MODEL:BATCH */
    size_t exclude_count;
    const struct pt_catalog *catalog;
};

/* Reads a file. PT_ERR_INPUT: what is wrong with the file, or that a request doesn't go with it or
 * leaves no point. */
PT_USE_RESULT enum pt_status pt__measured_read(struct pt__measured **measured,
                                               const struct pt__measured_request *request,
                                               struct pt_error *error);
/* NULL is allowed. */
void pt__measured_free(struct pt__measured *measured);

#endif
