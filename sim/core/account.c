#include "sim/core/engine.h"

#include <math.h>
#include <string.h>

/* Exact integrals of what changes only at instants. A pool's meter is brought up to now before any
 * of its counters change; between changes every rate is constant, so the meter can be read at any
 * time since without touching it. */

static struct pt_meter meter_at(const struct pt_pool_state *pool, int64_t time_ns)
{
    struct pt_meter meter = pool->now;
    if (time_ns <= pool->metered_ns) return meter;
    uint64_t dt = (uint64_t)(time_ns - pool->metered_ns);
    meter.there += (pt_u128)dt * pool->up_gpus;
    meter.busy += (pt_u128)dt * pool->busy_ppm;
    meter.energy += (pt_u128)dt * pool->power_uw;
    meter.held += (pt_u128)dt * pool->held_units;
    if (pool->frag_requests > 0) {
        meter.idle += (pt_u128)dt * pool->free_units;
        meter.unusable += dt * pool->frag_sum;
    }
    return meter;
}

/* Idle GPU time of a pool, and how much of it a request of the trace can't use. */
struct idleness {
    double unusable, idle;
};

static struct idleness idleness(const struct pt_pool_state *pool, pt_u128 unusable, pt_u128 idle)
{
    if (pool->frag_requests == 0) return (struct idleness){0, 0};
    return (struct idleness){(double)unusable / (double)pool->frag_requests / pool->capacity,
                             (double)idle / pool->capacity};
}

void pt__account_pool_now(struct pt_sim *sim, struct pt_pool_state *pool)
{
    /* An end can only be the world's last while nothing runs. */
    if (sim->running_count == 0 && sim->any_end && sim->last_end_ns >= pool->metered_ns)
        pool->at_end = meter_at(pool, sim->last_end_ns);
    if (sim->now_ns <= pool->metered_ns) return;
    pool->now = meter_at(pool, sim->now_ns);
    pool->metered_ns = sim->now_ns;
}

static pt_u128 queue_at(const struct pt_sim *sim, int64_t time_ns)
{
    if (time_ns <= sim->queue_metered_ns) return sim->queue_now;
    return sim->queue_now +
           (pt_u128)(uint64_t)(time_ns - sim->queue_metered_ns) * sim->pending_count;
}

void pt__account_queue(struct pt_sim *sim)
{
    if (sim->running_count == 0 && sim->any_end && sim->last_end_ns >= sim->queue_metered_ns)
        sim->queue_at_end = queue_at(sim, sim->last_end_ns);
    if (sim->now_ns <= sim->queue_metered_ns) return;
    sim->queue_now = queue_at(sim, sim->now_ns);
    sim->queue_metered_ns = sim->now_ns;
}

static int by_need(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Requests of the trace by MIG profile. */
static enum pt_status nested_weights(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t p)
{
    pool->frag_weight = calloc((size_t)pool->profiles + 1, sizeof *pool->frag_weight);
    if (pool->frag_weight == NULL) return PT_ERR_MEMORY;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        const struct pt_class *class_ = &sim->classes[c];
        if ((class_->pools & PT_POOL_BIT(p)) == 0 || class_->units == 0) continue;
        pool->frag_weight[pt__need(sim, class_, p)->profile] += class_->count;
        pool->frag_requests += class_->count;
    }
    return PT_OK;
}

