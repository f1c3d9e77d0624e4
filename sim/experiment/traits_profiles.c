/* Traits of jobs that name a profile: the same for all of them in a pool. */
#include <stdlib.h>
#include <string.h>

#include "models/profiles/profiles.h"
#include "sim/experiment/traits_parts.h"

enum { ROLES = 2 }; /* training, inference */

static bool is_of(const struct pt_gpu_model *gpu, const char *name)
{
    return pt_gpu_answers_to(gpu, name, strlen(name));
}

/* How much faster a pool's GPU is than the one that the row's figures are from; 1 where they are of
 * one family. */
static double speed_against(const struct pt_config *config, const struct pt_pool *pool,
                            const struct pt_profile *row)
{
    const struct pt_catalog *catalog = config->catalog;
    if (!row->gpu) return pt__speed_of(pool->rate[row->class_]);
    if (is_of(pool->gpu, row->gpu)) return 1;
    for (uint32_t i = 0; i < catalog->count; i++)
        if (is_of(&catalog->gpus[i], row->gpu))
            return pt__speed_of(pt_gpu_relative_speed(pool->gpu, &catalog->gpus[i], row->class_));
    return 1; /* of a GPU that nothing is known of */
}

static struct pt_traits *cell_of(const struct pt_traits_model *model, uint32_t name, uint32_t pool,
                                 bool inference)
{
    size_t pools = model->config->cluster.pool_count;
    return &model->traits[((size_t)name * pools + pool) * ROLES + inference];
}

static void note_loan(struct pt_traits_model *model, const struct pt_profile_pick *pick,
                      uint32_t pool, enum pt_law law)
{
    if (!pick->other_law && !pick->other_gpu) return;
    model->loans[model->loan_count++] = (struct pt_traits_loan){.row = pick->row,
                                                                .pool = pool,
                                                                .law = law,
                                                                .other_law = pick->other_law,
                                                                .other_gpu = pick->other_gpu};
}

static void fill_name(struct pt_traits_model *model, uint32_t name)
{
    const struct pt_config *config = model->config;
    for (uint32_t p = 0; p < config->cluster.pool_count; p++) {
        const struct pt_pool *pool = &config->cluster.pools[p];
        for (int inference = 0; inference < ROLES; inference++) {
            struct pt_traits *traits = cell_of(model, name, p, inference);
            enum pt_law law = pt_traits_law_of_pool(model, p, inference);
            struct pt_profile_pick pick = pt_profiles_pick(&config->profiles, name, pool->gpu, law);
            pt_profile_traits(traits, pick.row, speed_against(config, pool, pick.row), inference,
                              &model->options);
            traits->rate = pool->rate[pick.row->class_];
            if (!inference && config->interference.ops) note_loan(model, &pick, p, law);
        }
    }
}

static void count_jobs(struct pt_traits_model *model)
{
    uint32_t types = model->config->profiles.type_count;
    for (pt_job job = 0; job < model->trace->job_count; job++) {
        uint32_t name = pt__name_of_job(model, job);
        if (pt_trace_u32(model->trace, PT_COL_GPUS, job) > 0)
            model->jobs[name < types ? name : types]++;
    }
}

enum pt_status pt__traits_profiles(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_profiles *profiles = &model->config->profiles;
    const struct pt_words *words = &model->trace->words[PT_COL_PROFILE];
    size_t cells = (size_t)profiles->type_count * model->config->cluster.pool_count;
    model->name_of_word = calloc((size_t)words->count + 1, sizeof *model->name_of_word);
    model->jobs = calloc((size_t)profiles->type_count + 1, sizeof *model->jobs);
    model->traits = calloc(cells * ROLES + 1, sizeof *model->traits);
    model->loans = calloc(cells + 1, sizeof *model->loans);
    if (!model->name_of_word || !model->jobs || !model->traits || !model->loans)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the profiles of the jobs");
    for (uint32_t i = 0; i < words->count; i++)
        model->name_of_word[i] = pt_profiles_find(profiles, words->words[i]);
    count_jobs(model);
    for (uint32_t name = 0; name < profiles->type_count; name++)
        if (model->jobs[name] > 0) fill_name(model, name);
    return PT_OK;
}

const struct pt_traits *pt__profile_traits_at(const struct pt_traits_model *model, uint32_t name,
                                              uint32_t pool, bool inference)
{
    return cell_of(model, name, pool, inference);
}
