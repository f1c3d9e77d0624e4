#include "sim/core/engine.h"

#include <assert.h>
#include <string.h>

/* What one job asks for, before and after what cannot matter has been dropped. */
struct ask {
    uint64_t named_pools;
    uint32_t units, nodes_max;
    uint32_t cpus_milli, mem_mib, gpu_mem_mib;
    uint32_t gpu_frac_ppm, processes, mig_word, tenant;
    uint8_t distinct, reason;
};

/* Per-word answers, computed once: which pools a word of `pool` or `gpu_type` names. */
struct names {
    uint64_t *pool, *type;
};

struct table {
    uint32_t *slot; /* class + 1 */
    uint32_t slots;
    uint32_t capacity;
};

static uint64_t pools_named(const struct pt_cluster *cluster, const char *word)
{
    for (uint32_t p = 0; p < cluster->pool_count; p++)
        if (strcmp(cluster->pools[p].name, word) == 0) return PT_POOL_BIT(p);
    return 0;
}

static bool text_is(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* `h100|a100-sxm4-80gb`: catalogue names and families with bars between them. */
static uint64_t pools_of_type(const struct pt_cluster *cluster, const char *word)
{
    uint64_t pools = 0;
    for (;;) {
        size_t length = strcspn(word, "|");
        for (uint32_t p = 0; p < cluster->pool_count; p++) {
            const struct pt_gpu_model *gpu = cluster->pools[p].gpu;
            if (text_is(word, length, gpu->name) || text_is(word, length, gpu->family))
                pools |= PT_POOL_BIT(p);
        }
        if (word[length] == '\0') return pools;
        word += length + 1;
    }
}

static enum pt_status names_build(struct names *names, const struct pt_world *world,
                                  struct pt_error *error)
{
    const struct pt_words *pool = &world->trace->words[PT_COL_POOL];
    const struct pt_words *type = &world->trace->words[PT_COL_GPU_TYPE];
    names->pool = calloc((size_t)pool->count + 1, sizeof *names->pool);
    names->type = calloc((size_t)type->count + 1, sizeof *names->type);
    if (names->pool == NULL || names->type == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the trace's pools and GPU types");
    for (uint32_t w = 0; w < pool->count; w++)
        names->pool[w] = pools_named(world->cluster, pool->words[w]);
    for (uint32_t w = 0; w < type->count; w++)
        names->type[w] = pools_of_type(world->cluster, type->words[w]);
    return PT_OK;
}

static uint32_t or_zero(uint32_t value)
{
    return value == PT_NONE ? 0 : value;
}

static bool by_tenant(const struct pt_sim *sim)
{
    return sim->limits || (sim->policy_flags & PT_POLICY_BY_TENANT) != 0;
}

static struct ask ask_of(const struct pt_sim *sim, const struct names *names, pt_job job)
{
    const struct pt_trace *trace = sim->world.trace;
    const struct pt_cluster *cluster = sim->world.cluster;
    struct ask ask = {.units = pt_trace_u32(trace, PT_COL_GPUS, job),
                      .nodes_max = pt_trace_u32(trace, PT_COL_NODES_MAX, job),
                      .cpus_milli = or_zero(pt_trace_u32(trace, PT_COL_CPUS, job)),
                      .mem_mib = or_zero(pt_trace_u32(trace, PT_COL_MEM, job)),
                      .gpu_mem_mib = pt_trace_u32(trace, PT_COL_GPU_MEM, job),
                      .gpu_frac_ppm = pt_trace_u32(trace, PT_COL_GPU_FRAC, job),
                      .processes = pt_trace_u32(trace, PT_COL_PROCESSES, job),
                      .mig_word = pt_trace_u32(trace, PT_COL_MIG, job),
                      .tenant = by_tenant(sim) ? pt__tenant(sim, job) : PT_NONE,
                      .distinct = pt_trace_bool(trace, PT_COL_DISTINCT, job)};
    uint32_t pool_word = pt_trace_u32(trace, PT_COL_POOL, job);
    uint32_t type_word = pt_trace_u32(trace, PT_COL_GPU_TYPE, job);
    uint64_t named =
        cluster->pool_count == PT_POOLS_MAX ? UINT64_MAX : PT_POOL_BIT(cluster->pool_count) - 1;
    if (pool_word != PT_NONE) named &= names->pool[pool_word];
    if (type_word != PT_NONE) named &= names->type[type_word];
    ask.reason = named == 0 ? PT_REASON_NO_POOL : PT_REASON_NONE;
    if (ask.mig_word != PT_NONE && ask.units > 0) named &= sim->nested_pools;
    if (named == 0 && ask.reason == PT_REASON_NONE) ask.reason = PT_REASON_MIG_PROFILE;
    bool hosts = false, memories = false, shares = false, parts = false;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        if ((named & PT_POOL_BIT(p)) == 0) continue;
        const struct pt_pool *pool = &cluster->pools[p];
        if (ask.units > 0 && or_zero(ask.gpu_mem_mib) > pool->gpu->mem_mib) {
            named &= ~PT_POOL_BIT(p);
            if (named == 0) ask.reason = PT_REASON_GPU_MEMORY;
            continue;
        }
        hosts |= sim->pools[p].bound_host;
        memories |= sim->pools[p].bound_memory;
        shares |= sim->pools[p].capacity > 1;
        parts |= !sim->pools[p].plain;
    }
    ask.named_pools = named;
    if (ask.units == 0) parts = memories = shares = false;
    if (!hosts) ask.cpus_milli = ask.mem_mib = 0;
    if (!memories && !parts) ask.gpu_mem_mib = PT_NONE;
    if (memories && !parts) ask.gpu_mem_mib = or_zero(ask.gpu_mem_mib);
    if (!shares) ask.distinct = PT_BOOL_ABSENT;
    if (!parts) ask.gpu_frac_ppm = ask.mig_word = PT_NONE;
    if (!parts || ask.processes == PT_NONE) ask.processes = 1;
    return ask;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t ask_hash(const struct ask *ask)
{
    uint64_t hash = mix(0, ask->named_pools);
    hash = mix(hash, (uint64_t)ask->units << 32 | ask->nodes_max);
    hash = mix(hash, (uint64_t)ask->cpus_milli << 32 | ask->mem_mib);
    hash = mix(hash, (uint64_t)ask->gpu_frac_ppm << 32 | ask->mig_word);
    hash = mix(hash, (uint64_t)ask->tenant << 32 | ask->processes);
    return mix(hash, (uint64_t)ask->gpu_mem_mib << 32 | (uint64_t)ask->distinct << 8 | ask->reason);
}

static bool class_is(const struct pt_class *class_, const struct ask *ask)
{
    return class_->named_pools == ask->named_pools && class_->units == ask->units &&
           class_->nodes_max == ask->nodes_max && class_->cpus_milli == ask->cpus_milli &&
           class_->mem_mib == ask->mem_mib && class_->gpu_mem_mib == ask->gpu_mem_mib &&
           class_->distinct == ask->distinct && class_->gpu_frac_ppm == ask->gpu_frac_ppm &&
           class_->processes == ask->processes && class_->mig_word == ask->mig_word &&
           class_->tenant == ask->tenant &&
           (class_->named_pools != 0 || class_->reason == ask->reason);
}

static uint64_t class_hash(const struct pt_class *class_)
{
    struct ask ask = {class_->named_pools,  class_->units,     class_->nodes_max,
                      class_->cpus_milli,   class_->mem_mib,   class_->gpu_mem_mib,
                      class_->gpu_frac_ppm, class_->processes, class_->mig_word,
                      class_->tenant,       class_->distinct,  class_->reason};
    return ask_hash(&ask);
}

static bool table_grow(struct pt_sim *sim, struct table *table)
{
    uint32_t capacity = table->capacity == 0 ? 16 : table->capacity * 2;
    struct pt_class *classes = realloc(sim->classes, capacity * sizeof *classes);
    if (classes == NULL) return false;
    sim->classes = classes;
    table->capacity = capacity;
    free(table->slot);
    table->slots = 4 * capacity;
    table->slot = calloc(table->slots, sizeof *table->slot);
    if (table->slot == NULL) return false;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        uint32_t s = (uint32_t)class_hash(&classes[c]) & (table->slots - 1);
        while (table->slot[s] != 0)
            s = (s + 1) & (table->slots - 1);
        table->slot[s] = c + 1;
    }
    return true;
}

/* The class of `ask`, made if it is new; PT_NONE when memory runs out. */
static uint32_t class_find(struct pt_sim *sim, struct table *table, const struct ask *ask)
{
    if (sim->class_count == table->capacity && !table_grow(sim, table)) return PT_NONE;
    assert(table->slot != NULL); /* a table without room has just grown */
    uint32_t s = (uint32_t)ask_hash(ask) & (table->slots - 1);
    for (; table->slot[s] != 0; s = (s + 1) & (table->slots - 1))
        if (class_is(&sim->classes[table->slot[s] - 1], ask)) return table->slot[s] - 1;
    sim->classes[sim->class_count] = (struct pt_class){.units = ask->units,
                                                       .nodes_max = ask->nodes_max,
                                                       .cpus_milli = ask->cpus_milli,
                                                       .mem_mib = ask->mem_mib,
                                                       .gpu_mem_mib = ask->gpu_mem_mib,
                                                       .gpu_frac_ppm = ask->gpu_frac_ppm,
                                                       .processes = ask->processes,
                                                       .mig_word = ask->mig_word,
                                                       .tenant = ask->tenant,
                                                       .distinct = ask->distinct,
                                                       .reason = ask->reason,
                                                       .named_pools = ask->named_pools};
    table->slot[s] = ++sim->class_count;
    return sim->class_count - 1;
}

static enum pt_reason fits_empty(const struct pt_pool_state *pool, const struct pt_class *class_,
                                 uint32_t room)
{
    uint32_t nodes = pool->pool->node_count - pool->nodes_for_ever;
    if (nodes == 0) return PT_REASON_TOO_MANY_GPUS;
    if (room == 0) return PT_REASON_HOST;
    if (class_->units == 0) return PT_REASON_NONE;
    uint64_t needed = ((uint64_t)class_->units + room - 1) / room;
    if (needed > nodes) return PT_REASON_TOO_MANY_GPUS;
    return needed > class_->nodes_max ? PT_REASON_NODE_TOO_SMALL : PT_REASON_NONE;
}

/* Whether the pool's nodes that are not lost for ever could hold the class, all empty. */
static enum pt_reason class_fits(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                 struct pt_class *class_)
{
    enum pt_reason reason = fits_empty(pool, class_, pt__slots_room_empty(sim, pool, class_));
    if (reason == PT_REASON_NONE) return reason;
    uint32_t cpus_milli = class_->cpus_milli, mem_mib = class_->mem_mib;
    class_->cpus_milli = class_->mem_mib = 0; /* too many GPUs, or too few CPUs for them? */
    enum pt_reason bare = fits_empty(pool, class_, pt__slots_room_empty(sim, pool, class_));
    class_->cpus_milli = cpus_milli;
    class_->mem_mib = mem_mib;
    return bare == PT_REASON_NONE ? PT_REASON_HOST : reason;
}

/* What the class takes of each pool's GPUs. */
static enum pt_reason class_need(const struct pt_sim *sim, const struct pt_class *class_,
                                 uint32_t pool)
{
    const struct pt_pool *p = sim->pools[pool].pool;
    struct pt_need *need = &sim->needs[(size_t)(class_ - sim->classes) * sim->pool_count + pool];
    struct pt_ask ask = {.gpu_frac_ppm = class_->gpu_frac_ppm,
                         .gpu_mem_mib = class_->gpu_mem_mib,
                         .processes = class_->processes,
                         .gpus = class_->units,
                         .mig = class_->mig_word == PT_NONE
                                    ? NULL
                                    : sim->world.trace->words[PT_COL_MIG].words[class_->mig_word]};
    return class_->units == 0 ? PT_REASON_NONE : p->unit->need(need, &p->shape, &ask);
}

/* The pools that could hold the class, and if none could, the first reason in the order of the map.
 */
static void class_fit(const struct pt_sim *sim, struct pt_class *class_)
{
    class_->pools = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        if ((class_->named_pools & PT_POOL_BIT(p)) == 0) continue;
        enum pt_reason reason = class_need(sim, class_, p);
        if (reason == PT_REASON_NONE) reason = class_fits(sim, &sim->pools[p], class_);
        if (reason == PT_REASON_NONE && pt__tenants_never(sim, class_, p)) reason = PT_REASON_LIMIT;
        if (reason == PT_REASON_NONE)
            class_->pools |= PT_POOL_BIT(p);
        else if (class_->reason == PT_REASON_NONE || class_->reason > (uint8_t)reason)
            class_->reason = (uint8_t)reason;
    }
    if (class_->pools != 0) class_->reason = PT_REASON_NONE;
}

