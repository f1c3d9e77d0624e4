#include "sim/core/engine.h"

/* How fast the residents of one GPU run: exact shares from the sharing mode where no model of
 * interference is asked for, else slow-downs from the model, unit by unit and then for the board.
 */

#define PARTITIONS_MAX PT_MIG_SLICES_MAX
#define CONTEXT_UW 35e6 /* of idle contexts, above bare idle (models.md, section 7) */

static uint64_t rate_of(const struct pt_sim *sim, const struct pt_pool *pool, uint32_t live)
{
    return sim->model != NULL ? sim->model[live].traits.rate : pool->rate[PT_CLASS_MIXED];
}

uint64_t pt__rate_of_job(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    struct pt_traits traits;
    if (sim->model == NULL) return sim->pools[pool].pool->rate[PT_CLASS_MIXED];
    sim->world.jobs_model.traits(&traits, sim->world.jobs_model.ctx, job, pool);
    return traits.rate;
}

static void member_speed(struct pt_sim *sim, uint32_t index, pt_u128 speed)
{
    struct pt_member *member = &sim->member[index];
    uint8_t bits = 0;
    for (; speed > UINT64_MAX; speed >>= 1)
        bits++;
    if (member->speed == (uint64_t)speed && member->speed_bits == bits) return;
    member->speed = (uint64_t)speed;
    member->speed_bits = bits;
    pt__settle_live_dirty(sim, member->live);
}

/* All residents have the same share. */
static void uniform(struct pt_sim *sim, struct pt_gpu *g, const struct pt_pool *pool)
{
    struct pt_unit_facts facts = {.shape = &pool->shape, .count = g->computing};
    struct pt_ratio share;
    pool->unit->shares(&share, &facts);
    bool whole = share.numerator == share.denominator;
    uint64_t rate = pool->rate[PT_CLASS_MIXED];
    pt_u128 speed = whole ? rate : pt_speed_scale(rate, share.numerator, share.denominator);
    uint32_t m = g->first;
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        if (!sim->member[m].computing) continue;
        if (sim->model != NULL) {
            rate = sim->model[sim->member[m].live].traits.rate;
            speed = whole ? rate : pt_speed_scale(rate, share.numerator, share.denominator);
        }
        member_speed(sim, m, speed);
    }
}

/* Instances with one resident each don't touch each other: only who has just come is asked for.
 * Returns the compute slices of those that compute. */
static uint32_t one_by_one(struct pt_sim *sim, const struct pt_gpu *g, uint32_t gpu,
                           const struct pt_pool_state *pool)
{
    const struct pt_pool *p = pool->pool;
    const void *state = pt__state_of(pool, gpu);
    uint32_t slices = 0, m = g->first;
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        const struct pt_member *member = &sim->member[m];
        if (!member->computing) continue;
        const struct pt_mig_profile *instance =
            pool->nested->profile(state, &p->shape, member->cell);
        slices += instance->compute;
        if (member->speed != 0) continue;
        struct pt_resident resident = {
            .need = pt__need_of(sim, sim->live[member->live].job, pt__pool_index(sim, pool))};
        struct pt_unit_facts facts = {
            .shape = &p->shape, .instance = instance, .count = 1, .residents = &resident};
        struct pt_ratio share;
        p->unit->shares(&share, &facts);
        member_speed(
            sim, m,
            pt_speed_scale(rate_of(sim, p, member->live), share.numerator, share.denominator));
    }
    return slices;
}

/* The computing members of the GPU, unit by unit, in order of arrival within each. */
static uint32_t collect(struct pt_sim *sim, const struct pt_gpu *g,
                        const struct pt_pool_state *pool)
{
    uint32_t count = 0, m = g->first, p = pt__pool_index(sim, pool);
    for (uint32_t i = 0; i < g->residents; i++, m = sim->member[m].gpu_next) {
        if (!sim->member[m].computing) continue;
        uint32_t k = count++;
        for (; k > 0 && sim->member[sim->resident_member[k - 1]].cell > sim->member[m].cell; k--)
            sim->resident_member[k] = sim->resident_member[k - 1];
        sim->resident_member[k] = m;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t live = sim->member[sim->resident_member[k]].live;
        if (sim->model != NULL)
            sim->resident[k] =
                (struct pt_resident){sim->model[live].need, &sim->model[live].traits};
        else
            sim->resident[k] = (struct pt_resident){pt__need_of(sim, sim->live[live].job, p), NULL};
    }
    return count;
}

