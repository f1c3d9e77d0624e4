/* Times and speeds on MIG slices, of one process or of several equal ones. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "partita/suggest.h"
#include "sim/cli/measured_parts.h"

enum { NAME_BYTES = 512, TEXT_BYTES = 200, COMPUTE_DEFAULT = 7, PROCESSES_MAX = 4096 };
#define NUMBER_MAX 1e15
/* Shares of two GPUs that differ by less are the same. */
#define SAME_SHARE 1e-12

/* One kind of slice of the file. */
struct slice {
    const char *text;
    unsigned compute; /* compute slices; 0 = not told */
    bool named;       /* "1g.5gb", not "1" or "1g" */
    double share;     /* of the SMs */
    uint32_t row;     /* the first that has it */
};

/* What was measured of one model with one batch size. */
struct config {
    uint32_t model, batch; /* numbers of texts */
};

struct slices {
    struct pt__reading *reading;
    struct pt__names texts, keys; /* models and batches; models with batches */
    struct config *configs;       /* of each key */
    struct pt__names slice_names;
    struct slice *slices; /* of each slice name */
    uint32_t whole;       /* the slice that is the whole GPU; PT_NONE = the file has none */
    const char *gpu;
    bool by_count;                /* shares are compute slices / 7: the GPU is not known */
    struct pt__observation *list; /* a = the key, b = the slice, c = processes; time of a step */
    uint32_t count;
    uint32_t unfit, excluded; /* rows */
};

/* ---- rows ---- */

/* "1g.5gb", "1g.10gb+me", "3g", "3". */
static bool parse_slice(struct slice *slice, const char *text)
{
    unsigned compute = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at) && compute < 100; at++)
        compute = 10 * compute + (unsigned)(*at - '0');
    *slice = (struct slice){.text = text, .compute = compute};
    if (at == text || compute == 0 || compute >= 100) return false;
    if (*at == '\0' || strcmp(at, "g") == 0) return true;
    slice->named = at[0] == 'g' && at[1] == '.' && at[2] != '\0';
    return slice->named;
}

static enum pt_status number_slice(uint32_t *number, struct slices *slices, uint32_t row,
                                   struct pt_error *error)
{
    const struct pt__reading *reading = slices->reading;
    uint32_t column = reading->columns[PT__SLICE_SLICE], before = slices->slice_names.count;
    const struct pt_csv_cell *cell = pt_csv_table_cell(reading->table, row, column);
    struct slice slice;
    if (!parse_slice(&slice, cell->text))
        return pt_csv_table_fail(error, reading->table, row, column,
                                 "is no MIG slice, like 1g.5gb or 3");
    PT_TRY(pt__names_number(number, &slices->slice_names, cell->text, error));
    if (slices->slice_names.count == before) return PT_OK;
    struct slice *grown = realloc(slices->slices, (before + 1) * sizeof *grown);
    if (!grown) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    slices->slices = grown;
    slice.row = row;
    grown[before] = slice;
    return PT_OK;
}

/* The file's name without its folder and endings: the model of files that hold one. */
static void model_of_file(char out[NAME_BYTES], const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, NAME_BYTES, "%s", slash ? slash + 1 : path);
    out[strcspn(out, ".")] = '\0';
}

static enum pt_status number_key(uint32_t *key, bool *excluded, struct slices *slices, uint32_t row,
                                 struct pt_error *error)
{
    struct pt__reading *reading = slices->reading;
    uint32_t column = reading->columns[PT__SLICE_MODEL];
    uint32_t batch_column = reading->columns[PT__SLICE_BATCH], before = slices->keys.count;
    const char *batch = pt_csv_table_cell(reading->table, row, batch_column)->text;
    char model[NAME_BYTES], name[2 * NAME_BYTES];
    if (column == PT_NONE)
        model_of_file(model, reading->table->file);
    else
        snprintf(model, sizeof model, "%s", pt_csv_table_cell(reading->table, row, column)->text);
    if (!model[0] || strlen(model) > TEXT_BYTES)
        return pt_csv_table_fail(error, reading->table, row, column == PT_NONE ? 0 : column,
                                 model[0] ? "is too long" : "names no model");
    if (!batch[0] || strlen(batch) > TEXT_BYTES)
        return pt_csv_table_fail(error, reading->table, row, batch_column,
                                 batch[0] ? "is too long" : "is no batch size");
    snprintf(name, sizeof name, "%s-b%s", model, batch);
    *excluded = pt__excluded(reading, name, model, strlen(model), batch, strlen(batch));
    if (*excluded) return PT_OK;
    PT_TRY(pt__names_number(key, &slices->keys, name, error));
    if (slices->keys.count == before) return PT_OK;
    struct config *grown = realloc(slices->configs, (before + 1) * sizeof *grown);
    if (!grown) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    slices->configs = grown;
    PT_TRY(pt__names_number(&grown[before].model, &slices->texts, model, error));
    return pt__names_number(&grown[before].batch, &slices->texts, batch, error);
}

