#include "sim/experiment/traits.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/interference/interference.h"
#include "models/profiles/mix.h"
#include "models/profiles/profiles.h"
#include "partita/random.h"

/* What a job draws; single precision, so that a libm's last bit says nothing. */
struct draw {
    float u, kappa, kappa_g;
};

enum { ROLES = 2 }; /* training, inference */

struct pt_traits_model {
    const struct pt_config *config;
    const struct pt_trace *trace;
    struct pt_fitted_options options;
    struct pt_interference_use *uses; /* the interference model's, as long as its state */
    void *state;
    uint32_t *name_of_word;    /* profile of each word of column `profile` */
    bool *used;                /* by name: jobs of the trace have it */
    struct pt_traits *traits;  /* by (name, pool, inference); only of names that are used */
    struct draw *draws;        /* by job; NULL: nobody draws */
    bool inference_of_word[5]; /* by word of column `kind`, the last for an empty cell */
    uint8_t kind_of_word[5];
    struct pt_traits_facts facts;
    struct pt_traits_loan *loans;
    uint32_t loan_count;
};

/* ---- laws ---- */

static struct pt_fitted_options options_of(const struct pt_config *config)
{
    return config->interference.ops == &pt_fitted ? pt_fitted_options(config->interference.params)
                                                  : pt_fitted_defaults();
}

enum pt_law pt_traits_law_of_pool(const struct pt_config *config, const struct pt_pool *pool,
                                  bool inference)
{
    struct pt_fitted_options options = options_of(config);
    if (config->interference.ops != &pt_fitted) return PT_LAW_ANY;
    return pt_law_of(pool->shape.sharing, pool->unit->nested != NULL, false, inference, &options);
}

/* ---- traits of a profile ---- */

static double speed_of(uint64_t rate)
{
    return (double)rate / (double)PT_SPEED_ONE;
}

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
    if (!row->gpu) return speed_of(pool->rate[row->class_]);
    if (is_of(pool->gpu, row->gpu)) return 1;
    for (uint32_t i = 0; i < catalog->count; i++)
        if (is_of(&catalog->gpus[i], row->gpu))
            return speed_of(pt_gpu_relative_speed(pool->gpu, &catalog->gpus[i], row->class_));
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
            enum pt_law law = pt_traits_law_of_pool(config, pool, inference);
            struct pt_profile_pick pick = pt_profiles_pick(&config->profiles, name, pool->gpu, law);
            pt_profile_traits(traits, pick.row, speed_against(config, pool, pick.row), inference,
                              &model->options);
            traits->rate = pool->rate[pick.row->class_];
            if (!inference && config->interference.ops) note_loan(model, &pick, p, law);
        }
    }
}

static enum pt_status fill_profiles(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_profiles *profiles = &model->config->profiles;
    const struct pt_words *words = &model->trace->words[PT_COL_PROFILE];
    size_t cells = (size_t)profiles->type_count * model->config->cluster.pool_count;
    model->name_of_word = calloc((size_t)words->count + 1, sizeof *model->name_of_word);
    model->used = calloc((size_t)profiles->type_count + 1, sizeof *model->used);
    model->traits = calloc(cells * ROLES + 1, sizeof *model->traits);
    model->loans = calloc(cells + 1, sizeof *model->loans);
    if (!model->name_of_word || !model->used || !model->traits || !model->loans)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the profiles of the jobs");
    for (uint32_t i = 0; i < words->count; i++) {
        uint32_t name = pt_profiles_find(profiles, words->words[i]);
        model->name_of_word[i] = name;
        if (name != PT_NONE) model->used[name] = true; /* else it is of a row that was dropped */
    }
    for (uint32_t name = 0; name < profiles->type_count; name++)
        if (model->used[name]) fill_name(model, name);
    return PT_OK;
}

/* ---- kinds ---- */

static void read_kinds(struct pt_traits_model *model)
{
    const struct pt_words *words = &model->trace->words[PT_COL_KIND];
    for (uint32_t word = 0; word <= PT_KIND_COUNT; word++) {
        const char *text = word < words->count ? words->words[word] : "training";
        for (uint8_t kind = 0; kind < PT_KIND_COUNT; kind++)
            if (strcmp(text, pt_kind_names[kind]) == 0) model->kind_of_word[word] = kind;
        model->inference_of_word[word] = model->kind_of_word[word] >= PT_KIND_INTERACTIVE;
    }
}

/* The word of the job's kind, as read_kinds numbers them. */
static uint32_t kind_word(const struct pt_traits_model *model, pt_job job)
{
    const uint32_t *words = model->trace->column[PT_COL_KIND];
    return !words || words[job] == PT_NONE ? PT_KIND_COUNT : words[job];
}

/* ---- jobs without a profile ---- */

/* Measured alone, or NaN. */
static double measured(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    const uint32_t *cells = trace->column[column];
    return !cells || cells[job] == PT_NONE ? (double)NAN : (double)cells[job] / PT_PPM_ONE;
}

/* The number of the profile that the job names, PT_NONE = none. */
static uint32_t name_of_job(const struct pt_traits_model *model, pt_job job)
{
    const uint32_t *words = model->trace->column[PT_COL_PROFILE];
    return !words || words[job] == PT_NONE ? PT_NONE : model->name_of_word[words[job]];
}

