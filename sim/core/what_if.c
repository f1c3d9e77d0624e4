#include <assert.h>
#include <string.h>

#include "sim/core/life.h"
#include "sim/core/verbs.h"

/* What if: a policy lifts running jobs off their units and assumes others there. Only counters and
 * indexes of GPUs and nodes change, members and jobs do not; every change is logged with what was
 * there before, and undone from the log before anything really happens. The log and the sets have
 * room from the beginning, in memory that is not touched before it is needed: for all that may run,
 * up to JOBS_RESERVED_MAX, and for policies that try again and again in one trial. Beyond that they
 * grow by doubling, so not once per trial. */

#define JOBS_RESERVED_MAX 8192u
#define CHANGES_RESERVED 65536u

/* A job that is lifted, assumed somewhere, or both. */
struct pt_trial_entry {
    pt_job job;
    bool lifted, assumed;
    uint32_t pool, node;   /* of the set assumed */
    uint32_t first, count; /* its units in trial_unit */
    uint32_t next;         /* entry that was assumed after it, PT_NONE */
};

/* One unit of a set that is assumed. */
struct pt_trial_unit {
    uint32_t gpu;
    uint8_t start;
};

/* One change of a GPU (gpu != PT_NONE) or of a node's host resources. */
struct pt_trial_change {
    pt_job job;
    uint32_t gpu, node, pool, units;
    bool take;
    _Alignas(16) unsigned char state[PT_NESTED_STATE_MAX]; /* of a nested GPU before it */
};

struct pt_trial {
    struct pt_trial_entry *entry;
    uint32_t count, capacity;
    uint32_t first_assumed, last_assumed; /* entries; valid where any is assumed */
    uint32_t assumed;                     /* entries that are */
    struct pt_trial_unit *unit;
    uint32_t unit_count, unit_capacity;
    struct pt_trial_change *change;
    uint32_t change_count, change_capacity;
    uint32_t *slot; /* by live record: its entry + 1, 0 = none */
    uint32_t *gpus; /* scratch of a set: [largest job] */
    uint8_t *starts;
};

static struct pt_sim *sim_of(struct pt_ctx *ctx)
{
    return (struct pt_sim *)ctx;
}

