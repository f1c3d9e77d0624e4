#include "policies/queues/kai_share.h"

#include <math.h>

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* What it may have at most: its request within its limit. */
static double requestable(const struct pt_kai_queue *queue)
{
    return least(queue->limit, queue->request);
}

static double needed(const struct pt_kai_queue *queue)
{
    double most = requestable(queue);
    return most < queue->share ? 0 : most - queue->share;
}

static bool satisfied(const struct pt_kai_queue *queue)
{
    return requestable(queue) <= queue->share;
}

/* w_i: what the queue weighs in this round. */
static double weight_of(const struct pt_kai_queue *queue, double all, double k)
{
    double normal = queue->weight / all;
    double weight = normal + k * (normal - queue->usage);
    return weight > 0 ? weight : 0;
}

/* The sum of the weights of those not satisfied, and of what they weigh in this round. */
static void weigh(double *all, double *sum, const struct pt_kai_queue *queues, uint32_t count,
                  double k)
{
    *all = *sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!satisfied(&queues[i])) *all += queues[i].weight;
    for (uint32_t i = 0; *all > 0 && i < count; i++)
        if (!satisfied(&queues[i])) *sum += weight_of(&queues[i], *all, k);
}

/* One round among queues of one priority. True if somebody needed less than its part of it. */
static bool round_once(struct pt_kai_queue *queues, uint32_t count, double *amount, double k)
{
    double all, sum, start = *amount;
    bool again = false;
    weigh(&all, &sum, queues, count, k);
    if (sum <= 0) return false;
    for (uint32_t i = 0; i<count && * amount> 0; i++) {
        struct pt_kai_queue *queue = &queues[i];
        if (satisfied(queue) || queue->weight <= 0) continue;
        double need = needed(queue), part = start * (weight_of(queue, all, k) / sum);
        double given = need <= part ? need : floor(part);
        if (need <= part)
            queue->fraction = 0;
        else if (part > given)
            queue->fraction = part - given;
        queue->share += given;
        *amount -= given;
        again |= given > 0 && need < part;
    }
    return again;
}

/* Whether what is left goes to `a` before `b`. */
static bool before(const struct pt_kai_queue *queues, uint32_t a, uint32_t b)
{
    if (queues[a].fraction > queues[b].fraction) return true;
    return queues[a].fraction >= queues[b].fraction && queues[a].age < queues[b].age;
}

static void sift(const struct pt_kai_queue *queues, uint32_t *heap, uint32_t count, uint32_t slot)
{
    uint32_t queue = heap[slot];
    for (uint32_t child; (child = 2 * slot + 1) < count; slot = child) {
        if (child + 1 < count && before(queues, heap[child + 1], heap[child])) child++;
        if (!before(queues, heap[child], queue)) break;
        heap[slot] = heap[child];
    }
    heap[slot] = queue;
}

/* Whole GPUs, one each to those who lost the largest fractions to rounding. */
static void leftovers(struct pt_kai_queue *queues, uint32_t count, double *amount,
                      const struct pt_kai_rules *rules, uint32_t *heap)
{
    uint32_t left = 0;
    if (*amount <= 0) return;
    for (uint32_t i = 0; i < count; i++)
        if (queues[i].fraction > 0) heap[left++] = i;
    for (uint32_t slot = left / 2; slot-- > 0;)
        sift(queues, heap, left, slot);
    while (left > 0 && *amount > 0) {
        struct pt_kai_queue *queue = &queues[heap[0]];
        double given = least(1, *amount);
        if (!rules->leftovers_whole) given = least(given, needed(queue));
        queue->share += given;
        *amount -= given;
        heap[0] = heap[--left];
        if (left > 0) sift(queues, heap, left, 0);
    }
}

/* Queues of the same priority as the one at `first`. */
static uint32_t band(const struct pt_kai_queue *queues, uint32_t count, uint32_t first)
{
    uint32_t end = first;
    while (end < count && queues[end].priority == queues[first].priority)
        end++;
    return end - first;
}

double pt__kai_divide(struct pt_kai_queue *queues, uint32_t count, double total,
                      const struct pt_kai_rules *rules, uint32_t *heap)
{
    double amount = total;
    for (uint32_t i = 0; i < count; i++) {
        double deserved = queues[i].deserved < PT_KAI_UNLIMITED ? queues[i].deserved : total;
        queues[i].share = least(deserved, requestable(&queues[i]));
        queues[i].fraction = 0;
        amount -= queues[i].share;
    }
    for (uint32_t i = 0, n; i < count && amount > 0; i += n) {
        n = band(queues, count, i);
        while (amount > 0 && round_once(queues + i, n, &amount, rules->k))
            ;
        if (!rules->leftovers_last) leftovers(queues + i, n, &amount, rules, heap);
    }
    for (uint32_t i = 0, n; rules->leftovers_last && i < count && amount > 0; i += n) {
        n = band(queues, count, i);
        leftovers(queues + i, n, &amount, rules, heap);
    }
    return amount > 0 ? amount : 0;
}

void pt__kai_divide_tree(struct pt_kai_queue *queues, uint32_t count, uint32_t top_count,
                         double total, const struct pt_kai_rules *rules, uint32_t *heap)
{
    (void)pt__kai_divide(queues, top_count, total, rules, heap);
    for (uint32_t i = 0; i < count; i++)
        if (queues[i].child_count > 0)
            (void)pt__kai_divide(queues + queues[i].first_child, queues[i].child_count,
                                 queues[i].share, rules, heap);
}