/* Requests of the trace by how much of a GPU they want: as many as want so much or more. */
static enum pt_status part_weights(struct pt_sim *sim, struct pt_pool_state *pool, uint32_t p)
{
    uint32_t(*pairs)[2] = malloc(((size_t)sim->class_count + 1) * sizeof *pairs);
    pool->frag_need = malloc(((size_t)sim->class_count + 1) * sizeof *pool->frag_need);
    pool->frag_weight = calloc((size_t)sim->class_count + 2, sizeof *pool->frag_weight);
    uint32_t count = 0;
    bool ok = pairs != NULL && pool->frag_need != NULL && pool->frag_weight != NULL;
    for (uint32_t c = 0; ok && c < sim->class_count; c++) {
        const struct pt_class *class_ = &sim->classes[c];
        if ((class_->pools & PT_POOL_BIT(p)) == 0 || class_->units == 0) continue;
        pairs[count][0] = pt__need(sim, class_, p)->capacity;
        pairs[count++][1] = class_->count;
        pool->frag_requests += class_->count;
    }
    if (ok && count > 0) qsort(pairs, count, sizeof *pairs, by_need);
    for (uint32_t i = 0; ok && i < count; i++) {
        if (i == 0 || pairs[i][0] != pairs[i - 1][0])
            pool->frag_need[pool->frag_needs++] = pairs[i][0];
        pool->frag_weight[pool->frag_needs - 1] += pairs[i][1];
    }
    for (uint32_t i = pool->frag_needs; ok && i-- > 0;)
        pool->frag_weight[i] += pool->frag_weight[i + 1];
    free(pairs);
    return ok ? PT_OK : PT_ERR_MEMORY;
}

/* Requests of the trace that want more than so many open GPUs on one node, for each pool. */
static enum pt_status weights_build(struct pt_sim *sim, struct pt_pool_state *pool, uint64_t bit)
{
    if (pool->nested != NULL) return nested_weights(sim, pool, pt__pool_index(sim, pool));
    if (!pool->plain) return part_weights(sim, pool, pt__pool_index(sim, pool));
    uint32_t per_node = pool->pool->gpus_per_node;
    pool->frag_weight = calloc((size_t)per_node + 2, sizeof *pool->frag_weight);
    if (pool->frag_weight == NULL) return PT_ERR_MEMORY;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        const struct pt_class *class_ = &sim->classes[c];
        if ((class_->pools & bit) == 0 || class_->units == 0) continue;
        uint32_t wants = class_->units < per_node ? class_->units : per_node;
        pool->frag_weight[wants - 1] += class_->count; /* can't use nodes with wants - 1 open */
        pool->frag_requests += class_->count;
    }
    for (uint32_t open = per_node; open-- > 0;)
        pool->frag_weight[open] += pool->frag_weight[open + 1];
    return PT_OK;
}

