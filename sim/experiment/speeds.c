#include "sim/experiment/speeds.h"

#include <stdlib.h>

/* One GPU and who is on it. Arrays are by job, then by place: residents sorted by instance, those
 * of one instance in order of arrival. */
struct scene {
    const struct pt_pool *pool;
    struct pt_interference law;
    struct pt_job_speed *speeds;
    struct pt_need *needs; /* by job */
    uint8_t *cells;        /* by job */
    uint32_t job_count;
    uint32_t count; /* of residents */
    uint32_t *jobs; /* by place */
    struct pt_resident *residents;
    struct pt_partition parts[PT_MIG_SLICES_MAX];
    uint32_t part_count;
    double *slow, *scratch; /* by place */
    struct pt_ratio *shares;
    _Alignas(max_align_t) uint8_t state[PT_NESTED_STATE_MAX];
    uint64_t used, memory_mib;
};

/* ---- who fits ---- */

static struct pt_ask ask_of(const struct pt_trace *trace, pt_job job)
{
    uint32_t processes = pt_trace_u32(trace, PT_COL_PROCESSES, job);
    return (struct pt_ask){.gpu_frac_ppm = pt_trace_u32(trace, PT_COL_GPU_FRAC, job),
                           .gpu_mem_mib = pt_trace_u32(trace, PT_COL_GPU_MEM, job),
                           .processes = processes == PT_NONE ? 1 : processes,
                           .gpus = 1,
                           .mig = pt_trace_word(trace, PT_COL_MIG, job)};
}

static bool has_room(const struct scene *scene, const struct pt_need *need)
{
    const struct pt_unit_shape *shape = &scene->pool->shape;
    const struct pt_nested_ops *nested = scene->pool->unit->nested;
    if (nested) return nested->fits(scene->state, shape, need) != PT_DISTURBS_NEVER;
    if (scene->used + need->capacity > shape->capacity) return false;
    if (scene->count >= shape->residents_max) return false;
    return !(shape->memory_admits || shape->memory_oom) ||
           scene->memory_mib + need->mem_mib <= shape->gpu->mem_mib;
}

static bool take_room(struct scene *scene, pt_job job)
{
    const struct pt_unit_shape *shape = &scene->pool->shape;
    const struct pt_nested_ops *nested = scene->pool->unit->nested;
    const struct pt_need *need = &scene->needs[job];
    struct pt_placed placed = {.cell = 0};
    if (!has_room(scene, need)) return false;
    if (nested) {
        if (!nested->place(&placed, scene->state, shape, need, PT_CELL_ANY)) return false;
        if (placed.waits) nested->ready(scene->state, shape, placed.cell);
        nested->commit(scene->state);
        scene->speeds[job].instance = nested->profile(scene->state, shape, placed.cell);
    }
    scene->cells[job] = placed.cell;
    scene->used += need->capacity;
    scene->memory_mib += need->mem_mib;
    scene->count++;
    return true;
}

static void admit(struct scene *scene, const struct pt_trace *trace,
                  const struct pt_traits_model *traits, uint32_t pool)
{
    const struct pt_pool *p = scene->pool;
    bool knows = pt_traits_jobs_model(traits).traits != NULL;
    if (p->unit->nested) p->unit->nested->reset(scene->state, &p->shape);
    for (pt_job job = 0; job < scene->job_count; job++) {
        struct pt_ask ask = ask_of(trace, job);
        struct pt_job_speed *speed = &scene->speeds[job];
        *speed =
            (struct pt_job_speed){.reason = p->unit->need(&scene->needs[job], &p->shape, &ask)};
        if (ask.mig && !p->unit->nested) speed->reason = PT_REASON_MIG_PROFILE;
        speed->traits.rate = p->rate[PT_CLASS_MIXED];
        if (knows) pt_traits_of_job(&speed->traits, traits, job, pool);
        speed->rate = (double)speed->traits.rate / (double)PT_SPEED_ONE;
        speed->runs = speed->reason == PT_REASON_NONE && take_room(scene, job);
    }
}

/* ---- units ---- */

static void seat(struct scene *scene)
{
    uint32_t count = 0;
    for (pt_job job = 0; job < scene->job_count; job++) {
        if (!scene->speeds[job].runs) continue;
        uint32_t k = count++;
        for (; k > 0 && scene->cells[scene->jobs[k - 1]] > scene->cells[job]; k--)
            scene->jobs[k] = scene->jobs[k - 1];
        scene->jobs[k] = job;
    }
    for (uint32_t k = 0; k < count; k++)
        scene->residents[k] = (struct pt_resident){.need = &scene->needs[scene->jobs[k]],
                                                   .traits = &scene->speeds[scene->jobs[k]].traits};
}

static void part(struct scene *scene, uint32_t first, uint32_t end)
{
    const struct pt_unit_shape *shape = &scene->pool->shape;
    struct pt_partition *made = &scene->parts[scene->part_count++];
    *made = (struct pt_partition){.gpu = scene->pool->gpu,
                                  .instance = scene->speeds[scene->jobs[first]].instance,
                                  .share = 1,
                                  .sharing = shape->sharing,
                                  .strict = shape->strict,
                                  .slots = shape->slots,
                                  .switch_loss = shape->switch_loss,
                                  .cap_contention = shape->cap_contention,
                                  .count = end - first,
                                  .residents = scene->residents + first};
    if (made->instance) made->share = (double)made->instance->sms / (double)shape->whole_sms;
}