enum pt_status pt__what_if_build(struct pt_sim *sim, struct pt_error *error)
{
    struct pt_trial *trial = calloc(1, sizeof *trial);
    if (trial == NULL) return pt_fail(error, PT_ERR_MEMORY, "out of memory for trials");
    sim->trial_log = trial;
    trial->slot = calloc((size_t)sim->live_capacity + 1, sizeof *trial->slot);
    trial->gpus = malloc((size_t)sim->units.capacity * sizeof *trial->gpus + 1);
    trial->starts = malloc((size_t)sim->units.capacity + 1);
    uint32_t most = sim->live_capacity;
    if (most > JOBS_RESERVED_MAX) most = JOBS_RESERVED_MAX;
    trial->capacity = most + 1;
    trial->unit_capacity = 4 * (most + 1) + CHANGES_RESERVED;
    trial->change_capacity = 4 * (most + 1) + CHANGES_RESERVED;
    trial->entry = malloc(trial->capacity * sizeof *trial->entry);
    trial->unit = malloc(trial->unit_capacity * sizeof *trial->unit);
    trial->change = malloc(trial->change_capacity * sizeof *trial->change);
    if (trial->slot == NULL || trial->gpus == NULL || trial->starts == NULL ||
        trial->entry == NULL || trial->unit == NULL || trial->change == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for trials");
    return PT_OK;
}

void pt__what_if_free(struct pt_sim *sim)
{
    struct pt_trial *trial = sim->trial_log;
    if (trial == NULL) return;
    free(trial->entry);
    free(trial->unit);
    free(trial->change);
    free(trial->slot);
    free(trial->gpus);
    free(trial->starts);
    free(trial);
}

/* Room for `more` items of the array. */
static bool grow(struct pt_sim *sim, void **items, uint32_t *capacity, size_t size, uint64_t needed)
{
    if (needed <= *capacity) return true;
    uint64_t wanted = *capacity;
    while (wanted < needed)
        wanted *= 2;
    void *grown = wanted > UINT32_MAX ? NULL : realloc(*items, (size_t)wanted * size);
    if (grown == NULL) {
        pt__break(sim, PT_ERR_MEMORY, "out of memory for a trial of %llu changes",
                  (unsigned long long)wanted);
        return false;
    }
    *items = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

static bool grow_all(struct pt_sim *sim, uint32_t units)
{
    struct pt_trial *trial = sim->trial_log;
    void *entry = trial->entry, *unit = trial->unit, *change = trial->change;
    bool ok = grow(sim, &entry, &trial->capacity, sizeof *trial->entry, (uint64_t)trial->count + 1);
    trial->entry = entry;
    ok = ok && grow(sim, &unit, &trial->unit_capacity, sizeof *trial->unit,
                    (uint64_t)trial->unit_count + units);
    trial->unit = unit;
    ok = ok && grow(sim, &change, &trial->change_capacity, sizeof *trial->change,
                    (uint64_t)trial->change_count + 2 * (uint64_t)units + 1);
    trial->change = change;
    return ok;
}

/* ---- single changes, and back ---- */

static struct pt_trial_change *log_change(struct pt_sim *sim, pt_job job, uint32_t pool,
                                          uint32_t node, uint32_t gpu, bool take)
{
    struct pt_trial *trial = sim->trial_log;
    struct pt_trial_change *change = &trial->change[trial->change_count++];
    change->job = job;
    change->pool = pool;
    change->node = node;
    change->gpu = gpu;
    change->units = 0;
    change->take = take;
    return change;
}

static void gpu_count(struct pt_sim *sim, const struct pt_trial_change *change, bool take)
{
    pt__slots_change(sim, change->gpu, pt__need_of(sim, change->job, change->pool),
                     pt__gpu_memory(sim, change->job, change->pool), take);
}

/* A unit comes (to `cell`, or wherever the mode wants it, which is put there) or leaves (its cell);
 * false where it can't come. */
static bool gpu_change(struct pt_sim *sim, pt_job job, uint32_t pool, uint32_t gpu, uint8_t *cell,
                       bool take)
{
    const struct pt_pool_state *p = &sim->pools[pool];
    struct pt_trial_change *change = log_change(sim, job, pool, sim->gpus[gpu].node, gpu, take);
    if (p->nested != NULL) {
        unsigned char *state = pt__state_of(p, gpu);
        const struct pt_need *need = pt__need_of(sim, job, pool);
        struct pt_placed placed;
        memcpy(change->state, state, p->nested->state_size);
        if (!take) {
            if (pt__state(sim, job) == PT_STATE_RESERVED) /* it will have been made by then */
                p->nested->ready(state, &p->pool->shape, *cell);
            p->nested->remove(state, &p->pool->shape, need, *cell);
        } else if (!p->nested->place(&placed, state, &p->pool->shape, need, *cell)) {
            sim->trial_log->change_count--;
            return false;
        } else if (*cell == PT_CELL_ANY) {
            *cell = placed.cell;
        }
    }
    gpu_count(sim, change, take);
    return true;
}

static void host_change(struct pt_sim *sim, pt_job job, uint32_t pool, uint32_t node,
                        uint32_t units, bool take)
{
    struct pt_trial_change *change = log_change(sim, job, pool, node, PT_NONE, take);
    change->units = units;
    pt__slots_host(sim, node, pt__class(sim, job), units, take);
}

static void undo_to(struct pt_sim *sim, uint32_t count)
{
    struct pt_trial *trial = sim->trial_log;
    while (trial->change_count > count) {
        const struct pt_trial_change *change = &trial->change[--trial->change_count];
        if (change->gpu == PT_NONE) {
            pt__slots_host(sim, change->node, pt__class(sim, change->job), change->units,
                           !change->take);
            continue;
        }
        const struct pt_pool_state *p = &sim->pools[change->pool];
        if (p->nested != NULL)
            memcpy(pt__state_of(p, change->gpu), change->state, p->nested->state_size);
        gpu_count(sim, change, !change->take);
    }
}

static bool asks_host(const struct pt_sim *sim, pt_job job, uint32_t pool)
{
    const struct pt_class *class_ = pt__class(sim, job);
    return sim->pools[pool].bound_host && (class_->cpus_milli != 0 || class_->mem_mib != 0);
}

/* ---- sets of units ---- */

/* Each node's part of the host resources, once per node. */
static void hosts_change(struct pt_sim *sim, pt_job job, uint32_t pool, const uint32_t *gpus,
                         uint32_t count, bool take)
{
    if (!asks_host(sim, job, pool)) return;
    pt__next_mark(sim);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = sim->gpus[gpus[i]].node;
        if (sim->node_mark[node] != sim->mark) sim->node_units[node] = 0;
        sim->node_mark[node] = sim->mark;
        sim->node_units[node]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = sim->gpus[gpus[i]].node;
        if (sim->node_units[node] == 0) continue;
        host_change(sim, job, pool, node, sim->node_units[node], take);
        sim->node_units[node] = 0;
    }
}

/* The units that a running job holds, to the scratch; how many. */
static uint32_t units_held(const struct pt_sim *sim, const struct pt_live *live)
{
    uint32_t count = 0;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next, count++) {
        sim->trial_log->gpus[count] = sim->member[m].gpu;
        sim->trial_log->starts[count] = sim->member[m].cell;
    }
    return count;
}