enum pt_status pt__account_build(struct pt_sim *sim, struct pt_error *error)
{
    uint32_t pools = sim->pool_count;
    sim->account_from_ns = sim->job_count > 0 ? sim->submit_ns[0] : 0;
    sim->base_ns =
        sim->world.warmup_ns > sim->account_from_ns ? sim->world.warmup_ns : sim->account_from_ns;
    sim->queue_metered_ns = sim->account_from_ns;
    sim->interval_from_ns = sim->account_from_ns - sim->account_from_ns % sim->world.interval_ns;
    sim->interval_to_ns = sim->interval_from_ns > PT_NEVER - sim->world.interval_ns
                              ? PT_NEVER
                              : sim->interval_from_ns + sim->world.interval_ns;
    sim->tenant_held = calloc((size_t)pools * sim->world.tenant_count, sizeof *sim->tenant_held);
    sim->series_values = calloc(1 + 3 * ((size_t)pools + 1), sizeof *sim->series_values);
    sim->series_last = calloc(1 + 3 * ((size_t)pools + 1), sizeof *sim->series_last);
    if (sim->tenant_held == NULL || sim->series_values == NULL || sim->series_last == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the accounts");
    for (uint32_t p = 0; p < pools; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        pool->metered_ns = sim->account_from_ns;
        if (weights_build(sim, pool, PT_POOL_BIT(p)) != PT_OK)
            return pt_fail(error, PT_ERR_MEMORY, "out of memory for the accounts");
        pool->frag_sum = 0; /* every node is whole and empty now */
        uint32_t gpus = pool->pool->node_count * pool->pool->gpus_per_node;
        for (uint32_t g = 0; !pool->plain && g < gpus; g++)
            pool->frag_sum += pt__slots_gpu_fragmentation(sim, pool, pool->pool->first_gpu + g);
        for (uint32_t n = 0; pool->plain && n < pool->pool->node_count; n++)
            pool->frag_sum += (uint64_t)pool->pool->gpus_per_node * pool->capacity *
                              pool->frag_weight[pool->pool->gpus_per_node];
    }
    return PT_OK;
}

void pt__account_free(struct pt_sim *sim)
{
    free(sim->tenant_held);
    free(sim->series_values);
    free(sim->series_last);
    for (uint32_t p = 0; sim->pools != NULL && p < sim->pool_count; p++) {
        free(sim->pools[p].frag_weight);
        free(sim->pools[p].frag_need);
    }
}

static double ratio(pt_u128 part, pt_u128 whole)
{
    return whole == 0 ? NAN : (double)part / (double)whole;
}

/* Means between two readings of all meters: `from` was stored, `to_ns` is read now. Fills
 * series_values: queue, then utilization, allocation and fragmentation, each (all, pools...). */
static void means_until(struct pt_sim *sim, int64_t to_ns, bool keep)
{
    uint32_t pools = sim->pool_count;
    double *utilization = sim->series_values + 1, *allocation = utilization + pools + 1,
           *fragmentation = allocation + pools + 1;
    pt_u128 there = 0, busy = 0;
    double held = 0;
    struct idleness all = {0, 0};
    for (uint32_t p = 0; p < pools; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        struct pt_meter to = meter_at(pool, to_ns), *from = &pool->at_interval;
        pt_u128 pool_there = to.there - from->there, pool_busy = to.busy - from->busy;
        double pool_held = (double)(to.held - from->held) / pool->capacity;
        struct idleness one = idleness(pool, to.unusable - from->unusable, to.idle - from->idle);
        utilization[p + 1] = ratio(pool_busy, pool_there * PT_PPM_ONE);
        allocation[p + 1] = pool_there == 0 ? (double)NAN : pool_held / (double)pool_there;
        fragmentation[p + 1] = one.idle > 0 ? one.unusable / one.idle : (double)NAN;
        there += pool_there;
        busy += pool_busy;
        held += pool_held;
        all.unusable += one.unusable;
        all.idle += one.idle;
        if (keep) *from = to;
    }
    utilization[0] = ratio(busy, there * PT_PPM_ONE);
    allocation[0] = there == 0 ? (double)NAN : held / (double)there;
    fragmentation[0] = all.idle > 0 ? all.unusable / all.idle : (double)NAN;
    int64_t from_ns =
        sim->interval_from_ns > sim->account_from_ns ? sim->interval_from_ns : sim->account_from_ns;
    pt_u128 queue = queue_at(sim, to_ns);
    sim->series_values[0] =
        to_ns > from_ns ? (double)(queue - sim->queue_at_interval) / (double)(to_ns - from_ns) : 0;
    if (keep) sim->queue_at_interval = queue;
}

/* Sends the interval that means_until has just read, unless it equals the one before. */
static void interval_send(struct pt_sim *sim)
{
    uint32_t pools = sim->pool_count;
    size_t bytes = (1 + 3 * ((size_t)pools + 1)) * sizeof *sim->series_values;
    if (sim->series_any && memcmp(sim->series_values, sim->series_last, bytes) == 0) return;
    memcpy(sim->series_last, sim->series_values, bytes);
    sim->series_any = true;
    const double *utilization = sim->series_values + 1;
    struct pt_series_row row = {.time_ns = sim->interval_from_ns,
                                .queue_length = sim->series_values[0],
                                .utilization = utilization,
                                .allocation = utilization + pools + 1,
                                .fragmentation = utilization + 2 * ((size_t)pools + 1)};
    struct pt_error error = {.status = PT_OK};
    enum pt_status status = sim->world.recorder.series(sim->world.recorder.ctx, &row, &error);
    if (status == PT_OK || sim->error.status != PT_OK) return;
    sim->error = error;
    if (error.status == PT_OK) pt_fail(&sim->error, status, "the receiver of the series failed");
}

static void interval_close(struct pt_sim *sim, int64_t to_ns)
{
    means_until(sim, to_ns, true);
    interval_send(sim);
    sim->interval_from_ns = to_ns;
    sim->interval_to_ns =
        to_ns > PT_NEVER - sim->world.interval_ns ? PT_NEVER : to_ns + sim->world.interval_ns;
}

static void intervals_until(struct pt_sim *sim, int64_t to_ns)
{
    int64_t interval_ns = sim->world.interval_ns;
    interval_close(sim, sim->interval_to_ns);
    int64_t whole = (to_ns - sim->interval_from_ns) / interval_ns;
    if (whole == 0) return;
    /* Nothing changes in the intervals between: one row speaks for all of them. */
    means_until(sim, sim->interval_to_ns, false);
    interval_send(sim);
    int64_t from_ns = sim->interval_from_ns + whole * interval_ns;
    means_until(sim, from_ns, true);
    sim->interval_from_ns = from_ns;
    sim->interval_to_ns = from_ns > PT_NEVER - interval_ns ? PT_NEVER : from_ns + interval_ns;
}

void pt__account_instant(struct pt_sim *sim, int64_t to_ns)
{
    if (!sim->base_taken && to_ns >= sim->base_ns) {
        sim->base_taken = true;
        for (uint32_t p = 0; p < sim->pool_count; p++)
            sim->pools[p].at_base = meter_at(&sim->pools[p], sim->base_ns);
        sim->queue_at_base = queue_at(sim, sim->base_ns);
    }
    if (to_ns >= sim->interval_to_ns && sim->world.recorder.series != NULL)
        intervals_until(sim, to_ns);
}

void pt__account_finish(struct pt_sim *sim, bool cut)
{
    sim->stats.window_from_ns = sim->base_ns;
    sim->stats.window_to_ns = cut ? sim->now_ns : sim->any_end ? sim->last_end_ns : 0;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        pt__account_pool(sim, pool);
        if (cut) pool->at_end = meter_at(pool, sim->now_ns);
    }
    pt__account_queue(sim);
    if (cut) sim->queue_at_end = queue_at(sim, sim->now_ns);
    if (sim->stats.window_to_ns <= sim->stats.window_from_ns) {
        sim->stats.window_to_ns = sim->stats.window_from_ns;
        for (uint32_t p = 0; p < sim->pool_count; p++)
            sim->pools[p].at_end = sim->pools[p].at_base;
        sim->queue_at_end = sim->queue_at_base;
    }
    sim->stats.queue_integral = sim->queue_at_end - sim->queue_at_base;
    int64_t end_ns = sim->now_ns;
    if (sim->world.recorder.series != NULL && end_ns > sim->interval_from_ns &&
        end_ns > sim->account_from_ns)
        interval_close(sim, end_ns);
}

