#include <string.h>

#include "models/units/mig.h"

/* One GPU cut into instances. An instance is named by the memory slice it starts at. It is busy
 * while it holds units, changing from the decision to make it until it serves, and fixed while it
 * is either: then nobody may destroy it. */
struct gpu {
    uint64_t profiles;               /* index in the table, four bits a start */
    uint16_t starts;                 /* instances, a bit each */
    uint16_t busy, changing;         /* of those */
    uint16_t slices;                 /* memory slices of all */
    uint16_t busy_slices;            /* ... of busy ones */
    uint16_t fixed_slices;           /* ... of fixed ones */
    uint8_t compute;                 /* compute slices of all */
    uint8_t fixed_compute;           /* ... of fixed ones */
    uint8_t media;                   /* start of the +me instance, NOWHERE */
    bool fresh;                      /* a change began at this instant */
    uint16_t fresh_starts;           /* instances of it */
    uint8_t used[PT_MIG_SLICES_MAX]; /* slots, by start */
};

#define NOWHERE UINT8_MAX

_Static_assert(sizeof(struct gpu) <= PT_NESTED_STATE_MAX, "a GPU's state is small");

static unsigned lowest(unsigned mask)
{
    return (unsigned)__builtin_ctz(mask);
}

static uint16_t bit(unsigned start)
{
    return (uint16_t)(1u << (start & 31u)); /* NOWHERE has none */
}

static unsigned profile_at(const struct gpu *gpu, unsigned start)
{
    return (unsigned)(gpu->profiles >> (4 * start)) & 15u;
}

static const struct pt_mig_profile *instance(const struct gpu *gpu, const struct pt_mig *mig,
                                             unsigned start)
{
    return &mig->profiles[profile_at(gpu, start)];
}

static bool is_fixed(const struct gpu *gpu, unsigned start)
{
    return ((gpu->busy | gpu->changing) & bit(start)) != 0;
}

/* What is left beside all instances. */
static struct pt__mig_room room_beside_all(const struct gpu *gpu, const struct pt_mig *mig)
{
    struct pt__mig_room room = pt__mig_whole(mig);
    room.free = (uint16_t)(room.free & ~gpu->slices);
    room.compute = (uint8_t)(room.compute - gpu->compute);
    room.media = gpu->media == NOWHERE;
    return room;
}

/* What would be left if all idle instances went. */
static struct pt__mig_room room_beside_fixed(const struct gpu *gpu, const struct pt_mig *mig)
{
    struct pt__mig_room room = pt__mig_whole(mig);
    room.free = (uint16_t)(room.free & ~gpu->fixed_slices);
    room.compute = (uint8_t)(room.compute - gpu->fixed_compute);
    room.media = gpu->media == NOWHERE || !is_fixed(gpu, gpu->media);
    return room;
}

/* ---- instances come, go, and are held ---- */

static void fix(struct gpu *gpu, const struct pt_mig_profile *profile, unsigned start)
{
    gpu->fixed_slices |= pt__mig_slices(profile, start);
    gpu->fixed_compute = (uint8_t)(gpu->fixed_compute + profile->compute);
}

static void release(struct gpu *gpu, const struct pt_mig_profile *profile, unsigned start)
{
    gpu->fixed_slices = (uint16_t)(gpu->fixed_slices & ~pt__mig_slices(profile, start));
    gpu->fixed_compute = (uint8_t)(gpu->fixed_compute - profile->compute);
}

static void create(struct gpu *gpu, const struct pt_mig *mig, unsigned index, unsigned start)
{
    const struct pt_mig_profile *profile = &mig->profiles[index];
    gpu->profiles &= ~(UINT64_C(15) << (4 * start));
    gpu->profiles |= (uint64_t)index << (4 * start);
    gpu->starts |= bit(start);
    gpu->slices |= pt__mig_slices(profile, start);
    gpu->compute = (uint8_t)(gpu->compute + profile->compute);
    if (profile->media) gpu->media = (uint8_t)start;
}

/* An idle instance goes. */
static void destroy(struct gpu *gpu, const struct pt_mig *mig, unsigned start)
{
    const struct pt_mig_profile *profile = instance(gpu, mig, start);
    gpu->starts = (uint16_t)(gpu->starts & ~bit(start));
    gpu->slices = (uint16_t)(gpu->slices & ~pt__mig_slices(profile, start));
    gpu->compute = (uint8_t)(gpu->compute - profile->compute);
    if (profile->media) gpu->media = NOWHERE;
}

