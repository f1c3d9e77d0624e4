#include <string.h>

#include "tests/property/reference_parts.h"

/* Where a job goes: the cluster looked at afresh each time, and the placements of semantics.md 4.
 */

int64_t ref__down_until(const struct run *r, uint32_t node)
{
    const struct ref_node *n = &r->w->nodes[node];
    EACH(i, n->down_count) {
        int64_t until = n->to_ns[i] == REF_NEVER ? REF_NEVER : n->to_ns[i] + n->boot_ns;
        if (r->now >= n->from_ns[i] && r->now < until) return until;
    }
    return 0;
}

static const struct ref_pool *pool_of_gpu(const struct run *r, uint32_t gpu)
{
    uint32_t n = 0;
    while (gpu >= r->w->nodes[n].end_gpu)
        n++;
    return &r->w->pools[r->w->nodes[n].pool];
}

uint32_t ref__used(const struct run *r, uint32_t gpu, bool memory)
{
    uint32_t sum = 0;
    EACH(j, r->seen) {
        struct need need;
        if (r->jobs[j].state != REF_RUNNING && r->jobs[j].state != REF_RESERVED) continue;
        uint32_t units = units_at(r, r->jobs[j].on, gpu);
        if (units == 0) continue;
        ref__need(&need, pool_of_gpu(r, gpu), &r->w->jobs[j]);
        sum += units * (memory ? need.mem_mib : need.load);
    }
    return sum;
}

/* A job without GPUs counts as 1. */
uint32_t ref__units_on(const struct run *r, const uint32_t *on, uint32_t node)
{
    uint32_t units = on[node_seat(r, node)];
    EACH_GPU(g, &r->w->nodes[node])
        units += units_at(r, on, g);
    return units;
}

static uint32_t node_load(const struct run *r, uint32_t node)
{
    uint32_t load = 0;
    EACH_GPU(g, &r->w->nodes[node])
        load += ref__used(r, g, false);
    return load;
}

/* Of `whole`, what `units` of the job's `gpus` take on one node. */
static uint32_t part(uint32_t whole, uint32_t units, uint32_t gpus)
{
    return gpus == 0 ? whole : (uint32_t)(((uint64_t)whole * units + gpus - 1) / gpus);
}

static bool host_holds(const struct run *r, uint32_t j, uint32_t node, uint32_t units)
{
    const struct ref_pool *p = &r->w->pools[r->w->nodes[node].pool];
    const struct ref_job *job = &r->w->jobs[j];
    uint64_t cpus = part(job->cpus_milli, units, job->gpus);
    uint64_t mem = part(job->mem_mib, units, job->gpus);
    EACH(i, r->seen) {
        const struct ref_job *other = &r->w->jobs[i];
        uint32_t held = ref__units_on(r, r->jobs[i].on, node);
        cpus += held == 0 ? 0 : part(other->cpus_milli, held, other->gpus);
        mem += held == 0 ? 0 : part(other->mem_mib, held, other->gpus);
    }
    return (p->cpus_milli == REF_NONE || cpus <= p->cpus_milli) &&
           (p->mem_mib == REF_NONE || mem <= p->mem_mib);
}

/* ---- the set being chosen ---- */

static void forget(const struct run *r)
{
    memset(r->take, 0, r->width * sizeof *r->take);
    if (r->seats > 1) memcpy(r->draft, r->slices, r->width * sizeof *r->draft);
}

/* What stands on a node's GPUs before the set. */
struct before {
    uint32_t load[REF_NODE_GPUS];
    uint64_t memory[REF_NODE_GPUS];
};

/* How much one more unit beside the set would disturb the GPU, MIG_NEVER = it does not fit. */
static unsigned disturbs(const struct run *r, const struct ref_job *job, const struct ref_pool *p,
                         const struct before *before, uint32_t gpu)
{
    uint32_t taken = units_at(r, r->take, gpu), start, i = gpu % REF_NODE_GPUS;
    struct need need;
    if (!ref__need(&need, p, job) || (taken > 0 && ref__is_distinct(p, job))) return MIG_NEVER;
    if (p->mode == REF_MIG) return ref__mig_disturbs(r, &start, p, gpu, &need);
    uint64_t load = before->load[i] + (taken + UINT64_C(1)) * need.load;
    uint64_t memory = before->memory[i] + (taken + UINT64_C(1)) * need.mem_mib;
    bool fits = load <= ref__capacity(p) && (!ref__admits_memory(p) || memory <= p->gpu_mem_mib);
    return fits ? 0 : MIG_NEVER;
}

static void take(const struct run *r, const struct ref_job *job, const struct ref_pool *p,
                 uint32_t gpu)
{
    struct need need;
    ref__need(&need, p, job);
    if (p->mode == REF_MIG)
        ref__mig_take(r, p, gpu, &need);
    else
        r->take[seat_of(r, gpu)]++;
}

struct chosen {
    uint32_t units;
    unsigned disturbs;  /* the most of one unit */
    uint64_t loads_met; /* before each */
};

/* Chooses up to `want` units of the node into the set, one by one: the least disturbance, then as
 * the placement likes GPUs, then the lowest. `renewed` GPUs are cut anew first. */