/* One unit: its residents are resident[0 .. count). */
static struct pt_partition partition(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                     uint32_t gpu, uint32_t first, uint32_t count)
{
    const struct pt_unit_shape *shape = &pool->pool->shape;
    struct pt_partition part = {.gpu = pool->pool->gpu,
                                .share = 1,
                                .sharing = shape->sharing,
                                .strict = shape->strict,
                                .slots = shape->slots,
                                .switch_loss = shape->switch_loss,
                                .cap_contention = shape->cap_contention,
                                .count = count,
                                .residents = sim->resident + first};
    if (pool->nested == NULL) return part;
    uint8_t cell = sim->member[sim->resident_member[first]].cell;
    part.instance = pool->nested->profile(pt__state_of(pool, gpu), shape, cell);
    part.share = (double)part.instance->sms / (double)shape->whole_sms;
    return part;
}

static uint32_t partitions(const struct pt_sim *sim, const struct pt_pool_state *pool, uint32_t gpu,
                           uint32_t count, struct pt_partition *parts)
{
    uint32_t made = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        uint8_t cell = sim->member[sim->resident_member[first]].cell;
        for (end = first + 1; end < count; end++)
            if (sim->member[sim->resident_member[end]].cell != cell) break;
        parts[made++] = partition(sim, pool, gpu, first, end - first);
    }
    return made;
}

/* Sums over residents of what each uses of the GPU. */
struct use {
    double sm, memory;
    uint32_t slices; /* compute slices of instances where somebody computes */
};

static void by_shares(struct pt_sim *sim, const struct pt_pool_state *pool,
                      const struct pt_partition *parts, uint32_t count, struct use *use)
{
    const struct pt_pool *p = pool->pool;
    for (uint32_t i = 0, k = 0; i < count; i++) {
        struct pt_unit_facts facts = {.shape = &p->shape,
                                      .instance = parts[i].instance,
                                      .count = parts[i].count,
                                      .residents = parts[i].residents};
        p->unit->shares(sim->share, &facts);
        if (parts[i].instance != NULL) use->slices += parts[i].instance->compute;
        double x = parts[i].instance == NULL
                       ? 1
                       : (double)parts[i].instance->compute / parts[i].gpu->mig->compute;
        for (uint32_t r = 0; r < parts[i].count; r++, k++) {
            struct pt_ratio share = sim->share[p->shape.uniform ? 0 : r];
            uint32_t m = sim->resident_member[k];
            uint64_t rate = rate_of(sim, p, sim->member[m].live);
            member_speed(sim, m,
                         share.numerator == share.denominator
                             ? rate
                             : pt_speed_scale(rate, share.numerator, share.denominator));
            const struct pt_traits *traits = parts[i].residents[r].traits;
            use->sm += x / parts[i].count; /* somebody computes: all of it is in use */
            use->memory += traits == NULL ? 0 : traits->membw * x / parts[i].count;
        }
    }
}

static pt_u128 scaled(uint64_t rate, double ratio)
{
    const double one = 9007199254740992.0; /* 2^53: the double is exact in these */
    if (ratio == 1) return rate;
    uint64_t whole = ratio < 1e6 ? (uint64_t)ratio : 1000000; /* of a millionth of a GPU */
    if (ratio >= 1e6) return (pt_u128)rate * whole;
    uint64_t part = (uint64_t)((ratio - (double)whole) * one + 0.5);
    return (pt_u128)rate * whole + pt_speed_scale(rate, part, UINT64_C(9007199254740992));
}

static void by_model(struct pt_sim *sim, const struct pt_pool_state *pool,
                     const struct pt_partition *parts, uint32_t count, struct use *use)
{
    const struct pt_interference *law = &sim->world.interference;
    const struct pt_unit_shape *shape = &pool->pool->shape;
    bool may_gain = shape->allow_speedup || shape->elastic;
    double *slow = sim->slow;
    for (uint32_t i = 0; i < count; slow += parts[i++].count)
        law->ops->unit(slow, &parts[i], law->state);
    if (law->ops->board != NULL) law->ops->board(sim->slow, parts, count, law->state);
    for (uint32_t i = 0, k = 0; i < count; i++)
        for (uint32_t r = 0; r < parts[i].count; r++, k++) {
            uint32_t m = sim->resident_member[k], live = sim->member[m].live;
            const struct pt_live_model *model = &sim->model[live];
            double ratio = model->alone / sim->slow[k];
            if (ratio > 1 && !may_gain) ratio = 1;
            member_speed(sim, m, scaled(model->traits.rate, ratio));
            use->sm += model->traits.u / sim->slow[k];
            use->memory += model->traits.membw / sim->slow[k];
        }
}

