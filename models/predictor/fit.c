#include "models/predictor/fit.h"

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "models/predictor/fit_parts.h"

/* A direction that the points tell less of than this part is not told. */
#define UNTOLD_MIN 1e-4

/* Sets of linked jobs: the jobs and points of set k are those from begin[k] to begin[k + 1]. */
struct sets {
    uint32_t count;
    uint32_t *set_of, *place; /* of a job */
    uint32_t *jobs, *job_begin, *points, *point_begin;
    bool *pairs; /* of a set */
};

static bool is_in_range(const struct pt_fit_problem *problem, const struct pt_fit_point *point)
{
    bool beside = point->neighbour != PT_NONE;
    if (point->job >= problem->job_count || (beside && point->neighbour >= problem->job_count))
        return false;
    if (!(point->slow > 0) || !isfinite(point->slow) || !(point->share > 0) || point->share > 1)
        return false;
    return problem->law != PT_FIT_RANK1 || (beside && point->share == 1);
}

enum pt_status pt__fit_check(const struct pt_fit_problem *problem, struct pt_error *error)
{
    if (problem->law == PT_FIT_PNORM && problem->p != 1 && problem->p != 2 && problem->p != 4)
        return pt_fail(error, PT_ERR_ARGUMENT, "p is %u, and may be 1, 2 or 4", problem->p);
    if (problem->point_count == 0)
        return pt_fail(error, PT_ERR_INPUT, "there are no points to fit");
    for (uint32_t k = 0; k < problem->point_count; k++)
        if (!is_in_range(problem, &problem->points[k]))
            return pt_fail(error, PT_ERR_ARGUMENT, "point %u is out of range", k);
    return PT_OK;
}

/* ---- sets of linked jobs ---- */

static uint32_t root_of(uint32_t *parent, uint32_t job)
{
    while (parent[job] != job)
        job = parent[job] = parent[parent[job]];
    return job;
}

static void sets_fini(struct sets *sets)
{
    free(sets->set_of);
    free(sets->place);
    free(sets->jobs);
    free(sets->job_begin);
    free(sets->points);
    free(sets->point_begin);
    free(sets->pairs);
}

/* Numbers the sets in the order of their first jobs; parent[] as union-find left it. */
static void number_sets(struct sets *sets, const struct pt_fit_problem *problem, uint32_t *parent)
{
    for (uint32_t job = 0; job < problem->job_count; job++) {
        uint32_t root = root_of(parent, job);
        if (root == job) sets->set_of[job] = sets->count++;
    }
    for (uint32_t job = 0; job < problem->job_count; job++)
        sets->set_of[job] = sets->set_of[root_of(parent, job)];
}

/* Deals items 0..count to the sets, in order within each. */
static void deal(uint32_t *items, uint32_t *begin, uint32_t count, const struct sets *sets,
                 const struct pt_fit_problem *problem, bool points)
{
    for (uint32_t k = 0; k < count; k++)
        begin[sets->set_of[points ? problem->points[k].job : k] + 1]++;
    for (uint32_t k = 0; k < sets->count; k++)
        begin[k + 1] += begin[k];
    for (uint32_t k = count; k-- > 0;) {
        uint32_t set = sets->set_of[points ? problem->points[k].job : k];
        items[--begin[set + 1]] = k;
    }
    /* begin[set + 1] has walked down to where set begins: shift it into place. */
    for (uint32_t k = 0; k < sets->count; k++)
        begin[k] = begin[k + 1];
    begin[sets->count] = count;
}