static struct chosen walk(const struct run *r, uint32_t j, uint32_t node, uint32_t want,
                          bool renewed[REF_NODE_GPUS])
{
    const struct ref_pool *p = &r->w->pools[r->w->nodes[node].pool];
    enum ref_placement how = r->w->placement;
    bool fullest = how == REF_BEST_FIT || how == REF_PACK || how == REF_CONSOLIDATE;
    bool emptiest = how == REF_WORST_FIT || how == REF_SPREAD;
    const struct ref_job *job = &r->w->jobs[j];
    struct chosen chosen = {0, 0, 0};
    struct before before;
    struct need need;
    ref__need(&need, p, job);
    EACH_GPU(g, &r->w->nodes[node]) {
        before.load[g % REF_NODE_GPUS] = ref__used(r, g, false);
        before.memory[g % REF_NODE_GPUS] = ref__used(r, g, true);
    }
    for (r->take[node_seat(r, node)] = job->gpus == 0; chosen.units < want;) {
        uint32_t best = REF_NONE, best_load = 0;
        unsigned best_much = MIG_NEVER;
        EACH_GPU(g, &r->w->nodes[node]) {
            uint32_t load = before.load[g % REF_NODE_GPUS] + units_at(r, r->take, g) * need.load;
            unsigned much = disturbs(r, job, p, &before, g);
            if (renewed[g % REF_NODE_GPUS]) much = 2;
            if (much > best_much || much == MIG_NEVER) continue;
            if (much < best_much || (fullest && load > best_load) || (emptiest && load < best_load))
                best = g, best_load = load, best_much = much;
        }
        if (best == REF_NONE) break;
        if (renewed[best % REF_NODE_GPUS]) ref__mig_renew(r, p, best);
        renewed[best % REF_NODE_GPUS] = false;
        take(r, job, p, best);
        chosen.units++;
        chosen.loads_met += best_load;
        if (best_much > chosen.disturbs) chosen.disturbs = best_much;
    }
    return chosen;
}

/* The same; where that is too few, GPUs that hold more units when they are cut anew are. */
static struct chosen choose(const struct run *r, uint32_t j, uint32_t node, uint32_t want)
{
    const struct ref_node *n = &r->w->nodes[node];
    const struct ref_pool *p = &r->w->pools[n->pool];
    bool renewed[REF_NODE_GPUS] = {false};
    struct slice old[REF_NODE_GPUS * REF_SLICES];
    size_t first = seat_of(r, n->first_gpu), seats = seat_of(r, n->end_gpu) - first;
    struct need need;
    bool is_mig = p->mode == REF_MIG && ref__need(&need, p, &r->w->jobs[j]);
    if (is_mig) memcpy(old, &r->draft[first], seats * sizeof *old);
    struct chosen chosen = walk(r, j, node, want, renewed);
    if (chosen.units == want || !is_mig) return chosen;
    memcpy(&r->draft[first], old, seats * sizeof *old);
    memset(&r->take[first], 0, seats * sizeof *r->take);
    EACH_GPU(g, n)
        renewed[g % REF_NODE_GPUS] = ref__mig_count(r, p, g, &need, want, true) >
                                     ref__mig_count(r, p, g, &need, want, false);
    return walk(r, j, node, want, renewed);
}

/* Units of the job that the node takes beside what else runs; of a job without GPUs: 1 if it
 * fits. Forgets the set. */
static uint32_t node_room(const struct run *r, uint32_t j, uint32_t node)
{
    uint32_t gpus = r->w->jobs[j].gpus;
    if (r->seen > 0 && (ref__down_until(r, node) > 0 || ref__mig_holds(r, node))) return 0;
    forget(r);
    uint32_t units = gpus == 0 ? 1 : choose(r, j, node, gpus).units;
    forget(r);
    while (units > 0 && !host_holds(r, j, node, units))
        units--;
    return units;
}

/* ---- could it ever run? ---- */

/* Could the pool hold the job if it were empty? r->seen = 0. */
static bool pool_can(const struct run *r, uint32_t j, uint32_t pool)
{
    const struct ref_job *job = &r->w->jobs[j];
    const struct ref_pool *p = &r->w->pools[pool];
    struct need need;
    if (job->pool != REF_NONE && job->pool != pool) return false;
    if (job->models != 0 && (job->models >> p->model & 1) == 0) return false;
    if (job->gpus > 0 && !ref__need(&need, p, job)) return false;
    uint64_t size = node_room(r, j, p->first_node), nodes = 0;
    EACH_NODE(n, p)
        nodes += ref__down_until(r, n) != REF_NEVER;
    return size > 0 && size * least((uint32_t)nodes, job->nodes_max) >= job->gpus && nodes > 0;
}

/* Looks at the cluster as if nothing ran and nothing was down; or at what is. */
static void look_at_empty(struct run *r, bool empty)
{
    struct slice *other = r->other;
    r->seen = empty ? 0 : r->w->job_count;
    r->other = r->slices;
    r->slices = other;
}

