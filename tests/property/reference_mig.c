#include <string.h>

#include "tests/property/reference_parts.h"

/* GPUs cut into instances (semantics.md 4, hardware.md 1.2). A GPU is a row of memory slices; what
 * may be begun where is asked of the table each time. */

static const struct profile of_80gb_hopper[] = {
    {"1g.10gb", 1, 1, false, 0x7f, 9984},  {"1g.10gb+me", 1, 1, true, 0x7f, 9984},
    {"1g.20gb", 1, 2, false, 0x55, 20090}, {"2g.20gb", 2, 2, false, 0x15, 20090},
    {"3g.40gb", 3, 4, false, 0x11, 40448}, {"4g.40gb", 4, 4, false, 0x01, 40448},
    {"7g.80gb", 7, 8, false, 0x01, 81152}};
static const struct profile of_80gb_ampere[] = {
    {"1g.10gb", 1, 1, false, 0x7f, 9856},  {"1g.10gb+me", 1, 1, true, 0x7f, 9856},
    {"1g.20gb", 1, 2, false, 0x55, 19968}, {"2g.20gb", 2, 2, false, 0x15, 19968},
    {"3g.40gb", 3, 4, false, 0x11, 40192}, {"4g.40gb", 4, 4, false, 0x01, 40192},
    {"7g.80gb", 7, 8, false, 0x01, 80384}};
static const struct profile of_40gb_ampere[] = {
    {"1g.5gb", 1, 1, false, 0x7f, 4864},   {"1g.5gb+me", 1, 1, true, 0x7f, 4864},
    {"1g.10gb", 1, 2, false, 0x55, 9850},  {"2g.10gb", 2, 2, false, 0x15, 9850},
    {"3g.20gb", 3, 4, false, 0x11, 19968}, {"4g.20gb", 4, 4, false, 0x01, 19968},
    {"7g.40gb", 7, 8, false, 0x01, 40192}};
static const struct profile of_a30[] = {{"1g.6gb", 1, 1, false, 0x0f, 5949},
                                        {"1g.6gb+me", 1, 1, true, 0x0f, 5949},
                                        {"2g.12gb", 2, 2, false, 0x05, 11970},
                                        {"2g.12gb+me", 2, 2, true, 0x05, 11970},
                                        {"4g.24gb", 4, 4, false, 0x01, 24002}};

const struct profile *ref__mig_profiles(uint32_t model, uint32_t *count, uint32_t *compute)
{
    static const struct profile *const tables[] = {of_80gb_hopper, of_80gb_ampere, of_40gb_ampere,
                                                   of_a30};
    *count = model < 3 ? 7 : 5;
    *compute = model < 3 ? 7 : 4;
    return model < 4 ? tables[model] : NULL;
}

const char *ref_profile_name(uint32_t model, uint32_t i)
{
    uint32_t count, compute;
    const struct profile *table = ref__mig_profiles(model, &count, &compute);
    return i < count ? table[i].name : NULL;
}

/* The smaller of two that would do. */
static bool is_smaller(const struct profile *a, const struct profile *b)
{
    if (a->compute != b->compute) return a->compute < b->compute;
    return a->size != b->size ? a->size < b->size : a->media < b->media;
}

uint8_t ref__mig_profile(const struct ref_pool *pool, const struct ref_job *job)
{
    uint32_t count, compute;
    const struct profile *table = ref__mig_profiles(pool->model, &count, &compute);
    uint64_t frac = job->frac_ppm != 0 ? job->frac_ppm : 1000000;
    bool is_auto = job->mig != NULL && strcmp(job->mig, "auto") == 0;
    uint64_t memory = job->gpu_mem_mib * (uint64_t)(pool->how == REF_SMS ? 1 : job->processes);
    uint8_t best = NO_PROFILE;
    for (uint8_t p = 0; p < count; p++) {
        if (pool->change == REF_STATIC && pool->layout[p] == 0) continue;
        if (memory > table[p].mem_mib / pool->replicas) continue;
        if ((is_auto || job->mig == NULL) && table[p].media) continue;
        if (job->mig != NULL && !is_auto && strcmp(job->mig, table[p].name) != 0) continue;
        if (job->mig == NULL && table[p].compute * UINT64_C(1000000) < frac * compute) continue;
        if (best == NO_PROFILE || is_smaller(&table[p], &table[best])) best = p;
    }
    return best;
}

