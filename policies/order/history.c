#include "policies/order/history.h"

#include <stdlib.h>

#define ONE_SECOND 1000000u /* of a GPU, in what samples are counted in */

enum pt_status pt__history_init(struct pt_history *history, uint32_t capacity,
                                struct pt_error *error)
{
    *history = (struct pt_history){.capacity = capacity};
    history->sample = malloc(((size_t)capacity + 1) * sizeof *history->sample);
    history->sum = calloc((size_t)capacity + 1, sizeof *history->sum);
    if (history->sample != NULL && history->sum != NULL) return PT_OK;
    pt__history_fini(history);
    return pt_fail(error, PT_ERR_MEMORY, "out of memory for a history of %u jobs", capacity);
}

void pt__history_fini(struct pt_history *history)
{
    free(history->sample);
    free(history->sum);
    *history = (struct pt_history){0};
}

void pt__history_add(struct pt_history *history, uint64_t service)
{
    if (history->count < history->capacity) history->sample[history->count++] = service;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool pt__history_sort(struct pt_history *history, bool now)
{
    uint32_t fresh = history->count - history->sorted;
    if (fresh == 0 || (!now && fresh < history->sorted / 10)) return false;
    qsort(history->sample, history->count, sizeof *history->sample, by_size);
    history->sorted = history->count;
    for (uint32_t i = 0; i < history->count; i++)
        history->sum[i + 1] = history->sum[i] + history->sample[i];
    return true;
}

/* Sorted samples that are at most `most`. Without branches that nobody can foresee: every round
 * asks for every running job. */
static uint32_t count_up_to(const struct pt_history *history, uint64_t most)
{
    const uint64_t *base = history->sample;
    uint32_t left = history->sorted;
    if (left == 0) return 0;
    for (uint32_t half; (half = left / 2) > 0; left -= half)
        base += base[half - 1] <= most ? half : 0;
    return (uint32_t)(base - history->sample) + (*base <= most);
}

uint64_t pt__history_inverse(const struct pt_history *history, uint64_t a, uint64_t d,
                             bool upstream)
{
    const uint64_t most = UINT64_MAX / 2;
    uint64_t end = a > most - d ? most : a + d;
    uint32_t from = count_up_to(history, a), to = count_up_to(history, end);
    if (upstream && history->sorted > 0) {
        uint64_t last = history->sample[history->sorted - 1];
        if (end + ONE_SECOND > last) to = history->sorted - 1;
        if (a + ONE_SECOND > last) to = from;
    }
    if (from >= to) return UINT64_MAX;
    uint32_t done = to - from, longer = history->sorted - to;
    pt_u128 expected = history->sum[to] - history->sum[from] + (pt_u128)longer * d;
    if (!upstream) expected -= (pt_u128)done * a;
    pt_u128 inverse = expected / done;
    return inverse < UINT64_MAX ? (uint64_t)inverse : UINT64_MAX;
}
