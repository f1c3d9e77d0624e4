/* The interference models that are built in, and what they are prepared with.
 *
 * struct pt_interference_ops (partita/interference.h) is all that the engine sees. This header is
 * for the loader: the parameters of `fitted` that say how a job's traits come to be are read by
 * pt_fitted_options, and applied by models/profiles/profiles.h.
 */
#ifndef PT_MODELS_INTERFERENCE_INTERFERENCE_H
#define PT_MODELS_INTERFERENCE_INTERFERENCE_H

#include "models/profiles/mix.h"
#include "partita/interference.h"

extern const struct pt_interference_ops pt_fitted, pt_table, pt_curve, pt_roofline;

enum pt_law_mps { PT_LAW_MPS_RANK1, PT_LAW_MPS_PNORM };
enum pt_law_mig { PT_LAW_MIG_PNORM, PT_LAW_MIG_ADDITIVE };
enum pt_u_from { PT_U_FROM_UTIL, PT_U_FROM_068_UTIL };

/* The parameters of `fitted`. Other models take the defaults where they need any. */
struct pt_fitted_options {
    enum pt_law_mps mps;   /* of uncapped training jobs */
    enum pt_law_mig mig;   /* additive: where f_c and f_m are known, else the p-norm */
    bool guard;            /* of rank1 */
    double g;              /* exponent of kappa under turns */
    enum pt_u_from u_from; /* how a measured utilisation becomes u */
    enum pt_mix mix;       /* what jobs without a profile draw from */
    double u_floor;        /* on a faster GPU u stays at least so much of itself (assumed) */
    double power_slope;    /* of 4.4 */
    double residual_sd;    /* 0 = off */
    bool slices;           /* fidelity: slices */
};

/* The values of pt_fitted.params, in its order, as a struct. */
struct pt_fitted_options pt_fitted_options(const struct pt_value *values);
/* The same, of the defaults. */
struct pt_fitted_options pt_fitted_defaults(void);

/* The state of `fitted`, as pt_fitted.prepare makes it, from options. Given to the caller, freed by
 * pt_fitted.release. PT_ERR_MEMORY; PT_ERR_INPUT for options out of range. With a residual, one
 * factor is drawn for each ordered pair of types (victim, neighbour) from (seed, victim,
 * neighbour) alone; jobs without a profile are together one more type. */
PT_USE_RESULT enum pt_status pt_fitted_prepare(void **state,
                                               const struct pt_fitted_options *options,
                                               const struct pt_interference_inputs *inputs,
                                               struct pt_error *error);

/* The state of `curve`: total[n - 1] = work done together by n residents, relative to one alone;
 * the last one stands for all above. 1 <= count <= PT_CURVE_MAX, each > 0. Freed by
 * pt_curve.release. */
#define PT_CURVE_MAX 64
PT_USE_RESULT enum pt_status pt_curve_prepare(void **state, const double *total, uint32_t count,
                                              struct pt_error *error);

/* u of a job whose SM utilisation was measured alone, 0..1. */
double pt_u_of_utilisation(double utilisation, enum pt_u_from from);
/* u on a GPU that is `speed` times faster than the one where it is u: min(1, max(floor u, u/speed))
 * (assumed); u itself where speed <= 1. */
double pt_u_on_faster(double u, double speed, double floor);
/* kappa^g, rounded to 40 bits. */
double pt_kappa_to_g(double kappa, double g);

#endif
