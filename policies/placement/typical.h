/* FGD's target workload: the shapes of jobs that make up most of the trace, and how much of a
 * node's idle GPU capacity they can't use.
 */
#ifndef PT_PLACEMENT_TYPICAL_H
#define PT_PLACEMENT_TYPICAL_H

#include "policies/placement/scored.h"

/* A shape of jobs, in one pool. */
struct pt__typical {
    uint32_t units, cpus_milli;
    uint32_t needs; /* index in pt__workload.needs */
    uint64_t count; /* jobs of the trace */
};

/* The workload as one pool sees it. */
struct pt__workload {
    uint32_t capacity;    /* of a GPU */
    uint32_t shape_count; /* that can use the pool's GPUs */
    struct pt__typical *shapes;
    uint32_t need_count;
    uint32_t *needs;             /* capacities wanted of one GPU, ascending, each once */
    uint64_t never;              /* jobs that never use them: CPUs alone, or other pools */
    uint64_t jobs;               /* in all */
    int64_t step[PT__SCORE_MAX]; /* least gain (fragmentation before - after) for each score */
};

struct pt__mix {
    uint32_t pool_count;
    struct pt__workload *pools;
    /* scratch of one node: GPUs that hold each need, and what is idle on those that do not */
    uint32_t *holding;
    uint64_t *unusable;
};

/* The most popular shapes (CPUs, units, part of a GPU, GPU type and pool named) until they are
 * `popularity_ppm` of all jobs; ties the larger request, as the source has it. */
PT_USE_RESULT enum pt_status pt__mix_init(struct pt__mix *mix, const struct pt__scored *scored,
                                          const struct pt_ctx *ctx, uint32_t popularity_ppm,
                                          struct pt_error *error);
void pt__mix_fini(struct pt__mix *mix);

/* Sum over the shapes, by how many jobs have them, of the node's idle capacity that they can't use.
 * A shape can use a node that has the CPUs and enough GPUs that hold a unit: then all that is idle
 * on those; else nothing. */
int64_t pt__mix_fragmentation(const struct pt__mix *mix, uint32_t pool, const struct pt__gpu *gpus,
                              uint32_t count, uint32_t cpus_free_milli);

/* int(100 sigmoid(gain in GPUs)). */
uint32_t pt__mix_score(const struct pt__mix *mix, uint32_t pool, int64_t gain);

#endif
