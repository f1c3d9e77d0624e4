/* Levenberg-Marquardt over one set of linked jobs.
 *
 * Residuals: one a point, ln predicted - ln measured; where there are kappas one that keeps their
 * mean at 1, which moves nothing else; and a light pull of every parameter to its start, which
 * leaves alone what the points tell and keeps the rest where it is: also a job that is never slowed
 * down, which otherwise would drift to 0 and its kappa without end.
 */
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multilarge_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/predictor/fit_parts.h"

/* Of a parameter, where the slope of a point at s = 1.1 is 0.1. */
#define PULL 1e-3
/* Of the structural null space, where every point weighs 1. */
#define LAMBDA 1e-9
#define UNKNOWN_MIN 1e-4
#define TOLERANCE 1e-9
/* Sum of squares of (s - 1)/s from which on a job's mean counts for the scale of kappa. */
#define INFORMATION_MIN 1e-2
enum { ITERATIONS_MAX = 200, BOUND_ROUNDS_MAX = 12 };

struct solver {
    const struct pt__fit_set *set;
    uint32_t parameter_count; /* ln u, then ln kappa where there are pairs */
    double *all, *start;      /* of every parameter; `all` as of the last trial */
    bool *held;               /* a u at its bound */
    bool *scale;              /* a job whose kappa counts for the mean */
    uint32_t *free_place;     /* of every parameter among the free ones; PT_NONE = held */
    uint32_t *free;           /* the free parameters */
    uint32_t free_count;
    bool no_memory;
};

static struct pt__parameters parameters_of(const struct solver *solver)
{
    uint32_t places = solver->set->job_count;
    return (struct pt__parameters){places, solver->all, solver->all + places};
}

static double slopes_of(struct pt__slope *slopes, uint32_t *count, const struct solver *solver,
                        uint32_t k)
{
    const struct pt__fit_set *set = solver->set;
    const struct pt_fit_point *point = &set->problem->points[set->points[k]];
    struct pt__parameters parameters = parameters_of(solver);
    uint32_t neighbour = point->neighbour == PT_NONE ? PT_NONE : set->place[point->neighbour];
    return pt__fit_law(slopes, count, set->problem, &parameters, set->place[point->job], neighbour,
                       point->share);
}

/* Does the k-th free parameter count for the mean of kappa? */
static bool is_scaled(const struct solver *solver, uint32_t k)
{
    uint32_t jobs = solver->set->job_count;
    return solver->free[k] >= jobs && solver->scale[solver->free[k] - jobs];
}

static void take(struct solver *solver, const gsl_vector *x)
{
    for (uint32_t k = 0; k < solver->free_count; k++)
        solver->all[solver->free[k]] = gsl_vector_get(x, k);
}

static double residual_of(const struct solver *solver, uint32_t k)
{
    const struct pt__fit_set *set = solver->set;
    return log(slopes_of(NULL, NULL, solver, k)) - log(set->problem->points[set->points[k]].slow);
}

/* ---- what GSL calls ---- */

static int residuals(const gsl_vector *x, void *ctx, gsl_vector *f)
{
    struct solver *solver = ctx;
    const struct pt__fit_set *set = solver->set;
    double sum = 0;
    take(solver, x);
    for (uint32_t k = 0; k < set->point_count; k++)
        gsl_vector_set(f, k, residual_of(solver, k));
    for (uint32_t k = 0; set->pairs && k < set->job_count; k++)
        if (solver->scale[k]) sum += solver->all[set->job_count + k];
    gsl_vector_set(f, set->point_count, sum);
    for (uint32_t k = 0; k < solver->free_count; k++) {
        double moved = solver->all[solver->free[k]] - solver->start[solver->free[k]];
        gsl_vector_set(f, set->point_count + 1 + k, PULL * moved);
    }
    return GSL_SUCCESS;
}

