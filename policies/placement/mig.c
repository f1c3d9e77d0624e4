#include <stdlib.h>

#include "policies/placement/placement.h"

/* Placements that choose the GPU and the memory slice where a MIG instance begins.
 *
 * Among the places that could hold it now: where an instance is there already, before where one
 * must be made, before where idle ones must go - unless a change of instances costs no time. Then
 * by the placement's own number, then the lowest node, GPU, slice.
 *
 * mig_best, mig_worst: how many single placements (profile, start) of the GPU's table it takes away
 * from those that are possible beside the instances that hold jobs: fewest, most.
 * mig_best_fit, mig_worst_fit: the size of the largest placement of the table that is free and that
 * it would lie in: smallest, largest (a100-cluster-simulator, commit c9b6c4c: its `bestfit` and
 * `worstfit`).
 *
 * A job of several instances, or on GPUs without MIG, is placed as by `pack`.
 *
 * In no table of the catalogue do compute slices run out before memory slices, so slices alone say
 * what is possible; of profiles with media engines one fits a GPU. */

enum rule { RULE_BEST, RULE_WORST, RULE_FIRST, RULE_BEST_FIT, RULE_WORST_FIT };

#define RESIDENTS_MAX 64
#define LEVEL_SHIFT 32
#define LARGEST UINT32_MAX

/* Of one kind of MIG GPU: placements possible, by the slices that are taken. */
struct table {
    const struct pt_mig *mig;
    uint8_t *plain, *media; /* [1 << memory slices]: without and with media engines */
};

struct mig {
    struct pt__placing placing;
    struct pt_search search; /* its data is this */
    enum rule rule;
    pt_job *job_of_class;
    uint32_t table_count;
    struct table tables[PT_POOLS_MAX];
    struct table *table_of[PT_POOLS_MAX]; /* by pool, NULL = no MIG */
    uint32_t gpu;                         /* what the last key chose */
    uint8_t start;
};

static size_t state_size(const struct pt_value *values)
{
    (void)values;
    return sizeof(struct mig);
}

static uint32_t slices(const struct pt_mig_profile *profile, uint32_t start)
{
    return ((1u << profile->size) - 1) << start;
}

/* ---- tables ---- */

static uint8_t possible(const struct pt_mig *mig, uint32_t taken, bool media)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < mig->profile_count; p++) {
        const struct pt_mig_profile *profile = &mig->profiles[p];
        if (profile->media != media) continue;
        for (uint32_t left = profile->starts; left != 0; left &= left - 1)
            count += (slices(profile, (uint32_t)__builtin_ctz(left)) & taken) == 0;
    }
    return (uint8_t)count; /* at most 16 profiles x 16 starts less those that are refused */
}

static bool build(struct table *table, const struct pt_mig *mig)
{
    uint32_t masks = 1u << mig->memory;
    table->mig = mig;
    table->plain = malloc(masks);
    table->media = malloc(masks);
    if (table->plain == NULL || table->media == NULL) return false;
    for (uint32_t taken = 0; taken < masks; taken++) {
        table->plain[taken] = possible(mig, taken, false);
        table->media[taken] = possible(mig, taken, true);
    }
    return true;
}

static bool build_all(struct mig *state, const struct pt_ctx *ctx)
{
    const struct pt_cluster *cluster = pt_view_cluster(ctx);
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        const struct pt_pool *pool = &cluster->pools[p];
        uint32_t t = 0;
        if (pool->unit->nested == NULL || pool->gpu->mig == NULL) continue;
        while (t < state->table_count && state->tables[t].mig != pool->gpu->mig)
            t++;
        if (t == state->table_count && !build(&state->tables[state->table_count++], pool->gpu->mig))
            return false;
        state->table_of[p] = &state->tables[t];
    }
    return true;
}

/* ---- keys ---- */