static enum pt_status sets_init(struct sets *sets, const struct pt_fit_problem *problem,
                                struct pt_error *error)
{
    size_t jobs = problem->job_count, points = problem->point_count;
    uint32_t *parent = calloc(jobs + 1, sizeof *parent);
    *sets = (struct sets){.set_of = calloc(jobs + 1, sizeof(uint32_t)),
                          .place = calloc(jobs + 1, sizeof(uint32_t)),
                          .jobs = calloc(jobs + 1, sizeof(uint32_t)),
                          .job_begin = calloc(jobs + 2, sizeof(uint32_t)),
                          .points = calloc(points + 1, sizeof(uint32_t)),
                          .point_begin = calloc(jobs + 2, sizeof(uint32_t)),
                          .pairs = calloc(jobs + 1, sizeof(bool))};
    if (!parent || !sets->set_of || !sets->place || !sets->jobs || !sets->job_begin ||
        !sets->points || !sets->point_begin || !sets->pairs) {
        free(parent);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    for (uint32_t job = 0; job < problem->job_count; job++)
        parent[job] = job;
    for (uint32_t k = 0; k < problem->point_count; k++) {
        const struct pt_fit_point *point = &problem->points[k];
        if (point->neighbour == PT_NONE) continue;
        uint32_t a = root_of(parent, point->job), b = root_of(parent, point->neighbour);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    number_sets(sets, problem, parent);
    free(parent);
    deal(sets->jobs, sets->job_begin, problem->job_count, sets, problem, false);
    deal(sets->points, sets->point_begin, problem->point_count, sets, problem, true);
    for (uint32_t set = 0; set < sets->count; set++)
        for (uint32_t k = sets->job_begin[set]; k < sets->job_begin[set + 1]; k++)
            sets->place[sets->jobs[k]] = k - sets->job_begin[set];
    for (uint32_t k = 0; k < problem->point_count; k++)
        if (problem->points[k].neighbour != PT_NONE)
            sets->pairs[sets->set_of[problem->points[k].job]] = true;
    return PT_OK;
}

/* ---- the fit, set by set ---- */

/* Do the points of the set tell this point? By how much of its slope lies in what they don't. */
static bool is_told(const struct pt_fit *fit, const struct pt__fit_outcome *outcome,
                    const struct pt__fit_set *set, const struct sets *sets,
                    const struct pt_fit_point *point)
{
    struct pt__slope slopes[PT__SLOPES_MAX];
    uint32_t count = 0, i = point->job, j = point->neighbour;
    if (j != PT_NONE && (sets->set_of[j] != sets->set_of[i] || !set->pairs)) return false;
    double ln_u[] = {log(fit->jobs[i].u), j == PT_NONE ? 0 : log(fit->jobs[j].u)};
    double ln_kappa[] = {log(fit->jobs[i].kappa), j == PT_NONE ? 0 : log(fit->jobs[j].kappa)};
    uint32_t second = j == PT_NONE ? PT_NONE : i == j ? 0 : 1;
    struct pt__parameters parameters = {2, ln_u, ln_kappa};
    (void)pt__fit_law(slopes, &count, set->problem, &parameters, 0, second, point->share);
    const uint32_t place[] = {set->place[i], j == PT_NONE ? 0 : set->place[j]};
    double untold = 0, whole = 0;
    for (uint32_t a = 0; a < count; a++) {
        uint32_t at = slopes[a].parameter;
        slopes[a].parameter = place[at % 2] + (at >= 2 ? set->job_count : 0);
    }
    for (uint32_t a = 0; a < count; a++) {
        whole += slopes[a].value * slopes[a].value;
        for (uint32_t b = 0; b < count; b++)
            untold += slopes[a].value * slopes[b].value *
                      outcome->unknown[(size_t)slopes[a].parameter * outcome->parameter_count +
                                       slopes[b].parameter];
    }
    return untold <= UNTOLD_MIN * whole;
}

static enum pt_status fit_set(struct pt_fit *fit, bool *told, const struct sets *sets, uint32_t k,
                              const struct pt_fit_problem *by, const struct pt_fit_problem *asked,
                              struct pt_error *error)
{
    struct pt__fit_set set = {.problem = by,
                              .place = sets->place,
                              .job_count = sets->job_begin[k + 1] - sets->job_begin[k],
                              .point_count = sets->point_begin[k + 1] - sets->point_begin[k],
                              .jobs = sets->jobs + sets->job_begin[k],
                              .points = sets->points + sets->point_begin[k],
                              .pairs = sets->pairs[k]};
    struct pt__fit_outcome outcome;
    if (set.job_count > PT_FIT_LINKED_MAX)
        return pt_fail(error, PT_ERR_INPUT,
                       "%u jobs are linked by pairs: more than %u can't be "
                       "fitted at once",
                       set.job_count, PT_FIT_LINKED_MAX);
    enum pt_status status = pt__fit_solve(fit->jobs, &outcome, &set, error);
    if (status == PT_OK) {
        fit->iterations =
            outcome.iterations > fit->iterations ? outcome.iterations : fit->iterations;
        fit->converged &= outcome.converged;
        fit->sets++;
    }
    for (uint32_t i = 0; status == PT_OK && told && i < asked->point_count; i++)
        if (sets->set_of[asked->points[i].job] == k)
            told[i] = is_told(fit, &outcome, &set, sets, &asked->points[i]);
    free(outcome.unknown);
    return status;
}

enum pt_status pt__fit_sets(struct pt_fit *fit, bool *told, const struct pt_fit_problem *by,
                            const struct pt_fit_problem *asked, struct pt_error *error)
{
    struct sets sets;
    enum pt_status status = sets_init(&sets, by, error);
    fit->converged = true;
    for (uint32_t k = 0; status == PT_OK && k < sets.count; k++) {
        if (sets.point_begin[k + 1] > sets.point_begin[k]) {
            status = fit_set(fit, told, &sets, k, by, asked, error);
            continue;
        }
        for (uint32_t i = sets.job_begin[k]; i < sets.job_begin[k + 1]; i++)
            fit->jobs[sets.jobs[i]] = (struct pt_fit_job){
                .u = NAN, .kappa = 1, .u_error = NAN, .kappa_error = NAN, .mape = NAN};
    }
    sets_fini(&sets);
    return status;
}

/* ---- how good it is ---- */

enum pt_status pt__fit_quality(struct pt_fit_quality *quality, const struct pt_fit_problem *problem,
                               const double *predicted, struct pt_error *error)
{
    double *errors = malloc(((size_t)problem->point_count + 1) * sizeof *errors);
    double sum = 0, squares = 0, largest = -1;
    *quality = (struct pt_fit_quality){.worst = PT_NONE};
    if (!errors) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    for (uint32_t k = 0; k < problem->point_count; k++) {
        if (isnan(predicted[k])) {
            quality->left_out++;
            continue;
        }
        double ratio = predicted[k] / problem->points[k].slow, one = fabs(ratio - 1);
        errors[quality->points++] = one;
        sum += one;
        squares += log(ratio) * log(ratio);
        if (one > largest) {
            largest = one;
            quality->worst = k;
        }
    }
    size_t count = quality->points;
    gsl_sort(errors, 1, count);
    quality->mape = count ? sum / (double)count : NAN;
    quality->sd_log = count ? sqrt(squares / (double)count) : NAN;
    quality->median_ape = count ? gsl_stats_median_from_sorted_data(errors, 1, count) : NAN;
    quality->p95_ape = count ? gsl_stats_quantile_from_sorted_data(errors, 1, count, 0.95) : NAN;
    quality->max_ape = count ? largest : NAN;
    free(errors);
    return PT_OK;
}

static void measure_jobs(struct pt_fit *fit, const struct pt_fit_problem *problem)
{
    for (uint32_t k = 0; k < problem->point_count; k++) {
        struct pt_fit_job *job = &fit->jobs[problem->points[k].job];
        job->points++;
        job->mape += fabs(fit->predicted[k] / problem->points[k].slow - 1);
        fit->below_one += problem->points[k].slow < 1;
    }
    for (uint32_t k = 0; k < problem->job_count; k++)
        fit->jobs[k].mape = fit->jobs[k].points ? fit->jobs[k].mape / fit->jobs[k].points : NAN;
}

/* Slow-downs of pairs by rank1 with the capacity guard. */
static void guard(double *guarded, const struct pt_fit *fit, const struct pt_fit_problem *problem)
{
    for (uint32_t k = 0; k < problem->point_count; k++) {
        const struct pt_fit_point *point = &problem->points[k];
        const struct pt_fit_job *i = &fit->jobs[point->job], *j = &fit->jobs[point->neighbour];
        double slow_i = 1 + i->u * j->u * j->kappa / i->kappa;
        double slow_j = 1 + i->u * j->u * i->kappa / j->kappa;
        double used = fmin(i->u, 1) / slow_i + fmin(j->u, 1) / slow_j;
        guarded[k] = slow_i * fmax(1, used);
    }
}

static enum pt_status measure(struct pt_fit *fit, const struct pt_fit_problem *problem,
                              struct pt_error *error)
{
    struct pt_fit_problem none = {0};
    for (uint32_t k = 0; k < problem->point_count; k++)
        fit->predicted[k] = pt_fit_predict(problem, fit->jobs, &problem->points[k]);
    measure_jobs(fit, problem);
    PT_TRY(pt__fit_quality(&fit->in_sample, problem, fit->predicted, error));
    if (problem->law != PT_FIT_RANK1) return pt__fit_quality(&fit->guarded, &none, NULL, error);
    double *guarded = malloc(((size_t)problem->point_count + 1) * sizeof *guarded);
    if (!guarded) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    guard(guarded, fit, problem);
    enum pt_status status = pt__fit_quality(&fit->guarded, problem, guarded, error);
    free(guarded);
    return status;
}

enum pt_status pt_fit_run(struct pt_fit **fit, const struct pt_fit_problem *problem,
                          struct pt_error *error)
{
    *fit = NULL;
    PT_TRY(pt__fit_check(problem, error));
    struct pt_fit *made = calloc(1, sizeof *made);
    if (!made) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    made->job_count = problem->job_count;
    made->point_count = problem->point_count;
    made->jobs = calloc(problem->job_count, sizeof *made->jobs);
    made->predicted = calloc(problem->point_count, sizeof *made->predicted);
    enum pt_status status = made->jobs && made->predicted
                                ? pt__fit_sets(made, NULL, problem, problem, error)
                                : pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (status == PT_OK) status = measure(made, problem, error);
    if (status == PT_OK)
        *fit = made;
    else
        pt_fit_free(made);
    return status;
}

void pt_fit_free(struct pt_fit *fit)
{
    if (!fit) return;
    free(fit->jobs);
    free(fit->predicted);
    free(fit);
}