static enum pt_status take_row(struct slices *slices, uint32_t row, struct pt_error *error)
{
    struct pt__reading *reading = slices->reading;
    struct pt__observation *one = &slices->list[slices->count];
    uint32_t column = reading->columns[PT__SLICE_PROCESSES];
    bool excluded = false, speed = reading->measured->format == PT__FORMAT_PARVAGPU;
    double value, processes = 1;
    PT_TRY(number_slice(&one->b, slices, row, error));
    PT_TRY(pt_csv_table_number(&value, reading->table, row, reading->columns[PT__SLICE_VALUE], 0,
                               NUMBER_MAX, error));
    if (column != PT_NONE) {
        PT_TRY(
            pt_csv_table_number(&processes, reading->table, row, column, 1, PROCESSES_MAX, error));
        if (processes != floor(processes))
            return pt_csv_table_fail(error, reading->table, row, column, "is not a whole number");
    }
    PT_TRY(number_key(&one->a, &excluded, slices, row, error));
    slices->excluded += excluded;
    slices->unfit += !excluded && value == 0;
    if (excluded || value == 0) return PT_OK;
    one->c = (uint32_t)processes;
    one->row = row;
    one->value = speed ? 1 / value : value;
    slices->count++;
    return PT_OK;
}

/* ---- shares of the SMs ---- */

/* The profile of the GPU that a slice is, PT_NONE if it has none such. */
static uint32_t find_profile(const struct pt_mig *mig, const struct slice *slice)
{
    if (slice->named) return pt_mig_find(mig, slice->text);
    for (uint32_t k = 0; k < mig->profile_count; k++)
        if (mig->profiles[k].compute == slice->compute && !mig->profiles[k].media) return k;
    return PT_NONE;
}

static double share_on(const struct pt_mig *mig, const struct slice *slice)
{
    uint32_t place = find_profile(mig, slice);
    if (place == PT_NONE) return NAN;
    return place == mig->full ? 1 : (double)mig->profiles[place].sms / mig->profiles[mig->full].sms;
}

static bool has_all(const struct slices *slices, const struct pt_mig *mig)
{
    for (uint32_t k = 0; k < slices->slice_names.count; k++)
        if (isnan(share_on(mig, &slices->slices[k]))) return false;
    return true;
}

static bool same_shares(const struct slices *slices, const struct pt_mig *a, const struct pt_mig *b)
{
    for (uint32_t k = 0; k < slices->slice_names.count; k++)
        if (fabs(share_on(a, &slices->slices[k]) - share_on(b, &slices->slices[k])) > SAME_SHARE)
            return false;
    return true;
}

static enum pt_status wrong_slice(const struct slices *slices, const struct pt_gpu_model *gpu,
                                  struct pt_error *error)
{
    const struct pt__reading *reading = slices->reading;
    uint32_t k = 0;
    char what[256];
    while (!isnan(share_on(gpu->mig, &slices->slices[k])))
        k++;
    snprintf(what, sizeof what, "is no MIG profile of %.60s: it has", gpu->name);
    for (uint32_t i = 0; i < gpu->mig->profile_count; i++) {
        size_t length = strlen(what);
        snprintf(what + length, sizeof what - length, " %s", gpu->mig->profiles[i].name);
    }
    return pt_csv_table_fail(error, reading->table, slices->slices[k].row,
                             reading->columns[PT__SLICE_SLICE], what);
}

/* The GPU that --gpu names, by a model's name or by a family's. */
static enum pt_status named_gpu(const struct pt_gpu_model **gpu, const struct slices *slices,
                                struct pt_error *error)
{
    const struct pt_catalog *catalog = slices->reading->request->catalog;
    const char *word = slices->reading->request->gpu;
    bool known = false;
    *gpu = NULL;
    for (uint32_t k = 0; k < catalog->count; k++) {
        const struct pt_gpu_model *one = &catalog->gpus[k];
        if (!pt_gpu_answers_to(one, word, strlen(word))) continue;
        known = true;
        if (one->mig && (!*gpu || (!has_all(slices, (*gpu)->mig) && has_all(slices, one->mig))))
            *gpu = one;
    }
    if (*gpu) return PT_OK;
    if (known)
        return pt_fail(error, PT_ERR_INPUT,
                       "--gpu: %.64s has no MIG, and the file holds MIG slices", word);
    const char *near = pt_catalog_suggest(catalog, word, strlen(word), true);
    if (near)
        return pt_fail(error, PT_ERR_INPUT, "--gpu: unknown GPU '%.64s' (did you mean '%s'?)", word,
                       near);
    return pt_fail(error, PT_ERR_INPUT,
                   "--gpu: unknown GPU '%.64s'; 'partita list gpus' shows them", word);
}