/* v = J^T u or J u over the rows of the points. */
static void multiply_points(gsl_vector *v, const gsl_vector *u, bool transposed,
                            const struct solver *solver)
{
    struct pt__slope slopes[PT__SLOPES_MAX];
    uint32_t count;
    for (uint32_t k = 0; k < solver->set->point_count; k++) {
        double sum = 0;
        (void)slopes_of(slopes, &count, solver, k);
        for (uint32_t s = 0; s < count; s++) {
            uint32_t place = solver->free_place[slopes[s].parameter];
            if (place == PT_NONE) continue;
            if (transposed)
                *gsl_vector_ptr(v, place) += slopes[s].value * gsl_vector_get(u, k);
            else
                sum += slopes[s].value * gsl_vector_get(u, place);
        }
        if (!transposed) gsl_vector_set(v, k, sum);
    }
}

static void multiply(gsl_vector *v, const gsl_vector *u, bool transposed,
                     const struct solver *solver)
{
    const struct pt__fit_set *set = solver->set;
    double sum = 0;
    gsl_vector_set_zero(v);
    multiply_points(v, u, transposed, solver);
    for (uint32_t k = 0; k < solver->free_count; k++) {
        uint32_t row = set->point_count + 1 + k;
        bool kappa = is_scaled(solver, k);
        if (transposed)
            *gsl_vector_ptr(v, k) +=
                PULL * gsl_vector_get(u, row) + (kappa ? gsl_vector_get(u, set->point_count) : 0);
        else
            gsl_vector_set(v, row, PULL * gsl_vector_get(u, k));
        if (!transposed && kappa) sum += gsl_vector_get(u, k);
    }
    if (!transposed) gsl_vector_set(v, set->point_count, sum);
}

/* J^T J of the points and of the row that keeps the mean of kappa, plus `ridge` on the diagonal.
 * `structure`: the row of every point scaled to length 1, however small its slopes. */
static void normal_equations(gsl_matrix *normal, double ridge, bool structure,
                             const struct solver *solver)
{
    struct pt__slope slopes[PT__SLOPES_MAX];
    uint32_t count;
    gsl_matrix_set_zero(normal);
    for (uint32_t k = 0; k < solver->set->point_count; k++) {
        double squares = 0;
        (void)slopes_of(slopes, &count, solver, k);
        for (uint32_t a = 0; a < count; a++)
            squares += slopes[a].value * slopes[a].value;
        double scale = structure && squares > 0 ? 1 / squares : 1;
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++) {
                uint32_t row = solver->free_place[slopes[a].parameter];
                uint32_t column = solver->free_place[slopes[b].parameter];
                if (row != PT_NONE && column != PT_NONE)
                    *gsl_matrix_ptr(normal, row, column) +=
                        scale * slopes[a].value * slopes[b].value;
            }
    }
    for (uint32_t a = 0; a < solver->free_count; a++) {
        *gsl_matrix_ptr(normal, a, a) += ridge;
        for (uint32_t b = 0; b < solver->free_count; b++)
            if (is_scaled(solver, a) && is_scaled(solver, b)) *gsl_matrix_ptr(normal, a, b) += 1;
    }
}

static int derivatives(CBLAS_TRANSPOSE_t transposed, const gsl_vector *x, const gsl_vector *u,
                       void *ctx, gsl_vector *v, gsl_matrix *normal)
{
    struct solver *solver = ctx;
    take(solver, x);
    if (v) multiply(v, u, transposed == CblasTrans, solver);
    if (normal) normal_equations(normal, PULL * PULL, false, solver);
    return GSL_SUCCESS;
}

/* ---- the search ---- */

static void list_free(struct solver *solver)
{
    solver->free_count = 0;
    for (uint32_t k = 0; k < solver->parameter_count; k++) {
        solver->free_place[k] = solver->held[k] ? PT_NONE : solver->free_count;
        if (!solver->held[k]) solver->free[solver->free_count++] = k;
    }
}