static double known(double value)
{
    return value == value ? value : 0; /* NaN: no source */
}

static uint32_t power_uw(const struct pt_sim *sim, const struct pt_gpu *g,
                         const struct pt_gpu_model *gpu, struct use use)
{
    if (!sim->world.energy || !sim->nodes[g->node].up) return 0;
    double idle_uw = known(gpu->idle_w) * 1e6, cap_uw = known(gpu->tdp_w) * 1e6;
    if (g->residents == 0) return (uint32_t)idle_uw;
    if (g->computing == 0) return (uint32_t)(idle_uw + CONTEXT_UW);
    double sm = use.sm < 1 ? use.sm : 1, memory = use.memory < 1 ? use.memory : 1;
    double uw = cap_uw * (0.12 + 0.56 * sm + 0.48 * memory);
    return (uint32_t)(uw < cap_uw ? uw : cap_uw);
}

/* The share of the GPU that works, millionths, of one where somebody computes. */
static uint32_t busy_share(const struct pt_sim *sim, const struct pt_pool_state *pool,
                           const struct use *use)
{
    if (sim->world.interference.ops != NULL)
        return use->sm < 1 ? (uint32_t)(use->sm * PT_PPM_ONE + 0.5) : PT_PPM_ONE;
    if (pool->nested == NULL) return PT_PPM_ONE;
    uint32_t all = pool->pool->gpu->mig->compute;
    return (use->slices * PT_PPM_ONE + all / 2) / all;
}

/* Speeds of the computing residents. */
static void rate(struct pt_sim *sim, uint32_t gpu, const struct pt_pool_state *pool,
                 struct use *use)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    bool model = sim->world.interference.ops != NULL, quick = !model && !sim->world.energy;
    if (quick && pool->plain) {
        uniform(sim, g, pool->pool);
    } else if (quick && pool->nested != NULL && pool->pool->shape.slots == 1) {
        use->slices = one_by_one(sim, g, gpu, pool);
    } else {
        struct pt_partition parts[PARTITIONS_MAX];
        uint32_t count = partitions(sim, pool, gpu, collect(sim, g, pool), parts);
        if (model)
            by_model(sim, pool, parts, count, use);
        else
            by_shares(sim, pool, parts, count, use);
    }
}

void pt__settle_gpu_ask(struct pt_sim *sim, uint32_t gpu)
{
    struct pt_gpu *g = &sim->gpus[gpu];
    const struct pt_pool_state *pool = pt__pool_of_node(sim, g->node);
    if (pool->one_at_a_time) { /* it runs at R, or nobody is there */
        if (g->computing > 0)
            member_speed(sim, g->first, rate_of(sim, pool->pool, sim->member[g->first].live));
        pt__slots_meter(sim, gpu, g->computing > 0 ? PT_PPM_ONE : 0, 0);
        return;
    }
    struct use use = {0, 0, 0};
    uint32_t busy_ppm = 0;
    if (pt__turns_play(sim, pool->pool)) {
        busy_ppm = pt__turns_ask(sim, gpu);
        use.sm = busy_ppm > 0;
    } else if (g->computing > 0) {
        rate(sim, gpu, pool, &use);
        busy_ppm = busy_share(sim, pool, &use);
    }
    pt__slots_meter(sim, gpu, busy_ppm, power_uw(sim, g, pool->pool->gpu, use));
}

bool pt__rate_fits(struct pt_sim *sim, pt_job job, uint32_t pool, uint32_t gpu)
{
    const struct pt_interference *law = &sim->world.interference;
    const struct pt_gpu *g = &sim->gpus[gpu];
    if (sim->pools[pool].nested != NULL || g->residents == 0) return true;
    uint32_t count = collect(sim, g, &sim->pools[pool]);
    struct pt_traits traits;
    sim->world.jobs_model.traits(&traits, sim->world.jobs_model.ctx, job, pool);
    sim->resident[count] = (struct pt_resident){pt__need_of(sim, job, pool), &traits};
    struct pt_partition part = partition(sim, &sim->pools[pool], gpu, 0, count + 1);
    return law->ops->fits(&part, law->state);
}