static struct pt_meter window(const struct pt_pool_state *pool)
{
    struct pt_meter w = pool->at_end;
    w.there -= pool->at_base.there;
    w.busy -= pool->at_base.busy;
    w.held -= pool->at_base.held;
    w.idle -= pool->at_base.idle;
    w.unusable -= pool->at_base.unusable;
    w.energy -= pool->at_base.energy;
    return w;
}

void pt_sim_pool_totals(const struct pt_sim *sim, uint32_t pool, struct pt_pool_totals *totals)
{
    *totals = (struct pt_pool_totals){.fragmentation = NAN};
    struct idleness all = {0, 0};
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        if (pool != PT_NONE && pool != p) continue;
        const struct pt_pool_state *state = &sim->pools[p];
        struct pt_meter w = window(state);
        struct idleness one = idleness(state, w.unusable, w.idle);
        totals->there += w.there;
        totals->there_run += state->at_end.there;
        totals->busy += w.busy / PT_PPM_ONE;
        totals->energy += w.energy;
        totals->charged += state->charged_s;
        totals->reconfigurations += state->reconfigurations;
        totals->reconfiguration_failures += state->reconfiguration_failures;
        totals->held += pool == PT_NONE ? 0 : w.held;
        totals->jobs_started += state->jobs_started;
        all.unusable += one.unusable;
        all.idle += one.idle;
    }
    if (all.idle > 0) totals->fragmentation = all.unusable / all.idle;
}

pt_u128 pt_sim_tenant_held(const struct pt_sim *sim, uint32_t pool, uint32_t tenant)
{
    return sim->tenant_held[(size_t)pool * sim->world.tenant_count + tenant];
}