uint64_t ref__pools_of(struct run *r, uint32_t j)
{
    uint64_t pools = 0;
    look_at_empty(r, true);
    EACH(p, r->w->pool_count)
        pools |= (uint64_t)pool_can(r, j, p) << p;
    look_at_empty(r, false);
    return pools;
}

/* Units of the job that an empty node of the pool takes. */
static uint32_t node_size(struct run *r, uint32_t j, const struct ref_pool *p)
{
    look_at_empty(r, true);
    uint32_t size = node_room(r, j, p->first_node);
    look_at_empty(r, false);
    return size;
}

/* ---- placements ---- */

/* Smaller is better; of equals the lowest node. Only for nodes that hold `want`. Forgets the set.
 */
static uint64_t node_key(const struct run *r, uint32_t j, uint32_t node, uint32_t want,
                         unsigned *much)
{
    const struct ref_node *n = &r->w->nodes[node];
    uint64_t load = node_load(r, node);
    enum ref_placement how = r->w->placement;
    forget(r);
    struct chosen chosen = choose(r, j, node, want);
    forget(r);
    *much = chosen.disturbs;
    if (how == REF_BEST_FIT || how == REF_PACK)
        return (UINT32_MAX - chosen.loads_met) << 32 | (UINT32_MAX - load);
    if (how == REF_WORST_FIT || how == REF_SPREAD) return chosen.loads_met << 32 | load;
    if (how == REF_FIRST_FIT) return 0;
    return (n->end_gpu - n->first_gpu) * (uint64_t)ref__capacity(&r->w->pools[n->pool]) - load;
}

/* Nodes and how many units of each; looks at other nodes forget what was chosen. */
struct set {
    uint32_t count, node[REF_NODES], units[REF_NODES];
};

static bool set_has(const struct set *set, uint32_t node)
{
    EACH(i, set->count)
        if (set->node[i] == node) return true;
    return false;
}

static void set_add(struct set *set, uint32_t node, uint32_t units)
{
    set->node[set->count] = node;
    set->units[set->count++] = units;
}

static void set_choose(const struct run *r, uint32_t j, const struct set *set)
{
    forget(r);
    EACH(i, set->count)
        choose(r, j, set->node[i], set->units[i]);
}

/* The node to take units of next: the one with most room, where that is asked for, then in MIG
 * pools the one that one unit disturbs least. */
static uint32_t next_node(const struct run *r, uint32_t j, const struct ref_pool *p,
                          const struct set *set, uint32_t want)
{
    bool whole = r->w->placement == REF_CONSOLIDATE;
    bool in_order = r->w->placement == REF_FIRST_FIT && r->w->jobs[j].nodes_max == REF_NONE;
    uint32_t best = REF_NONE, most = 0;
    unsigned least_much = MIG_NEVER;
    EACH_NODE(n, p) {
        unsigned much;
        uint32_t room = set_has(set, n) ? 0 : node_room(r, j, n);
        if (room < (whole ? want : 1)) continue;
        node_key(r, j, n, whole ? want : 1, &much);
        if (whole) room = p->gpus_per_node * ref__capacity(p) - node_load(r, n);
        bool less = much<least_much, more = room> most;
        if (whole || in_order ? less || (much == least_much && more && !in_order)
                              : more || (room == most && less))
            best = n, most = room, least_much = much;
    }
    return best;
}

/* A gang over several nodes. */
static bool spill(struct set *set, const struct run *r, uint32_t j, const struct ref_pool *p,
                  uint32_t size)
{
    const struct ref_job *job = &r->w->jobs[j];
    uint32_t want = job->gpus, nodes = job->nodes_max;
    bool whole = r->w->placement == REF_CONSOLIDATE;
    if (whole && want <= size) return false;
    if (whole) /* completely free nodes first, then the rest where most is free */
        EACH_NODE(n, p)
            if (want >= size && node_load(r, n) == 0 && node_room(r, j, n) >= size)
                set_add(set, n, size), want -= size;
    if (whole && want >= size) return false;
    for (; want > 0 && nodes > 0; nodes--) {
        uint32_t best = next_node(r, j, p, set, want);
        if (best == REF_NONE) return false;
        uint32_t units = least(want, node_room(r, j, best));
        set_add(set, best, units);
        want -= units;
    }
    return want == 0;
}

bool ref__place(struct run *r, uint32_t j, const struct ref_pool *p)
{
    const struct ref_job *job = &r->w->jobs[j];
    uint32_t best = REF_NONE, want = job->gpus == 0 ? 1 : job->gpus;
    unsigned best_much = 0, much;
    uint64_t best_key = 0, key;
    struct set set = {0};
    EACH_NODE(n, p) {
        if (node_room(r, j, n) < want) continue;
        key = node_key(r, j, n, job->gpus, &much);
        if (best == REF_NONE || much < best_much || (much == best_much && key < best_key))
            best = n, best_key = key, best_much = much;
    }
    if (best != REF_NONE)
        set_add(&set, best, job->gpus);
    else if (job->gpus == 0 || job->nodes_max <= 1)
        return false;
    else if (!spill(&set, r, j, p, node_size(r, j, p)))
        return false;
    set_choose(r, j, &set);
    return true;
}
