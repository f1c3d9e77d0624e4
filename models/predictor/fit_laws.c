#include <math.h>

#include "models/interference/laws.h"
#include "models/predictor/fit_parts.h"

/* Logarithms beyond these are no measurement's: trial steps are kept finite. */
#define LOG_MIN (-40.0)
#define LOG_MAX 40.0
#define LOG_U_MAX 4.0

static double bounded_exp(double x, double max)
{
    return exp(fmin(fmax(x, LOG_MIN), max));
}

static void add(struct pt__slope *slopes, uint32_t *count, uint32_t parameter, double value)
{
    for (uint32_t k = 0; k < *count; k++)
        if (slopes[k].parameter == parameter) {
            slopes[k].value += value;
            return;
        }
    slopes[(*count)++] = (struct pt__slope){parameter, value};
}

double pt__fit_law(struct pt__slope *slopes, uint32_t *slope_count,
                   const struct pt_fit_problem *problem, const struct pt__parameters *parameters,
                   uint32_t i, uint32_t j, double share)
{
    const double *ln_u = parameters->ln_u, *ln_kappa = parameters->ln_kappa;
    double from_u = 0, from_neighbour, slow; /* d(ln s)/d(ln u_i) and through the pressure of j */
    if (problem->law == PT_FIT_RANK1) {
        /* beside nobody: not slowed down */
        double excess =
            j == PT_NONE ? 0 : bounded_exp(ln_u[i] + ln_u[j] + ln_kappa[j] - ln_kappa[i], LOG_MAX);
        slow = 1 + excess;
        from_u = from_neighbour = excess / slow;
    } else {
        unsigned p = problem->p;
        double u = bounded_exp(ln_u[i], LOG_U_MAX);
        double pressure =
            j == PT_NONE ? 0 : bounded_exp(ln_u[j] + ln_kappa[j] - ln_kappa[i], LOG_MAX);
        double load = (u + pressure) / share;
        double own = pt__power(u, p), all = pt__power(load, p), sum = fmax(1, 1 - own + all);
        slow = pt__root(sum, p);
        from_u = (all * u / (u + pressure) - own) / sum;
        from_neighbour = all * (pressure / (u + pressure)) / sum;
    }
    if (!slopes) return slow;
    *slope_count = 0;
    add(slopes, slope_count, i, from_u);
    if (j == PT_NONE) return slow;
    add(slopes, slope_count, j, from_neighbour);
    if (i == j) return slow;
    add(slopes, slope_count, parameters->places + j, from_neighbour);
    add(slopes, slope_count, parameters->places + i, -from_neighbour);
    return slow;
}

double pt_fit_predict(const struct pt_fit_problem *problem, const struct pt_fit_job *jobs,
                      const struct pt_fit_point *point)
{
    bool beside = point->neighbour != PT_NONE;
    const struct pt_fit_job *i = &jobs[point->job], *j = beside ? &jobs[point->neighbour] : i;
    double ln_u[] = {log(i->u), log(j->u)}, ln_kappa[] = {log(i->kappa), log(j->kappa)};
    struct pt__parameters parameters = {2, ln_u, ln_kappa};
    return pt__fit_law(NULL, NULL, problem, &parameters, 0, beside ? 1 : PT_NONE, point->share);
}