static bool has_media(const struct pt_node_facts *node, const struct pt_mig *mig, uint32_t gpu)
{
    pt_job jobs[RESIDENTS_MAX];
    uint32_t count = pt_view_gpu_jobs(node->ctx, gpu, jobs, RESIDENTS_MAX);
    for (uint32_t i = 0; i < count && i < RESIDENTS_MAX; i++)
        if (mig->profiles[pt_view_need(node->ctx, node->pool, jobs[i])->profile].media) return true;
    return false;
}

/* Placements that an instance takes away from those possible beside `busy`. */
static uint32_t loss(const struct table *table, const struct pt_mig_profile *profile,
                     uint32_t start, uint32_t busy, bool media)
{
    uint32_t after = busy | slices(profile, start);
    uint32_t lost = table->plain[busy] - table->plain[after];
    if (media) return lost;
    lost += table->media[busy];
    return profile->media ? lost : lost - table->media[after];
}

/* Size of the largest free placement of the table in which the instance would lie. */
static uint32_t segment(const struct pt_mig *mig, const struct pt_mig_profile *profile,
                        uint32_t start, uint32_t busy)
{
    uint32_t own = slices(profile, start), best = profile->size;
    for (uint32_t p = 0; p < mig->profile_count; p++) {
        const struct pt_mig_profile *around = &mig->profiles[p];
        if (around->size <= best) continue;
        for (uint32_t left = around->starts; left != 0; left &= left - 1) {
            uint32_t all = slices(around, (uint32_t)__builtin_ctz(left));
            if ((all & busy) == 0 && (all & own) == own) best = around->size;
        }
    }
    return best;
}

static uint32_t rank(const struct mig *state, const struct table *table,
                     const struct pt_mig_profile *profile, uint32_t start, uint32_t busy,
                     bool media)
{
    switch (state->rule) {
    case RULE_BEST:
        return loss(table, profile, start, busy, media);
    case RULE_WORST:
        return LARGEST - loss(table, profile, start, busy, media);
    case RULE_BEST_FIT:
        return segment(table->mig, profile, start, busy);
    case RULE_WORST_FIT:
        return LARGEST - segment(table->mig, profile, start, busy);
    case RULE_FIRST:
        break;
    }
    return 0;
}

/* The GPU's best start; PT_KEY_NONE if none is possible. */
static uint64_t gpu_key(const struct mig *state, const struct pt_node_facts *node, pt_job job,
                        uint32_t gpu, uint8_t *best_start)
{
    const struct pt_pool *pool = &pt_view_cluster(node->ctx)->pools[node->pool];
    const struct table *table = state->table_of[node->pool];
    const struct pt_mig_profile *profile =
        &table->mig->profiles[pt_view_need(node->ctx, node->pool, job)->profile];
    uint32_t masks[PT_DISTURBS_LEVELS], busy = pt_view_busy_slices(node->ctx, gpu);
    uint64_t best = PT_KEY_NONE;
    pt_view_starts(masks, node->ctx, gpu, job);
    if ((masks[0] | masks[1] | masks[2]) == 0) return best;
    bool media = busy != 0 && table->media[0] > 0 && has_media(node, table->mig, gpu);
    bool costs = pool->shape.reconfigure.cost_ns > 0;
    for (uint32_t level = 0; level < PT_DISTURBS_LEVELS; level++)
        for (uint32_t left = masks[level]; left != 0; left &= left - 1) {
            uint32_t start = (uint32_t)__builtin_ctz(left);
            uint64_t key = (uint64_t)(costs ? level : 0) << LEVEL_SHIFT |
                           rank(state, table, profile, start, busy, media);
            if (key > best || (key == best && start > *best_start)) continue;
            best = key;
            *best_start = (uint8_t)start;
        }
    return best;
}

static uint64_t key(const struct pt_node_facts *node, uint32_t wanted)
{
    struct mig *state = (struct mig *)(uintptr_t)node->data; /* it keeps what the key chose */
    pt_job job = state->job_of_class[node->class_id];
    uint64_t best = PT_KEY_NONE;
    (void)wanted; /* 1 */
    for (uint32_t g = node->first_gpu; g < node->first_gpu + node->gpus; g++) {
        uint8_t start = 0;
        uint64_t one = gpu_key(state, node, job, g, &start);
        if (one >= best) continue;
        best = one;
        state->gpu = g;
        state->start = start;
    }
    return best;
}