static enum pt_status search(struct pt__fit_outcome *outcome, struct solver *solver,
                             struct pt_error *error)
{
    list_free(solver);
    if (solver->free_count == 0) return PT_OK;
    size_t rows = (size_t)solver->set->point_count + 1 + solver->free_count;
    gsl_multilarge_nlinear_parameters settings = gsl_multilarge_nlinear_default_parameters();
    settings.trs = gsl_multilarge_nlinear_trs_lm;
    settings.solver = gsl_multilarge_nlinear_solver_cholesky;
    gsl_multilarge_nlinear_fdf system = {
        .f = residuals, .df = derivatives, .n = rows, .p = solver->free_count, .params = solver};
    gsl_multilarge_nlinear_workspace *work = gsl_multilarge_nlinear_alloc(
        gsl_multilarge_nlinear_trust, &settings, rows, solver->free_count);
    gsl_vector *x = gsl_vector_alloc(solver->free_count);
    enum pt_status status = PT_OK;
    int info = 0;
    if (!work || !x) {
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
        goto out;
    }
    for (uint32_t k = 0; k < solver->free_count; k++)
        gsl_vector_set(x, k, solver->all[solver->free[k]]);
    if (gsl_multilarge_nlinear_init(x, &system, work) == GSL_SUCCESS) {
        int result = gsl_multilarge_nlinear_driver(ITERATIONS_MAX, TOLERANCE, TOLERANCE, 0, NULL,
                                                   NULL, &info, work);
        /* No step that lowers the sum any more is the end of the way too. */
        outcome->converged = result == GSL_SUCCESS || result == GSL_ENOPROG || info == GSL_ENOPROG;
        outcome->iterations += (uint32_t)gsl_multilarge_nlinear_niter(work);
        take(solver, gsl_multilarge_nlinear_position(work));
    } else {
        outcome->converged = false;
    }
out:
    gsl_multilarge_nlinear_free(work);
    gsl_vector_free(x);
    return status;
}

/* d(sum of squares / 2)/d(ln u) of a job at its bound. */
static double pull_inwards(const struct solver *solver, uint32_t parameter)
{
    struct pt__slope slopes[PT__SLOPES_MAX];
    uint32_t count;
    double sum = 0;
    for (uint32_t k = 0; k < solver->set->point_count; k++) {
        (void)slopes_of(slopes, &count, solver, k);
        for (uint32_t s = 0; s < count; s++)
            if (slopes[s].parameter == parameter) sum += slopes[s].value * residual_of(solver, k);
    }
    return sum;
}

/* Holds every u that has passed 1 there, and frees those that would come back. True: something has
 * changed. */
static bool move_bounds(struct solver *solver)
{
    bool moved = false;
    for (uint32_t k = 0; k < solver->set->job_count; k++) {
        if (!solver->held[k] && solver->all[k] > 0) {
            solver->all[k] = 0;
            solver->held[k] = moved = true;
        }
    }
    if (moved) return true;
    for (uint32_t k = 0; k < solver->set->job_count; k++)
        if (solver->held[k] && pull_inwards(solver, k) > TOLERANCE) {
            solver->held[k] = false;
            moved = true;
        }
    return moved;
}

/* The pull leaves the mean of kappa a little off 1. */
static void center(struct solver *solver)
{
    uint32_t jobs = solver->set->job_count, count = 0;
    double sum = 0;
    for (uint32_t k = 0; k < jobs; k++) {
        if (!solver->scale[k]) continue;
        sum += solver->all[jobs + k];
        count++;
    }
    for (uint32_t k = 0; k < jobs; k++)
        solver->all[jobs + k] -= sum / count;
}

/* ---- what is known ---- */