/* The GPUs whose slices these are, by their names: NULL if none or if they differ in a share.
 * slices->gpu = its name, or that of the family where several are the same. */
static const struct pt_gpu_model *gpu_by_names(struct slices *slices)
{
    const struct pt_catalog *catalog = slices->reading->request->catalog;
    const struct pt_gpu_model *found = NULL;
    bool named = false, one = true, family = true;
    for (uint32_t k = 0; k < slices->slice_names.count; k++)
        named |= slices->slices[k].named;
    for (uint32_t k = 0; named && k < catalog->count; k++) {
        const struct pt_gpu_model *gpu = &catalog->gpus[k];
        if (!gpu->mig || !has_all(slices, gpu->mig)) continue;
        if (found && !same_shares(slices, found->mig, gpu->mig)) return NULL;
        one &= !found;
        family &= !found || strcmp(found->family, gpu->family) == 0;
        if (!found) found = gpu;
    }
    if (found) slices->gpu = one ? found->name : family ? found->family : "";
    return found;
}

static enum pt_status share_by_count(struct slices *slices, struct pt_error *error)
{
    for (uint32_t k = 0; k < slices->slice_names.count; k++) {
        struct slice *slice = &slices->slices[k];
        if (slice->compute > COMPUTE_DEFAULT)
            return pt_csv_table_fail(error, slices->reading->table, slice->row,
                                     slices->reading->columns[PT__SLICE_SLICE],
                                     "has more than 7 compute slices: say the GPU by --gpu");
        slice->share = (double)slice->compute / COMPUTE_DEFAULT;
    }
    slices->by_count = true;
    pt__note(slices->reading->measured,
             "a slice's share of the SMs is taken as its compute slices / 7: --gpu says whose "
             "slices they are");
    return PT_OK;
}

static enum pt_status find_shares(struct slices *slices, struct pt_error *error)
{
    const struct pt_gpu_model *gpu = NULL;
    struct pt__measured *measured = slices->reading->measured;
    if (slices->reading->request->gpu) {
        PT_TRY(named_gpu(&gpu, slices, error));
        if (!has_all(slices, gpu->mig)) return wrong_slice(slices, gpu, error);
        slices->gpu = slices->reading->request->gpu;
    } else {
        gpu = gpu_by_names(slices);
    }
    if (!gpu) PT_TRY(share_by_count(slices, error));
    for (uint32_t k = 0; gpu && k < slices->slice_names.count; k++)
        slices->slices[k].share = share_on(gpu->mig, &slices->slices[k]);
    for (uint32_t k = 0; k < slices->slice_names.count; k++)
        if (slices->slices[k].share == 1) slices->whole = k;
    slices->gpu = pt__measured_text(measured, slices->gpu);
    return slices->gpu ? PT_OK : pt_fail(error, PT_ERR_MEMORY, "out of memory");
}

/* ---- problems ---- */

/* The time that another is compared with; NaN = there is none. */
static double reference_time(const struct slices *slices, const struct pt__observation *one,
                             bool on_its_slice)
{
    uint32_t slice = on_its_slice ? one->b : slices->whole;
    const struct pt__observation *end = slices->list + slices->count, *at = one;
    while (at > slices->list && at[-1].a == one->a)
        at--;
    for (; at < end && at->a == one->a; at++)
        if (at->b == slice && at->c == 1) return at->value;
    return NAN;
}

/* The job whose u a point is about: of the model, the model and batch, or of its slice too. */
static enum pt_status number_job(uint32_t *job, struct pt__names *jobs, const struct slices *slices,
                                 const struct pt__observation *one, bool by_slice,
                                 struct pt_error *error)
{
    const struct config *config = &slices->configs[one->a];
    const struct slice *slice = &slices->slices[one->b];
    char name[3 * NAME_BYTES];
    if (slices->reading->request->by_model)
        snprintf(name, sizeof name, "%s", slices->texts.list[config->model]);
    else
        snprintf(name, sizeof name, "%s", slices->keys.list[one->a]);
    if (by_slice) {
        size_t length = strlen(name);
        bool bare = isdigit((unsigned char)slice->text[strlen(slice->text) - 1]) && !slice->named;
        snprintf(name + length, sizeof name - length, "@%s%s", slice->text, bare ? "g" : "");
    }
    return pt__names_number(job, jobs, name, error);
}

