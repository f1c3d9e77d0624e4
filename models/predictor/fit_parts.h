/* What the files of the fit share: the laws with their derivatives, and the solver of one set of
 * linked jobs.
 */
#ifndef PT_MODELS_FIT_PARTS_H
#define PT_MODELS_FIT_PARTS_H

#include "models/predictor/fit.h"

/* d(ln predicted)/d(parameter) of one point. A parameter is a job's ln u (the job's place) or ln
 * kappa (places + the job's place). */
struct pt__slope {
    uint32_t parameter;
    double value;
};
enum { PT__SLOPES_MAX = 5 };

/* The parameters of jobs by their places 0..places. */
struct pt__parameters {
    uint32_t places;
    const double *ln_u, *ln_kappa;
};

/* The predicted slow-down of a job at place i beside one at place j (PT_NONE = nobody), with its
 * slopes (NULL: not wanted), of which there are *slope_count. */
double pt__fit_law(struct pt__slope *slopes, uint32_t *slope_count,
                   const struct pt_fit_problem *problem, const struct pt__parameters *parameters,
                   uint32_t i, uint32_t j, double share);

/* Points within their ranges: as pt_fit_run. */
PT_USE_RESULT enum pt_status pt__fit_check(const struct pt_fit_problem *problem,
                                           struct pt_error *error);

/* One set of linked jobs and its points, by index into the problem's. */
struct pt__fit_set {
    const struct pt_fit_problem *problem;
    const uint32_t *place; /* of every job of the problem within its set */
    uint32_t job_count, point_count;
    const uint32_t *jobs, *points;
    bool pairs; /* some of the points have a neighbour: there are kappas */
};

struct pt__fit_outcome {
    uint32_t iterations;
    bool converged;
    /* (J^T J + lambda)^-1 lambda over all parameters, held ones with 0, the rows of J scaled to
     * length 1: projects on what the points don't tell. Row by row, parameter_count^2; owned by the
     * caller, who frees it. */
    double *unknown;
    uint32_t parameter_count;
};

/* Fits one set: fills in jobs[] (by index of the problem) all but `points` and `mape`, and
 * *outcome. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__fit_solve(struct pt_fit_job *jobs, struct pt__fit_outcome *outcome,
                                           const struct pt__fit_set *set, struct pt_error *error);

/* The log-linear start: ln_u[] and ln_kappa[] by place. */
PT_USE_RESULT enum pt_status pt__fit_start(double *ln_u, double *ln_kappa,
                                           const struct pt__fit_set *set, struct pt_error *error);

/* Fits, and says of each point of the problem whether the points of `by` tell it: told[] may be
 * NULL. `by` holds the points that the fit sees. */
PT_USE_RESULT enum pt_status pt__fit_sets(struct pt_fit *fit, bool *told,
                                          const struct pt_fit_problem *by,
                                          const struct pt_fit_problem *asked,
                                          struct pt_error *error);

/* Errors of predictions; a NaN prediction is left out. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt__fit_quality(struct pt_fit_quality *quality,
                                             const struct pt_fit_problem *problem,
                                             const double *predicted, struct pt_error *error);

#endif