void pt__classes_refit(struct pt_sim *sim)
{
    for (uint32_t c = 0; c < sim->class_count; c++) {
        struct pt_class *class_ = &sim->classes[c];
        if (class_->pools == 0) continue; /* nothing comes back */
        class_fit(sim, class_);
        if (class_->pools == 0) class_->reason = PT_REASON_NODES_LOST;
    }
}

/* Gives each class a run of places in the pending set, its jobs in queue order. */
static enum pt_status places_build(struct pt_sim *sim, struct pt_error *error)
{
    uint32_t first = 0;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        sim->classes[c].first = first;
        first += sim->classes[c].count;
        sim->classes[c].count = 0;
    }
    if (sim->class_count <= 1) {
        free(sim->class_of);
        sim->class_of = NULL;
        if (sim->class_count == 1) sim->classes[0].count = sim->job_count;
        return PT_OK;
    }
    assert(sim->job_count > 1); /* for there are classes */
    sim->place = malloc(sim->job_count * sizeof *sim->place);
    sim->job_at = malloc(sim->job_count * sizeof *sim->job_at);
    if (sim->place == NULL || sim->job_at == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the queue of %u jobs",
                       sim->job_count);
    for (pt_job job = 0; job < sim->job_count; job++) {
        struct pt_class *class_ = &sim->classes[sim->class_of[job]];
        sim->place[job] = class_->first + class_->count++;
        sim->job_at[sim->place[job]] = job;
    }
    return PT_OK;
}