/* (J^T J + ridge)^-1 over the free parameters; the caller frees it. NULL: *status says why. */
static gsl_matrix *inverse(enum pt_status *status, double ridge, bool structure,
                           const struct solver *solver, struct pt_error *error)
{
    gsl_matrix *normal = gsl_matrix_alloc(solver->free_count, solver->free_count);
    if (!normal) {
        *status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
        return NULL;
    }
    normal_equations(normal, ridge, structure, solver);
    if (gsl_linalg_cholesky_decomp1(normal) == 0 && gsl_linalg_cholesky_invert(normal) == 0)
        return normal;
    gsl_matrix_free(normal);
    *status = pt_fail(error, PT_ERR_INVARIANT, "the fit's normal equations can't be inverted");
    return NULL;
}

/* Fills outcome->unknown: which directions of the parameters no point tells, however precisely the
 * others are told. */
static enum pt_status find_unknown(struct pt__fit_outcome *outcome, const struct solver *solver,
                                   struct pt_error *error)
{
    enum pt_status status = PT_OK;
    uint32_t count = solver->parameter_count;
    outcome->parameter_count = count;
    outcome->unknown = calloc((size_t)count * count, sizeof *outcome->unknown);
    if (!outcome->unknown) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    if (solver->free_count == 0) return PT_OK;
    gsl_matrix *inverted = inverse(&status, LAMBDA, true, solver, error);
    for (uint32_t a = 0; inverted && a < solver->free_count; a++)
        for (uint32_t b = 0; b < solver->free_count; b++)
            outcome->unknown[(size_t)solver->free[a] * count + solver->free[b]] =
                LAMBDA * gsl_matrix_get(inverted, a, b);
    gsl_matrix_free(inverted);
    return status;
}

/* Variance of a residual: their squares over the points beyond those that fix the parameters. */
static double variance(const struct solver *solver, const struct pt__fit_outcome *outcome)
{
    double sum = 0, fixed = solver->set->pairs ? -1 : 0;
    for (uint32_t k = 0; k < solver->set->point_count; k++)
        sum += residual_of(solver, k) * residual_of(solver, k);
    for (uint32_t k = 0; k < solver->free_count; k++) {
        size_t place = solver->free[k];
        fixed += 1 - outcome->unknown[place * outcome->parameter_count + place];
    }
    double spare = solver->set->point_count - fixed;
    return spare < 0.5 ? NAN : sum / spare;
}

static bool is_known(const struct pt__fit_outcome *outcome, size_t parameter)
{
    return outcome->unknown[parameter * outcome->parameter_count + parameter] < UNKNOWN_MIN;
}

/* Fills in errors[] of every parameter; NaN where it is held or nothing can be said. */
static enum pt_status find_errors(double *errors, const struct solver *solver,
                                  const struct pt__fit_outcome *outcome, struct pt_error *error)
{
    enum pt_status status = PT_OK;
    double residual = variance(solver, outcome);
    for (uint32_t k = 0; k < solver->parameter_count; k++)
        errors[k] = NAN;
    if (solver->free_count == 0) return PT_OK;
    gsl_matrix *inverted = inverse(&status, PULL * PULL, false, solver, error);
    for (uint32_t k = 0; inverted && k < solver->free_count; k++)
        if (is_known(outcome, solver->free[k]))
            errors[solver->free[k]] = sqrt(residual * gsl_matrix_get(inverted, k, k));
    gsl_matrix_free(inverted);
    return status;
}

static enum pt_status report(struct pt_fit_job *jobs, struct solver *solver,
                             const struct pt__fit_outcome *outcome, struct pt_error *error)
{
    const struct pt__fit_set *set = solver->set;
    double *errors = solver->start; /* not needed any more */
    PT_TRY(find_errors(errors, solver, outcome, error));
    for (uint32_t k = 0; k < set->job_count; k++) {
        struct pt_fit_job *job = &jobs[set->jobs[k]];
        size_t kappa = set->job_count + k;
        *job = (struct pt_fit_job){.u = exp(solver->all[k]),
                                   .kappa = 1,
                                   .u_error = errors[k],
                                   .kappa_error = NAN,
                                   .u_known = is_known(outcome, k),
                                   .at_bound = solver->held[k]};
        if (!set->pairs) continue;
        job->kappa = exp(solver->all[kappa]);
        job->kappa_error = errors[kappa];
        job->kappa_known = is_known(outcome, kappa);
    }
    return PT_OK;
}