static enum pt_status add_point(struct pt__measured_problem *problem, struct pt_fit_point *points,
                                struct pt__names *jobs, const struct slices *slices,
                                const struct pt__observation *one, struct pt_error *error)
{
    bool processes = problem->about == PT__ABOUT_PROCESSES;
    if (problem->about == PT__ABOUT_SLICES && one->c > 1) {
        pt__leave_out(problem, "of several processes");
        return PT_OK;
    }
    if (one->c == 1 && (processes || one->b == slices->whole)) {
        problem->references += one->count;
        return PT_OK;
    }
    double reference = reference_time(slices, one, processes);
    if (isnan(reference)) {
        pt__leave_out(problem, processes          ? "without one process there to compare with"
                               : slices->by_count ? "without the whole GPU (7g) to compare with"
                                                  : "without the whole GPU to compare with");
        return PT_OK;
    }
    double slow = one->value / reference;
    if (!(slow >= PT__SLOW_MIN && slow <= PT__SLOW_MAX))
        return pt_csv_table_fail(error, slices->reading->table, one->row,
                                 slices->reading->columns[PT__SLICE_VALUE],
                                 "is more than a million times what it is compared with, or less "
                                 "than a millionth");
    uint32_t k = problem->fit.point_count++;
    double share = (processes ? 1 : slices->slices[one->b].share) / one->c;
    points[k] = (struct pt_fit_point){0, PT_NONE, k, share, slow};
    problem->rows[k] = one->row;
    return number_job(&points[k].job, jobs, slices, one, processes, error);
}

static enum pt_status make_problem(struct slices *slices, enum pt__about about,
                                   struct pt_error *error)
{
    const struct pt__measured_request *request = slices->reading->request;
    struct pt__measured_problem *problem = NULL;
    struct pt_fit_point *points = NULL;
    struct pt__names jobs = {0};
    PT_TRY(pt__problem_add(&problem, &points, slices->reading, slices->count, error));
    bool inference = slices->reading->measured->format == PT__FORMAT_PARVAGPU;
    problem->about = about;
    problem->gpu = slices->gpu;
    problem->fit.law = PT_FIT_PNORM;
    problem->fit.p = request->p ? request->p : inference ? 4 : 2;
    for (uint32_t k = 0; k < slices->unfit; k++)
        pt__leave_out(problem, "do not fit");
    for (uint32_t k = 0; k < slices->excluded; k++)
        pt__leave_out(problem, "excluded");
    enum pt_status status = PT_OK;
    for (uint32_t k = 0; status == PT_OK && k < slices->count; k++)
        status = add_point(problem, points, &jobs, slices, &slices->list[k], error);
    problem->names = jobs.list;
    problem->fit.job_count = jobs.count;
    return status;
}

static enum pt_status read_rows(struct slices *slices, struct pt_error *error)
{
    const struct pt__measured_request *request = slices->reading->request;
    bool processes = slices->reading->measured->format == PT__FORMAT_PARVAGPU;
    for (uint32_t row = 0; row < slices->reading->table->row_count; row++)
        PT_TRY(take_row(slices, row, error));
    pt__observations_merge(slices->list, &slices->count);
    PT_TRY(find_shares(slices, error));
    for (int about = PT__ABOUT_SLICES; about <= PT__ABOUT_BOTH; about++)
        if (request->about >= 0 ? request->about == about : processes || about == PT__ABOUT_SLICES)
            PT_TRY(make_problem(slices, (enum pt__about)about, error));
    return PT_OK;
}

enum pt_status pt__measured_slices(struct pt__reading *reading, struct pt_error *error)
{
    const struct pt__measured_request *request = reading->request;
    struct slices slices = {.reading = reading, .whole = PT_NONE, .gpu = ""};
    if (request->law == PT_FIT_RANK1)
        return pt_fail(error, PT_ERR_INPUT,
                       "--law rank1 is for pairs, and %.128s holds slices: take pnorm",
                       reading->table->file);
    if (reading->measured->format == PT__FORMAT_MISO && request->about >= 0 &&
        request->about != PT__ABOUT_SLICES)
        return pt_fail(error, PT_ERR_INPUT, "--points: %.128s holds slices with one process only",
                       reading->table->file);
    slices.list = calloc((size_t)reading->table->row_count + 1, sizeof *slices.list);
    enum pt_status status =
        slices.list ? read_rows(&slices, error) : pt_fail(error, PT_ERR_MEMORY, "out of memory");
    pt__names_fini(&slices.texts);
    pt__names_fini(&slices.keys);
    pt__names_fini(&slices.slice_names);
    free(slices.configs);
    free(slices.slices);
    free(slices.list);
    return status;
}
