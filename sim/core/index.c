#include "sim/core/engine.h"

/* Finding the best node without looking at all: per pool up to PT_INDEXES_PER_POOL tournament
 * trees, each for one search, one kind of need and one number of units wanted. A tree is repaired
 * from the pool's log of changed nodes when it is asked, so a change costs nothing to trees that
 * nobody asks, and a repair O(changes x log nodes) - or a rebuild, where more nodes changed than
 * there are. Memory is reserved at the start and touched at first use. */

enum pt_status pt__index_build(struct pt_sim *sim, struct pt_error *error)
{
    for (uint32_t p = 0; p < sim->pool_count; p++) {
        struct pt_pool_state *pool = &sim->pools[p];
        uint32_t nodes = pool->pool->node_count, leaves = 1, log_size = 64;
        while (leaves < nodes)
            leaves *= 2;
        while (log_size < 2 * nodes)
            log_size *= 2;
        pool->leaf_count = leaves;
        pool->log_mask = log_size - 1;
        pool->log = malloc(log_size * sizeof *pool->log);
        uint64_t *keys = calloc((size_t)PT_INDEXES_PER_POOL * leaves, sizeof *keys);
        uint32_t *winners = calloc((size_t)PT_INDEXES_PER_POOL * 2 * leaves, sizeof *winners);
        pool->index[0].key = keys; /* index 0 owns both blocks */
        pool->index[0].winner = winners;
        if (pool->log == NULL || keys == NULL || winners == NULL)
            return pt_fail(error, PT_ERR_MEMORY, "out of memory for the indexes of pool %s",
                           pool->pool->name);
        for (uint32_t i = 1; i < PT_INDEXES_PER_POOL; i++) {
            pool->index[i].key = keys + (size_t)i * leaves;
            pool->index[i].winner = winners + (size_t)i * 2 * leaves;
        }
    }
    return PT_OK;
}

void pt__index_free(struct pt_sim *sim)
{
    for (uint32_t p = 0; sim->pools != NULL && p < sim->pool_count; p++) {
        free(sim->pools[p].log);
        free(sim->pools[p].index[0].key);
        free(sim->pools[p].index[0].winner);
    }
}

static uint64_t leaf_key(const struct pt_sim *sim, const struct pt_pool_state *pool,
                         const struct pt_index *index, const struct pt_class *class_,
                         uint32_t local)
{
    uint32_t node = pool->pool->first_node + local;
    const struct pt_node_state *n = &sim->nodes[node];
    struct pt_node_facts facts = {.ctx = &sim->ctx,
                                  .data = index->search->data,
                                  .class_id = (uint32_t)(class_ - sim->classes),
                                  .node = node,
                                  .pool = pt__pool_index(sim, pool),
                                  .first_gpu =
                                      pool->pool->first_gpu + local * pool->pool->gpus_per_node,
                                  .cpus_free_milli = n->cpus_free_milli,
                                  .mem_free_mib = n->mem_free_mib,
                                  .load = n->load < UINT32_MAX ? (uint32_t)n->load : UINT32_MAX,
                                  .units = pool->pool->gpus_per_node * pool->capacity,
                                  .gpus = pool->pool->gpus_per_node,
                                  .idle_gpus = n->idle_gpus};
    const struct pt_search *search = index->search;
    facts.room =
        pt__slots_room(sim, pool, node, class_, search->needs_room ? PT_NONE : index->wanted);
    if (facts.room == 0 || facts.room < index->wanted) return PT_KEY_NONE;
    struct pt_choice choice =
        pt__slots_choice(sim, pool, node, class_, search->gpu_order, index->wanted);
    bool by_load = search->gpu_order == PT_GPUS_FULLEST || search->gpu_order == PT_GPUS_EMPTIEST;
    facts.chosen_load = by_load ? choice.load : 0;
    uint64_t key = search->key == NULL ? 0 : search->key(&facts, index->wanted);
    if (key > PT_KEY_MAX) return PT_KEY_NONE;
    if (search->needs_room) /* how much a node holds decides how many of them it takes */
        return key > PT_KEY_MAX >> 2 ? PT_KEY_NONE : key << 2 | choice.level;
    return (uint64_t)choice.level << 62 | key;
}

