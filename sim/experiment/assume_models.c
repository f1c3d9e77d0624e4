/* What the interference model takes for granted: which law rules each pool, where its figures come
 * from, and how jobs got theirs. */
#include <string.h>

#include "models/interference/interference.h"
#include "sim/experiment/assumptions.h"

static bool is_shared(const struct pt_pool *pool)
{
    return pool->shape.sharing != PT_SHARING_ALONE || pool->unit->nested;
}

static bool is_family(const struct pt_pool *pool, const char *family)
{
    return strcmp(pool->gpu->family, family) == 0;
}

/* The law where SMs are shared. */
static const char *law_of_sms(const struct pt_traits_model *traits, uint32_t pool,
                              const struct pt_fitted_options *options)
{
    bool capped = pt_traits_caps(traits, pool), others = pt_traits_leaves_free(traits, pool);
    if (options->mps == PT_LAW_MPS_PNORM || (capped && !others))
        return "p-norm of SMs under caps (2.6 to 4.5 % off A100 rows)";
    if (capped && options->guard)
        return "rank1 with its capacity guard while all on a GPU are uncapped training jobs (5.6 % "
               "off V100 pairs), else p-norm of SMs under caps (2.6 to 4.5 % off A100 rows)";
    if (capped)
        return "rank1 without a guard while all on a GPU are uncapped training jobs: more work "
               "than the GPU has may be done; else p-norm of SMs under caps";
    return options->guard ? "rank1 with its capacity guard for uncapped training jobs (5.6 % off "
                            "V100 pairs), p-norm for others"
                          : "rank1 without a guard for uncapped training jobs: more work than the "
                            "GPU has may be done; p-norm for others";
}

/* The law of a pool's residents in a few words; MIG's own comes before it. */
static const char *law_text(const struct pt__assumed *from, uint32_t index,
                            const struct pt_fitted_options *options)
{
    const struct pt_pool *pool = &from->config->cluster.pools[index];
    switch (pool->shape.sharing) {
    case PT_SHARING_TURNS:
        return "turns between processes with work (NOS rows within 0.5 %)";
    case PT_SHARING_CAPPED_TURNS:
        return "turns by fractions, in the p-norm (assumed: measured for capped SMs)";
    case PT_SHARING_SMS:
        return law_of_sms(from->traits, index, options);
    case PT_SHARING_EQUAL:
    case PT_SHARING_FIXED:
        return "a share of the time whether others use theirs or not (by rule)";
    case PT_SHARING_ALONE:
        break;
    }
    return "no neighbours";
}

static void fitted_pool(struct pt__assumptions *all, const struct pt__assumed *from, uint32_t index,
                        const struct pt_fitted_options *options)
{
    const struct pt_pool *pool = &from->config->cluster.pools[index];
    bool inside = pool->unit->nested && pool->shape.sharing != PT_SHARING_ALONE;
    const char *mig = options->mig == PT_LAW_MIG_ADDITIVE
                          ? "additive in f_c and f_m where known, else p-norm"
                          : "p-norm of the instance's SMs (4.5 % off A100 rows)";
    if (pool->unit->nested)
        pt__assume(all, "pool %.100s: law %s%s%s", pool->name, mig, inside ? "; inside: " : "",
                   inside ? law_text(from, index, options) : "");
    else
        pt__assume(all, "pool %.100s: law %s", pool->name, law_text(from, index, options));
    if (!is_family(pool, "v100") && !is_family(pool, "k80") && !is_family(pool, "a100"))
        pt__assume(all,
                   "pool %.100s: the law's figures are from V100, K80 and A100; no public pair "
                   "measurements of %.60s exist (assumed to hold)",
                   pool->name, pool->gpu->family);
    if (pool->shape.sharing == PT_SHARING_SMS && pt_traits_caps(from->traits, index) &&
        !(pool->shape.cap_contention > 0))
        pt__assume(all,
                   "pool %.100s: beside its cap nothing slows a capped job down (cap_contention 0: "
                   "assumed)",
                   pool->name);
    if (pool->unit->nested)
        pt__assume(all,
                   "pool %.100s: instances share power and PCIe (slope %g of V100: assumed "
                   "elsewhere); profiles without power_w never meet the limit",
                   pool->name, options->power_slope);
}

static void fitted(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_config *config = from->config;
    struct pt_fitted_options options = pt_fitted_options(config->interference.params);
    for (uint32_t i = 0; i < config->cluster.pool_count; i++)
        if (is_shared(&config->cluster.pools[i])) fitted_pool(all, from, i, &options);
    if (options.slices)
        pt__assume(all, "fidelity: slices plays the turns of time-sliced pools one by one; other "
                        "pools follow their law");
    if (options.residual_sd > 0)
        pt__assume(all,
                   "pairs of types differ from the law by a residual (sd %g of ln(slow-down - 1)), "
                   "drawn from the seed",
                   options.residual_sd);
}

