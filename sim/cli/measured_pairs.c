/* Pairs of jobs on one GPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/suggest.h"
#include "sim/cli/measured_parts.h"

enum { NAME_MAX_BYTES = 512, JOBS_MAX = 65535 };
/* A slow-down and the ratio of the speeds beside it that differ by more are said. */
#define DISAGREEMENT 0.01
#define NUMBER_MAX 1e15

struct pairs {
    struct pt__reading *reading;
    struct pt__measured_problem *problem;
    struct pt__names jobs;
    struct pt__observation *list; /* a = the job, b = its neighbour */
    uint32_t count;
    uint32_t disagreeing;
};

static const struct pt_csv_cell *cell_of(const struct pt__reading *reading, uint32_t row,
                                         uint32_t column)
{
    return pt_csv_table_cell(reading->table, row, reading->columns[column]);
}

static bool has(const struct pt__reading *reading, uint32_t column)
{
    return reading->columns[column] != PT_NONE;
}

/* "LM (batch size 10)" -> LM, 10. */
static void split_batch(const char **batch, size_t *batch_length, size_t *model_length,
                        const char *name)
{
    const char *at = strstr(name, " (batch size ");
    *model_length = at ? (size_t)(at - name) : strlen(name);
    *batch = at ? at + strlen(" (batch size ") : "";
    *batch_length = strcspn(*batch, ")");
}

/* The job's name with the number of its GPUs, if the file says so. *left_out: by --exclude. */
static enum pt_status name_job(char name[NAME_MAX_BYTES], bool *left_out,
                               struct pt__reading *reading, uint32_t row, uint32_t job,
                               uint32_t scale, struct pt_error *error)
{
    const struct pt_csv_cell *cell = cell_of(reading, row, job);
    const char *batch;
    size_t batch_length, model_length;
    if (cell->length == 0)
        return pt_csv_table_fail(error, reading->table, row, reading->columns[job], "names no job");
    if (cell->length > NAME_MAX_BYTES / 2)
        return pt_csv_table_fail(error, reading->table, row, reading->columns[job], "is too long");
    snprintf(name, NAME_MAX_BYTES, "%s", cell->text);
    split_batch(&batch, &batch_length, &model_length, cell->text);
    *left_out |= pt__excluded(reading, cell->text, cell->text, model_length, batch, batch_length);
    if (!has(reading, scale)) return PT_OK;
    double gpus;
    PT_TRY(pt_csv_table_number(&gpus, reading->table, row, reading->columns[scale], 1, 1e6, error));
    size_t length = strlen(name);
    if (gpus != 1) snprintf(name + length, NAME_MAX_BYTES - length, " x%g", gpus);
    return PT_OK;
}

/* A speed or a slow-down; *value = NaN where the file has no such column or an empty cell. */
static enum pt_status optional_number(double *value, const struct pt__reading *reading,
                                      uint32_t row, uint32_t column, struct pt_error *error)
{
    *value = NAN;
    if (!has(reading, column) || cell_of(reading, row, column)->length == 0) return PT_OK;
    return pt_csv_table_number(value, reading->table, row, reading->columns[column], 0, NUMBER_MAX,
                               error);
}

/* *slow = NaN: nothing is said; 0: it does not fit. */
static enum pt_status slow_down(double *slow, struct pairs *pairs, uint32_t row, uint32_t solo,
                                uint32_t co, uint32_t slowdown, struct pt_error *error)
{
    const struct pt__reading *reading = pairs->reading;
    double alone, together, said;
    PT_TRY(optional_number(&alone, reading, row, solo, error));
    PT_TRY(optional_number(&together, reading, row, co, error));
    PT_TRY(optional_number(&said, reading, row, slowdown, error));
    double ratio = alone == 0 || together == 0 ? 0 : alone / together;
    *slow = isnan(said) || ratio == 0 ? ratio : said; /* NaN where nothing is said */
    bool from_speeds = isnan(said) || ratio == 0;
    if (*slow != 0 && !isnan(*slow) && !(*slow >= PT__SLOW_MIN && *slow <= PT__SLOW_MAX))
        return pt_csv_table_fail(error, reading->table, row,
                                 reading->columns[from_speeds ? co : slowdown],
                                 "gives a slow-down of more than a million, or less than a "
                                 "millionth");
    if (said > 0 && ratio > 0 && fabs(said / ratio - 1) > DISAGREEMENT) pairs->disagreeing++;
    return PT_OK;
}