/* ---- the slices of one GPU ---- */

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Would an instance of profile p at `start` and the one that begins at `other` exclude each
 * other? */
static bool exclude(const struct profile *table, const struct slice *gpu, uint32_t p,
                    uint32_t start, uint32_t other)
{
    if (gpu[other].profile == NO_PROFILE) return false;
    const struct profile *q = &table[gpu[other].profile];
    return overlap(start, table[p].size, other, q->size) || (table[p].media && q->media);
}

static bool fits_beside(const struct ref_pool *pool, const struct slice *gpu, uint32_t seats,
                        uint32_t p, uint32_t start)
{
    uint32_t count, compute, sum = 0;
    const struct profile *table = ref__mig_profiles(pool->model, &count, &compute);
    if ((table[p].starts >> start & 1) == 0) return false;
    EACH(s, seats) {
        if (exclude(table, gpu, p, start, s)) return false;
        sum += gpu[s].profile == NO_PROFILE ? 0 : table[gpu[s].profile].compute;
    }
    return sum + table[p].compute <= compute;
}

/* Single placements of the table that are legal beside what stands. */
static uint32_t options(const struct ref_pool *pool, const struct slice *gpu, uint32_t seats)
{
    uint32_t count, compute, sum = 0;
    ref__mig_profiles(pool->model, &count, &compute);
    EACH(p, count)
        EACH(s, seats)
            sum += fits_beside(pool, gpu, seats, p, s);
    return sum;
}

static const struct slice empty_slice = {NO_PROFILE, LONG_AGO, LONG_AGO, false, false};

struct layouts {
    struct slice best[REF_SLICES];
    uint32_t most; /* options of the best + 1; 0 = none found */
};

/* All ways to place what is left of the layout, large profiles first, each from where the last of
 * its kind is. Keeps the one that leaves most options, of equals the first. */
static void lay_out(struct layouts *all, const struct ref_pool *pool, struct slice *gpu,
                    uint32_t seats, uint8_t *left, uint32_t from)
{
    uint32_t count, compute, largest = REF_PROFILES;
    const struct profile *table = ref__mig_profiles(pool->model, &count, &compute);
    EACH(p, count)
        if (left[p] > 0 && (largest == REF_PROFILES || table[p].size > table[largest].size))
            largest = p;
    if (largest == REF_PROFILES) {
        uint32_t now = options(pool, gpu, seats) + 1;
        if (now > all->most) memcpy(all->best, gpu, seats * sizeof *gpu), all->most = now;
        return;
    }
    left[largest]--;
    for (uint32_t s = from; s < seats; s++) {
        if (!fits_beside(pool, gpu, seats, largest, s)) continue;
        gpu[s].profile = (uint8_t)largest;
        lay_out(all, pool, gpu, seats, left, left[largest] > 0 ? s : 0);
        gpu[s].profile = NO_PROFILE;
    }
    left[largest]++;
}

static void find_layout(struct layouts *all, const struct ref_pool *pool)
{
    struct slice gpu[REF_SLICES];
    uint8_t left[REF_PROFILES];
    memcpy(left, pool->layout, sizeof left);
    all->most = 0;
    EACH(s, REF_SLICES)
        gpu[s] = empty_slice;
    lay_out(all, pool, gpu, REF_SLICES, left, 0);
}

bool ref_layout_is_legal(const struct ref_pool *pool)
{
    struct layouts all;
    find_layout(&all, pool);
    return all.most > 0;
}

void ref__mig_reset(const struct run *r, struct slice *slices, const struct ref_pool *pool,
                    uint32_t gpu)
{
    struct layouts all;
    find_layout(&all, pool);
    memcpy(&slices[seat_of(r, gpu)], all.best, r->seats * sizeof *slices);
}

/* ---- one more unit ---- */

/* Slots of the instance that are taken, if the set's units take `each`: one a unit, or under MPS
 * one a process. */
static uint32_t slots_taken(const struct run *r, const struct ref_pool *pool, uint32_t seat,
                            uint32_t each)
{
    uint32_t slots = r->take[seat] * each;
    EACH(j, r->seen)
        slots += r->jobs[j].on[seat] * ref__slots(pool, &r->w->jobs[j]);
    return slots;
}