static void hold(struct gpu *gpu, const struct pt_mig *mig, unsigned start, uint32_t slots)
{
    const struct pt_mig_profile *profile = instance(gpu, mig, start);
    if (!is_fixed(gpu, start)) fix(gpu, profile, start);
    gpu->busy |= bit(start);
    gpu->busy_slices |= pt__mig_slices(profile, start);
    gpu->used[start] = (uint8_t)(gpu->used[start] + slots);
}

/* ---- what fits ---- */

/* Instances that take units: those that serve, and at its own instant those of the change. */
static uint16_t open_starts(const struct gpu *gpu)
{
    return (uint16_t)(gpu->starts & (~gpu->changing | gpu->fresh_starts));
}

/* The lowest instance of the profile with so many slots left, or NOWHERE. */
static unsigned find_instance(const struct gpu *gpu, const struct pt_unit_shape *shape,
                              unsigned index, uint32_t slots)
{
    unsigned candidates = open_starts(gpu);
    if (shape->slots == 1) candidates &= ~(unsigned)gpu->busy;
    for (; candidates != 0; candidates &= candidates - 1) {
        unsigned start = lowest(candidates);
        if (profile_at(gpu, start) == index && gpu->used[start] + slots <= shape->slots)
            return start;
    }
    return NOWHERE;
}

/* Rooms in which an instance may be made, by disturbance: beside all that is there; where idle
 * instances go. No free slices = not allowed now. */
static void find_rooms(struct pt__mig_room *beside, struct pt__mig_room *instead,
                       const struct gpu *gpu, const struct pt_unit_shape *shape)
{
    const struct pt_mig *mig = shape->gpu->mig;
    *beside = *instead = (struct pt__mig_room){0};
    switch ((enum pt__mig_change)shape->own[PT__MIG_OWN_CHANGE]) {
    case PT__MIG_STATIC:
        break;
    case PT__MIG_WHEN_GPU_IDLE:
        if (gpu->fresh || gpu->starts == 0) *beside = room_beside_all(gpu, mig);
        if (gpu->starts != 0 && (gpu->busy | gpu->changing) == 0) *instead = pt__mig_whole(mig);
        break;
    case PT__MIG_PARTIAL:
        *beside = room_beside_all(gpu, mig);
        *instead = room_beside_fixed(gpu, mig);
        break;
    }
}

static unsigned fits(const void *state, const struct pt_unit_shape *shape,
                     const struct pt_need *need)
{
    const struct gpu *gpu = state;
    const struct pt_mig_profile *profile = &shape->gpu->mig->profiles[need->profile];
    struct pt__mig_room beside, instead;
    if (find_instance(gpu, shape, need->profile, pt__mig_slots(shape, need)) != NOWHERE) return 0;
    find_rooms(&beside, &instead, gpu, shape);
    if (pt__mig_starts(profile, beside) != 0) return 1;
    return pt__mig_starts(profile, instead) != 0 ? 2 : PT_DISTURBS_NEVER;
}

static void summary(uint32_t masks[PT_DISTURBS_LEVELS], const void *state,
                    const struct pt_unit_shape *shape)
{
    const struct gpu *gpu = state;
    const struct pt_mig *mig = shape->gpu->mig;
    uint32_t there = 0, room = 0, after = 0;
    unsigned open = open_starts(gpu);
    struct pt__mig_room beside, instead;
    if (shape->slots == 1) open &= ~(unsigned)gpu->busy;
    for (; open != 0; open &= open - 1) {
        unsigned start = lowest(open);
        if (gpu->used[start] < shape->slots) there |= UINT32_C(1) << profile_at(gpu, start);
    }
    find_rooms(&beside, &instead, gpu, shape);
    if ((beside.free | instead.free) != 0) {
        for (unsigned i = 0; i < mig->profile_count; i++) {
            const struct pt_mig_profile *profile = &mig->profiles[i];
            if (pt__mig_starts(profile, beside) != 0)
                room |= UINT32_C(1) << i;
            else if (pt__mig_starts(profile, instead) != 0)
                after |= UINT32_C(1) << i;
        }
    }
    masks[0] = there;
    masks[1] = room & ~there;
    masks[2] = after & ~there;
}