static enum pt_status says_fit(bool *fits, const struct pt__reading *reading, uint32_t row,
                               struct pt_error *error)
{
    *fits = true;
    if (!has(reading, PT__GAVEL_FITS)) return PT_OK;
    const struct pt_csv_cell *cell = cell_of(reading, row, PT__GAVEL_FITS);
    if (strcmp(cell->text, "1") == 0) return PT_OK;
    *fits = false;
    if (strcmp(cell->text, "0") == 0) return PT_OK;
    return pt_csv_table_fail(error, reading->table, row, reading->columns[PT__GAVEL_FITS],
                             "is neither 0 nor 1");
}

static enum pt_status observe(struct pairs *pairs, uint32_t row, const char *name,
                              const char *neighbour, double slow, struct pt_error *error)
{
    struct pt__observation *one = &pairs->list[pairs->count];
    PT_TRY(pt__names_number(&one->a, &pairs->jobs, name, error));
    PT_TRY(pt__names_number(&one->b, &pairs->jobs, neighbour, error));
    one->c = 0;
    one->row = row;
    one->value = slow;
    pairs->count++;
    return PT_OK;
}

static enum pt_status take_row(struct pairs *pairs, uint32_t row, struct pt_error *error)
{
    struct pt__reading *reading = pairs->reading;
    char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
    bool left_out = false, fits;
    double slow_a, slow_b;
    PT_TRY(name_job(a, &left_out, reading, row, PT__GAVEL_JOB_A, PT__GAVEL_SCALE_A, error));
    PT_TRY(name_job(b, &left_out, reading, row, PT__GAVEL_JOB_B, PT__GAVEL_SCALE_B, error));
    PT_TRY(says_fit(&fits, reading, row, error));
    PT_TRY(slow_down(&slow_a, pairs, row, PT__GAVEL_SOLO_A, PT__GAVEL_CO_A, PT__GAVEL_SLOWDOWN_A,
                     error));
    PT_TRY(slow_down(&slow_b, pairs, row, PT__GAVEL_SOLO_B, PT__GAVEL_CO_B, PT__GAVEL_SLOWDOWN_B,
                     error));
    if (left_out) {
        pt__leave_out(pairs->problem, "excluded");
        return PT_OK;
    }
    if (!fits || slow_a == 0 || slow_b == 0) {
        pt__leave_out(pairs->problem, "do not fit together");
        return PT_OK;
    }
    if (isnan(slow_a) || isnan(slow_b))
        return pt_fail_at(error, PT_ERR_INPUT, reading->table->file,
                          cell_of(reading, row, PT__GAVEL_JOB_A)->line, 1,
                          "the row fits but has no slow-down: neither slowdown_%c nor both speeds",
                          isnan(slow_a) ? 'a' : 'b');
    PT_TRY(observe(pairs, row, a, b, slow_a, error));
    return observe(pairs, row, b, a, slow_b, error);
}

static enum pt_status make_points(struct pairs *pairs, struct pt_fit_point *points,
                                  struct pt_error *error)
{
    struct pt__measured_problem *problem = pairs->problem;
    uint32_t jobs = pairs->jobs.count;
    if (jobs > JOBS_MAX)
        return pt_fail_at(error, PT_ERR_INPUT, pairs->reading->table->file, 0, 0,
                          "holds more than %d jobs", JOBS_MAX);
    pt__observations_merge(pairs->list, &pairs->count);
    for (uint32_t k = 0; k < pairs->count; k++) {
        const struct pt__observation *one = &pairs->list[k];
        uint32_t low = one->a < one->b ? one->a : one->b, high = one->a < one->b ? one->b : one->a;
        points[k] =
            (struct pt_fit_point){one->a, one->b, high * (high + 1) / 2 + low, 1, one->value};
        problem->rows[k] = one->row;
    }
    problem->fit.point_count = pairs->count;
    problem->fit.job_count = jobs;
    problem->names = pairs->jobs.list;
    pairs->jobs = (struct pt__names){0};
    return PT_OK;
}