static bool held(const struct run *r, uint32_t seat)
{
    EACH(j, r->seen)
        if (r->jobs[j].on[seat] > 0) return true;
    return r->take[seat] > 0;
}

/* The first instance of the profile with so many slots free; `seats` if there is none. */
static uint32_t standing(const struct run *r, const struct ref_pool *pool, uint32_t gpu,
                         uint8_t profile, uint32_t slots)
{
    EACH(s, r->seats) {
        const struct slice *at = &r->draft[seat_of(r, gpu) + s];
        bool serves = at->serves <= r->now || at->made == r->now;
        if (at->profile == profile && serves &&
            slots_taken(r, pool, seat_of(r, gpu) + s, slots) + slots <= pool->replicas)
            return s;
    }
    return r->seats;
}

/* Copies the GPU's slices to `gpu` without the idle instances in the way of profile p at `start`;
 * returns how many went, or `seats` + 1 if it can't be made there. */
static uint32_t clear_way(const struct run *r, struct slice *gpu, const struct ref_pool *pool,
                          uint32_t first_seat, uint32_t p, uint32_t start)
{
    uint32_t count, compute, gone = 0;
    const struct profile *table = ref__mig_profiles(pool->model, &count, &compute);
    memcpy(gpu, &r->draft[first_seat], r->seats * sizeof *gpu);
    if ((table[p].starts >> start & 1) == 0) return r->seats + 1;
    EACH(s, r->seats) {
        if (!exclude(table, &r->draft[first_seat], p, start, s)) continue;
        if (held(r, first_seat + s) || gpu[s].serves > r->now) return r->seats + 1;
        gpu[s].profile = NO_PROFILE;
        gone++;
    }
    return fits_beside(pool, gpu, r->seats, p, start) ? gone : r->seats + 1;
}

static bool is_better(const struct ref_pool *pool, uint32_t gone, uint32_t left, uint32_t best_gone,
                      uint32_t best_left)
{
    if (gone != best_gone) return gone < best_gone;
    if (gone > 0 || pool->start == REF_BEST) return left > best_left;
    return pool->start == REF_DRIVER;
}

/* Where a new instance would be made if that is allowed: fewest idle ones go, then as the pool
 * says. `seats` = nowhere. *gone = how many idle ones go. */
static uint32_t making(const struct run *r, uint32_t *gone, const struct ref_pool *pool,
                       uint32_t gpu, uint8_t profile)
{
    uint32_t best = r->seats, best_left = 0;
    EACH(s, r->seats) {
        struct slice after[REF_SLICES];
        uint32_t goes = clear_way(r, after, pool, seat_of(r, gpu), profile, s);
        if (goes > r->seats) continue;
        after[s].profile = profile;
        uint32_t left = options(pool, after, r->seats);
        if (best == r->seats || is_better(pool, goes, left, *gone, best_left))
            best = s, best_left = left, *gone = goes;
    }
    return best;
}

/* Is a unit, or a change, on the GPU? */
static bool is_fixed(const struct run *r, uint32_t gpu)
{
    EACH(s, r->seats) {
        const struct slice *at = &r->draft[seat_of(r, gpu) + s];
        if (held(r, seat_of(r, gpu) + s)) return true;
        if (at->profile != NO_PROFILE && at->serves > r->now) return true;
    }
    return false;
}

static bool is_empty(const struct run *r, uint32_t gpu)
{
    EACH(s, r->seats)
        if (r->draft[seat_of(r, gpu) + s].profile != NO_PROFILE) return false;
    return true;
}

static bool is_fresh(const struct run *r, uint32_t gpu)
{
    EACH(s, r->seats)
        if (r->draft[seat_of(r, gpu) + s].made == r->now) return true;
    return false;
}

/* when_gpu_idle: the whole old layout goes. */
static void sweep(const struct run *r, uint32_t gpu)
{
    EACH(s, r->seats)
        r->draft[seat_of(r, gpu) + s] = empty_slice;
}

