/* Who runs, decided anew at every event by walking a list: the first jobs whose units are still
 * within what the cluster has run, whoever does not fit is passed over, and running jobs left out
 * are stopped. What research simulators do (Tiresias, Helios): units are counted, where they lie
 * is not looked at. O(waiting + running) per event by its definition.
 */
#ifndef PT_ORDER_RECOUNT_H
#define PT_ORDER_RECOUNT_H

#include "partita/policy.h"

/* A job and what it is sorted by. */
struct pt_recount_item {
    uint64_t key;
    pt_job job;
};

struct pt_recount {
    uint32_t count;
    struct pt_recount_item *item;    /* the jobs that wait or run, in the order's own order */
    struct pt_recount_item *scratch; /* as long */
    /* What the last walk decided: those to start, in order, from the front; those stopped, in
     * order, from the back. */
    pt_job *decided;
    uint32_t start_count, stop_count, capacity;
    uint8_t *listed;  /* by job: whether it is in the list, and leaves its units */
    bool due;         /* something happened since the last walk that may change it */
    bool acting;      /* what happens now is this policy's own doing */
    int64_t acted_ns; /* when it last was */
};

/* Room for every job of the trace. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__recount_init(struct pt_recount *recount, const struct pt_ctx *ctx,
                                struct pt_error *error);
void pt__recount_fini(struct pt_recount *recount);
/* Puts a job that became pending at place `at` (0..count); false if it is in the list already. */
bool pt__recount_insert(struct pt_recount *recount, pt_job job, uint32_t at);
/* Drops the jobs that neither wait nor hold units. `split` (NULL = none) is a place in the list; it
 * moves along with the jobs around it. */
void pt__recount_prune(struct pt_recount *recount, const struct pt_ctx *ctx, uint32_t *split);
/* Stable: jobs of one key keep their places. O(n) where they are in order already. */
void pt__recount_sort(struct pt_recount_item *items, struct pt_recount_item *scratch,
                      uint32_t count);
/* Whether it holds units, or is to have them as soon as they are made ready. */
bool pt__recount_holds(const struct pt_ctx *ctx, pt_job job);
/* Walks `items`: stops whom it leaves out, then starts whom it takes in; who is taken but finds no
 * place stays pending. `start_count` of `decided` were taken in. */
enum pt_status pt__recount_act(struct pt_recount *recount, struct pt_ctx *ctx,
                               const struct pt_recount_item *items);

/* Callbacks of a policy whose state begins with its recount: they note that a walk is due. A
 * release is not news where it is what the walk of this instant itself left. */
void pt__recount_on_withdrawn(void *state, struct pt_ctx *ctx, pt_job job);
void pt__recount_on_release(void *state, struct pt_ctx *ctx, uint64_t pools);
void pt__recount_on_stopped(void *state, struct pt_ctx *ctx, pt_job job, enum pt_stop why);

#endif