/* All rows of one GPU (NULL: the file has no such column). */
static enum pt_status read_gpu(struct pt__reading *reading, const char *gpu, struct pt_error *error)
{
    const struct pt__measured_request *request = reading->request;
    struct pairs pairs = {.reading = reading};
    struct pt_fit_point *points = NULL;
    uint32_t rows = reading->table->row_count;
    enum pt_status status = pt__problem_add(&pairs.problem, &points, reading, 2 * rows, error);
    pairs.list = calloc(2 * (size_t)rows + 1, sizeof *pairs.list);
    if (status == PT_OK && !pairs.list) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status != PT_OK) goto out;
    pairs.problem->about = PT__ABOUT_PAIRS;
    pairs.problem->gpu = gpu ? gpu : request->gpu ? request->gpu : "";
    pairs.problem->fit.law = request->law < 0 ? PT_FIT_RANK1 : (enum pt_fit_law)request->law;
    pairs.problem->fit.p = request->p ? request->p : 2;
    for (uint32_t row = 0; status == PT_OK && row < rows; row++) {
        if (!gpu || strcmp(cell_of(reading, row, PT__GAVEL_GPU)->text, gpu) == 0)
            status = take_row(&pairs, row, error);
        else if (request->gpu)
            pt__leave_out(pairs.problem, "of other GPUs");
    }
    if (status == PT_OK) status = make_points(&pairs, points, error);
    if (status == PT_OK && pairs.disagreeing > 0)
        pt__note(reading->measured,
                 "%s%s%u slow-downs differ from the ratio of the speeds beside them by more than "
                 "%g %%: the slow-downs are taken",
                 pairs.problem->gpu, pairs.problem->gpu[0] ? ": " : "", pairs.disagreeing,
                 100 * DISAGREEMENT);
out:
    pt__names_fini(&pairs.jobs);
    free(pairs.list);
    return status;
}

static enum pt_status unknown_gpu(const struct pt__reading *reading, const struct pt__names *gpus,
                                  struct pt_error *error)
{
    const char *wanted = reading->request->gpu;
    char list[256] = "";
    struct pt_suggestion suggestion;
    pt_suggest_begin(&suggestion, wanted, strlen(wanted));
    for (uint32_t k = 0; k < gpus->count; k++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%.40s", k ? ", " : "", gpus->list[k]);
        pt_suggest_offer(&suggestion, gpus->list[k]);
    }
    if (suggestion.best)
        return pt_fail(error, PT_ERR_INPUT,
                       "--gpu: no row is of GPU '%.64s' (did you mean '%.64s'?)", wanted,
                       suggestion.best);
    return pt_fail(error, PT_ERR_INPUT, "--gpu: no row is of GPU '%.64s'; the file has %s", wanted,
                   list);
}

static enum pt_status read_gpus(struct pt__reading *reading, struct pt__names *gpus,
                                struct pt_error *error)
{
    const char *wanted = reading->request->gpu;
    bool found = false;
    uint32_t number;
    for (uint32_t row = 0; row < reading->table->row_count; row++)
        PT_TRY(pt__names_number(&number, gpus, cell_of(reading, row, PT__GAVEL_GPU)->text, error));
    for (uint32_t k = 0; k < gpus->count; k++) {
        const char *gpu = pt__measured_text(reading->measured, gpus->list[k]);
        if (!gpu) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
        if (wanted && strcmp(wanted, gpu) != 0) continue;
        found = true;
        PT_TRY(read_gpu(reading, gpu, error));
    }
    if (wanted && !found && gpus->count > 0) return unknown_gpu(reading, gpus, error);
    return PT_OK;
}

enum pt_status pt__measured_pairs(struct pt__reading *reading, struct pt_error *error)
{
    const struct pt__measured_request *request = reading->request;
    struct pt__names gpus = {0};
    if (request->about >= 0)
        return pt_fail(error, PT_ERR_INPUT, "--points is for slices, and %.128s holds pairs",
                       reading->table->file);
    if (request->by_model)
        return pt_fail(error, PT_ERR_INPUT, "--by is for slices, and %.128s holds pairs",
                       reading->table->file);
    if (request->p && request->law != PT_FIT_PNORM)
        return pt_fail(error, PT_ERR_INPUT,
                       "--p goes with --law pnorm; pairs are fitted by rank1 "
                       "otherwise, which has no p");
    if (!has(reading, PT__GAVEL_GPU)) return read_gpu(reading, NULL, error);
    enum pt_status status = read_gpus(reading, &gpus, error);
    pt__names_fini(&gpus);
    return status;
}