/* What turns cost where sharing has no model. */
static void switch_losses(struct pt__assumptions *all, const struct pt_config *config)
{
    for (uint32_t i = 0; i < config->cluster.pool_count; i++) {
        const struct pt_pool *pool = &config->cluster.pools[i];
        if (pool->shape.sharing == PT_SHARING_TURNS && pool->shape.switch_loss > 0)
            pt__assume(all,
                       "pool %.100s: turns add %g to the time that work takes when shared "
                       "(switch_loss)",
                       pool->name, pool->shape.switch_loss);
    }
}

static const char *const mix_names[] = {"heavy", "light", "saturated"};

static bool any_faster(const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (is_shared(&cluster->pools[i]) && cluster->pools[i].rate[PT_CLASS_MIXED] > PT_SPEED_ONE)
            return true;
    return false;
}

static void jobs(struct pt__assumptions *all, const struct pt__assumed *from,
                 const struct pt_fitted_options *options)
{
    struct pt_traits_facts facts = pt_traits_get_facts(from->traits);
    const struct pt_traits_loan *loans;
    uint32_t loan_count = pt_traits_loans(from->traits, &loans);
    bool borrowed = false;
    for (uint32_t i = 0; i < loan_count; i++)
        borrowed |= loans[i].other_gpu;
    if (facts.drawn > 0)
        pt__assume(all, "%u job%s without a profile: drawn from mix %s, by id and seed",
                   facts.drawn, facts.drawn == 1 ? "" : "s", mix_names[options->mix]);
    if (from->trace->column[PT_COL_SM_UTIL])
        pt__assume(all, "u of a job is %s (u_from: %s)",
                   options->u_from == PT_U_FROM_UTIL ? "its sm_util as it is" : "0.68 sm_util",
                   options->u_from == PT_U_FROM_UTIL ? "util" : "0.68util");
    if (facts.by_util > 0)
        pt__assume(all, "%u job%s with sm_util and without a profile: kappa 1, the median",
                   facts.by_util, facts.by_util == 1 ? "" : "s");
    if (facts.by_profile + facts.by_util + facts.drawn > 0 &&
        (borrowed || any_faster(&from->config->cluster)))
        pt__assume(all,
                   "on a GPU that is R times faster u is u/R, and at least %g u (assumed); on a "
                   "slower one u stays",
                   options->u_floor);
}

/* One law's figures in another law, one card's on another. */
static void loans(struct pt__assumptions *all, const struct pt__assumed *from)
{
    enum { SHOWN = 10 };
    const struct pt_traits_loan *list;
    uint32_t count = pt_traits_loans(from->traits, &list), told = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pt_traits_loan *loan = &list[i];
        const struct pt_pool *pool = &from->config->cluster.pools[loan->pool];
        if (!is_shared(pool) || told++ >= SHOWN) continue;
        if (loan->other_law)
            pt__assume(all,
                       "warning: pool %.60s: profile '%.60s' was fitted with law %s%s%.30s and "
                       "stands in law %s%s",
                       pool->name, loan->row->name, pt_law_name(loan->row->law),
                       loan->other_gpu ? " on " : "", loan->other_gpu ? loan->row->gpu : "",
                       pt_law_name(loan->law), loan->other_gpu ? " on another GPU" : "");
        else
            pt__assume(all,
                       "warning: pool %.60s: profile '%.60s' was fitted on %.30s and stands in on "
                       "%.60s (V100's on P100 are 22 %% off)",
                       pool->name, loan->row->name, loan->row->gpu, pool->gpu->name);
    }
    if (told > SHOWN)
        pt__assume(all, "warning: %u more profiles stand in for another law's or GPU's",
                   told - SHOWN);
}

static bool any_shared(const struct pt_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pool_count; i++)
        if (is_shared(&cluster->pools[i])) return true;
    return false;
}

void pt__assume_models(struct pt__assumptions *all, const struct pt__assumed *from)
{
    const struct pt_config *config = from->config;
    const struct pt_interference_spec *spec = &config->interference;
    const char *given = spec->given ? "" : ", as the experiment names no model";
    if (!spec->ops) {
        pt__assume(all, "interference: none (textbook equal shares)%s", given);
        switch_losses(all, config);
        return;
    }
    pt__assume(all, "interference: %s (%.300s)%s", spec->ops->name, spec->ops->summary, given);
    struct pt_fitted_options options = pt_fitted_defaults();
    if (spec->ops == &pt_fitted) {
        options = pt_fitted_options(spec->params);
        fitted(all, from);
    }
    if (!any_shared(&config->cluster)) return; /* what nobody's neighbours could feel */
    jobs(all, from, &options);
    loans(all, from);
}