/* ---- the placements ---- */

static void fini(void *memory)
{
    struct mig *state = memory;
    for (uint32_t t = 0; t < state->table_count; t++) {
        free(state->tables[t].plain);
        free(state->tables[t].media);
    }
    free(state->job_of_class);
    pt__placing_fini(memory);
}

static enum pt_status init_by(void *memory, enum rule rule, const struct pt_ctx *ctx,
                              const struct pt_value *values, struct pt_error *error)
{
    struct mig *state = memory;
    state->rule = rule;
    state->search = (struct pt_search){PT_GPUS_OWN, false, key, state};
    PT_TRY(pt__placing_init(memory, ctx, values, error));
    state->job_of_class = calloc((size_t)pt_view_class_count(ctx) + 1, sizeof *state->job_of_class);
    if (state->job_of_class == NULL || !build_all(state, ctx)) {
        fini(memory);
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the placements of MIG GPUs");
    }
    for (pt_job job = pt_view_trace(ctx)->job_count; job-- > 0;)
        state->job_of_class[pt_view_class_of(ctx, job)] = job;
    return PT_OK;
}

static bool place(void *memory, struct pt_ctx *ctx, struct pt_units *units, pt_job job,
                  uint32_t pool)
{
    struct mig *state = memory;
    if (state->table_of[pool] == NULL || pt_view_units_wanted(ctx, job) != 1)
        return pt__place_fullest(&state->placing, ctx, units, job, pool);
    uint32_t node = pt_view_best_node(ctx, &state->search, pool, job, 1);
    if (node == PT_NONE) return false;
    pt_view_node_key(ctx, &state->search, job, node, 1); /* says what it chose there */
    units->gpus[0] = state->gpu;
    units->starts[0] = state->start;
    units->count = 1;
    units->node = node;
    return true;
}

#define PLACEMENT(variable, text_name, text_summary, text_source, rule)                            \
    static enum pt_status variable##_init(void *memory, const struct pt_ctx *ctx,                  \
                                          const struct pt_value *values, struct pt_error *error)   \
    {                                                                                              \
        return init_by(memory, rule, ctx, values, error);                                          \
    }                                                                                              \
    const struct pt_placement_ops variable = {.abi = PT_POLICY_ABI,                                \
                                              .size = sizeof(struct pt_placement_ops),             \
                                              .name = (text_name),                                 \
                                              .summary = (text_summary),                           \
                                              .source = (text_source),                             \
                                              .params = pt__placing_params,                        \
                                              .state_size = state_size,                            \
                                              .init = variable##_init,                             \
                                              .fini = fini,                                        \
                                              .pool_key = pt__placing_pool_key,                    \
                                              .place = place}

PLACEMENT(pt__mig_best, "mig_best",
          "MIG: the GPU and slice that leave most other instances possible; elsewhere as pack",
          "NVIDIA MIG User Guide's placement tables; the driver's rule for one GPU, over all",
          RULE_BEST);
PLACEMENT(pt__mig_worst, "mig_worst",
          "MIG: the GPU and slice that leave fewest other instances possible; elsewhere as pack",
          "the opposite of mig_best, for comparison", RULE_WORST);
PLACEMENT(pt__mig_first, "mig_first",
          "MIG: the lowest GPU, then slice, where the instance fits; elsewhere as pack",
          "first fit over MIG placements", RULE_FIRST);
PLACEMENT(pt__mig_best_fit, "mig_best_fit",
          "MIG: the slice in the smallest free part of a GPU; elsewhere as pack",
          "boringmorning/a100-cluster-simulator, commit c9b6c4c: bestfit", RULE_BEST_FIT);
PLACEMENT(pt__mig_worst_fit, "mig_worst_fit",
          "MIG: the slice in the largest free part of a GPU; elsewhere as pack",
          "boringmorning/a100-cluster-simulator, commit c9b6c4c: worstfit", RULE_WORST_FIT);
