#include "policies/fair/filling.h"

#include <stdbool.h>

static bool fuller(const struct pt_basin *a, const struct pt_basin *b)
{
    double x = a->demand / a->weight, y = b->demand / b->weight;
    return x > y || (x == y && a->who > b->who);
}

static void sink(struct pt_basin *heap, uint32_t slot, uint32_t count)
{
    struct pt_basin moved = heap[slot];
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && fuller(&heap[child + 1], &heap[child])) child++;
        if (!fuller(&heap[child], &moved)) break;
        heap[slot] = heap[child];
    }
    heap[slot] = moved;
}

static void sort(struct pt_basin *basins, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sink(basins, i, count);
    for (uint32_t last = count; last-- > 1;) {
        struct pt_basin most = basins[0];
        basins[0] = basins[last];
        basins[last] = most;
        sink(basins, 0, last);
    }
}

void pt__fill(struct pt_basin *basins, uint32_t count, double amount)
{
    double weights = 0;
    sort(basins, count);
    for (uint32_t i = count; i-- > 0;)
        weights += basins[i].weight;
    for (uint32_t i = 0; i < count; i++) {
        struct pt_basin *basin = &basins[i];
        double share = amount > 0 ? amount * (basin->weight / weights) : 0;
        basin->target = basin->demand < share ? basin->demand : share;
        amount -= basin->target;
        weights -= basin->weight;
        if (i + 1 < count && weights <= 0) weights = basins[i + 1].weight;
    }
}