unsigned ref__mig_disturbs(const struct run *r, uint32_t *start, const struct ref_pool *pool,
                           uint32_t gpu, const struct need *need)
{
    uint32_t gone = 0;
    uint8_t profile = need->profile;
    struct slice old[REF_SLICES];
    struct slice *slices = &r->draft[seat_of(r, gpu)];
    if (slices->closed) return MIG_NEVER;
    *start = standing(r, pool, gpu, profile, need->slots);
    if (*start < r->seats) return 0;
    if (pool->change == REF_STATIC) return MIG_NEVER;
    if (pool->change == REF_PARTIAL) {
        *start = making(r, &gone, pool, gpu, profile);
        return *start == r->seats ? MIG_NEVER : gone > 0 ? 2 : 1;
    }
    bool empty = is_empty(r, gpu);
    *start = empty || is_fresh(r, gpu) ? making(r, &gone, pool, gpu, profile) : r->seats;
    if (*start < r->seats && gone == 0) return 1;
    if (empty || is_fixed(r, gpu)) return MIG_NEVER;
    memcpy(old, slices, r->seats * sizeof *old);
    sweep(r, gpu);
    *start = making(r, &gone, pool, gpu, profile);
    memcpy(slices, old, r->seats * sizeof *old);
    return *start == r->seats ? MIG_NEVER : 2;
}

void ref__mig_take(const struct run *r, const struct ref_pool *pool, uint32_t gpu,
                   const struct need *need)
{
    uint32_t start;
    unsigned disturbs = ref__mig_disturbs(r, &start, pool, gpu, need);
    struct slice *slices = &r->draft[seat_of(r, gpu)], after[REF_SLICES];
    if (disturbs > 0) {
        if (disturbs == 2 && pool->change == REF_WHEN_IDLE) sweep(r, gpu);
        clear_way(r, after, pool, seat_of(r, gpu), need->profile, start);
        memcpy(slices, after, r->seats * sizeof *after);
        int64_t lasts = pool->change_ns, failed = pool->attempts * pool->failed_ns;
        if (pool->attempts > 0) lasts = failed + (pool->attempts - 1) * pool->retry_ns;
        slices[start].profile = need->profile;
        slices[start].made = r->now;
        slices[start].serves = r->now + lasts;
        slices[start].fails = pool->attempts > 0;
    }
    r->take[seat_of(r, gpu) + start]++;
}

bool ref__mig_renew(const struct run *r, const struct ref_pool *pool, uint32_t gpu)
{
    if (pool->change != REF_WHEN_IDLE || r->draft[seat_of(r, gpu)].closed) return false;
    if (is_empty(r, gpu) || is_fixed(r, gpu)) return false;
    sweep(r, gpu);
    return true;
}

uint32_t ref__mig_count(const struct run *r, const struct ref_pool *pool, uint32_t gpu,
                        const struct need *need, uint32_t enough, bool anew)
{
    struct slice old[REF_SLICES];
    uint32_t taken[REF_SLICES], start, count = 0;
    size_t first = seat_of(r, gpu);
    memcpy(old, &r->draft[first], sizeof old);
    memcpy(taken, &r->take[first], sizeof taken);
    if (!anew || ref__mig_renew(r, pool, gpu))
        for (; count < enough; count++) {
            if (ref__mig_disturbs(r, &start, pool, gpu, need) == MIG_NEVER) break;
            ref__mig_take(r, pool, gpu, need);
        }
    memcpy(&r->draft[first], old, sizeof old);
    memcpy(&r->take[first], taken, sizeof taken);
    return count;
}

bool ref__mig_holds(const struct run *r, uint32_t node)
{
    if (r->seats == 1 || !r->w->pools[r->w->nodes[node].pool].node_wide) return false;
    EACH_GPU(g, &r->w->nodes[node])
        EACH(s, r->seats) {
            const struct slice *at = &r->slices[seat_of(r, g) + s];
            if (at->profile != NO_PROFILE && at->made < r->now && at->serves > r->now) return true;
        }
    return false;
}

bool ref__mig_fails(const struct run *r, uint32_t seat)
{
    struct slice *at = &r->slices[seat];
    if (at->profile == NO_PROFILE || !at->fails || at->serves > r->now) return false;
    at->fails = false;
    r->slices[seat - seat % r->seats].closed = true;
    return true;
}