uint64_t pt__index_key(const struct pt_sim *sim, const struct pt_pool_state *pool,
                       const struct pt_search *search, pt_job job, uint32_t node, uint32_t wanted)
{
    struct pt_index alone = {.search = search, .wanted = wanted};
    return leaf_key(sim, pool, &alone, pt__class(sim, job), node - pool->pool->first_node);
}

static uint32_t better(const struct pt_index *index, uint32_t a, uint32_t b)
{
    return index->key[b] < index->key[a] ? b : a; /* ties: the lower node, on the left */
}

static void leaf_set(struct pt_index *index, uint32_t leaves, uint32_t local, uint64_t key)
{
    if (index->key[local] == key) return;
    index->key[local] = key;
    for (uint32_t i = (leaves + local) / 2; i >= 1; i /= 2)
        index->winner[i] = better(index, index->winner[2 * i], index->winner[2 * i + 1]);
}

static void rebuild(const struct pt_sim *sim, const struct pt_pool_state *pool,
                    struct pt_index *index, const struct pt_class *class_)
{
    uint32_t leaves = pool->leaf_count;
    for (uint32_t i = 0; i < leaves; i++) {
        index->winner[leaves + i] = i;
        index->key[i] =
            i < pool->pool->node_count ? leaf_key(sim, pool, index, class_, i) : PT_KEY_NONE;
    }
    for (uint32_t i = leaves - 1; i >= 1; i--)
        index->winner[i] = better(index, index->winner[2 * i], index->winner[2 * i + 1]);
    index->cursor = pool->log_head;
}

static void repair(const struct pt_sim *sim, const struct pt_pool_state *pool,
                   struct pt_index *index, const struct pt_class *class_)
{
    if (pool->log_head - index->cursor > pool->pool->node_count) {
        rebuild(sim, pool, index, class_);
        return;
    }
    for (; index->cursor < pool->log_head; index->cursor++) {
        uint32_t local = pool->log[index->cursor & pool->log_mask];
        leaf_set(index, pool->leaf_count, local, leaf_key(sim, pool, index, class_, local));
    }
}

/* Two classes with the same need see the same room on every node of the pool. Up to NEED_UNITS_MAX,
 * nothing but units is needed. */
#define NEED_UNITS_MAX 1
static uint64_t need_of(const struct pt_sim *sim, const struct pt_pool_state *pool,
                        const struct pt_class *class_)
{
    size_t at = (size_t)(class_ - sim->classes) * sim->pool_count + pt__pool_index(sim, pool);
    bool host = pool->bound_host && (class_->cpus_milli != 0 || class_->mem_mib != 0);
    if (host || class_->units == 0) return (uint64_t)(class_ - sim->classes) + NEED_UNITS_MAX + 1;
    if (!pool->plain || (pool->bound_memory && sim->needs[at].mem_mib != 0))
        return ((uint64_t)sim->need_id[at] << 1 | pt__class_distinct(class_, pool)) +
               (UINT64_C(1) << 40);
    return pt__class_distinct(class_, pool) ? 1 : 0;
}

/* The up-to-date tree; the least recently made one gives way when all are taken. */
static struct pt_index *find(struct pt_sim *sim, struct pt_pool_state *pool,
                             const struct pt_search *search, const struct pt_class *class_,
                             uint64_t need, uint32_t wanted)
{
    pool->log_seen = pool->log_head;
    for (uint32_t i = 0; i < pool->index_count; i++) {
        struct pt_index *index = &pool->index[i];
        if (index->search == search && index->need == need && index->wanted == wanted) {
            repair(sim, pool, index, class_);
            return index;
        }
    }
    uint32_t slot = pool->index_next;
    pool->index_next = (slot + 1) % PT_INDEXES_PER_POOL;
    if (pool->index_count < PT_INDEXES_PER_POOL) pool->index_count++;
    struct pt_index *index = &pool->index[slot];
    index->search = search;
    index->need = need;
    index->wanted = wanted;
    rebuild(sim, pool, index, class_);
    return index;
}

static uint32_t winner(const struct pt_index *index, const struct pt_pool_state *pool)
{
    uint32_t local = pool->leaf_count == 1 ? 0 : index->winner[1];
    return index->key[local] == PT_KEY_NONE ? PT_NONE : local;
}