static void own_host(struct pt_sim *sim, const struct pt_live *live, bool take)
{
    if (live->cpu_only)
        host_change(sim, live->job, live->pool, sim->gpus[live->home].node, 0, take);
    else
        hosts_change(sim, live->job, live->pool, sim->trial_log->gpus, live->unit_count, take);
}

static struct pt_trial_entry *entry_add(struct pt_sim *sim, pt_job job)
{
    struct pt_trial *trial = sim->trial_log;
    uint32_t live = sim->live_of[job];
    if (live != PT_NONE) trial->slot[live] = trial->count + 1;
    trial->entry[trial->count] = (struct pt_trial_entry){.job = job};
    sim->trial_count = trial->count + 1;
    return &trial->entry[trial->count++];
}

/* The job's entry, NULL if it has none. Jobs that have never run have no live record: they are
 * looked for. */
static struct pt_trial_entry *entry_of(const struct pt_sim *sim, pt_job job)
{
    const struct pt_trial *trial = sim->trial_log;
    uint32_t live = sim->live_of[job];
    if (live != PT_NONE)
        return trial->slot[live] == 0 ? NULL : &trial->entry[trial->slot[live] - 1];
    for (uint32_t i = trial->count; i-- > 0;)
        if (trial->entry[i].job == job) return &trial->entry[i];
    return NULL;
}

bool pt__do_try_lift(struct pt_ctx *ctx, pt_job job)
{
    struct pt_sim *sim = sim_of(ctx);
    if (sim->error.status != PT_OK || job >= sim->job_count) return false;
    enum pt_job_state state = pt__state(sim, job);
    if (state != PT_STATE_RUNNING && state != PT_STATE_RESERVED) return false;
    uint32_t index = sim->live_of[job];
    const struct pt_live *live = &sim->live[index];
    if (state == PT_STATE_RESERVED && pt__claims_of(sim, index) > 0) return false;
    struct pt_trial_entry *entry = entry_of(sim, job);
    if (live->saving || (entry != NULL && entry->lifted)) return false;
    if (!grow_all(sim, live->unit_count)) return false;
    uint32_t count = units_held(sim, live);
    for (uint32_t i = 0; i < count; i++)
        (void)gpu_change(sim, job, live->pool, sim->trial_log->gpus[i], &sim->trial_log->starts[i],
                         false);
    own_host(sim, live, false);
    if (sim->limits) pt__tenants_hold(sim, job, live->pool, false);
    if (entry == NULL) entry = entry_add(sim, job);
    entry->lifted = true;
    return true;
}

/* Whether a job could run on these units in the assumed world, whatever its state. */
static bool own_units_legal(struct pt_sim *sim, const struct pt_live *live, uint32_t count)
{
    struct pt_units units = {
        .pool = live->pool,
        .count = count,
        .capacity = count,
        .gpus = sim->trial_log->gpus,
        .starts = sim->pools[live->pool].nested != NULL ? sim->trial_log->starts : NULL,
        .node = sim->gpus[live->home].node};
    return pt__units_legal(sim, live->job, &units);
}

