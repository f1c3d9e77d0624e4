/* The parts of Slurm's multifactor priority that a job keeps as long as it waits: association,
 * job size, partition (here the pool), QOS (here the priority class) and trackable resources.
 * Each is a weight times a factor from 0 to 1. */
#ifndef PT_FAIR_FACTORS_H
#define PT_FAIR_FACTORS_H

#include "partita/policy.h"

struct pt_factor_weights {
    double association, job_size, pool, qos, gpus, cpus, memory;
    bool favor_small;
    const char *pool_order; /* pools from the one that counts most, commas between them */
};

struct pt_factors {
    struct pt_factor_weights weight;
    double gpus, cpus_milli, mem_mib; /* of the cluster; 0 = none is counted */
    int64_t least_rank, most_rank;    /* of all jobs, and 0 */
    int64_t most_tenant;              /* priority of all tenants, and 0 */
    int64_t least_tenant;
    double pool_factor[PT_POOLS_MAX];
};

/* Reads what the factors are measured against. PT_ERR_INPUT for a pool that is not there. */
PT_USE_RESULT enum pt_status pt__factors_init(struct pt_factors *factors, const struct pt_ctx *ctx,
                                              const struct pt_factor_weights *weights,
                                              struct pt_error *error);
/* Whether any of the weights is not 0. */
bool pt__factors_any(const struct pt_factor_weights *weights);
/* The sum of the job's parts. */
double pt__factors_of(const struct pt_factors *factors, const struct pt_ctx *ctx, pt_job job);

#endif