static bool needs_alloc(struct pt_sim *sim)
{
    size_t rows = (size_t)sim->class_count * sim->pool_count + 1;
    sim->needs = calloc(rows, sizeof *sim->needs);
    sim->need_id = calloc(rows, sizeof *sim->need_id);
    sim->node_room = calloc(rows, sizeof *sim->node_room);
    return sim->needs != NULL && sim->need_id != NULL && sim->node_room != NULL;
}

static uint64_t need_hash(const struct pt_need *need)
{
    return mix(mix(mix(0, (uint64_t)need->capacity << 32 | need->mem_mib), need->profile),
               need->clients);
}

static bool need_same(const struct pt_need *a, const struct pt_need *b)
{
    return a->capacity == b->capacity && a->mem_mib == b->mem_mib && a->profile == b->profile &&
           a->clients == b->clients;
}

/* Classes whose units take the same of a pool's GPUs get one number: the first such class's. */
static bool need_ids_build(struct pt_sim *sim)
{
    uint32_t slots = 16;
    while (slots < 2 * sim->class_count)
        slots *= 2;
    uint32_t *first = malloc(slots * sizeof *first);
    if (first == NULL) return false;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        memset(first, 0xff, slots * sizeof *first); /* PT_NONE */
        for (uint32_t c = 0; c < sim->class_count; c++) {
            const struct pt_class *class_ = &sim->classes[c];
            size_t at = (size_t)c * sim->pool_count + p;
            if ((class_->pools & PT_POOL_BIT(p)) == 0) continue;
            sim->node_room[at] = pt__slots_room_empty(sim, &sim->pools[p], class_);
            const struct pt_need *need = &sim->needs[at];
            uint32_t s = (uint32_t)need_hash(need) & (slots - 1);
            while (first[s] != PT_NONE &&
                   !need_same(need, pt__need(sim, &sim->classes[first[s]], p)))
                s = (s + 1) & (slots - 1);
            if (first[s] == PT_NONE) first[s] = c;
            sim->need_id[at] = first[s];
        }
    }
    free(first);
    return true;
}

