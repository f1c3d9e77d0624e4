#include "policies/queues/kai_usage.h"

#include <math.h>
#include <stdlib.h>

#include "partita/random.h"

enum pt_status pt__kai_usage_init(struct pt_kai_usage *usage, uint32_t count, int64_t window_ns,
                                  int64_t half_life_ns, struct pt_error *error)
{
    size_t queues = (size_t)count + 1;
    usage->count = count + 1;
    usage->half_life_ns = (double)half_life_ns;
    if (half_life_ns == 0) usage->slice_ns = window_ns / PT_KAI_SLICES + 1;
    usage->since_ns = calloc(queues, sizeof *usage->since_ns);
    usage->sum = calloc(queues, sizeof *usage->sum);
    usage->slice = calloc(queues * (PT_KAI_SLICES + 1), sizeof *usage->slice);
    if (usage->since_ns == NULL || usage->sum == NULL || usage->slice == NULL)
        return pt_fail(error, PT_ERR_MEMORY, "out of memory for the use of %u queues", count);
    return PT_OK;
}

void pt__kai_usage_fini(struct pt_kai_usage *usage)
{
    free(usage->since_ns);
    free(usage->sum);
    free(usage->slice);
    *usage = (struct pt_kai_usage){0};
}

static double *ring_of(const struct pt_kai_usage *usage, uint32_t queue)
{
    return usage->slice + (size_t)queue * (PT_KAI_SLICES + 1);
}

/* Adds up [since, now) slice by slice; a slice that is entered anew forgets what it held. */
static void add_slices(struct pt_kai_usage *usage, uint32_t queue, double gpus, int64_t now_ns)
{
    double *ring = ring_of(usage, queue);
    int64_t from_ns = usage->since_ns[queue], number = from_ns / usage->slice_ns;
    int64_t last = now_ns / usage->slice_ns;
    if (last - number > PT_KAI_SLICES) { /* nothing of before is left */
        for (uint32_t i = 0; i <= PT_KAI_SLICES; i++)
            ring[i] = 0;
        number = last - PT_KAI_SLICES;
        from_ns = number * usage->slice_ns;
    }
    for (;; number++) {
        int64_t end_ns = number < last ? (number + 1) * usage->slice_ns : now_ns;
        ring[number % (PT_KAI_SLICES + 1)] += gpus * (double)(end_ns - from_ns);
        from_ns = end_ns;
        if (number == last) break;
        ring[(number + 1) % (PT_KAI_SLICES + 1)] = 0;
    }
    usage->sum[queue] = 0;
    for (uint32_t i = 0; i <= PT_KAI_SLICES; i++)
        usage->sum[queue] += ring[i];
}

void pt__kai_usage_add(struct pt_kai_usage *usage, uint32_t queue, double gpus, int64_t now_ns)
{
    int64_t past_ns = now_ns - usage->since_ns[queue];
    if (past_ns <= 0) return;
    if (usage->half_life_ns > 0) {
        /* the integral but for 1 / ln 2, which the capacity lacks as well */
        double kept = pt_round40(exp2(-(double)past_ns / usage->half_life_ns));
        usage->sum[queue] = usage->sum[queue] * kept + gpus * usage->half_life_ns * (1 - kept);
    } else {
        add_slices(usage, queue, gpus, now_ns);
    }
    usage->since_ns[queue] = now_ns;
}

/* The window ends inside its oldest slice: what of that lies outside does not count. */
static double inside(const struct pt_kai_usage *usage, uint32_t queue, int64_t now_ns)
{
    if (usage->half_life_ns > 0) return usage->sum[queue];
    int64_t oldest = now_ns / usage->slice_ns - PT_KAI_SLICES;
    if (oldest < 0) return usage->sum[queue];
    double gone = (double)(now_ns % usage->slice_ns) / (double)usage->slice_ns;
    double first = ring_of(usage, queue)[oldest % (PT_KAI_SLICES + 1)];
    return usage->sum[queue] - gone * first;
}

double pt__kai_usage_of(const struct pt_kai_usage *usage, uint32_t queue, int64_t now_ns)
{
    double all = inside(usage, usage->count - 1, now_ns);
    return all > 0 ? inside(usage, queue, now_ns) / all : 0;
}

int64_t pt__kai_usage_next(const struct pt_kai_usage *usage, int64_t now_ns)
{
    int64_t step_ns = usage->slice_ns;
    if (usage->half_life_ns > 0) step_ns = (int64_t)(usage->half_life_ns / 8) + 1;
    return step_ns < PT_TIME_MAX - now_ns ? now_ns + step_ns : PT_NEVER;
}
