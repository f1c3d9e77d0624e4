/* Placements that give every node a score and take the best of all pools, and what they read of a
 * node: the plug-ins of a Kubernetes scheduler, whose score is a whole number up to 100.
 */
#ifndef PT_PLACEMENT_SCORED_H
#define PT_PLACEMENT_SCORED_H

#include "policies/placement/placement.h"

#define PT__SCORE_MAX 100u

/* A GPU while a key looks at its node. */
struct pt__gpu {
    uint32_t load, residents, mem_used_mib, clients;
    uint32_t taken; /* units that the key puts there */
    bool in_service;
    bool open; /* and not used by the job yet, where its units are on distinct GPUs */
};

/* First member of the state of every such placement. */
struct pt__scored {
    struct pt__placing placing;
    struct pt_search search; /* its data is this */
    bool nested;             /* it can score MIG nodes; if not, `pack` places the job there */
    pt_job *job_of_class;    /* a job of each class */
    uint32_t gpus_max;       /* of a node */
    uint32_t cpus_max_milli; /* of a node, 0 = nowhere a constraint */
    struct pt__gpu *gpus;    /* [gpus_max]: scratch of a key */
    uint32_t choice;         /* the GPU that the last key wants, PT_NONE = the fullest that fit */
};

extern const char *const pt__scored_pools[];

/* First row of such a placement's table of parameters. */
#define PT__PARAM_SCORED_POOLS                                                                     \
    {                                                                                              \
        "pools", PT_PARAM_CHOICE, "", "score", NULL, NULL, pt__scored_pools,                       \
            "which of the pools that hold a job is tried first: score: the one with the best "     \
            "node; "                                                                               \
            "file: as in the file; fastest: the one where the job runs fastest; cheapest: the "    \
            "lowest "                                                                              \
            "price of a GPU hour; cheapest_per_work: the lowest price for the same work; pools "   \
            "alike in "                                                                            \
            "file order"                                                                           \
    }

/* Functions of such a placement; init takes the key, whose node->data is the state. */
PT_USE_RESULT enum pt_status
pt__scored_init(struct pt__scored *scored, const struct pt_ctx *ctx, const struct pt_value *values,
                uint64_t (*key)(const struct pt_node_facts *node, uint32_t wanted),
                struct pt_error *error);
void pt__scored_fini(void *state);
uint64_t pt__scored_pool_key(void *state, struct pt_ctx *ctx, pt_job job, uint32_t pool);
bool pt__scored_place(void *state, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                      uint32_t pool);

/* Puts the whole job on this node, which has the room, on the GPU that the node's key wants. */
bool pt__scored_take(struct pt__scored *scored, struct pt_ctx *ctx, struct pt_units *units,
                     pt_job job, uint32_t node);

/* A job of the class that a key is asked about. */
static inline pt_job pt__scored_job(const struct pt__scored *scored,
                                    const struct pt_node_facts *node)
{
    return scored->job_of_class[node->class_id];
}

/* CPUs that the job asks for, millis. */
uint32_t pt__cpus_asked(const struct pt_ctx *ctx, pt_job job);

/* Fills scored->gpus with the node's. */
void pt__scored_look(const struct pt__scored *scored, const struct pt_node_facts *node);

/* Whether one more unit of the job fits on this GPU of scored->gpus. */
bool pt__scored_fits(const struct pt_pool *pool, const struct pt_need *need,
                     const struct pt__gpu *gpu);

/* Puts the job's units on the GPUs of scored->gpus, the fullest that fit first, ties the lowest;
 * how many of them were idle before. */
uint32_t pt__scored_fill(const struct pt__scored *scored, const struct pt_node_facts *node,
                         uint32_t wanted);

#endif