enum pt_status pt__classes_build(struct pt_sim *sim, struct pt_error *error)
{
    struct names names = {NULL, NULL};
    struct table table = {NULL, 0, 0};
    enum pt_status status = names_build(&names, &sim->world, error);
    if (status != PT_OK) goto out;
    status = PT_ERR_MEMORY;
    sim->class_of = malloc(((size_t)sim->job_count + 1) * sizeof *sim->class_of);
    if (sim->class_of == NULL) goto out;
    for (pt_job job = 0; job < sim->job_count; job++) {
        struct ask ask = ask_of(sim, &names, job);
        uint32_t found = class_find(sim, &table, &ask);
        if (found == PT_NONE) goto out;
        sim->class_of[job] = found;
        sim->classes[found].count++;
    }
    if (!needs_alloc(sim)) goto out;
    for (uint32_t c = 0; c < sim->class_count; c++) {
        class_fit(sim, &sim->classes[c]);
        sim->classes[c].never = sim->classes[c].reason;
    }
    if (!need_ids_build(sim)) goto out;
    status = places_build(sim, error);
out:
    if (status == PT_ERR_MEMORY) pt_fail(error, status, "out of memory for the classes of jobs");
    free(names.pool);
    free(names.type);
    free(table.slot);
    return status;
}
