/* What the models know of the trace's jobs: struct pt_jobs_model for the engine, and the
 * interference model prepared for this trace (models.md, sections 1, 4 and 6).
 *
 * A job that names a profile has its profile's traits, chosen for each pool by the type of GPU and
 * the law of the sharing mode; these are kept once for all jobs of a profile. A job without one
 * has u from its measured sm_util and kappa 1, or draws both from the model's `mix`, keyed by
 * (seed, id): 12 bytes a job, drawn here and not in the run. Measured utilisations of a job win
 * over its profile. Where a GPU is faster than the one u is known on, u falls (assumed).
 */
#ifndef PT_EXPERIMENT_TRAITS_H
#define PT_EXPERIMENT_TRAITS_H

#include "partita/sim.h"
#include "sim/experiment/config.h"

struct pt_traits_model;

/* `config` and `trace` (finished, its words known to mean something) are borrowed until destroy.
 * PT_ERR_INPUT where the interference model refuses these jobs, PT_ERR_MEMORY. O(jobs). */
PT_USE_RESULT enum pt_status pt_traits_create(struct pt_traits_model **model,
                                              const struct pt_config *config,
                                              const struct pt_trace *trace, struct pt_error *error);
/* NULL is allowed. */
void pt_traits_destroy(struct pt_traits_model *model);

/* For struct pt_world; valid until destroy. Functions that would say nothing are NULL. */
struct pt_jobs_model pt_traits_jobs_model(const struct pt_traits_model *model);
struct pt_interference pt_traits_interference(const struct pt_traits_model *model);
enum pt_fidelity pt_traits_fidelity(const struct pt_traits_model *model);

/* Traits of a job in a pool, computed by +, -, * and / from what was prepared. O(1). */
void pt_traits_of_job(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job,
                      uint32_t pool);

/* Whether a pool where SMs are shared would hold some job of the trace to a cap; and whether it
 * would leave some job without one. */
bool pt_traits_caps(const struct pt_traits_model *model, uint32_t pool);
bool pt_traits_leaves_free(const struct pt_traits_model *model, uint32_t pool);
/* The law that jobs of a pool live under, the one of capped jobs if there are any; PT_LAW_ANY where
 * nothing is shared or the model has no laws by mode. */
enum pt_law pt_traits_law_of_pool(const struct pt_traits_model *model, uint32_t pool,
                                  bool inference);

/* How many of the trace's jobs have traits from where; for the summary. */
struct pt_traits_facts {
    uint32_t by_profile, by_util, drawn;
};
struct pt_traits_facts pt_traits_get_facts(const struct pt_traits_model *model);

/* A profile that stands in for another law's or another GPU's in a pool. */
struct pt_traits_loan {
    const struct pt_profile *row;
    uint32_t pool;
    enum pt_law law; /* the pool's */
    bool other_law, other_gpu;
};
/* The loans among profiles that jobs of the trace name, by name and pool. */
uint32_t pt_traits_loans(const struct pt_traits_model *model, const struct pt_traits_loan **loans);

#endif
