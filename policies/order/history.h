/* How much service jobs turned out to need, and Gittins' index from it. */
#ifndef PT_ORDER_HISTORY_H
#define PT_ORDER_HISTORY_H

#include "partita/policy.h"

/* Amounts of service, in microseconds of a GPU, below 2^63. */
struct pt_history {
    uint64_t *sample; /* the first `sorted` in order, those behind them as they came */
    pt_u128 *sum;     /* of the first i sorted ones: [sorted + 1] */
    uint32_t count, sorted, capacity;
};

/* Room for so many. Only PT_ERR_MEMORY fails; then nothing is held. */
enum pt_status pt__history_init(struct pt_history *history, uint32_t capacity,
                                struct pt_error *error);
void pt__history_fini(struct pt_history *history);
/* One more; it counts once the history has been sorted again. */
void pt__history_add(struct pt_history *history, uint64_t service);
/* Sorts in what came, if that is a tenth of what is there, or `now`. True if it did: O(n log n),
 * so O(log n) for each that came. */
bool pt__history_sort(struct pt_history *history, bool now);

/* 1 / G(a), rounded down, where G(a) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a] over the
 * samples S: least first. Nobody needs more than `a`, or nobody between a and a + D: UINT64_MAX.
 * `upstream`: as Tiresias' simulator has it (get_gittins_index, commit 959f9b0): S instead of S - a
 * in the sum, and the last sample, and what is a second before it, counts as one that needs more
 * than D. O(log n). */
uint64_t pt__history_inverse(const struct pt_history *history, uint64_t a, uint64_t d,
                             bool upstream);

#endif