/* ---- taking a unit ---- */

/* Destroys the idle instances that are in the way of this one, and no others: those on its slices,
 * the other +me instance, and while compute slices lack, the one with most of them (the lowest of
 * equals). The number of them; `gpu` must have room without its idle instances. */
static unsigned clear_way(struct gpu *gpu, const struct pt_mig *mig,
                          const struct pt_mig_profile *profile, unsigned start)
{
    unsigned destroyed = 0, idle = gpu->starts & ~(unsigned)(gpu->busy | gpu->changing);
    uint16_t wanted = pt__mig_slices(profile, start);
    for (unsigned left = idle; left != 0; left &= left - 1) {
        unsigned at = lowest(left);
        const struct pt_mig_profile *other = instance(gpu, mig, at);
        if ((pt__mig_slices(other, at) & wanted) == 0 && !(profile->media && other->media))
            continue;
        destroy(gpu, mig, at);
        destroyed++;
    }
    while (gpu->compute + profile->compute > mig->compute) {
        unsigned most = 0, largest = NOWHERE;
        for (unsigned left = idle & gpu->starts; left != 0; left &= left - 1) {
            unsigned at = lowest(left), compute = instance(gpu, mig, at)->compute;
            if (compute > most) {
                most = compute;
                largest = at;
            }
        }
        destroy(gpu, mig, largest);
        destroyed++;
    }
    return destroyed;
}

/* Of the starts that idle instances are in the way of: the one that destroys fewest, then leaves
 * the most options, then the lowest. */
static unsigned choose_instead(const struct gpu *gpu, const struct pt_mig *mig,
                               const struct pt_mig_profile *profile, unsigned starts)
{
    unsigned best = NOWHERE, fewest = 0, most = 0;
    for (; starts != 0; starts &= starts - 1) {
        struct gpu copy = *gpu;
        unsigned start = lowest(starts);
        unsigned destroyed = clear_way(&copy, mig, profile, start);
        if (best != NOWHERE && destroyed > fewest) continue;
        unsigned options =
            pt__mig_options(mig, pt__mig_beside(room_beside_all(&copy, mig), profile, start));
        if (best != NOWHERE && destroyed == fewest && options <= most) continue;
        best = start;
        fewest = destroyed;
        most = options;
    }
    return best;
}

static unsigned clear_all(struct gpu *gpu, const struct pt_mig *mig)
{
    unsigned destroyed = 0;
    for (; gpu->starts != 0; destroyed++)
        destroy(gpu, mig, lowest(gpu->starts));
    return destroyed;
}

/* Makes an instance for the unit; where, or NOWHERE if it can't be. */
static unsigned make_room(struct pt_placed *placed, struct gpu *gpu,
                          const struct pt_unit_shape *shape, unsigned index, uint8_t wanted)
{
    const struct pt_mig *mig = shape->gpu->mig;
    const struct pt_mig_profile *profile = &mig->profiles[index];
    enum pt__mig_rule rule = (enum pt__mig_rule)shape->own[PT__MIG_OWN_RULE];
    unsigned allowed = wanted == PT_CELL_ANY ? UINT16_MAX : bit(wanted);
    struct pt__mig_room beside, instead;
    find_rooms(&beside, &instead, gpu, shape);
    uint16_t starts = (uint16_t)(pt__mig_starts(profile, beside) & allowed);
    if (starts != 0) return pt__mig_choose(mig, profile, beside, starts, rule);
    starts = (uint16_t)(pt__mig_starts(profile, instead) & allowed);
    if (starts == 0) return NOWHERE;
    unsigned start;
    if (shape->own[PT__MIG_OWN_CHANGE] == PT__MIG_WHEN_GPU_IDLE) {
        start = pt__mig_choose(mig, profile, instead, starts, rule);
        placed->destroyed = (uint8_t)clear_all(gpu, mig);
    } else {
        start = choose_instead(gpu, mig, profile, starts);
        placed->destroyed = (uint8_t)clear_way(gpu, mig, profile, start);
    }
    return start;
}

/* Whether the whole old layout may go, for another. */
static bool may_renew(const struct gpu *gpu, const struct pt_unit_shape *shape)
{
    return shape->own[PT__MIG_OWN_CHANGE] == PT__MIG_WHEN_GPU_IDLE && gpu->starts != 0 &&
           (gpu->busy | gpu->changing) == 0;
}

