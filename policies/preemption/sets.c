#include "policies/preemption/sets.h"

#include <stdlib.h>
#include <string.h>

struct pt_victim pt__victim(const struct pt_ctx *ctx, pt_job job, uint32_t level)
{
    return (struct pt_victim){.job = job,
                              .level = level,
                              .parts = pt_view_parts(ctx, pt_view_held_pool(ctx, job), job),
                              .start_ns = pt_view_attempt_ns(ctx, job)};
}

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

int pt__victim_order(const void *a, const void *b)
{
    const struct pt_victim *left = a, *right = b;
    if (left->level != right->level) return compare(left->level, right->level);
    if (left->start_ns != right->start_ns) return compare(right->start_ns, left->start_ns);
    return compare(right->job, left->job);
}

/* ---- which of two sets disturbs less ---- */

static int by_level(const void *a, const void *b)
{
    return compare(((const struct pt_victim *)b)->level, ((const struct pt_victim *)a)->level);
}

static int by_start(const void *a, const void *b)
{
    return compare(((const struct pt_victim *)a)->start_ns,
                   ((const struct pt_victim *)b)->start_ns);
}

static int by_job(const void *a, const void *b)
{
    return compare(((const struct pt_victim *)a)->job, ((const struct pt_victim *)b)->job);
}

static void sort_both(struct pt_victim_set *a, struct pt_victim_set *b,
                      int (*order)(const void *, const void *))
{
    qsort(a->victim, a->count, sizeof *a->victim, order);
    qsort(b->victim, b->count, sizeof *b->victim, order);
}

bool pt__victim_set_is_less(struct pt_victim_set *a, struct pt_victim_set *b)
{
    if (a->parts != b->parts) return a->parts < b->parts;
    if (a->count != b->count) return a->count < b->count;
    int order = 0;
    sort_both(a, b, by_level);
    for (uint32_t i = 0; i < a->count && order == 0; i++)
        order = by_level(&b->victim[i], &a->victim[i]); /* lower priorities first */
    if (order != 0) return order < 0;
    sort_both(a, b, by_start);
    for (uint32_t i = 0; i < a->count && order == 0; i++)
        order = by_start(&b->victim[i], &a->victim[i]); /* later starts first */
    if (order != 0) return order < 0;
    sort_both(a, b, by_job);
    for (uint32_t i = 0; i < a->count && order == 0; i++)
        order = by_job(&b->victim[i], &a->victim[i]);
    return order < 0;
}

void pt__victim_set_copy(struct pt_victim_set *to, const struct pt_victim_set *from)
{
    to->count = from->count;
    to->parts = from->parts;
    if (from->count > 0) memcpy(to->victim, from->victim, from->count * sizeof *from->victim);
}

void pt__victim_set_add(struct pt_victim_set *set, const struct pt_victim *victim)
{
    set->victim[set->count++] = *victim;
    set->parts += victim->parts;
}

static void drop_last(struct pt_victim_set *set)
{
    set->parts -= set->victim[--set->count].parts;
}

/* ---- lifting ---- */

bool pt__there_is_room(const struct pt_room *room)
{
    struct pt_ctx *ctx = room->ctx;
    uint32_t wanted = pt_view_units_wanted(ctx, room->job);
    const struct pt_units *units;
    if (room->node != PT_NONE) {
        uint32_t enough = wanted == 0 ? 1 : wanted;
        return pt_view_node_room(ctx, room->node, room->job, enough) >= enough;
    }
    for (uint64_t pools = room->pools; pools != 0; pools &= pools - 1)
        if (pt_view_units_free(ctx, (uint32_t)__builtin_ctzll(pools), room->job) >= wanted)
            return pt_ctx_place(ctx, &units, room->job, room->pools);
    return false;
}

void pt__victim_set_unlift(const struct pt_victim_set *set, struct pt_ctx *ctx)
{
    for (uint32_t i = set->count; i-- > 0;)
        (void)pt_ctx_try_unlift(ctx, set->victim[i].job);
}

bool pt__victim_set_lift(const struct pt_victim_set *set, struct pt_ctx *ctx)
{
    struct pt_victim_set lifted = {.victim = set->victim};
    for (uint32_t i = 0; i < set->count; i++) {
        lifted.count = i;
        if (pt_ctx_try_lift(ctx, set->victim[i].job)) continue;
        pt__victim_set_unlift(&lifted, ctx);
        return false;
    }
    return true;
}

