#include "models/interference/interference.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>

#include "models/interference/laws.h"
#include "partita/random.h"

/* The measured law of each sharing mode. One law for a whole unit, by its mode and by who is there:
 *
 *   turns, vGPU best effort            4.1; so too a fractional unit with a resident that memory
 *                                      alone admitted, in which nobody with a cap is faster than
 *                                      its cap alone allows
 *   fractional time slicing            its fractions, in the p-norm of 4.2
 *   MPS, SM sharing                    rank1 while all residents are uncapped training jobs, else
 *                                      (or with laws.mps: pnorm) the p-norm of 4.2
 *   vGPU equal and fixed share         section 3
 */
struct fitted {
    enum pt_law_mps mps;
    bool additive, guard;
    double power_slope;
    uint32_t type_count;
    double *factors; /* of the residual; NULL = off */
};

enum {
    PARAM_MPS,
    PARAM_MIG,
    PARAM_TIME_SLICE,
    PARAM_MIX,
    PARAM_RESIDUAL,
    PARAM_GUARD,
    PARAM_U_FROM,
    PARAM_G,
    PARAM_U_FLOOR,
    PARAM_POWER_SLOPE,
    PARAM_FIDELITY
};

static const char *const mps_choices[] = {"rank1", "pnorm", NULL};
static const char *const mig_choices[] = {"pnorm", "additive", NULL};
static const char *const time_slice_choices[] = {"turns", NULL};
static const char *const mix_choices[] = {"heavy", "light", "saturated", NULL};
static const char *const guard_choices[] = {"on", "off", NULL};
static const char *const u_from_choices[] = {"util", "0.68util", NULL};
static const char *const fidelity_choices[] = {"fluid", "slices", NULL};

#define RESIDUAL_SD_MAX 3

static const struct pt_param params[] = {
    [PARAM_MPS] = {"laws.mps", PT_PARAM_CHOICE, "", "rank1", NULL, NULL, mps_choices,
                   "law of uncapped training jobs under MPS and SM sharing (rank1: 5.5 % off "
                   "measured V100 pairs; pnorm: the law of capped and inference jobs)"},
    [PARAM_MIG] = {"laws.mig", PT_PARAM_CHOICE, "", "pnorm", NULL, NULL, mig_choices,
                   "law of a job on a MIG instance (pnorm: 4.5 % off MISO's rows; additive: 4.0 %, "
                   "where f_c and f_m are known)"},
    [PARAM_TIME_SLICE] = {"laws.time_slice", PT_PARAM_CHOICE, "", "turns", NULL, NULL,
                          time_slice_choices, "law of time slicing"},
    [PARAM_MIX] = {"mix", PT_PARAM_CHOICE, "", "heavy", NULL, NULL, mix_choices,
                   "what jobs without a profile draw theirs from (heavy: like Gavel's V100 jobs; "
                   "light: like Lucid's RTX 3090 jobs; saturated: like its K80 jobs)"},
    [PARAM_RESIDUAL] = {"residual.sd", PT_PARAM_NUMBER, "", "0", "0", "3", NULL,
                        "standard deviation of ln(slow-down - 1) between pairs of types, on top of "
                        "the law: what a predictor can't know (0.18 on V100 pairs)"},
    [PARAM_GUARD] = {"guard", PT_PARAM_CHOICE, "", "on", NULL, NULL, guard_choices,
                     "whether rank1 is held to the GPU's capacity"},
    [PARAM_U_FROM] = {"u_from", PT_PARAM_CHOICE, "", "util", NULL, NULL, u_from_choices,
                      "how a measured SM utilisation becomes u (0.68util: fitted on RTX 3090 "
                      "pairs, correlation .86)"},
    [PARAM_G] = {"g", PT_PARAM_NUMBER, "", "0.45", "0", "1", NULL,
                 "exponent of kappa under turns (K80 pairs regressed on V100's; .3 to .6; profiles "
                 "fitted under turns use 1)"},
    [PARAM_U_FLOOR] = {"u_floor", PT_PARAM_NUMBER, "", "0.3", "0", "1", NULL,
                       "share of u that a faster GPU leaves at least (assumed)"},
    [PARAM_POWER_SLOPE] = {"power_slope", PT_PARAM_NUMBER, "", "0.201", "0", "0.9", NULL,
                           "clock lost per share of the power limit exceeded, between MIG "
                           "instances (iGniter, V100; elsewhere assumed)"},
    [PARAM_FIDELITY] = {"fidelity", PT_PARAM_CHOICE, "", "fluid", NULL, NULL, fidelity_choices,
                        "fluid shares, or time slices one by one (small worlds)"},
    {0}};