static bool place(struct pt_placed *placed, void *state, const struct pt_unit_shape *shape,
                  const struct pt_need *need, uint8_t wanted)
{
    struct gpu *gpu = state;
    const struct pt_mig *mig = shape->gpu->mig;
    uint32_t slots = pt__mig_slots(shape, need);
    *placed = (struct pt_placed){.cell = PT_CELL_ANY};
    if (wanted == PT_CELL_ANEW) {
        const struct pt_mig_profile *profile = &mig->profiles[need->profile];
        if (!may_renew(gpu, shape) || pt__mig_starts(profile, pt__mig_whole(mig)) == 0)
            return false;
        placed->destroyed = (uint8_t)clear_all(gpu, mig);
        wanted = PT_CELL_ANY;
    }
    if (wanted != PT_CELL_ANY && wanted >= mig->memory) return false;
    unsigned start = wanted;
    if (wanted == PT_CELL_ANY)
        start = find_instance(gpu, shape, need->profile, slots);
    else if (!(open_starts(gpu) & bit(wanted)) || profile_at(gpu, wanted) != need->profile ||
             gpu->used[wanted] + slots > shape->slots)
        start = NOWHERE;
    if (start == NOWHERE) {
        start = make_room(placed, gpu, shape, need->profile, wanted);
        if (start == NOWHERE) return false;
        create(gpu, mig, need->profile, start);
        fix(gpu, &mig->profiles[need->profile], start);
        gpu->changing |= bit(start);
        gpu->fresh_starts |= bit(start);
        placed->created = 1;
        placed->begins = !gpu->fresh;
        gpu->fresh = true;
    }
    hold(gpu, mig, start, slots);
    placed->cell = (uint8_t)start;
    placed->waits = (gpu->changing & bit(start)) != 0;
    return true;
}

/* ---- the rest ---- */

static void reset(void *state, const struct pt_unit_shape *shape)
{
    struct gpu *gpu = state;
    uint64_t profiles = shape->own[PT__MIG_OWN_PROFILES];
    *gpu = (struct gpu){.media = NOWHERE};
    for (unsigned left = (unsigned)shape->own[PT__MIG_OWN_STARTS]; left != 0; left &= left - 1) {
        unsigned start = lowest(left);
        create(gpu, shape->gpu->mig, (unsigned)(profiles >> (4 * start)) & 15u, start);
    }
}

static void remove_unit(void *state, const struct pt_unit_shape *shape, const struct pt_need *need,
                        uint8_t cell)
{
    struct gpu *gpu = state;
    const struct pt_mig_profile *profile = instance(gpu, shape->gpu->mig, cell);
    gpu->used[cell] = (uint8_t)(gpu->used[cell] - pt__mig_slots(shape, need));
    if (gpu->used[cell] != 0) return;
    gpu->busy = (uint16_t)(gpu->busy & ~bit(cell));
    gpu->busy_slices = (uint16_t)(gpu->busy_slices & ~pt__mig_slices(profile, cell));
    if (!is_fixed(gpu, cell)) release(gpu, profile, cell);
}

static void ready(void *state, const struct pt_unit_shape *shape, uint8_t cell)
{
    struct gpu *gpu = state;
    if ((gpu->changing & bit(cell)) == 0) return;
    gpu->changing = (uint16_t)(gpu->changing & ~bit(cell));
    if (!is_fixed(gpu, cell)) release(gpu, instance(gpu, shape->gpu->mig, cell), cell);
}

static void commit(void *state)
{
    struct gpu *gpu = state;
    gpu->fresh = false;
    gpu->fresh_starts = 0;
}

static const struct pt_mig_profile *profile_of(const void *state, const struct pt_unit_shape *shape,
                                               uint8_t cell)
{
    return instance(state, shape->gpu->mig, cell);
}

static uint32_t busy_slices(const void *state, const struct pt_unit_shape *shape)
{
    const struct gpu *gpu = state;
    (void)shape;
    return gpu->busy_slices;
}

const struct pt_nested_ops pt__mig_nested = {
    .state_size = sizeof(struct gpu),
    .reset = reset,
    .fits = fits,
    .summary = summary,
    .place = place,
    .remove = remove_unit,
    .ready = ready,
    .commit = commit,
    .profile = profile_of,
    .busy_slices = busy_slices,
};