static void split(struct scene *scene)
{
    for (uint32_t first = 0, end; first < scene->count; first = end) {
        for (end = first + 1; end < scene->count; end++)
            if (scene->cells[scene->jobs[end]] != scene->cells[scene->jobs[first]]) break;
        part(scene, first, end);
    }
}

/* ---- speeds ---- */

/* Without a model: shares of the speed that each would have alone. */
static void by_shares(struct scene *scene)
{
    const struct pt_pool *pool = scene->pool;
    for (uint32_t i = 0, k = 0; i < scene->part_count; i++) {
        const struct pt_partition *of = &scene->parts[i];
        struct pt_unit_facts facts = {.shape = &pool->shape,
                                      .instance = of->instance,
                                      .count = of->count,
                                      .residents = of->residents};
        pool->unit->shares(scene->shares, &facts);
        for (uint32_t r = 0; r < of->count; r++, k++) {
            struct pt_ratio share = scene->shares[pool->shape.uniform ? 0 : r];
            struct pt_job_speed *speed = &scene->speeds[scene->jobs[k]];
            speed->asked = 1;
            speed->slow = (double)share.denominator / (double)share.numerator;
            speed->speed = speed->rate / speed->slow;
            speed->terms[0] = (struct pt_term){.name = "share", .factor = speed->slow};
            speed->term_count = 1;
        }
    }
}

static double alone(const struct scene *scene, const struct pt_need *need,
                    const struct pt_traits *traits)
{
    const struct pt_gpu_model *gpu = scene->pool->gpu;
    const struct pt_mig_profile *instance = need->as_asked && need->profile != PT_PROFILE_NONE
                                                ? &gpu->mig->profiles[need->profile]
                                                : NULL;
    return scene->law.ops->alone(traits, need->asked_share, instance, gpu, scene->law.state);
}

static void by_model(struct scene *scene)
{
    const struct pt_interference *law = &scene->law;
    const struct pt_unit_shape *shape = &scene->pool->shape;
    bool may_gain = shape->allow_speedup || shape->elastic;
    double *slow = scene->slow;
    for (uint32_t i = 0; i < scene->part_count; slow += scene->parts[i++].count)
        law->ops->unit(slow, &scene->parts[i], law->state);
    if (law->ops->board) law->ops->board(scene->slow, scene->parts, scene->part_count, law->state);
    for (uint32_t i = 0, k = 0; i < scene->part_count; i++)
        for (uint32_t r = 0; r < scene->parts[i].count; r++, k++) {
            struct pt_job_speed *speed = &scene->speeds[scene->jobs[k]];
            speed->asked = alone(scene, &scene->needs[scene->jobs[k]], &speed->traits);
            speed->slow = scene->slow[k];
            double ratio = speed->asked / speed->slow;
            speed->held = ratio > 1 && !may_gain;
            speed->speed = speed->rate * (speed->held ? 1 : ratio);
            speed->term_count = law->ops->terms(speed->terms, scene->scratch, scene->parts,
                                                scene->part_count, i, r, law->state);
        }
}

static void release(struct scene *scene)
{
    free(scene->needs);
    free(scene->cells);
    free(scene->jobs);
    free(scene->residents);
    free(scene->slow);
    free(scene->scratch);
    free(scene->shares);
}

static bool reserve(struct scene *scene)
{
    size_t room = (size_t)scene->job_count + 1;
    scene->needs = calloc(room, sizeof *scene->needs);
    scene->cells = calloc(room, sizeof *scene->cells);
    scene->jobs = calloc(room, sizeof *scene->jobs);
    scene->residents = calloc(room, sizeof *scene->residents);
    scene->slow = calloc(room, sizeof *scene->slow);
    scene->scratch = calloc(room, sizeof *scene->scratch);
    scene->shares = calloc(room, sizeof *scene->shares);
    return scene->needs && scene->cells && scene->jobs && scene->residents && scene->slow &&
           scene->scratch && scene->shares;
}

enum pt_status pt_speeds_ask(struct pt_job_speed *speeds, const struct pt_config *config,
                             const struct pt_trace *trace, const struct pt_traits_model *traits,
                             uint32_t pool, struct pt_error *error)
{
    struct scene scene = {.pool = &config->cluster.pools[pool],
                          .law = pt_traits_interference(traits),
                          .speeds = speeds,
                          .job_count = trace->job_count};
    enum pt_status status = PT_OK;
    if (reserve(&scene)) {
        admit(&scene, trace, traits, pool);
        seat(&scene);
        split(&scene);
        if (scene.law.ops)
            by_model(&scene);
        else
            by_shares(&scene);
    } else {
        status = pt_fail(error, PT_ERR_MEMORY, "out of memory");
    }
    release(&scene);
    return status;
}
