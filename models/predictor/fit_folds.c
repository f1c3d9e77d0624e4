/* Cross-validation: what a fit says of points that it has not seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/predictor/fit_parts.h"
#include "partita/random.h"

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The different groups in ascending order, in *groups (owned by the caller). */
static enum pt_status list_groups(uint32_t **groups, uint32_t *count,
                                  const struct pt_fit_problem *problem, struct pt_error *error)
{
    uint32_t *list = malloc(((size_t)problem->point_count + 1) * sizeof *list);
    *count = 0;
    *groups = list;
    if (!list) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (uint32_t k = 0; k < problem->point_count; k++)
        list[k] = problem->points[k].group;
    qsort(list, problem->point_count, sizeof *list, by_number);
    for (uint32_t k = 0; k < problem->point_count; k++)
        if (k == 0 || list[k] != list[*count - 1]) list[(*count)++] = list[k];
    return PT_OK;
}

enum pt_status pt_fit_group_count(uint32_t *count, const struct pt_fit_problem *problem,
                                  struct pt_error *error)
{
    uint32_t *groups = NULL;
    enum pt_status status = list_groups(&groups, count, problem, error);
    free(groups);
    return status;
}

/* fold_of[k] of each group groups[k]: dealt round after a draw of their order. */
static enum pt_status deal_folds(uint32_t *fold_of, uint32_t group_count, uint32_t folds,
                                 uint64_t seed, struct pt_error *error)
{
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    uint32_t *order = malloc(((size_t)group_count + 1) * sizeof *order);
    enum pt_status status = PT_OK;
    if (!rng || !order) {
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
        goto out;
    }
    pt_rng_seed(rng, seed, PT_PURPOSE_FOLDS, 0);
    for (uint32_t k = 0; k < group_count; k++)
        order[k] = k;
    for (uint32_t k = group_count; k > 1; k--) {
        uint32_t other = (uint32_t)gsl_rng_uniform_int(rng, k), kept = order[k - 1];
        order[k - 1] = order[other];
        order[other] = kept;
    }
    for (uint32_t k = 0; k < group_count; k++)
        fold_of[order[k]] = k % folds;
out:
    free(order);
    if (rng) gsl_rng_free(rng);
    return status;
}

/* What one fold needs; all arrays have room for every point. */
struct folding {
    const struct pt_fit_problem *problem;
    uint32_t *fold;                   /* of each point */
    struct pt_fit_point *seen, *held; /* of the fold at hand */
    uint32_t *held_index;
    bool *told;
    double *predicted; /* of each point of the problem; NaN = not told */
};

static enum pt_status predict_fold(const struct folding *folding, uint32_t fold, struct pt_fit *fit,
                                   struct pt_error *error)
{
    const struct pt_fit_problem *problem = folding->problem;
    struct pt_fit_problem by = *problem, asked = *problem;
    by.point_count = asked.point_count = 0;
    by.points = folding->seen;
    asked.points = folding->held;
    for (uint32_t k = 0; k < problem->point_count; k++) {
        if (folding->fold[k] != fold) {
            folding->seen[by.point_count++] = problem->points[k];
        } else {
            folding->held_index[asked.point_count] = k;
            folding->held[asked.point_count++] = problem->points[k];
        }
    }
    memset(folding->told, 0, problem->point_count * sizeof *folding->told);
    PT_TRY(pt__fit_sets(fit, folding->told, &by, &asked, error));
    for (uint32_t k = 0; k < asked.point_count; k++)
        folding->predicted[folding->held_index[k]] =
            folding->told[k] ? pt_fit_predict(problem, fit->jobs, &folding->held[k]) : NAN;
    return PT_OK;
}

static enum pt_status folding_init(struct folding *folding, const struct pt_fit_problem *problem,
                                   struct pt_error *error)
{
    size_t points = (size_t)problem->point_count + 1;
    *folding = (struct folding){.problem = problem,
                                .fold = calloc(points, sizeof *folding->fold),
                                .seen = calloc(points, sizeof *folding->seen),
                                .held = calloc(points, sizeof *folding->held),
                                .held_index = calloc(points, sizeof *folding->held_index),
                                .told = calloc(points, sizeof *folding->told),
                                .predicted = calloc(points, sizeof *folding->predicted)};
    if (!folding->fold || !folding->seen || !folding->held || !folding->held_index ||
        !folding->told || !folding->predicted)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    return PT_OK;
}

static void folding_fini(struct folding *folding)
{
    free(folding->fold);
    free(folding->seen);
    free(folding->held);
    free(folding->held_index);
    free(folding->told);
    free(folding->predicted);
}

/* Fills folding->fold. */
static enum pt_status assign_folds(struct folding *folding, uint32_t folds, uint64_t seed,
                                   struct pt_error *error)
{
    const struct pt_fit_problem *problem = folding->problem;
    uint32_t *groups = NULL, count = 0;
    enum pt_status status = list_groups(&groups, &count, problem, error);
    uint32_t *fold_of = calloc((size_t)count + 1, sizeof *fold_of);
    if (status == PT_OK && !fold_of) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK && count < folds)
        status = pt_fail(error, PT_ERR_INPUT, "%u group%s of points can't be dealt into %u folds",
                         count, count == 1 ? "" : "s", folds);
    if (status == PT_OK) status = deal_folds(fold_of, count, folds, seed, error);
    for (uint32_t k = 0; status == PT_OK && k < problem->point_count; k++) {
        const uint32_t *group =
            bsearch(&problem->points[k].group, groups, count, sizeof *groups, by_number);
        folding->fold[k] = fold_of[group - groups];
    }
    free(groups);
    free(fold_of);
    return status;
}

enum pt_status pt_fit_cross_validate(struct pt_fit_quality *quality,
                                     const struct pt_fit_problem *problem, uint32_t folds,
                                     uint64_t seed, struct pt_error *error)
{
    struct folding folding;
    PT_TRY(pt__fit_check(problem, error));
    struct pt_fit fit = {.jobs = calloc((size_t)problem->job_count + 1, sizeof *fit.jobs)};
    enum pt_status status = folding_init(&folding, problem, error);
    if (status == PT_OK && !fit.jobs) status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) status = assign_folds(&folding, folds, seed, error);
    for (uint32_t fold = 0; status == PT_OK && fold < folds; fold++)
        status = predict_fold(&folding, fold, &fit, error);
    if (status == PT_OK) status = pt__fit_quality(quality, problem, folding.predicted, error);
    folding_fini(&folding);
    free(fit.jobs);
    return status;
}