struct pt_fitted_options pt_fitted_options(const struct pt_value *values)
{
    return (struct pt_fitted_options){
        .mps = (enum pt_law_mps)values[PARAM_MPS].integer,
        .mig = (enum pt_law_mig)values[PARAM_MIG].integer,
        .guard = values[PARAM_GUARD].integer == 0,
        .g = values[PARAM_G].number,
        .u_from = (enum pt_u_from)values[PARAM_U_FROM].integer,
        .mix = (enum pt_mix)values[PARAM_MIX].integer,
        .u_floor = values[PARAM_U_FLOOR].number,
        .power_slope = values[PARAM_POWER_SLOPE].number,
        .residual_sd = values[PARAM_RESIDUAL].number,
        .slices = values[PARAM_FIDELITY].integer == 1,
    };
}

struct pt_fitted_options pt_fitted_defaults(void)
{
    return (struct pt_fitted_options){.mps = PT_LAW_MPS_RANK1,
                                      .mig = PT_LAW_MIG_PNORM,
                                      .guard = true,
                                      .g = 0.45,
                                      .u_from = PT_U_FROM_UTIL,
                                      .mix = PT_MIX_HEAVY,
                                      .u_floor = 0.3,
                                      .power_slope = 0.201};
}

static void draw_factors(struct fitted *fitted, double sd, uint64_t seed, gsl_rng *rng)
{
    uint32_t count = fitted->type_count + 1;
    for (uint32_t victim = 0; victim < count; victim++)
        for (uint32_t other = 0; other < count; other++) {
            /* Drawn jobs keep their draws when profiles are added. */
            uint64_t a = victim < fitted->type_count ? victim : PT_NONE;
            uint64_t b = other < fitted->type_count ? other : PT_NONE;
            pt_rng_seed(rng, seed, PT_PURPOSE_RESIDUAL, a << 32 | b);
            fitted->factors[(size_t)victim * count + other] =
                pt_round40(exp(pt_round40(gsl_ran_gaussian(rng, sd))));
        }
}

static enum pt_status add_residual(struct fitted *fitted, double sd, uint64_t seed,
                                   struct pt_error *error)
{
    size_t count = (size_t)fitted->type_count + 1;
    fitted->factors = malloc(count * count * sizeof *fitted->factors);
    gsl_rng *rng = gsl_rng_alloc(pt_rng_type);
    enum pt_status status = PT_OK;
    if (fitted->factors && rng)
        draw_factors(fitted, sd, seed, rng);
    else
        status = pt_fail(error, PT_ERR_MEMORY, "no memory for the residuals of %zu types", count);
    if (rng) gsl_rng_free(rng);
    return status;
}

static void fitted_release(void *state)
{
    struct fitted *fitted = state;
    if (!fitted) return;
    free(fitted->factors);
    free(fitted);
}

enum pt_status pt_fitted_prepare(void **state, const struct pt_fitted_options *options,
                                 const struct pt_interference_inputs *inputs,
                                 struct pt_error *error)
{
    *state = NULL;
    if (!(options->residual_sd >= 0 && options->residual_sd <= RESIDUAL_SD_MAX))
        return pt_fail(error, PT_ERR_INPUT, "residual.sd is not in 0..%d", RESIDUAL_SD_MAX);
    struct fitted *fitted = calloc(1, sizeof *fitted);
    if (!fitted) return pt_fail(error, PT_ERR_MEMORY, "no memory for the interference model");
    fitted->mps = options->mps;
    fitted->additive = options->mig == PT_LAW_MIG_ADDITIVE;
    fitted->guard = options->guard;
    fitted->power_slope = options->power_slope;
    fitted->type_count = inputs->type_count;
    if (options->residual_sd > 0) {
        enum pt_status status = add_residual(fitted, options->residual_sd, inputs->seed, error);
        if (status != PT_OK) {
            fitted_release(fitted);
            return status;
        }
    }
    *state = fitted;
    return PT_OK;
}