/* Whether units were assumed on the job's GPUs whose instances may have been cut for them only
 * because nobody was there. */
static bool cut_for_others(const struct pt_sim *sim, const struct pt_live *live)
{
    const struct pt_trial *trial = sim->trial_log;
    if (sim->pools[live->pool].nested == NULL) return false;
    for (uint32_t m = live->first_member; m != PT_NONE; m = sim->member[m].job_next)
        for (uint32_t i = 0; i < trial->unit_count; i++)
            if (trial->unit[i].gpu == sim->member[m].gpu) return true;
    return false;
}

bool pt__do_try_unlift(struct pt_ctx *ctx, pt_job job)
{
    struct pt_sim *sim = sim_of(ctx);
    if (job >= sim->job_count) return false;
    struct pt_trial_entry *entry = entry_of(sim, job);
    if (entry == NULL || !entry->lifted || entry->assumed) return false;
    const struct pt_live *live = &sim->live[sim->live_of[job]];
    if (cut_for_others(sim, live)) return false;
    if (!grow_all(sim, live->unit_count)) return false;
    uint32_t count = units_held(sim, live), before = sim->trial_log->change_count;
    if (!own_units_legal(sim, live, count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t gpu = sim->trial_log->gpus[i];
        if (gpu_change(sim, job, live->pool, gpu, &sim->trial_log->starts[i], true)) continue;
        undo_to(sim, before);
        return false;
    }
    own_host(sim, live, true);
    if (sim->limits) pt__tenants_hold(sim, job, live->pool, true);
    entry->lifted = false;
    return true;
}

/* Whether somebody is lifted who would have to be saved: a job without GPUs has no units that could
 * be kept for it meanwhile. */
static bool somebody_leaves(const struct pt_sim *sim)
{
    for (uint32_t i = 0; i < sim->trial_log->count; i++)
        if (sim->trial_log->entry[i].lifted && !sim->trial_log->entry[i].assumed) return true;
    return false;
}

bool pt__do_try_assume(struct pt_ctx *ctx, pt_job job, const struct pt_units *units)
{
    struct pt_sim *sim = sim_of(ctx);
    struct pt_trial *trial = sim->trial_log;
    if (sim->error.status != PT_OK || job >= sim->job_count) return false;
    struct pt_trial_entry *entry = entry_of(sim, job);
    bool free_to_go = pt__waits(sim, job) ? entry == NULL : entry != NULL && entry->lifted;
    if (!free_to_go || (entry != NULL && entry->assumed)) return false;
    if (units->count == 0 && sim->claim_capacity > 0 && somebody_leaves(sim)) return false;
    if (!pt__units_legal(sim, job, units) || !grow_all(sim, units->count)) return false;
    uint32_t before = trial->change_count, first = trial->unit_count;
    for (uint32_t i = 0; i < units->count; i++) {
        uint8_t start = units->starts == NULL ? PT_CELL_ANY : units->starts[i];
        trial->unit[first + i] = (struct pt_trial_unit){units->gpus[i], start};
        /* What the mode chooses now, it must be given in the end, whoever else has left by then. */
        if (gpu_change(sim, job, units->pool, units->gpus[i], &trial->unit[first + i].start, true))
            continue;
        undo_to(sim, before);
        return false;
    }
    if (units->count == 0)
        host_change(sim, job, units->pool, units->node, 0, true);
    else
        hosts_change(sim, job, units->pool, units->gpus, units->count, true);
    if (sim->limits) pt__tenants_hold(sim, job, units->pool, true);
    if (entry == NULL) entry = entry_add(sim, job);
    entry->assumed = true;
    entry->pool = units->pool;
    entry->node = units->node;
    entry->first = first;
    entry->count = units->count;
    entry->next = PT_NONE;
    uint32_t index = (uint32_t)(entry - trial->entry);
    *(trial->assumed++ == 0 ? &trial->first_assumed : &trial->entry[trial->last_assumed].next) =
        index;
    trial->last_assumed = index;
    trial->unit_count += units->count;
    return true;
}

/* ---- the end of a trial ---- */

/* Puts everything back; the entries and their sets stay. */
static void put_back(struct pt_sim *sim)
{
    struct pt_trial *trial = sim->trial_log;
    undo_to(sim, 0);
    for (uint32_t i = 0; i < trial->count; i++) {
        const struct pt_trial_entry *entry = &trial->entry[i];
        uint32_t live = sim->live_of[entry->job];
        if (live != PT_NONE) trial->slot[live] = 0;
        if (!sim->limits) continue;
        if (entry->assumed) pt__tenants_hold(sim, entry->job, entry->pool, false);
        if (entry->lifted) pt__tenants_hold(sim, entry->job, sim->live[live].pool, true);
    }
}

static void forget(struct pt_sim *sim)
{
    struct pt_trial *trial = sim->trial_log;
    trial->count = trial->unit_count = trial->assumed = sim->trial_count = 0;
}

void pt__do_try_abort(struct pt_ctx *ctx)
{
    struct pt_sim *sim = sim_of(ctx);
    put_back(sim);
    forget(sim);
}

/* Whoever leaves for good may be stopped, and whoever moves may be moved. */
static bool may_act(const struct pt_sim *sim)
{
    const struct pt_trial *trial = sim->trial_log;
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->entry[i].lifted && !pt_view_preemptible(&sim->ctx, trial->entry[i].job))
            return false;
    return true;
}

