/* Private to traits.c, traits_caps.c, traits_profiles.c and traits_draws.c: the model that they
 * make together. */
#ifndef PT_EXPERIMENT_TRAITS_PARTS_H
#define PT_EXPERIMENT_TRAITS_PARTS_H

#include "models/interference/interference.h"
#include "sim/experiment/traits.h"

/* What a job draws; single precision, so that a libm's last bit says nothing. */
struct pt__draw {
    float u, kappa, kappa_g;
};

struct pt_traits_model {
    const struct pt_config *config;
    const struct pt_trace *trace;
    struct pt_fitted_options options;
    struct pt_interference_use *uses; /* the interference model's, as long as its state */
    void *state;
    uint8_t *caps;            /* by pool: which kinds of jobs it would have, see traits_caps.c */
    uint32_t *name_of_word;   /* profile of each word of column `profile`; PT_NONE = no job's */
    uint32_t *jobs;           /* with GPUs, by profile; those without one come last */
    struct pt_traits *traits; /* by (profile, pool, inference) */
    struct pt__draw *draws;   /* by job; NULL: nobody draws */
    uint8_t kind_of_word[PT_KIND_COUNT + 1]; /* of column `kind`, the last for an empty cell */
    struct pt_traits_facts facts;
    struct pt_traits_loan *loans;
    uint32_t loan_count;
};

/* A relative speed as a number. */
static inline double pt__speed_of(uint64_t rate)
{
    return (double)rate / (double)PT_SPEED_ONE;
}

/* The number of the profile that the job names, PT_NONE = none. */
static inline uint32_t pt__name_of_job(const struct pt_traits_model *model, pt_job job)
{
    const uint32_t *words = (const uint32_t *)model->trace->column[PT_COL_PROFILE];
    return !words || words[job] == PT_NONE ? PT_NONE : model->name_of_word[words[job]];
}

static inline enum pt_kind pt__kind_of_job(const struct pt_traits_model *model, pt_job job)
{
    const uint32_t *words = (const uint32_t *)model->trace->column[PT_COL_KIND];
    uint32_t word = !words || words[job] == PT_NONE ? PT_KIND_COUNT : words[job];
    return (enum pt_kind)model->kind_of_word[word];
}

/* Whether the job shares by the law of inference. */
static inline bool pt__infers(const struct pt_traits_model *model, pt_job job)
{
    return pt__kind_of_job(model, job) >= PT_KIND_INTERACTIVE;
}

/* Finds out whom each pool would hold to a cap. O(jobs x pools that share SMs). PT_ERR_MEMORY
 * alone. */
PT_USE_RESULT enum pt_status pt__traits_caps(struct pt_traits_model *model, struct pt_error *error);
/* Finds the profiles that jobs name, and makes their traits in each pool. PT_ERR_MEMORY alone. */
PT_USE_RESULT enum pt_status pt__traits_profiles(struct pt_traits_model *model,
                                                 struct pt_error *error);
/* The traits of a profile's jobs in a pool. */
const struct pt_traits *pt__profile_traits_at(const struct pt_traits_model *model, uint32_t name,
                                              uint32_t pool, bool inference);

/* Draws for jobs that have neither a profile nor an SM utilisation. PT_ERR_MEMORY alone. */
PT_USE_RESULT enum pt_status pt__traits_draw(struct pt_traits_model *model, struct pt_error *error);
/* The traits of a job that names no profile. */
void pt__drawn_traits_at(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job,
                         const struct pt_pool *pool);
/* What was measured of the job itself, in the reference GPU, wins over what is in *traits. */
void pt__traits_measured(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job);

#endif
