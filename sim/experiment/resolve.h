/* The words of a trace against the experiment: pools, GPU types, profiles, tiers, tenants,
 * priorities.
 *
 * A trace names them before anyone knows which exist; once it is read, each distinct word is looked
 * up once, and a word that nothing answers to is an error that names the first job that uses it.
 * O(jobs + words x names).
 */
#ifndef PT_EXPERIMENT_RESOLVE_H
#define PT_EXPERIMENT_RESOLVE_H

#include "analysis/stats/summary.h"
#include "partita/trace.h"
#include "sim/experiment/arena.h"
#include "sim/experiment/config.h"

/* Tenants: those of the experiment in its order, then those that only the trace names, in order of
 * first appearance, with weight 1, the default tier and priority 0. The first is `default`: jobs
 * without a tenant are its. */
struct pt_resolved {
    uint32_t tenant_count;
    const char *const *tenant_names;
    const double *tenant_weights;
    const uint32_t *tier_of_tenant;    /* PT_NONE = the default tier, if there is one */
    const int64_t *priority_of_tenant; /* of jobs without a priority */
    const uint32_t *tenant_of_word;    /* by word of column `tenant`; NULL: all are of tenant 0 */
    const uint32_t *tier_of_sla_word;  /* by word of column `sla`; NULL without words */
    const int64_t *priority_of_word;   /* by word of column `priority`; NULL without words */
    const struct pt_tenant_facts *tenants;
    const struct pt_rank *rank_of_tenant, *rank_of_word; /* as the priorities above */
    const struct pt_sla_bounds *tiers; /* config's tiers, as the summary takes them */
    const bool *tenant_has_jobs;       /* by tenant */
    struct pt_arena arena;
};

/* Looks up every word of a finished trace. Names are borrowed from both. PT_ERR_INPUT with a
 * message a wrong word; a warning for each tenant of the experiment that no job has. Free with fini
 * either way. */
PT_USE_RESULT enum pt_status pt_resolve(struct pt_resolved *resolved,
                                        const struct pt_config *config,
                                        const struct pt_trace *trace, struct pt_messages *messages);
/* Frees and zeroes; {0} is allowed. */
void pt_resolved_fini(struct pt_resolved *resolved);

/* The priority of a job: its own, else its tenant's. */
int64_t pt_resolved_priority(const struct pt_resolved *resolved, const struct pt_trace *trace,
                             pt_job job);

/* One cell: whether its word means something, for the columns pool, gpu_type, profile, sla and
 * priority;
 * every other column is PT_OK. */
PT_USE_RESULT enum pt_status pt_resolve_word(const struct pt_config *config,
                                             enum pt_column_id column, const char *word,
                                             struct pt_error *error);

/* One name: a tier (`default` = PT_NONE where sla.default has no bound); a priority class, or a
 * whole number, which preempts and may be preempted. PT_ERR_INPUT with "unknown ... (did you mean
 * ...)". */
PT_USE_RESULT enum pt_status pt_resolve_tier(uint32_t *tier, const struct pt_config *config,
                                             const char *name, struct pt_error *error);
PT_USE_RESULT enum pt_status pt_resolve_priority(struct pt_rank *rank,
                                                 const struct pt_config *config, const char *name,
                                                 struct pt_error *error);

#endif
