/* Traits of jobs without a profile: drawn from a mix, or from what was measured of the job. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "models/profiles/mix.h"
#include "models/profiles/profiles.h"
#include "partita/random.h"
#include "sim/experiment/traits_parts.h"

/* Measured alone, or NaN. */
static double measured(const struct pt_trace *trace, enum pt_column_id column, pt_job job)
{
    const uint32_t *cells = trace->column[column];
    return !cells || cells[job] == PT_NONE ? (double)NAN : (double)cells[job] / PT_PPM_ONE;
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
    model->draws[job] = (struct pt__draw){.u = (float)u,
                                          .kappa = (float)kappa,
                                          .kappa_g = (float)pt_kappa_to_g(kappa, model->options.g)};
}

enum pt_status pt__traits_draw(struct pt_traits_model *model, struct pt_error *error)
{
    const struct pt_trace *trace = model->trace;
    gsl_rng *rng = NULL;
    enum pt_status status = PT_OK;
    for (pt_job job = 0; job < trace->job_count; job++) {
        bool named = pt__name_of_job(model, job) != PT_NONE;
        bool known = !isnan(measured(trace, PT_COL_SM_UTIL, job));
        model->facts.by_profile += named;
        model->facts.by_util += known && !named;
        if (named || known || !model->config->interference.ops) continue;
        if (!model->draws) {
            model->draws = calloc(trace->job_count, sizeof *model->draws);
            rng = gsl_rng_alloc(pt_rng_type);
        }
        if (!model->draws || !rng) {
            status = pt_fail(error, PT_ERR_MEMORY, "out of memory for the profiles of %u jobs",
                             trace->job_count);
            break;
        }
        model->facts.drawn++;
        draw(model, rng, job);
    }
    if (rng) gsl_rng_free(rng);
    return status;
}

void pt__drawn_traits_at(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job,
                         const struct pt_pool *pool)
{
    const struct pt__draw unknown = {.u = 0, .kappa = 1, .kappa_g = 1};
    const struct pt__draw *drawn = model->draws ? &model->draws[job] : &unknown;
    if (!(drawn->kappa > 0)) drawn = &unknown; /* others draw, this one doesn't */
    double faster = pt__speed_of(pool->rate[PT_CLASS_MIXED]);
    pt_drawn_traits(traits, pt_u_on_faster((double)drawn->u, faster, model->options.u_floor), 1,
                    NAN, pt__infers(model, job), &model->options);
    traits->kappa = (double)drawn->kappa;
    traits->kappa_g = (double)drawn->kappa_g; /* powers are taken at load */
    traits->rate = pool->rate[PT_CLASS_MIXED];
}

void pt__traits_measured(struct pt_traits *traits, const struct pt_traits_model *model, pt_job job)
{
    const struct pt_trace *trace = model->trace;
    double util = measured(trace, PT_COL_SM_UTIL, job);
    double membw = measured(trace, PT_COL_MEMBW_UTIL, job);
    double pcie = measured(trace, PT_COL_PCIE_UTIL, job);
    double faster = pt__speed_of(traits->rate), floor = model->options.u_floor;
    if (!isnan(membw)) traits->membw = membw;
    if (!isnan(pcie)) traits->pcie = pcie;
    if (isnan(util)) return;
    traits->u = pt_u_on_faster(pt_u_of_utilisation(util, model->options.u_from), faster, floor);
    traits->busy = pt_u_on_faster(util, faster, floor);
}
