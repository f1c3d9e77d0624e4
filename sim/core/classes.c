#include "sim/core/engine.h"

#include <assert.h>
#include <string.h>

/* What one job asks for, before and after what cannot matter has been dropped. */
struct ask {
    uint64_t named_pools;
    uint32_t units, nodes_max;
    uint32_t cpus_milli, mem_mib, gpu_mem_mib;
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

static struct ask ask_of(const struct pt_sim *sim, const struct names *names, pt_job job)
{
    const struct pt_trace *trace = sim->world.trace;
    const struct pt_cluster *cluster = sim->world.cluster;
    struct ask ask = {.units = pt_trace_u32(trace, PT_COL_GPUS, job),
                      .nodes_max = pt_trace_u32(trace, PT_COL_NODES_MAX, job),
                      .cpus_milli = or_zero(pt_trace_u32(trace, PT_COL_CPUS, job)),
                      .mem_mib = or_zero(pt_trace_u32(trace, PT_COL_MEM, job)),
                      .gpu_mem_mib = or_zero(pt_trace_u32(trace, PT_COL_GPU_MEM, job)),
                      .distinct = pt_trace_bool(trace, PT_COL_DISTINCT, job)};
    uint32_t pool_word = pt_trace_u32(trace, PT_COL_POOL, job);
    uint32_t type_word = pt_trace_u32(trace, PT_COL_GPU_TYPE, job);
    uint64_t named =
        cluster->pool_count == PT_POOLS_MAX ? UINT64_MAX : PT_POOL_BIT(cluster->pool_count) - 1;
    if (pool_word != PT_NONE) named &= names->pool[pool_word];
    if (type_word != PT_NONE) named &= names->type[type_word];
    if (pt_trace_u32(trace, PT_COL_MIG, job) != PT_NONE) named = 0; /* no pool has instances */
    ask.reason = named == 0 ? PT_REASON_NO_POOL : PT_REASON_NONE;
    bool hosts = false, memories = false, shares = false;
    for (uint32_t p = 0; p < cluster->pool_count; p++) {
        if ((named & PT_POOL_BIT(p)) == 0) continue;
        const struct pt_pool *pool = &cluster->pools[p];
        if (ask.units > 0 && ask.gpu_mem_mib > pool->gpu->mem_mib) {
            named &= ~PT_POOL_BIT(p);
            if (named == 0) ask.reason = PT_REASON_GPU_MEMORY;
            continue;
        }
        hosts |= sim->pools[p].bound_host;
        memories |= sim->pools[p].bound_memory;
        shares |= sim->pools[p].capacity > 1;
    }
    ask.named_pools = named;
    if (!hosts) ask.cpus_milli = ask.mem_mib = 0;
    if (!memories) ask.gpu_mem_mib = 0;
    if (!shares) ask.distinct = PT_BOOL_ABSENT;
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
    return mix(hash, (uint64_t)ask->gpu_mem_mib << 32 | (uint64_t)ask->distinct << 8 | ask->reason);
}

static bool class_is(const struct pt_class *class_, const struct ask *ask)
{
    return class_->named_pools == ask->named_pools && class_->units == ask->units &&
           class_->nodes_max == ask->nodes_max && class_->cpus_milli == ask->cpus_milli &&
           class_->mem_mib == ask->mem_mib && class_->gpu_mem_mib == ask->gpu_mem_mib &&
           class_->distinct == ask->distinct &&
           (class_->named_pools != 0 || class_->reason == ask->reason);
}

static uint64_t class_hash(const struct pt_class *class_)
{
    struct ask ask = {class_->named_pools, class_->units,   class_->nodes_max,
                      class_->cpus_milli,  class_->mem_mib, class_->gpu_mem_mib,
                      class_->distinct,    class_->reason};
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
                                                       .distinct = ask->distinct,
                                                       .reason = ask->reason,
                                                       .named_pools = ask->named_pools};
    table->slot[s] = ++sim->class_count;
    return sim->class_count - 1;
}

static enum pt_reason fits_empty(const struct pt_pool_state *pool, const struct pt_class *class_)
{
    uint32_t nodes = pool->pool->node_count - pool->nodes_for_ever;
    uint32_t room = pt__slots_room_empty(pool, class_);
    if (nodes == 0) return PT_REASON_TOO_MANY_GPUS;
    if (room == 0) return PT_REASON_HOST;
    if (class_->units == 0) return PT_REASON_NONE;
    uint64_t needed = ((uint64_t)class_->units + room - 1) / room;
    if (needed > nodes) return PT_REASON_TOO_MANY_GPUS;
    return needed > class_->nodes_max ? PT_REASON_NODE_TOO_SMALL : PT_REASON_NONE;
}

/* Whether the pool's nodes that are not lost for ever could hold the class, all empty. */
static enum pt_reason class_fits(const struct pt_pool_state *pool, const struct pt_class *class_)
{
    enum pt_reason reason = fits_empty(pool, class_);
    if (reason == PT_REASON_NONE) return reason;
    struct pt_class bare = *class_; /* too many GPUs, or too few CPUs for them? */
    bare.cpus_milli = bare.mem_mib = 0;
    return fits_empty(pool, &bare) == PT_REASON_NONE ? PT_REASON_HOST : reason;
}

/* The pools that could hold the class, and if none could, the first reason in the order of the map.
 */
static void class_fit(const struct pt_sim *sim, struct pt_class *class_)
{
    class_->pools = 0;
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        if ((class_->named_pools & PT_POOL_BIT(p)) == 0) continue;
        enum pt_reason reason = class_fits(&sim->pools[p], class_);
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
    for (uint32_t c = 0; c < sim->class_count; c++) {
        class_fit(sim, &sim->classes[c]);
        sim->classes[c].never = sim->classes[c].reason;
    }
    status = places_build(sim, error);
out:
    if (status == PT_ERR_MEMORY) pt_fail(error, status, "out of memory for the classes of jobs");
    free(names.pool);
    free(names.type);
    free(table.slot);
    return status;
}
