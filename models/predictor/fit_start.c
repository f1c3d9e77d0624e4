/* The start: a fit that is linear in the parameters.
 *
 * rank1: ln(s_i - 1) = ln u_i + ln u_j + ln kappa_j - ln kappa_i, and the same serves pairs under
 * pnorm. Alone with a share a: ln(s^p - 1) = p ln u + ln(a^-p - 1). Least squares by the normal
 * equations with a light pull towards u = 1/2 and kappa = 1, which decides what the points don't.
 */
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "models/interference/laws.h"
#include "models/predictor/fit_parts.h"

#define PULL 1e-6
#define LN_HALF (-0.69314718055994531)
/* Of u under pnorm: a start at the bound has no way to both sides. */
#define U_START_MAX 0.98
#define U_START_MIN 1e-3

struct equation {
    uint32_t count, parameter[4];
    double factor[4], right, weight;
};

static void put(struct equation *equation, uint32_t parameter, double factor)
{
    equation->parameter[equation->count] = parameter;
    equation->factor[equation->count++] = factor;
}

/* False: the point says nothing about the start. */
static bool equation_of(struct equation *equation, const struct pt__fit_set *set,
                        const struct pt_fit_point *point)
{
    const struct pt_fit_problem *problem = set->problem;
    double slow = fmax(point->slow, 1 + PT_FIT_EXCESS_MIN);
    uint32_t i = set->place[point->job];
    *equation = (struct equation){.weight = 1};
    if (point->neighbour == PT_NONE) {
        if (point->share >= 1) return false;
        put(equation, i, 1);
        equation->right = (log(pt__power(slow, problem->p) - 1) -
                           log(pt__power(1 / point->share, problem->p) - 1)) /
                          problem->p;
        return true;
    }
    uint32_t j = set->place[point->neighbour];
    put(equation, i, i == j ? 2 : 1);
    if (i != j) {
        put(equation, j, 1);
        put(equation, set->job_count + j, 1);
        put(equation, set->job_count + i, -1);
    }
    equation->right = log(fmax(slow * point->share, 1 + PT_FIT_EXCESS_MIN) - 1);
    return true;
}

static void accumulate(gsl_matrix *normal, gsl_vector *right, const struct pt__fit_set *set)
{
    struct equation equation;
    for (uint32_t k = 0; k < set->point_count; k++) {
        if (!equation_of(&equation, set, &set->problem->points[set->points[k]])) continue;
        for (uint32_t a = 0; a < equation.count; a++) {
            *gsl_vector_ptr(right, equation.parameter[a]) += equation.factor[a] * equation.right;
            for (uint32_t b = 0; b < equation.count; b++)
                *gsl_matrix_ptr(normal, equation.parameter[a], equation.parameter[b]) +=
                    equation.factor[a] * equation.factor[b];
        }
    }
    for (uint32_t k = 0; k < normal->size1; k++) {
        *gsl_matrix_ptr(normal, k, k) += PULL;
        if (k < set->job_count) *gsl_vector_ptr(right, k) += PULL * LN_HALF;
    }
}

enum pt_status pt__fit_start(double *ln_u, double *ln_kappa, const struct pt__fit_set *set,
                             struct pt_error *error)
{
    size_t count = (size_t)set->job_count * (set->pairs ? 2 : 1);
    gsl_matrix *normal = gsl_matrix_calloc(count, count);
    gsl_vector *right = gsl_vector_calloc(count);
    enum pt_status status = PT_OK;
    if (!normal || !right) {
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
        goto out;
    }
    accumulate(normal, right, set);
    /* Positive definite by the pull: this can't fail. */
    if (gsl_linalg_cholesky_decomp1(normal) || gsl_linalg_cholesky_svx(normal, right)) {
        status = pt_fail(error, PT_ERR_INVARIANT, "the start of the fit can't be solved");
        goto out;
    }
    for (uint32_t k = 0; k < set->job_count; k++) {
        ln_u[k] = fmax(gsl_vector_get(right, k), log(U_START_MIN));
        if (set->problem->law == PT_FIT_PNORM) ln_u[k] = fmin(ln_u[k], log(U_START_MAX));
        ln_kappa[k] = set->pairs ? gsl_vector_get(right, set->job_count + k) : 0;
    }
out:
    gsl_matrix_free(normal);
    gsl_vector_free(right);
    return status;
}