/* FNV-1a; the generator mixes it. */
static uint64_t entity_of(const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *id; id++)
        hash = (hash ^ (unsigned char)*id) * UINT64_C(1099511628211);
    return hash;
}

static void draw(struct pt_traits_model *model, gsl_rng *rng, pt_job job)
{
    char buffer[PT_ID_BUFFER];
    const char *id = pt_trace_id(model->trace, job, buffer);
    double u, kappa;
    pt_mix_draw(&u, &kappa, model->options.mix, rng, model->config->seed, entity_of(id));
    model->draws[job] = (struct draw){.u = (float)u,
                                      .kappa = (float)kappa,
                                      .kappa_g = (float)pt_kappa_to_g(kappa, model->options.g)};
}

static enum pt_status draw_jobs(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_trace *trace = model->trace;
    gsl_rng *rng = NULL;
    for (pt_job job = 0; job < trace->job_count; job++) {
        bool named = name_of_job(model, job) != PT_NONE;
        bool known = !isnan(measured(trace, PT_COL_SM_UTIL, job));
        model->facts.by_profile += named;
        model->facts.by_util += known && !named;
        if (named || known || !model->config->interference.ops) continue;
        if (!model->draws) {
            model->draws = calloc(trace->job_count, sizeof *model->draws);
            rng = gsl_rng_alloc(pt_rng_type);
        }
        if (!model->draws || !rng)
            return pt_fail(error, PT_ERR_MEMORY, "out of memory for the profiles of %u jobs",
                           trace->job_count);
        model->facts.drawn++;
        draw(model, rng, job);
    }
    if (rng) gsl_rng_free(rng);
    return PT_OK;
}

/* What is known of a job that names no profile. */
static void traits_without_profile(struct pt_traits *traits, const struct pt_traits_model *model,
                                   pt_job job, const struct pt_pool *pool)
{
    const struct draw unknown = {.u = 0, .kappa = 1, .kappa_g = 1};
    const struct draw *drawn = model->draws ? &model->draws[job] : &unknown;
    if (!(drawn->kappa > 0)) drawn = &unknown; /* others draw, this one doesn't */
    double faster = speed_of(pool->rate[PT_CLASS_MIXED]);
    pt_drawn_traits(traits, pt_u_on_faster((double)drawn->u, faster, model->options.u_floor), 1,
                    NAN, model->inference_of_word[kind_word(model, job)], &model->options);
    traits->kappa = (double)drawn->kappa;
    traits->kappa_g = (double)drawn->kappa_g; /* powers are taken at load */
    traits->rate = pool->rate[PT_CLASS_MIXED];
}

/* Measured utilisations of the job itself win; they were seen on the reference GPU. */
static void apply_measured(struct pt_traits *traits, const struct pt_traits_model *model,
                           pt_job job)
{
    const struct pt_trace *trace = model->trace;
    double util = measured(trace, PT_COL_SM_UTIL, job);
    double membw = measured(trace, PT_COL_MEMBW_UTIL, job);
    double pcie = measured(trace, PT_COL_PCIE_UTIL, job);
    double faster = speed_of(traits->rate), floor = model->options.u_floor;
    if (!isnan(membw)) traits->membw = membw;
    if (!isnan(pcie)) traits->pcie = pcie;
    if (isnan(util)) return;
    traits->u = pt_u_on_faster(pt_u_of_utilisation(util, model->options.u_from), faster, floor);
    traits->busy = pt_u_on_faster(util, faster, floor);
}

/* ---- the model ---- */

void pt_traits_of_job(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job,
                      uint32_t pool)
{
    const struct pt_pool *of = &model->config->cluster.pools[pool];
    uint32_t name = name_of_job(model, job);
    if (name != PT_NONE)
        *traits = *cell_of(model, name, pool, model->inference_of_word[kind_word(model, job)]);
    else
        traits_without_profile(traits, model, job, of);
    apply_measured(traits, model, job);
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
    int64_t given = model->config->cold_start_ns[model->kind_of_word[kind_word(model, job)]];
    uint32_t name = name_of_job(model, job);
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
        if (model->used[name] && is_server(model, name)) return true;
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
    uint32_t pools = config->cluster.pool_count, count = 0;
    if (!spec->ops || !spec->ops->prepare) return PT_OK;
    model->uses = calloc((size_t)config->profiles.type_count * pools + 1, sizeof *model->uses);
    if (!model->uses)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the interference model");
    for (uint32_t p = 0; p < pools; p++) {
        const struct pt_pool *pool = &config->cluster.pools[p];
        bool shared = pool->shape.slots > 1 || pool->shape.sharing != PT_SHARING_ALONE;
        for (uint32_t q = 0; q < p && shared; q++)
            shared = config->cluster.pools[q].gpu != pool->gpu ||
                     config->cluster.pools[q].shape.sharing == PT_SHARING_ALONE;
        for (uint32_t name = 0; name < config->profiles.type_count && shared; name++)
            if (model->used[name])
                model->uses[count++] = (struct pt_interference_use){.gpu = pool->gpu, .type = name};
    }
    struct pt_interference_inputs inputs = {.seed = config->seed,
                                            .type_count = config->profiles.type_count,
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
    enum pt_status status = fill_profiles(made, error);
    if (status == PT_OK) status = draw_jobs(made, error);
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
    free(model->used);
    free(model->traits);
    free(model->draws);
    free(model->loans);
    free(model);
}