static struct pt_units set_of(struct pt_sim *sim, const struct pt_trial_entry *entry)
{
    struct pt_trial *trial = sim->trial_log;
    for (uint32_t i = 0; i < entry->count; i++) {
        trial->gpus[i] = trial->unit[entry->first + i].gpu;
        trial->starts[i] = trial->unit[entry->first + i].start;
    }
    return (struct pt_units){.pool = entry->pool,
                             .count = entry->count,
                             .capacity = entry->count,
                             .gpus = trial->gpus,
                             .starts = trial->starts,
                             .node = entry->node};
}

static enum pt_status settle_in(struct pt_sim *sim, const struct pt_trial_entry *entry)
{
    struct pt_units units = set_of(sim, entry);
    bool free_now = pt__units_legal(sim, entry->job, &units);
    if (!free_now && units.count == 0) { /* there is nothing that it could hold meanwhile */
        if (entry->lifted) pt__life_stranded(sim, sim->live_of[entry->job]);
        return PT_OK;
    }
    if (!free_now && sim->claim_capacity == 0) return pt__refuse(sim);
    if (!entry->lifted) sim->stats.starts++;
    if (!free_now)
        pt__life_claim(sim, entry->job, &units);
    else if (entry->lifted)
        pt__life_arrive(sim, sim->live_of[entry->job], &units);
    else
        return pt__life_start(sim, entry->job, &units);
    return PT_OK;
}

enum pt_status pt__do_try_commit(struct pt_ctx *ctx)
{
    struct pt_sim *sim = sim_of(ctx);
    struct pt_trial *trial = sim->trial_log;
    uint32_t count = trial->count, next = trial->assumed > 0 ? trial->first_assumed : PT_NONE;
    enum pt_status status = sim->error.status;
    bool may = may_act(sim);
    put_back(sim);
    forget(sim); /* the entries are still there to be read: nothing is tried meanwhile */
    if (status == PT_OK && !may) status = pt__refuse(sim);
    if (status != PT_OK) return status;
    for (uint32_t i = 0; i < count; i++) {
        const struct pt_trial_entry *entry = &trial->entry[i];
        if (!entry->lifted) continue;
        pt__acted(sim, entry->job);
        if (entry->assumed)
            pt__life_depart(sim, sim->live_of[entry->job]);
        else
            pt__life_preempt(sim, sim->live_of[entry->job]);
    }
    for (; next != PT_NONE && status == PT_OK; next = trial->entry[next].next) {
        pt__acted(sim, trial->entry[next].job);
        status = settle_in(sim, &trial->entry[next]);
    }
    return status;
}