/* ---- */

/* Whose kappas have the mean 1: jobs that are slowed down and slow others down so that it shows.
 * One that isn't has a kappa without a limit, and would take the scale with it. */
static enum pt_status find_scale(struct solver *solver, struct pt_error *error)
{
    const struct pt__fit_set *set = solver->set;
    double *suffers = calloc(2 * (size_t)set->job_count, sizeof *suffers);
    bool any = false;
    if (!suffers) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    double *causes = suffers + set->job_count;
    for (uint32_t k = 0; k < set->point_count; k++) {
        const struct pt_fit_point *point = &set->problem->points[set->points[k]];
        double excess = point->slow > 1 ? (point->slow - 1) / point->slow : 0;
        suffers[set->place[point->job]] += excess * excess;
        if (point->neighbour != PT_NONE) causes[set->place[point->neighbour]] += excess * excess;
    }
    for (uint32_t k = 0; k < set->job_count; k++) {
        solver->scale[k] = suffers[k] >= INFORMATION_MIN && causes[k] >= INFORMATION_MIN;
        any |= solver->scale[k];
    }
    for (uint32_t k = 0; !any && k < set->job_count; k++)
        solver->scale[k] = true;
    free(suffers);
    return PT_OK;
}

static enum pt_status init(struct solver *solver, const struct pt__fit_set *set,
                           struct pt_error *error)
{
    uint32_t count = set->job_count * (set->pairs ? 2 : 1);
    /* Without pairs the kappas are there all the same, all 1: the laws read them. */
    *solver = (struct solver){.set = set,
                              .parameter_count = count,
                              .all = calloc(2 * (size_t)set->job_count, sizeof(double)),
                              .start = calloc(2 * (size_t)set->job_count, sizeof(double)),
                              .held = calloc(count, sizeof(bool)),
                              .scale = calloc(set->job_count, sizeof(bool)),
                              .free_place = calloc(count, sizeof(uint32_t)),
                              .free = calloc(count, sizeof(uint32_t))};
    if (!solver->all || !solver->start || !solver->held || !solver->scale || !solver->free_place ||
        !solver->free)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    PT_TRY(find_scale(solver, error));
    PT_TRY(pt__fit_start(solver->start, solver->start + set->job_count, set, error));
    memcpy(solver->all, solver->start, 2 * (size_t)set->job_count * sizeof(double));
    return PT_OK;
}

static void fini(struct solver *solver)
{
    free(solver->all);
    free(solver->start);
    free(solver->held);
    free(solver->scale);
    free(solver->free_place);
    free(solver->free);
}

enum pt_status pt__fit_solve(struct pt_fit_job *jobs, struct pt__fit_outcome *outcome,
                             const struct pt__fit_set *set, struct pt_error *error)
{
    struct solver solver;
    *outcome = (struct pt__fit_outcome){0};
    enum pt_status status = init(&solver, set, error);
    if (status == PT_OK) status = search(outcome, &solver, error);
    for (int round = 0; status == PT_OK && set->problem->law == PT_FIT_PNORM; round++) {
        bool moved = move_bounds(&solver);
        if (!moved) break;
        if (round == BOUND_ROUNDS_MAX) {
            outcome->converged = false;
            break;
        }
        status = search(outcome, &solver, error);
    }
    if (status == PT_OK && set->pairs) center(&solver);
    if (status == PT_OK) status = find_unknown(outcome, &solver, error);
    if (status == PT_OK) status = report(jobs, &solver, outcome, error);
    fini(&solver);
    return status;
}