bool pt__victim_sets_greedy(struct pt_victim_set *set, const struct pt_room *room,
                            const struct pt_victim *candidates, uint32_t count)
{
    bool fits = false;
    set->count = 0;
    set->parts = 0;
    for (uint32_t i = 0; i < count && !fits; i++) {
        if (!pt_ctx_try_lift(room->ctx, candidates[i].job)) continue;
        pt__victim_set_add(set, &candidates[i]);
        fits = pt__there_is_room(room);
    }
    uint32_t kept = 0;
    for (uint32_t i = set->count; fits && i-- > 0;) {
        pt_job job = set->victim[i].job;
        if (i + 1 < set->count && pt_ctx_try_unlift(room->ctx, job)) {
            if (pt__there_is_room(room)) {
                set->parts -= set->victim[i].parts;
                set->victim[i].job = PT_NONE;
                continue;
            }
            (void)pt_ctx_try_lift(room->ctx, job);
        }
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (set->victim[i].job != PT_NONE) set->victim[kept++] = set->victim[i];
    set->count = kept;
    pt__victim_set_unlift(set, room->ctx);
    if (!fits) set->count = 0;
    return fits;
}

/* ---- the least set ---- */

struct search {
    struct pt_room *room;
    struct pt_victim_set *best, *now;
    const struct pt_victim *candidate;
    uint32_t count;
    uint32_t left_out;                          /* a bit by candidate */
    uint32_t gain, gain_max;                    /* of `now`; of one candidate */
    uint64_t gain_left[PT_VICTIMS_COUNTED + 1]; /* of this candidate and all behind it */
    uint8_t twin[PT_VICTIMS_COUNTED]; /* the last before it that frees and costs the same */
};
#define NO_TWIN 255

/* Whoever frees as much at the same cost and priority is a worse choice if it stands later, so it
 * is chosen only with all of them. Where room is tried out, nobody is like another. */
static void find_twins(struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        const struct pt_victim *mine = &search->candidate[i];
        search->twin[i] = NO_TWIN;
        for (uint32_t j = i; search->room->wanted > 0 && j-- > 0 && search->twin[i] == NO_TWIN;) {
            const struct pt_victim *other = &search->candidate[j];
            if (other->gain == mine->gain && other->parts == mine->parts &&
                other->level == mine->level)
                search->twin[i] = (uint8_t)j;
        }
    }
}

static void prepare(struct search *search)
{
    find_twins(search);
    for (uint32_t i = search->count; i-- > 0;) {
        uint32_t gain = search->candidate[i].gain;
        search->gain_left[i] = search->gain_left[i + 1] + gain;
        if (gain > search->gain_max) search->gain_max = gain;
    }
}

static bool makes_room(const struct search *search)
{
    if (search->room->wanted > 0) return search->gain >= search->room->wanted;
    return pt__there_is_room(search->room);
}

/* Whether what is chosen, with at least one more of those from `next` on, could be the least. */
static bool has_hope(const struct search *search, uint32_t next)
{
    const struct pt_victim_set *best = search->best, *now = search->now;
    uint64_t parts = now->parts, jobs = now->count + 1;
    if (next == search->count) return false;
    if (search->room->wanted > 0) {
        uint64_t missing = search->room->wanted - search->gain;
        if (search->gain_left[next] < missing) return false;
        parts += missing * search->room->parts_per_unit;
        jobs = now->count + (missing + search->gain_max - 1) / search->gain_max;
    }
    if (best->count == 0 || parts < best->parts) return true;
    return parts == best->parts && jobs <= best->count;
}

/* Puts what is chosen in the place of the best if it is less. Comparing sorts sets: `now` is a
 * stack, so a copy is compared. */
static void offer(struct search *search)
{
    struct pt_victim copies[PT_VICTIMS_COUNTED];
    struct pt_victim_set copy = {.victim = copies};
    pt__victim_set_copy(&copy, search->now);
    if (search->best->count == 0 || pt__victim_set_is_less(&copy, search->best))
        pt__victim_set_copy(search->best, &copy);
}

static void choose(struct search *search, uint32_t next)
{
    if (!has_hope(search, next) || ++search->room->steps > PT_VICTIMS_STEPS) return;
    const struct pt_victim *victim = &search->candidate[next];
    uint8_t twin = search->twin[next];
    bool counted = search->room->wanted > 0;
    bool allowed = twin == NO_TWIN || (search->left_out >> twin & 1) == 0;
    if (allowed && (counted || pt_ctx_try_lift(search->room->ctx, victim->job))) {
        pt__victim_set_add(search->now, victim);
        search->gain += victim->gain;
        if (makes_room(search))
            offer(search);
        else
            choose(search, next + 1);
        search->gain -= victim->gain;
        drop_last(search->now);
        if (!counted) (void)pt_ctx_try_unlift(search->room->ctx, victim->job);
    }
    search->left_out |= UINT32_C(1) << next;
    choose(search, next + 1);
    search->left_out &= ~(UINT32_C(1) << next);
}

/* Most searches without an answer end here. */
static bool all_make_room(struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (pt_ctx_try_lift(search->room->ctx, search->candidate[i].job))
            pt__victim_set_add(search->now, &search->candidate[i]);
    bool room = pt__there_is_room(search->room);
    pt__victim_set_unlift(search->now, search->room->ctx);
    search->now->count = 0;
    search->now->parts = 0;
    return room;
}

void pt__victim_sets_search(struct pt_victim_set *best, struct pt_victim_set *now,
                            struct pt_room *room, const struct pt_victim *candidates,
                            uint32_t count)
{
    struct search search = {
        .room = room, .best = best, .now = now, .candidate = candidates, .count = count};
    now->count = 0;
    now->parts = 0;
    prepare(&search);
    if (room->wanted > 0 || all_make_room(&search)) choose(&search, 0);
}