/* The first GPU that takes one unit, least disturbed first, by what is kept for just that. */
static uint32_t first_that_fits(const struct pt_sim *sim, const struct pt_pool_state *pool,
                                const struct pt_class *class_)
{
    const struct pt_need *need = pt__need(sim, class_, pt__pool_index(sim, pool));
    if (pool->nested != NULL) {
        uint32_t gpu = PT_NONE;
        for (unsigned level = 0; level < PT_DISTURBS_LEVELS && gpu == PT_NONE; level++)
            gpu = pt_bitset_next(&pool->fits[level * pool->profiles + need->profile], 0);
        return gpu;
    }
    if (!pool->plain) return pt__free_first(pool, need);
    return pt_bitset_next(&pool->open, 0);
}

uint32_t pt__index_best(struct pt_sim *sim, struct pt_pool_state *pool,
                        const struct pt_search *search, pt_job job, uint32_t wanted)
{
    const struct pt_class *class_ = pt__class(sim, job);
    uint64_t need = need_of(sim, pool, class_);
    bool host = pool->bound_host && (class_->cpus_milli != 0 || class_->mem_mib != 0);
    bool listed = need <= NEED_UNITS_MAX || !pool->plain;
    if (pool->nested != NULL) /* its marks are for one process */
        listed = pt__need(sim, class_, pt__pool_index(sim, pool))->clients <= 1;
    if (search->key == NULL && wanted == 1 && class_->units > 0 && !host && listed) {
        uint32_t gpu = first_that_fits(sim, pool, class_);
        return gpu == PT_NONE ? PT_NONE : sim->gpus[pool->pool->first_gpu + gpu].node;
    }
    struct pt_index *index = find(sim, pool, search, class_, need, wanted);
    uint32_t local = winner(index, pool);
    return local == PT_NONE ? PT_NONE : pool->pool->first_node + local;
}

/* The first leaf at or behind `from` that is not ruled out: up from it until a subtree on the right
 * has one, and down again on its left. */
static uint32_t next_leaf(const struct pt_index *index, uint32_t leaves, uint32_t from)
{
    uint32_t i = leaves + from;
    while (index->key[index->winner[i]] == PT_KEY_NONE) {
        while ((i & 1) != 0)
            i /= 2;
        if (i == 0) return PT_NONE;
        i++;
    }
    while (i < leaves) {
        i *= 2;
        if (index->key[index->winner[i]] == PT_KEY_NONE) i++;
    }
    return i - leaves;
}

uint32_t pt__index_next(struct pt_sim *sim, struct pt_pool_state *pool,
                        const struct pt_search *search, pt_job job, uint32_t wanted, uint32_t from)
{
    const struct pt_class *class_ = pt__class(sim, job);
    uint32_t first = pool->pool->first_node, local = from <= first ? 0 : from - first;
    if (local >= pool->pool->node_count) return PT_NONE;
    struct pt_index *index = find(sim, pool, search, class_, need_of(sim, pool, class_), wanted);
    local = next_leaf(index, pool->leaf_count, local);
    return local == PT_NONE ? PT_NONE : first + local;
}

uint32_t pt__index_gather(struct pt_sim *sim, struct pt_pool_state *pool, struct pt_units *units,
                          const struct pt_search *search, pt_job job, uint32_t wanted,
                          uint32_t nodes_max, uint32_t per_node)
{
    const struct pt_class *class_ = pt__class(sim, job);
    struct pt_index *index =
        find(sim, pool, search, class_, need_of(sim, pool, class_), per_node == 0 ? 1 : per_node);
    uint32_t used = 0, hidden = 0, appended = 0;
    for (uint32_t local;
         appended < wanted && used < nodes_max && (local = winner(index, pool)) != PT_NONE;) {
        uint32_t node = pool->pool->first_node + local;
        sim->scratch_nodes[hidden++] = local;
        leaf_set(index, pool->leaf_count, local, PT_KEY_NONE); /* so that the next best wins */
        if (sim->node_mark[node] == sim->mark) continue;       /* the set uses it already */
        uint32_t take =
            per_node != 0 ? per_node : pt__slots_room(sim, pool, node, class_, wanted - appended);
        if (take > wanted - appended) take = wanted - appended;
        pt__slots_pick(sim, pool, node, class_, search->gpu_order, take, units->gpus + units->count,
                       units->starts + units->count);
        sim->node_mark[node] = sim->mark;
        units->count += take;
        appended += take;
        used++;
    }
    while (hidden > 0) {
        uint32_t local = sim->scratch_nodes[--hidden];
        leaf_set(index, pool->leaf_count, local, leaf_key(sim, pool, index, class_, local));
    }
    return appended;
}
