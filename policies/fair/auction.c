#include "policies/fair/auction.h"

uint32_t pt__auction_worst(uint32_t count, uint64_t f_ppm)
{
    uint64_t worst = (count * (PT_PPM_ONE - f_ppm) + PT_PPM_ONE - 1) / PT_PPM_ONE;
    if (worst < 1) worst = 1;
    return worst < count ? (uint32_t)worst : count;
}

static bool worse(const struct pt_bidder *a, const struct pt_bidder *b)
{
    if (a->rho != b->rho) return a->rho > b->rho;
    return a->job < b->job;
}

static bool goes_first(const struct pt_bidder *a, const struct pt_bidder *b, bool by_drop)
{
    if (by_drop && a->work_ns != b->work_ns) return a->work_ns < b->work_ns;
    return worse(a, b);
}

static void swap(struct pt_bidder *a, struct pt_bidder *b)
{
    struct pt_bidder c = *a;
    *a = *b;
    *b = c;
}

/* Quickselect with the middle of three as pivot: the same in every run. */
void pt__auction_split(struct pt_bidder *bidders, uint32_t count, uint32_t worst)
{
    uint32_t from = 0, to = count;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2, last = to - 1, at = from;
        if (worse(&bidders[middle], &bidders[from])) swap(&bidders[middle], &bidders[from]);
        if (worse(&bidders[last], &bidders[from])) swap(&bidders[last], &bidders[from]);
        if (worse(&bidders[middle], &bidders[last])) swap(&bidders[middle], &bidders[last]);
        for (uint32_t i = from; i < last; i++)
            if (worse(&bidders[i], &bidders[last])) swap(&bidders[i], &bidders[at++]);
        swap(&bidders[at], &bidders[last]);
        if (at == worst || at + 1 == worst) return;
        if (at < worst)
            from = at + 1;
        else
            to = at;
    }
}

static void sink(struct pt_bidder *heap, uint32_t slot, uint32_t count, bool by_drop)
{
    struct pt_bidder moved = heap[slot];
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && goes_first(&heap[child + 1], &heap[child], by_drop)) child++;
        if (!goes_first(&heap[child], &moved, by_drop)) break;
        heap[slot] = heap[child];
    }
    heap[slot] = moved;
}

void pt__auction_heap(struct pt_bidder *bidders, uint32_t count, bool by_drop)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sink(bidders, i, count, by_drop);
}

void pt__auction_pop(struct pt_bidder *bidders, uint32_t count, bool by_drop)
{
    if (count < 2) return;
    swap(&bidders[0], &bidders[count - 1]);
    sink(bidders, 0, count - 1, by_drop);
}

static void order(struct pt_bidder *bidders, uint32_t count, bool by_drop)
{
    pt__auction_heap(bidders, count, by_drop);
    for (uint32_t left = count; left > 1; left--)
        pt__auction_pop(bidders, left, by_drop);
    for (uint32_t i = 0; i < count / 2; i++) /* the last taken is the first */
        swap(&bidders[i], &bidders[count - 1 - i]);
}

void pt__auction_order(struct pt_bidder *bidders, uint32_t count, uint32_t worst)
{
    pt__auction_split(bidders, count, worst);
    order(bidders, worst, true);
    order(bidders + worst, count - worst, false);
}
