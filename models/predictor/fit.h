/* Parameters of the interference laws from measured slow-downs.
 *
 * A point is one measured slow-down of one job, beside a neighbour (pairs on one GPU) or with a
 * share of a GPU to itself (a MIG slice, one of n equal processes). The laws, with u the busy
 * intensity and kappa the kernel-length dominance of a job:
 *
 *   rank1   s_i = 1 + u_i u_j kappa_j / kappa_i
 *   pnorm   s_i = [1 - u_i^p + L^p]^(1/p),  L = (u_i + u_j kappa_j / kappa_i) / a,  u <= 1
 *           (without a neighbour L = u_i / a), a = the share
 *
 * The sum over points of (ln predicted - ln measured)^2 is made least by Levenberg-Marquardt
 * (GSL's gsl_multilarge_nlinear: normal equations, of which each point fills at most sixteen
 * places) in ln u and ln kappa, from the fit that is linear in them: ln(s - 1), or ln(s^p - 1),
 * with s - 1 taken as PT_FIT_EXCESS_MIN where it is less. Only the start knows that clip: measured
 * slow-downs below 1 stay in the fit as they are. Under pnorm a u that wants to pass 1 is held
 * there for as long as it does.
 *
 * Jobs that no chain of pairs links are fitted apart. Within each set of linked jobs the geometric
 * mean of kappa is 1: only ratios of kappas act, so this is a convention and costs nothing. What
 * the points don't tell (two jobs measured only beside each other give u_a u_b, neither of the two)
 * is marked as unknown, by the null space of the normal equations; such values stay near their
 * start.
 *
 * Cost: for J linked jobs and n points O(n + J^3) an iteration, below twenty iterations as a rule.
 * Deterministic. GSL's error handler has to be off.
 * Source: the shares of weighted processor sharing; Marquardt, J. SIAM 11(2), 1963.
 */
#ifndef PT_MODELS_FIT_H
#define PT_MODELS_FIT_H

#include "partita/status.h"
#include "partita/types.h"

/* The least s - 1 that a logarithm is taken of at the start. */
#define PT_FIT_EXCESS_MIN 0.02
/* More jobs that pairs link are refused: the normal equations are dense. */
#define PT_FIT_LINKED_MAX 2048

enum pt_fit_law { PT_FIT_RANK1, PT_FIT_PNORM };

struct pt_fit_point {
    uint32_t job;       /* whose slow-down it is */
    uint32_t neighbour; /* beside whom, itself too (two copies); PT_NONE = beside nobody */
    uint32_t group;     /* points of one group are held out together */
    double share;       /* a, 0 < a <= 1; 1 under rank1 */
    double slow;        /* > 0: time of a step / its time where it is alone on the whole */
};

struct pt_fit_problem {
    enum pt_fit_law law;
    uint8_t p; /* 1, 2 or 4; not used by rank1 */
    uint32_t job_count, point_count;
    const struct pt_fit_point *points;
};

struct pt_fit_job {
    double u, kappa;             /* kappa is 1 where the job is in no pair */
    double u_error, kappa_error; /* standard errors of the logarithms; NaN = can't be said */
    bool u_known, kappa_known;   /* the points tell it */
    bool at_bound;               /* u is held at 1 */
    uint32_t points;             /* of which it is the job */
    double mape;                 /* over them; NaN of none */
};

/* Errors |predicted / measured - 1| over points; NaN where there are none. */
struct pt_fit_quality {
    uint32_t points;
    uint32_t left_out; /* held-out points that the others don't tell */
    double mape, median_ape, p95_ape, max_ape;
    double sd_log;  /* root of the mean of (ln predicted - ln measured)^2 */
    uint32_t worst; /* the point of max_ape; PT_NONE */
};

struct pt_fit {
    uint32_t job_count, point_count;
    struct pt_fit_job *jobs;
    double *predicted; /* of each point */
    struct pt_fit_quality in_sample;
    /* Pairs under rank1 with the capacity guard, as a simulation has them: every slow-down times
     * max(1, SUM min(u, 1)/s). Without points under pnorm. */
    struct pt_fit_quality guarded;
    uint32_t below_one; /* points with a slow-down below 1 */
    uint32_t sets;      /* of linked jobs */
    uint32_t iterations;
    bool converged;
};

/* Fits. *fit is freed by pt_fit_free; NULL after an error. PT_ERR_INPUT: no points, too many linked
 * jobs. PT_ERR_ARGUMENT: a point outside its ranges. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status pt_fit_run(struct pt_fit **fit, const struct pt_fit_problem *problem,
                                        struct pt_error *error);
/* NULL is allowed. */
void pt_fit_free(struct pt_fit *fit);

/* What the law says of a point with a fit's parameters. */
double pt_fit_predict(const struct pt_fit_problem *problem, const struct pt_fit_job *jobs,
                      const struct pt_fit_point *point);

/* Predicts every point by a fit of the points of other folds: the groups are dealt into `folds`
 * parts of equal number, in an order drawn from `seed`. Points that the others don't tell (a job
 * they don't have) are counted in quality->left_out. PT_ERR_INPUT when there are fewer than `folds`
 * groups; `folds` is at least 2. */
PT_USE_RESULT enum pt_status pt_fit_cross_validate(struct pt_fit_quality *quality,
                                                   const struct pt_fit_problem *problem,
                                                   uint32_t folds, uint64_t seed,
                                                   struct pt_error *error);

/* How many groups of points there are. PT_ERR_MEMORY. */
PT_USE_RESULT enum pt_status
pt_fit_group_count(uint32_t *count, const struct pt_fit_problem *problem, struct pt_error *error);

#endif
