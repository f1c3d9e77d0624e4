#include "sim/experiment/traits.h"

#include <stdlib.h>
#include <string.h>

#include "models/profiles/profiles.h"
#include "sim/experiment/traits_parts.h"

static struct pt_fitted_options options_of(const struct pt_config *config)
{
    return config->interference.ops == &pt_fitted ? pt_fitted_options(config->interference.params)
                                                  : pt_fitted_defaults();
}

static void read_kinds(struct pt_traits_model *model)
{
    const struct pt_words *words = &model->trace->words[PT_COL_KIND];
    for (uint32_t word = 0; word <= PT_KIND_COUNT; word++) {
        const char *text = word < words->count ? words->words[word] : "training";
        for (uint8_t kind = 0; kind < PT_KIND_COUNT; kind++)
            if (strcmp(text, pt_kind_names[kind]) == 0) model->kind_of_word[word] = kind;
    }
}

void pt_traits_of_job(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job,
                      uint32_t pool)
{
    uint32_t name = pt__name_of_job(model, job);
    if (name != PT_NONE)
        *traits = *pt__profile_traits_at(model, name, pool, pt__infers(model, job));
    else
        pt__drawn_traits_at(traits, model, job, &model->config->cluster.pools[pool]);
    pt__traits_measured(traits, model, job);
}

static void traits_fn(struct pt_traits *traits, const void *ctx, pt_job job, uint32_t pool)
{
    pt_traits_of_job(traits, ctx, job, pool);
}

/* Built-in and own profiles of LLM servers are called llm-... */
static bool is_server(const struct pt_traits_model *model, uint32_t name)
{
    return strncmp(model->config->profiles.type_names[name], "llm-", 4) == 0;
}

/* Time until an LLM server has its weights in memory (models.md, section 6). */
#define SERVER_COLD_START_NS (60 * PT_NS_PER_S)

static int64_t cold_start_fn(const void *ctx, pt_job job)
{
    const struct pt_traits_model *model = ctx;
    int64_t given = model->config->cold_start_ns[pt__kind_of_job(model, job)];
    uint32_t name = pt__name_of_job(model, job);
    if (given != PT_TIME_ABSENT) return given;
    if (name == PT_NONE || !is_server(model, name)) return 0;
    return SERVER_COLD_START_NS;
}

static bool any_cold_start(const struct pt_traits_model *model)
{
    const struct pt_config *config = model->config;
    for (int kind = 0; kind < PT_KIND_COUNT; kind++)
        if (config->cold_start_ns[kind] != PT_TIME_ABSENT && config->cold_start_ns[kind] > 0)
            return true;
    for (uint32_t name = 0; name < config->profiles.type_count; name++)
        if (model->jobs[name] > 0 && is_server(model, name)) return true;
    return false;
}

struct pt_jobs_model pt_traits_jobs_model(const struct pt_traits_model *model)
{
    bool wanted = model->config->interference.ops || model->facts.by_profile > 0;
    return (struct pt_jobs_model){.ctx = model,
                                  .traits = wanted ? traits_fn : NULL,
                                  .cold_start_ns = any_cold_start(model) ? cold_start_fn : NULL};
}

struct pt_interference pt_traits_interference(const struct pt_traits_model *model)
{
    return (struct pt_interference){.ops = model->config->interference.ops, .state = model->state};
}

enum pt_fidelity pt_traits_fidelity(const struct pt_traits_model *model)
{
    return model->options.slices ? PT_FIDELITY_SLICES : PT_FIDELITY_FLUID;
}

struct pt_traits_facts pt_traits_get_facts(const struct pt_traits_model *model)
{
    return model->facts;
}

uint32_t pt_traits_loans(const struct pt_traits_model *model, const struct pt_traits_loan **loans)
{
    *loans = model->loans;
    return model->loan_count;
}

/* Who can meet whom: each type that the trace has, on each model of GPU that jobs share. */
static enum pt_status prepare(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_config *config = model->config;
    const struct pt_interference_spec *spec = &config->interference;
    uint32_t pools = config->cluster.pool_count, types = config->profiles.type_count, count = 0;
    if (!spec->ops || !spec->ops->prepare) return PT_OK;
    model->uses = calloc(((size_t)types + 1) * pools, sizeof *model->uses);
    if (!model->uses)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the interference model");
    for (uint32_t p = 0; p < pools; p++) {
        const struct pt_pool *pool = &config->cluster.pools[p];
        bool shared = pool->shape.slots > 1 || pool->shape.sharing != PT_SHARING_ALONE;
        for (uint32_t q = 0; q < p && shared; q++)
            shared = config->cluster.pools[q].gpu != pool->gpu ||
                     config->cluster.pools[q].shape.sharing == PT_SHARING_ALONE;
        for (uint32_t name = 0; name <= types && shared; name++)
            if (model->jobs[name] > 0)
                model->uses[count++] =
                    (struct pt_interference_use){.gpu = pool->gpu,
                                                 .type = name < types ? name : PT_NONE,
                                                 .jobs = model->jobs[name]};
    }
    struct pt_interference_inputs inputs = {.seed = config->seed,
                                            .type_count = types,
                                            .type_names = config->profiles.type_names,
                                            .table_name = spec->table_name,
                                            .table_text = spec->table_text,
                                            .table_length = spec->table_length,
                                            .uses = model->uses,
                                            .use_count = count};
    return spec->ops->prepare(&model->state, spec->params, &inputs, error);
}

enum pt_status pt_traits_create(struct pt_traits_model **model, const struct pt_config *config,
                                const struct pt_trace *trace, struct pt_error *error)
{
    struct pt_traits_model *made = calloc(1, sizeof *made);
    *model = NULL;
    if (!made) return pt_fail(error, PT_ERR_MEMORY, "out of memory");
    made->config = config;
    made->trace = trace;
    made->options = options_of(config);
    read_kinds(made);
    enum pt_status status = pt__traits_caps(made, error);
    if (status == PT_OK) status = pt__traits_profiles(made, error);
    if (status == PT_OK) status = pt__traits_draw(made, error);
    if (status == PT_OK) status = prepare(made, error);
    if (status == PT_OK)
        *model = made;
    else
        pt_traits_destroy(made);
    return status;
}

void pt_traits_destroy(struct pt_traits_model *model)
{
    if (!model) return;
    const struct pt_interference_ops *ops = model->config->interference.ops;
    if (ops && ops->release) ops->release(model->state);
    free(model->uses);
    free(model->name_of_word);
    free(model->jobs);
    free(model->traits);
    free(model->draws);
    free(model->loans);
    free(model->caps);
    free(model);
}
