/* Sets of running jobs that could be stopped, which of two disturbs less, and the least of those
 * that make room: semantics.md, section 4, "Victims".
 *
 * Of two sets: the one with fewer GPUs evicted (quota units, so half a GPU counts half), then with
 * fewer jobs, then with lower priorities (the highest ones compared first), then whose jobs started
 * later (the earliest ones compared first), then later in trace order (the first ones first).
 */
#ifndef PT_PREEMPTION_SETS_H
#define PT_PREEMPTION_SETS_H

#include "partita/policy.h"

/* Sets of so many candidates are searched exactly where each has to be tried out ... */
#define PT_VICTIMS_TRIED 12
/* ... and where counting tells whether a set makes room. */
#define PT_VICTIMS_COUNTED 32
/* Steps of the searches for one room; beyond, the best set found so far stands. */
#define PT_VICTIMS_STEPS 8192

struct pt_victim {
    pt_job job;
    uint32_t level;   /* of its priority: higher = higher */
    uint32_t gain;    /* units that it would free where room is sought; 0 = unknown */
    uint64_t parts;   /* quota units it holds */
    int64_t start_ns; /* of the attempt that runs */
};

struct pt_victim_set {
    uint32_t count;
    uint64_t parts;
    struct pt_victim *victim; /* room for all candidates, the caller's */
};

/* Fills in all but `gain`. */
struct pt_victim pt__victim(const struct pt_ctx *ctx, pt_job job, uint32_t level);
/* Worst to have running first: lowest priority, latest started, later in trace order. For qsort. */
int pt__victim_order(const void *a, const void *b);
/* Whether `a` disturbs less than `b`, a total order but for equal sets. Sorts both. */
bool pt__victim_set_is_less(struct pt_victim_set *a, struct pt_victim_set *b);
void pt__victim_set_copy(struct pt_victim_set *to, const struct pt_victim_set *from);
void pt__victim_set_add(struct pt_victim_set *set, const struct pt_victim *victim);

/* Whether there is room for a job while a set is lifted. */
struct pt_room {
    struct pt_ctx *ctx;
    pt_job job;
    uint64_t pools;          /* where, if node is PT_NONE: as pt_ctx_place sees it */
    uint32_t node;           /* else on this node alone */
    uint32_t wanted;         /* 0 = to be tried out; else units missing, counted by `gain` */
    uint64_t parts_per_unit; /* where counted: quota units of one unit of gain */
    uint32_t steps;          /* searched so far */
};

/* Tries whether there is room as things are lifted now. */
bool pt__there_is_room(const struct pt_room *room);

/* Searches the candidates (in pt__victim_order; at most PT_VICTIMS_TRIED, or PT_VICTIMS_COUNTED
 * where gains are counted) for the least set that makes room, and puts it in *best if it is less
 * than what is there (count 0 = nothing). `now` is scratch. Leaves lifted who was, nobody else. */
void pt__victim_sets_search(struct pt_victim_set *best, struct pt_victim_set *now,
                            struct pt_room *room, const struct pt_victim *candidates,
                            uint32_t count);
/* Lifts candidates in their order until there is room, then puts back those that are not needed,
 * the last first. Leaves nobody lifted that was not. False, and *set is empty: there is no room
 * without all of them either. */
bool pt__victim_sets_greedy(struct pt_victim_set *set, const struct pt_room *room,
                            const struct pt_victim *candidates, uint32_t count);
/* Lifts all of the set; false, and nobody more is lifted, if one can't be. */
bool pt__victim_set_lift(const struct pt_victim_set *set, struct pt_ctx *ctx);
/* Puts all of the set back. */
void pt__victim_set_unlift(const struct pt_victim_set *set, struct pt_ctx *ctx);

#endif