static enum pt_status prepare(void **state, const struct pt_value *values,
                              const struct pt_interference_inputs *inputs, struct pt_error *error)
{
    struct pt_fitted_options options = pt_fitted_options(values);
    return pt_fitted_prepare(state, &options, inputs, error);
}

/* Who is on a unit, as far as that decides its law. */
struct company {
    bool capped, inference, weightless;
};

static struct company company_of(const struct pt_partition *partition)
{
    struct company company = {0};
    for (uint32_t i = 0; i < partition->count; i++) {
        const struct pt_resident *resident = &partition->residents[i];
        company.capped = company.capped || resident->need->capped;
        company.inference = company.inference || resident->traits->inference;
        company.weightless = company.weightless || resident->need->weightless;
    }
    return company;
}

/* Turns for all, and a cap for who has one. */
static void turns_under_caps(double *slow, const struct pt_partition *partition, bool additive)
{
    pt__turns(slow, partition, additive);
    for (uint32_t i = 0; i < partition->count; i++) {
        if (!partition->residents[i].need->capped) continue;
        double capped =
            pt__load(partition, i, additive).slice * pt__alone_under_cap(partition, i, additive);
        if (slow[i] < capped) slow[i] = capped;
    }
}

static void by_sharing(double *slow, const struct pt_partition *partition,
                       const struct fitted *fitted)
{
    struct company company = company_of(partition);
    enum pt_sharing sharing = partition->sharing;
    if (company.weightless && sharing != PT_SHARING_EQUAL && sharing != PT_SHARING_FIXED) {
        turns_under_caps(slow, partition, fitted->additive);
        return;
    }
    switch (sharing) {
    case PT_SHARING_ALONE:
    case PT_SHARING_TURNS:
        pt__turns(slow, partition, fitted->additive);
        return;
    case PT_SHARING_CAPPED_TURNS:
        pt__capped_turns(slow, partition, fitted->additive);
        return;
    case PT_SHARING_SMS:
        if (company.capped || company.inference || fitted->mps == PT_LAW_MPS_PNORM)
            pt__shared_sms(slow, partition, fitted->additive);
        else
            pt__rank1(slow, partition, fitted->additive, fitted->guard);
        return;
    case PT_SHARING_EQUAL:
    case PT_SHARING_FIXED:
        pt__vgpu(slow, partition, fitted->additive);
        return;
    }
}

static void unit(double *slow, const struct pt_partition *partition, const void *state)
{
    const struct fitted *fitted = state;
    if (partition->count == 1) {
        slow[0] = pt__alone_here(partition, 0, fitted->additive);
        return;
    }
    by_sharing(slow, partition, fitted);
    if (fitted->factors)
        pt__residual_apply(slow, partition, fitted->additive, fitted->factors, fitted->type_count);
}

static double alone(const struct pt_traits *traits, double share,
                    const struct pt_mig_profile *instance, const struct pt_gpu_model *gpu,
                    const void *state)
{
    const struct fitted *fitted = state;
    return pt__slice(traits, share, instance, gpu, fitted->additive);
}

static void board(double *slow, const struct pt_partition *partitions, uint32_t partition_count,
                  const void *state)
{
    const struct fitted *fitted = state;
    pt__board(slow, partitions, partition_count, fitted->power_slope);
}

static uint32_t terms(struct pt_term *terms, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const void *state)
{
    const struct fitted *fitted = state;
    struct fitted plain = *fitted;
    plain.factors = NULL;
    return pt__terms(terms, scratch, partitions, partition_count, which, resident, &pt_fitted,
                     state, &plain, fitted->power_slope);
}

const struct pt_interference_ops pt_fitted = {
    .abi = PT_INTERFERENCE_ABI,
    .size = sizeof(struct pt_interference_ops),
    .name = "fitted",
    .summary = "the measured law of each sharing mode",
    .source = "fits to Gavel's, MISO's, ParvaGPU's, NOS's and COLFAX's measurements on K80, V100, "
              "A30 and A100; newer GPUs are scaled, not measured",
    .params = params,
    .prepare = prepare,
    .release = fitted_release,
    .unit = unit,
    .alone = alone,
    .board = board,
    .terms = terms,
};
